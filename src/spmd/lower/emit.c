// Emits single ops of the device-local program, and the scalar computations that locate a device on the mesh.
#include "spmd/lower/record.h"

void note_ops(Lowering *l) {
    vec_reserve(&l->out->arena, &l->out_dist, l->out->values.n);
    while (l->out_dist.n < l->out->values.n) l->out_dist.at[l->out_dist.n++] = NULL;
    while (l->out_origin.n < l->out->ops.n) {
        vec_push(&l->out->arena, &l->out_origin, l->origin);
        vec_push(&l->out->arena, &l->out_image, false);
    }
}

OpId emit_op(Lowering *l, const OpSpec *spec, const Dist *const *dists) {
    OpSpec s = *spec;
    s.loc = l->loc;
    s.source = l->origin == NO_ID ? 0 : op_get(l->src, l->origin)->source;
    OpId op = op_new(l->out, l->into, &s);
    note_ops(l);
    if (dists)
        for (uint32_t i = 0; i < s.n_results; i++) l->out_dist.at[op_result(l->out, op, i)] = dists[i];
    return op;
}

ValueId emit(Lowering *l, OpKind kind, const ValueId *operands, uint32_t n, TypeId result, const NamedAttr *attrs,
             uint32_t n_attrs, const Dist *dist) {
    OpSpec spec = value_spec(kind, operands, n, &result, attrs, n_attrs);
    return op_result(l->out, emit_op(l, &spec, &dist), 0);
}

ValueId emit_splat(Lowering *l, TypeId type, int64_t value) {
    Buffer b;
    buf_init(&b, l->a);
    switch (elem_class((Elem)type_get(l->out, type)->elem)) {
    case CLASS_BOOL: buf_str(&b, value ? "true" : "false"); break;
    case CLASS_FLOAT: buf_format(&b, "%e", (double)value); break;
    case CLASS_COMPLEX: buf_format(&b, "(%e,0.000000e+00)", (double)value); break;
    default: buf_int(&b, value); break;
    }
    Span text = name_get(l->out, name_intern(l->out, (Span){b.at, b.n})); // attributes borrow their text
    Attr dense = {.kind = ATTR_DENSE, .sub = DENSE_TEXT, .type = type, .text = text};
    NamedAttr attr = {A_value, attr_intern(l->out, &dense)};
    return emit(l, OP_constant, NULL, 0, type, &attr, 1, NULL);
}

ValueId emit_zero(Lowering *l, TypeId type) {
    TypeId scalar = type_tensor(l->out, (Elem)type_get(l->out, type)->elem, 0, NULL);
    const char *text = "0";
    switch (elem_class((Elem)type_get(l->out, type)->elem)) {
    case CLASS_BOOL: text = "false"; break;
    case CLASS_FLOAT: text = "-0.000000e+00"; break;
    case CLASS_COMPLEX: text = "(-0.000000e+00,-0.000000e+00)"; break;
    default: break;
    }
    Attr dense = {.kind = ATTR_DENSE, .sub = DENSE_TEXT, .type = scalar, .text = span_of(text)};
    NamedAttr attr = {A_value, attr_intern(l->out, &dense)};
    ValueId zero = emit(l, OP_constant, NULL, 0, scalar, &attr, 1, NULL);
    return scalar == type ? zero : emit_broadcast_scalar(l, zero, type);
}

ValueId emit_identity(Lowering *l, TypeId type, Monoid monoid) {
    if (monoid == MONOID_MUL) return emit_splat(l, type, 1);
    if (monoid == MONOID_AND)
        return emit_splat(l, type, elem_class((Elem)type_get(l->out, type)->elem) == CLASS_BOOL ? 1 : -1);
    return monoid == MONOID_ADD ? emit_zero(l, type) : emit_splat(l, type, 0);
}

ValueId emit_binary(Lowering *l, OpKind kind, ValueId a, ValueId b) {
    ValueId operands[] = {a, b};
    return emit(l, kind, operands, 2, lowered_type(l, a), NULL, 0, NULL);
}

