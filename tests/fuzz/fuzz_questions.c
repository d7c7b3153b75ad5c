// Questions about random programs under random schedules, through the public API: parts of axes, automatic tactics, gathers policies,
// demands; then reports, `why`, fixes and differences. The bytes of the input are the dice, as in fuzz_program.
//
// What is promised: a schedule that was printed gives the program again; a report expects itself and differs in nothing from itself;
// each collective has a cause; a fix is a schedule that applies; results are the same after each of them.
#include "../unit/random_program.h"
#include "reports.h"
#include <math.h>
#include <stdbool.h>

static uint64_t n_asked, n_lowered, n_collectives, n_fixes, n_searched, n_verified, n_parts;

static void say_what_was_asked(void) {
    fprintf(stderr,
            "fuzz_questions: %" PRIu64 " programs, %" PRIu64 " lowered, %" PRIu64 " tactics on parts of axes, %" PRIu64
            " searches; %" PRIu64 " collectives explained, %" PRIu64 " fixes applied; %" PRIu64 " programs verified\n",
            n_asked, n_lowered, n_parts, n_searched, n_collectives, n_fixes, n_verified);
}

typedef struct Question {
    partir_context *ctx;
    Gen g;
    int64_t sizes[3];
    int n_axes;
    uint32_t n_args;
    bool searches;
    char schedule[8192];
    Reports reports;
} Question;

static void broken(const Question *q, const char *what, const char *more) {
    fprintf(stderr, "%s\n%s\n%s\n%s----\n%s", what, q->reports.last, more ? more : "", q->g.text, q->schedule);
    abort();
}

// ---- Schedules -------------------------------------------------------------------------------------------------------

// An axis, or a part of one that can be cut.
static char *put_axis(Question *q, char *p) {
    uint32_t axis = gen_random(&q->g, (uint32_t)q->n_axes);
    int64_t size = q->sizes[axis];
    for (int64_t factor = 2; factor < size && gen_chance(&q->g, 2); factor++) {
        if (size % factor) continue;
        n_parts++;
        return p + (gen_chance(&q->g, 2) ? sprintf(p, "a%u:(1)%d", axis, (int)factor)
                                         : sprintf(p, "a%u:(%d)%d", axis, (int)factor, (int)(size / factor)));
    }
    return p + sprintf(p, "a%u", axis);
}

static char *put_line(Question *q, char *p) {
    if (gen_chance(&q->g, 6))
        p += sprintf(p, " **");
    else
        p += sprintf(p, gen_chance(&q->g, 4) ? " out/%u" : " arg%u", gen_random(&q->g, q->n_args ? q->n_args : 1));
    if (gen_chance(&q->g, 4)) p += sprintf(p, " if rank >= %u", gen_random(&q->g, 3));
    switch (gen_random(&q->g, 8)) {
    case 0: return p + sprintf(p, " : replicated\n");
    case 1:
    case 2:
    case 3: return p + sprintf(p, " : first_divisible\n");
    default: return p + sprintf(p, " : %u\n", gen_random(&q->g, 3));
    }
}

static void choose_schedule(Question *q) {
    static const char *const gathers[] = {"per_use", "shared", "weights_per_use", "whole_tables", "least"};
    char *p = q->schedule + strlen(q->schedule);
    p += sprintf(p, "device %s\n", gen_chance(&q->g, 2) ? "tpu_v5e" : "h100");
    if (gen_chance(&q->g, 2)) p += sprintf(p, "gathers %s\n", gathers[gen_random(&q->g, 5)]);
    for (uint32_t k = 1 + gen_random(&q->g, 4), i = 0; i < k; i++) {
        if (gen_chance(&q->g, 12)) {
            q->searches = true;
            p += sprintf(p, "auto T%u on a%u { budget %u }\n", i, gen_random(&q->g, (uint32_t)q->n_axes), 1 + gen_random(&q->g, 12));
            continue;
        }
        p += sprintf(p, "tactic T%u on ", i);
        p = put_axis(q, p);
        p += sprintf(p, " {");
        for (uint32_t lines = 1 + gen_random(&q->g, 3); lines-- > 0;) p = put_line(q, p);
        p += sprintf(p, "}\n");
    }
}

