// Local ops that read or write at computed places. Indices are global, operands local: offsets are computed in i64
// (narrow index types wrap); where the op clamps its indices, they are clamped to the global bounds first, and only
// then the device's offset is subtracted.
#include "spmd/local/local.h"
#include "support/integer.h"

// The chunk a device holds of one operand dimension: where it starts and how long it is.
typedef struct Chunk {
    AxisId axes[MESH_MAX_AXES];
    uint32_t n;
    int64_t size, global;
} Chunk;

static Chunk operand_chunk(const LocalOp *o, uint32_t operand, uint32_t dim) {
    Chunk c = {.n = 0};
    uint32_t count;
    const uint8_t *factors = rule_dim(o->rule, operand, dim, &count);
    for (uint32_t i = 0; i < count; i++) c.n += factor_axes(o->l, o->n, factors[i], c.axes + c.n);
    c.global = operand_type(o->l->src, o->op, operand)->dims[dim];
    c.size = c.global;
    for (uint32_t i = 0; i < c.n; i++) c.size /= o->l->mesh->axes[c.axes[i]].size;
    return c;
}

static TypeId same_shape(LocalOp *o, ValueId v, Elem e) {
    const Type *t = type_get(o->l->out, lowered_type(o->l, v));
    int64_t dims[MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    return type_tensor(o->l->out, e, t->rank, dims);
}

static ValueId splat_like(LocalOp *o, ValueId v, int64_t value) {
    TypeId scalar = type_tensor(o->l->out, (Elem)type_get(o->l->out, lowered_type(o->l, v))->elem, 0, NULL);
    return emit_broadcast_scalar(o->l, emit_splat(o->l, scalar, value), lowered_type(o->l, v));
}

// Column `k` of an index tensor along index_vector_dim, as i64 with that dimension of size 1 (or the tensor itself when
// it has none).
static ValueId index_column(LocalOp *o, ValueId indices, int64_t vector_dim, uint32_t k) {
    // As i64 a large ui64 would turn negative: clamping it first keeps it out of range on the right side.
    if (type_get(o->l->out, lowered_type(o->l, indices))->elem == EL_UI64)
        indices = emit_binary(o->l, OP_minimum, indices, splat_like(o, indices, INT64_MAX));
    const Type *t = type_get(o->l->out, lowered_type(o->l, indices));
    uint32_t rank = t->rank;
    if (vector_dim >= rank) return emit_convert(o->l, indices, EL_I64);
    int64_t start[MAX_RANK] = {0}, limit[MAX_RANK], stride[MAX_RANK], dims[MAX_RANK];
    for (uint32_t d = 0; d < rank; d++) limit[d] = dims[d] = t->dims[d], stride[d] = 1;
    start[vector_dim] = k;
    limit[vector_dim] = k + 1;
    dims[vector_dim] = 1;
    Module *m = o->l->out;
    NamedAttr attrs[] = {{A_start_indices, attr_ints(m, start, rank)},
                         {A_limit_indices, attr_ints(m, limit, rank)},
                         {A_strides, attr_ints(m, stride, rank)}};
    ValueId column = emit(o->l, OP_slice, &indices, 1, type_tensor(m, (Elem)t->elem, rank, dims), attrs, 3, NULL);
    return emit_convert(o->l, column, EL_I64);
}

static ValueId concat_columns(LocalOp *o, const ValueId *columns, uint32_t n, int64_t vector_dim, TypeId type) {
    if (n == 1) return columns[0];
    NamedAttr attr = {A_dimension, attr_int(o->l->out, vector_dim, EL_I64)};
    return emit(o->l, OP_concatenate, columns, n, type, &attr, 1, NULL);
}

static ValueId clamp_to(LocalOp *o, ValueId v, int64_t max) {
    ValueId low = emit_binary(o->l, OP_maximum, v, splat_like(o, v, 0));
    return emit_binary(o->l, OP_minimum, low, splat_like(o, v, max));
}

// Global indices of one column to local ones; `inside` tells which fall into this device's chunk.
static ValueId shift_into_chunk(LocalOp *o, ValueId column, const Chunk *c, ValueId *inside) {
    Lowering *l = o->l;
    ValueId offset = emit_broadcast_scalar(l, emit_chunk_offset(l, c->axes, c->n, c->size), lowered_type(l, column));
    ValueId shifted = emit_binary(l, OP_subtract, column, offset);
    ValueId below = emit_compare(l, "LT", shifted, splat_like(o, shifted, c->size));
    ValueId in = emit_binary(l, OP_and, emit_compare(l, "GE", shifted, splat_like(o, shifted, 0)), below);
    *inside = *inside == NO_ID ? in : emit_binary(l, OP_and, *inside, in);
    return shifted;
}

// The mask over index tuples as a mask over the gathered result: index dimensions go to the result's batch dimensions.
static ValueId mask_result(LocalOp *o, ValueId inside, int64_t vector_dim, const int64_t *offset_dims,
                           uint32_t n_offset, TypeId result) {
    Lowering *l = o->l;
    const Type *t = type_get(l->out, lowered_type(l, inside)), *r = type_get(l->out, result);
    int64_t dims[MAX_RANK], to[MAX_RANK], result_dims[MAX_RANK];
    uint32_t rank = 0, result_rank = r->rank, next = 0;
    memcpy(result_dims, r->dims, result_rank * sizeof *result_dims);
    for (uint32_t d = 0; d < t->rank; d++)
        if (d != vector_dim) dims[rank++] = t->dims[d];
    for (uint32_t d = 0; d < result_rank; d++)
        if (!has_integer(offset_dims, n_offset, d)) to[next++] = d;
    ValueId mask = inside;
    if (rank != t->rank) mask = emit(l, OP_reshape, &inside, 1, type_tensor(l->out, EL_I1, rank, dims), NULL, 0, NULL);
    NamedAttr attr = {A_broadcast_dimensions, attr_ints(l->out, to, rank)};
    return emit(l, OP_broadcast_in_dim, &mask, 1, type_tensor(l->out, EL_I1, result_rank, result_dims), &attr, 1, NULL);
}

// Axes that tile dimensions of an operand from which no index picks: what is there lies in the first chunk. `kind`: of the
// factors that such a dimension has.
static AxisSet unindexed_axes(const LocalOp *o, const int64_t *map, uint32_t n_map, const int64_t *dims, uint32_t n,
                              FactorKind kind) {
    AxisSet axes = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count, dim = dims ? (uint32_t)dims[i] : i;
        const uint8_t *factors = rule_dim(o->rule, 0, dim, &count);
        if (has_integer(map, n_map, dim) || count == 0 || o->rule->factors[factors[0]].kind != kind) continue;
        Chunk c = operand_chunk(o, 0, dim);
        for (uint32_t k = 0; k < c.n; k++) axes |= (AxisSet)1 << c.axes[k];
    }
    return axes;
}