static TypeId with_elem(Lowering *l, TypeId t, Elem elem) {
    const Type *type = type_get(l->out, t);
    int64_t dims[MAX_RANK];
    memcpy(dims, type->dims, type->rank * sizeof *dims);
    return type_tensor(l->out, elem, type->rank, dims);
}

ValueId emit_compare(Lowering *l, const char *direction, ValueId a, ValueId b) {
    ValueId operands[] = {a, b};
    NamedAttr attr = {A_comparison_direction, attr_enum(l->out, ENUM_COMPARISON_DIRECTION, direction)};
    return emit(l, OP_compare, operands, 2, with_elem(l, lowered_type(l, a), EL_I1), &attr, 1, NULL);
}

ValueId emit_select(Lowering *l, ValueId pred, ValueId a, ValueId b) {
    ValueId operands[] = {pred, a, b};
    return emit(l, OP_select, operands, 3, lowered_type(l, a), NULL, 0, NULL);
}

ValueId emit_broadcast_scalar(Lowering *l, ValueId scalar, TypeId type) {
    NamedAttr attr = {A_broadcast_dimensions, attr_ints(l->out, NULL, 0)};
    return emit(l, OP_broadcast_in_dim, &scalar, 1, type, &attr, 1, NULL);
}

ValueId emit_convert(Lowering *l, ValueId v, Elem elem) {
    TypeId t = with_elem(l, lowered_type(l, v), elem);
    return t == lowered_type(l, v) ? v : emit(l, OP_convert, &v, 1, t, NULL, 0, NULL);
}

static TypeId index_type(Lowering *l) { return type_tensor(l->out, EL_I64, 0, NULL); }

// This device's coordinate on an axis: an i64 scalar.
static ValueId emit_axis_index(Lowering *l, AxisId axis) {
    if (l->record) l->record->asking |= (AxisSet)1 << axis;
    if (l->axis_index_region[axis] == l->into) return l->axis_index[axis];
    NamedAttr attr = {A_axis, attr_string(l->out, l->mesh->axes[axis].name)};
    l->axis_index[axis] = emit(l, OP_partir_axis_index, NULL, 0, index_type(l), &attr, 1, NULL);
    l->axis_index_region[axis] = l->into;
    if (l->record)
        record_event(l->record, (Event){AXIS_EVENT + axis, {.value = l->axis_index[axis], .region = l->into}});
    return l->axis_index[axis];
}

ValueId emit_chunk_index(Lowering *l, const AxisId *axes, uint32_t n) {
    if (n == 0) return emit_splat(l, index_type(l), 0);
    ValueId index = emit_axis_index(l, axes[0]);
    for (uint32_t i = 1; i < n; i++) {
        index = emit_binary(l, OP_multiply, index, emit_splat(l, index_type(l), l->mesh->axes[axes[i]].size));
        index = emit_binary(l, OP_add, index, emit_axis_index(l, axes[i]));
    }
    return index;
}

ValueId emit_chunk_offset(Lowering *l, const AxisId *axes, uint32_t n, int64_t chunk) {
    ValueId index = emit_chunk_index(l, axes, n);
    return emit_binary(l, OP_multiply, index, emit_splat(l, index_type(l), chunk));
}

ValueId emit_is_first(Lowering *l, AxisSet axes) {
    AxisId list[MESH_MAX_AXES];
    uint32_t n = 0;
    for (uint32_t a = 0; a < l->mesh->n_axes; a++)
        if (axes >> a & 1) list[n++] = (AxisId)a;
    ValueId zero = emit_splat(l, index_type(l), 0); // in an order that no compiler chooses
    return emit_compare(l, "EQ", emit_chunk_index(l, list, n), zero);
}

void emit_monoid_body(Lowering *l, RegionId region, Monoid monoid, Elem elem) {
    TypeId scalar = type_tensor(l->out, elem, 0, NULL);
    ValueId args[2];
    for (int i = 0; i < 2; i++) args[i] = region_add_argument(l->out, region, scalar);
    RegionId outer = l->into;
    l->into = region;
    ValueId sum = emit(l, monoid_op(monoid, elem), args, 2, scalar, NULL, 0, NULL);
    emit_op(l, &(OpSpec){.kind = OP_return, .operands = &sum, .n_operands = 1}, NULL);
    l->into = outer;
}
