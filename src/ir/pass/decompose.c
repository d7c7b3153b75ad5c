// Decompose: batch_norm_training and batch_norm_grad as the sums and elementwise ops that they stand for. The
// statistics of a whole batch are not sums of the statistics of its parts, but they are computed from sums. In this form a
// batch can be split, and the reductions say what the devices must exchange.
//
//     %y, %mean, %variance = batch_norm_training(%x, %scale, %offset)
//         =>   %mean = sum(%x) / n,   %variance = sum((%x - %mean)^2) / n,
//              %y = %scale * (%x - %mean) / sqrt(%variance + epsilon) + %offset
//
// Floats below 32 bits are widened first and rounded once at the end, as XLA and the interpreter do it.
#include "ir/pass/rebuild.h"

typedef struct NormParts {
    Module *m;
    RegionId into;
    LocId loc;
    uint32_t source;
    Elem elem;           // of the arithmetic
    uint32_t rank;       // of the operand
    const int64_t *dims; // in the module's arena
    int64_t feature;     // dimension
    TypeId full, vector, scalar;
} NormParts;

static ValueId make_part(NormParts *n, OpKind kind, const ValueId *operands, uint32_t n_operands, TypeId type,
                         const NamedAttr *attr) {
    OpSpec spec = value_spec(kind, operands, n_operands, &type, attr, attr ? 1 : 0);
    spec.loc = n->loc;
    spec.source = n->source;
    return op_result(n->m, op_new(n->m, n->into, &spec), 0);
}

static ValueId binary(NormParts *n, OpKind kind, ValueId x, ValueId y) {
    return make_part(n, kind, (ValueId[]){x, y}, 2, value_type(n->m, x), NULL);
}

static ValueId number(NormParts *n, TypeId type, double value) {
    size_t size = n->elem == EL_F64 ? sizeof(double) : sizeof(float);
    void *bytes = arena_alloc(&n->m->arena, size);
    float narrow = (float)value;
    memcpy(bytes, n->elem == EL_F64 ? (void *)&value : (void *)&narrow, size);
    NamedAttr attr = {A_value, attr_dense_bytes(n->m, type, bytes, size)};
    return make_part(n, OP_constant, NULL, 0, type, &attr);
}

static ValueId converted(NormParts *n, ValueId v, Elem elem) {
    const Type *t = value_tensor(n->m, v);
    if (t->elem == elem) return v;
    TypeId type = type_tensor(n->m, elem, t->rank, t->rank == 1 ? &n->dims[n->feature] : n->dims);
    return make_part(n, OP_convert, &v, 1, type, NULL);
}

// A number for each feature, at all elements of the feature.
static ValueId spread_features(NormParts *n, ValueId vector) {
    NamedAttr attr = {A_broadcast_dimensions, attr_ints(n->m, &n->feature, 1)};
    return make_part(n, OP_broadcast_in_dim, &vector, 1, n->full, &attr);
}

// The sum over all dimensions but the feature.
static ValueId summed(NormParts *n, ValueId x) {
    Module *m = n->m;
    int64_t others[MAX_RANK];
    uint32_t count = 0;
    for (uint32_t d = 0; d < n->rank; d++)
        if (d != n->feature) others[count++] = d;
    NamedAttr attr = {A_dimensions, attr_ints(m, others, count)};
    ValueId operands[] = {x, number(n, n->scalar, 0)};
    OpSpec spec = {.kind = OP_reduce,
                   .operands = operands,
                   .n_operands = 2,
                   .results = &n->vector,
                   .n_results = 1,
                   .attrs = &attr,
                   .n_attrs = 1,
                   .n_regions = 1,
                   .loc = n->loc,
                   .source = n->source};
    OpId op = op_new(m, n->into, &spec);
    NormParts body = *n;
    body.into = op_region(m, op, 0);
    ValueId a = region_add_argument(m, body.into, n->scalar), b = region_add_argument(m, body.into, n->scalar);
    ValueId sum = binary(&body, OP_add, a, b);
    op_new(m, body.into,
           &(OpSpec){.kind = OP_return, .operands = &sum, .n_operands = 1, .loc = n->loc, .source = n->source});
    return op_result(m, op, 0);
}

static double elements_of_a_feature(const NormParts *n) {
    double count = 1;
    for (uint32_t d = 0; d < n->rank; d++)
        if (d != n->feature) count *= (double)n->dims[d];
    return count;
}