// gather: windows shrink with their dimension; a tiled dimension that is indexed is gathered by the device that holds
// the index, the others give zero.
ValueId local_gather(LocalOp *o) {
    Lowering *l = o->l;
    local_shrink_sizes(o, A_slice_sizes, 0);
    AttrId record = op_attr(l->src, o->op, A_dimension_numbers);
    uint32_t n_map, n_offset, n_sizes;
    const int64_t *map = record_ints(l->src, record, RF_GATHER_start_index_map, &n_map);
    const int64_t *offset_dims = record_ints(l->src, record, RF_GATHER_offset_dims, &n_offset);
    const int64_t *sizes = op_attr_ints(l->src, o->op, A_slice_sizes, &n_sizes);
    int64_t vector_dim = record_int(l->src, record, RF_GATHER_index_vector_dim, 0);
    bool masked = false;
    for (uint32_t k = 0; k < n_map; k++) {
        Chunk c = operand_chunk(o, 0, (uint32_t)map[k]);
        masked |= c.n && sizes[map[k]] != c.global;
    }
    AxisSet unindexed = unindexed_axes(o, map, n_map, NULL, n_sizes, FACTOR_REDUCE);
    ValueId first = unindexed ? emit_is_first(l, unindexed) : NO_ID;
    // A tiled index dimension leaves sorted indices sorted; shifted ones are not known to be.
    if (!masked) return first;
    local_drop_attr(o, A_indices_are_sorted);
    ValueId columns[MAX_RANK], inside = NO_ID, indices = o->operands[1];
    for (uint32_t k = 0; k < n_map; k++) {
        Chunk c = operand_chunk(o, 0, (uint32_t)map[k]);
        columns[k] = index_column(o, indices, vector_dim, k);
        if (!c.n || sizes[map[k]] == c.global) continue;
        // Gather clamps starts to the operand: to the whole one, before the shift.
        columns[k] = shift_into_chunk(o, clamp_to(o, columns[k], c.global - sizes[map[k]]), &c, &inside);
    }
    o->operands[1] = concat_columns(o, columns, n_map, vector_dim, same_shape(o, indices, EL_I64));
    ValueId mask = mask_result(o, inside, vector_dim, offset_dims, n_offset, o->types[0]);
    return first == NO_ID ? mask : emit_binary(l, OP_and, mask, emit_broadcast_scalar(l, first, lowered_type(l, mask)));
}

