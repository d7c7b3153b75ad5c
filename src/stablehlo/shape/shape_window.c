// Shape rules of windows that slide over a tensor: convolution, reduce_window, select_and_scatter.
//
//     size 10, padding 1 and 1, window 3 with dilation 2, stride 2:   (1 + 10 + 1 - ((3 - 1)·2 + 1)) / 2 + 1 = 4 places
#include "stablehlo/shape/shape.h"

// ---- Windows -------------------------------------------------------------------------------------------------------

static bool check_positive(Check *c, const char *name, const int64_t *v, uint32_t n) {
    for (uint32_t i = 0; v && i < n; i++)
        if (v[i] <= 0 && v[i] != DIM_DYNAMIC)
            return check_fail(c, "they are all 1 or more", "%s %s has an entry that is not positive", name,
                              check_ints_text(c, v, n));
    return true;
}

// An optional list: absent and empty both mean all ones.
static bool optional_list(Check *c, AttrName attr, const char *name, uint32_t want, const int64_t **v) {
    uint32_t n;
    *v = check_ints(c, attr, &n);
    if (n == 0) *v = NULL;
    return n == 0 || (check_length(c, name, n, want, "dimension of the window") && check_positive(c, name, *v, n));
}

static bool check_padding(Check *c, uint32_t want, const int64_t **padding) {
    uint32_t n;
    const Type *t = NULL;
    *padding = check_dense(c, A_padding, &t, &n);
    if (check_attr(c, A_padding) == NO_ID) return true;
    if (!*padding) return check_fail(c, NULL, "padding holds no integers");
    bool fits =
        t && is_ranked(t) && t->rank == 2 && t->dims[1] == 2 && (t->dims[0] == 0 || t->dims[0] == (int64_t)want);
    if (!fits)
        return check_fail(c, "a low and a high number for each dimension of the window",
                          "padding is %s, expected tensor<%ux2xi64>", t ? check_tensor_text(c, t) : "without a type",
                          want);
    if (t->dims[0] == 0) *padding = NULL;
    return true;
}

// Reads the window of size w->size[n] from the op's attributes (A_COUNT: it has none of this name) and `padding`.
static bool check_window(Check *c, Window *w, uint32_t n, AttrName stride, AttrName base, AttrName dilation) {
    *w = (Window){.n = n, .size = w->size};
    return check_positive(c, "the window", w->size, n) && optional_list(c, stride, "window_strides", n, &w->stride) &&
           (base == A_COUNT || optional_list(c, base, "base dilation", n, &w->base_dilation)) &&
           (dilation == A_COUNT || optional_list(c, dilation, "window dilation", n, &w->window_dilation)) &&
           check_padding(c, n, &w->padding);
}

static bool dilated(int64_t size, int64_t dilation, int64_t *out) {
    if (size == 0) return *out = 0, true;
    return !__builtin_mul_overflow(size - 1, dilation, out) && !__builtin_add_overflow(*out, 1, out);
}

// What a window leaves of a dimension; DIM_DYNAMIC if not known. False and an error on overflow.
static bool check_window_dim(Check *c, const Window *w, uint32_t i, int64_t base, int64_t *out) {
    int64_t size = w->size ? w->size[i] : 1, window;
    *out = DIM_DYNAMIC;
    if (base == DIM_DYNAMIC || size == DIM_DYNAMIC) return true;
    int64_t low = w->padding ? w->padding[2 * i] : 0, high = w->padding ? w->padding[2 * i + 1] : 0,
            stride = w->stride ? w->stride[i] : 1;
    if (!dilated(base, w->base_dilation ? w->base_dilation[i] : 1, &base) ||
        !dilated(size, w->window_dilation ? w->window_dilation[i] : 1, &window) ||
        __builtin_add_overflow(base, low, &base) || __builtin_add_overflow(base, high, &base) || base < 0)
        return check_fail(c, "check dilation and padding", "dimension %u does not exist after padding", i);
    *out = base == 0 || window > base ? 0 : (base - window) / stride + 1;
    return true;
}

