// Collectives of PartIR:HLO: they name axes, never device ids.
//
//     partir.all_slice      axes = [["batch"], []]     keep this device's chunk of each dimension
//     partir.all_gather     axes = [["batch"], []]     its inverse
//     partir.all_reduce     axes = ["model"], monoid = "sum"
//     partir.reduce_scatter axes = [["batch"], []], monoid = "sum"       all_reduce, then all_slice
//     partir.all_to_all     axes = ["model"], split_dimension, concat_dimension
//     partir.collective_permute from = [["a", "b"]], to = [["b", "a"]]   the same chunks on other devices
#include "spmd/lower/lowering.h"

static AttrId axis_array(Lowering *l, const AxisId *axes, uint32_t n) {
    AttrId items[MESH_MAX_AXES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n;) {
        const Axis *axis = &l->mesh->axes[axes[i]];
        if (!axis_is_part(axis)) {
            items[count++] = attr_string(l->out, axis->name);
            i++;
            continue;
        }
        Buffer name; // digits that stand side by side are one part, or the axis
        buf_init(&name, &l->out->arena);
        i += mesh_join(l->mesh, axes + i, n - i, &name);
        items[count++] = attr_string(l->out, (Span){name.at, name.n});
    }
    return attr_array(l->out, items, count);
}

// For each dimension the axes of `d` that are not in `except`.
static AttrId axes_by_dim(Lowering *l, const Dist *d, const Dist *except, uint32_t rank) {
    AttrId dims[MAX_RANK];
    for (uint32_t dim = 0; dim < rank; dim++) {
        AxisId axes[MESH_MAX_AXES];
        uint32_t n = 0;
        for (uint32_t i = 0; i < d->n; i++)
            if (d->at[i].dim == dim && (!except || dist_dim_of(except, d->at[i].axis) < 0)) axes[n++] = d->at[i].axis;
        dims[dim] = axis_array(l, axes, n);
    }
    return attr_array(l->out, dims, rank);
}

// The axes of a set.
static AttrId axis_set(Lowering *l, AxisSet set) {
    AxisId axes[MESH_MAX_AXES];
    uint32_t n = 0;
    for (uint32_t a = 0; a < l->mesh->n_axes; a++)
        if (set >> a & 1) axes[n++] = (AxisId)a;
    return axis_array(l, axes, n);
}

static ValueId emit_step(Lowering *l, ValueId v, const MoveStep *step, TypeId global) {
    uint32_t rank = type_get(l->out, global)->rank;
    TypeId type = local_type(l, step->to, global);
    NamedAttr attrs[3];
    switch (step->kind) {
    case STEP_SLICE:
        attrs[0] = (NamedAttr){A_axes, axes_by_dim(l, step->to, step->from, rank)};
        return emit(l, OP_partir_all_slice, &v, 1, type, attrs, 1, step->to);
    case STEP_GATHER:
        attrs[0] = (NamedAttr){A_axes, axes_by_dim(l, step->from, step->to, rank)};
        return emit(l, OP_partir_all_gather, &v, 1, type, attrs, 1, step->to);
    case STEP_ALL_TO_ALL: {
        AxisId axes[MESH_MAX_AXES];
        uint32_t n = 0;
        for (uint32_t i = 0; i < step->from->n; i++)
            if (dist_dim_of(step->to, step->from->at[i].axis) != step->from->at[i].dim)
                axes[n++] = step->from->at[i].axis;
        attrs[0] = (NamedAttr){A_axes, axis_array(l, axes, n)};
        attrs[1] = (NamedAttr){A_split_dimension, attr_int(l->out, step->split_dim, EL_I64)};
        attrs[2] = (NamedAttr){A_concat_dimension, attr_int(l->out, step->concat_dim, EL_I64)};
        return emit(l, OP_partir_all_to_all, &v, 1, type, attrs, 3, step->to);
    }
    case STEP_REDUCE_SCATTER:
        attrs[0] = (NamedAttr){A_axes, axes_by_dim(l, step->to, step->from, rank)};
        attrs[1] = (NamedAttr){A_monoid, attr_string(l->out, span_of(monoid_name((Monoid)step->from->monoid)))};
        return emit(l, OP_partir_reduce_scatter, &v, 1, type, attrs, 2, step->to);
    case STEP_ALL_REDUCE:
        attrs[0] = (NamedAttr){A_axes, axis_set(l, step->from->pending & ~step->to->pending)};
        attrs[1] = (NamedAttr){A_monoid, attr_string(l->out, span_of(monoid_name((Monoid)step->from->monoid)))};
        return emit(l, OP_partir_all_reduce, &v, 1, type, attrs, 2, step->to);
    default:
        attrs[0] = (NamedAttr){A_from, axes_by_dim(l, step->from, NULL, rank)};
        attrs[1] = (NamedAttr){A_to, axes_by_dim(l, step->to, NULL, rank)};
        return emit(l, OP_partir_collective_permute, &v, 1, type, attrs, 2, step->to);
    }
}

static void add_border(Lowering *l, AxisBorder border) {
    for (uint32_t i = 0; i < l->borders.n; i++)
        if (l->borders.at[i].whole == border.whole && l->borders.at[i].at == border.at) return;
    vec_push(l->a, &l->borders, border);
}

