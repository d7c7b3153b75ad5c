// Shape rules of ops that make or move data: constants, reshape, transpose, broadcast, slice, pad, concatenate, random
// numbers.
//
//     %1 = stablehlo.pad %0, %v, low = [1], high = [0], interior = [2] : (tensor<4xf32>, tensor<f32>) -> tensor<11xf32>
//                                                                            1 + 4 + 3·2 + 0 = 11
#include "stablehlo/shape/shape.h"

// ---- Sources -------------------------------------------------------------------------------------------------------

static bool check_static_result(Check *c, uint32_t i) {
    if (type_is_static(out_type(c, i))) return true;
    return check_fail(c, "give every dimension a size", "%s is %s, expected a static shape", check_result_name(c, i),
                      check_type_text(c, out_id(c, i)));
}

// Another dialect's elements stand for themselves: only what we can count is counted.
bool shape_constant(Check *c) {
    TypeId t = attr_get(c->m, check_attr(c, A_value))->type;
    if (!check_result_in(c, 0, IS_TENSOR_AXIS) || !check_static_result(c, 0)) return false;
    TypeId out = out_id(c, 0);
    if (t == out) return true;
    const Type *x = t == NO_ID ? NULL : type_get(c->m, t), *y = type_get(c->m, out);
    const Quant *q = check_quant(c, y);
    if (x && q && is_ranked(x) && x->elem == q->storage && check_same_shape(x, y)) return true;
    return check_fail(c, "a constant has the type of its value", "the result is %s, but the value is %s",
                      check_type_text(c, out), x ? check_tensor_text(c, x) : "without a type");
}

bool shape_constant_like(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS | IS_UNRANKED)) return false;
    TypeId id = attr_get(c->m, check_attr(c, A_value))->type;
    const Type *value = id == NO_ID ? NULL : type_get(c->m, id);
    if (value && value->kind != TYPE_SCALAR)
        return check_fail(c, "the value is one number", "value is %s", check_tensor_text(c, value));
    Type t = *in_type(c, 0);
    if (value)
        t.elem = value->elem; // a complex number is written as another dialect's attribute: its type is the result's
    else
        t.elem = out_type(c, 0)->elem;
    return check_result(c, 0, &t);
}

bool shape_iota(Check *c) {
    if (!check_result_in(c, 0, IS_INT | IS_FLOAT | IS_COMPLEX | IS_QUANT) || !check_static_result(c, 0))
        return false;
    return check_dim(c, "iota_dimension", check_int(c, A_iota_dimension, 0), out_type(c, 0)->rank, "the result");
}

bool shape_rng(Check *c) {
    for (uint32_t i = 0; i < 2; i++) {
        if (!check_operand_in(c, i, IS_BOOL | IS_INT | IS_FLOAT)) return false;
        if (in_type(c, i)->rank)
            return check_fail(c, NULL, "%s is %s, expected a scalar", check_operand_name(c, i),
                              check_type_text(c, in_id(c, i)));
    }
    if (!check_operand_in(c, 2, IS_INT | IS_INDEX)) return false;
    Type t = *in_type(c, 0);
    const Type *shape = in_type(c, 2);
    if (t.elem != in_type(c, 1)->elem) return check_fail(c, NULL, "a and b have different element types");
    if (span_is(check_text(c, A_rng_distribution), "NORMAL") && elem_class((Elem)t.elem) != CLASS_FLOAT)
        return check_fail(c, "draw floats and convert them", "a normal distribution of %s", elem_text((Elem)t.elem));
    if (shape->rank != 1 || shape->dims[0] == DIM_DYNAMIC)
        return check_fail(c, "shape holds one number for each dimension of the result",
                          "shape is %s, expected one static dimension", check_tensor_text(c, shape));
    uint32_t n;
    const int64_t *known = check_constant_ints(c, 2, &n);
    if (!known) {
        if (shape->dims[0] == (int64_t)out_type(c, 0)->rank && out_type(c, 0)->elem == t.elem &&
            is_ranked(out_type(c, 0)))
            return true;
        return check_fail(c, NULL, "the result is %s, expected %s with %lld dimensions",
                          check_type_text(c, out_id(c, 0)), elem_text((Elem)t.elem), (long long)shape->dims[0]);
    }
    t.rank = n;
    t.dims = known;
    return check_result(c, 0, &t);
}

