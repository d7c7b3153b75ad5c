// Local ops: the op as one device runs it on its chunks. Most need nothing but smaller shapes; here are those that need more.
#include "spmd/lowering.h"

uint32_t factor_axes(const Lowering *l, NodeId n, uint8_t factor, AxisId *axes) {
    uint32_t len, count = 0;
    const NestEntry *nest = state_nest(l->s, n, &len);
    for (uint32_t k = 0; k < len; k++)
        if (nest[k].factor == factor && !(l->pending.absorbed[n] >> nest[k].axis & 1)) axes[count++] = nest[k].axis;
    if (l->options.axis_order) {
        for (uint32_t i = 1; i < count; i++) {
            AxisId a = axes[i];
            uint32_t j = i;
            for (; j > 0 && l->options.axis_order[axes[j - 1]] > l->options.axis_order[a]; j--) axes[j] = axes[j - 1];
            axes[j] = a;
        }
    }
    return count;
}

// ---- Sources: constants, iota, broadcasts of scalar constants -------------------------------------------------------------------
static ValueId local_iota(Lowering *l, OpId op, const Dist *d, TypeId type) {
    NamedAttr attrs[8];
    import_attrs(&l->im, op, attrs);
    ValueId v = emit(l, OP_iota, NULL, 0, type, attrs, op_get(l->src, op)->n_attrs, d);
    uint32_t dim = (uint32_t)op_attr_int(l->src, op, A_iota_dimension, 0);
    AxisId axes[MESH_MAX_AXES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->at[i].dim == dim) axes[n++] = d->at[i].axis;
    if (n == 0) return v;
    const Type *t = type_get(l->out, type);
    Elem elem = (Elem)t->elem;
    ValueId offset = emit_convert(l, emit_chunk_offset(l, axes, n, t->dims[dim]), elem);
    ValueId sum = emit_binary(l, OP_add, v, emit_broadcast_scalar(l, offset, type));
    l->out_dist.at[sum] = d;
    return sum;
}

ValueId local_source(Lowering *l, ValueId v, const Dist *d) {
    OpId op = l->src->values.at[v].owner;
    TypeId global = import_type(&l->im, value_type(l->src, v));
    TypeId type = dist_local_type(d, l->mesh, l->out, global);
    OpKind kind = op_kind(l->src, op);
    if (kind == OP_iota) return local_iota(l, op, d, type);
    if (kind == OP_broadcast_in_dim) {
        ValueId scalar = local_source(l, op_operand(l->src, op, 0), dist_whole(l->dists));
        NamedAttr attr = {A_broadcast_dimensions, attr_ints(l->out, NULL, 0)};
        return emit(l, OP_broadcast_in_dim, &scalar, 1, type, &attr, 1, d);
    }
    Attr value = *attr_get(l->out, import_attr(&l->im, op_attr(l->src, op, A_value)));
    bool splat = value.kind == ATTR_DENSE && attr_is_splat(l->out, &value);
    if (splat && value.type != type) value.type = type;
    NamedAttr attr = {A_value, attr_intern(l->out, &value)};
    const Dist *whole = dist_whole(l->dists);
    ValueId c = emit(l, kind, NULL, 0, splat ? type : global, &attr, 1, splat ? d : whole);
    return splat ? c : emit_steps(l, c, whole, dist_with_pending(l->dists, d, 0, MONOID_ADD), global);
}

// ---- Ops with attributes that hold sizes -----------------------------------------------------------------------------------------
typedef struct LocalOp {
    Lowering *l;
    OpId op;
    NodeId n;
    const Rule *rule;
    ValueId *operands;   // may be replaced
    uint32_t n_operands;
    TypeId *types;       // local result types
    NamedAttr *attrs;    // may be replaced
    uint32_t n_attrs;
    const Dist *const *dists;
} LocalOp;

static void set_ints(LocalOp *o, AttrName name, const int64_t *v, uint32_t n) {
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (o->attrs[i].name == (NameId)name) o->attrs[i].value = attr_ints(o->l->out, v, n);
}

static void set_attr(LocalOp *o, AttrName name, AttrId value) {
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (o->attrs[i].name == (NameId)name) o->attrs[i].value = value;
}

static void drop_attr(LocalOp *o, AttrName name) {
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (o->attrs[i].name == (NameId)name) o->attrs[i--] = o->attrs[--o->n_attrs];
}

static const Type *local_type(const LocalOp *o, uint32_t operand) { return type_get(o->l->out, out_type(o->l, o->operands[operand])); }

