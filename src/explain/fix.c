// Fixes: tries changes of the schedule, the likely ones first.
#include "explain/fix.h"
#include "explain/nearby.h"

enum { TRIES = 200, MOST_NEARBY = 16, MOST_DIMS = 6 };

typedef struct Fixing {
    const Problem *problem;
    Trial t;
    uint32_t tries;
    Arena *a; // of the answer
    VEC(Fix) found;
} Fixing;

static TrialStatus try_proposal(Fixing *x, Proposal proposal) {
    if (x->t.tried >= x->tries) return TRIAL_KNOWN;
    TrialStatus status = trial_run(&x->t, &proposal);
    if (status != TRIAL_NEW) return status;
    uint32_t left = problem_remains(x->problem, &x->t.state, x->t.lowered, &x->t.work);
    if (left < x->problem->n) vec_push(x->a, &x->found, ((Fix){.proposal = proposal, .now = x->t.now, .left = left}));
    return status;
}

static bool is_on(const Fixing *x, const Tactic *t) {
    for (uint32_t i = 0; i < t->n_axes; i++) {
        AxisId axis;
        int64_t before, size;
        if (mesh_read_part(&x->t.p->mesh, t->axes[i].text, &axis, &before, &size) && (x->problem->axes >> axis & 1)) return true;
    }
    return false;
}

// ---- What is written: another value, another order, a tactic in two -------------------------------------------------

// The highest rank of what a line is about.
static uint32_t line_rank(const Fixing *x, const TacticLine *line) {
    uint32_t rank = 0;
    const Targets *t = x->t.targets;
    bool location = line->pattern.text.n > 4 && memcmp(line->pattern.text.at, "loc/", 4) == 0;
    for (uint32_t i = 0; i < (location ? t->n : t->n_without_locations); i++) {
        const Type *type = type_get(x->t.p->m, t->at[i].type);
        if (line_accepts(line, t->at[i].name, type) && type->rank > rank) rank = type->rank;
    }
    return rank;
}

static void try_values(Fixing *x, bool on_axes) {
    const Edited *e = &x->t.schedule;
    for (uint32_t k = 0; k < e->n; k++) {
        const Tactic *t = &e->tactics[k];
        if (is_on(x, t) != on_axes) continue;
        for (uint32_t i = 0; i < t->n_lines; i++) {
            uint32_t rank = line_rank(x, &t->lines[i]);
            for (uint32_t d = 0; d < rank && d < MOST_DIMS; d++) try_proposal(x, propose_value(e, k, i, LINE_DIM, d));
            try_proposal(x, propose_value(e, k, i, LINE_FIRST_DIVISIBLE, 0));
            try_proposal(x, propose_value(e, k, i, LINE_REPLICATED, 0));
            try_proposal(x, propose_without_line(e, k, i));
        }
    }
}

static void try_gathers(Fixing *x) {
    for (int g = 0; g < 3; g++)
        if ((GatherPolicy)g != x->t.schedule.gathers) try_proposal(x, propose_gathers(&x->t.schedule, (GatherPolicy)g));
}

static void try_other_orders(Fixing *x) {
    const Edited *e = &x->t.schedule;
    for (uint32_t from = 0; from < e->n; from++)
        for (uint32_t to = 0; to < e->n; to++)
            if (to != from && to + 1 != from) try_proposal(x, propose_move(e, from, to)); // neighbours once
}

static void try_splits(Fixing *x) {
    const Edited *e = &x->t.schedule;
    for (uint32_t k = 0; k < e->n; k++) {
        const Tactic *t = &e->tactics[k];
        for (uint32_t i = 0; t->n_lines > 1 && i < t->n_lines; i++) {
            try_proposal(x, propose_split(e, k, i, k + 1));
            try_proposal(x, propose_split(e, k, i, k));
            if (k + 1 < e->n) try_proposal(x, propose_split(e, k, i, e->n));
        }
    }
}

// ---- What is not: a line for a value nearby -------------------------------------------------------------------------

// As a line of a tactic on the axis, or as a tactic of its own: first, before those, last. True if one could be applied.
static bool try_line(Fixing *x, AxisId axis, const TacticLine *line) {
    const Edited *e = &x->t.schedule;
    Span name = x->t.p->mesh.axes[axis].name;
    uint32_t first = e->n;
    bool legal = false;
    for (uint32_t k = 0; k < e->n; k++) {
        if (e->tactics[k].n_axes != 1 || !span_eq(e->tactics[k].axes[0].text, name)) continue;
        if (first == e->n) first = k;
        legal |= try_proposal(x, propose_line(e, k, line)) != TRIAL_ILLEGAL;
    }
    legal |= try_proposal(x, propose_tactic(e, 0, name, line)) != TRIAL_ILLEGAL;
    if (first && first < e->n) legal |= try_proposal(x, propose_tactic(e, first, name, line)) != TRIAL_ILLEGAL;
    legal |= try_proposal(x, propose_tactic(e, e->n, name, line)) != TRIAL_ILLEGAL;
    return legal;
}

static void try_named(Fixing *x, const NamedValue *v, AxisId axis, LineValue value, int64_t dim) {
    TacticLine line = {.pattern.text = span_of(v->pattern), .value = value, .dim = dim};
    if (try_line(x, axis, &line) || v->pattern == v->name) return;
    line.pattern.text = span_of(v->name); // layers that are not alike
    try_line(x, axis, &line);
}

static void try_nearby(Fixing *x) {
    const Problem *p = x->problem;
    Nearby near = nearby_find(&x->t.p->graph, x->t.targets, p->nodes.at, p->nodes.n, MOST_NEARBY, x->a);
    for (uint32_t i = 0; i < near.n; i++) {
        const NamedValue *v = &near.at[i];
        for (uint32_t axis = 0; axis < x->t.p->mesh.n_axes; axis++) {
            if (!(p->axes >> axis & 1)) continue;
            for (uint32_t d = 0; d < v->type->rank && d < MOST_DIMS; d++)
                if (v->type->dims[d] > 1) try_named(x, v, (AxisId)axis, LINE_DIM, d);
            try_named(x, v, (AxisId)axis, LINE_REPLICATED, 0);
        }
    }
}

bool fixes_find(Partition *p, const Problem *problem, const FixOptions *options, Arena *a, Fixes *out) {
    Targets targets = targets_build(&p->graph, true, a);
    Fixing x = {.problem = problem, .a = a, .tries = options->tries ? options->tries : TRIES};
    if (!trial_begin(&x.t, p, &targets, options->device)) return false;
    x.t.schedule.a = a; // proposals outlive the trials
    try_values(&x, true);
    try_gathers(&x);
    try_other_orders(&x);
    try_splits(&x);
    try_nearby(&x);
    try_values(&x, false);
    Tactic *tactics = arena_new(a, Tactic, x.t.schedule.n);
    if (x.t.schedule.n) memcpy(tactics, x.t.schedule.tactics, x.t.schedule.n * sizeof *tactics);
    *out = (Fixes){.problem = *problem,
                   .schedule = {a, x.t.schedule.n, tactics, x.t.schedule.gathers},
                   .before = x.t.before,
                   .tried = x.t.tried,
                   .removing = x.found.n};
    fixes_rank(out, x.found.at, x.found.n, options->device, a);
    trial_end(&x.t);
    return true;
}
