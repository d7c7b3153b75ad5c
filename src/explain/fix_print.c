// Prints fixes as text with lines to paste, and as JSON with whole schedules.
#include "explain/fix.h"
#include "core/schedule/pattern.h"
#include "support/bytes.h"
#include "support/json.h"
#include <math.h>

// ---- Text -----------------------------------------------------------------------------------------------------------

static void print_amount(double b, Buffer *out) { buf_bytes(out, b, 1); }

static void print_change(const char *what, double now, double before, void (*print)(double, Buffer *), Buffer *out) {
    buf_format(out, "%s ", what);
    print(now, out);
    if (now == before) {
        buf_str(out, " as before");
        return;
    }
    buf_str(out, " instead of ");
    print(before, out);
    if (before > 0) buf_format(out, " (%+.1f %%)", 100 * (now / before - 1));
}

static void print_step_time(double s, Buffer *out) { buf_format(out, "%.3f ms", s * 1e3); }
static void print_flops(double f, Buffer *out) { buf_format(out, "%.3g FLOP", f); }

static void print_figures(const Fix *f, const Figures *before, const Device *d, int indent, Buffer *out) {
    buf_format(out, "%*s", indent, "");
    if (d) {
        print_change("takes", f->now.seconds, before->seconds, print_step_time, out);
        print_change(", peak", f->now.peak, before->peak, print_amount, out);
        buf_str(out, ", ");
    }
    print_change("sends", f->now.bytes, before->bytes, print_amount, out);
    if (!d && fabs(f->now.flops - before->flops) > 1e-3 * before->flops)
        print_change(", computes", f->now.flops, before->flops, print_flops, out);
    if (!d && f->now.arguments != before->arguments)
        print_change(", arguments take", f->now.arguments, before->arguments, print_amount, out);
    buf_char(out, '\n');
}

static void print_fix(const Fixes *x, const Fix *f, const Device *d, Buffer *out) {
    buf_format(out, "   %s", f->proposal.says);
    if (f->left) buf_format(out, ", which leaves %u of %u", f->left, x->problem.n);
    buf_char(out, '\n');
    print_figures(f, &x->before, d, 6, out);
    proposal_print(&f->proposal, &x->schedule, 6, out);
}

