// Loop-invariant code motion: one walk in program order.
#include "sim/transform/transform.h"

#define ALL 255 // deeper nests are as good as this

static bool is_body(const Module *m, RegionId r) {
    OpId op = m->regions.at[r].parent;
    return op != NO_ID && op_kind(m, op) == OP_while && op_region(m, op, 1) == r;
}

// The same for a value as seen from an inner region: it does not change in the loops between.
static uint32_t seen_from(const Module *m, const uint8_t *loops, ValueId v, RegionId r) {
    uint32_t n = loops[v];
    for (RegionId home = value_region(m, v); r != home; r = op_get(m, m->regions.at[r].parent)->parent)
        n += is_body(m, r);
    return n < ALL ? n : ALL;
}

static uint8_t count_around(const Module *m, RegionId r) {
    uint32_t n = 0;
    for (OpId op; (op = m->regions.at[r].parent) != NO_ID; r = op_get(m, op)->parent) n += is_body(m, r);
    return (uint8_t)(n < ALL ? n : ALL);
}

static void enter(const Module *m, RegionId r, uint8_t *loops) {
    OpId loop = m->regions.at[r].parent, next = region_terminator(m, r);
    for (uint32_t i = 0; i < m->regions.at[r].n_args; i++) {
        ValueId arg = m->regions.at[r].first_arg + i;
        if (op_operand(m, next, i) != arg) continue;
        uint32_t n = 1 + seen_from(m, loops, op_operand(m, loop, i), op_get(m, loop)->parent);
        loops[arg] = (uint8_t)(n < ALL ? n : ALL);
    }
}

uint8_t *find_loop_invariants(const Module *m, const ProgramOrder *written, bool keeps_gathers_in_loops, Arena *a) {
    if (!written->count[OP_while]) return NULL;
    uint8_t *loops = arena_zalloc(a, m->values.n), *entered = arena_zalloc(a, m->regions.n);
    uint8_t *around = arena_zalloc(a, m->regions.n); // loops
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        RegionId r = op_get(m, op)->parent;
        if (!entered[r]) around[r] = count_around(m, r);
        if (!entered[r] && is_body(m, r)) enter(m, r, loops);
        entered[r] = 1;
        if (op_get(m, op)->n_regions) continue;
        uint32_t least = keeps_gathers_in_loops && op_kind(m, op) == OP_partir_all_gather ? 0 : around[r];
        for (uint32_t i = 0; i < op_get(m, op)->n_operands && least; i++) {
            uint32_t n = seen_from(m, loops, op_operand(m, op, i), r);
            if (n < least) least = n;
        }
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) loops[op_result(m, op, i)] = (uint8_t)least;
    }
    return loops;
}
