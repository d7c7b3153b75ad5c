// Users: counted, then listed value by value, from the last to the first.
#include "sim/users.h"

Users users_build(const Module *m, const Written *written, Arena *a) {
    Users u = {.pending = arena_zalloc(a, m->ops.n * sizeof *u.pending),
               .first = arena_zalloc(a, ((size_t)m->values.n + 1) * sizeof *u.first)};
    uint32_t *first = u.first;
    for (uint32_t p = 0; p < written->n; p++) {
        const Op *o = op_get(m, written->at[p]);
        const ValueId *v = m->operands.at + o->first_operand;
        for (const ValueId *end = v + o->n_operands; v < end; v++) first[*v]++;
    }
    uint32_t total = 0;
    for (uint32_t v = 0, n = m->values.n; v <= n; v++)
        first[v] = total += first[v]; // where the list ends, until it is filled
    u.op = arena_new(a, OpId, total);
    u.slot = arena_new(a, uint32_t, total);
    OpId *ops = u.op;
    uint32_t *slots = u.slot;
    bool nested = has_nested(written);
    for (uint32_t p = written->n; p-- > 0;) {
        OpId op = written->at[p];
        const Op *o = op_get(m, op);
        u.pending[op] += nested ? 0 : o->n_operands;
        for (uint32_t k = o->first_operand + o->n_operands; k-- > o->first_operand;) {
            ValueId v = m->operands.at[k];
            uint32_t at = --first[v];
            slots[at] = k;
            ops[at] = op;
            if (!nested) continue;
            RegionId r = value_region(m, v);
            OpId user = ops[at] = o->parent == r ? op : op_within(m, op, r);
            u.pending[user]++;
        }
    }
    return u;
}