// Sizes of whole dimensions shrink with them.
static void shrink_sizes(LocalOp *o, AttrName name, uint32_t operand) {
    uint32_t n;
    const int64_t *old = op_attr_ints(o->l->src, o->op, name, &n);
    const Type *global = operand_type(o->l->src, o->op, operand), *local = local_type(o, operand);
    int64_t sizes[256];
    for (uint32_t d = 0; d < n; d++) sizes[d] = old[d] == global->dims[d] ? local->dims[d] : old[d];
    set_ints(o, name, sizes, n);
}

static void local_broadcast(LocalOp *o) {
    uint32_t n;
    op_attr_ints(o->l->src, o->op, A_broadcast_sizes, &n);
    set_ints(o, A_broadcast_sizes, type_get(o->l->out, o->types[0])->dims, n);
}

// Groups of a convolution: when the group factor is tiled, so is the number of groups.
static void local_convolution(LocalOp *o) {
    static const AttrName names[] = {A_feature_group_count, A_batch_group_count};
    const Rule *r = o->rule;
    AttrId record = op_attr(o->l->src, o->op, A_dimension_numbers);
    uint32_t feature = (uint32_t)record_int(o->l->src, record, RF_CONV_output_feature_dimension, 0);
    for (int i = 0; i < 2; i++) {
        int64_t groups = op_attr_int(o->l->src, o->op, names[i], 1);
        if (groups == 1) continue;
        // The group factor is the major one of the output feature dimension.
        uint32_t count;
        const uint8_t *factors = rule_dim(r, 2, feature, &count);
        if (count == 0 || r->factors[factors[0]].size != groups) continue;
        AxisId axes[MESH_MAX_AXES];
        uint32_t n = factor_axes(o->l, o->n, factors[0], axes);
        for (uint32_t k = 0; k < n; k++) groups /= o->l->mesh->axes[axes[k]].size;
        set_attr(o, names[i], attr_int(o->l->out, groups, EL_I64));
    }
}

// ---- Reductions: what enters once ------------------------------------------------------------------------------------------------
static AxisSet tiled_reductions(const LocalOp *o) {
    uint32_t len;
    const NestEntry *nest = state_nest(o->l->s, o->n, &len);
    AxisSet axes = 0;
    for (uint32_t k = 0; k < len; k++)
        if (o->rule->factors[nest[k].factor].kind == FACTOR_REDUCE) axes |= (AxisSet)1 << nest[k].axis;
    return axes;
}

static bool is_identity_constant(const Module *m, ValueId v, Monoid monoid) {
    const Value *val = &m->values.at[v];
    double d;
    if (val->is_arg || op_kind(m, val->owner) != OP_constant) return false;
    if (!attr_splat_double(m, attr_get(m, op_attr(m, val->owner, A_value)), &d)) return false;
    return monoid == MONOID_MUL ? d == 1 : d == 0;
}

// A starting value that each device would otherwise add again: the first device keeps it, the others start from the neutral element.
static void enter_once(LocalOp *o, uint32_t operand, AxisSet axes) {
    Monoid m = (Monoid)o->rule->monoid;
    if (!axes || (m != MONOID_ADD && m != MONOID_MUL && m != MONOID_XOR)) return; // max, min, and, or: entering twice changes nothing
    if (is_identity_constant(o->l->src, op_operand(o->l->src, o->op, operand), m)) return;
    ValueId v = o->operands[operand];
    o->operands[operand] = emit_select(o->l, emit_is_first(o->l, axes), v, emit_identity(o->l, out_type(o->l, v), m));
}

// ---- Indexed ops: indices are global, operands local -----------------------------------------------------------------------------
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
    const Type *t = type_get(o->l->out, out_type(o->l, v));
    int64_t dims[256];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    return type_tensor(o->l->out, e, t->rank, dims);
}

static ValueId splat_like(LocalOp *o, ValueId v, int64_t value) {
    TypeId scalar = type_tensor(o->l->out, (Elem)type_get(o->l->out, out_type(o->l, v))->elem, 0, NULL);
    return emit_broadcast_scalar(o->l, emit_splat(o->l, scalar, value), out_type(o->l, v));
}

