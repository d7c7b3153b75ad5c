// Alike: one walk in program order with a table of what was met. Arithmetic is left out: programs are traced, so that
// the same sum is hardly ever written twice.
#include "sim/alike.h"

static bool is_sought(OpKind k) {
    return k == OP_constant || k == OP_iota || k == OP_broadcast_in_dim || k == OP_reshape || k == OP_transpose ||
           k == OP_convert;
}

// All of these have one result and at most one operand.
static ValueId first_operand(const Module *m, const Op *o, const ValueId *same) {
    return o->n_operands ? same[m->operands.at[o->first_operand]] : NO_ID;
}

static uint32_t hash_op(const Module *m, const Op *o, const ValueId *same) {
    uint32_t h = hash_u32(o->kind + (value_type(m, o->first_result) << 8), first_operand(m, o, same));
    return o->n_attrs ? hash_u32(h, m->op_attrs.at[o->first_attr].value) : h;
}

static bool is_alike(const Module *m, const Op *x, const Op *y, const ValueId *same) {
    if (x->kind != y->kind || x->parent != y->parent || x->n_attrs != y->n_attrs ||
        value_type(m, x->first_result) != value_type(m, y->first_result) ||
        first_operand(m, x, same) != first_operand(m, y, same))
        return false;
    for (uint32_t i = 0; i < x->n_attrs; i++) {
        const NamedAttr *p = &m->op_attrs.at[x->first_attr + i], *q = &m->op_attrs.at[y->first_attr + i];
        if (p->name != q->name || p->value != q->value) return false;
    }
    return true;
}

ValueId *find_alike(const Module *m, const Written *written, Arena *a) {
    ValueId *same = arena_new(a, ValueId, m->values.n);
    for (ValueId v = 0; v < m->values.n; v++) same[v] = v;
    IdMap seen;
    idmap_init(&seen, a);
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p], other;
        const Op *o = op_get(m, op);
        if (!is_sought((OpKind)o->kind)) continue;
        uint32_t hash = hash_op(m, o, same), at = hash;
        while ((other = idmap_probe(&seen, hash, &at)) != IDMAP_END && !is_alike(m, o, op_get(m, other), same))
            continue;
        if (other == IDMAP_END)
            idmap_add(&seen, hash, op);
        else
            same[o->first_result] = op_result(m, other, 0);
    }
    return same;
}
