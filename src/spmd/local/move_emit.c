// Emits single ops along the dimension that moves, on this device's elements.
#include "spmd/local/move.h"

int64_t move_size_along(const Move *m, ValueId v) { return type_get(m->l->out, lowered_type(m->l, v))->dims[m->dim]; }

TypeId move_resized(const Move *m, ValueId v, int64_t size) {
    const Type *t = type_get(m->l->out, lowered_type(m->l, v));
    int64_t dims[MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[m->dim] = size;
    return type_like(m->l->out, lowered_type(m->l, v), dims);
}

ValueId move_take(const Move *m, ValueId v, int64_t start, int64_t limit, int64_t stride) {
    const Type *t = type_get(m->l->out, lowered_type(m->l, v));
    uint32_t rank = t->rank;
    int64_t starts[MAX_RANK] = {0}, limits[MAX_RANK], strides[MAX_RANK];
    for (uint32_t d = 0; d < rank; d++) limits[d] = t->dims[d], strides[d] = 1;
    if (start == 0 && limit == limits[m->dim] && stride == 1) return v;
    starts[m->dim] = start;
    limits[m->dim] = limit;
    strides[m->dim] = stride;
    Module *out = m->l->out;
    NamedAttr attrs[] = {{A_start_indices, attr_ints(out, starts, rank)},
                         {A_limit_indices, attr_ints(out, limits, rank)},
                         {A_strides, attr_ints(out, strides, rank)}};
    TypeId type = move_resized(m, v, (limit - start + stride - 1) / stride);
    return emit(m->l, OP_slice, &v, 1, type, attrs, 3, NULL);
}

ValueId move_pad_along(const Move *m, ValueId v, int64_t low, int64_t high, int64_t inner, ValueId fill) {
    uint32_t rank = type_get(m->l->out, lowered_type(m->l, v))->rank;
    int64_t lows[MAX_RANK] = {0}, highs[MAX_RANK] = {0}, inners[MAX_RANK] = {0}, n = move_size_along(m, v);
    lows[m->dim] = low;
    highs[m->dim] = high;
    inners[m->dim] = inner;
    Module *out = m->l->out;
    NamedAttr attrs[] = {{A_edge_padding_low, attr_ints(out, lows, rank)},
                         {A_edge_padding_high, attr_ints(out, highs, rank)},
                         {A_interior_padding, attr_ints(out, inners, rank)}};
    ValueId operands[] = {v, fill};
    return emit(m->l, OP_pad, operands, 2, move_resized(m, v, low + n + (n - 1) * inner + high), attrs, 3, NULL);
}

// `size` elements from a start that only the device knows.
ValueId move_take_at(const Move *m, ValueId v, ValueId start, int64_t size) {
    Lowering *l = m->l;
    uint32_t rank = type_get(l->out, lowered_type(l, v))->rank;
    ValueId operands[MAX_RANK + 1] = {v}, zero = emit_splat(l, lowered_type(l, start), 0);
    for (uint32_t d = 0; d < rank; d++) operands[d + 1] = d == m->dim ? start : zero;
    TypeId type = move_resized(m, v, size);
    NamedAttr attr = {A_slice_sizes, attr_ints(l->out, type_get(l->out, type)->dims, rank)};
    return emit(l, OP_dynamic_slice, operands, rank + 1, type, &attr, 1, NULL);
}

bool move_same_everywhere(const int64_t *table, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (table[i] != table[0]) return false;
    return true;
}

// The entry of this device's chunk, as a scalar.
ValueId move_table_entry(Move *m, const int64_t *table) {
    Lowering *l = m->l;
    TypeId scalar = type_tensor(l->out, EL_I64, 0, NULL);
    if (move_same_everywhere(table, m->chunks)) return emit_splat(l, scalar, table[0]);
    int64_t one = 1, *bytes = arena_new(&l->out->arena, int64_t, m->chunks);
    memcpy(bytes, table, (size_t)m->chunks * sizeof *bytes);
    TypeId type = type_tensor(l->out, EL_I64, 1, &m->chunks);
    NamedAttr value = {A_value, attr_dense_bytes(l->out, type, bytes, (size_t)m->chunks * sizeof *bytes)};
    if (m->chunk == NO_ID) m->chunk = emit_chunk_index(l, m->axes, m->n_axes);
    ValueId operands[] = {emit(l, OP_constant, NULL, 0, type, &value, 1, NULL), m->chunk};
    NamedAttr sizes = {A_slice_sizes, attr_ints(l->out, &one, 1)};
    ValueId entry = emit(l, OP_dynamic_slice, operands, 2, type_tensor(l->out, EL_I64, 1, &one), &sizes, 1, NULL);
    return emit(l, OP_reshape, &entry, 1, scalar, NULL, 0, NULL);
}

ValueId move_fill(const Move *m, TypeId type) { return emit_broadcast_scalar(m->l, m->fill, type); }
