// Model FLOPs: one walk gives each value two hashes. The first is the hash of its expression, without barriers, down to the arguments
// of @main. The second is the hash of the products that it is computed from in its own loop body. Two are needed because the loop of
// the backward pass reads from stacks what the loop of the forward pass carried, and masks may be made before one loop and inside the
// other. A value read from a stack has the hash of the value that was stored there. A product behind a barrier is a recomputation
// if an earlier product has the same hash; each earlier product accounts for one.
#include "sim/cost/cost.h"
#include "ir/analysis/trip.h"
#include "support/hash.h"

typedef struct ProductHash {
    uint64_t hash;
    double runs;    // of such products that were not recomputed so far
    uint32_t local; // of a global one: that of its local hash
} ProductHash;

typedef enum FlopMark {
    BEHIND_BARRIER = 1, // made of something behind a barrier
    IS_STACK = 2,       // a loop put a value in it in each turn; `local` is that value's
    FROM_STACK = 4      // such a value
} FlopMark;

typedef struct FlopWalk {
    const Module *m;
    Arena *a;
    uint64_t *global;
    uint64_t *local; // by value: of the product that it is made of, of several one; 0 for what is carried, sliced or behind a barrier, stacks apart
    uint8_t *marks;  // by value: FlopMark
    IdMap map;
    VEC(ProductHash) products;
    double sum;
} FlopWalk;

static uint64_t hash_word(uint64_t h, uint64_t x) {
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 29);
}

static uint32_t find_product(FlopWalk *w, uint64_t hash) {
    for (uint32_t p = (uint32_t)hash, id; (id = idmap_probe(&w->map, (uint32_t)hash, &p)) != IDMAP_END;)
        if (w->products.at[id].hash == hash) return id;
    idmap_add(&w->map, (uint32_t)hash, w->products.n);
    vec_push(w->a, &w->products, ((ProductHash){hash, 0, NO_ID}));
    return w->products.n - 1;
}

static double take_runs(FlopWalk *w, uint32_t product, double runs) {
    double *left = &w->products.at[product].runs, matched = *left < runs ? *left : runs;
    *left -= matched;
    return matched;
}

// Runs of a product that repeat those of earlier ones.
static double recomputed_runs(FlopWalk *w, uint32_t global, uint32_t local, double runs) {
    double same = take_runs(w, global, runs);
    if (same > 0) take_runs(w, w->products.at[global].local, same);
    return same + take_runs(w, local, runs - same);
}

// Gives the FLOPs of a product.
static double hash_results(FlopWalk *w, OpId op, const Op *o) {
    const Module *m = w->m;
    uint64_t global = hash_word(2, o->kind), local = global, inner = 0;
    bool barrier = o->kind == OP_optimization_barrier, slice = o->kind == OP_dynamic_slice;
    uint8_t marks = barrier ? BEHIND_BARRIER : 0;
    double flops = op_cost(m, op).matrix;
    for (uint32_t i = 0; i < o->n_attrs; i++) {
        uint64_t value = m->op_attrs.at[o->first_attr + i].value;
        global = hash_word(global, value), local = hash_word(local, value);
    }
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = op_operand(m, op, i);
        marks |= w->marks[v] & BEHIND_BARRIER;
        global = hash_word(global, w->global[v]), local = hash_word(local, w->local[v] ^ value_type(m, v));
        if (w->local[v] > inner) inner = w->local[v];
    }
    for (uint32_t i = 0; i < o->n_regions; i++) // reducers: their ops tell them apart
        for (OpId in = m->regions.at[op_region(m, op, i)].first; in != NO_ID; in = op_get(m, in)->next)
            global = hash_word(global, op_kind(m, in));
    for (uint32_t i = 0; i < o->n_results; i++) {
        ValueId v = o->first_result + i;
        w->global[v] = barrier ? w->global[op_operand(m, op, i)] : hash_word(hash_word(global, i), value_type(m, v));
        w->marks[v] = marks;
        if (o->n_operands == 1 || barrier) w->marks[v] |= w->marks[op_operand(m, op, i)] & FROM_STACK;
        if (slice && w->marks[op_operand(m, op, 0)] & IS_STACK) w->marks[v] |= FROM_STACK;
        bool cleared = (barrier || slice) && !(w->marks[v] & FROM_STACK);
        w->local[v] = cleared ? 0 : barrier ? w->local[op_operand(m, op, i)] : flops > 0 ? local : inner;
    }
    return flops;
}

static void mark_stack(FlopWalk *w, ValueId to, ValueId from) { w->marks[to] |= IS_STACK, w->local[to] = w->local[from]; }

static void walk_flops(FlopWalk *w, RegionId r, double runs, bool behind);

static void walk_loop(FlopWalk *w, OpId loop, double runs, bool behind) {
    const Module *m = w->m;
    const Op *o = op_get(m, loop);
    for (uint32_t r = 0; r < 2; r++) {
        ValueId arg = m->regions.at[op_region(m, loop, r)].first_arg;
        for (uint32_t i = 0; i < o->n_operands; i++)
            if (w->marks[op_operand(m, loop, i)] & IS_STACK) mark_stack(w, arg + i, op_operand(m, loop, i));
        walk_flops(w, op_region(m, loop, r), runs_in_loop(runs, trip_count(m, loop)), behind);
    }
    OpId end = region_terminator(m, op_region(m, loop, 1));
    for (uint32_t i = 0; i < o->n_operands; i++) {
        const Value *next = &m->values.at[op_operand(m, end, i)];
        if (!next->is_arg && op_kind(m, next->owner) == OP_dynamic_update_slice)
            mark_stack(w, o->first_result + i, op_operand(m, end, i));
    }
}

static void walk_flops(FlopWalk *w, RegionId r, double runs, bool behind) {
    const Module *m = w->m;
    const Region *region = &m->regions.at[r];
    for (uint32_t i = 0; i < region->n_args; i++) {
        ValueId v = region->first_arg + i;
        w->global[v] = hash_word(3, v), w->marks[v] |= behind ? BEHIND_BARRIER : 0;
    }
    for (OpId op = region->first; op != NO_ID; op = op_get(m, op)->next) {
        const Op *o = op_get(m, op);
        double flops = hash_results(w, op, o);
        bool inside = behind;
        for (uint32_t i = 0; i < o->n_operands; i++) inside |= w->marks[op_operand(m, op, i)] & BEHIND_BARRIER;
        if (o->kind == OP_while) walk_loop(w, op, runs, inside);
        if (runs_regions((OpKind)o->kind)) {
            for (uint32_t i = 0; o->kind != OP_while && i < o->n_regions; i++) walk_flops(w, op_region(m, op, i), runs, inside);
            continue;
        }
        if (flops == 0) continue;
        uint32_t global = find_product(w, hash_word(4, w->global[o->first_result])),
                 local = find_product(w, hash_word(5, w->local[o->first_result]));
        if (inside) {
            w->sum += flops * (runs - recomputed_runs(w, global, local, runs));
            continue;
        }
        w->products.at[global].local = local;
        w->products.at[global].runs += runs, w->products.at[local].runs += runs;
        w->sum += flops * runs;
    }
}

double model_flops(const Module *m, Arena *a) {
    size_t n = m->values.n;
    FlopWalk w = {.m = m,
                  .a = a,
                  .global = arena_zalloc(a, n * sizeof *w.global),
                  .local = arena_zalloc(a, n * sizeof *w.local),
                  .marks = arena_zalloc(a, n)};
    idmap_init(&w.map, a);
    walk_flops(&w, op_region(m, module_main(m), 0), 1, false);
    return w.sum;
}
