/* The library in another program: read a model, apply tactics one by one, look at what they did, simulate, emit.
 *
 *     cc embed.c $(pkg-config --cflags --libs partir) -o embed && ./embed model.mlir [model.schedule]
 *
 * Without a schedule the first argument is tiled by calls, on the first of its dimensions that can be.
 */
#include <partir.h>
#include <stdio.h>
#include <string.h>

static void show_diagnostic(void *user, const partir_diagnostic *d) {
    char text[1000];
    partir_diagnostic_format(d, 0, text, sizeof text);
    fprintf((FILE *)user, "%s\n", text);
}

static void show_text(partir_text *text) {
    fputs(partir_text_data(text), stdout);
    partir_text_destroy(text);
}

/* Every argument and result, with its type. */
static partir_status list_values(partir_partition *p) {
    partir_value_info v;
    partir_status status;
    uint32_t i, k, n;
    v.size = sizeof v;
    status = partir_partition_value_count(p, 0, &n);
    for (i = 0; status == PARTIR_OK && i < n; i++) {
        status = partir_partition_value(p, i, &v);
        if (status != PARTIR_OK) break;
        printf("%s : ", v.name);
        for (k = 0; k < v.rank; k++) printf("%lldx", (long long)v.shape[k]);
        printf("%s\n", v.type);
    }
    return status;
}

/* A tactic by calls: one value tiled on the first axis of the mesh. */
static partir_status tile_first(partir_partition *p) {
    partir_legality legal = PARTIR_NO_DIMENSION;
    partir_value_info v;
    partir_axis_info axis;
    partir_status status;
    uint32_t d;
    v.size = sizeof v;
    axis.size = sizeof axis;
    status = partir_partition_value(p, 0, &v);
    if (status != PARTIR_OK) return status;
    for (d = 0; d < v.rank; d++)
        if (partir_partition_legality(p, 0, d, 0, &legal) == PARTIR_OK && legal == PARTIR_LEGAL) break;
    if (legal != PARTIR_LEGAL) return PARTIR_OK;
    status = partir_partition_axis(p, 0, &axis);
    if (status == PARTIR_OK) status = partir_partition_begin_tactic(p, "first", axis.name);
    if (status == PARTIR_OK) status = partir_partition_tile(p, 0, d);
    return status == PARTIR_OK ? partir_partition_end_tactic(p) : status;
}

/* What the last tactic left: its collectives, and what a step costs. */
static partir_status show_step(partir_partition *p) {
    partir_collective_info c;
    partir_tactic_info tactic;
    partir_cost cost;
    partir_status status;
    uint32_t n;
    double sent = 0;
    c.size = sizeof c;
    tactic.size = sizeof tactic;
    cost.size = sizeof cost;
    status = partir_partition_collective_count(p, &n);
    while (status == PARTIR_OK && n-- > 0) {
        status = partir_partition_collective(p, n, &c);
        if (status == PARTIR_OK) sent += c.bytes;
    }
    if (status == PARTIR_OK) status = partir_partition_cost(p, "tpu_v5e", &cost);
    if (status == PARTIR_OK) status = partir_partition_tactic(p, partir_partition_applied(p) - 1, &tactic);
    if (status == PARTIR_OK)
        printf("after %s: %.0f bytes sent, %.1f us, peak %.0f KiB\n", tactic.name, sent, cost.seconds * 1e6,
               cost.peak / 1024);
    return status;
}

static partir_status partition(partir_module *module, partir_schedule *schedule) {
    partir_partition *p;
    partir_text *text;
    uint32_t i;
    partir_status status = partir_partition_create(module, schedule, NULL, &p);
    if (status == PARTIR_OK) status = list_values(p);
    for (i = 0; status == PARTIR_OK && i < partir_schedule_tactic_count(schedule); i++) {
        status = partir_partition_apply_next(p);
        if (status == PARTIR_OK) status = show_step(p);
    }
    if (status == PARTIR_OK && i == 0) status = tile_first(p);
    if (status == PARTIR_OK) status = partir_partition_report(p, PARTIR_REPORT_TABLE, &text);
    if (status == PARTIR_OK) show_text(text);
    if (status == PARTIR_OK) status = partir_partition_simulate(p, "tpu_v5e", PARTIR_SIMULATION_TABLE, &text);
    if (status == PARTIR_OK) show_text(text);
    if (status == PARTIR_OK) status = partir_partition_emit(p, PARTIR_STAGE_STABLEHLO, PARTIR_PRINT_PRETTY, &text);
    if (status == PARTIR_OK) show_text(text);
    partir_partition_destroy(p);
    return status;
}

int main(int count, char **arguments) {
    static const char mesh[] = "mesh batch=2";
    partir_options options;
    partir_context *ctx;
    partir_module *module = NULL;
    partir_schedule *schedule = NULL;
    partir_status status;

    if (count != 2 && count != 3) {
        fprintf(stderr, "usage: embed MODEL.mlir [MODEL.schedule]\n");
        return 2;
    }
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.user = stderr;
    options.diagnostic = show_diagnostic;
    if (partir_context_create(&options, &ctx) != PARTIR_OK) return 1;
    status = partir_module_read_file(ctx, arguments[1], &module);
    if (status == PARTIR_OK)
        status = count == 3 ? partir_schedule_read_file(ctx, arguments[2], &schedule)
                            : partir_schedule_read_text(ctx, "mesh", mesh, sizeof mesh - 1, &schedule);
    if (status == PARTIR_OK) status = partition(module, schedule);
    if (status != PARTIR_OK) fprintf(stderr, "embed: %s\n", partir_status_name(status));

    partir_schedule_destroy(schedule);
    partir_module_destroy(module);
    partir_context_destroy(ctx);
    return status != PARTIR_OK;
}