ValueId emit_steps(Lowering *l, ValueId v, const Dist *from, const Dist *to, TypeId global) {
    if (from == to) return v;
    const MovePlan *plan = plan_redistribution(&l->planner, from, to, global);
    for (uint32_t i = 0; i < plan->n_borders; i++) add_border(l, plan->borders[i]);
    for (uint32_t i = 0; i < plan->n; i++) v = emit_step(l, v, &plan->steps[i], global);
    return v;
}

// Which reductions backends have a collective for; the rest is gathered and reduced locally.
static bool has_collective(Monoid m, Elem e) {
    switch (m) {
    case MONOID_ADD:
    case MONOID_MUL: return true;
    case MONOID_MAX:
    case MONOID_MIN: return elem_class(e) != CLASS_COMPLEX;
    case MONOID_AND:
    case MONOID_OR: return elem_class(e) == CLASS_BOOL;
    default: return false;
    }
}

ValueId emit_stacked(Lowering *l, ValueId v, const AxisId *axes, uint32_t n) {
    const Type *t = type_get(l->out, lowered_type(l, v));
    uint32_t rank = t->rank;
    Elem elem = (Elem)t->elem;
    int64_t dims[257] = {1};
    memcpy(dims + 1, t->dims, rank * sizeof *dims);
    ValueId stacked = emit(l, OP_reshape, &v, 1, type_tensor(l->out, elem, rank + 1, dims), NULL, 0, NULL);
    AttrId by_dim[257];
    by_dim[0] = axis_array(l, axes, n);
    for (uint32_t d = 1; d <= rank; d++) by_dim[d] = axis_array(l, NULL, 0);
    for (uint32_t i = 0; i < n; i++) dims[0] *= l->mesh->axes[axes[i]].size;
    NamedAttr attr = {A_axes, attr_array(l->out, by_dim, rank + 1)};
    return emit(l, OP_partir_all_gather, &stacked, 1, type_tensor(l->out, elem, rank + 1, dims), &attr, 1, NULL);
}

ValueId emit_gathered(Lowering *l, ValueId v, uint32_t dim, const AxisId *axes, uint32_t n) {
    const Type *t = type_get(l->out, lowered_type(l, v));
    int64_t dims[MAX_RANK];
    AttrId by_dim[MAX_RANK];
    uint32_t rank = t->rank;
    memcpy(dims, t->dims, rank * sizeof *dims);
    for (uint32_t d = 0; d < rank; d++) by_dim[d] = axis_array(l, axes, d == dim ? n : 0);
    for (uint32_t i = 0; i < n; i++) dims[dim] *= l->mesh->axes[axes[i]].size;
    NamedAttr attr = {A_axes, attr_array(l->out, by_dim, rank)};
    return emit(l, OP_partir_all_gather, &v, 1, type_like(l->out, lowered_type(l, v), dims), &attr, 1, NULL);
}

ValueId emit_exchange(Lowering *l, ValueId v, const AxisId *axes, uint32_t n, const int64_t *pairs, uint32_t n_pairs) {
    NamedAttr attrs[] = {{A_axes, axis_array(l, axes, n)},
                         {A_source_target_pairs, attr_ints(l->out, pairs, 2 * n_pairs)}};
    return emit(l, OP_partir_collective_permute, &v, 1, lowered_type(l, v), attrs, 2, NULL);
}

// Partial results gathered on a new major dimension and combined locally.
static ValueId gather_and_reduce(Lowering *l, ValueId v, const AxisId *axes, uint32_t n, const Dist *to,
                                 Monoid monoid) {
    TypeId local = lowered_type(l, v);
    Elem elem = (Elem)type_get(l->out, local)->elem;
    ValueId operands[] = {emit_stacked(l, v, axes, n), emit_identity(l, type_tensor(l->out, elem, 0, NULL), monoid)};
    int64_t dimension = 0;
    NamedAttr attr = {A_dimensions, attr_ints(l->out, &dimension, 1)};
    OpSpec spec = {.kind = OP_reduce,
                   .operands = operands,
                   .n_operands = 2,
                   .results = &local,
                   .n_results = 1,
                   .attrs = &attr,
                   .n_attrs = 1,
                   .n_regions = 1};
    OpId op = emit_op(l, &spec, &to);
    emit_monoid_body(l, op_region(l->out, op, 0), monoid, elem);
    return op_result(l->out, op, 0);
}

ValueId emit_reduction(Lowering *l, ValueId v, const Dist *from, const Dist *to, TypeId global) {
    AxisSet axes = from->pending & ~to->pending;
    Monoid monoid = (Monoid)from->monoid;
    if (axes && !has_collective(monoid, (Elem)type_get(l->out, global)->elem)) {
        AxisId list[MESH_MAX_AXES];
        uint32_t n = 0;
        for (uint32_t a = 0; a < l->mesh->n_axes; a++)
            if (axes >> a & 1) list[n++] = (AxisId)a;
        const Dist *whole = dist_with_pending(l->dists, from, to->pending, monoid);
        v = gather_and_reduce(l, v, list, n, whole, monoid);
        from = whole;
    }
    return emit_steps(l, v, from, to, global);
}
