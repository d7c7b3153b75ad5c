// Local ops: the op as one device runs it on its chunks. Most ops need only smaller shapes; this file has those that need
// more.
#include "spmd/local/local.h"
#include "ir/analysis/call_estimate.h"

uint32_t factor_axes(const Lowering *l, NodeId n, uint8_t factor, AxisId *axes) {
    uint32_t len, count = 0;
    const NestEntry *nest = lowered_nest(l, n, &len);
    for (uint32_t k = 0; k < len; k++)
        if (nest[k].factor == factor && l->mesh->axes[nest[k].axis].size > 1 &&
            !(l->pending.absorbed[n] >> nest[k].axis & 1))
            axes[count++] = nest[k].axis;
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

// ---- Sources: constants, iota, broadcasts of scalar constants ------------------------------------------------------
static ValueId local_iota(Lowering *l, OpId op, const Dist *d, TypeId type) {
    NamedAttr few[FEW], *attrs = few_or_new(l->a, NamedAttr, few, op_get(l->src, op)->n_attrs);
    import_attrs(&l->im, op, attrs);
    ValueId v = emit(l, OP_iota, NULL, 0, type, attrs, op_get(l->src, op)->n_attrs, d);
    uint32_t dim = (uint32_t)op_attr_int(l->src, op, A_iota_dimension, 0);
    AxisId axes[MESH_MAX_AXES];
    uint32_t n = dist_axes(d, dim, axes);
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
    TypeId type = local_type(l, d, global);
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

// ---- Ops with attributes that hold sizes ---------------------------------------------------------------------------

static void local_set_ints(LocalOp *o, AttrName name, const int64_t *v, uint32_t n) {
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (o->attrs[i].name == (NameId)name) o->attrs[i].value = attr_ints(o->l->out, v, n);
}

static void set_attr(LocalOp *o, AttrName name, AttrId value) {
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (o->attrs[i].name == (NameId)name) o->attrs[i].value = value;
}

void local_drop_attr(LocalOp *o, AttrName name) {
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (o->attrs[i].name == (NameId)name) o->attrs[i--] = o->attrs[--o->n_attrs];
}

// Sizes of whole dimensions shrink with them.
void local_shrink_sizes(LocalOp *o, AttrName name, uint32_t operand) {
    uint32_t n;
    const int64_t *old = op_attr_ints(o->l->src, o->op, name, &n);
    const Type *global = operand_type(o->l->src, o->op, operand), *local = local_operand_type(o, operand);
    int64_t sizes[MAX_RANK];
    for (uint32_t d = 0; d < n; d++) sizes[d] = old[d] == global->dims[d] ? local->dims[d] : old[d];
    local_set_ints(o, name, sizes, n);
}

static void local_broadcast(LocalOp *o) {
    uint32_t n;
    op_attr_ints(o->l->src, o->op, A_broadcast_sizes, &n);
    local_set_ints(o, A_broadcast_sizes, type_get(o->l->out, o->types[0])->dims, n);
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

// A kernel that says what it costs does so for the whole call.
static void local_custom_call(LocalOp *o) {
    uint32_t len;
    const NestEntry *nest = lowered_nest(o->l, o->n, &len);
    CallEstimate estimate;
    int64_t chunks = 1;
    for (uint32_t k = 0; k < len; k++) chunks *= o->l->mesh->axes[nest[k].axis].size;
    if (chunks == 1 || !call_estimate(o->l->src, o->op, &estimate)) return;
    NamedAttr *attrs = arena_new(o->l->a, NamedAttr, o->n_attrs + 1);
    memcpy(attrs, o->attrs, o->n_attrs * sizeof *attrs);
    attrs[o->n_attrs++] = (NamedAttr){name_intern(o->l->out, CHUNKS_ATTRIBUTE), attr_int(o->l->out, chunks, EL_I64)};
    o->attrs = attrs;
}

// ---- Reductions: what enters once ----------------------------------------------------------------------------------
AxisSet local_tiled_reductions(const LocalOp *o) {
    uint32_t len;
    const NestEntry *nest = lowered_nest(o->l, o->n, &len);
    AxisSet axes = 0;
    for (uint32_t k = 0; k < len; k++)
        if (o->l->mesh->axes[nest[k].axis].size > 1 && o->rule->factors[nest[k].factor].kind == FACTOR_REDUCE)
            axes |= (AxisSet)1 << nest[k].axis;
    return axes;
}

static bool is_identity_constant(const Module *m, ValueId v, Monoid monoid) {
    const Value *val = &m->values.at[v];
    double d;
    if (val->is_arg || op_kind(m, val->owner) != OP_constant) return false;
    if (!attr_splat_double(m, attr_get(m, op_attr(m, val->owner, A_value)), &d)) return false;
    return monoid == MONOID_MUL ? d == 1 : d == 0;
}

// A starting value that each device would otherwise add again: the first device keeps it, the others start from the
// neutral element.
void local_enter_once(LocalOp *o, uint32_t operand, AxisSet axes) {
    Monoid m = (Monoid)o->rule->monoid;
    if (!axes || (m != MONOID_ADD && m != MONOID_MUL && m != MONOID_XOR))
        return; // max, min, and, or: entering twice changes nothing
    if (is_identity_constant(o->l->src, op_operand(o->l->src, o->op, operand), m)) return;
    ValueId v = o->operands[operand], neutral = emit_identity(o->l, lowered_type(o->l, v), m);
    o->operands[operand] = emit_select(o->l, emit_is_first(o->l, axes), v, neutral);
}

// ---- The op --------------------------------------------------------------------------------------------------------
static ValueId adjust(LocalOp *o) {
    Lowering *l = o->l;
    switch (op_kind(l->src, o->op)) {
    case OP_broadcast: local_broadcast(o); break;
    case OP_slice: local_shrink_sizes(o, A_limit_indices, 0); break;
    case OP_dynamic_slice: return local_dynamic_slice(o);
    case OP_torch_index_select: return local_torch_index_select(o);
    case OP_convolution: local_convolution(o); break;
    case OP_custom_call: local_custom_call(o); break;
    case OP_reduce:
        for (uint32_t i = o->n_operands / 2; i < o->n_operands; i++) local_enter_once(o, i, local_tiled_reductions(o));
        break;
    case OP_gather: return local_gather(o);
    case OP_scatter: local_scatter(o); break;
    default: break;
    }
    return NO_ID;
}

bool local_op(Lowering *l, OpId op, NodeId n, const ValueId *operands, const Dist *const *result_dists,
              ValueId *results) {
    const Op *src = op_get(l->src, op);
    Arena *a = l->a;
    LocalOp o = {.l = l,
                 .op = op,
                 .n = n,
                 .rule = l->g->nodes[n].rule,
                 .n_operands = src->n_operands,
                 .n_attrs = src->n_attrs,
                 .dists = result_dists};
    ValueId few_operands[FEW];
    TypeId few_types[FEW];
    NamedAttr few_attrs[FEW];
    o.operands = few_or_new(a, ValueId, few_operands, src->n_operands);
    memcpy(o.operands, operands, src->n_operands * sizeof *operands);
    o.types = few_or_new(a, TypeId, few_types, src->n_results);
    for (uint32_t i = 0; i < src->n_results; i++)
        o.types[i] = local_type(l, result_dists[i], import_type(&l->im, value_type(l->src, src->first_result + i)));
    o.attrs = few_or_new(a, NamedAttr, few_attrs, src->n_attrs);
    import_attrs(&l->im, op, o.attrs);
    ValueId done = src->kind == OP_dynamic_update_slice ? local_dynamic_update_slice(&o) : NO_ID;
    if (moves(l, n))
        done = local_move(&o);
    else if (src->kind == OP_concatenate || src->kind == OP_pad)
        local_slice_operands(&o);
    if (done != NO_ID) {
        l->out_dist.at[done] = result_dists[0];
        results[0] = done;
        return true;
    }
    ValueId mask = adjust(&o);
    OpId local = emit_op(l,
                         &(OpSpec){.kind = (OpKind)src->kind,
                                   .operands = o.operands,
                                   .n_operands = o.n_operands,
                                   .results = o.types,
                                   .n_results = src->n_results,
                                   .attrs = o.attrs,
                                   .n_attrs = o.n_attrs,
                                   .n_regions = src->n_regions},
                         mask == NO_ID ? result_dists : NULL);
    for (uint32_t r = 0; r < src->n_regions; r++)
        import_region(&l->im, op_region(l->src, op, r), op_region(l->out, local, r), l->value);
    if (src->n_regions) note_ops(l);
    l->out_image.at[local] = true;
    for (uint32_t i = 0; i < src->n_results; i++) results[i] = op_result(l->out, local, i);
    if (mask != NO_ID) {
        results[0] = emit_select(l, mask, results[0], emit_zero(l, o.types[0]));
        l->out_dist.at[results[0]] = result_dists[0];
    }
    return true;
}