// ---- Convolution ---------------------------------------------------------------------------------------------------

typedef struct ConvDims {
    // batch, feature, space; input feature, output feature, space; batch, feature, space
    int64_t *in, *kernel, *out;
} ConvDims;

static bool conv_dims(Check *c, uint32_t rank, ConvDims *d) {
    AttrId a = check_attr(c, A_dimension_numbers);
    static const RecordField fields[3][3] = {
        {RF_CONV_input_batch_dimension, RF_CONV_input_feature_dimension, RF_CONV_input_spatial_dimensions},
        {RF_CONV_kernel_input_feature_dimension, RF_CONV_kernel_output_feature_dimension,
         RF_CONV_kernel_spatial_dimensions},
        {RF_CONV_output_batch_dimension, RF_CONV_output_feature_dimension, RF_CONV_output_spatial_dimensions}};
    static const char *const names[] = {"the input's dimension numbers", "the kernel's dimension numbers",
                                        "the output's dimension numbers"};
    int64_t **to[] = {&d->in, &d->kernel, &d->out};
    for (int k = 0; k < 3; k++) {
        uint32_t n;
        const int64_t *space = record_ints(c->m, a, fields[k][2], &n);
        if (n + 2 != rank)
            return check_fail(c, "batch, feature, and every other dimension is spatial",
                              "%s name %u dimensions, but lhs and rhs have %u", names[k], n + 2, rank);
        int64_t *all = *to[k] = check_array(c, int64_t, rank);
        all[0] = record_int(c->m, a, fields[k][0], 0);
        all[1] = record_int(c->m, a, fields[k][1], 0);
        if (n) memcpy(all + 2, space, n * sizeof *space);
        if (!check_dims(c, names[k], all, rank, rank, "each of them") || !check_distinct(c, names[k], all, rank))
            return false;
    }
    return true;
}

static bool check_feature_groups(Check *c, const ConvDims *d, const Type *x, const Type *y) {
    int64_t features = check_int(c, A_feature_group_count, 1), batches = check_int(c, A_batch_group_count, 1);
    if (features < 1 || batches < 1)
        return check_fail(c, "use 1 for no groups", "feature_group_count and batch_group_count must be positive");
    if (features > 1 && batches > 1)
        return check_fail(c, "split into groups by one of them",
                          "feature_group_count is %lld and batch_group_count is %lld", (long long)features,
                          (long long)batches);
    int64_t batch = x->dims[d->in[0]], feature = x->dims[d->in[1]], in = y->dims[d->kernel[0]],
            out = y->dims[d->kernel[1]];
    if (batch != DIM_DYNAMIC && batch % batches)
        return check_fail(c, NULL, "%lld batches do not divide into %lld groups", (long long)batch, (long long)batches);
    if (feature != DIM_DYNAMIC && feature % features)
        return check_fail(c, NULL, "%lld input features do not divide into %lld groups", (long long)feature,
                          (long long)features);
    if (feature != DIM_DYNAMIC && in != DIM_DYNAMIC && feature / features != in)
        return check_fail(c, "kernel input features = input features / feature_group_count",
                          "the kernel takes %lld features, expected %lld / %lld", (long long)in, (long long)feature,
                          (long long)features);
    if (out != DIM_DYNAMIC && (out % batches || out % features))
        return check_fail(c, NULL, "%lld output features do not divide into %lld groups", (long long)out,
                          (long long)(batches > 1 ? batches : features));
    return true;
}

static bool check_conv_quant(Check *c, const ConvDims *d) {
    const Quant *q = check_quant(c, in_type(c, 1)), *r = check_quant(c, out_type(c, 0));
    if (q && q->axis >= 0 && q->axis != d->kernel[1])
        return check_fail(c, NULL, "rhs is quantized along dimension %d, expected its output feature %lld", q->axis,
                          (long long)d->kernel[1]);
    if (r && r->axis >= 0 && r->axis != d->out[1])
        return check_fail(c, NULL, "the result is quantized along dimension %d, expected its feature %lld", r->axis,
                          (long long)d->out[1]);
    return check_product_quant(c);
}

