// Shape rules of ops whose result shape is computed by the program. What is constant is checked like an attribute; the
// rest at run time.
//
//     %1 = stablehlo.dynamic_reshape %0, %shape : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x4xf32>
#include "stablehlo/shape/shape.h"

// A shape operand is a static vector of integers; its length is that of the rank it describes.
static bool check_shape_operand(Check *c, uint32_t i, uint32_t rank, const char *of) {
    if (!check_operand_in(c, i, IS_INT | IS_INDEX)) return false;
    const Type *t = in_type(c, i);
    if (t->rank == 1 && t->dims[0] == (int64_t)rank) return true;
    return check_fail(c, check_format(c, "one number for each of the %u dimensions of %s", rank, of),
                      "%s is %s, expected %u entries", check_operand_name(c, i), check_tensor_text(c, t), rank);
}

static bool check_constant_shape(Check *c, uint32_t i) {
    uint32_t n;
    const int64_t *shape = check_constant_ints(c, i, &n);
    if (!shape) return true;
    const Type *y = out_type(c, 0);
    bool fits = n == y->rank;
    const int64_t *bounds = check_bounds(c, y);
    for (uint32_t k = 0; fits && k < n; k++)
        fits = shape[k] >= 0 && dims_compatible(shape[k], y->dims[k]) &&
               !(bounds && bounds[k] != DIM_DYNAMIC && shape[k] > bounds[k]);
    return fits || check_fail(c, NULL, "%s is %s, but the result is %s", check_operand_name(c, i),
                              check_ints_text(c, shape, n), check_tensor_text(c, y));
}

bool shape_dynamic_reshape(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS) || !check_result_in(c, 0, IS_TENSOR_AXIS)) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    bool quantized = x->elem == EL_QUANT && y->elem == EL_QUANT;
    if (!quantized && x->elem != y->elem)
        return check_fail(c, "convert changes the element type", "from %s to %s: their elements differ",
                          check_tensor_text(c, x), check_tensor_text(c, y));
    if (!check_shape_operand(c, 1, y->rank, "the result") || !check_constant_shape(c, 1)) return false;
    int64_t have, want;
    if (type_elements(x, &want)) {
        uint32_t n;
        const int64_t *shape = check_constant_ints(c, 1, &n);
        Type t = {.kind = TYPE_TENSOR, .rank = n, .dims = shape, .encoding = NO_ID};
        bool known = type_elements(y, &have) || (shape && type_elements(&t, &have));
        if (known && have != want)
            return check_fail(c, "a reshape keeps the number of elements", "from %lld elements to %lld",
                              (long long)want, (long long)have);
    }
    return !quantized || check_reshape_quant(c);
}

bool shape_dynamic_broadcast_in_dim(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS) || !check_result_in(c, 0, IS_TENSOR_AXIS)) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    if ((x->elem != EL_QUANT || y->elem != EL_QUANT) && x->elem != y->elem)
        return check_fail(c, "convert changes the element type", "from %s to %s: their elements differ",
                          check_tensor_text(c, x), check_tensor_text(c, y));
    uint32_t n, n_shape, n_grow, n_keep;
    const int64_t *on = check_ints(c, A_broadcast_dimensions, &n),
                  *grow = check_ints(c, A_known_expanding_dimensions, &n_grow),
                  *keep = check_ints(c, A_known_nonexpanding_dimensions, &n_keep);
    if (!check_length(c, "broadcast_dimensions", n, x->rank, "dimension of the operand")) return false;
    if (y->rank < x->rank)
        return check_fail(c, "a broadcast only adds dimensions", "from %s to %s", check_tensor_text(c, x),
                          check_tensor_text(c, y));
    if (!check_dims(c, "broadcast_dimensions", on, n, y->rank, "the result") ||
        !check_distinct(c, "broadcast_dimensions", on, n))
        return false;
    if (!check_shape_operand(c, 1, y->rank, "the result") || !check_constant_shape(c, 1)) return false;
    const int64_t *shape = check_constant_ints(c, 1, &n_shape);
    for (uint32_t i = 0; i < n; i++) {
        int64_t from = x->dims[i], to = y->dims[on[i]];
        if (to == DIM_DYNAMIC && shape) to = shape[on[i]];
        if (from != 1 && !dims_compatible(from, to))
            return check_fail(
                c, "a dimension of size 1 is repeated, any other keeps its size",
                "dimension %u of the operand has size %lld, but dimension %lld of the result has size %lld", i,
                (long long)from, (long long)on[i], (long long)to);
    }
    static const char a[] = "known_expanding_dimensions", b[] = "known_nonexpanding_dimensions";
    return check_disjoint(c, a, grow, n_grow, b, keep, n_keep) &&
           check_dims(c, a, grow, n_grow, x->rank, "the operand") &&
           check_dims(c, b, keep, n_keep, x->rank, "the operand") &&
           (y->elem != EL_QUANT || check_broadcast_quant(c, on));
}

