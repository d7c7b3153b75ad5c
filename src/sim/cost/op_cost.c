// Cost: one function for each name in the cost column of the op table.
#include "sim/cost/cost.h"
#include "ir/analysis/call_estimate.h"
#include "support/integer.h"
#include <math.h>

static inline double result_bytes(const Module *m, OpId op) {
    double sum = 0;
    for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) sum += value_bytes(m, op_result(m, op, i));
    return sum;
}

// Reads all, writes all: where every cost begins.
static inline Cost whole(const Module *m, OpId op) {
    return (Cost){.read = op_get(m, op)->n_operands ? value_bytes(m, op_operand(m, op, 0)) : 0,
                  .write = result_bytes(m, op)};
}

static double first_result_elements(const Module *m, OpId op) {
    return op_get(m, op)->n_results ? result_type(m, op, 0)->elements : 0;
}
static double first_operand_elements(const Module *m, OpId op) {
    return op_get(m, op)->n_operands ? operand_type(m, op, 0)->elements : 0;
}

static Cost cost_elementwise(const Module *m, OpId op) {
    const Op *o = op_get(m, op);
    if (o->n_results == 1 && o->n_operands) { // nearly all
        const Type *in = value_tensor(m, m->operands.at[o->first_operand]), *out = value_tensor(m, o->first_result);
        return (Cost){.vector = out->elements, .read = in->bytes, .write = out->bytes};
    }
    Cost c = whole(m, op);
    c.vector = first_result_elements(m, op);
    return c;
}

// FLOPs: about what a polynomial or a few Newton steps take.
#define TRANSCENDENTAL 10

static Cost cost_transcendental(const Module *m, OpId op) {
    Cost c = whole(m, op);
    c.vector = TRANSCENDENTAL * first_result_elements(m, op);
    return c;
}

static Cost cost_free(const Module *m, OpId op) {
    (void)m;
    (void)op;
    return (Cost){0};
}

// Collectives and loops have their own formulas; what is left here is the memory they touch.
static Cost cost_collective(const Module *m, OpId op) { return whole(m, op); }
static Cost cost_control(const Module *m, OpId op) { return cost_free(m, op); }

// By the estimate of its kernel. That does not tell FLOPs of the matrix unit from others: a kernel with many has products.
static Cost cost_custom_call(const Module *m, OpId op) {
    Cost c = whole(m, op);
    CallEstimate e;
    if (!call_estimate(m, op, &e)) return c;
    c.vector = TRANSCENDENTAL * e.transcendentals;
    *(op_get(m, op)->n_operands ? &c.matrix : &c.vector) += e.flops;
    c.moved = e.bytes;
    return c;
}

ValueId product_operand(const Module *m, OpId op) {
    const Op *o = op_get(m, op);
    for (uint32_t i = 0; o->kind == OP_custom_call && i < o->n_operands; i++) // indices may come first
        if (elem_class((Elem)operand_type(m, op, i)->elem) == CLASS_FLOAT) return op_operand(m, op, i);
    return op_operand(m, op, 0);
}

// Elements of an operand that are met one by one if its dimension `dim` becomes the last. The shorter the step from one to
// the next, the more of what lies between is still at hand when it is wanted.
#define LONG_STEP 2048.0

static double met_one_by_one(const Type *in, int64_t dim) {
    double step = elem_bits((Elem)in->elem) / 8.0;
    bool moves = false;
    for (uint32_t i = (uint32_t)dim + 1; i < in->rank; i++) step *= (double)in->dims[i], moves |= in->dims[i] > 1;
    return moves ? in->elements * (step < LONG_STEP ? step / LONG_STEP : 1) : 0;
}

static Cost cost_movement(const Module *m, OpId op) {
    Cost c = whole(m, op);
    if (c.read > c.write) c.read = c.write;
    if (op_kind(m, op) != OP_transpose) return c;
    const Type *in = operand_type(m, op, 0);
    uint32_t n = 0, last = in->rank;
    const int64_t *order = op_attr_ints(m, op, A_permutation, &n);
    while (last > 0 && in->dims[order[last - 1]] == 1) last--; // those of size 1 lie wherever one likes
    if (last > 0) c.strided = met_one_by_one(in, order[last - 1]);
    return c;
}

static Cost cost_update(const Module *m, OpId op) { return (Cost){.write = value_bytes(m, op_operand(m, op, 1))}; }