static void fix_text(const Fixes *x, const Partition *p, const Device *d, uint32_t most, Buffer *out) {
    (void)p;
    const char *it = x->problem.kind == PROBLEM_REPLICATED ? "tiles it" : "removes it";
    const char *them = x->problem.kind == PROBLEM_REPLICATED ? "tile it" : "remove it";
    buf_format(out, "%s\n", x->problem.says);
    if (x->problem.kind == PROBLEM_COLLECTIVE && x->problem.n > 1) buf_format(out, "   one of %u of its kind\n", x->problem.n);
    if (x->removing == 0) {
        buf_format(out, "   none of the %u changes that were tried %s\n", x->tried, it);
        return;
    }
    uint32_t shown = 0;
    if (x->at[0].better)
        buf_format(out, "   %u of %u changes %s; the best:\n", x->removing, x->tried, x->removing == 1 ? it : them);
    else if (x->at[0].trade)
        buf_format(out, "   this one pays for memory: of %u changes, all %u that %s keep more; the best:\n", x->tried,
                   x->removing, them);
    else
        buf_format(out, "   this one pays: of %u changes, all %u that %s make the step worse; the best:\n", x->tried,
                   x->removing, them);
    bool pays = !x->at[0].better;
    for (; shown < x->n && shown < (pays ? 1 : most) && (pays || x->at[shown].better); shown++)
        print_fix(x, &x->at[shown], d, out);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void json_figures(const Figures *f, const Device *d, Buffer *out) {
    buf_format(out, "{\"bytes\": %.0f, \"flops\": %.0f, \"arguments\": %.0f", f->bytes, f->flops, f->arguments);
    if (d) buf_format(out, ", \"seconds\": %.9g, \"peak\": %.0f", f->seconds, f->peak);
    buf_char(out, '}');
}

static void json_fix(const Fixes *x, const Partition *p, const Fix *f, const Device *d, Buffer *out) {
    Buffer lines, whole;
    buf_init(&lines, out->arena);
    buf_init(&whole, out->arena);
    proposal_print(&f->proposal, &x->schedule, 0, &lines);
    Schedule s = *p->schedule;
    s.tactics = f->proposal.tactics;
    s.n_tactics = f->proposal.n;
    s.gathers = f->proposal.gathers;
    schedule_print(&s, &whole);
    buf_str(out, "\n    {\"change\": ");
    buf_json_string(out, span_of(f->proposal.says));
    buf_format(out, ", \"better\": %s, \"left\": %u, \"step\": ", f->better ? "true" : "false", f->left);
    json_figures(&f->now, d, out);
    buf_str(out, ",\n     \"lines\": ");
    buf_json_string(out, (Span){lines.at, lines.n});
    buf_str(out, ",\n     \"schedule\": ");
    buf_json_string(out, (Span){whole.at, whole.n});
    buf_char(out, '}');
}

static void fix_json(const Fixes *x, const Partition *p, const Device *d, Buffer *out) {
    static const char *const kinds[] = {"collective", "conflict", "replicated"}; // ORDER ProblemKind
    buf_format(out, "\n  {\"problem\": \"%s\", \"says\": ", x->problem.race ? "race" : kinds[x->problem.kind]);
    buf_json_string(out, span_of(x->problem.says));
    buf_format(out, ", \"count\": %u, \"tried\": %u, \"removing\": %u, \"pays\": %s,\n   \"before\": ", x->problem.n, x->tried,
               x->removing, x->n && !x->at[0].better ? "true" : "false");
    json_figures(&x->before, d, out);
    buf_str(out, ",\n   \"changes\": [");
    for (uint32_t i = 0; i < x->n && i < 10; i++) {
        if (i) buf_char(out, ',');
        json_fix(x, p, &x->at[i], d, out);
    }
    buf_str(out, "]}");
}

// ---- Questions ------------------------------------------------------------------------------------------------------

typedef struct Asking {
    Partition *p;
    const FixOptions *options;
    bool json;
    uint32_t shown;
    Buffer *out;
} Asking;

static bool answer_problem(Asking *x, const Problem *problem) {
    Fixes fixes;
    Partition *p = x->p;
    if (!fixes_find(p, problem, x->options, &p->scratch, &fixes)) return false;
    if (x->json) {
        if (x->shown) buf_char(x->out, ',');
        fix_json(&fixes, p, x->options->device, x->out);
    } else {
        if (x->shown) buf_char(x->out, '\n');
        fix_text(&fixes, p, x->options->device, 3, x->out);
    }
    x->shown++;
    return true;
}

enum { MOST_CONFLICTS = 3, MOST_COLLECTIVES = 3 };

static bool asks_about(Partition *p, const WhyQuery *q, NodeId n) {
    const Node *node = &p->graph.nodes[n];
    if (q->line) return node->op != NO_ID && why_is_at(p, node->op, q->line);
    if (!q->value) return true;
    for (uint32_t i = 0; i < p->targets.n; i++)
        if (p->targets.at[i].node == n && pattern_match(span_of(q->value), p->targets.at[i].name)) return true;
    const char *path = node->op == NO_ID ? NULL : location_path(p->m, node->op, &p->scratch);
    return path && pattern_match(span_of(q->value), path);
}

static bool answer_conflicts(Asking *x, const WhyQuery *q) {
    Partition *p = x->p;
    const char *said[MOST_CONFLICTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->state.conflicts.n && n < MOST_CONFLICTS; i++) {
        if (!asks_about(p, q, p->state.conflicts.at[i].node)) continue;
        Problem problem = problem_of_conflict(p, &p->state.conflicts.at[i], &p->scratch);
        said[n] = without_numbers(problem.says, NULL, &p->scratch);
        bool again = false; // in another layer
        for (uint32_t k = 0; k < n; k++) again |= strcmp(said[k], said[n]) == 0;
        if (again) continue;
        if (!answer_problem(x, &problem)) return false;
        n++;
    }
    return true;
}

static bool answer_collectives(Asking *x, const WhyQuery *q, const Attribution *all) {
    Partition *p = x->p;
    AttributedGroups groups = attribution_groups(all, &p->scratch);
    uint32_t n = 0;
    for (uint32_t i = 0; i < groups.n && n < MOST_COLLECTIVES; i++) {
        const Attributed *c = groups.at[i].first;
        bool meant = q->line    ? c->user != NO_ID && why_is_at(p, c->user, q->line)
                     : q->value ? pattern_match(span_of(q->value), c->serves) || pattern_match(span_of(q->value), c->path)
                                : true;
        if (!meant) continue;
        Problem problem = problem_of_collective(p, all, (uint32_t)(c - all->at), &p->scratch);
        if (!answer_problem(x, &problem)) return false;
        n++;
    }
    return true;
}

// The largest op that is meant and has no loop.
static bool answer_replicated(Asking *x, const WhyQuery *q) {
    Partition *p = x->p;
    OpId worst = NO_ID;
    double most = 0;
    for (OpId op = 0; op < p->m->ops.n; op++) {
        NodeId n = p->graph.op_node[op];
        if (n == NO_ID || p->graph.nodes[n].kind != NODE_OP || p->state.nest_n[n] || !asks_about(p, q, n)) continue;
        double flops = problem_flops(p->m, op);
        if (flops > most) most = flops, worst = op;
    }
    if (worst == NO_ID) return true;
    Problem problem = problem_of_replicated(p, worst, &p->scratch);
    return answer_problem(x, &problem);
}

bool fixes_print(Partition *p, const WhyQuery *q, const FixOptions *options, bool json, Buffer *out) {
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    Attribution all = attribute(l, &p->state, &p->scratch);
    Asking x = {.p = p, .options = options, .json = json, .out = out};
    if (json) buf_char(out, '[');
    if (q->collective != NO_ID) {
        if (q->collective >= all.n)
            return diag_error(p->ctx, NULL, NO_OFFSET, "they count from 0, in the order of the report",
                              "there is no collective %u; the program has %u", q->collective, all.n);
        Problem problem = problem_of_collective(p, &all, q->collective, &p->scratch);
        if (!answer_problem(&x, &problem)) return false;
    } else if (!answer_conflicts(&x, q) || !answer_collectives(&x, q, &all) || !answer_replicated(&x, q)) {
        return false;
    }
    if (json) buf_str(out, "]\n");
    if (!json && !x.shown) buf_str(out, "there is no collective, conflict or whole op to remove\n");
    return true;
}
