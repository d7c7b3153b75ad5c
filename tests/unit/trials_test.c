// What trials find is what lowering and simulating from scratch finds, to the last bit, over random programs × meshes ×
// devices × sequences of actions that are taken back now and then.
//
//     trials_test [programs [first seed]]        200 by default
#include "sim/incremental/trials.h"
#include "random_walk.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

static uint64_t n_programs = 200, first_seed = 1;
static uint64_t n_looks, n_bounded, n_permuted;
static Trials trials;

static bool same_numbers(const double *a, const double *b, size_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

// A program, and its ops and values as they are written, whatever their numbers are.
typedef struct Numbers {
    uint32_t *op, *value;
} Numbers;

static Numbers number(const Module *m, Arena *a) {
    Numbers w = {arena_new(a, uint32_t, m->ops.n), arena_new(a, uint32_t, m->values.n)};
    uint32_t n = 0, n_values = 0;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) {
        w.op[op] = n++;
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) w.value[op_result(m, op, i)] = n_values++;
        for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++) {
            const Region *r = &m->regions.at[op_region(m, op, i)];
            for (uint32_t k = 0; k < r->n_args; k++) w.value[r->first_arg + k] = n_values++;
        }
    }
    return w;
}

static bool same_memory(const MemoryUse *a, const MemoryUse *b, const Numbers *wa, const Numbers *wb) {
    double x[] = {a->peak, a->gaps, a->arguments, a->vmem, a->rematerialized.bytes, a->rematerialized.flops};
    double y[] = {b->peak, b->gaps, b->arguments, b->vmem, b->rematerialized.bytes, b->rematerialized.flops};
    if (!same_numbers(x, y, 6) || a->rematerialized.n != b->rematerialized.n ||
        (a->peak_op == NO_ID) != (b->peak_op == NO_ID) || a->n_residents != b->n_residents ||
        a->n_steps != b->n_steps || !same_numbers(a->over_time, b->over_time, a->n_steps))
        return false;
    if (a->peak_op != NO_ID && wa->op[a->peak_op] != wb->op[b->peak_op]) return false;
    for (uint32_t i = 0; i < a->n_residents; i++)
        if (wa->value[a->residents[i].value] != wb->value[b->residents[i].value] ||
            a->residents[i].bytes != b->residents[i].bytes)
            return false;
    for (uint32_t i = 0; i < a->n_steps; i++)
        if (wa->op[a->ops[i]] != wb->op[b->ops[i]]) return false;
    return true;
}

static bool same_result(const SimResult *a, const SimResult *b, const Numbers *wa, const Numbers *wb, uint32_t n_axes) {
    double x[] = {a->seconds, a->compute,     a->communication, a->exposed,
                  a->flops,   a->other_flops, a->bytes,         a->seconds_at_peak};
    double y[] = {b->seconds, b->compute,     b->communication, b->exposed,
                  b->flops,   b->other_flops, b->bytes,         b->seconds_at_peak};
    if (!same_numbers(x, y, 8) || !same_numbers(a->by_axis, b->by_axis, n_axes) || a->n_slices != b->n_slices ||
        a->unknown_trips != b->unknown_trips)
        return false;
    for (uint32_t i = 0; i < a->n_slices; i++) {
        const Slice *p = &a->slices[i], *q = &b->slices[i];
        if (wa->op[p->op] != wb->op[q->op] || p->start != q->start || p->seconds != q->seconds || p->runs != q->runs ||
            p->flops != q->flops || p->bytes != q->bytes || p->axes != q->axes ||
            p->bound_by_memory != q->bound_by_memory)
            return false;
    }
    return same_memory(&a->memory, &b->memory, wa, wb);
}

// Looks, and does all of it anew.
static bool finds_the_same(Walk *w, const Device *d) {
    TrialCost out, bounded;
    SimResult again, anew;
    Partition *p = &w->p;
    double longest = gen_chance(&w->g, 2) ? 0 : INFINITY;
    if (!trials_evaluate(&trials, longest, &bounded) || !trials_evaluate(&trials, INFINITY, &out)) return false;
    const Lowered *l = relower(&trials.lowered, &w->scratch);
    if (!l) return false;
    uint32_t again_permutes = l->n_permutes;
    simulate(l, d, &w->scratch, &again);
    Lowered *scratch = lower(&p->state, &trials.lowered.options, &w->scratch);
    simulate(scratch, d, &w->scratch, &anew);
    Numbers as_again = number(l->m, &w->scratch), as_anew = number(scratch->m, &w->scratch);
    bool same = same_result(&again, &anew, &as_again, &as_anew, p->mesh.n_axes);
    lowered_free(scratch);
    arena_init(&p->scratch, p->ctx); // with the best order of axes
    if (!partition_lowered(p)) return false;
    simulate(p->lowered, d, &p->scratch, &anew);
    double x[] = {out.seconds, out.compute, out.communication, out.exposed, out.peak};
    double y[] = {anew.seconds, anew.compute, anew.communication, anew.exposed, anew.memory.peak};
    same &= same_numbers(x, y, 5) && out.complete;
    same &= bounded.complete ? bounded.peak == out.peak : bounded.seconds <= out.seconds && bounded.seconds > longest;
    partition_forget(p);
    arena_free(&p->scratch);
    n_looks++;
    n_permuted += again_permutes > 0;
    n_bounded += !bounded.complete;
    return same;
}

static bool run_walk(Walk *w, uint64_t seed) {
    if (!open_walk(w, seed)) return false;
    if (w->p.targets.n == 0) return true;
    const Device *d = device_at((uint32_t)seed % device_count());
    State *s = &w->p.state;
    arena_init(&w->scratch, w->ctx);
    for (uint32_t n = gen_random(&w->g, 3); n-- > 0;) act(w);
    if (!trials_begin(&trials, &w->p, d)) return false;
    uint32_t base = state_mark(s);
    for (int step = 0; step < 10; step++) {
        act(w);
        arena_reset(&w->scratch);
        if (!finds_the_same(w, d)) return false;
        if (gen_chance(&w->g, 2)) state_undo(s, base + gen_random(&w->g, s->trail.n - base + 1));
        if (gen_chance(&w->g, 8)) {
            if (!trials_rebase(&trials)) return false;
            base = state_mark(s);
        }
    }
    return true;
}

static bool walk_once(uint64_t seed) {
    static Walk w;
    memset(&w, 0, sizeof w);
    memset(&trials, 0, sizeof trials);
    volatile bool ok = false;
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = keep_diagnostic}, &w.ctx);
    Guard g;
    if (GUARD(w.ctx, &g)) {
        ok = run_walk(&w, seed);
        trials_end(&trials);
        close_walk(&w);
        guard_close(w.ctx, &g);
    }
    partir_context_destroy(w.ctx);
    if (!ok) printf("seed %" PRIu64 " %s\n", seed, last_error);
    return ok;
}

static void trials_find_what_is_found_anew(void) {
    int bad = 0;
    for (uint64_t i = 0; i < n_programs && bad < 3; i++) bad += !walk_once(first_seed + i);
    CHECK_INT(bad, 0);
    CHECK(n_bounded * 5 > n_looks); // a fair share of each
    CHECK(n_permuted > 0);
}

int main(int argc, char **argv) {
    if (argc > 1) n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
    RUN(trials_find_what_is_found_anew);
    return test_end();
}