static Cost cost_scatter(const Module *m, OpId op) {
    uint32_t n = op_get(m, op)->n_operands;
    ValueId updates = op_operand(m, op, n - 1);
    double bytes = value_bytes(m, updates);
    return (Cost){.vector = value_tensor(m, updates)->elements, .read = bytes, .write = bytes};
}

static Cost cost_reduce(const Module *m, OpId op) {
    Cost c = whole(m, op);
    double in = first_operand_elements(m, op), out = first_result_elements(m, op);
    c.vector = in > out ? in - out : 0;
    return c;
}

static Cost cost_map(const Module *m, OpId op) { return cost_elementwise(m, op); }

static Cost cost_rng(const Module *m, OpId op) {
    Cost c = whole(m, op);
    c.vector = 20 * c.write / 4; // rounds of mixing for each word
    return c;
}

static Cost cost_window(const Module *m, OpId op) {
    Cost c = whole(m, op);
    uint32_t n = 0;
    const int64_t *window = op_attr_ints(m, op, A_window_dimensions, &n);
    double size = 1;
    for (uint32_t i = 0; i < n; i++) size *= (double)window[i];
    bool scatter = op_kind(m, op) == OP_select_and_scatter;
    c.vector = size * (scatter ? operand_type(m, op, 1)->elements : first_result_elements(m, op));
    if (scatter) c.strided = 2 * c.vector; // each element and its index, to find where a window has its extreme
    return c;
}

static Cost cost_sort(const Module *m, OpId op) {
    Cost c = whole(m, op);
    double n = first_operand_elements(m, op);
    c.vector = n * log2(n > 2 ? n : 2);
    return c;
}

static Cost cost_fft(const Module *m, OpId op) {
    Cost c = whole(m, op);
    double n = first_operand_elements(m, op);
    c.vector = 5 * n * log2(n > 2 ? n : 2);
    return c;
}

// Cholesky n^3/3, triangular solve n^2 for each right-hand side.
static Cost cost_matrix(const Module *m, OpId op) {
    Cost c = whole(m, op);
    const Type *a = operand_type(m, op, 0);
    double n = a->rank ? (double)a->dims[a->rank - 1] : 1;
    c.vector = op_kind(m, op) == OP_cholesky ? a->elements * n / 3 : first_result_elements(m, op) * n;
    return c;
}

// ---- Dots -----------------------------------------------------------------------------------------------------------

static double product(const Type *t, const int64_t *dims, uint32_t n) {
    double p = 1;
    for (uint32_t i = 0; i < n; i++) p *= (double)t->dims[dims[i]];
    return p;
}

// "ab,bc->ac": the labels on the left that the result has not.
static double einsum_depth(const Module *m, OpId op) {
    Span text = op_attr_text(m, op, A_einsum_config);
    double depth = 1;
    size_t arrow = 0;
    while (arrow + 1 < text.n && !(text.at[arrow] == '-' && text.at[arrow + 1] == '>')) arrow++;
    bool seen[128] = {false};
    uint32_t operand = 0, dim = 0;
    for (size_t i = 0; i < arrow; i++) {
        char c = text.at[i];
        if (c == ',') operand++, dim = 0;
        if (!is_letter(c)) continue;
        if (operand >= op_get(m, op)->n_operands || dim >= operand_type(m, op, operand)->rank) return depth;
        int64_t size = operand_type(m, op, operand)->dims[dim++];
        if (seen[(unsigned char)c]) continue;
        seen[(unsigned char)c] = true;
        if (!memchr(text.at + arrow, c, text.n - arrow)) depth *= (double)size;
    }
    return depth;
}

