// Rules of ops that work on each element alone, and of those that only repeat, permute or name elements.
//
//     add:              ([i, j], [i, j])->([i, j])
//     select:           ([], [i, j], [i, j])->([i, j])         scalar predicate: no factor
//     broadcast_in_dim: ([i, j])->([i, k])  {j=1, k=64}        the expanded dimension is the result's alone
//     transpose:        ([j, i])->([i, j])
//
// Local: shapes only, unless said otherwise.
#include "core/rule/rule_build.h"

// All tensors that are no scalars have the result's shape. (`map`: the region works on scalars and stays as it is.)
void rule_elementwise(RuleBuilder *b) {
    uint32_t like = b->n_results > 0 ? result_of(b, 0) : 0;
    for (uint32_t t = 0; t < tensors_of(b); t++) {
        if (rank_of(b, t) == 0) continue;
        bool same = rank_of(b, t) == rank_of(b, like);
        for (uint32_t d = 0; same && d < rank_of(b, t); d++) same = size_of(b, t, d) == size_of(b, like, d);
        if (!same) {
            rule_give_whole(b, "its operands and results differ in shape");
            return;
        }
    }
    for (uint32_t d = 0; d < rank_of(b, like) && !b->gave_up; d++) factor_across(b, FACTOR_PASS, like, d);
}

// constant, iota.
// Local: a splat is a smaller splat; another constant is sliced at the device's offset; an iota on its own dimension
// adds coordinate × chunk.
void rule_source(RuleBuilder *b) {
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) factor_at(b, FACTOR_PASS, 0, d);
}

// One result dimension of a broadcast, which operand dimension `from` (or none, -1) is mapped to.
static uint8_t broadcast_dim(RuleBuilder *b, uint32_t operand, int from, uint32_t dim, uint8_t factor) {
    uint32_t result = result_of(b, 0);
    if (from >= 0 && size_of(b, operand, (uint32_t)from) == 1 && size_of(b, result, dim) != 1) {
        factor_at(b, FACTOR_PASS, operand, (uint32_t)from);
        from = -1;
    }
    if (factor == NO_FACTOR) factor = factor_at(b, FACTOR_PASS, result, dim);
    if (from >= 0) dim_has(b, operand, (uint32_t)from, factor);
    return factor;
}

void rule_broadcast_in_dim(RuleBuilder *b) {
    Ints map = attr_list(b, A_broadcast_dimensions);
    for (uint32_t d = 0; d < rank_of(b, 1) && !b->gave_up; d++) broadcast_dim(b, 0, ints_find(map, d), d, NO_FACTOR);
}

// The new dimensions come first. Local: broadcast_sizes are the local ones.
void rule_broadcast(RuleBuilder *b) {
    uint32_t n_new = rank_of(b, 1) - rank_of(b, 0);
    for (uint32_t d = 0; d < rank_of(b, 1) && !b->gave_up; d++)
        broadcast_dim(b, 0, d < n_new ? -1 : (int)(d - n_new), d, NO_FACTOR);
}

// chlo.broadcast_*: operands aligned at their last dimensions, or by broadcast_dimensions for the one of lower rank.
// A size that all operands have is one factor; an operand's 1 against it is its own.
void rule_broadcasting(RuleBuilder *b) {
    uint32_t result = result_of(b, 0), rank = rank_of(b, result);
    Ints map = attr_list(b, A_broadcast_dimensions);
    for (uint32_t d = 0; d < rank && !b->gave_up; d++) {
        uint8_t factor = NO_FACTOR;
        for (uint32_t t = 0; t < b->n_operands; t++) {
            uint32_t r = rank_of(b, t);
            int from = d + r >= rank ? (int)(d + r - rank) : -1;
            if (r < rank && map.n > 0 && map.n == r) from = ints_find(map, d);
            factor = broadcast_dim(b, t, from, d, factor);
        }
    }
}

void rule_transpose(RuleBuilder *b) {
    Ints from = attr_list(b, A_permutation);
    for (uint32_t d = 0; d < from.n && !b->gave_up; d++)
        dim_has(b, 1, d, factor_at(b, FACTOR_PASS, 0, (uint32_t)from.at[d]));
}

// The dimension that appears or disappears holds the pieces of one element.
void rule_bitcast_convert(RuleBuilder *b) {
    uint32_t in = rank_of(b, 0), out = rank_of(b, 1), common = in < out ? in : out;
    for (uint32_t d = 0; d < common && !b->gave_up; d++) factor_across(b, FACTOR_PASS, 0, d);
    if (in != out) factor_at(b, FACTOR_WHOLE, in > out ? 0 : 1, common);
}

// The feature dimension is shared with the vectors of statistics and parameters.
// Other dimensions pass for inference alone: in training statistics run over them, and a mean or variance is no sum of
// local ones. To tile those, batch_norm_training and batch_norm_grad are decomposed into reductions first.
void rule_batch_norm(RuleBuilder *b) {
    uint32_t feature = (uint32_t)op_attr_int(b->m, b->op, A_feature_index, 0), rank = rank_of(b, 0);
    FactorKind other = op_kind(b->m, b->op) == OP_batch_norm_inference ? FACTOR_PASS : FACTOR_WHOLE;
    for (uint32_t d = 0; d < rank && !b->gave_up; d++) {
        uint8_t f = factor_new(b, size_of(b, 0, d), d == feature ? FACTOR_PASS : other);
        for (uint32_t t = 0; t < tensors_of(b); t++) {
            bool is_vector = t != 0 && t != result_of(b, 0) && !(t == 4 && op_kind(b->m, b->op) == OP_batch_norm_grad);
            if (!is_vector)
                dim_has(b, t, d, f);
            else if (d == feature)
                dim_has(b, t, 0, f);
        }
    }
}
