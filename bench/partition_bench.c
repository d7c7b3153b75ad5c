// How long each part of partitioning takes, best of a number of runs, in milliseconds of processor time:
//
//     make build/bench/partition_bench && build/bench/partition_bench FILE.mlir FILE.schedule [MESH]
//
// One line a part, `name<TAB>number`: read, prepare (inlining, rules, graph), tactics (actions and propagation), lower (to
// PartIR:HLO, type-checked), simulate and simulate_cpu (time and memory of that program on tpu_v5e and host), emit (to
// StableHLO text), ops, and how many a second a search could try before the first tactic: actions, each a tile of an argument,
// its propagation and its undoing; trials, each an action that is lowered and simulated too. Then, before the last tactic, of
// the smaller half of the actions: trials from scratch (small), from a base (small_from_base), and from a base with no more than a
// look at the time, as of those that a search gives up (small_bounded), one after another in turn; and how much faster that is.
#include "api/handles.h"
#include "sim/pipeline.h"
#include "sim/incremental/trials.h"
#include "cpu_seconds.h"
#include "support/sort.h"
#include <math.h>
#include <stdio.h>

#define TRIAL_SECONDS 0.5
enum { RUNS = 3, ROUNDS = 3 };
enum { READ, PREPARE, TACTICS, LOWER, SIMULATE, SIMULATE_CPU, EMIT, PARTS };
static const char *const part_name[PARTS] = {"read", "prepare", "tactics", "lower", "simulate", "simulate_cpu", "emit"};

typedef struct Times {
    double seconds[PARTS];
    double actions, trials; // a second
    double small[3];        // seconds of a small trial: from scratch, from a base, and of its time alone
    uint32_t ops;
} Times;

static void show(void *user, const partir_diagnostic *d) {
    (void)user;
    fprintf(stderr, "%s:%u:%u: %s\n", d->file ? d->file : "", d->line, d->column, d->message);
}

static void lower_and_simulate(Partition *p, Arena *simulation) {
    SimResult result;
    arena_reset(simulation);
    partition_forget(p);
    arena_init(&p->scratch, p->ctx);
    if (partition_lowered(p)) simulate(p->lowered, device_find(SPAN("tpu_v5e")), simulation, &result);
    arena_free(&p->scratch);
}

// Tiles each dimension of each argument on each axis in turn, as a search would, looks at it with `simulation`, and takes
// it back: for half a second.
static double tries_a_second(Partition *p, Arena *simulation) {
    State *s = &p->state;
    uint32_t tried = 0;
    double start = cpu_seconds(), seconds = 0;
    for (uint32_t i = 0; seconds < TRIAL_SECONDS && p->targets.n; i = (i + 1) % p->targets.n) {
        const Target *t = &p->targets.at[i];
        uint32_t rank = type_get(s->g->m, t->type)->rank;
        for (uint32_t k = 0; k < rank * s->mesh->n_axes; k++) {
            uint32_t mark = state_mark(s);
            AxisId axis = (AxisId)(k / rank);
            if (action_tile(s, t->node, t->tensor, k % rank, axis) != ACTION_OK) continue;
            propagate(s, mark, axis);
            if (simulation) lower_and_simulate(p, simulation);
            state_undo(s, mark);
            tried++;
        }
        seconds = cpu_seconds() - start;
    }
    return tried / seconds;
}

typedef struct Action {
    const Target *target;
    uint32_t dim, touched; // nodes
    AxisId axis;
    uint64_t nests;
} Action;

static bool touches_less(const Action *x, const Action *y) { return x->touched < y->touched; }
DEFINE_SORT(sort_actions, Action, touches_less)

static bool act(Partition *p, const Action *a) {
    uint32_t mark = state_mark(&p->state);
    if (action_tile(&p->state, a->target->node, a->target->tensor, a->dim, a->axis) != ACTION_OK) return false;
    propagate(&p->state, mark, a->axis);
    return true;
}

// Of nests that are propagated, whatever they started from.
static uint64_t hash_nests(const State *s) {
    uint64_t h = 1469598103934665603u;
    const uint8_t *bytes = (const uint8_t *)s->nest;
    for (size_t i = 0, n = (size_t)s->g->n_nodes * s->depth * sizeof *s->nest; i < n; i++)
        h = (h ^ bytes[i]) * 1099511628211u;
    return h;
}

// Those that are possible, the smaller half of them, spread evenly; of several that come to the same, one.
static uint32_t small_actions(Partition *p, Action *out, uint32_t max) {
    State *s = &p->state;
    VEC(Action) all = {0};
    for (uint32_t i = 0; i < p->targets.n; i++) {
        uint32_t rank = type_get(s->g->m, p->targets.at[i].type)->rank;
        for (uint32_t k = 0; k < rank * s->mesh->n_axes; k++) {
            Action a = {.target = &p->targets.at[i], .dim = k % rank, .axis = (AxisId)(k / rank)};
            uint32_t mark = state_mark(s);
            if (!act(p, &a)) continue;
            a.touched = state_mark(s) - mark;
            a.nests = hash_nests(s);
            state_undo(s, mark);
            uint32_t same = 0;
            while (same < all.n && all.at[same].nests != a.nests) same++;
            if (same == all.n) vec_push(&p->arena, &all, a);
        }
    }
    sort_actions(all.at, all.n, &p->arena);
    uint32_t half = (all.n + 1) / 2, n = half < max ? half : max;
    for (uint32_t i = 0; i < n; i++) out[i] = all.at[(uint64_t)i * half / n];
    return n;
}

enum { SMALL = 100 };