static void decompose_training(NormParts *n, const ValueId *in, double epsilon, ValueId *out) {
    ValueId count = number(n, n->vector, elements_of_a_feature(n));
    ValueId mean = binary(n, OP_divide, summed(n, in[0]), count);
    ValueId centered = binary(n, OP_subtract, in[0], spread_features(n, mean));
    ValueId squares = binary(n, OP_multiply, centered, centered);
    ValueId variance = binary(n, OP_divide, summed(n, squares), count);
    ValueId safe = binary(n, OP_add, variance, number(n, n->vector, epsilon));
    ValueId deviation = make_part(n, OP_sqrt, &safe, 1, n->vector, NULL);
    ValueId normal = binary(n, OP_divide, centered, spread_features(n, deviation));
    out[0] = binary(n, OP_add, binary(n, OP_multiply, spread_features(n, in[1]), normal), spread_features(n, in[2]));
    out[1] = mean;
    out[2] = variance;
}

// With c = x - mean, v = variance + epsilon and n elements a feature:
//     dx = scale / sqrt(v) / n * (n g - sum(g) - c sum(g c) / v),   dscale = sum(g c) / sqrt(v),   doffset = sum(g)
static void decompose_grad(NormParts *n, const ValueId *in, double epsilon, ValueId *out) {
    double elements = elements_of_a_feature(n);
    ValueId g = in[4], centered = binary(n, OP_subtract, in[0], spread_features(n, in[2]));
    ValueId safe = binary(n, OP_add, in[3], number(n, n->vector, epsilon));
    ValueId deviation = make_part(n, OP_sqrt, &safe, 1, n->vector, NULL);
    ValueId sum_g = summed(n, g), sum_gc = summed(n, binary(n, OP_multiply, g, centered));
    ValueId pull = binary(n, OP_multiply, centered, spread_features(n, binary(n, OP_divide, sum_gc, safe)));
    ValueId inner = binary(n, OP_multiply, g, number(n, n->full, elements));
    inner = binary(n, OP_subtract, binary(n, OP_subtract, inner, spread_features(n, sum_g)), pull);
    ValueId factor = binary(n, OP_divide, in[1], deviation);
    factor = binary(n, OP_divide, factor, number(n, n->vector, elements));
    out[0] = binary(n, OP_multiply, spread_features(n, factor), inner);
    out[1] = binary(n, OP_divide, sum_gc, deviation);
    out[2] = sum_g;
}

static bool is_decomposed(const Module *m, OpId op) {
    OpKind k = op_kind(m, op);
    return (k == OP_batch_norm_training || k == OP_batch_norm_grad) && type_is_static(operand_type(m, op, 0)) &&
           elem_class((Elem)operand_type(m, op, 0)->elem) == CLASS_FLOAT;
}

static void decompose_op(Module *m, Cursor c, ValueId *map) {
    const Type *x = operand_type(m, c.op, 0);
    Elem own = (Elem)x->elem;
    int64_t *dims = arena_new(&m->arena, int64_t, x->rank);
    memcpy(dims, x->dims, x->rank * sizeof *dims);
    NormParts n = {.m = m,
                   .into = c.into,
                   .loc = op_get(m, c.op)->loc,
                   .source = op_get(m, c.op)->source,
                   .elem = own == EL_F64 ? EL_F64 : EL_F32,
                   .rank = x->rank,
                   .dims = dims,
                   .feature = op_attr_int(m, c.op, A_feature_index, 0)};
    n.full = type_tensor(m, n.elem, n.rank, dims);
    n.vector = type_tensor(m, n.elem, 1, &dims[n.feature]);
    n.scalar = type_tensor(m, n.elem, 0, NULL);
    ValueId in[5], out[3];
    for (uint32_t i = 0; i < op_get(m, c.op)->n_operands; i++)
        in[i] = converted(&n, map[op_operand(m, c.op, i)], n.elem);
    double epsilon = (double)(float)attr_get(m, op_attr(m, c.op, A_epsilon))->f;
    (op_kind(m, c.op) == OP_batch_norm_grad ? decompose_grad : decompose_training)(&n, in, epsilon, out);
    for (uint32_t i = 0; i < 3; i++) map[op_result(m, c.op, i)] = converted(&n, out[i], own);
}

static OpId copy_decomposed(void *arg, Cursor c, ValueId *map) {
    Module *m = arg;
    if (!is_decomposed(m, c.op)) return rebuild_shallow(m, c.into, c.op, map);
    decompose_op(m, c, map);
    return NO_ID;
}

bool pass_decompose(Module *m) {
    bool any = false;
    for (OpId op = module_first(m); op != NO_ID && !any; op = op_walk(m, op)) any = is_decomposed(m, op);
    if (any) rebuild_module(m, copy_decomposed, m);
    return true;
}
