// partir why: where a collective, a value or a line got its distribution.
#include "tool/program.h"
#include <stdlib.h>

enum { COLLECTIVE, VALUE, LINE, FULL, FIX, JSON, DEVICE, MESH, AFTER };
static const Option options[] = {
    [COLLECTIVE] = {"--collective", "N", "both sides of a collective, by its number"},
    [VALUE] = {"--value", "PATH", "an argument, result, tag or loc/… path after each tactic, and which step gave it"},
    [LINE] = {"--line", "FILE:LINE", "the ops and collectives of a line of the program"},
    [FULL] = {"--full", NULL, "every step of each chain"},
    [FIX] = {"--fix", NULL, "changes to the schedule that remove it, with what a step then sends and takes, as lines to paste"},
    [JSON] = {"--json", NULL, "with --fix: as JSON, with whole schedules"},
    [DEVICE] = {"--device", "D", "with --fix: compare time and memory on one of `partir devices`, or a file of that form"},
    [MESH] = {"--mesh", "M", "use this mesh (batch=4,model=2) instead of the schedule's"},
    [AFTER] = {"--after", "TACTIC", "stop after this tactic"},
};

static bool read_query(const Args *a, partir_why_query *q) {
    *q = (partir_why_query){.size = sizeof *q,
                            .collective = PARTIR_NONE,
                            .value = a->value[VALUE],
                            .line = a->value[LINE],
                            .full = a->given[FULL]};
    if (a->given[COLLECTIVE] + a->given[VALUE] + a->given[LINE] > 1) {
        fputs("partir why: --collective, --value and --line are one question each\n", stderr);
        return false;
    }
    if (!a->given[COLLECTIVE]) return true;
    char *end;
    unsigned long n = strtoul(a->value[COLLECTIVE], &end, 10);
    bool is_number = *a->value[COLLECTIVE] >= '0' && *a->value[COLLECTIVE] <= '9' && *end == 0 && n < UINT32_MAX;
    if (!is_number) tell("partir why: --collective takes a number, not '%s'\n", a->value[COLLECTIVE]);
    q->collective = (uint32_t)n;
    return is_number;
}

static partir_status ask(const Args *a, partir_partition *p, const partir_why_query *q, partir_text **out) {
    if (!a->given[FIX]) return partir_partition_why(p, q, out);
    partir_fix_query fix = {.size = sizeof fix,
                            .collective = q->collective,
                            .value = q->value,
                            .line = q->line,
                            .json = a->given[JSON]};
    return partir_partition_fixes(p, &fix, out);
}

static int run(const Args *a) {
    partir_why_query query;
    partir_text *text;
    Program p;
    if (!read_query(a, &query)) return EXIT_USAGE;
    partir_partition_options made_with = {
        .size = sizeof made_with, .mesh = a->value[MESH], .device = a->value[DEVICE], .ignore_demands = 1};
    bool ok = program_open(&p, a, "why", &made_with, a->value[AFTER]) && program_apply(&p, a->progress) &&
              ask(a, p.partition, &query, &text) == PARTIR_OK && program_write(text, NULL);
    program_close(&p);
    return ok ? EXIT_OK : EXIT_ERROR;
}

const Command command_why = {
    "why", "FILE SCHEDULE", "why a collective, a value or a line is distributed as it is", options, 9, 2, 2, run};
