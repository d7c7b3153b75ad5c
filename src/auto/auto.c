// Automatic tactics: choices, search, confirmation, lines.
#include "auto/auto.h"
#include "auto/lines.h"

enum { DEFAULT_BUDGET_MS = 1000 };

// Where the whole program has its targets.
static const Site *sites_of(const Targets *targets, Arena *a) {
    Site *sites = arena_new(a, Site, targets->n);
    for (uint32_t i = 0; i < targets->n; i++) {
        const Target *t = &targets->at[i];
        sites[i] = (Site){t->node, t->tensor, t->value, targets->indexed[i]};
    }
    return sites;
}

static bool find_axes(Partition *p, const Tactic *t, const Source *source, AxisSet *axes) {
    AxisId *at = arena_new(&p->scratch, AxisId, t->n_axes);
    if (!tactic_axes(&p->mesh, t, source, p->ctx, &p->scratch, at)) return false;
    *axes = 0;
    for (uint32_t i = 0; i < t->n_axes; i++) *axes |= (AxisSet)1 << at[i];
    return true;
}

// What `leave` lines name.
static bool *find_left_alone(const Partition *p, const Tactic *t, const Source *source, Arena *a) {
    bool *left_alone = arena_zalloc(a, p->targets.n);
    for (uint32_t k = 0; k < t->n_leave; k++) {
        uint32_t matched = 0;
        for (uint32_t i = 0; i < p->targets.n; i++)
            if (pattern_match(t->leave[k].text, p->targets.at[i].name)) left_alone[i] = true, matched++;
        if (!matched)
            diag_warning(p->ctx, source, t->leave[k].offset, "`partir check` lists all names",
                         "auto %.*s: the pattern %.*s matches no argument, result or tag", (int)t->name.text.n,
                         t->name.text.at, (int)t->leave[k].text.n, t->leave[k].text.at);
    }
    return left_alone;
}

static const char *tactic_label(const Tactic *t, Arena *a) {
    Buffer b;
    buf_init(&b, a);
    buf_format(&b, "auto %.*s", (int)t->name.text.n, t->name.text.at);
    return buf_cstr(&b);
}

// Of the finalists, the best by the full simulator on the whole program, axis orders and rematerialization included.
static bool confirm(Partition *p, Search *s, const Site *sites, const Device *device, const Evaluator *e,
                    Archived *out) {
    State *state = &p->state;
    Score best = {0};
    for (uint32_t k = 0; k < s->n_finalists; k++) {
        Archived *f = &s->finalists[k];
        uint32_t mark = state_mark(state);
        bool ok = true;
        for (uint32_t i = 0; i < f->plan.n; i++)
            choice_take(state, sites, e->choices, &e->choices->at.at[f->plan.at[i]], NULL, NULL);
        for (uint32_t i = 0; i < e->n_after && ok; i++)
            ok = choice_take(state, sites, e->choices, &e->after[i], NULL, NULL) != TAKEN_ILLEGAL;
        partition_forget(p);
        const Lowered *l = ok ? partition_lowered(p) : NULL;
        SimResult r;
        if (l) simulate(l, device, &p->scratch, &r);
        partition_forget(p);
        state_undo(state, mark);
        if (!l) continue;
        Score score = {true, true, r.seconds, r.memory.peak};
        if (k > 0 && !search_is_better(&s->options, &score, &best)) continue;
        best = score;
        *out = (Archived){f->plan, score, f->key};
    }
    return best.possible;
}

bool auto_search(Partition *p, const Tactic *t, const Tactic *after, uint32_t n_after, const Source *source,
                 const Device *device, AutoResult *out) {
    AxisSet axes;
    if (!find_axes(p, t, source, &axes)) return false;
    Arena *a = &p->scratch;
    const Site *sites = sites_of(&p->targets, a);
    bool *left_alone = find_left_alone(p, t, source, a);
    Choices choices = choices_find(&p->graph, &p->targets, left_alone, axes, a);
    Choice *follow = arena_new(a, Choice, n_after);
    for (uint32_t i = 0; i < n_after; i++) {
        AxisId *of = arena_new(a, AxisId, after[i].n_axes);
        if (!tactic_axes(&p->mesh, &after[i], source, p->ctx, a, of)) return false;
        follow[i] = choice_of_tactic(&choices, &p->graph, &p->targets, of, &after[i], a);
    }
    Evaluator e;
    evaluator_init(&e, p->ctx, device);
    e.lower.gathers = p->schedule->gathers;
    e.choices = &choices;
    e.after = follow;
    e.n_after = n_after;
    evaluator_add(&e, &p->state, sites);
    SearchOptions options = {.name = tactic_label(t, a),
                             .memory = (double)(t->memory_bytes ? t->memory_bytes : device->memory),
                             .least_memory = t->least_memory,
                             .evaluations = (uint64_t)t->budget_evaluations,
                             .seed = (uint64_t)t->seed};
    if (!options.evaluations) options.seconds = (double)(t->budget_ms ? t->budget_ms : DEFAULT_BUDGET_MS) / 1e3;
    Search search;
    search_run(&search, &e, &options, axes, a);
    evaluator_rewind(&e);
    Archived best;
    bool ok = confirm(p, &search, sites, device, &e, &best);
    Writer w = {&p->state, sites, &p->targets, &choices, t->name.text, &p->arena};
    if (ok) out->tactics = plan_to_tactics(&w, &best.plan, &out->n);
    evaluator_free(&e);
    return ok;
}