bool shape_dynamic_iota(Check *c) {
    if (!check_result_in(c, 0, IS_TENSOR)) return false;
    const Type *y = out_type(c, 0);
    return check_dim(c, "iota_dimension", check_int(c, A_iota_dimension, 0), y->rank, "the result") &&
           check_shape_operand(c, 0, y->rank, "the result") && check_constant_shape(c, 0);
}

bool shape_dynamic_pad(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR) || !check_operand_in(c, 1, IS_TENSOR) || !check_result_in(c, 0, IS_TENSOR))
        return false;
    const Type *x = in_type(c, 0), *value = in_type(c, 1), *y = out_type(c, 0);
    if (value->rank || !check_same_elem(c, x, value))
        return check_fail(c, "the padding value is a scalar of the operand's element type",
                          "padding_value is %s, but operand is %s", check_tensor_text(c, value),
                          check_tensor_text(c, x));
    if (y->rank != x->rank || !check_same_elem(c, x, y))
        return check_fail(c, "padding keeps element type and rank", "the result is %s, but operand is %s",
                          check_tensor_text(c, y), check_tensor_text(c, x));
    const int64_t *pad[3];
    uint32_t n;
    for (uint32_t i = 0; i < 3; i++) {
        if (!check_shape_operand(c, 2 + i, x->rank, "operand")) return false;
        if (in_id(c, 2 + i) != in_id(c, 2))
            return check_fail(c, NULL, "%s is %s, but edge_padding_low is %s", check_operand_name(c, 2 + i),
                              check_type_text(c, in_id(c, 2 + i)), check_type_text(c, in_id(c, 2)));
        pad[i] = check_constant_ints(c, 2 + i, &n);
    }
    bool known = pad[0] && pad[1] && pad[2] && type_is_static(x) && type_is_static(y);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (pad[2] && pad[2][i] < 0)
            return check_fail(c, NULL, "interior_padding %s has a negative entry", check_ints_text(c, pad[2], x->rank));
        int64_t want;
        if (known && (!check_padded(x->dims[i], pad[0][i], pad[1][i], pad[2][i], &want) || want != y->dims[i]))
            return check_fail(c, "low + size + (size - 1) * interior + high",
                              "dimension %u of the result has size %lld, which is not what padding gives", i,
                              (long long)y->dims[i]);
    }
    return true;
}

bool shape_real_dynamic_slice(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR) || !check_result_in(c, 0, IS_TENSOR)) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    if (!check_same_elem(c, x, y))
        return check_fail(c, NULL, "the result is %s, but operand is %s: their elements differ",
                          check_tensor_text(c, y), check_tensor_text(c, x));
    for (uint32_t i = 1; i < 4; i++) {
        if (!check_shape_operand(c, i, x->rank, "operand")) return false;
        if (in_id(c, i) != in_id(c, 1))
            return check_fail(c, NULL, "%s is %s, but start_indices is %s", check_operand_name(c, i),
                              check_type_text(c, in_id(c, i)), check_type_text(c, in_id(c, 1)));
    }
    return true;
}

bool shape_get_dimension_size(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS)) return false;
    Type t = {.kind = TYPE_TENSOR, .elem = EL_I32, .encoding = NO_ID};
    return check_dim(c, "dimension", check_int(c, A_dimension, 0), in_type(c, 0)->rank, "operand") &&
           check_result(c, 0, &t);
}

// The dimension becomes dynamic, bounded by its static size; unless it is set to just that size.
bool shape_set_dimension_size(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR)) return false;
    const Type *size = in_type(c, 1);
    if (!is_ranked(size) || size->rank || size->elem != EL_I32)
        return check_fail(c, NULL, "size is %s, expected tensor<i32>", check_tensor_text(c, size));
    int64_t dim = check_int(c, A_dimension, 0), *dims;
    Type t = check_copy(c, in_type(c, 0), &dims);
    if (!check_dim(c, "dimension", dim, t.rank, "operand")) return false;
    const int64_t *from = check_bounds(c, &t);
    int64_t *bounds = check_array(c, int64_t, t.rank);
    for (uint32_t i = 0; i < t.rank; i++) bounds[i] = from ? from[i] : DIM_DYNAMIC;
    if (dims[dim] != DIM_DYNAMIC) bounds[dim] = dims[dim];
    dims[dim] = DIM_DYNAMIC;
    uint32_t n;
    const int64_t *known = check_constant_ints(c, 1, &n);
    if (known && known[0] == bounds[dim]) {
        dims[dim] = known[0];
        bounds[dim] = DIM_DYNAMIC;
    }
    t.encoding = check_encoding(c, NO_ID, bounds, t.rank);
    return check_result(c, 0, &t);
}
