// Pretty forms, by the `form` column of the op table: print_form_X writes what follows the name of an op. The forms
// with regions, functions and shardings stand in print_forms_region.c.
//
//     same            %0 = stablehlo.add %a, %b : tensor<4xf32>
//     functional      %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>
//     dims            %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
#include "stablehlo/print/print_forms.h"

PrintForm *const print_forms[OP_COUNT] = {
#define print_form_generic                                                          NULL
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) print_form_##form,
#include "ir/ops.def"
#undef print_form_generic
};

// ---- Parts of forms -------------------------------------------------------------------------------------------------

static const Attr *attr_of(Printer *p, OpId op, AttrName name) {
    AttrId a = op_attr(p->m, op, name);
    return a == NO_ID ? NULL : attr_get(p->m, a);
}

static void put_operands(Printer *p, OpId op) {
    PUT(p, " ");
    put_values(p, op_operands(p->m, op), op_get(p->m, op)->n_operands);
}

static void put_int(Printer *p, OpId op, AttrName name) { buf_int(p->out, op_attr_int(p->m, op, name, 0)); }

static void put_ints(Printer *p, OpId op, AttrName name) {
    uint32_t n;
    const int64_t *v = op_attr_ints(p->m, op, name, &n);
    PUT(p, "[");
    print_ints(v, n, p->out);
    PUT(p, "]");
}

static void put_text(Printer *p, OpId op, AttrName name) { put_span(p, op_attr_text(p->m, op, name)); }

void put_colon_functional_type(Printer *p, OpId op) {
    PUT(p, " : ");
    put_functional_type(p, op);
}

// One type if operands and result all have it, else a function type.
static void put_colon_same_type(Printer *p, OpId op) {
    const Module *m = p->m;
    TypeId t = value_type(m, op_result(m, op, 0));
    PUT(p, " : ");
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++)
        if (value_type(m, op_operand(m, op, i)) != t) {
            put_functional_type(p, op);
            return;
        }
    put_type(p, t);
}

static void put_colon_result_types(Printer *p, OpId id) {
    const Op *op = op_get(p->m, id);
    PUT(p, " : ");
    for (uint32_t i = 0; i < op->n_results; i++) {
        if (i) PUT(p, ", ");
        put_type(p, value_type(p->m, op->first_result + i));
    }
}

// ---- Elementwise ----------------------------------------------------------------------------------------------------

void print_form_same(Printer *p, OpId op) {
    put_operands(p, op);
    put_attr_dict(p, op, NO_NAMES);
    put_colon_same_type(p, op);
}

void print_form_functional(Printer *p, OpId op) {
    put_operands(p, op);
    put_attr_dict(p, op, NO_NAMES);
    put_colon_functional_type(p, op);
}

void print_form_compare(Printer *p, OpId op) {
    PUT(p, " ");
    put_text(p, op, A_comparison_direction);
    PUT(p, ",");
    put_operands(p, op);
    if (attr_of(p, op, A_compare_type)) {
        PUT(p, ", ");
        put_text(p, op, A_compare_type);
    }
    put_attr_dict(p, op, NAMES(A_comparison_direction, A_compare_type));
    put_colon_functional_type(p, op);
}

// The parts of a complex number have its shape and the type of its parts, then the result's type says all.
static bool is_real_part_of(const Type *part, const Type *whole) {
    bool matches = (whole->elem == EL_C64 && part->elem == EL_F32) || (whole->elem == EL_C128 && part->elem == EL_F64);
    return matches && part->kind == TYPE_TENSOR && whole->kind == TYPE_TENSOR && part->rank == whole->rank &&
           part->encoding == whole->encoding &&
           (!part->rank || memcmp(part->dims, whole->dims, part->rank * sizeof *part->dims) == 0);
}

void print_form_complex(Printer *p, OpId op) {
    const Type *whole = result_type(p->m, op, 0);
    put_operands(p, op);
    put_attr_dict(p, op, NO_NAMES);
    if (is_real_part_of(operand_type(p->m, op, 0), whole) && is_real_part_of(operand_type(p->m, op, 1), whole))
        put_colon_result_types(p, op);
    else
        put_colon_functional_type(p, op);
}

void print_form_select(Printer *p, OpId op) {
    const Module *m = p->m;
    TypeId t = value_type(m, op_result(m, op, 0));
    put_operands(p, op);
    put_attr_dict(p, op, NO_NAMES);
    if (value_type(m, op_operand(m, op, 1)) != t || value_type(m, op_operand(m, op, 2)) != t) {
        put_colon_functional_type(p, op);
        return;
    }
    PUT(p, " : ");
    put_type(p, value_type(m, op_operand(m, op, 0)));
    PUT(p, ", ");
    put_type(p, t);
}

