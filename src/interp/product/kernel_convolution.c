// convolution and dynamic_conv as matrix products: for each place of the output, the inputs under the window are laid
// out as a row (im2col), and rows times kernel is the output.
//
//     input [n][space][c]     row of an output place: [kernel space][c]
//     kernel [kernel space][c][o]     output [n][space][o]
//
// Groups of features (or of the batch) are separate products over their own part of the features.
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/movement/index.h"
#include "interp/product/dot.h"
#include "interp/product/gemm.h"
#include "interp/tensor/copy.h"

typedef struct Conv {
    uint32_t n_space;
    int64_t stride[MAX_RANK], low[MAX_RANK], high[MAX_RANK], lhs_dilation[MAX_RANK], rhs_dilation[MAX_RANK];
    bool reversed[MAX_RANK];
    int64_t in[MAX_RANK], kernel[MAX_RANK], out[MAX_RANK]; // sizes in space
    int64_t feature_groups, batch_groups;
    // Where batch, feature and space (in order) are in each tensor; for the kernel: output feature, input feature.
    int64_t lhs[MAX_RANK], rhs[MAX_RANK], result[MAX_RANK];
} Conv;

static void read_layout(const Module *m, AttrId numbers, RecordField batch, RecordField feature, RecordField space,
                        int64_t *to) {
    uint32_t n;
    const int64_t *dims = record_ints(m, numbers, space, &n);
    to[0] = record_int(m, numbers, batch, 0);
    to[1] = record_int(m, numbers, feature, 1);
    for (uint32_t i = 0; i < n; i++) to[2 + i] = dims[i];
}

// Entry i of an optional list. JAX gives lists of another length where the padding is computed.
typedef struct List {
    const int64_t *at;
    uint32_t n;
} List;

static List read_attr_list(const Module *m, OpId op, AttrName name) {
    List l;
    l.at = op_attr_ints(m, op, name, &l.n);
    return l;
}

static int64_t list_or(List l, uint32_t i, int64_t absent) { return i < l.n ? l.at[i] : absent; }

static bool read_conv(Exec *e, OpId op, const Tensor *lhs, const Tensor *rhs, Conv *c) {
    const Module *m = e->m;
    AttrId numbers = op_attr(m, op, A_dimension_numbers), padding = op_attr(m, op, A_padding);
    read_layout(m, numbers, RF_CONV_input_batch_dimension, RF_CONV_input_feature_dimension,
                RF_CONV_input_spatial_dimensions, c->lhs);
    read_layout(m, numbers, RF_CONV_kernel_output_feature_dimension, RF_CONV_kernel_input_feature_dimension,
                RF_CONV_kernel_spatial_dimensions, c->rhs);
    read_layout(m, numbers, RF_CONV_output_batch_dimension, RF_CONV_output_feature_dimension,
                RF_CONV_output_spatial_dimensions, c->result);
    c->n_space = lhs->rank - 2;
    c->feature_groups = op_attr_int(m, op, A_feature_group_count, 1);
    c->batch_groups = op_attr_int(m, op, A_batch_group_count, 1);
    List strides = read_attr_list(m, op, A_window_strides), lhs_dilation = read_attr_list(m, op, A_lhs_dilation);
    List rhs_dilation = read_attr_list(m, op, A_rhs_dilation), reversal = read_attr_list(m, op, A_window_reversal),
         pads = {0};
    const Tensor *pad_operand = op_kind(m, op) == OP_dynamic_conv ? exec_in(e, op, 2) : NULL;
    if (padding != NO_ID && !pad_operand) pads.at = attr_to_ints(e->m, padding, &pads.n);
    if (pad_operand && pad_operand->n != 2 * c->n_space)
        return exec_error(e, op, NULL, "the padding has %lld entries", (long long)pad_operand->n);
    for (uint32_t i = 0; i < c->n_space; i++) {
        c->stride[i] = list_or(strides, i, 1);
        c->lhs_dilation[i] = list_or(lhs_dilation, i, 1);
        c->rhs_dilation[i] = list_or(rhs_dilation, i, 1);
        c->reversed[i] = list_or(reversal, i, 0) != 0;
        c->low[i] = pad_operand ? index_value(pad_operand, 2 * i) : list_or(pads, 2 * i, 0);
        c->high[i] = pad_operand ? index_value(pad_operand, 2 * i + 1) : list_or(pads, 2 * i + 1, 0);
        c->in[i] = lhs->dims[c->lhs[2 + i]];
        c->kernel[i] = rhs->dims[c->rhs[2 + i]];
        const int64_t most = INT32_MAX;
        if (c->stride[i] < 1 || c->lhs_dilation[i] < 1 || c->rhs_dilation[i] < 1 || c->stride[i] > most ||
            c->lhs_dilation[i] > most || c->rhs_dilation[i] > most || c->low[i] > most || c->low[i] < -most ||
            c->high[i] > most || c->high[i] < -most || c->in[i] > most || c->kernel[i] > most)
            return exec_error(e, op, NULL, "a window of that size is not supported");
        int64_t dilated = c->in[i] == 0 ? 0 : (c->in[i] - 1) * c->lhs_dilation[i] + 1,
                padded = dilated + c->low[i] + c->high[i];
        int64_t reach = c->kernel[i] == 0 ? 0 : (c->kernel[i] - 1) * c->rhs_dilation[i] + 1;
        c->out[i] = padded < reach || padded <= 0 ? 0 : (padded - reach) / c->stride[i] + 1;
    }
    if (c->feature_groups < 1 || c->batch_groups < 1) return exec_error(e, op, NULL, "group counts must be positive");
    if (lhs->dims[c->lhs[1]] != rhs->dims[c->rhs[1]] * c->feature_groups)
        return exec_error(e, op, NULL, "features of input and kernel differ");
    int64_t groups = c->feature_groups * c->batch_groups;
    if (rhs->dims[c->rhs[0]] % groups || lhs->dims[c->lhs[0]] % c->batch_groups)
        return exec_error(e, op, NULL, "groups do not divide the features");
    return true;
}

