// partir why: where a collective, a value or a line got its distribution.
#include "tool/command.h"
#include <stdlib.h>
#include <string.h>

enum { COLLECTIVE, VALUE, LINE, FULL, MESH, AFTER };
static const Option options[] = {
    [COLLECTIVE] = {"--collective", "N", "both sides of a collective, by its number"},
    [VALUE] = {"--value", "PATH", "an argument, result, tag or loc/… path after each tactic, and which step gave it"},
    [LINE] = {"--line", "FILE:LINE", "the ops and collectives of a line of the program"},
    [FULL] = {"--full", NULL, "every step of each chain"},
    [MESH] = {"--mesh", "M", "use this mesh (batch=4,model=2) instead of the schedule's"},
    [AFTER] = {"--after", "TACTIC", "stop after this tactic"},
};

static bool read_query(const Args *a, partir_why_query *q) {
    *q = (partir_why_query){.collective = PARTIR_NO_COLLECTIVE,
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
    if (!is_number) fprintf(stderr, "partir why: --collective takes a number, not '%s'\n", a->value[COLLECTIVE]);
    q->collective = (uint32_t)n;
    return is_number;
}

static bool apply_tactics(const Args *a, partir_partition *p, const partir_schedule *s) {
    for (uint32_t i = 0; i < partir_schedule_tactic_count(s); i++) {
        if (!partir_partition_apply_next(p)) return false;
        if (a->given[AFTER] && strcmp(partir_schedule_tactic_name(s, i), a->value[AFTER]) == 0) break;
    }
    return true;
}

static int run(const Args *a) {
    partir_why_query query;
    if (!read_query(a, &query)) return EXIT_USAGE;
    partir_module *m = partir_module_read_file(a->ctx, a->files[0]);
    partir_schedule *s = m ? partir_schedule_read_file(a->ctx, a->files[1]) : NULL;
    partir_partition *p = s ? partir_partition_create(m, s, a->value[MESH]) : NULL;
    partir_text *text = p && apply_tactics(a, p, s) ? partir_partition_why(p, &query) : NULL;
    bool ok = text && fwrite(partir_text_data(text), 1, partir_text_size(text), stdout) == partir_text_size(text);
    partir_text_destroy(text);
    partir_partition_destroy(p);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    return ok ? EXIT_OK : EXIT_ERROR;
}

const Command command_why = {
    "why", "FILE SCHEDULE", "why a collective, a value or a line is distributed as it is", options, 6, 2, 2, run};