static bool check_reversal(Check *c, uint32_t n) {
    uint32_t n_reversal;
    check_ints(c, A_window_reversal, &n_reversal);
    return n_reversal == 0 || check_length(c, "window_reversal", n_reversal, n, "dimension of the window");
}

bool shape_convolution(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR) || !check_operand_in(c, 1, IS_TENSOR_AXIS) ||
        !check_result_in(c, 0, IS_TENSOR_AXIS))
        return false;
    const Type *x = in_type(c, 0), *y = in_type(c, 1);
    if (x->rank < 2 || x->rank != y->rank)
        return check_fail(c, "both have batch or output feature, input feature, and the same spatial dimensions",
                          "lhs is %s and rhs is %s", check_tensor_text(c, x), check_tensor_text(c, y));
    if (x->elem != EL_QUANT && y->elem != EL_QUANT && x->elem != y->elem)
        return check_fail(c, "convert one of them", "lhs is %s and rhs is %s: their elements differ",
                          check_tensor_text(c, x), check_tensor_text(c, y));
    ConvDims d;
    uint32_t rank = x->rank, n = rank - 2;
    if (!conv_dims(c, rank, &d) || !check_feature_groups(c, &d, x, y) || !check_precision(c) || !check_reversal(c, n))
        return false;

    int64_t *sizes = check_array(c, int64_t, n), *dims = check_array(c, int64_t, rank);
    for (uint32_t i = 0; i < n; i++) sizes[i] = y->dims[d.kernel[2 + i]];
    Window w = {.size = sizes};
    const int64_t *padding = NULL;
    bool known = true;
    if (c->kind == OP_dynamic_conv) {
        if (!check_operand_in(c, 2, IS_INT)) return false;
        const Type *p = in_type(c, 2);
        if (p->rank != 2 || p->dims[0] != (int64_t)n || p->dims[1] != 2)
            return check_fail(c, "a low and a high number for each spatial dimension",
                              "padding is %s, expected dimensions [%u, 2]", check_tensor_text(c, p), n);
        uint32_t n_padding;
        padding = check_constant_ints(c, 2, &n_padding);
        known = padding != NULL || n == 0;
    }
    // JAX gives strides of any length where the padding is computed: only a window that is known is looked at.
    if (known && !check_window(c, &w, n, A_window_strides, A_lhs_dilation, A_rhs_dilation)) return false;
    if (padding) w.padding = padding;
    for (uint32_t i = 0; i < n; i++)
        if (!check_window_dim(c, &w, i, known ? x->dims[d.in[2 + i]] : DIM_DYNAMIC, &dims[d.out[2 + i]])) return false;
    int64_t batch = x->dims[d.in[0]];
    dims[d.out[0]] = batch == DIM_DYNAMIC ? batch : batch / check_int(c, A_batch_group_count, 1);
    dims[d.out[1]] = y->dims[d.kernel[1]];
    if (!check_conv_quant(c, &d)) return false;
    Type t = *x;
    t.dims = dims;
    t.encoding = NO_ID;
    return check_result_shape(c, 0, &t);
}

// ---- Reductions over windows ---------------------------------------------------------------------------------------

