// Users: counted, then listed value by value.
#include "sim/users.h"

static OpId user_of(const Module *m, OpId op, ValueId v) {
    RegionId r = value_region(m, v);
    return op_get(m, op)->parent == r ? op : op_within(m, op, r);
}

Users users_build(const Module *m, const Written *written, const ValueId *same, Arena *a) {
    Users u = {.pending = arena_zalloc(a, m->ops.n * sizeof *u.pending),
               .first = arena_zalloc(a, ((size_t)m->values.n + 2) * sizeof *u.first)};
    // The lists are filled from `start`: one entry early, so that it ends up where the next list starts.
    uint32_t *start = u.first + 1, total = 0;
    for (uint32_t p = 0; p < written->n; p++)
        for (uint32_t i = 0, n = op_get(m, written->at[p])->n_operands; i < n; i++)
            start[same[op_operand(m, written->at[p], i)]]++;
    for (uint32_t v = 0; v < m->values.n; v++) {
        uint32_t n = start[v];
        start[v] = total;
        total += n;
    }
    u.op = arena_new(a, OpId, total);
    u.slot = arena_new(a, uint32_t, total);
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
            ValueId v = same[op_operand(m, op, i)];
            OpId user = user_of(m, op, v);
            u.op[start[v]] = user;
            u.slot[start[v]++] = op_get(m, op)->first_operand + i;
            u.pending[user]++;
        }
    }
    return u;
}