// Column `k` of an index tensor along index_vector_dim, as i64 with that dimension of size 1 (or the tensor itself when it has none).
static ValueId index_column(LocalOp *o, ValueId indices, int64_t vector_dim, uint32_t k) {
    // As i64 a large ui64 would turn negative: clamping it first keeps it out of range on the right side.
    if (type_get(o->l->out, out_type(o->l, indices))->elem == EL_UI64) indices = emit_binary(o->l, OP_minimum, indices, splat_like(o, indices, INT64_MAX));
    const Type *t = type_get(o->l->out, out_type(o->l, indices));
    uint32_t rank = t->rank;
    if (vector_dim >= rank) return emit_convert(o->l, indices, EL_I64);
    int64_t start[256] = {0}, limit[256], stride[256], dims[256];
    for (uint32_t d = 0; d < rank; d++) limit[d] = dims[d] = t->dims[d], stride[d] = 1;
    start[vector_dim] = k;
    limit[vector_dim] = k + 1;
    dims[vector_dim] = 1;
    Module *m = o->l->out;
    NamedAttr attrs[] = {{A_start_indices, attr_ints(m, start, rank)}, {A_limit_indices, attr_ints(m, limit, rank)}, {A_strides, attr_ints(m, stride, rank)}};
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
    ValueId offset = emit_broadcast_scalar(l, emit_chunk_offset(l, c->axes, c->n, c->size), out_type(l, column));
    ValueId shifted = emit_binary(l, OP_subtract, column, offset);
    ValueId in = emit_binary(l, OP_and, emit_compare(l, "GE", shifted, splat_like(o, shifted, 0)), emit_compare(l, "LT", shifted, splat_like(o, shifted, c->size)));
    *inside = *inside == NO_ID ? in : emit_binary(l, OP_and, *inside, in);
    return shifted;
}

static bool contains(const int64_t *list, uint32_t n, int64_t x) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == x) return true;
    return false;
}

// The mask over index tuples as a mask over the gathered result: index dimensions go to the result's batch dimensions.
static ValueId mask_result(LocalOp *o, ValueId inside, int64_t vector_dim, const int64_t *offset_dims, uint32_t n_offset, TypeId result) {
    Lowering *l = o->l;
    const Type *t = type_get(l->out, out_type(l, inside)), *r = type_get(l->out, result);
    int64_t dims[256], to[256], result_dims[256];
    uint32_t rank = 0, result_rank = r->rank, next = 0;
    memcpy(result_dims, r->dims, result_rank * sizeof *result_dims);
    for (uint32_t d = 0; d < t->rank; d++)
        if (d != vector_dim) dims[rank++] = t->dims[d];
    for (uint32_t d = 0; d < result_rank; d++)
        if (!contains(offset_dims, n_offset, d)) to[next++] = d;
    ValueId mask = inside;
    if (rank != t->rank) mask = emit(l, OP_reshape, &inside, 1, type_tensor(l->out, EL_I1, rank, dims), NULL, 0, NULL);
    NamedAttr attr = {A_broadcast_dimensions, attr_ints(l->out, to, rank)};
    return emit(l, OP_broadcast_in_dim, &mask, 1, type_tensor(l->out, EL_I1, result_rank, result_dims), &attr, 1, NULL);
}

// gather: windows shrink with their dimension; a tiled dimension that is indexed is gathered by the device that holds the index, the others give zero.
static ValueId local_gather(LocalOp *o) {
    Lowering *l = o->l;
    shrink_sizes(o, A_slice_sizes, 0);
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
    // A tiled index dimension leaves sorted indices sorted; shifted ones are not known to be.
    if (!masked) return NO_ID;
    drop_attr(o, A_indices_are_sorted);
    ValueId columns[256], inside = NO_ID, indices = o->operands[1];
    for (uint32_t k = 0; k < n_map; k++) {
        Chunk c = operand_chunk(o, 0, (uint32_t)map[k]);
        columns[k] = index_column(o, indices, vector_dim, k);
        if (!c.n || sizes[map[k]] == c.global) continue;
        // Gather clamps starts to the operand: to the whole one, before the shift.
        columns[k] = shift_into_chunk(o, clamp_to(o, columns[k], c.global - sizes[map[k]]), &c, &inside);
    }
    o->operands[1] = concat_columns(o, columns, n_map, vector_dim, same_shape(o, indices, EL_I64));
    return mask_result(o, inside, vector_dim, offset_dims, n_offset, o->types[0]);
}

