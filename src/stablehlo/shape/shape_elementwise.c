// Shape rules of elementwise ops: all operands have one shape, and the result has it too.
//
//     %2 = stablehlo.add %0, %1 : tensor<4x8xf32>           one type for all, which is one comparison of ids
//     %3 = stablehlo.compare LT, %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
#include "stablehlo/shape/shape.h"

enum {
    FLOATS = IS_FLOAT | IS_COMPLEX | IS_QUANT,
    ROUNDED = IS_FLOAT | IS_QUANT,
    NUMBERS = IS_INT | IS_FLOAT | IS_COMPLEX | IS_QUANT,
    CHLO = IS_UNRANKED,
    ANY = IS_TENSOR_AXIS | IS_UNRANKED
};

// What the operands of each elementwise op may be.
static const TypeSet allowed[OP_COUNT] = {
    [OP_add] = IS_TENSOR_AXIS,
    [OP_and] = IS_BOOL | IS_INT,
    [OP_atan2] = FLOATS,
    [OP_cbrt] = FLOATS,
    [OP_ceil] = ROUNDED,
    [OP_cosine] = FLOATS,
    [OP_count_leading_zeros] = IS_INT,
    [OP_divide] = NUMBERS,
    [OP_exponential] = FLOATS,
    [OP_exponential_minus_one] = FLOATS,
    [OP_floor] = ROUNDED,
    [OP_is_finite] = ROUNDED,
    [OP_log] = FLOATS,
    [OP_log_plus_one] = FLOATS,
    [OP_logistic] = FLOATS,
    [OP_maximum] = IS_TENSOR,
    [OP_minimum] = IS_TENSOR,
    [OP_multiply] = IS_TENSOR,
    [OP_negate] = NUMBERS,
    [OP_not] = IS_BOOL | IS_INT,
    [OP_or] = IS_BOOL | IS_INT,
    [OP_popcnt] = IS_INT,
    [OP_power] = NUMBERS,
    [OP_reduce_precision] = ROUNDED,
    [OP_remainder] = NUMBERS,
    [OP_round_nearest_afz] = ROUNDED,
    [OP_round_nearest_even] = ROUNDED,
    [OP_rsqrt] = FLOATS,
    [OP_shift_left] = IS_INT,
    [OP_shift_right_arithmetic] = IS_INT,
    [OP_shift_right_logical] = IS_INT,
    [OP_sign] = IS_SINT | FLOATS,
    [OP_sine] = FLOATS,
    [OP_sqrt] = FLOATS,
    [OP_subtract] = NUMBERS,
    [OP_tan] = FLOATS,
    [OP_tanh] = FLOATS,
    [OP_xor] = IS_BOOL | IS_INT,
    [OP_chlo_acos] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_acosh] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_asin] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_asinh] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_atan] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_atanh] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_bessel_i1e] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_conj] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_cosh] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_digamma] = IS_FLOAT | CHLO,
    [OP_chlo_erf] = IS_FLOAT | CHLO,
    [OP_chlo_erf_inv] = IS_FLOAT | CHLO,
    [OP_chlo_erfc] = IS_FLOAT | CHLO,
    [OP_chlo_is_inf] = IS_FLOAT | CHLO,
    [OP_chlo_is_neg_inf] = IS_FLOAT | CHLO,
    [OP_chlo_is_pos_inf] = IS_FLOAT | CHLO,
    [OP_chlo_lgamma] = IS_FLOAT | CHLO,
    [OP_chlo_mulhi] = IS_INT,
    [OP_chlo_next_after] = IS_FLOAT | CHLO,
    [OP_chlo_polygamma] = IS_FLOAT | CHLO,
    [OP_chlo_sinh] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_square] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_tan] = IS_FLOAT | IS_COMPLEX | CHLO,
    [OP_chlo_zeta] = IS_FLOAT | CHLO,
    [OP_chlo__asin_acos_kernel] = IS_COMPLEX | CHLO,
    [OP_chlo_broadcast_and] = IS_BOOL | IS_INT | CHLO,
    [OP_chlo_broadcast_or] = IS_BOOL | IS_INT | CHLO,
    [OP_chlo_broadcast_xor] = IS_BOOL | IS_INT | CHLO,
    [OP_chlo_broadcast_zeta] = IS_FLOAT | CHLO,
    [OP_chlo_broadcast_complex] = IS_FLOAT | CHLO,
};