static Cost cost_dot(const Module *m, OpId op) {
    Cost c = whole(m, op);
    const Type *lhs = operand_type(m, op, 0), *out = result_type(m, op, 0);
    double batch = 1;
    OpKind kind = op_kind(m, op);
    if (kind == OP_dot) {
        c.k = lhs->rank ? (double)lhs->dims[lhs->rank - 1] : 1;
    } else if (kind == OP_einsum || kind == OP_unary_einsum) {
        c.k = einsum_depth(m, op);
    } else {
        bool ragged = kind == OP_chlo_ragged_dot;
        AttrId numbers = op_attr(m, op, ragged ? A_ragged_dot_dimension_numbers : A_dot_dimension_numbers);
        uint32_t n = 0;
        const int64_t *dims = record_ints(
            m, numbers, ragged ? RF_RAGGED_DOT_lhs_contracting_dimensions : RF_DOT_lhs_contracting_dimensions, &n);
        c.k = product(lhs, dims, n);
        // Of several contracting dimensions a library wants one, and the rows before it.
        if (n > 1) c.strided = met_one_by_one(lhs, dims[n - 1]);
        c.transposed_lhs = n == 1 && dims[0] + 1 < lhs->rank;
        dims = record_ints(m, numbers, ragged ? RF_RAGGED_DOT_lhs_batching_dimensions : RF_DOT_lhs_batching_dimensions,
                           &n);
        batch = product(lhs, dims, n);
    }
    double size = out->elements;
    c.matrix = 2 * size * c.k;
    c.m = c.k * batch > 0 ? lhs->elements / (c.k * batch) : 0;
    c.n = c.m * batch > 0 ? size / (c.m * batch) : 0;
    return c;
}

// ---- Convolutions ---------------------------------------------------------------------------------------------------

typedef struct SpatialWindow {
    int64_t in, out, kernel, stride, low, base, dilation; // one spatial dimension
} SpatialWindow;

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// How many of n places, a step apart, meet an element of the input if the first of them is at `first`.
static int64_t count_met(const SpatialWindow *w, int64_t first, int64_t step, int64_t n) {
    int64_t from = first < 0 ? -floor_div(first, step) : 0, to = floor_div((w->in - 1) * w->base - first, step);
    if (to > n - 1) to = n - 1;
    int64_t period = w->base / gcd(step, w->base); // so many places lie between two that are in no hole
    for (int64_t i = from; i <= to && i < from + period; i++)
        if ((first + i * step) % w->base == 0) return (to - i) / period + 1;
    return 0;
}

// Pairs of an output and a kernel position that meet an element of the input: neither padding nor a hole of its
// dilation.
static double valid_positions(const SpatialWindow *w) {
    bool by_kernel = w->kernel < w->out;
    int64_t n = by_kernel ? w->kernel : w->out;
    if ((double)n * (double)w->base > 4e6) return (double)w->out * (double)w->kernel / (double)w->base; // not worth it
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += by_kernel ? count_met(w, i * w->dilation - w->low, w->stride, w->out)
                           : count_met(w, i * w->stride - w->low, w->dilation, w->kernel);
    return (double)count;
}

// The low padding of a spatial dimension, without decoding large attributes: 0 if it cannot be read.
static int64_t low_padding(const Module *m, OpId op, uint32_t dim, uint32_t n_dims) {
    AttrId id = op_attr(m, op, A_padding);
    if (id == NO_ID || n_dims > 8) return 0;
    const Attr *a = attr_get(m, id);
    int64_t pads[16] = {0};
    return attr_dense_decode(m, a, pads, sizeof *pads * 2 * n_dims) ? pads[2 * dim] : 0;
}

#define SHORT_RUN    256 // bits: what a vector register holds
#define FEW_FEATURES 16  // of input and output: IsConvolutionOpSupportedByYnn of XLA
#define PACKED       0.4 // of the time of an element that is met out of order