void print_form_reduce_precision(Printer *p, OpId op) {
    put_operands(p, op);
    PUT(p, ", format = e");
    put_int(p, op, A_exponent_bits);
    PUT(p, "m");
    put_int(p, op, A_mantissa_bits);
    put_attr_dict(p, op, NAMES(A_exponent_bits, A_mantissa_bits));
    put_colon_same_type(p, op);
}

// chlo.zeta %x, %q : tensor<f32>, tensor<f32> -> tensor<f32>
void print_form_chlo(Printer *p, OpId op) {
    put_operands(p, op);
    put_attr_dict(p, op, NO_NAMES);
    PUT(p, " : ");
    put_value_types(p, op_operands(p->m, op), op_get(p->m, op)->n_operands);
    PUT(p, " -> ");
    put_type(p, value_type(p->m, op_result(p->m, op, 0)));
}

// ---- Constants and sources ------------------------------------------------------------------------------------------

void print_form_constant(Printer *p, OpId op) {
    AttrId value = op_attr(p->m, op, A_value);
    if (attr_get(p->m, value)->type != value_type(p->m, op_result(p->m, op, 0))) { // quantized: stored as integers
        put_generic(p, op);
        return;
    }
    put_attr_dict(p, op, NAMES(A_value));
    PUT(p, " ");
    put_attr(p, value);
}

void print_form_chlo_constant(Printer *p, OpId op) {
    put_attr_dict(p, op, NAMES(A_value));
    PUT(p, " ");
    put_attr(p, op_attr(p->m, op, A_value));
}

// stablehlo.create_token : !stablehlo.token, stablehlo.after_all %0, %1 : !stablehlo.token
void print_form_token(Printer *p, OpId op) {
    if (op_kind(p->m, op) == OP_after_all) put_operands(p, op);
    put_attr_dict(p, op, NO_NAMES);
    put_colon_same_type(p, op);
}

// stablehlo.partition_id : tensor<ui32>, stablehlo.optimization_barrier %0, %1 : tensor<f32>, tensor<i1>
void print_form_types(Printer *p, OpId op) {
    uint32_t n = op_get(p->m, op)->n_operands;
    put_attr_dict(p, op, NO_NAMES);
    if (n) put_operands(p, op);
    if (op_get(p->m, op)->n_results)
        put_colon_result_types(p, op);
    else
        PUT(p, "()");
}

// %0, LABEL = VALUE : (…) -> …, for an op with one attribute.
static void put_form_of(Printer *p, OpId op, const char *label, void (*value)(Printer *, OpId, AttrName), AttrName name) {
    put_operands(p, op);
    PUT(p, ", ");
    put_span(p, span_of(label));
    PUT(p, " = ");
    value(p, op, name);
    put_attr_dict(p, op, NAMES(name));
    put_colon_functional_type(p, op);
}

void print_form_rng(Printer *p, OpId op) { put_form_of(p, op, "distribution", put_text, A_rng_distribution); }
void print_form_rng_bit_generator(Printer *p, OpId op) { put_form_of(p, op, "algorithm", put_text, A_rng_algorithm); }

// ---- Movement -------------------------------------------------------------------------------------------------------

void print_form_broadcast(Printer *p, OpId op) { put_form_of(p, op, "sizes", put_ints, A_broadcast_sizes); }
// MLIR cannot read back what it writes for a scalar, `%0, , sizes = []`: without the empty list of indices it can.
void print_form_dynamic_slice(Printer *p, OpId op) { put_form_of(p, op, "sizes", put_ints, A_slice_sizes); }

void print_form_dims(Printer *p, OpId op) {
    AttrName name = (AttrName)op_info[op_kind(p->m, op)].attrs[0].name;
    put_operands(p, op);
    PUT(p, ", dims = ");
    put_ints(p, op, name);
    put_attr_dict(p, op, NAMES(name));
    if (op_kind(p->m, op) == OP_reverse)
        put_colon_same_type(p, op);
    else
        put_colon_functional_type(p, op);
}