static TypeSet allowed_for(OpKind kind) { return allowed[kind] ? allowed[kind] : ANY; }

// ---- One type for all ----------------------------------------------------------------------------------------------

static bool check_accuracy(Check *c) {
    AttrId a = check_attr(c, A_result_accuracy);
    if (a == NO_ID) return true;
    double tolerance[2] = {0, 0};
    Span mode = SPAN("DEFAULT");
    const Attr *record = attr_get(c->m, a);
    for (uint32_t i = 0; i < record->n; i++) {
        const FieldValue *f = &record->fields[i];
        if (field_info[f->field].kind != FIELD_ATTR || (uint64_t)f->i >= c->m->attrs.n) continue;
        const Attr *value = attr_get(c->m, (AttrId)f->i);
        if (f->field == RF_RESULT_ACCURACY_mode)
            mode = value->text;
        else if (value->kind == ATTR_FLOAT)
            tolerance[f->field == RF_RESULT_ACCURACY_rtol] = value->f;
    }
    int64_t ulps = record_int(c->m, a, RF_RESULT_ACCURACY_ulps, 0);
    if (tolerance[0] < 0 || tolerance[1] < 0 || ulps < 0)
        return check_fail(c, NULL, "result_accuracy has a negative tolerance");
    if (!span_is(mode, "TOLERANCE") && (tolerance[0] != 0 || tolerance[1] != 0 || ulps != 0))
        return check_fail(c, "use mode TOLERANCE, or leave the tolerances at zero",
                          "result_accuracy has tolerances but mode %.*s", (int)mode.n, mode.at);
    return true;
}

bool shape_unary(Check *c) {
    if (!check_operand_in(c, 0, allowed_for(c->kind))) return false;
    if (c->n_attrs && !check_accuracy(c)) return false;
    if (c->kind == OP_reduce_precision) {
        if (check_int(c, A_exponent_bits, 1) < 1)
            return check_fail(c, "keep at least one exponent bit", "exponent_bits is not positive");
        if (check_int(c, A_mantissa_bits, 0) < 0) return check_fail(c, NULL, "mantissa_bits is negative");
    }
    return check_result_id(c, 0, in_id(c, 0));
}

// Addition alone may mix quantization parameters: storage and expressed types agree, and a result per axis needs an
// operand per axis.
static bool check_quantized_add(Check *c) {
    const Quant *a = check_quant(c, in_type(c, 0)), *b = check_quant(c, in_type(c, 1));
    const Quant *r = check_quant(c, out_type(c, 0));
    if (!a || !b || !r) return check_fail(c, NULL, "some operands and results are quantized and others are not");
    if (a->storage != b->storage || a->storage != r->storage)
        return check_fail(c, NULL, "quantized with different storage types");
    if (a->expressed != b->expressed || a->expressed != r->expressed)
        return check_fail(c, NULL, "quantized with different expressed types");
    if ((a->axis >= 0 || b->axis >= 0) != (r->axis >= 0))
        return check_fail(c, NULL, "a result is quantized per axis if an operand is, and only then");
    if ((a->axis >= 0 && a->axis != r->axis) || (b->axis >= 0 && b->axis != r->axis))
        return check_fail(c, NULL, "quantized along different dimensions");
    return true;
}

