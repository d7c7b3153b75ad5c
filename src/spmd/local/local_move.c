// Local ops that move: slice, pad, reverse and concatenate along a tiled dimension. A chunk of the result consists of elements
// that the device has and of elements of other chunks, which collective_permutes bring:
//
//     slice [2:10] of 12 elements on 2 devices         device 0 has 0..5 and wants 2..5, device 1 has 6..11 and wants 6..9
//     pad by 1 before and cut 1 behind, on 2 devices   device 1 gets the last element of device 0, and no more
//
// Each op is described by pieces at offsets in the result, with a fill elsewhere: a slice is a piece at a negative offset, a
// pad one at its padding, and the operands of a concatenate follow one another. Strides and interior padding are local: a
// strided slice reads the region that it steps through, and interior padding is added to each chunk first. Where the
// exchange would send more than a gather of the operand, the operand is gathered.
#include "spmd/local/move.h"

bool moves(const Lowering *l, NodeId n) {
    if (!l->g->nodes[n].rule->moves) return false;
    uint32_t len;
    const NestEntry *nest = state_nest(l->s, n, &len);
    for (uint32_t k = 0; k < len; k++)
        if (l->g->nodes[n].rule->factors[nest[k].factor].kind == FACTOR_MOVE && l->mesh->axes[nest[k].axis].size > 1)
            return true;
    return false;
}

static ValueId zero_like(const LocalOp *o) {
    return emit_zero(o->l, type_tensor(o->l->out, (Elem)type_get(o->l->out, o->types[0])->elem, 0, NULL));
}

static int64_t entry(const LocalOp *o, AttrName name, uint32_t d, int64_t absent) {
    uint32_t n;
    const int64_t *at = op_attr_ints(o->l->src, o->op, name, &n);
    return d < n ? at[d] : absent;
}

// Where in its source an operand begins that is a slice of it; 0 if it is none.
static int64_t sliced_from(const LocalOp *o, uint32_t operand, uint32_t dim) {
    const Module *src = o->l->src;
    ValueId v = op_operand(src, o->op, operand);
    if (rule_operand(src, o->op, operand) == v) return 0;
    uint32_t n;
    return op_attr_ints(src, src->values.at[v].owner, A_start_indices, &n)[dim];
}

static void through_slice(const LocalOp *o, uint32_t operand, uint32_t dim, MovePiece *p) {
    const Module *src = o->l->src;
    if (rule_operand(src, o->op, operand) == op_operand(src, o->op, operand)) return;
    p->size = value_tensor(src, rule_operand(src, o->op, operand))->dims[dim];
    p->at -= sliced_from(o, operand, dim);
}

void local_slice_operands(LocalOp *o) {
    const Module *src = o->l->src;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = op_operand(src, o->op, i), source = rule_operand(src, o->op, i);
        if (v == source) continue;
        const Type *from = value_tensor(src, source), *to = value_tensor(src, v);
        uint32_t dim = 0;
        while (from->dims[dim] == to->dims[dim]) dim++;
        Move m = {.l = o->l, .dim = dim};
        int64_t start = sliced_from(o, i, dim);
        const Dist *d = o->l->out_dist.at[o->operands[i]];
        o->operands[i] = move_take(&m, o->operands[i], start, start + to->dims[dim], 1);
        o->l->out_dist.at[o->operands[i]] = d;
    }
}

// What is cut is the region that the slice steps through; a step of it is local.
static ValueId move_slice(LocalOp *o, Move *m, ValueId v) {
    int64_t start = entry(o, A_start_indices, m->dim, 0), stride = entry(o, A_strides, m->dim, 1);
    int64_t whole = operand_type(o->l->src, o->op, 0)->dims[m->dim], size = result_type(o->l->src, o->op, 0)->dims[m->dim];
    MovePiece p = {v, whole, -start, 0, smaller_of(size * stride, whole - start), false};
    m->fill = zero_like(o);
    v = move_assemble(m, &p, 1, size * stride);
    return stride == 1 ? v : move_take(m, v, 0, m->size, stride);
}