// scatter: a device drops the updates outside its chunk, as the op itself drops those outside the operand; the operand
// enters a sum once.
void local_scatter(LocalOp *o) {
    Lowering *l = o->l;
    AttrId record = op_attr(l->src, o->op, A_scatter_dimension_numbers);
    uint32_t n_inputs = op_get(l->src, o->op)->n_results, n_map;
    const int64_t *map = record_ints(l->src, record, RF_SCATTER_scatter_dims_to_operand_dims, &n_map);
    int64_t vector_dim = record_int(l->src, record, RF_SCATTER_index_vector_dim, 0);
    for (uint32_t i = 0; i < n_inputs; i++) local_enter_once(o, i, local_tiled_reductions(o));
    // Only inserted dimensions are indexed: a full window lies at 0 on every device or is dropped by all.
    uint32_t n_inserted;
    const int64_t *inserted = record_ints(l->src, record, RF_SCATTER_inserted_window_dims, &n_inserted);
    bool shifted = false;
    ValueId columns[MAX_RANK], indices = o->operands[n_inputs];
    for (uint32_t k = 0; k < n_map; k++)
        shifted |= has_integer(inserted, n_inserted, map[k]) && operand_chunk(o, 0, (uint32_t)map[k]).n;
    AxisSet unindexed = unindexed_axes(o, map, n_map, inserted, n_inserted, FACTOR_PASS);
    if (!shifted && !unindexed) return;
    local_drop_attr(o, A_indices_are_sorted);
    for (uint32_t k = 0; k < n_map; k++) {
        Chunk c = operand_chunk(o, 0, (uint32_t)map[k]);
        columns[k] = index_column(o, indices, vector_dim, k);
        if (!c.n || !has_integer(inserted, n_inserted, map[k])) continue;
        ValueId inside = NO_ID, at = shift_into_chunk(o, columns[k], &c, &inside);
        columns[k] = emit_select(l, inside, at, splat_like(o, at, -1));
    }
    if (unindexed) {
        ValueId outside = splat_like(o, columns[0], operand_type(l->src, o->op, 0)->dims[map[0]]);
        columns[0] = emit_select(l, emit_is_first(l, unindexed), columns[0], outside);
    }
    o->operands[n_inputs] = concat_columns(o, columns, n_map, vector_dim, same_shape(o, indices, EL_I64));
}

// torch_index_select: as gather at one dimension.
ValueId local_torch_index_select(LocalOp *o) {
    Lowering *l = o->l;
    uint32_t dim = (uint32_t)op_attr_int(l->src, o->op, A_dim, 0),
             batch = (uint32_t)op_attr_int(l->src, o->op, A_batch_dims, 0);
    Chunk c = operand_chunk(o, 0, dim);
    if (!c.n) return NO_ID;
    ValueId inside = NO_ID, indices = index_column(o, o->operands[1], INT64_MAX, 0);
    o->operands[1] = shift_into_chunk(o, clamp_to(o, indices, c.global - 1), &c, &inside);
    int64_t to[MAX_RANK], dims[MAX_RANK];
    uint32_t rank = type_get(l->out, lowered_type(l, inside))->rank;
    for (uint32_t d = 0; d < rank; d++) to[d] = d < batch ? d : dim + d - batch;
    const Type *result = type_get(l->out, o->types[0]);
    memcpy(dims, result->dims, result->rank * sizeof *dims);
    NamedAttr attr = {A_broadcast_dimensions, attr_ints(l->out, to, rank)};
    return emit(l, OP_broadcast_in_dim, &inside, 1, type_tensor(l->out, EL_I1, result->rank, dims), &attr, 1, NULL);
}

// The start index of each dimension as i64, and what the chunks of tiled dimensions make of it: clamped to the whole
// dimension, then shifted. `first` is the operand with the first start index, `sizes` what is read or written. Only
// dimensions for which `tiled` is set are shifted.
static ValueId shift_starts(LocalOp *o, uint32_t first, const int64_t *sizes, const bool *tiled, uint32_t rank) {
    ValueId inside = NO_ID;
    for (uint32_t d = 0; d < rank; d++) {
        ValueId start = index_column(o, o->operands[first + d], INT64_MAX, 0);
        o->operands[first + d] = start;
        if (!tiled[d]) continue;
        Chunk c = operand_chunk(o, 0, d);
        o->operands[first + d] = shift_into_chunk(o, clamp_to(o, start, c.global - sizes[d]), &c,
                                                  sizes[d] == 1 ? &inside : &(ValueId){NO_ID});
    }
    return inside;
}

