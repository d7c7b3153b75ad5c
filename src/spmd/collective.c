// Collectives of PartIR:HLO: they name axes, never device ids.
//
//     partir.all_slice      axes = [["batch"], []]     keep this device's chunk of each dimension
//     partir.all_gather     axes = [["batch"], []]     its inverse
//     partir.all_reduce     axes = ["model"], monoid = "sum"
//     partir.reduce_scatter axes = [["batch"], []], monoid = "sum"       all_reduce, then all_slice
//     partir.all_to_all     axes = ["model"], split_dimension, concat_dimension
//     partir.collective_permute from = [["a", "b"]], to = [["b", "a"]]   the same chunks on other devices
#include "spmd/lowering.h"

static AttrId axis_array(Lowering *l, const AxisId *axes, uint32_t n) {
    AttrId items[MESH_MAX_AXES];
    for (uint32_t i = 0; i < n; i++) items[i] = attr_string(l->out, l->mesh->axes[axes[i]].name);
    return attr_array(l->out, items, n);
}

// For each dimension the axes of `d` that are not in `except`.
static AttrId axes_by_dim(Lowering *l, const Dist *d, const Dist *except, uint32_t rank) {
    AttrId dims[256];
    for (uint32_t dim = 0; dim < rank; dim++) {
        AxisId axes[MESH_MAX_AXES];
        uint32_t n = 0;
        for (uint32_t i = 0; i < d->n; i++)
            if (d->at[i].dim == dim && (!except || dist_dim_of(except, d->at[i].axis) < 0)) axes[n++] = d->at[i].axis;
        dims[dim] = axis_array(l, axes, n);
    }
    return attr_array(l->out, dims, rank);
}

static ValueId emit_step(Lowering *l, ValueId v, const Step *step, TypeId global) {
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
    default:
        attrs[0] = (NamedAttr){A_from, axes_by_dim(l, step->from, NULL, rank)};
        attrs[1] = (NamedAttr){A_to, axes_by_dim(l, step->to, NULL, rank)};
        return emit(l, OP_partir_collective_permute, &v, 1, type, attrs, 2, step->to);
    }
}

ValueId emit_steps(Lowering *l, ValueId v, const Dist *from, const Dist *to, TypeId global) {
    if (from == to) return v;
    const Plan *plan = plan_redistribution(&l->planner, from, to, global);
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
    const Type *t = type_get(l->out, out_type(l, v));
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

// Partial results gathered on a new major dimension and combined locally.
static ValueId gather_and_reduce(Lowering *l, ValueId v, const AxisId *axes, uint32_t n, const Dist *to,
                                 Monoid monoid) {
    TypeId local = out_type(l, v);
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

ValueId emit_reduction(Lowering *l, ValueId v, const Dist *from, const Dist *to, AxisSet axes, TypeId global,
                       const Dist **result) {
    const Type *t = type_get(l->out, global);
    Elem elem = (Elem)t->elem;
    Monoid monoid = (Monoid)from->monoid;
    AxisId scatter[MESH_MAX_AXES], reduce[MESH_MAX_AXES];
    uint32_t n_scatter = 0, n_reduce = 0;
    DistEntry at[MESH_MAX_AXES];
    uint32_t n = from->n;
    memcpy(at, from->at, n * sizeof *at);
    bool collective = has_collective(monoid, elem);
    AxisSet scattered = 0;
    int64_t dims[256];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dist_local_dims(from, l->mesh, t->rank, dims);
    for (uint32_t i = 0; i < to->n && collective;
         i++) { // in the target's order, so that several axes of one dimension come out right
        DistEntry e = to->at[i];
        int64_t size = l->mesh->axes[e.axis].size;
        if (!(axes >> e.axis & 1) || dims[e.dim] % size != 0)
            continue; // split already by an axis that the target has elsewhere
        dims[e.dim] /= size;
        scatter[n_scatter++] = e.axis;
        scattered |= (AxisSet)1 << e.axis;
        at[n++] = e;
    }
    for (uint32_t a = 0; a < l->mesh->n_axes; a++)
        if ((axes & ~scattered) >> a & 1) reduce[n_reduce++] = (AxisId)a;
    AxisSet left = from->pending;
    if (n_scatter) {
        for (uint32_t i = 0; i < n_scatter; i++) left &= ~((AxisSet)1 << scatter[i]);
        const Dist *d = dist_intern(l->dists, at, n, left, monoid);
        NamedAttr attrs[] = {{A_axes, axes_by_dim(l, d, from, t->rank)},
                             {A_monoid, attr_string(l->out, span_of(monoid_name(monoid)))}};
        v = emit(l, OP_partir_reduce_scatter, &v, 1, local_type(l, d, global), attrs, 2, d);
        from = d;
    }
    if (n_reduce) {
        for (uint32_t i = 0; i < n_reduce; i++) left &= ~((AxisSet)1 << reduce[i]);
        const Dist *d = dist_with_pending(l->dists, from, left, monoid);
        if (collective) {
            NamedAttr attrs[] = {{A_axes, axis_array(l, reduce, n_reduce)},
                                 {A_monoid, attr_string(l->out, span_of(monoid_name(monoid)))}};
            v = emit(l, OP_partir_all_reduce, &v, 1, out_type(l, v), attrs, 2, d);
        } else {
            v = gather_and_reduce(l, v, reduce, n_reduce, d, monoid);
        }
        from = d;
    }
    *result = from;
    return v;
}
