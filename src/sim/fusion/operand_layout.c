// Operand layout: the order of dimensions that products, convolutions and scatters need.
#include "sim/fusion/fusion.h"

// The order of an operand's dimensions that a dot wants: 0 if they lie so already. Matrices are read in either order.
static uint32_t dot_order(const Module *m, OpId op, uint32_t operand) {
    AttrId numbers = op_attr(m, op, A_dot_dimension_numbers);
    uint32_t n_batch, n_depth, rank = operand_type(m, op, operand)->rank;
    const int64_t *batch =
        record_ints(m, numbers, operand ? RF_DOT_rhs_batching_dimensions : RF_DOT_lhs_batching_dimensions, &n_batch);
    const int64_t *depth = record_ints(
        m, numbers, operand ? RF_DOT_rhs_contracting_dimensions : RF_DOT_lhs_contracting_dimensions, &n_depth);
    uint32_t key = 1, first_depth = operand ? n_batch : rank - n_depth;
    bool batch_first = true, in_order = true;
    for (uint32_t i = 0; i < n_batch; i++) batch_first &= batch[i] == i, key = key * 31 + (uint32_t)batch[i];
    for (uint32_t i = 0; i < n_depth; i++) in_order &= depth[i] == first_depth + i, key = key * 31 + (uint32_t)depth[i];
    return batch_first && (in_order || rank <= n_batch + 2) ? 0 : key * 2 + operand;
}

// The same for a convolution.
static uint32_t convolution_order(const Module *m, OpId op, uint32_t operand) {
    AttrId numbers = op_attr(m, op, A_dimension_numbers);
    uint32_t n;
    const int64_t *space =
        record_ints(m, numbers, operand ? RF_CONV_kernel_spatial_dimensions : RF_CONV_input_spatial_dimensions, &n);
    int64_t first =
        record_int(m, numbers, operand ? RF_CONV_kernel_input_feature_dimension : RF_CONV_input_batch_dimension, 0);
    int64_t last =
        record_int(m, numbers, operand ? RF_CONV_kernel_output_feature_dimension : RF_CONV_input_feature_dimension, 0);
    bool in_order = last == n + 1 && first == (operand ? n : 0);
    uint32_t key = (uint32_t)(first * 31 + last) + 1;
    for (uint32_t i = 0; i < n; i++) in_order &= space[i] == i + !operand, key = key * 31 + (uint32_t)space[i];
    return in_order ? 0 : key * 2 + operand;
}

// The order of dimensions in which the op needs a copy of its operand, or 0.
static uint32_t wanted_order(const Module *m, const Backend *backend, OpId op, uint32_t operand) {
    switch (op_kind(m, op)) {
    case OP_dot_general: return backend->relays_dot_operands ? dot_order(m, op, operand) : 0;
    case OP_convolution: return backend->relays_dot_operands ? convolution_order(m, op, operand) : 0;
    case OP_select_and_scatter:
        return backend->indexes_windows && operand == 0; // the indices, found as soon as the operand is there
    default: return 0;                                   // as all without TRAIT_COPIES
    }
}

uint32_t *find_operand_copies(const Module *m, const ProgramOrder *written, const Backend *backend, Arena *a) {
    uint32_t *copied = arena_zalloc(a, m->operands.n * sizeof *copied);
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        const Op *o = op_get(m, op);
        if (!op_copies_operands((OpKind)o->kind)) continue;
        for (uint32_t i = 0; i < o->n_operands; i++) copied[o->first_operand + i] = wanted_order(m, backend, op, i);
    }
    return copied;
}
