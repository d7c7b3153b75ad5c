// partir partition: applies a schedule tactic by tactic, reports after each, and writes the program.
#include "tool/program.h"
#include <string.h>

enum { MESH, EMIT, AFTER, OUT, JSON, DENY, EXPECT, VERIFY, QUIET, ANNOTATIONS };
static const Option options[] = {
    [MESH] = {"--mesh", "M", "use this mesh (batch=4,model=2) instead of the schedule's"},
    [EMIT] = {"--emit", "STAGE", "write the program: core, hlo, stablehlo, stablehlo-cpu or stablehlo-tpu"},
    [AFTER] = {"--after", "TACTIC", "stop after this tactic"},
    [OUT] = {"-o", "OUT", "where the program goes; `-` is standard output (stablehlo unless --emit says otherwise)"},
    [JSON] = {"--json", "OUT", "write the report as JSON to this file; `-` is standard output"},
    [DENY] = {"--deny", "WHAT", "fail if there is such: \"all_gather on model above 1MiB\", conflict, \"replicated above 1GFLOP\""},
    [EXPECT] = {"--expect", "WHAT", "fail unless there are so many: \"all_reduce 418 on batch\"; or the collectives of a report: FILE.json"},
    [VERIFY] = {"--verify", NULL,
                "run the program, its Core and HLO forms and the device-local one on random inputs, and compare"},
    [QUIET] = {"--quiet", NULL, "no table"},
    [ANNOTATIONS] = ANNOTATIONS_OPTION,
};

static bool find_stage(const char *name, partir_stage *stage) {
    static const char *const names[] = {"core", "hlo", "stablehlo", "stablehlo-cpu", "stablehlo-tpu"};
    for (int i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0) return *stage = (partir_stage)i, true;
    tell("partir partition: --emit takes core, hlo, stablehlo, stablehlo-cpu or stablehlo-tpu, not '%s'\n", name);
    return false;
}

static bool verify(partir_partition *p, Progress *progress, bool quiet) {
    partir_verification v = {.size = sizeof v};
    progress_begin(progress, false);
    partir_status status = partir_partition_verification(p, 1, &v);
    progress_end(progress);
    if (status != PARTIR_OK || !v.equal) return false;
    if (quiet) return true;
    if (v.compared == v.results)
        puts("verified: the partitioned program gives the same results\n");
    else if (v.compared)
        printf("verified: the partitioned program gives the same for %u of %u results; the others were not compared\n\n",
               v.compared, v.results);
    else
        puts("not verified: no result could be compared\n");
    return true;
}

static bool is_report(const char *name) {
    size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

// A demand of the command line, as a schedule would say it.
static bool demand(const Args *a, partir_partition *p, int option, const char *word) {
    if (!a->given[option]) return true;
    if (option == EXPECT && is_report(a->value[EXPECT])) return partir_partition_expect(p, a->value[EXPECT], NULL) == PARTIR_OK;
    char text[1000];
    int n = snprintf(text, sizeof text, "%s %s", word, a->value[option]);
    if (n > 0 && (size_t)n < sizeof text) return partir_partition_demand(p, text) == PARTIR_OK;
    tell("partir partition: the demand is too long\n");
    return false;
}

static bool write_report(partir_partition *p, partir_report_format format, const char *path) {
    partir_text *report;
    return partir_partition_report(p, format, &report) == PARTIR_OK && program_write(report, path);
}

static bool write_all(const Args *a, partir_partition *p, partir_stage stage) {
    bool to_stdout = (a->given[EMIT] && !a->given[OUT]) || (a->given[OUT] && strcmp(a->value[OUT], "-") == 0) ||
                     (a->given[JSON] && strcmp(a->value[JSON], "-") == 0);
    partir_text *program = NULL;
    if ((a->given[EMIT] || a->given[OUT]) &&
        partir_partition_emit(p, stage, PARTIR_PRINT_PRETTY, &program) != PARTIR_OK)
        return false;
    bool ok = demand(a, p, DENY, "deny") && demand(a, p, EXPECT, "expect") &&
              (!a->given[VERIFY] || verify(p, a->progress, to_stdout)) &&
              (to_stdout || a->given[QUIET] || write_report(p, PARTIR_REPORT_TABLE, NULL)) &&
              (!a->given[JSON] || write_report(p, PARTIR_REPORT_JSON, a->value[JSON]));
    if (ok && program) return program_write(program, a->value[OUT]);
    partir_text_destroy(program);
    return ok;
}

static int run(const Args *a) {
    partir_stage stage = PARTIR_STAGE_STABLEHLO;
    if (a->given[EMIT] && !find_stage(a->value[EMIT], &stage)) return EXIT_USAGE;
    partir_annotations annotations = PARTIR_ANNOTATIONS_AS_SCHEDULED;
    if (a->given[ANNOTATIONS] && !find_annotations(a->value[ANNOTATIONS], &annotations)) return EXIT_USAGE;
    partir_partition_options made_with = {
        .size = sizeof made_with, .mesh = a->value[MESH], .annotations = annotations};
    Program p;
    bool ok = program_open(&p, a, "partition", &made_with, a->value[AFTER]) && program_apply(&p, a->progress) &&
              write_all(a, p.partition, stage);
    program_close(&p);
    return ok ? EXIT_OK : EXIT_ERROR;
}

const Command command_partition = {
    "partition", "FILE SCHEDULE", "apply a schedule of tactics and write the device-local program", options, 10, 2, 2,
    run};