bool shape_rng_bit_generator(Check *c) {
    if (!check_operand_in(c, 0, IS_INT | IS_FLOAT) || !check_results_in(c, IS_INT | IS_FLOAT) ||
        !check_static_result(c, 1))
        return false;
    if (check_same_shape(in_type(c, 0), out_type(c, 0))) return true;
    return check_fail(c, "the state goes in and out with one shape", "result 0 is %s, but initial_state is %s",
                      check_type_text(c, out_id(c, 0)), check_type_text(c, in_id(c, 0)));
}

// ---- The same elements in another order ----------------------------------------------------------------------------

// Results that may be dynamic in at most one dimension, which must then have a bound.
static bool check_bounded_result(Check *c) {
    const Type *out = out_type(c, 0);
    uint32_t dynamic = 0, bounded = 0;
    const int64_t *bounds = check_bounds(c, out);
    for (uint32_t i = 0; i < out->rank; i++) {
        dynamic += out->dims[i] == DIM_DYNAMIC;
        bounded += bounds && bounds[i] != DIM_DYNAMIC;
    }
    if (dynamic == 0 || (dynamic == 1 && bounded == 1)) return true;
    return check_fail(c, "use dynamic_reshape or dynamic_broadcast_in_dim for a dynamic result",
                      "the result is %s, expected a static shape or one bounded dimension",
                      check_type_text(c, out_id(c, 0)));
}

bool check_reshape_quant(Check *c) {
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    const Quant *p = check_quant(c, x), *q = check_quant(c, y);
    if (!p || !q) return true;
    if (p->axis < 0 && q->axis < 0 && !check_same_elem(c, x, y))
        return check_fail(c, NULL, "from %s to %s: the quantization changes", check_tensor_text(c, x),
                          check_tensor_text(c, y));
    if (p->axis < 0 || q->axis < 0) return true;
    bool same = p->n == q->n;
    for (uint32_t i = 0; same && i < p->n; i++) same = p->scales[i] == q->scales[i] && p->zeros[i] == q->zeros[i];
    if (!same)
        return check_fail(c, NULL, "from %s to %s: the quantization changes", check_tensor_text(c, x),
                          check_tensor_text(c, y));
    if (!dims_compatible(x->dims[p->axis], y->dims[q->axis]))
        return check_fail(c, NULL, "the quantized dimension changes its size from %s to %s",
                          check_dim_text(c, x->dims[p->axis]), check_dim_text(c, y->dims[q->axis]));
    if (!type_is_static(x) || !type_is_static(y)) return true;
    uint64_t before_x = 1, before_y = 1;
    for (int32_t i = 0; i < p->axis; i++) before_x *= (uint64_t)x->dims[i];
    for (int32_t i = 0; i < q->axis; i++) before_y *= (uint64_t)y->dims[i];
    if (before_x == before_y) return true;
    return check_fail(c, NULL, "%llu elements before the quantized dimension become %llu", (unsigned long long)before_x,
                      (unsigned long long)before_y);
}

// Elements stay as they are.
static bool check_kept_elements(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS) || !check_result_in(c, 0, IS_TENSOR_AXIS)) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    if (check_like_elem(c, x, y)) return check_bounded_result(c);
    return check_fail(c, "convert changes the element type", "from %s to %s: their elements differ",
                      check_tensor_text(c, x), check_tensor_text(c, y));
}

bool shape_reshape(Check *c) {
    if (!check_kept_elements(c)) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    int64_t n, want;
    if (!type_elements(x, &want) || !type_elements(y, &n)) return true;
    if (n == want) return x->elem != EL_QUANT || check_reshape_quant(c);
    return check_fail(c, "a reshape keeps the number of elements", "from %s with %lld elements to %s with %lld",
                      check_tensor_text(c, x), (long long)want, check_tensor_text(c, y), (long long)n);
}

