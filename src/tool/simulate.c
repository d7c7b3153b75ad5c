// partir simulate: time and memory of a step after each tactic, before anything runs.
#include "tool/command.h"
#include <string.h>

enum { DEVICE, MESH, AFTER, JSON, TRACE, QUIET, ANNOTATIONS };
static const Option options[] = {
    [DEVICE] = {"--device", "D", "one of `partir devices`, or a file of that form, instead of the schedule's"},
    [MESH] = {"--mesh", "M", "use this mesh (batch=4,model=2) instead of the schedule's"},
    [AFTER] = {"--after", "TACTIC", "stop after this tactic"},
    [JSON] = {"--json", "OUT", "write the figures as JSON to this file; `-` is standard output"},
    [TRACE] = {"--trace", "OUT", "write a trace of the last program for Perfetto or chrome://tracing"},
    [QUIET] = {"--quiet", NULL, "no table"},
    [ANNOTATIONS] = ANNOTATIONS_OPTION,
};

static bool write_text(partir_text *text, const char *path) {
    bool ok = text != NULL;
    if (ok && strcmp(path, "-") == 0)
        ok = fwrite(partir_text_data(text), 1, partir_text_size(text), stdout) == partir_text_size(text);
    else if (ok)
        ok = partir_text_write(text, path);
    partir_text_destroy(text);
    return ok;
}

static bool simulate(const Args *a, partir_partition *p, const partir_schedule *s) {
    const char *device = a->value[DEVICE];
    partir_text *start = partir_partition_simulate(p, device, PARTIR_SIMULATION_TABLE); // the row before any tactic
    if (!start) return false;
    partir_text_destroy(start);
    uint32_t n = partir_schedule_tactic_count(s);
    for (uint32_t i = 0; i < n; i++) {
        if (!partir_partition_apply_next(p)) return false;
        if (a->given[AFTER] && strcmp(partir_schedule_tactic_name(s, i), a->value[AFTER]) == 0) n = i + 1;
    }
    bool to_stdout =
        (a->given[JSON] && strcmp(a->value[JSON], "-") == 0) || (a->given[TRACE] && strcmp(a->value[TRACE], "-") == 0);
    bool ok =
        to_stdout || a->given[QUIET] || write_text(partir_partition_simulate(p, device, PARTIR_SIMULATION_TABLE), "-");
    if (ok && a->given[JSON])
        ok = write_text(partir_partition_simulate(p, device, PARTIR_SIMULATION_JSON), a->value[JSON]);
    if (ok && a->given[TRACE])
        ok = write_text(partir_partition_simulate(p, device, PARTIR_SIMULATION_TRACE), a->value[TRACE]);
    return ok;
}

static bool has_tactic(const partir_schedule *s, const char *name) {
    for (uint32_t i = 0; i < partir_schedule_tactic_count(s); i++)
        if (strcmp(partir_schedule_tactic_name(s, i), name) == 0) return true;
    fprintf(stderr, "partir simulate: the schedule has no tactic '%s'\n", name);
    return false;
}

static int run(const Args *a) {
    partir_annotations annotations;
    if (a->given[ANNOTATIONS] && !find_annotations(a->value[ANNOTATIONS], &annotations)) return EXIT_USAGE;
    partir_module *m = partir_module_read_file(a->ctx, a->files[0]);
    partir_schedule *s = m ? partir_schedule_read_file(a->ctx, a->files[1]) : NULL;
    if (s && a->given[ANNOTATIONS]) partir_schedule_set_annotations(s, annotations);
    bool known = s && (!a->given[AFTER] || has_tactic(s, a->value[AFTER]));
    partir_partition *p = known ? partir_partition_create(m, s, a->value[MESH]) : NULL;
    int status = p && simulate(a, p, s) ? EXIT_OK : EXIT_ERROR;
    partir_partition_destroy(p);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    return status;
}

const Command command_simulate = {
    "simulate", "FILE SCHEDULE", "time and memory of a step on a device, after each tactic", options, 7, 2, 2, run};
