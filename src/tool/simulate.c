// partir simulate: time and memory of a step after each tactic, before anything runs.
#include "tool/program.h"
#include <string.h>

enum { DEVICE, MESH, AFTER, JSON, TRACE, DUMP, QUIET, ANNOTATIONS };
static const Option options[] = {
    [DEVICE] = {"--device", "D", "one of `partir devices`, or a file of that form, instead of the schedule's"},
    [MESH] = {"--mesh", "M", "use this mesh (batch=4,model=2) instead of the schedule's"},
    [AFTER] = {"--after", "TACTIC", "stop after this tactic"},
    [JSON] = {"--json", "OUT", "write the figures as JSON to this file; `-` is standard output"},
    [TRACE] = {"--trace", "OUT", "write a trace of the last program for Perfetto or chrome://tracing"},
    [DUMP] = {"--dump", "PASSES", "print the last program as the simulator has it after these passes (fusion,schedule,buffers), and no table"},
    [QUIET] = {"--quiet", NULL, "no table"},
    [ANNOTATIONS] = ANNOTATIONS_OPTION,
};

static bool write_simulation(partir_partition *p, partir_simulation_format format, const char *path) {
    partir_text *text;
    return partir_partition_simulate(p, NULL, format, &text) == PARTIR_OK && program_write(text, path);
}

static bool write_dump(partir_partition *p, const char *passes) {
    partir_text *text;
    return partir_partition_dump(p, NULL, passes, &text) == PARTIR_OK && program_write(text, NULL);
}

static bool simulate(const Args *a, Program *p) {
    partir_text *start; // a wrong device shows before any tactic, and rows are found as tactics are applied
    if (partir_partition_simulate(p->partition, NULL, PARTIR_SIMULATION_TABLE, &start) != PARTIR_OK)
        return false;
    partir_text_destroy(start);
    if (!program_apply(p, a->progress)) return false;
    bool to_stdout =
        (a->given[JSON] && strcmp(a->value[JSON], "-") == 0) || (a->given[TRACE] && strcmp(a->value[TRACE], "-") == 0);
    return (to_stdout || a->given[QUIET] || a->given[DUMP] || write_simulation(p->partition, PARTIR_SIMULATION_TABLE, NULL)) &&
           (!a->given[DUMP] || write_dump(p->partition, a->value[DUMP])) &&
           (!a->given[JSON] || write_simulation(p->partition, PARTIR_SIMULATION_JSON, a->value[JSON])) &&
           (!a->given[TRACE] || write_simulation(p->partition, PARTIR_SIMULATION_TRACE, a->value[TRACE]));
}

static int run(const Args *a) {
    partir_annotations annotations = PARTIR_ANNOTATIONS_AS_SCHEDULED;
    if (a->given[ANNOTATIONS] && !find_annotations(a->value[ANNOTATIONS], &annotations)) return EXIT_USAGE;
    partir_partition_options made_with = {.size = sizeof made_with,
                                          .mesh = a->value[MESH],
                                          .device = a->value[DEVICE],
                                          .annotations = annotations};
    Program p;
    bool ok = program_open(&p, a, "simulate", &made_with, a->value[AFTER]) && simulate(a, &p);
    program_close(&p);
    return ok ? EXIT_OK : EXIT_ERROR;
}

const Command command_simulate = {
    "simulate", "FILE SCHEDULE", "time and memory of a step on a device, after each tactic", options, 8, 2, 2, run};