void print_form_dim(Printer *p, OpId op) {
    AttrName name = (AttrName)op_info[op_kind(p->m, op)].attrs[0].name;
    uint32_t n = op_get(p->m, op)->n_operands;
    if (n) {
        put_operands(p, op);
        PUT(p, ",");
    }
    PUT(p, " dim = ");
    put_int(p, op, name);
    put_attr_dict(p, op, NAMES(name));
    if (n)
        put_colon_functional_type(p, op);
    else
        put_colon_result_types(p, op);
}

void print_form_pad(Printer *p, OpId op) {
    put_operands(p, op);
    PUT(p, ", low = ");
    put_ints(p, op, A_edge_padding_low);
    PUT(p, ", high = ");
    put_ints(p, op, A_edge_padding_high);
    PUT(p, ", interior = ");
    put_ints(p, op, A_interior_padding);
    put_attr_dict(p, op, NAMES(A_edge_padding_low, A_edge_padding_high, A_interior_padding));
    put_colon_functional_type(p, op);
}

// stablehlo.slice %0 [0:4, 1:6:2] : …
void print_form_slice(Printer *p, OpId op) {
    uint32_t n, n_limits, n_strides;
    const int64_t *start = op_attr_ints(p->m, op, A_start_indices, &n);
    const int64_t *limit = op_attr_ints(p->m, op, A_limit_indices, &n_limits);
    const int64_t *stride = op_attr_ints(p->m, op, A_strides, &n_strides);
    put_operands(p, op);
    PUT(p, " [");
    for (uint32_t i = 0; i < n && i < n_limits && i < n_strides; i++) {
        if (i) PUT(p, ", ");
        buf_int(p->out, start[i]);
        PUT(p, ":");
        buf_int(p->out, limit[i]);
        if (stride[i] != 1) {
            PUT(p, ":");
            buf_int(p->out, stride[i]);
        }
    }
    PUT(p, "]");
    put_attr_dict(p, op, NAMES(A_start_indices, A_limit_indices, A_strides));
    put_colon_functional_type(p, op);
}

void print_form_tuple(Printer *p, OpId op) {
    put_operands(p, op);
    put_attr_dict(p, op, NO_NAMES);
    put_colon_result_types(p, op);
}

void print_form_tuple_element(Printer *p, OpId op) {
    put_operands(p, op);
    PUT(p, "[");
    put_int(p, op, A_index);
    PUT(p, "]");
    put_attr_dict(p, op, NAMES(A_index));
    put_colon_functional_type(p, op);
}

// chlo.top_k(%0, k = 2) : tensor<8xf32> -> (tensor<2xf32>, tensor<2xi32>)
void print_form_top_k(Printer *p, OpId op) {
    const Module *m = p->m;
    PUT(p, "(");
    put_value(p, op_operand(m, op, 0));
    PUT(p, ", k = ");
    put_int(p, op, A_k);
    if (!op_attr_bool(m, op, A_is_stable, true)) PUT(p, ", is_stable = false");
    PUT(p, ")");
    put_attr_dict(p, op, NAMES(A_k, A_is_stable));
    PUT(p, " : ");
    put_type(p, value_type(m, op_operand(m, op, 0)));
    PUT(p, " -> (");
    put_type(p, value_type(m, op_result(m, op, 0)));
    PUT(p, ", ");
    put_type(p, value_type(m, op_result(m, op, 1)));
    PUT(p, ")");
}

// ---- Linear algebra -------------------------------------------------------------------------------------------------

void print_form_cholesky(Printer *p, OpId op) {
    put_operands(p, op);
    if (op_attr_bool(p->m, op, A_lower, false)) PUT(p, ", lower = true");
    put_attr_dict(p, op, NAMES(A_lower));
    put_colon_same_type(p, op);
}

void print_form_fft(Printer *p, OpId op) {
    put_operands(p, op);
    PUT(p, ", type = ");
    put_text(p, op, A_fft_type);
    PUT(p, ", length = ");
    put_ints(p, op, A_fft_length);
    put_attr_dict(p, op, NAMES(A_fft_type, A_fft_length));
    put_colon_functional_type(p, op);
}

void print_form_einsum(Printer *p, OpId op) {
    put_operands(p, op);
    PUT(p, ", config = ");
    print_string(op_attr_text(p->m, op, A_einsum_config), p->out);
    put_attr_dict(p, op, NAMES(A_einsum_config));
    put_colon_functional_type(p, op);
}