// ---- A partition -----------------------------------------------------------------------------------------------------

typedef struct Applied {
    partir_schedule *s; // which must outlive the partition
    partir_partition *p;
} Applied;

static void forget(Applied *a) {
    partir_partition_destroy(a->p);
    partir_schedule_destroy(a->s);
}

// No partition after an error.
static Applied apply(Question *q, partir_module *m, const char *text) {
    partir_schedule *s;
    partir_partition *p = NULL;
    if (partir_schedule_read_text(q->ctx, "random.schedule", text, strlen(text), &s) != PARTIR_OK)
        broken(q, "the schedule does not read", text);
    int errors = q->reports.errors;
    if (partir_partition_create(m, s, NULL, &p) != PARTIR_OK && q->reports.errors == errors)
        broken(q, "no partition and no error", text);
    for (uint32_t i = 0; p && i < partir_schedule_tactic_count(s); i++) {
        errors = q->reports.errors;
        if (partir_partition_apply_next(p) == PARTIR_OK) continue;
        if (q->reports.errors == errors) broken(q, "no tactic and no error", text);
        partir_partition_destroy(p);
        p = NULL;
    }
    return (Applied){s, p};
}

static void check_results(Question *q, partir_partition *p, const char *of) {
    partir_verification v = {.size = sizeof v};
    if (partir_partition_verification(p, q->g.state, &v) != PARTIR_OK) return; // too large to run
    if (!v.equal) broken(q, "a level gives another result", of);
    n_verified++;
}

static partir_text *report_of(Question *q, partir_partition *p) {
    partir_text *text;
    if (partir_partition_report(p, PARTIR_REPORT_JSON, &text) != PARTIR_OK) broken(q, "no report", NULL);
    return text;
}

// ---- Questions -------------------------------------------------------------------------------------------------------

static void check_report(Question *q, partir_partition *p) {
    partir_text *report = report_of(q, p), *text;
    int differs = 0;
    if (partir_partition_expect(p, "itself", partir_text_data(report)) != PARTIR_OK)
        broken(q, "a report does not expect itself", partir_text_data(report));
    if (partir_report_diff(q->ctx, "a", partir_text_data(report), "b", partir_text_data(report), &differs, &text) != PARTIR_OK || differs)
        broken(q, "a report differs from itself", partir_text_data(report));
    partir_text_destroy(text);
    partir_text_destroy(report);
}

// What was applied, automatic tactics as what they found, gives the same program.
static void check_printed(Question *q, partir_module *m, partir_partition *p) {
    partir_text *printed, *first = NULL, *second = NULL;
    if (partir_partition_schedule(p, &printed) != PARTIR_OK) broken(q, "the schedule is not printed", NULL);
    Applied again = apply(q, m, partir_text_data(printed));
    if (!again.p) broken(q, "the printed schedule does not apply", partir_text_data(printed));
    if (partir_partition_emit(p, PARTIR_STAGE_STABLEHLO, 0, &first) != PARTIR_OK ||
        partir_partition_emit(again.p, PARTIR_STAGE_STABLEHLO, 0, &second) != PARTIR_OK)
        broken(q, "nothing is emitted", partir_text_data(printed));
    if (strcmp(partir_text_data(first), partir_text_data(second)) != 0)
        broken(q, "the printed schedule gives another program", partir_text_data(printed));
    partir_text_destroy(first);
    partir_text_destroy(second);
    partir_text_destroy(printed);
    forget(&again);
}

