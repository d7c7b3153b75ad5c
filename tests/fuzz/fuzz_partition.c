// Fuzzing schedules, partitioning and simulation through the public API: any bytes give a clear error or a result.
//
// The input is a program, and behind a line "----" a schedule; without one, each argument is tiled along two axes. What comes out
// must read back, and all devices must have figures for it; what trials find from a base is what they find from a base of its own.
#include "reports.h"
#include <math.h>
#include <stdbool.h>

static const char between[] = "\n----\n";
static const char tile_all[] = "mesh a=2, b=3\n"
                               "tactic one on a { ** : first_divisible }\n"
                               "tactic two on b { ** : first_divisible }\n";

static void check_emitted(partir_context *ctx, partir_partition *p, partir_stage stage, Reports *reports) {
    int errors = reports->errors;
    partir_text *text;
    partir_module *again = NULL;
    partir_status status = partir_partition_emit(p, stage, PARTIR_PRINT_PRETTY, &text);
    if (status != PARTIR_OK && reports->errors == errors) fail("nothing emitted and no error", reports, NULL);
    if (text && stage != PARTIR_STAGE_CORE &&
        partir_module_read_text(ctx, "emitted", partir_text_data(text), partir_text_size(text), &again) != PARTIR_OK)
        fail("what was emitted does not read", reports, text);
    partir_module_destroy(again);
    partir_text_destroy(text);
}

// Whether a value in JSON is none; a quote inside a name has a backslash before it.
static int has_no_number(const char *json) {
    for (const char *at = json; (at = strstr(at, "\": ")); at += 3) {
        const char *value = at[3] == '-' ? at + 4 : at + 3;
        if (at > json && at[-1] != '\\' && (strncmp(value, "nan", 3) == 0 || strncmp(value, "inf", 3) == 0)) return 1;
    }
    return 0;
}

static void check_simulated(partir_partition *p, const char *device, Reports *reports) {
    for (int format = PARTIR_SIMULATION_TABLE; format <= PARTIR_SIMULATION_TRACE; format++) {
        int errors = reports->errors;
        partir_text *text;
        partir_status status = partir_partition_simulate(p, device, (partir_simulation_format)format, &text);
        if (status != PARTIR_OK && reports->errors == errors) fail("no figures and no error", reports, NULL);
        if (text && format == PARTIR_SIMULATION_JSON && has_no_number(partir_text_data(text)))
            fail("a figure is no number", reports, text);
        partir_text_destroy(text);
    }
}

enum { MOST_TRIALS = 6 };

static void check_trials(partir_partition *p, const char *device, Reports *reports) {
    uint32_t evaluated = 0, n = 0, n_axes = partir_partition_axis_count(p);
    partir_trials *t;
    if (partir_trials_create(p, device, &t) != PARTIR_OK) return;
    partir_partition_value_count(p, 0, &n);
    for (uint32_t i = 0; i < 2 * n && evaluated < MOST_TRIALS; i++) {
        partir_value_info value = {.size = sizeof value};
        partir_cost found = {.size = sizeof found}, anew = {.size = sizeof anew};
        partir_legality legal;
        uint32_t mark = partir_trials_mark(t), axis = (i / n + i + n) % n_axes, dim;
        if (partir_partition_value(p, i % n, &value) != PARTIR_OK || !value.rank) continue;
        dim = i % value.rank;
        int errors = reports->errors;
        if (partir_partition_legality(p, i % n, dim, axis, &legal) != PARTIR_OK) fail("no legality", reports, NULL);
        bool tiled = partir_trials_tile(t, i % n, dim, axis) == PARTIR_OK;
        if (tiled != (legal == PARTIR_LEGAL || legal == PARTIR_TILED_ALREADY)) fail("wrong legality", reports, NULL);
        if (!tiled && reports->errors == errors) fail("no tile and no error", reports, NULL);
        if (!tiled) continue;
        errors = reports->errors;
        bool ok = partir_trials_evaluate(t, INFINITY, &found) == PARTIR_OK;
        if (!ok && reports->errors == errors) fail("no cost and no error", reports, NULL);
        if (ok && partir_partition_cost(p, device, &anew) == PARTIR_OK &&
            (found.seconds != anew.seconds || found.peak != anew.peak))
            fail("a cost from a base has other figures", reports, NULL);
        if (evaluated++ % 2) partir_trials_undo(t, mark);
    }
    partir_trials_destroy(t);
}

static void partition(partir_context *ctx, partir_module *m, const partir_schedule *s, Reports *reports) {
    static const char *const devices[] = {"host", "tpu_v5e", "h100"};
    static const partir_stage stages[] = {PARTIR_STAGE_CORE, PARTIR_STAGE_HLO, PARTIR_STAGE_STABLEHLO,
                                          PARTIR_STAGE_STABLEHLO_CPU, PARTIR_STAGE_STABLEHLO_TPU};
    int errors = reports->errors;
    partir_partition *p;
    partir_partition_create(m, s, NULL, &p);
    if (!p && reports->errors == errors) fail("no partition and no error", reports, NULL);
    if (!p) return;
    uint32_t n = partir_schedule_tactic_count(s);
    while (partir_partition_applied(p) < n) {
        check_trials(p, "tpu_v5e", reports);
        errors = reports->errors;
        if (partir_partition_apply_next(p) == PARTIR_OK) continue;
        if (reports->errors == errors) fail("a tactic failed without an error", reports, NULL);
        break;
    }
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) check_emitted(ctx, p, stages[i], reports);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        check_simulated(p, devices[i], reports);
        check_trials(p, devices[i], reports);
    }
    partir_partition_destroy(p);
}

// Where the schedule begins; the end if there is none.
static size_t find_schedule(const char *text, size_t size) {
    size_t n = sizeof between - 1;
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(text + i, between, n) == 0) return i;
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Reports reports = {0};
    partir_context *ctx = reporting_context(&reports);
    if (!ctx) return 0;
    const char *text = (const char *)data;
    size_t program = find_schedule(text, size), behind = program + sizeof between - 1;
    partir_module *m;
    partir_schedule *s;
    partir_module_read_text(ctx, "input", text, program, &m);
    if (program == size)
        partir_schedule_read_text(ctx, "schedule", tile_all, sizeof tile_all - 1, &s);
    else
        partir_schedule_read_text(ctx, "schedule", text + behind, size - behind, &s);
    if (!(m && s) && !reports.errors) fail("nothing read and no error", &reports, NULL);
    if (m && s) partition(ctx, m, s, &reports);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    partir_context_destroy(ctx);
    return 0;
}