// , precision = [DEFAULT, HIGHEST]
static void put_precision(Printer *p, OpId op) {
    const Attr *a = attr_of(p, op, A_precision_config);
    if (!a) return;
    PUT(p, ", precision = [");
    for (uint32_t i = 0; i < a->n; i++) {
        if (i) PUT(p, ", ");
        put_span(p, attr_get(p->m, a->items[i])->text);
    }
    PUT(p, "]");
}

void print_form_dot(Printer *p, OpId op) {
    put_operands(p, op);
    put_precision(p, op);
    put_attr_dict(p, op, NAMES(A_precision_config));
    put_colon_functional_type(p, op);
}

static void put_dims_pair(Printer *p, AttrId record, RecordField lhs, RecordField rhs) {
    uint32_t n;
    const int64_t *v = record_ints(p->m, record, lhs, &n);
    PUT(p, "[");
    print_ints(v, n, p->out);
    PUT(p, "] x [");
    v = record_ints(p->m, record, rhs, &n);
    print_ints(v, n, p->out);
    PUT(p, "]");
}

void print_form_dot_general(Printer *p, OpId op) {
    AttrId dims = op_attr(p->m, op, A_dot_dimension_numbers), algorithm = op_attr(p->m, op, A_algorithm);
    uint32_t n_lhs, n_rhs;
    record_ints(p->m, dims, RF_DOT_lhs_batching_dimensions, &n_lhs);
    record_ints(p->m, dims, RF_DOT_rhs_batching_dimensions, &n_rhs);
    put_operands(p, op);
    if (n_lhs || n_rhs) {
        PUT(p, ", batching_dims = ");
        put_dims_pair(p, dims, RF_DOT_lhs_batching_dimensions, RF_DOT_rhs_batching_dimensions);
    }
    PUT(p, ", contracting_dims = ");
    put_dims_pair(p, dims, RF_DOT_lhs_contracting_dimensions, RF_DOT_rhs_contracting_dimensions);
    put_precision(p, op);
    if (algorithm != NO_ID) {
        PUT(p, ", algorithm = ");
        print_record_body(p->m, algorithm, p->out);
    }
    put_attr_dict(p, op, NAMES(A_dot_dimension_numbers, A_precision_config, A_algorithm));
    put_colon_functional_type(p, op);
}

// pad = [[1, 1], [0, 0]]: numbers that may stand in a constant of any form.
static void put_window_padding(Printer *p, const Attr *a) {
    int64_t n = 2 * type_get(p->m, a->type)->dims[0];
    int64_t *v = arena_zalloc(p->scratch, (size_t)n * sizeof *v);
    attr_dense_decode(p->m, a, v, (size_t)n * sizeof *v);
    for (int64_t i = 0; i < n; i += 2) {
        buf_str(p->out, i ? ", [" : "[");
        print_ints(v + i, 2, p->out);
        PUT(p, "]");
    }
}

// window = {stride = [2, 2], pad = [[1, 1], [1, 1]]}: what is there, in this order
static void put_window(Printer *p, OpId op) {
    static const struct {
        AttrName name;
        const char *text;
    } parts[] = {{A_window_strides, "stride"},
                 {A_padding, "pad"},
                 {A_lhs_dilation, "lhs_dilate"},
                 {A_rhs_dilation, "rhs_dilate"},
                 {A_window_reversal, "reverse"}};
    const char *separator = "";
    PUT(p, "window = {");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const Attr *a = attr_of(p, op, parts[i].name);
        if (!a) continue;
        buf_str(p->out, separator);
        buf_str(p->out, parts[i].text);
        PUT(p, " = [");
        if (a->kind == ATTR_DENSE) {
            put_window_padding(p, a);
        } else if (a->sub != EL_I1) {
            print_ints(a->ints, a->n, p->out);
        } else {
            for (uint32_t k = 0; k < a->n; k++) {
                if (k) PUT(p, ", ");
                buf_str(p->out, a->ints[k] ? "true" : "false");
            }
        }
        PUT(p, "]");
        separator = ", ";
    }
    PUT(p, "}");
}

void print_form_convolution(Printer *p, OpId op) {
    PUT(p, "(");
    put_values(p, op_operands(p->m, op), op_get(p->m, op)->n_operands);
    PUT(p, ") dim_numbers = ");
    print_conv(p->m, op_attr(p->m, op, A_dimension_numbers), p->out);
    PUT(p, ", ");
    put_window(p, op);
    put_attr_dict(
        p, op,
        NAMES(A_dimension_numbers, A_window_strides, A_padding, A_lhs_dilation, A_rhs_dilation, A_window_reversal));
    put_colon_functional_type(p, op);
}
