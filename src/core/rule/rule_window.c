// Rules of ops that slide a window: reduce_window, select_and_scatter, convolution.
//
//     reduce_window 2x2, stride 2:  ([ij, k], [])->([i, k])       windows side by side: i counts them, j is inside one
//     convolution, 3x3, padded:     ([i, j, k, n], [l, m, n, o])->([i, j, k, o])
//                                   reduction={n} need_replication={l, m} permutation={j, k}
//
// Windows that neither overlap, nor leave gaps, nor stick out make a dimension of (windows, place in window): to tile
// the windows needs nothing from the neighbours. Size-1 windows are the simplest of these. All others need the
// neighbours' edges.
#include "core/rule/rule_build.h"

// A window along one dimension. Absent attributes are their defaults.
typedef struct WindowRule {
    int64_t size, stride, low, high, base_dilation, dilation;
} WindowRule;

// Steps of a window's size that use the dimension up: no overlap, no gap, no rest. A single window may have any stride.
static bool side_by_side(WindowRule w, int64_t n_windows, int64_t dim_size) {
    if (w.low != 0 || w.high != 0 || w.base_dilation != 1 || w.size < 1) return false;
    if (w.dilation != 1 && w.size != 1) return false;
    if (w.stride != w.size && n_windows != 1) return false;
    return dim_size % w.size == 0 && dim_size / w.size == n_windows;
}

static WindowRule window_at(Ints size, Ints stride, Ints padding, Ints base, Ints dilation, uint32_t d) {
    return (WindowRule){ints_or(size, d, 1),        ints_or(stride, d, 1),
                        ints_or(padding, 2 * d, 0), ints_or(padding, 2 * d + 1, 0),
                        ints_or(base, d, 1),        ints_or(dilation, d, 1)};
}

// Inputs and results share the windows; the initial values are scalars.
// Local: window attributes unchanged.
void rule_reduce_window(RuleBuilder *b) {
    uint32_t n = b->n_results, out = result_of(b, 0);
    Ints size = attr_list(b, A_window_dimensions), stride = attr_list(b, A_window_strides),
         padding = attr_list(b, A_padding);
    Ints base = attr_list(b, A_base_dilations), dilation = attr_list(b, A_window_dilations);
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) {
        WindowRule w = window_at(size, stride, padding, base, dilation, d);
        bool apart = side_by_side(w, size_of(b, out, d), size_of(b, 0, d));
        factor_across(b, apart ? FACTOR_PASS : FACTOR_SHIFT, out, d);
        if (!apart || w.size == 1) continue;
        uint8_t inside = factor_new(b, w.size, FACTOR_WHOLE);
        for (uint32_t i = 0; i < n; i++) dim_has(b, i, d, inside);
    }
}

// Operand and result have one shape; the source has one element a window. Local: window attributes unchanged.
void rule_select_and_scatter(RuleBuilder *b) {
    enum { OPERAND, SOURCE, INIT, RESULT };
    Ints size = attr_list(b, A_window_dimensions), stride = attr_list(b, A_window_strides),
         padding = attr_list(b, A_padding);
    for (uint32_t d = 0; d < rank_of(b, OPERAND) && !b->gave_up; d++) {
        WindowRule w = window_at(size, stride, padding, (Ints){0}, (Ints){0}, d);
        bool apart = side_by_side(w, size_of(b, SOURCE, d), size_of(b, OPERAND, d));
        uint8_t windows = factor_at(b, apart ? FACTOR_PASS : FACTOR_WHOLE, SOURCE, d);
        uint8_t inside = NO_FACTOR;
        if (apart) {
            dim_has(b, OPERAND, d, windows);
            dim_has(b, RESULT, d, windows);
            if (w.size > 1) inside = factor_new(b, w.size, FACTOR_WHOLE);
        } else {
            inside = factor_new(b, size_of(b, RESULT, d), FACTOR_SHIFT);
        }
        if (inside == NO_FACTOR) continue;
        dim_has(b, OPERAND, d, inside);
        dim_has(b, RESULT, d, inside);
    }
}

// ---- convolution ----------------------------------------------------------------------------------------------------

static uint32_t conv_dim(const RuleBuilder *b, RecordField f) {
    return (uint32_t)record_int(b->m, op_attr(b->m, b->op, A_dimension_numbers), f, 0);
}

enum { CONV_LEFT, CONV_RIGHT, CONV_RESULT };