// dynamic_slice: dimensions taken in full shrink; of a tiled dimension one element is taken by the device that holds
// it.
ValueId local_dynamic_slice(LocalOp *o) {
    Lowering *l = o->l;
    uint32_t rank;
    const int64_t *sizes = op_attr_ints(l->src, o->op, A_slice_sizes, &rank);
    bool tiled[MAX_RANK], any = false;
    for (uint32_t d = 0; d < rank; d++) {
        Chunk c = operand_chunk(o, 0, d);
        tiled[d] = c.n && sizes[d] != c.global;
        any |= tiled[d];
    }
    local_shrink_sizes(o, A_slice_sizes, 0);
    return any ? shift_starts(o, 1, sizes, tiled, rank) : NO_ID;
}

static ValueId emit_pad(Lowering *l, ValueId v, const int64_t *amount, uint32_t rank) {
    Type t = *type_get(l->out, lowered_type(l, v)); // a copy: new types may move the table
    int64_t dims[MAX_RANK], none[MAX_RANK] = {0};
    for (uint32_t d = 0; d < rank; d++) dims[d] = t.dims[d] + 2 * amount[d];
    TypeId type = type_like(l->out, lowered_type(l, v), dims);
    ValueId operands[] = {v, emit_zero(l, type_tensor(l->out, (Elem)t.elem, 0, NULL))};
    NamedAttr attrs[] = {{A_edge_padding_low, attr_ints(l->out, amount, rank)},
                         {A_edge_padding_high, attr_ints(l->out, amount, rank)},
                         {A_interior_padding, attr_ints(l->out, none, rank)}};
    return emit(l, OP_pad, operands, 2, type, attrs, 3, NULL);
}

static ValueId emit_crop(Lowering *l, ValueId v, const int64_t *amount, TypeId type, uint32_t rank) {
    const Type *t = type_get(l->out, lowered_type(l, v));
    int64_t limit[MAX_RANK], ones[MAX_RANK];
    for (uint32_t d = 0; d < rank; d++) limit[d] = t->dims[d] - amount[d], ones[d] = 1;
    NamedAttr attrs[] = {{A_start_indices, attr_ints(l->out, amount, rank)},
                         {A_limit_indices, attr_ints(l->out, limit, rank)},
                         {A_strides, attr_ints(l->out, ones, rank)}};
    return emit(l, OP_slice, &v, 1, type, attrs, 3, NULL);
}

// dynamic_update_slice of a tiled dimension: each device applies its part. An update of one element replaces what is
// there by itself on all devices but one (so that the buffer can stay in place); a longer one may straddle chunks: the
// chunk is padded by its size on both sides, so that what lies outside hits padding, and the padding is cut off.
ValueId local_dynamic_update_slice(LocalOp *o) {
    Lowering *l = o->l;
    const Type *global = operand_type(l->src, o->op, 0), *update = operand_type(l->src, o->op, 1);
    uint32_t rank = global->rank;
    bool tiled[MAX_RANK], any = false, padded = false;
    int64_t amount[MAX_RANK] = {0};
    for (uint32_t d = 0; d < rank; d++) {
        tiled[d] = operand_chunk(o, 0, d).n && update->dims[d] != global->dims[d];
        any |= tiled[d];
        if (tiled[d] && update->dims[d] != 1) amount[d] = update->dims[d], padded = true;
    }
    if (!any) return NO_ID;
    ValueId inside = shift_starts(o, 2, update->dims, tiled, rank);
    if (padded) o->operands[0] = emit_pad(l, o->operands[0], amount, rank);
    for (uint32_t d = 0; d < rank; d++)
        if (amount[d])
            o->operands[2 + d] = emit_binary(l, OP_add, o->operands[2 + d],
                                             emit_splat(l, lowered_type(l, o->operands[2 + d]), amount[d]));
    if (inside != NO_ID) {
        ValueId *operands = arena_new(l->a, ValueId, rank + 1);
        operands[0] = o->operands[0];
        memcpy(operands + 1, o->operands + 2, rank * sizeof *operands);
        const Type *local = local_operand_type(o, 1);
        NamedAttr attr = {A_slice_sizes, attr_ints(l->out, local->dims, rank)};
        ValueId there = emit(l, OP_dynamic_slice, operands, rank + 1, lowered_type(l, o->operands[1]), &attr, 1, NULL);
        o->operands[1] = emit_select(l, inside, o->operands[1], there);
    }
    ValueId v = emit(l, OP_dynamic_update_slice, o->operands, o->n_operands, lowered_type(l, o->operands[0]), o->attrs,
                     o->n_attrs, NULL);
    return padded ? emit_crop(l, v, amount, o->types[0], rank) : v;
}
