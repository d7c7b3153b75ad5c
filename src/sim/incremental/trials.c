// Trials: a lowering that is kept, two arenas that are reset for each evaluation, and the costs of states evaluated before.
#include "sim/incremental/trials.h"

// A state is known by 128 bits of its nests, from which all else follows.
typedef struct StateKey {
    uint64_t a, b;
} StateKey;

enum { MEMO_SIZE = 1 << 14 };

// By the low bits of the key; the newer replaces the older.
typedef struct TrialMemo {
    struct Known {
        StateKey key;
        TrialCost cost;
        bool used;
    } at[MEMO_SIZE];
} TrialMemo;

static uint64_t mix(uint64_t h, uint64_t x, uint64_t by) {
    h = (h ^ x) * by;
    return h ^ h >> 29;
}

// What is not in a nest is zero.
static StateKey state_key(const State *s) {
    StateKey k = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu};
    const unsigned char *parts[] = {(const unsigned char *)s->nest, s->nest_n};
    size_t sizes[] = {(size_t)s->g->n_nodes * s->depth * sizeof *s->nest, s->g->n_nodes};
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < sizes[p]; i += 8) {
            uint64_t x = 0;
            memcpy(&x, parts[p] + i, sizes[p] - i < 8 ? sizes[p] - i : 8);
            k.a = mix(k.a, x, 0xff51afd7ed558ccdu);
            k.b = mix(k.b, x + i, 0xc4ceb9fe1a85ec53u);
        }
    return k;
}

bool trials_begin(Trials *t, Partition *p, const Device *d) {
    *t = (Trials){.p = p, .device = d};
    arena_init(&t->arena, p->ctx);
    arena_init(&t->lowering, p->ctx);
    arena_init(&t->simulation, p->ctx);
    t->memo = arena_zalloc(&t->arena, sizeof *t->memo);
    return relowering_init(&t->lowered, &p->state, &(LowerOptions){.gathers = p->gathers});
}

void trials_end(Trials *t) {
    relowering_free(&t->lowered);
    for (uint32_t k = 0; k < TRIAL_ORDERS; k++) relowering_free(&t->ordered[k]);
    if (t->lowering.ctx) arena_free(&t->lowering);
    if (t->simulation.ctx) arena_free(&t->simulation);
    if (t->arena.ctx) arena_free(&t->arena);
}

bool trials_rebase(Trials *t) {
    for (uint32_t k = 0; k < TRIAL_ORDERS; k++) relowering_free(&t->ordered[k]);
    return relowering_rebase(&t->lowered);
}

// The fewest permutes, as partition_lowered finds them.
static const Lowered *lower_now(Trials *t) {
    Partition *p = t->p;
    const Lowered *best = relower(&t->lowered, &t->lowering);
    for (uint32_t k = 0; best && best->n_permutes && k < TRIAL_ORDERS && best->n_ordered <= 3; k++) {
        Relowering *r = &t->ordered[k];
        if (!partition_order(best->n_ordered, k, t->orders[k])) break;
        LowerOptions options = {.gathers = p->gathers, .axis_order = t->orders[k]};
        if (!r->base && !relowering_init(r, &p->state, &options)) return NULL;
        const Lowered *other = relower(r, &t->lowering);
        if (!other) return NULL;
        if (other->n_permutes < best->n_permutes) best = other;
    }
    return best;
}

static void evaluate_program(Trials *t, const Lowered *l, double longest, TrialCost *out) {
    SimResult r;
    SimRun *run = simulate_time(l, t->device, &t->simulation, &r);
    bool complete = r.seconds <= longest;
    if (complete) simulate_memory(run);
    *out = (TrialCost){r.seconds, r.compute, r.communication, r.exposed, r.memory.peak, r.memory.most, complete};
}

bool trials_evaluate(Trials *t, double longest, TrialCost *out) {
    Partition *p = t->p;
    StateKey key = state_key(&p->state);
    struct Known *known = &t->memo->at[key.a % MEMO_SIZE];
    if (known->used && known->key.a == key.a && known->key.b == key.b &&
        (known->cost.complete || known->cost.seconds > longest)) {
        *out = known->cost;
        return true;
    }
    arena_reset(&t->lowering);
    arena_reset(&t->simulation);
    const Lowered *l = lower_now(t);
    if (!l) return false;
    bool more_orders = l->n_permutes && l->mesh->n_axes > 3;
    if (more_orders) {
        partition_forget(p);
        arena_init(&p->scratch, p->ctx);
        if (!(l = partition_lowered(p))) return false;
    }
    evaluate_program(t, l, longest, out);
    if (more_orders) {
        partition_forget(p);
        arena_free(&p->scratch);
    }
    *known = (struct Known){key, *out, true};
    return true;
}
