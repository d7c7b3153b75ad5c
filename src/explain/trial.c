// Trials of a fix: undoes the tactics from the first changed one on, applies the changed ones, lowers, and summarises.
#include "explain/trial.h"
#include "ir/analysis/trip.h"
#include "sim/cost/cost.h"

// FLOPs of one device in a step.
typedef struct FlopSum {
    const Module *m;
    double total;
} FlopSum;

static void add_flops(void *arg, OpId op, double runs) {
    FlopSum *sum = arg;
    if (runs_regions(op_kind(sum->m, op))) return;
    Cost c = op_cost(sum->m, op);
    sum->total += runs * (c.matrix + c.vector);
}

static Figures figures_of(const Lowered *l, const Device *d, Arena *a) {
    Summary s = summarise(l, a);
    FlopSum flops = {.m = l->m};
    visit_runs(l->m, add_flops, &flops, a);
    Figures f = {.bytes = s.bytes, .flops = flops.total, .arguments = (double)s.argument_bytes};
    if (d) {
        SimResult r;
        simulate(l, d, a, &r);
        f.seconds = r.seconds;
        f.peak = r.memory.peak;
    }
    return f;
}

static void remember_trial(Trial *t, GatherPolicy gathers) {
    vec_push(&t->arena, &t->seen, ((struct TriedState){t->state.nests, gathers}));
}

bool trial_begin(Trial *t, Partition *p, const Targets *targets, const Device *d) {
    *t = (Trial){.p = p, .targets = targets, .device = d};
    arena_init(&t->arena, p->ctx);
    arena_init(&t->work, p->ctx);
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    uint32_t first = p->n_annotations;
    Tactic *tactics = arena_new(&t->arena, Tactic, p->applied.n - first);
    for (uint32_t i = first; i < p->applied.n; i++) tactics[i - first] = *p->applied.at[i].tactic;
    t->schedule = (Edited){&t->arena, p->applied.n - first, tactics, p->schedule->gathers};
    t->kept = t->schedule.n;
    t->state = state_copy(&p->state, &t->arena);
    t->end = state_mark(&t->state);
    remember_trial(t, p->schedule->gathers);
    t->before = figures_of(l, d, &t->work);
    return true;
}

void trial_end(Trial *t) {
    lowered_free(t->lowered);
    arena_free(&t->work);
    arena_free(&t->arena);
}

static bool apply_one(Trial *t, const Tactic *tactic, uint32_t number) {
    TacticCounts counts;
    t->state.tactic = (uint16_t)number;
    t->state.tactic_names.n = number;
    vec_push(&t->arena, &t->state.tactic_names, tactic->name.text);
    return tactic_apply(&t->state, t->targets, tactic, t->p->schedule->source, &t->work, &counts);
}

static bool apply_all(Trial *t, const Proposal *x) {
    uint32_t first = t->p->n_annotations, from = t->kept < x->same ? t->kept : x->same;
    state_undo(&t->state, from < t->schedule.n ? t->p->applied.at[first + from].mark : t->end);
    t->kept = from;
    for (uint32_t i = from; i < x->n; i++) {
        if (!apply_one(t, &x->tactics[i], first + i)) return false;
        if (i < x->same) t->kept = i + 1;
    }
    return true;
}

static bool was_tried(const Trial *t, GatherPolicy gathers) {
    for (uint32_t i = 0; i < t->seen.n; i++)
        if (t->seen.at[i].gathers == gathers && same_state(t->seen.at[i].nests, t->state.nests)) return true;
    return false;
}

TrialStatus trial_run(Trial *t, const Proposal *x) {
    Context *ctx = t->p->ctx;
    uint32_t n_errors = ctx->n_errors;
    partir_status status = ctx->status;
    lowered_free(t->lowered);
    t->lowered = NULL;
    arena_reset(&t->work);
    ctx->quiet = true; // what cannot be is no news
    TrialStatus found = TRIAL_ILLEGAL;
    if (apply_all(t, x)) {
        found = TRIAL_KNOWN;
        if (!was_tried(t, x->gathers)) {
            remember_trial(t, x->gathers);
            t->lowered = lower_state(&t->state, x->gathers, &t->work);
            found = t->lowered ? TRIAL_NEW : TRIAL_ILLEGAL;
        }
    }
    ctx->quiet = false;
    ctx->n_errors = n_errors;
    ctx->status = status;
    if (found != TRIAL_NEW) return found;
    t->tried++;
    t->now = figures_of(t->lowered, t->device, &t->work);
    return found;
}