bool shape_transpose(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS)) return false;
    const Type *x = in_type(c, 0);
    uint32_t n;
    const int64_t *perm = check_ints(c, A_permutation, &n);
    if (!check_length(c, "permutation", n, x->rank, "dimension of the operand")) return false;
    if (!check_dims(c, "permutation", perm, n, x->rank, "the operand") || !check_distinct(c, "permutation", perm, n))
        return false;
    const int64_t *from = check_bounds(c, x);
    int64_t *dims = check_array(c, int64_t, n), *bounds = from ? check_array(c, int64_t, n) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        dims[i] = x->dims[perm[i]];
        if (from) bounds[i] = from[perm[i]];
    }
    Type t = *x;
    t.dims = dims;
    t.encoding = check_encoding(c, x->encoding, bounds, n);
    if (t.elem != EL_QUANT) return check_result(c, 0, &t);

    if (!check_result(c, 0, &t)) return false;
    const Quant *p = check_quant(c, x), *q = check_quant(c, out_type(c, 0));
    if (p->axis < 0) return check_reshape_quant(c);
    bool same = p->n == q->n && p->axis == perm[q->axis];
    for (uint32_t i = 0; same && i < p->n; i++) same = p->scales[i] == q->scales[i] && p->zeros[i] == q->zeros[i];
    return same || check_fail(c, "the quantized dimension moves with the permutation",
                              "the result is %s, but the operand is %s", check_type_text(c, out_id(c, 0)),
                              check_tensor_text(c, x));
}

bool shape_reverse(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR)) return false;
    uint32_t n;
    const int64_t *dims = check_ints(c, A_dimensions, &n);
    return check_dims(c, "dimensions", dims, n, in_type(c, 0)->rank, "the operand") &&
           check_distinct(c, "dimensions", dims, n) && check_result_id(c, 0, in_id(c, 0));
}

// ---- Repetition ----------------------------------------------------------------------------------------------------

bool shape_broadcast(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR)) return false;
    Type t = *in_type(c, 0);
    uint32_t n;
    const int64_t *sizes = check_ints(c, A_broadcast_sizes, &n);
    int64_t *dims = check_array(c, int64_t, (size_t)n + t.rank);
    for (uint32_t i = 0; i < n; i++) {
        if (sizes[i] < 0)
            return check_fail(c, NULL, "broadcast_sizes %s has a negative size", check_ints_text(c, sizes, n));
        dims[i] = sizes[i];
    }
    if (t.rank) memcpy(dims + n, t.dims, t.rank * sizeof *dims);
    t.dims = dims;
    t.rank += n;
    t.encoding = NO_ID;
    return check_result(c, 0, &t);
}

bool check_broadcast_quant(Check *c, const int64_t *on) {
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    const Quant *p = check_quant(c, x), *q = check_quant(c, y);
    if (!q || q->axis < 0) {
        if (!p || !q || p->axis >= 0 || check_same_elem(c, x, y)) return true;
        return check_fail(c, NULL, "from %s to %s: the quantization changes", check_tensor_text(c, x),
                          check_tensor_text(c, y));
    }
    if (!p || p->axis < 0) return check_fail(c, NULL, "the result is quantized per axis and the operand is not");
    if (on[p->axis] != q->axis)
        return check_fail(c, NULL, "the result is quantized along dimension %d, expected %lld", q->axis,
                          (long long)on[p->axis]);
    if (x->dims[p->axis] != 1) return true;
    for (uint32_t i = 0; i < q->n; i++)
        if (q->scales[i] != p->scales[0] || q->zeros[i] != p->zeros[0])
            return check_fail(c, NULL, "scale and zero point %u of the result differ from the operand's only one", i);
    return true;
}

bool shape_broadcast_in_dim(Check *c) {
    if (!check_kept_elements(c)) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    uint32_t n;
    const int64_t *on = check_ints(c, A_broadcast_dimensions, &n);
    if (!check_length(c, "broadcast_dimensions", n, x->rank, "dimension of the operand")) return false;
    if (!check_dims(c, "broadcast_dimensions", on, n, y->rank, "the result")) return false;
    if (!check_distinct(c, "broadcast_dimensions", on, n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t from = x->dims[i], to = y->dims[on[i]];
        if (from != DIM_DYNAMIC && from != 1 && from != to)
            return check_fail(c, "a dimension of size 1 is repeated, any other keeps its size",
                              "dimension %u of the operand has size %lld, but dimension %lld of the result has size %s",
                              i, (long long)from, (long long)on[i], check_dim_text(c, to));
    }
    return y->elem != EL_QUANT || check_broadcast_quant(c, on);
}

// ---- Parts and wholes ----------------------------------------------------------------------------------------------

bool shape_slice(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR)) return false;
    const Type *x = in_type(c, 0);
    uint32_t n, n_limit, n_stride;
    const int64_t *start = check_ints(c, A_start_indices, &n), *limit = check_ints(c, A_limit_indices, &n_limit),
                  *stride = check_ints(c, A_strides, &n_stride);
    static const char of[] = "dimension of the operand";
    if (!check_length(c, "start_indices", n, x->rank, of) || !check_length(c, "limit_indices", n_limit, x->rank, of) ||
        !check_length(c, "strides", n_stride, x->rank, of))
        return false;
    const int64_t *bounds = check_bounds(c, x);
    int64_t *dims = check_array(c, int64_t, n);
    for (uint32_t i = 0; i < n; i++) {
        int64_t size = x->dims[i] == DIM_DYNAMIC && bounds ? bounds[i] : x->dims[i];
        if (start[i] < 0 || start[i] > limit[i] || (size != DIM_DYNAMIC && limit[i] > size))
            return check_fail(c, "0 <= start <= limit <= size", "slice [%lld:%lld] of dimension %u, which has size %s",
                              (long long)start[i], (long long)limit[i], i, check_dim_text(c, size));
        if (stride[i] <= 0)
            return check_fail(c, NULL, "stride %lld of dimension %u is not positive", (long long)stride[i], i);
        dims[i] = (limit[i] - start[i]) / stride[i] + ((limit[i] - start[i]) % stride[i] != 0);
    }
    Type t = *x;
    t.dims = dims;
    if (bounds) t.encoding = NO_ID;
    return check_result(c, 0, &t);
}