static void check_causes(Question *q, partir_partition *p, uint32_t n) {
    for (uint32_t i = 0; i < n && i < 6; i++) {
        partir_why_query query = {.size = sizeof query, .collective = i, .full = (int)(i & 1)};
        partir_text *text;
        if (partir_partition_why(p, &query, &text) != PARTIR_OK || !partir_text_size(text)) broken(q, "a collective has no cause", NULL);
        partir_text_destroy(text);
        n_collectives++;
    }
    partir_why_query value = {.size = sizeof value, .collective = PARTIR_NONE, .value = "**"};
    partir_text *text;
    partir_partition_why(p, &value, &text);
    partir_text_destroy(text);
}

// Each proposal is a whole schedule.
static void check_fixes(Question *q, partir_module *m, partir_partition *p, uint32_t n) {
    partir_fix_query query = {.size = sizeof query, .collective = n ? gen_random(&q->g, n) : PARTIR_NONE, .tries = 12, .json = 1};
    partir_text *text;
    if (partir_partition_fixes(p, &query, &text) != PARTIR_OK) broken(q, "no fixes", NULL);
    for (const char *at = partir_text_data(text); (at = strstr(at, "\"schedule\": \""));) {
        static char schedule[16384];
        size_t k = 0;
        for (at += strlen("\"schedule\": \""); *at && *at != '"' && k + 1 < sizeof schedule; at++) {
            unsigned code;
            if (*at == '\\' && sscanf(at, "\\u%4x", &code) == 1)
                schedule[k++] = (char)code, at += strlen("u000a"); // what a schedule has is below U+0080
            else
                schedule[k++] = *at == '\\' ? *++at : *at;
        }
        schedule[k] = 0;
        if (k + 1 == sizeof schedule) break;
        Applied fixed = apply(q, m, schedule);
        if (!fixed.p) broken(q, "a fix does not apply", schedule);
        check_results(q, fixed.p, schedule);
        forget(&fixed);
        n_fixes++;
    }
    partir_text_destroy(text);
}

static void ask(Question *q, partir_module *m) {
    Applied first = apply(q, m, q->schedule);
    partir_partition *p = first.p;
    if (!p) {
        forget(&first);
        return;
    }
    n_lowered++;
    n_searched += q->searches;
    uint32_t n;
    partir_cost cost = {.size = sizeof cost};
    if (partir_partition_collective_count(p, &n) != PARTIR_OK) broken(q, "the program cannot be lowered", NULL);
    if (partir_partition_cost(p, NULL, &cost) != PARTIR_OK || !(cost.seconds >= 0 && cost.seconds < INFINITY))
        broken(q, "the program has no cost", NULL);
    check_results(q, p, NULL);
    check_report(q, p);
    check_printed(q, m, p);
    check_causes(q, p, n);
    check_fixes(q, m, p, n);
    if (partir_partition_demand(p, "deny all_gather above 1KiB\nexpect all_reduce 1") == PARTIR_OK && n == 0)
        broken(q, "an all_reduce is found that is not there", NULL);
    check_results(q, p, NULL); // no question changed anything
    forget(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Question q;
    static const int64_t choices[] = {2, 3, 4, 4, 8, 6, 2, 8, 1};
    memset(&q, 0, sizeof q);
    q.ctx = reporting_context(&q.reports);
    if (!q.ctx) return 0;
    q.g.state = 1469598103934665603u;
    for (size_t i = 0; i < size; i++) q.g.state = (q.g.state ^ data[i]) * 1099511628211u;
    if (n_asked++ == 0) atexit(say_what_was_asked);
    q.n_axes = gen_mesh(&q.g, choices, q.sizes, q.schedule);
    strcat(q.schedule, "\n");
    uint64_t dice = q.g.state;
    gen_init(&q.g, dice, q.sizes, q.n_axes);
    gen_long_program(&q.g);
    partir_module *m;
    if (partir_module_read_text(q.ctx, "random.mlir", q.g.text, strlen(q.g.text), &m) != PARTIR_OK)
        broken(&q, "a random program does not read", NULL);
    q.n_args = partir_module_argument_count(m);
    choose_schedule(&q);
    ask(&q, m);
    partir_module_destroy(m);
    partir_context_destroy(q.ctx);
    return 0;
}
