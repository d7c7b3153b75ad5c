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

typedef struct Sorts {
    OpId *plain,
        *moving;        // by value: the last sort so far that has it as its first operand, without places and with them
    OpId *first_reader; // by value
    OpId *by;           // by op: the sort that it is part of, or NO_ID
} Sorts;

static bool is_read_before(const Module *m, const Sorts *s, OpId op, OpId until) {
    for (uint32_t i = 0; i < op_get(m, op)->n_results; i++)
        if (s->first_reader[op_result(m, op, i)] < until) return true;
    return false;
}

// Notes the sort, or the one that becomes part of the other. Whether one does.
static bool meet_sort(const Module *m, Sorts *s, OpId op) {
    ValueId v = op_operand(m, op, 0);
    bool moving = moves_places(m, op);
    OpId plain = moving ? s->plain[v] : op, with = moving ? op : s->moving[v];
    *(moving ? &s->moving[v] : &s->plain[v]) = op;
    if (plain == NO_ID || with == NO_ID || s->by[plain] != NO_ID) return false;
    if (!sorts_the_same(m, plain, with) || is_read_before(m, s, plain, with)) return false;
    s->by[plain] = with;
    return true;
}

static void drop_sorts(Module *m, const Sorts *s) {
    for (RegionId r = 0; r < m->regions.n; r++)
        for (OpId *link = &m->regions.at[r].first; *link != NO_ID;) {
            if (s->by[*link] == NO_ID)
                link = &m->ops.at[*link].next;
            else
                *link = m->ops.at[*link].next;
        }
    for (uint32_t k = 0; k < m->operands.n; k++) {
        const Value *val = &m->values.at[m->operands.at[k]];
        if (val->is_arg || s->by[val->owner] == NO_ID) continue;
        m->operands.at[k] += op_get(m, s->by[val->owner])->first_result - op_get(m, val->owner)->first_result;
    }
}

void merge_stable_sorts(SimProgram *p, Arena *a) {
    Module *m = p->m;
    uint32_t n_sorts = 0;
    for (OpId op = 0; op < m->ops.n; op++) n_sorts += op_kind(m, op) == OP_sort;
    if (n_sorts < 2) return;
    size_t by_value = m->values.n * sizeof(OpId);
    Sorts s = {.plain = memset(arena_alloc(a, by_value), 0xff, by_value),
               .moving = memset(arena_alloc(a, by_value), 0xff, by_value),
               .first_reader = memset(arena_alloc(a, by_value), 0xff, by_value),
               .by = memset(arena_new(a, OpId, m->ops.n), 0xff, m->ops.n * sizeof *s.by)};
    for (OpId op = m->ops.n; op-- > 0;)
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) s.first_reader[op_operand(m, op, i)] = op;
    bool any = false;
    for (OpId op = 0; op < m->ops.n; op++)
        if (op_kind(m, op) == OP_sort) any |= meet_sort(m, &s, op);
    if (any) drop_sorts(m, &s);
}