// The tensor's elements with dimensions in the order batch, space…, feature (kernel: space…, input feature, output
// feature).
static char *channels_last(Exec *e, const Tensor *x, Elem as, uint32_t rank, const int64_t *order,
                           const bool *reversed) {
    const char *data = dot_operand(e, x, as);
    int64_t strides[MAX_RANK], dims[MAX_RANK], from[MAX_RANK], start = 0;
    size_t size = elem_bytes(as);
    shape_strides(x->rank, x->dims, strides);
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = x->dims[order[i]];
        from[i] = strides[order[i]];
        if (reversed[i] && dims[i] > 0) {
            start += from[i] * (dims[i] - 1);
            from[i] = -from[i];
        }
    }
    char *moved = exec_scratch_array(e, x->n, size);
    if (x->n) copy_into_dense(size, rank, dims, moved, data + start * (int64_t)size, from);
    return moved;
}

// The row of one output place: for each kernel position, the `count` features of the input under it, or zeros.
static void fill_row(const Conv *c, const int64_t *place, const char *image, int64_t features, int64_t first,
                     int64_t count, size_t size, char *row) {
    int64_t k[MAX_RANK] = {0};
    size_t bytes = (size_t)count * size;
    do {
        int64_t at = 0;
        bool inside = true;
        for (uint32_t i = 0; i < c->n_space && inside; i++) {
            int64_t p = place[i] * c->stride[i] + k[i] * c->rhs_dilation[i] - c->low[i];
            inside = p >= 0 && p % c->lhs_dilation[i] == 0 && p / c->lhs_dilation[i] < c->in[i];
            at = at * c->in[i] + (inside ? p / c->lhs_dilation[i] : 0);
        }
        if (inside)
            memcpy(row, image + (size_t)(at * features + first) * size, bytes);
        else
            memset(row, 0, bytes);
        row += bytes;
    } while (shape_next(c->n_space, c->kernel, k));
}

typedef struct Work {
    Elem as;
    int64_t batch, features, kernel_size, in_count, out_features, out_count, image, places;
    char *input, *kernel, *output, *rows, *block;
    void *workspace;
} Work;

enum { CONV_ROWS = 192 };