bool shape_binary(Check *c) {
    TypeId a = in_id(c, 0), b = in_id(c, 1);
    TypeSet set = allowed_for(c->kind);
    if (!check_operand_in(c, 0, set)) return false;
    if (a == b && in_type(c, 0)->elem != EL_QUANT) return check_result_id(c, 0, a);

    if (!check_operand_in(c, 1, set)) return false;
    int64_t *dims;
    Type t = check_copy(c, in_type(c, 0), &dims);
    const Type *other = in_type(c, 1);
    bool mixed = c->kind == OP_add && (t.elem == EL_QUANT || other->elem == EL_QUANT);
    if (mixed && !check_quantized_add(c)) return false;
    if (!mixed && !check_like_elem(c, &t, other))
        return check_fail(c, "convert one of them", "lhs is %s and rhs is %s: their elements differ",
                          check_type_text(c, a), check_type_text(c, b));
    return check_merge(c, &t, dims, other, 1, -1) && check_result(c, 0, &t);
}

bool shape_logical(Check *c) { return c->n_operands == 1 ? shape_unary(c) : shape_binary(c); }

// ---- Another element type ------------------------------------------------------------------------------------------

static bool elementwise_result(Check *c, const Type *shape, Elem elem) {
    Type t = *shape;
    t.elem = (uint8_t)elem;
    if (elem != EL_QUANT) t.quant = 0;
    return check_result(c, 0, &t);
}

bool shape_abs(Check *c) {
    const Type *x = in_type(c, 0);
    return check_operand_in(c, 0, IS_SINT | IS_FLOAT | IS_COMPLEX | IS_QUANT) &&
           elementwise_result(c, x, check_real_elem((Elem)x->elem));
}

bool shape_real_imag(Check *c) {
    const Type *x = in_type(c, 0);
    return check_operand_in(c, 0, IS_FLOAT | IS_COMPLEX) && elementwise_result(c, x, check_real_elem((Elem)x->elem));
}

bool shape_complex(Check *c) {
    for (uint32_t i = 0; i < 2; i++)
        if (!check_operand_in(c, i, IS_FLOAT)) return false;
    int64_t *dims;
    Type t = check_copy(c, in_type(c, 0), &dims);
    Elem elem = check_complex_elem((Elem)t.elem);
    if (elem == EL_COUNT || in_type(c, 1)->elem != t.elem)
        return check_fail(c, "the parts of complex numbers are both f32 or both f64", "lhs is %s and rhs is %s",
                          check_type_text(c, in_id(c, 0)), check_type_text(c, in_id(c, 1)));
    return check_merge(c, &t, dims, in_type(c, 1), 1, -1) && elementwise_result(c, &t, elem);
}

bool shape_is_finite(Check *c) {
    return check_operand_in(c, 0, allowed_for(c->kind)) && elementwise_result(c, in_type(c, 0), EL_I1);
}

bool shape_compare(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR) || !check_operand_in(c, 1, IS_TENSOR)) return false;
    const Type *a = in_type(c, 0), *b = in_type(c, 1);
    if (a != b) {
        if (!check_like_elem(c, a, b))
            return check_fail(c, "convert one of them", "lhs is %s and rhs is %s: their elements differ",
                              check_type_text(c, in_id(c, 0)), check_type_text(c, in_id(c, 1)));
        int64_t *dims;
        Type t = check_copy(c, a, &dims);
        if (!check_merge(c, &t, dims, b, 1, -1)) return false;
    }
    return elementwise_result(c, a, EL_I1);
}

bool shape_convert(Check *c) {
    if (!check_operand_in(c, 0, IS_PLAIN) || !check_result_in(c, 0, IS_PLAIN)) return false;
    return check_result_shape(c, 0, in_type(c, 0));
}