bool check_padded(int64_t size, int64_t low, int64_t high, int64_t interior, int64_t *out) {
    int64_t inside = size > 1 ? size - 1 : 0;
    return !__builtin_mul_overflow(inside, interior, &inside) && !__builtin_add_overflow(inside, size, &inside) &&
           !__builtin_add_overflow(inside, low, &inside) && !__builtin_add_overflow(inside, high, out) && *out >= 0;
}

bool shape_pad(Check *c) {
    if (!check_operands_in(c, IS_TENSOR)) return false;
    const Type *x = in_type(c, 0), *value = in_type(c, 1);
    if (value->rank || !check_same_elem(c, x, value))
        return check_fail(c, "the padding value is a scalar of the operand's element type",
                          "padding_value is %s, but operand is %s", check_tensor_text(c, value),
                          check_tensor_text(c, x));
    uint32_t n, n_high, n_interior;
    const int64_t *low = check_ints(c, A_edge_padding_low, &n), *high = check_ints(c, A_edge_padding_high, &n_high),
                  *interior = check_ints(c, A_interior_padding, &n_interior);
    static const char of[] = "dimension of the operand";
    if (!check_length(c, "edge_padding_low", n, x->rank, of) ||
        !check_length(c, "edge_padding_high", n_high, x->rank, of) ||
        !check_length(c, "interior_padding", n_interior, x->rank, of))
        return false;
    const int64_t *from = check_bounds(c, x);
    int64_t *dims = check_array(c, int64_t, n), *bounds = from ? check_array(c, int64_t, n) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        dims[i] = DIM_DYNAMIC;
        if (from) bounds[i] = DIM_DYNAMIC;
        if (interior[i] < 0)
            return check_fail(c, NULL, "interior_padding %lld of dimension %u is negative", (long long)interior[i], i);
        bool dynamic = x->dims[i] == DIM_DYNAMIC;
        int64_t size = dynamic && from ? from[i] : x->dims[i];
        if (size != DIM_DYNAMIC && !check_padded(size, low[i], high[i], interior[i], dynamic ? &bounds[i] : &dims[i]))
            return check_fail(c, "negative padding may not remove more than there is",
                              "dimension %u of size %lld does not exist after padding", i, (long long)size);
    }
    Type t = *x;
    t.dims = dims;
    t.encoding = check_encoding(c, x->encoding, bounds, n);
    return check_result(c, 0, &t);
}