bool shape_reduce_window(Check *c) {
    if (c->n_operands == 0 || c->n_operands % 2)
        return check_fail(c, "inputs, then as many init_values", "%u operands, expected an even number, 2 or more",
                          c->n_operands);
    uint32_t n = c->n_operands / 2, rank;
    if (!check_operands_in(c, IS_TENSOR) || !check_result_count(c, n)) return false;
    Window w = {.size = check_ints(c, A_window_dimensions, &rank)};
    const Type **types = check_array(c, const Type *, c->n_operands);
    for (uint32_t i = 0; i < c->n_operands; i++) types[i] = in_type(c, i);
    for (uint32_t i = 0; i < n; i++) {
        if (!check_same_shape(types[0], types[i]))
            return check_fail(c, "inputs have one shape", "input %u is %s, but input 0 is %s", i,
                              check_tensor_text(c, types[i]), check_tensor_text(c, types[0]));
        if (!check_length(c, "window_dimensions", rank, types[i]->rank, "dimension of the inputs")) return false;
    }
    if (!check_window(c, &w, rank, A_window_strides, A_base_dilations, A_window_dilations)) return false;
    if (!check_reducer(c, 0, n, types, types + n, w.size, rank)) return false;
    for (uint32_t i = 0; i < n; i++) {
        Type t = check_accumulator(c, 0, i, in_type(c, i));
        const int64_t *from = check_bounds(c, &t);
        int64_t *dims = check_array(c, int64_t, rank), *bounds = from ? check_array(c, int64_t, rank) : NULL;
        for (uint32_t k = 0; k < rank; k++) {
            if (!check_window_dim(c, &w, k, t.dims[k], &dims[k])) return false;
            if (from && !check_window_dim(c, &w, k, from[k], &bounds[k])) return false;
        }
        t.dims = dims;
        t.encoding = check_encoding(c, NO_ID, bounds, rank);
        if (!check_result(c, i, &t)) return false;
    }
    return true;
}

// The select region compares two elements of the operand, of any float type if they are floats.
static bool check_select_region(Check *c, const Type *x) {
    if (!check_region_arguments(c, 0, 2)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        const Type *t = value_tensor(c->m, region_argument(c, 0, i));
        bool floats =
            is_tensor(t) && elem_class((Elem)t->elem) == CLASS_FLOAT && elem_class((Elem)x->elem) == CLASS_FLOAT;
        if (!is_ranked(t) || t->rank || !(floats || check_same_elem(c, t, x))) {
            Type want = scalar_of(x);
            return check_fail(c, "select compares two elements of the operand",
                              "argument %u of the select region is %s, expected %s", i, check_tensor_text(c, t),
                              check_tensor_text(c, &want));
        }
    }
    return check_returns_bool(c, 0, "the select region");
}

bool shape_select_and_scatter(Check *c) {
    if (!check_operands_in(c, IS_TENSOR)) return false;
    Type x = *in_type(c, 0), source = *in_type(c, 1);
    if (!check_select_region(c, &x)) return false;
    Type input = scalar_of(&source);
    const Type *inputs[] = {&input}, *inits[] = {in_type(c, 2)};
    if (!check_reducer(c, 1, 1, inputs, inits, NULL, 0)) return false;

    uint32_t rank;
    Window w = {.size = check_ints(c, A_window_dimensions, &rank)};
    if (!check_length(c, "window_dimensions", rank, x.rank, "dimension of the operand")) return false;
    if (!check_window(c, &w, rank, A_window_strides, A_COUNT, A_COUNT)) return false;
    int64_t *dims = check_array(c, int64_t, rank);
    for (uint32_t i = 0; i < rank; i++)
        if (!check_window_dim(c, &w, i, x.dims[i], &dims[i])) return false;
    Type want = x;
    want.dims = dims;
    want.encoding = NO_ID;
    bool floats = elem_class((Elem)x.elem) == CLASS_FLOAT && elem_class((Elem)source.elem) == CLASS_FLOAT;
    if (!check_same_shape(&want, &source) || !(floats || check_same_elem(c, &x, &source)))
        return check_fail(c, "source has one element for each place of the window", "source is %s, expected %s",
                          check_tensor_text(c, &source), check_tensor_text(c, &want));
    Type t = check_accumulator(c, 1, 0, &x);
    return check_result(c, 0, &t);
}
