// Order: one walk over @main.
#include "sim/order.h"

// Copies come on top of the ops: at most one for each operand.
Order order_new(const Module *m, Arena *a) {
    size_t n = m->ops.n, operands = m->operands.n;
    Order o = {.at = arena_new(a, OpId, n + operands),
               .position = arena_new(a, uint32_t, n),
               .first = arena_new(a, uint32_t, n),
               .next = arena_new(a, OpId, n),
               .head = arena_new(a, OpId, m->regions.n),
               .until = arena_new(a, uint32_t, n),
               .copied = arena_new(a, uint32_t, operands)};
    memset(o.position, 0xff, n * sizeof *o.position);
    memset(o.head, 0xff, m->regions.n * sizeof *o.head);
    memset(o.copied, 0xff, operands * sizeof *o.copied);
    return o;
}

void order_begin(Order *o, OpId op) { o->first[op] = o->n; }

void order_add(Order *o, RegionId r, OpId *tail, OpId op) {
    o->position[op] = o->until[op] = o->n;
    o->at[o->n++] = op;
    o->next[op] = NO_ID;
    if (*tail == NO_ID)
        o->head[r] = op;
    else
        o->next[*tail] = op;
    *tail = op;
}

static void add_region(const Module *m, RegionId r, Order *o) {
    OpId tail = NO_ID;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        order_begin(o, op);
        if (runs_regions(op_kind(m, op)))
            for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++) add_region(m, op_region(m, op, i), o);
        order_add(o, r, &tail, op);
    }
}

Order order_build(const Module *m, Arena *a) {
    Order o = order_new(m, a);
    add_region(m, op_region(m, module_main(m), 0), &o);
    return o;
}

OpId op_within(const Module *m, OpId op, RegionId r) {
    while (op != NO_ID && op_get(m, op)->parent != r) op = m->regions.at[op_get(m, op)->parent].parent;
    return op;
}

RegionId value_region(const Module *m, ValueId v) {
    const Value *val = &m->values.at[v];
    return val->is_arg ? val->owner : op_get(m, val->owner)->parent;
}
