// Producer duplication: one walk forwards. Masks and what a broadcast makes larger are small and do not count. What has many sources is
// kept, and is the source of what is made of it, if it has many readers.
#include "sim/fusion/producer_duplication.h"
#include "sim/cost/op_cost.h"

static bool has_many_users(const Users *u, ValueId v) { return u->first[v + 1] > u->first[v] + 1; }

static bool has_source(const DuplicationSources *d, OpId op) {
    return op_get(d->m, op)->n_results == 1 && d->fused[op];
}

static ValueId source_of(const DuplicationSources *d, OpId op) {
    const Module *m = d->m;
    const Op *o = op_get(m, op);
    ValueId found = NO_SOURCE;
    uint32_t rank = value_tensor(m, o->first_result)->rank;
    if (o->kind == OP_broadcast_in_dim && value_bytes(m, op_operand(m, op, 0)) < value_bytes(m, o->first_result))
        rank = UINT32_MAX; // all are smaller
    const ValueId *operand = m->operands.at + o->first_operand, *end = operand + o->n_operands;
    for (; operand < end && found != MANY_SOURCES; operand++) {
        ValueId from = d->of[*operand];
        const Type *t = value_tensor(m, *operand);
        if (from == NO_SOURCE || t->rank < rank || t->elem == EL_I1) continue;
        if (from == MANY_SOURCES && has_many_users(d->users, *operand)) from = *operand;
        found = found == NO_SOURCE || found == from ? from : MANY_SOURCES;
    }
    return found;
}

void find_duplication_sources(const DuplicationSources *d, const ProgramOrder *written) {
    for (ValueId v = 0, n = d->m->values.n; v < n; v++) d->of[v] = v;
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (has_source(d, op)) d->of[op_result(d->m, op, 0)] = source_of(d, op);
    }
}
