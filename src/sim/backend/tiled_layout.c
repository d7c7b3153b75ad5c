// Tiled layout: the best of all pairs of innermost dimensions.
#include "sim/backend/tiled_layout.h"

enum { ROWS = 8, LANES = 128 };

static double rounded(int64_t n, int64_t to) { return (double)((n + to - 1) / to * to) / (double)n; }

// Fewer rows are in tiles of 4, 2 or 1.
static double rows_ratio(int64_t n) { return rounded(n, n > 4 ? ROWS : n > 2 ? 4 : n); }

static double best_ratio(const Type *t, uint64_t innermost) {
    double best = 0;
    for (uint32_t i = 0; i < t->rank && best != 1; i++)
        for (uint32_t k = 0; k < t->rank && best != 1; k++) {
            if (i == k || !(innermost >> i & innermost >> k & 1) || t->dims[i] <= 0 || t->dims[k] <= 0) continue;
            double ratio = rounded(t->dims[i], LANES) * rows_ratio(t->dims[k]);
            if (best == 0 || ratio < best) best = ratio;
        }
    return best == 0 ? 1 : best;
}

double tile_padding(const Type *t) { return best_ratio(t, ~UINT64_C(0)); }

// ---- Convolutions ---------------------------------------------------------------------------------------------------

static uint64_t dimensions(const Module *m, OpId op, RecordField batch, RecordField feature) {
    AttrId numbers = op_attr(m, op, A_dimension_numbers);
    return UINT64_C(1) << record_int(m, numbers, batch, 0) | UINT64_C(1) << record_int(m, numbers, feature, 0);
}

// What is padded lies as what it was, which has as many dimensions.
static void tile_padded(const Module *m, OpId op, const uint64_t *innermost, double *tiled_layout) {
    const Type *t = result_type(m, op, 0);
    double *to = &tiled_layout[value_type(m, op_result(m, op, 0))];
    if (*to == 0 && t->rank <= MAX_RANK && innermost[t->rank]) *to = best_ratio(t, innermost[t->rank]);
}

void tile_convolution_types(const Module *m, const ProgramOrder *written, double *tiled_layout) {
    uint64_t innermost[MAX_RANK + 1] = {0}; // by rank
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (op_kind(m, op) == OP_pad) tile_padded(m, op, innermost, tiled_layout);
        if (op_kind(m, op) != OP_convolution) continue;
        ValueId in = op_operand(m, op, 0), out = op_result(m, op, 0);
        uint64_t of_in = dimensions(m, op, RF_CONV_input_batch_dimension, RF_CONV_input_feature_dimension),
                 of_out = dimensions(m, op, RF_CONV_output_batch_dimension, RF_CONV_output_feature_dimension);
        tiled_layout[value_type(m, in)] = best_ratio(value_tensor(m, in), of_in);
        tiled_layout[value_type(m, out)] = best_ratio(value_tensor(m, out), of_out);
        if (value_tensor(m, out)->rank <= MAX_RANK && !innermost[value_tensor(m, out)->rank])
            innermost[value_tensor(m, out)->rank] = of_out;
    }
}

double tile_padding_as_written(const Type *t) {
    if (t->rank < 2 || t->dims[t->rank - 1] <= 0 || t->dims[t->rank - 2] <= 0) return 1;
    return rounded(t->dims[t->rank - 1], LANES) * rows_ratio(t->dims[t->rank - 2]);
}
