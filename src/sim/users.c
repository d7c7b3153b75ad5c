// Users: counted, then listed value by value, from the last to the first.
#include "sim/users.h"

Users users_build(const Module *m, const Written *written, Arena *a) {
    Users u = {.pending = arena_zalloc(a, m->ops.n * sizeof *u.pending),
               .first = arena_zalloc(a, ((size_t)m->values.n + 1) * sizeof *u.first)};
    for (uint32_t p = 0; p < written->n; p++) {
        const Op *o = op_get(m, written->at[p]);
        for (uint32_t k = o->first_operand, end = k + o->n_operands; k < end; k++) u.first[m->operands.at[k]]++;
    }
    uint32_t total = 0;
    for (uint32_t v = 0; v <= m->values.n; v++)
        u.first[v] = total += u.first[v]; // where the list ends, until it is filled
    u.op = arena_new(a, OpId, total);
    u.slot = arena_new(a, uint32_t, total);
    bool nested = has_nested(written);
    for (uint32_t p = written->n; p-- > 0;) {
        OpId op = written->at[p];
        const Op *o = op_get(m, op);
        for (uint32_t k = o->first_operand + o->n_operands; k-- > o->first_operand;) {
            ValueId v = m->operands.at[k];
            RegionId r = nested ? value_region(m, v) : o->parent;
            OpId user = o->parent == r ? op : op_within(m, op, r);
            uint32_t at = --u.first[v];
            u.op[at] = user;
            u.slot[at] = k;
            u.pending[user]++;
        }
    }
    return u;
}
