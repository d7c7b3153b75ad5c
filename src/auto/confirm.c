// Confirmation: simulates the finalists in full, and from the archive the plans of least memory and the faster ones that
// rematerialization might make fit.
#include "auto/confirm.h"
#include "support/platform.h"

bool simulate_now(Partition *p, const Device *device, SimResult *out, Summary *collectives) {
    partition_forget(p);
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    simulate(l, device, &p->scratch, out);
    *collectives = summarise(l, &p->scratch);
    partition_forget(p);
    return true;
}

static bool confirm_one(Partition *p, const Search *s, const Site *sites, const Device *device, Confirmed *c) {
    State *state = &p->state;
    const Evaluator *e = s->e;
    uint32_t mark = state_mark(state), n_conflicts = state->conflicts.n;
    c->races = 0, c->runs = 0;
    bool ok = true;
    for (uint32_t i = 0; i < c->plan.n; i++) {
        state->tactic = (uint16_t)(p->applied.n + i);
        choice_take(state, sites, e->choices, &e->choices->at.at[c->plan.at[i]], NULL, NULL);
    }
    for (uint32_t i = 0; i < e->n_after && ok; i++) {
        state->tactic = (uint16_t)(p->applied.n + c->plan.n + i);
        ok = choice_take(state, sites, e->choices, &e->after[i], NULL, NULL) != TAKEN_ILLEGAL;
    }
    for (uint32_t i = n_conflicts; i < state->conflicts.n; i++) c->races += state->conflicts.at[i].race;
    c->conflicts = state->conflicts.n - n_conflicts;
    SimResult r;
    Summary collectives;
    GatherPolicy gathers = p->gathers;
    if (!e->gathers_decided) p->gathers = (GatherPolicy)c->plan.gathers;
    ok = ok && simulate_now(p, device, &r, &collectives);
    p->gathers = gathers;
    state_undo(state, mark);
    if (!ok) return false;
    c->score = (Score){true, true, true, r.seconds, r.memory.most, r.memory.peak};
    c->compute = r.compute, c->exposed = r.exposed, c->busiest = NO_AXIS;
    for (uint32_t k = 0; k < p->mesh.n_axes; k++)
        if (r.by_axis[k] > (c->busiest == NO_AXIS ? 0 : r.by_axis[c->busiest])) c->busiest = (AxisId)k;
    for (uint32_t k = 0; k < COLLECTIVE_COUNT; k++) c->runs += collectives.runs[k];
    return true;
}

// Of equal figures: no race, fewer choices, fewer collectives.
static bool is_better_confirmed(const SearchOptions *o, const Confirmed *x, const Confirmed *y) {
    if (search_is_better(o, &x->score, &y->score)) return true;
    if (search_is_better(o, &y->score, &x->score)) return false;
    if ((x->races > 0) != (y->races > 0)) return x->races == 0;
    if (x->plan.n != y->plan.n) return x->plan.n < y->plan.n;
    return x->runs < y->runs;
}

static uint32_t enter_confirmed(const SearchOptions *o, Confirmed c, Confirmed *out, uint32_t n) {
    uint32_t k = n;
    for (; k > 0 && is_better_confirmed(o, &c, &out[k - 1]); k--) out[k] = out[k - 1];
    out[k] = c;
    return n + 1;
}

// Finalists, then faster ones that are too large, by as little as there are: rematerialization may make them fit; then the leanest.
static uint32_t find_candidates(const Search *s, Archived *out) {
    uint32_t n = s->finalists.n, n_large = 0, n_front = s->archive.at.n;
    const Archived *front = s->archive.at.at;
    memcpy(out, s->finalists.at, n * sizeof *out);
    while (n_large < n_front && !search_fits(&s->options, &front[n_large].score)) n_large++;
    for (uint32_t i = n_large; i-- > 0 && n < s->finalists.n + TOO_LARGE;) out[n++] = front[i];
    for (uint32_t i = 0; i < 2 && i < n_front; i++) out[n++] = front[n_front - 1 - i];
    return n;
}

uint32_t confirm_plans(Partition *p, const Search *s, const Site *sites, const Device *device, Confirmed *out) {
    const SearchOptions *o = &s->options;
    Archived candidates[CONFIRMED];
    uint32_t n = find_candidates(s, candidates), found = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Archived *x = &candidates[i];
        Confirmed c = {.plan = x->plan, .score = x->score, .start = i < s->finalists.n && x->start};
        bool again = false, known = x->score.exact && s->e->n_subjects > 1; // with axis orders tried
        for (uint32_t k = 0; k < i; k++) again |= memcmp(&candidates[k].plan, &x->plan, sizeof x->plan) == 0;
        if (again) continue;
        if (!known && found && o->seconds > 0 && platform_seconds() - s->began > o->seconds) break;
        if (known || confirm_one(p, s, sites, device, &c)) found = enter_confirmed(o, c, out, found);
    }
    // The rest of what is told of the best few.
    Confirmed best[CONFIRMED_SHOWN];
    uint32_t n_best = 0;
    for (uint32_t i = 0; i < CONFIRMED_SHOWN && i < found; i++)
        if (out[i].runs > 0 || confirm_one(p, s, sites, device, &out[i])) n_best = enter_confirmed(o, out[i], best, n_best);
    memcpy(out, best, n_best * sizeof *best);
    return n_best;
}
