// Alike: one walk in program order with a table of what was met. Arithmetic is left out: programs are traced, so that
// the same sum is hardly ever written twice, but to be computed again behind a barrier.
#include "sim/alike.h"

static bool is_sought(OpKind k) {
    return k == OP_constant || k == OP_iota || k == OP_broadcast_in_dim || k == OP_reshape || k == OP_transpose ||
           k == OP_convert;
}

static ValueId first_operand(const Module *m, const Op *o, const ValueId *same) {
    return o->n_operands ? same[m->operands.at[o->first_operand]] : NO_ID;
}

static uint32_t hash_op(const Module *m, const Op *o, const ValueId *same) {
    uint32_t h = hash_u32(o->kind + (value_type(m, o->first_result) << 8), first_operand(m, o, same));
    return o->n_attrs ? hash_u32(h, m->op_attrs.at[o->first_attr].value) : h;
}

// Of reductions by one op.
static bool regions_alike(const Module *m, const Op *x, const Op *y) {
    if (x->n_regions == 0) return true;
    return op_kind(m, m->regions.at[m->op_regions.at[x->first_region]].first) ==
           op_kind(m, m->regions.at[m->op_regions.at[y->first_region]].first);
}

static bool is_alike(const Module *m, const Op *x, const Op *y, const ValueId *same) {
    if (x->kind != y->kind || x->parent != y->parent || x->n_attrs != y->n_attrs ||
        value_type(m, x->first_result) != value_type(m, y->first_result) || x->n_operands != y->n_operands ||
        !regions_alike(m, x, y))
        return false;
    for (uint32_t i = 0; i < x->n_operands; i++)
        if (same[m->operands.at[x->first_operand + i]] != same[m->operands.at[y->first_operand + i]]) return false;
    for (uint32_t i = 0; i < x->n_attrs; i++) {
        const NamedAttr *p = &m->op_attrs.at[x->first_attr + i], *q = &m->op_attrs.at[y->first_attr + i];
        if (p->name != q->name || p->value != q->value) return false;
    }
    return true;
}

static bool is_collective(OpKind k) {
    return k == OP_partir_all_gather || k == OP_partir_all_reduce || k == OP_partir_all_to_all ||
           k == OP_partir_collective_permute || k == OP_partir_reduce_scatter;
}

// What gives the same whenever it is computed; collectives are told apart.
static bool is_pure(const Module *m, OpId op) {
    OpKind k = op_kind(m, op);
    const Op *o = op_get(m, op);
    if (o->n_results != 1 || k == OP_rng || k == OP_custom_call || runs_regions(k) || is_collective(k)) return false;
    OpId by = o->n_regions == 1 ? m->regions.at[op_region(m, op, 0)].first : NO_ID;
    return o->n_regions == 0 ||
           (o->n_regions == 1 && k == OP_reduce && op_is_terminator(op_kind(m, op_get(m, by)->next)));
}

ValueId *find_alike(const Module *m, Written *written, bool barriers_removed, Arena *a) {
    ValueId *same = arena_new(a, ValueId, m->values.n);
    for (ValueId v = 0; v < m->values.n; v++) same[v] = v;
    IdMap seen;
    idmap_init(&seen, a);
    bool all = barriers_removed && written->count[OP_optimization_barrier];
    uint32_t kept = 0;
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p], other;
        const Op *o = op_get(m, op);
        if (all && o->kind == OP_optimization_barrier) {
            for (uint32_t i = 0; i < o->n_results; i++) same[o->first_result + i] = same[op_operand(m, op, i)];
            continue;
        }
        written->at[kept++] = op;
        if (!is_sought((OpKind)o->kind) && !(all && is_pure(m, op))) continue;
        uint32_t hash = hash_op(m, o, same), at = hash;
        while ((other = idmap_probe(&seen, hash, &at)) != IDMAP_END && !is_alike(m, o, op_get(m, other), same))
            continue;
        if (other == IDMAP_END)
            idmap_add(&seen, hash, op);
        else
            same[o->first_result] = op_result(m, other, 0), kept -= all;
    }
    written->n = kept;
    return same;
}
