// Small collectives for CPU, as they are emitted (spmd/export/to_stablehlo.c): a first walk over the ops counts sums, a second one
// inserts an all_reduce before each small reduce_scatter.
#include "sim/cost/cost.h"
#include "sim/transform/transform.h"
#include "spmd/export/cpu_order.h"

// The axes of a reduce_scatter along one dimension, as an all_reduce has them; NO_ID for others, and for what is not small.
static AttrId small_axes(const Module *m, const Op *o, OpId op) {
    if (o->kind != OP_partir_reduce_scatter || value_bytes(m, op_operand(m, op, 0)) > CPU_SMALL_BYTES) return NO_ID;
    const Attr *by_dim = attr_get(m, op_attr(m, op, A_axes));
    AttrId found = NO_ID;
    for (uint32_t i = 0; i < by_dim->n; i++) {
        if (!attr_get(m, by_dim->items[i])->n) continue;
        if (found != NO_ID) return NO_ID;
        found = by_dim->items[i];
    }
    return found;
}

// Before the op, which then slices: gives the new one.
static OpId put_sum_before(SimProgram *p, OpId op, AttrId axes) {
    Module *m = p->m;
    OpId sum = m->ops.n++;
    ValueId v = m->values.n++;
    Op *o = &m->ops.at[op];
    NamedAttr *attrs = m->op_attrs.at + m->op_attrs.n;
    m->ops.at[sum] = *o;
    m->ops.at[sum].kind = OP_partir_all_reduce;
    m->ops.at[sum].first_result = v;
    m->ops.at[sum].first_attr = m->op_attrs.n;
    m->ops.at[sum].next = op;
    for (uint32_t i = 0; i < o->n_attrs; i++) {
        attrs[i] = m->op_attrs.at[o->first_attr + i];
        if (attrs[i].name == A_axes) attrs[i].value = axes;
    }
    m->op_attrs.n += o->n_attrs;
    m->values.at[v] = (Value){.type = value_type(m, op_operand(m, op, 0)), .owner = sum};
    o->kind = OP_partir_all_slice;
    o->first_operand = m->operands.n;
    m->operands.at[m->operands.n++] = v;
    p->op[sum] = p->op[op];
    p->value[v] = p->value[o->first_result];
    return sum;
}

void split_small_reduce_scatters(SimProgram *p, Arena *a) {
    Module *m = p->m;
    uint32_t n = 0, n_attrs = 0;
    for (OpId op = 0; op < m->ops.n; op++)
        if (op_kind(m, op) == OP_partir_reduce_scatter) n++, n_attrs += op_get(m, op)->n_attrs;
    if (!n) return;
    uint32_t *sums = arena_zalloc(a, m->attrs.n * sizeof *sums); // by their axes
    for (OpId op = 0; op < m->ops.n; op++) {
        AttrId axes = op_kind(m, op) == OP_partir_all_reduce ? op_attr(m, op, A_axes) : small_axes(m, op_get(m, op), op);
        if (axes != NO_ID) sums[axes]++;
    }
    make_room(p, n, a);
    NamedAttr *attrs = arena_new(a, NamedAttr, m->op_attrs.n + n_attrs); // those so far are the given program's
    m->op_attrs.at = memcpy(attrs, m->op_attrs.at, m->op_attrs.n * sizeof *attrs);
    for (RegionId r = 0; r < m->regions.n; r++)
        for (OpId *link = &m->regions.at[r].first; *link != NO_ID; link = &m->ops.at[*link].next) {
            AttrId axes = small_axes(m, op_get(m, *link), *link);
            if (axes != NO_ID && sums[axes] > 1) *link = put_sum_before(p, *link, axes), link = &m->ops.at[*link].next;
        }
}
