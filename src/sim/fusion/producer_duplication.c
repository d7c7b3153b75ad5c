// Producer duplication: one forward walk finds whether a fused value is computed from one value or from many. Masks and operands of broadcasts are small
// and do not count. A value with many sources and many readers is kept in memory, and counts as one source for its readers.
#include "sim/cost/cost.h"
#include "sim/fusion/fusion.h"

static ValueId source_of(const Module *m, const Users *users, const ValueId *source, OpId op) {
    const Op *o = op_get(m, op);
    ValueId found = NO_SOURCE;
    uint32_t rank = value_tensor(m, o->first_result)->rank;
    if (o->kind == OP_broadcast_in_dim && value_bytes(m, op_operand(m, op, 0)) < value_bytes(m, o->first_result))
        rank = UINT32_MAX; // all are smaller
    // Into rows of one tensor it sets an element of each: indices and updates are small.
    uint32_t n = o->kind == OP_scatter ? 1 : o->n_operands;
    const ValueId *operand = m->operands.at + o->first_operand, *end = operand + n;
    for (; operand < end && found != MANY_SOURCES; operand++) {
        ValueId from = source[*operand];
        const Type *t = value_tensor(m, *operand);
        if (from == NO_SOURCE || t->rank < rank || t->elem == EL_I1) continue;
        if (from == MANY_SOURCES && count_users(users, *operand) > 1) from = *operand;
        found = found == NO_SOURCE || found == from ? from : MANY_SOURCES;
    }
    return found;
}

const ValueId *find_duplication_sources(const Module *m, const ProgramOrder *written, const Users *users,
                                        const uint8_t *fused, Arena *a) {
    ValueId *source = arena_new(a, ValueId, m->values.n);
    for (ValueId v = 0, n = m->values.n; v < n; v++) source[v] = v;
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (op_get(m, op)->n_results == 1 && fused[op]) source[op_result(m, op, 0)] = source_of(m, users, source, op);
    }
    return source;
}
