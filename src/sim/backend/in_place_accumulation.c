// In-place accumulation: walks from the ends of loop bodies back to the products.
#include "sim/fusion/fusion.h"

// The op of this region that makes a value which nobody else reads, or NO_ID.
static OpId maker(const Module *m, const Users *u, RegionId r, ValueId v) {
    const Value *val = &m->values.at[v];
    return !val->is_arg && count_users(u, v) == 1 && op_get(m, val->owner)->parent == r ? val->owner : NO_ID;
}

static bool is_product(const Module *m, OpId op) { return op != NO_ID && IS_PRODUCT(op_kind(m, op)); }

// Marks the product that the value is, or is scattered into. False if there is none.
static bool mark_product(const Module *m, const Users *u, const uint8_t *added, RegionId r, ValueId v, uint8_t *mark) {
    OpId op = maker(m, u, r, v);
    if (is_product(m, op)) return mark[op] = ACCUMULATED, true;
    if (op == NO_ID || op_kind(m, op) != OP_add || !added || !added[op]) return false;
    for (uint32_t i = 0; i < 2; i++) {
        OpId product = maker(m, u, r, op_operand(m, op, i));
        if (is_product(m, product)) return mark[op] = mark[product] = ACCUMULATED, true;
    }
    return false;
}

const uint8_t *find_in_place_accumulation(const Module *m, const ProgramOrder *written, const Users *u,
                                          const uint8_t *added, Arena *a) {
    uint8_t *mark = NULL;
    for (uint32_t p = 0; p < written->n; p++) {
        OpId loop = written->at[p];
        if (op_kind(m, loop) != OP_while) continue;
        RegionId body = op_region(m, loop, 1);
        OpId end = region_terminator(m, body);
        if (!mark) mark = arena_zalloc(a, m->ops.n);
        for (uint32_t i = 0; i < op_get(m, end)->n_operands; i++) {
            OpId add = maker(m, u, body, op_operand(m, end, i));
            ValueId sum = m->regions.at[body].first_arg + i;
            if (add == NO_ID || op_kind(m, add) != OP_add || count_users(u, sum) != 1) continue;
            uint32_t other = op_operand(m, add, 0) == sum;
            if (op_operand(m, add, 1 - other) == sum &&
                mark_product(m, u, added, body, op_operand(m, add, other), mark))
                mark[add] = ACCUMULATES;
        }
    }
    return mark;
}