static Cost cost_convolution(const Module *m, OpId op) {
    Cost c = whole(m, op);
    const Type *lhs = operand_type(m, op, 0), *rhs = operand_type(m, op, 1), *out = result_type(m, op, 0);
    AttrId numbers = op_attr(m, op, A_dimension_numbers);
    uint32_t n, n_strides, n_base, n_dilation;
    const int64_t *in_dims = record_ints(m, numbers, RF_CONV_input_spatial_dimensions, &n);
    const int64_t *kernel_dims = record_ints(m, numbers, RF_CONV_kernel_spatial_dimensions, &n);
    const int64_t *out_dims = record_ints(m, numbers, RF_CONV_output_spatial_dimensions, &n);
    const int64_t *strides = op_attr_ints(m, op, A_window_strides, &n_strides),
                  *base = op_attr_ints(m, op, A_lhs_dilation, &n_base),
                  *dilation = op_attr_ints(m, op, A_rhs_dilation, &n_dilation);
    double positions = 1, spatial_out = 1, spatial_kernel = 1;
    for (uint32_t i = 0; i < n; i++) {
        SpatialWindow w = {lhs->dims[in_dims[i]],           out->dims[out_dims[i]],   rhs->dims[kernel_dims[i]],
                           i < n_strides ? strides[i] : 1,  low_padding(m, op, i, n), i < n_base ? base[i] : 1,
                           i < n_dilation ? dilation[i] : 1};
        positions *= valid_positions(&w);
        spatial_out *= (double)w.out;
        spatial_kernel *= (double)w.kernel;
    }
    double groups = (double)op_attr_int(m, op, A_batch_group_count, 1),
           features_out = (double)out->dims[record_int(m, numbers, RF_CONV_output_feature_dimension, 0)],
           features_in = (double)rhs->dims[record_int(m, numbers, RF_CONV_kernel_input_feature_dimension, 0)],
           batch = (double)lhs->dims[record_int(m, numbers, RF_CONV_input_batch_dimension, 0)] / groups;
    c.matrix = 2 * features_in * features_out * batch * positions;
    c.zeros = 2 * features_in * features_out * batch * spatial_out * spatial_kernel - c.matrix;
    c.m = batch * spatial_out;
    c.n = features_out / (double)op_attr_int(m, op, A_feature_group_count, 1) / groups;
    c.k = features_in * spatial_kernel;
    // An input whose features do not come last is copied first, as that of a weight's gradient is, with the batch for its features. Patches
    // are put together from runs of features: short ones element by element, others too if there are so few that the faster of XLA's libraries
    // on CPU does not take them.
    int64_t feature = record_int(m, numbers, RF_CONV_input_feature_dimension, 0);
    bool copied = feature + 1 < lhs->rank, few = fmax((double)lhs->dims[feature], features_out) <= FEW_FEATURES;
    if (copied) c.strided = met_one_by_one(lhs, feature);
    if (!copied && features_in * elem_bits((Elem)lhs->elem) < SHORT_RUN)
        c.strided = c.m * c.k;
    else if (few)
        c.strided += PACKED * c.m * c.k;
    return c;
}

// ---- All of them ----------------------------------------------------------------------------------------------------

Cost op_cost(const Module *m, OpId op) {
    static Cost (*const costs[OP_COUNT])(const Module *, OpId) = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) cost_##cost,
#include "ir/ops.def"
    };
    return costs[op_kind(m, op)](m, op);
}

// The part of so many blocks that such a size fills.
static double fill(double size, double blocks, double block) { return size > 0 ? size / (blocks * block) : 1; }

// Of an m x k by k x n product. Several matrix units each keep blocks of the right operand and multiply all rows by them; as the next
// block is loaded meanwhile, a row for each of its rows, fewer rows than that take as long, and one product has work for all units
// only if it has as many blocks.
static double rows_fill(const Device *d, double units, double m, double n, double k) {
    double height = (double)d->tile[0], width = (double)d->tile[1], depth = (double)d->tile[2];
    double m_blocks = ceil(m / height), n_blocks = ceil(n / width), k_blocks = ceil(k / depth);
    double full = fill(m, m_blocks, height) * fill(n, n_blocks, width) * fill(k, k_blocks, depth);
    if (units < 1 || full == 0) return full;
    double blocks = n_blocks * k_blocks, rows = m_blocks * height, busy = blocks * rows;
    double cycles = fmax(blocks * fmax(rows, depth), units * depth);
    return full * busy / cycles;
}

// A left operand with its depth before its rows is packed first, which takes as long as some columns of the product do: a device's
// `transposed_lhs` is that of a product with so many columns. Of products in a batch each operand is small, and the part is the same.
#define TRANSPOSED_COLUMNS 256

double matrix_efficiency(const Device *d, const Cost *c) {
    if (c->k <= 0) return d->efficiency;
    bool batched = c->matrix > 2 * c->m * c->n * c->k; // products, which the cores share out
    double units = (double)d->units / (batched ? fmax(1, (double)d->cores) : 1);
    double straight = rows_fill(d, units, c->m, c->n, c->k),
           swapped = rows_fill(d, units, c->n, c->m, c->k); // A B = (B' A')'
    double filled = straight > swapped ? straight : swapped;
    if (!c->transposed_lhs || d->transposed_lhs <= 0 || c->n <= 0) return d->efficiency * filled;
    double columns = batched ? 1 / filled : TRANSPOSED_COLUMNS / c->n;
    return d->efficiency / (1 / filled + (1 / d->transposed_lhs - 1) * columns);
}
