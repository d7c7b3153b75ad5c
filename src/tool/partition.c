// partir partition: applies a schedule tactic by tactic, reports after each, and writes the program.
#include "tool/command.h"
#include <string.h>

enum { MESH, EMIT, AFTER, OUT, JSON, DENY, EXPECT, VERIFY, QUIET, ANNOTATIONS };
static const Option options[] = {
    [MESH] = {"--mesh", "M", "use this mesh (batch=4,model=2) instead of the schedule's"},
    [EMIT] = {"--emit", "STAGE", "write the program: core, hlo, stablehlo or stablehlo-cpu"},
    [AFTER] = {"--after", "TACTIC", "stop after this tactic"},
    [OUT] = {"-o", "OUT", "where the program goes; `-` is standard output (stablehlo unless --emit says otherwise)"},
    [JSON] = {"--json", "OUT", "write the report as JSON to this file; `-` is standard output"},
    [DENY] = {"--deny", "WHAT", "fail if there is such: \"all_gather on model above 1MiB\", conflict, \"replicated above 1GFLOP\""},
    [EXPECT] = {"--expect", "WHAT", "fail unless there are so many: \"all_reduce 418 on batch\""},
    [VERIFY] = {"--verify", NULL,
                "run the program, its Core and HLO forms and the device-local one on random inputs, and compare"},
    [QUIET] = {"--quiet", NULL, "no table"},
    [ANNOTATIONS] = ANNOTATIONS_OPTION,
};

static bool write_text(partir_text *text, const char *path) {
    bool ok = text != NULL;
    if (ok && (!path || strcmp(path, "-") == 0))
        ok = fwrite(partir_text_data(text), 1, partir_text_size(text), stdout) == partir_text_size(text);
    else if (ok)
        ok = partir_text_write(text, path);
    partir_text_destroy(text);
    return ok;
}

static bool find_stage(const char *name, partir_stage *stage) {
    static const char *const names[] = {"core", "hlo", "stablehlo", "stablehlo-cpu"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) return *stage = (partir_stage)i, true;
    fprintf(stderr, "partir partition: --emit takes core, hlo, stablehlo or stablehlo-cpu, not '%s'\n", name);
    return false;
}

// How many tactics to apply; -1 if there is none of that name.
static int64_t tactics_up_to(const partir_schedule *s, const char *name) {
    uint32_t n = partir_schedule_tactic_count(s);
    if (!name) return n;
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(partir_schedule_tactic_name(s, i), name) == 0) return i + 1;
    fprintf(stderr, "partir partition: the schedule has no tactic '%s'; it has", name);
    for (uint32_t i = 0; i < n; i++) fprintf(stderr, "%s %s", i ? "," : "", partir_schedule_tactic_name(s, i));
    fputc('\n', stderr);
    return -1;
}

// A demand of the command line, as a schedule would say it.
static bool demand(const Args *a, partir_partition *p, int option, const char *word) {
    if (!a->given[option]) return true;
    char text[1000];
    int n = snprintf(text, sizeof text, "%s %s", word, a->value[option]);
    if (n > 0 && (size_t)n < sizeof text) return partir_partition_demand(p, text);
    fprintf(stderr, "partir partition: the demand is too long\n");
    return false;
}

static bool apply_and_write(const Args *a, partir_partition *p, int64_t n, partir_stage stage) {
    for (int64_t i = 0; i < n; i++)
        if (!partir_partition_apply_next(p)) return false;
    bool to_stdout = (a->given[EMIT] && !a->given[OUT]) || (a->given[OUT] && strcmp(a->value[OUT], "-") == 0) ||
                     (a->given[JSON] && strcmp(a->value[JSON], "-") == 0);
    partir_text *program = NULL;
    if (a->given[EMIT] || a->given[OUT]) {
        program = partir_partition_emit(p, stage, PARTIR_PRINT_PRETTY);
        if (!program) return false;
    }
    bool ok = demand(a, p, DENY, "deny") && demand(a, p, EXPECT, "expect");
    if (ok && a->given[VERIFY]) {
        ok = partir_partition_verify(p, 1);
        if (ok && !to_stdout) puts("verified: the partitioned program gives the same results\n");
    }
    if (ok && !to_stdout && !a->given[QUIET]) ok = write_text(partir_partition_report(p, PARTIR_REPORT_TABLE), NULL);
    if (ok && a->given[JSON]) ok = write_text(partir_partition_report(p, PARTIR_REPORT_JSON), a->value[JSON]);
    if (ok && program) return write_text(program, a->value[OUT]);
    partir_text_destroy(program);
    return ok;
}

static int run(const Args *a) {
    partir_stage stage = PARTIR_STAGE_STABLEHLO;
    if (a->given[EMIT] && !find_stage(a->value[EMIT], &stage)) return EXIT_USAGE;
    partir_annotations annotations;
    if (a->given[ANNOTATIONS] && !find_annotations(a->value[ANNOTATIONS], &annotations)) return EXIT_USAGE;
    partir_module *m = partir_module_read_file(a->ctx, a->files[0]);
    partir_schedule *s = m ? partir_schedule_read_file(a->ctx, a->files[1]) : NULL;
    if (s && a->given[ANNOTATIONS]) partir_schedule_set_annotations(s, annotations);
    int64_t n = s ? tactics_up_to(s, a->value[AFTER]) : -1;
    partir_partition *p = n >= 0 ? partir_partition_create(m, s, a->value[MESH]) : NULL;
    int status = p && apply_and_write(a, p, n, stage) ? EXIT_OK : EXIT_ERROR;
    partir_partition_destroy(p);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    return status;
}

const Command command_partition = {
    "partition", "FILE SCHEDULE", "apply a schedule of tactics and write the device-local program", options, 10, 2, 2,
    run};