// Image space: side by side, the image is (windows, place in window) and the place is summed over together with the
// kernel's. A reversed kernel runs against the image, so that their chunks do not meet: its places stay WHOLE.
static void conv_space(RuleBuilder *b, uint32_t i) {
    uint32_t left = (uint32_t)field_list(b, A_dimension_numbers, RF_CONV_input_spatial_dimensions).at[i];
    uint32_t right = (uint32_t)field_list(b, A_dimension_numbers, RF_CONV_kernel_spatial_dimensions).at[i];
    uint32_t out = (uint32_t)field_list(b, A_dimension_numbers, RF_CONV_output_spatial_dimensions).at[i];
    WindowRule w = {size_of(b, CONV_RIGHT, right),
                    ints_or(attr_list(b, A_window_strides), i, 1),
                    ints_or(attr_list(b, A_padding), 2 * i, 0),
                    ints_or(attr_list(b, A_padding), 2 * i + 1, 0),
                    ints_or(attr_list(b, A_lhs_dilation), i, 1),
                    ints_or(attr_list(b, A_rhs_dilation), i, 1)};
    bool reversed = ints_or(attr_list(b, A_window_reversal), i, 0) != 0 && w.size > 1;
    if (!side_by_side(w, size_of(b, CONV_RESULT, out), size_of(b, CONV_LEFT, left))) {
        dim_has(b, CONV_LEFT, left, factor_at(b, FACTOR_SHIFT, CONV_RESULT, out));
        factor_at(b, FACTOR_WHOLE, CONV_RIGHT, right);
        return;
    }
    uint8_t windows = factor_at(b, FACTOR_PASS, CONV_RESULT, out);
    // One window over the whole image: only the place in it is worth a factor of the image.
    if (size_of(b, CONV_RESULT, out) > 1 || w.size == 1) dim_has(b, CONV_LEFT, left, windows);
    uint8_t inside = factor_at(b, reversed ? FACTOR_WHOLE : FACTOR_REDUCE, CONV_RIGHT, right);
    dim_has(b, CONV_LEFT, left, inside);
}

static void conv_groups(RuleBuilder *b, int64_t n, uint32_t left, uint32_t right, uint32_t out) {
    if (n <= 1) return;
    uint8_t groups = factor_new(b, n, FACTOR_PASS);
    dim_has(b, CONV_LEFT, left, groups);
    dim_has(b, CONV_RIGHT, right, groups);
    dim_has(b, CONV_RESULT, out, groups);
}

// Groups are a factor of their own, major in the dimensions that hold them: feature groups in the image's and kernel's
// features, batch groups in the image's batch. Local: feature_group_count or batch_group_count divided by the groups'
// tiles; spatial attributes unchanged.
void rule_convolution(RuleBuilder *b) {
    int64_t batch_groups = op_attr_int(b->m, b->op, A_batch_group_count, 1);
    int64_t feature_groups = op_attr_int(b->m, b->op, A_feature_group_count, 1);
    uint32_t left_batch = conv_dim(b, RF_CONV_input_batch_dimension),
             left_feature = conv_dim(b, RF_CONV_input_feature_dimension);
    uint32_t right_in = conv_dim(b, RF_CONV_kernel_input_feature_dimension);
    uint32_t right_out = conv_dim(b, RF_CONV_kernel_output_feature_dimension);
    uint32_t out_batch = conv_dim(b, RF_CONV_output_batch_dimension),
             out_feature = conv_dim(b, RF_CONV_output_feature_dimension);
    b->monoid = monoid_on(MONOID_ADD, (Elem)type_of(b, CONV_RESULT)->elem);

    conv_groups(b, batch_groups, left_batch, right_out, out_feature);
    dim_has(b, CONV_LEFT, left_batch, factor_at(b, FACTOR_PASS, CONV_RESULT, out_batch));

    uint32_t n_space = field_list(b, A_dimension_numbers, RF_CONV_input_spatial_dimensions).n;
    for (uint32_t i = 0; i < n_space && !b->gave_up; i++) conv_space(b, i);

    conv_groups(b, feature_groups, left_feature, right_out, out_feature);
    dim_has(b, CONV_LEFT, left_feature, factor_at(b, FACTOR_REDUCE, CONV_RIGHT, right_in));
    int64_t in_group = size_of(b, CONV_RESULT, out_feature);
    if (batch_groups > 0) in_group /= batch_groups;
    if (feature_groups > 0) in_group /= feature_groups;
    if (in_group == 1 && (batch_groups > 1 || feature_groups > 1)) return;
    uint8_t f = factor_new(b, in_group, FACTOR_PASS);
    dim_has(b, CONV_RIGHT, right_out, f);
    dim_has(b, CONV_RESULT, out_feature, f);
}