bool shape_bitcast_convert(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS) || !check_result_in(c, 0, IS_TENSOR_AXIS)) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    if ((elem_class((Elem)x->elem) == CLASS_COMPLEX) != (elem_class((Elem)y->elem) == CLASS_COMPLEX))
        return check_fail(c, "take real and imag apart first", "from %s to %s: one is complex and the other is not",
                          check_tensor_text(c, x), check_tensor_text(c, y));
    const Quant *qx = check_quant(c, x), *qy = check_quant(c, y);
    uint32_t bits_x = elem_bits(qx ? qx->storage : (Elem)x->elem), bits_y = elem_bits(qy ? qy->storage : (Elem)y->elem);
    if (bits_x == bits_y) return check_result_shape(c, 0, x);

    // The side with the smaller elements has one more dimension, which holds the pieces of one larger element.
    const Type *small = bits_x < bits_y ? x : y, *large = bits_x < bits_y ? y : x;
    uint32_t bits_small = bits_x < bits_y ? bits_x : bits_y, bits_large = bits_x < bits_y ? bits_y : bits_x;
    bool fits = small->rank == large->rank + 1 && bits_large % bits_small == 0 &&
                dims_compatible(small->dims[large->rank], bits_large / bits_small);
    for (uint32_t i = 0; fits && i < large->rank; i++) fits = dims_compatible(small->dims[i], large->dims[i]);
    if (fits) return true;
    return check_fail(c,
                      check_format(c, "the %u-bit side needs one more dimension, the last, of size %u/%u", bits_small,
                                   bits_large, bits_small),
                      "from %s to %s: the bits do not fit", check_tensor_text(c, x), check_tensor_text(c, y));
}

bool shape_dequantize(Check *c) {
    if (!check_operand_in(c, 0, IS_QUANT | IS_QUANT_AXIS)) return false;
    const Type *x = in_type(c, 0);
    return elementwise_result(c, x, check_quant(c, x)->expressed);
}

bool shape_quantize(Check *c) {
    if (!check_operand_in(c, 0, IS_FLOAT | IS_QUANT | IS_QUANT_AXIS)) return false;
    if (!check_result_in(c, 0, IS_QUANT | IS_QUANT_AXIS)) return false;
    const Type *x = in_type(c, 0);
    Elem want = x->elem == EL_QUANT ? check_quant(c, x)->expressed : (Elem)x->elem,
         got = check_quant(c, out_type(c, 0))->expressed;
    if (got != want)
        return check_fail(c, NULL, "the result expresses %s, expected %s as the operand", elem_text(got),
                          elem_text(want));
    return check_result_shape(c, 0, x);
}

// ---- Scalars among the operands ------------------------------------------------------------------------------------

static bool check_scalar_or_like(Check *c, uint32_t i, const Type *x, const char *name) {
    const Type *t = in_type(c, i);
    if (t->rank == 0 || check_same_shape(t, x)) return true;
    return check_fail(c, check_format(c, "a scalar, or the shape of %s", name), "%s is %s, but %s is %s",
                      check_operand_name(c, i), check_tensor_text(c, t), name, check_tensor_text(c, x));
}

bool shape_clamp(Check *c) {
    if (!check_operands_in(c, IS_TENSOR)) return false;
    const Type *x = in_type(c, 1);
    for (uint32_t i = 0; i < 3; i++)
        if (!check_like_elem(c, in_type(c, i), x))
            return check_fail(c, "convert it", "%s is %s, but operand is %s: their elements differ",
                              check_operand_name(c, i), check_type_text(c, in_id(c, i)), check_tensor_text(c, x));
    return check_scalar_or_like(c, 0, x, "operand") && check_scalar_or_like(c, 2, x, "operand") &&
           check_result_id(c, 0, in_id(c, 1));
}

bool shape_select(Check *c) {
    if (!check_operand_in(c, 0, IS_BOOL) || !check_operand_in(c, 1, IS_TENSOR)) return false;
    if (!check_scalar_or_like(c, 0, in_type(c, 1), "on_true")) return false;
    if (in_id(c, 1) == in_id(c, 2)) return check_result_id(c, 0, in_id(c, 1));
    int64_t *dims;
    Type t = check_copy(c, in_type(c, 1), &dims);
    if (!check_operand_in(c, 2, IS_TENSOR)) return false;
    if (!check_same_elem(c, &t, in_type(c, 2)))
        return check_fail(c, "convert one of them", "on_true is %s and on_false is %s: their elements differ",
                          check_type_text(c, in_id(c, 1)), check_type_text(c, in_id(c, 2)));
    return check_merge(c, &t, dims, in_type(c, 2), 2, -1) && check_result(c, 0, &t);
}