bool shape_concatenate(Check *c) {
    if (!c->n_operands) return check_fail(c, "concatenate at least one tensor", "no operands");
    if (!check_operands_in(c, IS_TENSOR)) return false;
    int64_t *dims;
    Type t = check_copy(c, in_type(c, 0), &dims);
    int64_t dim = check_int(c, A_dimension, 0);
    if (!check_dim(c, "dimension", dim, t.rank, "an operand")) return false;
    const int64_t *first = check_bounds(c, &t);
    int64_t sum = dims[dim], bound = first ? first[dim] : DIM_DYNAMIC;
    if (sum != DIM_DYNAMIC) bound = sum;
    for (uint32_t i = 1; i < c->n_operands; i++) {
        const Type *x = in_type(c, i);
        if (!check_same_elem(c, &t, x))
            return check_fail(c, "convert it", "%s is %s, but inputs[0] is %s: their elements differ",
                              check_operand_name(c, i), check_tensor_text(c, x), check_type_text(c, in_id(c, 0)));
        const int64_t *bounds = check_bounds(c, x);
        int64_t size = x->rank > dim ? x->dims[dim] : DIM_DYNAMIC,
                size_bound = size == DIM_DYNAMIC && bounds ? bounds[dim] : size;
        if (!check_merge(c, &t, dims, x, i, dim)) return false;
        if (sum != DIM_DYNAMIC && size != DIM_DYNAMIC && __builtin_add_overflow(sum, size, &sum))
            return check_fail(c, NULL, "more than 2^63 elements along dimension %lld", (long long)dim);
        if (size == DIM_DYNAMIC) sum = DIM_DYNAMIC;
        if (bound == DIM_DYNAMIC || size_bound == DIM_DYNAMIC || __builtin_add_overflow(bound, size_bound, &bound))
            bound = DIM_DYNAMIC;
    }
    dims[dim] = sum;
    const int64_t *merged = check_bounds(c, &t);
    if (merged || (sum == DIM_DYNAMIC && bound != DIM_DYNAMIC)) {
        int64_t *bounds = check_array(c, int64_t, t.rank);
        for (uint32_t i = 0; i < t.rank; i++) bounds[i] = merged ? merged[i] : DIM_DYNAMIC;
        bounds[dim] = sum == DIM_DYNAMIC ? bound : DIM_DYNAMIC;
        t.encoding = check_encoding(c, t.encoding, bounds, t.rank);
    }
    return check_result(c, 0, &t);
}

// ---- Slices at indices that are computed ---------------------------------------------------------------------------

static bool check_start_indices(Check *c, uint32_t first, uint32_t rank) {
    if (c->n_operands - first != rank)
        return check_fail(c, "give one scalar for each dimension of the operand", "%u start indices, expected %u",
                          c->n_operands - first, rank);
    for (uint32_t i = first; i < c->n_operands; i++) {
        if (!check_operand_in(c, i, IS_INT)) return false;
        if (in_type(c, i)->rank || in_type(c, i)->elem != in_type(c, first)->elem)
            return check_fail(c, "start indices are scalars of one integer type", "%s is %s", check_operand_name(c, i),
                              check_type_text(c, in_id(c, i)));
    }
    return true;
}

bool shape_dynamic_slice(Check *c) {
    if (!c->n_operands) return check_fail(c, NULL, "no operand");
    if (!check_operand_in(c, 0, IS_TENSOR)) return false;
    Type t = *in_type(c, 0);
    uint32_t n;
    const int64_t *sizes = check_ints(c, A_slice_sizes, &n);
    if (!check_length(c, "slice_sizes", n, t.rank, "dimension of the operand") || !check_start_indices(c, 1, t.rank))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (sizes[i] < 0 || (t.dims[i] != DIM_DYNAMIC && sizes[i] > t.dims[i]))
            return check_fail(c, "0 <= slice size <= size", "slice size %lld of dimension %u, which has size %s",
                              (long long)sizes[i], i, check_dim_text(c, t.dims[i]));
    t.dims = sizes;
    t.encoding = NO_ID;
    return check_result(c, 0, &t);
}

bool shape_dynamic_update_slice(Check *c) {
    if (c->n_operands < 2)
        return check_fail(c, NULL, "%u operands, expected operand, update and start indices", c->n_operands);
    if (!check_operand_in(c, 0, IS_TENSOR) || !check_operand_in(c, 1, IS_TENSOR)) return false;
    const Type *x = in_type(c, 0), *update = in_type(c, 1);
    if (update->rank != x->rank || !check_same_elem(c, x, update))
        return check_fail(c, "an update has the rank and element type of the operand",
                          "update is %s, but operand is %s", check_tensor_text(c, update), check_tensor_text(c, x));
    for (uint32_t i = 0; i < x->rank; i++)
        if (update->dims[i] != DIM_DYNAMIC && x->dims[i] != DIM_DYNAMIC && update->dims[i] > x->dims[i])
            return check_fail(c, "an update may not be larger than what it updates", "update is %s, but operand is %s",
                              check_tensor_text(c, update), check_tensor_text(c, x));
    return check_start_indices(c, 2, x->rank) && check_result_id(c, 0, in_id(c, 0));
}
