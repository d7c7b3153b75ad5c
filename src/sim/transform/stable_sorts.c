// Stable sorts, as XLA's StableSortExpander leaves them to common subexpression elimination: from the sorts that move places along, back
// to those without.
#include "sim/transform/transform.h"

// Whether two ops of comparators are alike; values inside stand `more` further on in the second after its arguments.
static bool is_same_step(const Module *m, const Region *p, const Region *q, const Op *x, const Op *y) {
    if (x->kind != y->kind || x->n_operands != y->n_operands || x->n_attrs != y->n_attrs || x->n_regions) return false;
    const NamedAttr *a = m->op_attrs.at + x->first_attr, *b = m->op_attrs.at + y->first_attr;
    for (uint32_t i = 0; i < x->n_attrs; i++)
        if (a[i].name != b[i].name || a[i].value != b[i].value) return false;
    const ValueId *v = m->operands.at + x->first_operand, *w = m->operands.at + y->first_operand;
    for (uint32_t i = 0; i < x->n_operands; i++) {
        ValueId same = v[i];
        if (v[i] >= p->first_arg) same += q->first_arg - p->first_arg;
        if (v[i] >= p->first_arg + p->n_args) same += q->n_args - p->n_args;
        if (w[i] != same) return false;
    }
    return true;
}

static bool is_same_comparator(const Module *m, const Region *p, const Region *q) {
    OpId x = p->first, y = q->first;
    for (; x != NO_ID && y != NO_ID; x = op_get(m, x)->next, y = op_get(m, y)->next)
        if (!is_same_step(m, p, q, op_get(m, x), op_get(m, y))) return false;
    return x == y;
}

// Whether the last operand of a stable sort is the place of each element along the dimension.
static bool moves_places(const Module *m, OpId sort) {
    const Op *o = op_get(m, sort);
    const Value *val = &m->values.at[op_operand(m, sort, o->n_operands - 1)];
    return op_attr_bool(m, sort, A_is_stable, false) && !val->is_arg && op_kind(m, val->owner) == OP_iota &&
           op_attr_int(m, val->owner, A_iota_dimension, -1) == op_attr_int(m, sort, A_dimension, -1);
}

// Whether `plain` sorts the same by the same.
static bool sorts_the_same(const Module *m, OpId plain, OpId sort) {
    const Op *x = op_get(m, plain), *y = op_get(m, sort);
    if (x->kind != OP_sort || x->parent != y->parent || x->n_operands + 1 != y->n_operands) return false;
    for (uint32_t i = 0; i < x->n_operands; i++)
        if (op_operand(m, plain, i) != op_operand(m, sort, i)) return false;
    return op_attr_bool(m, plain, A_is_stable, false) &&
           op_attr_int(m, plain, A_dimension, -1) == op_attr_int(m, sort, A_dimension, -1) &&
           is_same_comparator(m, &m->regions.at[op_region(m, plain, 0)], &m->regions.at[op_region(m, sort, 0)]);
}

static bool is_result(const Module *m, OpId op, ValueId v) { return v - op_get(m, op)->first_result < op_get(m, op)->n_results; }

// Whether an op written between the two reads a result of the first.
static bool is_read_before(const Module *m, OpId op, OpId until) {
    for (OpId reader = op + 1; reader < until; reader++)
        for (uint32_t i = 0; i < op_get(m, reader)->n_operands; i++)
            if (is_result(m, op, op_operand(m, reader, i))) return true;
    return false;
}

static void drop_sort(Module *m, OpId *link, OpId by) {
    OpId op = *link;
    for (uint32_t k = 0; k < m->operands.n; k++)
        if (is_result(m, op, m->operands.at[k]))
            m->operands.at[k] += op_get(m, by)->first_result - op_get(m, op)->first_result;
    *link = op_get(m, op)->next;
}

void merge_stable_sorts(SimProgram *p) {
    Module *m = p->m;
    for (OpId sort = 0; sort < m->ops.n; sort++) {
        if (op_kind(m, sort) != OP_sort || !moves_places(m, sort)) continue;
        for (OpId *link = &m->regions.at[op_get(m, sort)->parent].first; *link != NO_ID;) {
            if (sorts_the_same(m, *link, sort) && !is_read_before(m, *link, sort))
                drop_sort(m, link, sort);
            else
                link = &m->ops.at[*link].next;
        }
    }
}
