// Order: one walk over @main.
#include "sim/order.h"

static void add_region(const Module *m, RegionId r, Order *o) {
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        o->first[op] = o->n;
        if (runs_regions(op_kind(m, op)))
            for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++) add_region(m, op_region(m, op, i), o);
        o->position[op] = o->n;
        o->at[o->n++] = op;
    }
}

Order order_build(const Module *m, Arena *a) {
    Order o = {.at = arena_new(a, OpId, m->ops.n), .position = arena_new(a, uint32_t, m->ops.n), .first = arena_new(a, uint32_t, m->ops.n)};
    memset(o.position, 0xff, m->ops.n * sizeof *o.position);
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