// ---- Implicit broadcasting (chlo) ----------------------------------------------------------------------------------

// The shape of x and y side by side, where dimension i of y lies on dimension on[i] of x (on NULL: they end together).
// A size of 1 stretches.
static bool broadcast_shape(Check *c, Type *x, const Type *y, const int64_t *on) {
    if (x->kind == TYPE_UNRANKED || y->kind == TYPE_UNRANKED) {
        x->kind = TYPE_UNRANKED;
        x->rank = 0;
        x->encoding = NO_ID;
        return true;
    }
    const Type *large = x->rank >= y->rank ? x : y, *small = large == x ? y : x;
    int64_t *dims;
    Type t = check_copy(c, large, &dims);
    t.elem = x->elem;
    t.quant = x->quant;
    for (uint32_t i = 0; i < small->rank; i++) {
        uint32_t d = on ? (uint32_t)on[i] : large->rank - small->rank + i;
        int64_t a = large->dims[d], b = small->dims[i];
        if (a == b || b == 1) continue;
        if (a != 1 && a != DIM_DYNAMIC && b != DIM_DYNAMIC)
            return check_fail(c, "sizes are equal, or one of them is 1",
                              "%s and %s do not broadcast: %lld against %lld", check_tensor_text(c, x),
                              check_tensor_text(c, y), (long long)a, (long long)b);
        if (a == 1 || (a == DIM_DYNAMIC && b != DIM_DYNAMIC)) dims[d] = b;
    }
    t.encoding = NO_ID;
    *x = t;
    return true;
}

// While a side is not known to be longer than 1, the result is not known either: it goes with anything.
static bool broadcast_result(Check *c, const Type *t) {
    const Type *out = out_type(c, 0);
    if (check_like_elem(c, t, out) && check_same_shape(t, out)) return true;
    return check_result(c, 0, t);
}

bool shape_broadcasting(Check *c) {
    bool select = c->kind == OP_chlo_broadcast_select;
    for (uint32_t i = 0; i < c->n_operands; i++)
        if (!check_operand_in(c, i, select && i == 0 ? IS_BOOL | IS_UNRANKED : allowed_for(c->kind))) return false;
    uint32_t first = select ? 1 : 0;
    Type t = *in_type(c, first);
    if (!check_like_elem(c, &t, in_type(c, first + 1)))
        return check_fail(c, "convert one of them", "%s is %s and %s is %s: their elements differ",
                          check_operand_name(c, first), check_tensor_text(c, &t), check_operand_name(c, first + 1),
                          check_tensor_text(c, in_type(c, first + 1)));
    uint32_t n;
    const int64_t *on = check_ints(c, A_broadcast_dimensions, &n);
    const Type *y = in_type(c, first + 1);
    if (on && is_ranked(&t) && is_ranked(y)) {
        uint32_t small = t.rank < y->rank ? t.rank : y->rank, large = t.rank < y->rank ? y->rank : t.rank;
        if (t.rank == y->rank)
            on = NULL; // of no use, and often wrong in programs that work
        else if (!check_length(c, "broadcast_dimensions", n, small, "dimension of the operand of smaller rank"))
            return false;
        else if (!check_dims(c, "broadcast_dimensions", on, n, large, "the operand of larger rank"))
            return false;
    }
    if (!broadcast_shape(c, &t, y, on)) return false;
    if (select && !broadcast_shape(c, &t, in_type(c, 0), NULL)) return false;
    if (c->kind == OP_chlo_broadcast_compare) t.elem = EL_I1;
    if (c->kind == OP_chlo_broadcast_complex) {
        t.elem = (uint8_t)check_complex_elem((Elem)t.elem);
        if (t.elem == EL_COUNT)
            return check_fail(c, "use f32 or f64", "there are no complex numbers of %s",
                              elem_text((Elem)in_type(c, 0)->elem));
    }
    return broadcast_result(c, &t);
}