// Interior padding makes each chunk longer; the last of it belongs to what follows.
static ValueId move_pad(LocalOp *o, Move *m, ValueId v) {
    int64_t low = entry(o, A_edge_padding_low, m->dim, 0), inner = entry(o, A_interior_padding, m->dim, 0);
    int64_t whole = operand_type(o->l->src, o->op, 0)->dims[m->dim], size = result_type(o->l->src, o->op, 0)->dims[m->dim];
    m->fill = o->operands[1];
    if (inner > 0) v = move_pad_along(m, v, 0, inner, inner, m->fill);
    whole *= inner + 1;
    MovePiece p = {v, whole, low, larger_of(low, 0), smaller_of(low + whole, size), false};
    through_slice(o, 0, m->dim, &p);
    return move_assemble(m, &p, 1, size);
}

static ValueId move_reverse(LocalOp *o, Move *m, ValueId v) {
    int64_t dim = m->dim, *pairs = arena_new(o->l->a, int64_t, 2 * m->chunks);
    for (int64_t c = 0; c < m->chunks; c++) pairs[2 * c] = m->chunks - 1 - c, pairs[2 * c + 1] = c;
    NamedAttr attr = {A_dimensions, attr_ints(o->l->out, &dim, 1)};
    v = emit(o->l, OP_reverse, &v, 1, lowered_type(o->l, v), &attr, 1, NULL);
    return emit_exchange(o->l, v, m->axes, m->n_axes, pairs, (uint32_t)m->chunks);
}

static ValueId move_concatenate(LocalOp *o, Move *m) {
    MovePiece *pieces = arena_new(o->l->a, MovePiece, o->n_operands);
    int64_t at = 0;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        int64_t size = operand_type(o->l->src, o->op, i)->dims[m->dim];
        uint32_t n;
        bool whole = o->rule->factors[rule_dim(o->rule, i, m->dim, &n)[0]].kind != FACTOR_MOVE;
        pieces[i] = (MovePiece){o->operands[i], size, at, at, at + size, whole};
        through_slice(o, i, m->dim, &pieces[i]);
        at += size;
    }
    m->fill = zero_like(o);
    return move_assemble(m, pieces, o->n_operands, at);
}

// The op along one dimension of the value as it is now.
static ValueId move_one(LocalOp *o, Move *m, ValueId v) {
    int64_t start, limit, stride, dim = m->dim;
    switch (op_kind(o->l->src, o->op)) {
    case OP_slice:
        if (m->n_axes) return move_slice(o, m, v);
        start = entry(o, A_start_indices, m->dim, 0), stride = entry(o, A_strides, m->dim, 1);
        limit = entry(o, A_limit_indices, m->dim, 0);
        return move_take(m, v, start, limit, stride);
    case OP_pad:
        if (m->n_axes) return move_pad(o, m, v);
        return move_pad_along(m, v, entry(o, A_edge_padding_low, m->dim, 0), entry(o, A_edge_padding_high, m->dim, 0),
                         entry(o, A_interior_padding, m->dim, 0), o->operands[1]);
    case OP_reverse: {
        if (m->n_axes) return move_reverse(o, m, v);
        NamedAttr attr = {A_dimensions, attr_ints(o->l->out, &dim, 1)};
        return emit(o->l, OP_reverse, &v, 1, lowered_type(o->l, v), &attr, 1, NULL);
    }
    default: return move_concatenate(o, m);
    }
}

// Dimension by dimension: those that the op leaves as they are have a factor that passes.
ValueId local_move(LocalOp *o) {
    ValueId v = o->operands[0];
    uint32_t rank = rule_rank(o->rule, 0);
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t n;
        uint8_t factor = rule_dim(o->rule, o->rule->n_operands, d, &n)[0];
        if (o->rule->factors[factor].kind == FACTOR_PASS) continue;
        Move m = {.l = o->l, .dim = d, .chunks = 1, .chunk = NO_ID};
        m.n_axes = factor_axes(o->l, o->n, factor, m.axes);
        for (uint32_t i = 0; i < m.n_axes; i++) m.chunks *= o->l->mesh->axes[m.axes[i]].size;
        v = move_one(o, &m, v);
    }
    return v;
}