// scatter: a device drops the updates outside its chunk, as the op itself drops those outside the operand; the operand enters a sum once.
static void local_scatter(LocalOp *o) {
    Lowering *l = o->l;
    AttrId record = op_attr(l->src, o->op, A_scatter_dimension_numbers);
    uint32_t n_inputs = op_get(l->src, o->op)->n_results, n_map;
    const int64_t *map = record_ints(l->src, record, RF_SCATTER_scatter_dims_to_operand_dims, &n_map);
    int64_t vector_dim = record_int(l->src, record, RF_SCATTER_index_vector_dim, 0);
    for (uint32_t i = 0; i < n_inputs; i++) enter_once(o, i, tiled_reductions(o));
    // Only inserted dimensions are indexed: a full window lies at 0 on every device or is dropped by all.
    uint32_t n_inserted;
    const int64_t *inserted = record_ints(l->src, record, RF_SCATTER_inserted_window_dims, &n_inserted);
    bool shifted = false;
    ValueId columns[256], indices = o->operands[n_inputs];
    for (uint32_t k = 0; k < n_map; k++) shifted |= contains(inserted, n_inserted, map[k]) && operand_chunk(o, 0, (uint32_t)map[k]).n;
    if (!shifted) return;
    drop_attr(o, A_indices_are_sorted);
    for (uint32_t k = 0; k < n_map; k++) {
        Chunk c = operand_chunk(o, 0, (uint32_t)map[k]);
        columns[k] = index_column(o, indices, vector_dim, k);
        if (!c.n || !contains(inserted, n_inserted, map[k])) continue;
        ValueId inside = NO_ID, at = shift_into_chunk(o, columns[k], &c, &inside);
        columns[k] = emit_select(l, inside, at, splat_like(o, at, -1));
    }
    o->operands[n_inputs] = concat_columns(o, columns, n_map, vector_dim, same_shape(o, indices, EL_I64));
}

// ---- The op -----------------------------------------------------------------------------------------------------------------------
static ValueId adjust(LocalOp *o) {
    Lowering *l = o->l;
    switch (op_kind(l->src, o->op)) {
    case OP_broadcast: local_broadcast(o); break;
    case OP_slice: shrink_sizes(o, A_limit_indices, 0); break;
    case OP_dynamic_slice: shrink_sizes(o, A_slice_sizes, 0); break;
    case OP_convolution: local_convolution(o); break;
    case OP_reduce:
        for (uint32_t i = o->n_operands / 2; i < o->n_operands; i++) enter_once(o, i, tiled_reductions(o));
        break;
    case OP_gather: return local_gather(o);
    case OP_scatter: local_scatter(o); break;
    default: break;
    }
    return NO_ID;
}

bool local_op(Lowering *l, OpId op, NodeId n, const ValueId *operands, const Dist *const *result_dists, ValueId *results) {
    const Op *src = op_get(l->src, op);
    Arena *a = l->a;
    LocalOp o = {.l = l, .op = op, .n = n, .rule = l->g->nodes[n].rule, .n_operands = src->n_operands, .n_attrs = src->n_attrs, .dists = result_dists};
    o.operands = arena_new(a, ValueId, src->n_operands);
    memcpy(o.operands, operands, src->n_operands * sizeof *operands);
    o.types = arena_new(a, TypeId, src->n_results);
    for (uint32_t i = 0; i < src->n_results; i++)
        o.types[i] = dist_local_type(result_dists[i], l->mesh, l->out, import_type(&l->im, value_type(l->src, src->first_result + i)));
    o.attrs = arena_new(a, NamedAttr, src->n_attrs);
    import_attrs(&l->im, op, o.attrs);
    ValueId mask = adjust(&o);
    OpId local = emit_op(l, &(OpSpec){.kind = (OpKind)src->kind, .operands = o.operands, .n_operands = o.n_operands, .results = o.types, .n_results = src->n_results, .attrs = o.attrs, .n_attrs = o.n_attrs, .n_regions = src->n_regions},
                         mask == NO_ID ? result_dists : NULL);
    for (uint32_t r = 0; r < src->n_regions; r++) import_region(&l->im, op_region(l->src, op, r), op_region(l->out, local, r), l->value);
    note_ops(l);
    l->out_image.at[local] = true;
    for (uint32_t i = 0; i < src->n_results; i++) results[i] = op_result(l->out, local, i);
    if (mask != NO_ID) {
        TypeId scalar = type_tensor(l->out, (Elem)type_get(l->out, o.types[0])->elem, 0, NULL);
        ValueId zero = emit_broadcast_scalar(l, emit_splat(l, scalar, 0), o.types[0]);
        results[0] = emit_select(l, mask, results[0], zero);
        l->out_dist.at[results[0]] = result_dists[0];
    }
    return true;
}
