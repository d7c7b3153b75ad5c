// Alike: one walk in program order with a table of what was met. Arithmetic is left out: programs are traced, so that
// the same sum is hardly ever written twice.
#include "sim/alike.h"

static bool is_sought(OpKind k) {
    return k == OP_constant || k == OP_iota || k == OP_broadcast_in_dim || k == OP_reshape || k == OP_transpose ||
           k == OP_convert;
}

static uint32_t hash_op(const Module *m, OpId op, const ValueId *same) {
    const Op *o = op_get(m, op);
    uint32_t h = hash_u32(hash_u32(o->kind, o->parent), value_type(m, o->first_result));
    for (uint32_t i = 0; i < o->n_operands; i++) h = hash_u32(h, same[op_operand(m, op, i)]);
    for (uint32_t i = 0; i < o->n_attrs; i++) h = hash_u32(h, m->op_attrs.at[o->first_attr + i].value);
    return h;
}

static bool is_alike(const Module *m, OpId a, OpId b, const ValueId *same) {
    const Op *x = op_get(m, a), *y = op_get(m, b);
    if (x->kind != y->kind || x->parent != y->parent || x->n_attrs != y->n_attrs ||
        value_type(m, x->first_result) != value_type(m, y->first_result))
        return false;
    for (uint32_t i = 0; i < x->n_operands; i++)
        if (same[op_operand(m, a, i)] != same[op_operand(m, b, i)]) return false;
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
        if (!is_sought(op_kind(m, op))) continue;
        uint32_t hash = hash_op(m, op, same), at = hash;
        while ((other = idmap_probe(&seen, hash, &at)) != IDMAP_END && !is_alike(m, op, other, same)) continue;
        if (other == IDMAP_END)
            idmap_add(&seen, hash, op);
        else
            same[op_result(m, op, 0)] = op_result(m, other, 0);
    }
    return same;
}