// One group: its part of the batch and features, in blocks of rows.
static void convolve_group(const Conv *c, const Work *w, int64_t batch_first, int64_t in_first, int64_t out_first) {
    size_t size = elem_bytes(w->as);
    int64_t depth = w->kernel_size * w->in_count, total = w->batch * w->places;
    int64_t place[MAX_RANK] = {0};
    for (int64_t row = 0; row < total;) {
        int64_t n = 0, start = row;
        for (; n < CONV_ROWS && row < total; n++, row++) {
            const char *image = w->input + (size_t)((batch_first + row / w->places) * w->image) * size;
            fill_row(c, place, image, w->features, in_first, w->in_count, size, w->rows + (size_t)(n * depth) * size);
            shape_next(c->n_space, c->out, place);
        }
        memset(w->block, 0, (size_t)(n * w->out_count) * size);
        gemm(w->as, n, w->out_count, depth, (Matrix){w->rows, depth, 1},
             (Matrix){w->kernel + (size_t)out_first * size, w->out_features, 1}, w->block, w->workspace);
        for (int64_t i = 0; i < n; i++)
            memcpy(w->output + (size_t)((start + i) * w->out_features + out_first) * size,
                   w->block + (size_t)(i * w->out_count) * size, (size_t)w->out_count * size);
    }
}

bool kernel_convolution(Exec *e, OpId op) {
    Tensor *lhs = exec_in(e, op, 0), *rhs = exec_in(e, op, 1);
    Conv c = {0}; // features are never reversed
    if (!read_conv(e, op, lhs, rhs, &c)) return false;
    uint32_t s = c.n_space, rank = s + 2;
    int64_t dims[MAX_RANK], lhs_order[MAX_RANK], rhs_order[MAX_RANK], strides[MAX_RANK];
    bool same_way[MAX_RANK] = {false};
    lhs_order[0] = c.lhs[0], lhs_order[s + 1] = c.lhs[1];
    rhs_order[s] = c.rhs[1], rhs_order[s + 1] = c.rhs[0];
    for (uint32_t i = 0; i < s; i++) {
        lhs_order[1 + i] = c.lhs[2 + i];
        rhs_order[i] = c.rhs[2 + i];
        dims[c.result[2 + i]] = c.out[i];
    }
    Work w = {.features = lhs->dims[c.lhs[1]], .in_count = rhs->dims[c.rhs[1]], .out_features = rhs->dims[c.rhs[0]]};
    w.batch = lhs->dims[c.lhs[0]] / c.batch_groups;
    dims[c.result[0]] = w.batch;
    dims[c.result[1]] = w.out_features;
    Tensor *out = exec_out(e, op, 0, rank, dims);
    if (out->n == 0) return true;
    w.as = dot_compute((Elem)lhs->elem, (Elem)rhs->elem, (Elem)out->elem);
    w.kernel_size = shape_elements(s, c.kernel), w.places = shape_elements(s, c.out);
    w.image = shape_elements(s, c.in) * w.features;
    w.out_count = w.out_features / (c.feature_groups * c.batch_groups);
    size_t size = elem_bytes(w.as);
    w.output = exec_scratch_array(e, out->n, size);
    memset(w.output, 0, (size_t)out->n * size);
    exec_work(e, op, (double)out->n * (double)w.kernel_size * (double)w.in_count);
    if (lhs->n && rhs->n) {
        w.input = channels_last(e, lhs, w.as, rank, lhs_order, same_way);
        w.kernel = channels_last(e, rhs, w.as, rank, rhs_order, c.reversed);
        w.rows = exec_scratch_array(e, CONV_ROWS * w.kernel_size * w.in_count, size);
        w.block = exec_scratch_array(e, CONV_ROWS * w.out_count, size);
        w.workspace = exec_scratch(e, gemm_workspace(w.as));
        for (int64_t b = 0; b < c.batch_groups; b++)
            for (int64_t f = 0; f < c.feature_groups; f++)
                convolve_group(&c, &w, b * w.batch, f * w.in_count, (b * c.feature_groups + f) * w.out_count);
    }
    // From [batch][space][feature] to the result's own order.
    char *typed = w.output;
    if (w.as != (Elem)out->elem) {
        typed = exec_scratch_array(e, out->n, elem_bytes((Elem)out->elem));
        dot_store(w.as, (Elem)out->elem, w.output, typed, out->n);
    }
    shape_strides(rank, dims, strides);
    int64_t by_order[MAX_RANK], to[MAX_RANK], from[MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        int64_t d = c.result[i == 0 ? 0 : i == rank - 1 ? 1 : i + 1]; // its entries: batch, feature, space
        by_order[i] = dims[d];
        to[i] = strides[d];
    }
    shape_strides(rank, by_order, from);
    copy_strided(elem_bytes((Elem)out->elem), rank, by_order, out->data, to, typed, from);
    return true;
}
