// Shape rules of linear algebra, Fourier transforms and batch normalization.
//
//     fft RFFT, length = [16]:   tensor<3x16xf32> -> tensor<3x9xcomplex<f32>>
#include "stablehlo/shape/shape.h"

static bool check_square(Check *c, uint32_t i) {
    const Type *a = in_type(c, i);
    if (a->rank >= 2 && dims_compatible(a->dims[a->rank - 1], a->dims[a->rank - 2])) return true;
    return check_fail(c, "its last two dimensions are equal", "%s is %s, expected square matrices",
                      check_operand_name(c, i), check_tensor_text(c, a));
}

bool shape_cholesky(Check *c) {
    return check_operand_in(c, 0, IS_FLOAT | IS_COMPLEX | IS_QUANT) && check_square(c, 0) &&
           check_result_id(c, 0, in_id(c, 0));
}

bool shape_triangular_solve(Check *c) {
    if (!check_operands_in(c, IS_FLOAT | IS_COMPLEX) || !check_square(c, 0)) return false;
    const Type *a = in_type(c, 0), *b = in_type(c, 1);
    uint32_t rank = a->rank, shared = rank - (check_flag(c, A_left_side, true) ? 2 : 1);
    bool fits = a->elem == b->elem && b->rank == rank && dims_compatible(a->dims[rank - 1], b->dims[shared]);
    for (uint32_t i = 0; fits && i + 2 < rank; i++) fits = dims_compatible(a->dims[i], b->dims[i]);
    if (!fits)
        return check_fail(c, "same element type and batch dimensions; b has as many rows (left_side) or columns as a",
                          "a is %s and b is %s", check_tensor_text(c, a), check_tensor_text(c, b));
    if (span_is(check_text(c, A_transpose_a), "TRANSPOSE_INVALID"))
        return check_fail(c, "NO_TRANSPOSE, TRANSPOSE or ADJOINT", "transpose_a is TRANSPOSE_INVALID");
    return check_result_id(c, 0, in_id(c, 1));
}

bool shape_fft(Check *c) {
    if (!check_operand_in(c, 0, IS_FLOAT | IS_COMPLEX)) return false;
    uint32_t n;
    const int64_t *length = check_ints(c, A_fft_length, &n);
    Span type = check_text(c, A_fft_type);
    bool real_in = span_is(type, "RFFT"), real_out = span_is(type, "IRFFT");
    int64_t *dims;
    Type t = check_copy(c, in_type(c, 0), &dims);
    if (n < 1 || n > 3) return check_fail(c, NULL, "fft_length has %u entries, expected 1 to 3", n);
    bool complex = elem_class((Elem)t.elem) == CLASS_COMPLEX;
    if (real_in ? check_complex_elem((Elem)t.elem) == EL_COUNT : !complex)
        return check_fail(c, real_in ? "RFFT takes f32 or f64" : "convert to complex first", "%.*s of %s", (int)type.n,
                          type.at, check_tensor_text(c, &t));
    if (t.rank < n) return check_fail(c, NULL, "fft_length has %u entries, but operand has %u dimensions", n, t.rank);
    uint32_t first = t.rank - n, last = t.rank - 1;
    for (uint32_t i = 0; i < n; i++) {
        int64_t want = length[i];
        if (want < 0) return check_fail(c, NULL, "fft_length %s has a negative entry", check_ints_text(c, length, n));
        if (!real_in && !real_out) continue;
        if (real_out && i + 1 == n && want) want = want / 2 + 1;
        if (!dims_compatible(dims[first + i], want))
            return check_fail(
                c,
                real_out ? "fft_length is the shape of the result; half of the last dimension and one comes in"
                         : "fft_length is the shape of the operand's last dimensions",
                "fft_length is %s, but operand is %s", check_ints_text(c, length, n), check_tensor_text(c, &t));
    }
    const int64_t *from = check_bounds(c, &t);
    if (from && (real_in || real_out)) {
        int64_t *bounds = check_array(c, int64_t, t.rank);
        for (uint32_t i = 0; i < t.rank; i++) bounds[i] = i == last ? DIM_DYNAMIC : from[i];
        t.encoding = check_encoding(c, t.encoding, bounds, t.rank);
    }
    if (real_in) {
        t.elem = (uint8_t)check_complex_elem((Elem)t.elem);
        if (length[n - 1]) dims[last] = length[n - 1] / 2 + 1;
    }
    if (real_out) {
        t.elem = (uint8_t)check_real_elem((Elem)t.elem);
        dims[last] = length[n - 1];
    }
    return check_result(c, 0, &t);
}

// One kind of operand has the shape of the data (operand, grad_output), the other one number for each feature (scale,
// mean, …).
bool shape_batch_norm(Check *c) {
    if (!check_operands_in(c, IS_FLOAT | IS_QUANT)) return false;
    Type x = *in_type(c, 0);
    int64_t feature = check_int(c, A_feature_index, 0);
    if (!check_dim(c, "feature_index", feature, x.rank, "operand")) return false;
    for (uint32_t i = 1; i < c->n_operands; i++) {
        const Type *t = in_type(c, i);
        bool data = c->kind == OP_batch_norm_grad && i == 4;
        bool fits = data ? check_same_shape(&x, t)
                         : t->rank == 1 && dims_compatible(t->dims[0], x.dims[feature]) &&
                               dims_compatible(t->dims[0], in_type(c, 1)->dims[0]);
        if (!fits || !check_like_elem(c, &x, t))
            return check_fail(c, data ? "it has the shape of operand" : "it has one number for each feature",
                              "%s is %s, but operand is %s and feature_index is %lld", check_operand_name(c, i),
                              check_tensor_text(c, t), check_tensor_text(c, &x), (long long)feature);
    }
    if (!check_result(c, 0, &x)) return false;
    if (c->n_results == 1) return true;
    int64_t bound, dim = x.dims[feature];
    const int64_t *from = check_bounds(c, &x);
    bound = from ? from[feature] : DIM_DYNAMIC;
    Type t = x;
    t.rank = 1;
    t.dims = &dim;
    t.encoding = check_encoding(c, NO_ID, from ? &bound : NULL, 1);
    return check_result(c, 1, &t) && check_result(c, 2, &t);
}
