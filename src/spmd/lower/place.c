// Where a redistribution is done: at the form of the value that is the smallest. Movement alone; what is pending stays where it is, since a
// sum that is taken in fewer bits is another one.
//
//     %1 = convert %0 : bf16 -> f32, stored [{batch}], used [{}]       gather %0, convert it again
//     %1 = broadcast_in_dim %0, the same                               gather %0, broadcast it again
//     %1 = convert %0 : f32 -> bf16, %0 lies otherwise than it         convert %0 as it lies, redistribute %1
#include "spmd/lower/lowering.h"

ValueId smaller_form(const Module *m, ValueId v) {
    const Value *val = &m->values.at[v];
    if (val->is_arg) return NO_ID;
    OpKind kind = op_kind(m, val->owner);
    if (kind != OP_convert && kind != OP_broadcast_in_dim) return NO_ID;
    ValueId x = op_operand(m, val->owner, 0);
    return type_get(m, value_type(m, x))->bytes < type_get(m, value_type(m, v))->bytes ? x : NO_ID;
}

// The distribution of an operand of a broadcast with which its result comes out as `d`.
static const Dist *before_broadcast(Lowering *l, OpId op, const Dist *d) {
    const Type *from = operand_type(l->src, op, 0), *to = result_type(l->src, op, 0);
    uint32_t n;
    const int64_t *dims = op_attr_ints(l->src, op, A_broadcast_dimensions, &n);
    DistEntry at[MESH_MAX_AXES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t k = 0; k < from->rank; k++)
            if (dims[k] == d->at[i].dim && from->dims[k] == to->dims[d->at[i].dim])
                at[count++] = (DistEntry){d->at[i].axis, (uint8_t)k};
    return dist_intern(l->dists, at, count, 0, MONOID_ADD);
}

// The op once more, of what stands for its operand now.
static ValueId emit_again(Lowering *l, OpId op, ValueId x, const Dist *d, TypeId global) {
    const Op *src = op_get(l->src, op);
    OpId user = l->origin;
    NamedAttr *attrs = arena_new(l->a, NamedAttr, src->n_attrs);
    import_attrs(&l->im, op, attrs);
    l->origin = op;
    ValueId v = emit(l, (OpKind)src->kind, &x, 1, local_type(l, d, global), attrs, src->n_attrs, d);
    l->out_image.at[l->out->values.at[v].owner] = true;
    l->origin = user;
    return v;
}

ValueId redistribute_smaller(Lowering *l, ValueId v, const Dist *want, TypeId global) {
    ValueId x = smaller_form(l->src, v);
    if (x == NO_ID || value_is_source(l->src, x) || l->value[x] == NO_ID) return NO_ID;
    if (want->pending || l->dist[v]->pending || l->dist[x]->pending) return NO_ID;
    OpId op = l->src->values.at[v].owner;
    const Dist *before = op_kind(l->src, op) == OP_convert ? want : before_broadcast(l, op, want);
    TypeId type = import_type(&l->im, value_type(l->src, x));
    if (redistribution_bytes(l, l->dist[x], before, type) >= redistribution_bytes(l, l->dist[v], want, global)) return NO_ID;
    return emit_again(l, op, emit_steps(l, l->value[x], l->dist[x], before, type), want, global);
}

const Dist *narrow_as_it_lies(Lowering *l, OpId op, const Dist *want, const Dist *stored) {
    ValueId x = rule_operand(l->src, op, 0), v = op_result(l->src, op, 0);
    if (x != op_operand(l->src, op, 0)) return NULL;
    if (type_get(l->src, value_type(l->src, v))->bytes >= type_get(l->src, value_type(l->src, x))->bytes) return NULL;
    if (value_is_source(l->src, x) || is_shared(l, x)) return NULL;
    const Dist *lies = l->dist[x];
    if (lies == want || lies->pending || want->pending || stored->pending) return NULL;
    TypeId wide = import_type(&l->im, value_type(l->src, x)), narrow = import_type(&l->im, value_type(l->src, v));
    double now = redistribution_bytes(l, lies, want, wide) + redistribution_bytes(l, want, stored, narrow);
    return redistribution_bytes(l, lies, stored, narrow) < now ? lies : NULL;
}
