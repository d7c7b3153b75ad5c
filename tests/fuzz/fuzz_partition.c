// Fuzzing schedules, partitioning and simulation through the public API: any bytes give a clear error or a result.
//
// The input is a program, and behind a line "----" a schedule; without one, each argument is tiled along two axes. What comes out
// must read back, and all devices must have figures for it; what trials find from a base is what they find from a base of its own.
#include "reports.h"
#include <math.h>

static const char between[] = "\n----\n";
static const char tile_all[] = "mesh a=2, b=3\n"
                               "tactic one on a { ** : first_divisible }\n"
                               "tactic two on b { ** : first_divisible }\n";

static void check_emitted(partir_context *ctx, partir_partition *p, partir_stage stage, Reports *reports) {
    int errors = reports->errors;
    partir_text *text = partir_partition_emit(p, stage, PARTIR_PRINT_PRETTY);
    if (!text && reports->errors == errors) fail("nothing emitted and no error", reports, NULL);
    partir_module *again = text && stage != PARTIR_STAGE_CORE
                               ? partir_module_read_text(ctx, "emitted", partir_text_data(text), partir_text_size(text))
                               : NULL;
    if (text && stage != PARTIR_STAGE_CORE && !again) fail("what was emitted does not read", reports, text);
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
        partir_text *text = partir_partition_simulate(p, device, (partir_simulation_format)format);
        if (!text && reports->errors == errors) fail("no figures and no error", reports, NULL);
        if (text && format == PARTIR_SIMULATION_JSON && has_no_number(partir_text_data(text)))
            fail("a figure is no number", reports, text);
        partir_text_destroy(text);
    }
}

// Figures of the program as it is, by trials that begin here.
static int look_anew(partir_partition *p, const char *device, partir_outcome *out) {
    partir_trials *t = partir_trials_create(p, device);
    int ok = t && partir_trials_look(t, INFINITY, out);
    partir_trials_destroy(t);
    return ok;
}

enum { MOST_TRIALS = 6 };

static void check_trials(const partir_module *m, partir_partition *p, const char *device, Reports *reports) {
    static const char *const axes[] = {"a", "b", "batch", "model"};
    uint32_t looks = 0, n = partir_module_argument_count(m);
    partir_trials *t = partir_trials_create(p, device);
    for (uint32_t i = 0; t && i < 2 * n && looks < MOST_TRIALS; i++) {
        partir_value_info argument = partir_module_argument(m, i % n);
        uint32_t mark = partir_trials_mark(t);
        const char *axis = axes[(i / n + i + n) % (sizeof axes / sizeof *axes)];
        partir_outcome found, anew;
        if (!argument.rank || !partir_trials_tile(t, argument.name, i % argument.rank, axis)) continue;
        int errors = reports->errors, ok = partir_trials_look(t, INFINITY, &found);
        if (!ok && reports->errors == errors) fail("no look and no error", reports, NULL);
        if (ok && look_anew(p, device, &anew) && (found.seconds != anew.seconds || found.peak != anew.peak))
            fail("a look from a base has other figures", reports, NULL);
        if (looks++ % 2) partir_trials_undo(t, mark);
    }
    partir_trials_destroy(t);
}

static void partition(partir_context *ctx, partir_module *m, const partir_schedule *s, Reports *reports) {
    static const char *const devices[] = {"host", "tpu_v5e", "h100"};
    static const partir_stage stages[] = {PARTIR_STAGE_CORE, PARTIR_STAGE_HLO, PARTIR_STAGE_STABLEHLO,
                                          PARTIR_STAGE_STABLEHLO_CPU};
    int errors = reports->errors;
    partir_partition *p = partir_partition_create(m, s, NULL);
    if (!p && reports->errors == errors) fail("no partition and no error", reports, NULL);
    if (!p) return;
    uint32_t n = partir_schedule_tactic_count(s);
    while (partir_partition_applied(p) < n) {
        check_trials(m, p, "tpu_v5e", reports);
        errors = reports->errors;
        if (partir_partition_apply_next(p)) continue;
        if (reports->errors == errors) fail("a tactic failed without an error", reports, NULL);
        break;
    }
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) check_emitted(ctx, p, stages[i], reports);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        check_simulated(p, devices[i], reports);
        check_trials(m, p, devices[i], reports);
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
    partir_options options = {.user = &reports, .diagnostic = count_report};
    partir_context *ctx = partir_context_create(&options);
    if (!ctx) return 0;
    const char *text = (const char *)data;
    size_t program = find_schedule(text, size), behind = program + sizeof between - 1;
    partir_module *m = partir_module_read_text(ctx, "input", text, program);
    partir_schedule *s = program == size ? partir_schedule_read_text(ctx, "schedule", tile_all, sizeof tile_all - 1)
                                         : partir_schedule_read_text(ctx, "schedule", text + behind, size - behind);
    if (!(m && s) && !reports.errors) fail("nothing read and no error", &reports, NULL);
    if (m && s) partition(ctx, m, s, &reports);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    partir_context_destroy(ctx);
    return 0;
}