// The first round warms up. No state is met twice in a round, and each round has trials of its own.
static bool try_small(Partition *p, Arena *simulation, double *seconds) {
    Action actions[SMALL];
    uint32_t n = small_actions(p, actions, SMALL);
    State *s = &p->state;
    bool ok = true;
    for (int round = 0; round < 3 && ok; round++) {
        Trials whole, bounded;
        const Device *d = device_find(SPAN("tpu_v5e"));
        double now[3] = {0};
        ok = trials_begin(&whole, p, d) && trials_begin(&bounded, p, d);
        for (uint32_t i = 0; i < n && ok; i++) {
            uint32_t mark = state_mark(s);
            TrialCost out;
            for (int way = 0; way < 3; way++) {
                double clock = cpu_seconds();
                act(p, &actions[i]);
                if (way == 0)
                    lower_and_simulate(p, simulation);
                else
                    ok &= trials_evaluate(way == 1 ? &whole : &bounded, way == 1 ? INFINITY : 0, &out);
                state_undo(s, mark);
                now[way] += cpu_seconds() - clock;
            }
        }
        trials_end(&bounded);
        trials_end(&whole);
        for (int way = 0; way < 3; way++)
            if (round == 1 || (round > 1 && now[way] / n < seconds[way])) seconds[way] = now[way] / n;
    }
    partition_forget(p);
    return ok;
}

static double lap(double *since) {
    double now = cpu_seconds(), seconds = now - *since;
    *since = now;
    return seconds;
}

static void keep_least(double *least, double seconds, int run) {
    if (run == 0 || seconds < *least) *least = seconds;
}

// Everything between reading and text. The state is left with all tactics applied.
static bool partition_once(Partition *p, bool trials, Times *t) {
    const Schedule *s = p->schedule;
    t->ops = p->m->ops.n;
    Arena simulation;
    arena_init(&simulation, p->ctx);
    if (trials) t->actions = tries_a_second(p, NULL), t->trials = tries_a_second(p, &simulation);
    double clock = cpu_seconds();
    for (uint32_t i = 0; i < s->n_tactics; i++) {
        if (trials && i + 1 == s->n_tactics && !try_small(p, &simulation, t->small)) return false;
        TacticCounts counts = {0};
        vec_push(&p->arena, &p->state.tactic_names, s->tactics[i].name.text);
        p->state.tactic = (uint16_t)i;
        if (!tactic_apply(&p->state, &p->targets, &s->tactics[i], s->source, &p->arena, &counts)) return false;
    }
    t->seconds[TACTICS] = lap(&clock);
    bool ok = true;
    for (int i = 0; i < ROUNDS && ok; i++) { // in one context, as a search does it
        arena_reset(&simulation);
        partition_forget(p);
        arena_init(&p->scratch, p->ctx);
        clock = cpu_seconds();
        ok = partition_lowered(p) != NULL;
        keep_least(&t->seconds[LOWER], lap(&clock), i);
        SimResult result;
        if (ok) simulate(p->lowered, device_find(SPAN("tpu_v5e")), &simulation, &result);
        keep_least(&t->seconds[SIMULATE], lap(&clock), i);
        arena_reset(&simulation);
        if (ok) simulate(p->lowered, device_find(SPAN("host")), &simulation, &result);
        keep_least(&t->seconds[SIMULATE_CPU], lap(&clock), i);
        arena_free(&p->scratch);
    }
    arena_free(&simulation);
    return ok;
}

static bool measure(const char *program, const char *schedule, const char *mesh, bool trials, Times *t) {
    volatile bool ok = false;
    partir_context *ctx;
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = show}, &ctx);
    double clock = cpu_seconds();
    partir_module *m;
    partir_module_read_file(ctx, program, &m);
    t->seconds[READ] = lap(&clock);
    partir_schedule *s;
    partir_partition *h = NULL;
    partir_schedule_read_file(ctx, schedule, &s);
    if (m && s) partir_partition_create(m, s, &(partir_partition_options){.size = sizeof(partir_partition_options), .mesh = mesh}, &h);
    t->seconds[PREPARE] = lap(&clock);
    Guard g;
    if (h && GUARD(ctx, &g)) {
        ok = partition_once(&h->p, trials, t);
        guard_close(ctx, &g);
    }
    clock = cpu_seconds();
    partir_text *text = NULL;
    if (ok) partir_partition_emit(h, PARTIR_STAGE_STABLEHLO, PARTIR_PRINT_PRETTY, &text);
    t->seconds[EMIT] = lap(&clock);
    ok = text != NULL;
    partir_text_destroy(text);
    partir_partition_destroy(h);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    partir_context_destroy(ctx);
    return ok;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: partition_bench FILE.mlir FILE.schedule [MESH]\n");
        return 2;
    }
    Times best = {0};
    for (int run = 0; run < RUNS; run++) {
        Times t = {0};
        if (!measure(argv[1], argv[2], argc > 3 ? argv[3] : NULL, run == 0, &t)) return 1;
        if (run == 0) best = t;
        for (int i = 0; i < PARTS; i++) keep_least(&best.seconds[i], t.seconds[i], run);
    }
    for (int i = 0; i < PARTS; i++) printf("%s\t%.3f\n", part_name[i], best.seconds[i] * 1e3);
    printf("ops\t%u\nactions\t%.0f\ntrials\t%.0f\n", best.ops, best.actions, best.trials);
    printf("small\t%.0f\nsmall_from_base\t%.0f\nsmall_bounded\t%.0f\n", 1 / best.small[0], 1 / best.small[1],
           1 / best.small[2]);
    printf("times_faster\t%.2f\ntimes_faster_bounded\t%.2f\n", best.small[0] / best.small[1],
           best.small[0] / best.small[2]);
    return 0;
}
