// Rules of ops that take a dimension as a whole: reductions, sorts, transforms, matrix decompositions, random bits.
//
//     reduce:  ([i, j], [])->([i]) reduction={j}         with a known monoid as body; otherwise need_replication={j}
//     sort:    ([i, j])->([i, j]) need_replication={j}
#include "core/rule/rule_build.h"

// Local: each device reduces its chunk from the monoid's identity (for MONOID_BODY: from the init itself, which does no
// harm twice), and a collective combines the parts. An init that is not the identity is combined once, after the
// collective. MONOID_BODY: parts are gathered on a new dimension, in the order of the axis, and reduced by the op's own
// body.
void rule_reduce(RuleBuilder *b) {
    uint32_t n = b->n_results, out = 0;
    Ints reduced = attr_list(b, A_dimensions);
    FactorKind kind = extra_monoid(b, &b->monoid) ? FACTOR_REDUCE : FACTOR_WHOLE;
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) {
        bool kept = !ints_have(reduced, d);
        uint8_t f = factor_new(b, size_of(b, 0, d), kept ? FACTOR_PASS : kind);
        for (uint32_t i = 0; i < n; i++) {
            dim_has(b, i, d, f);
            if (kept) dim_has(b, result_of(b, i), out, f);
        }
        out += kept;
    }
}

// sort (by its dimension), chlo.top_k (by the last one).
void rule_sort(RuleBuilder *b) {
    int64_t dim = op_kind(b->m, b->op) == OP_sort ? op_attr_int(b->m, b->op, A_dimension, -1) : -1;
    rule_give_whole_dim(b, (uint32_t)(dim < 0 ? dim + rank_of(b, 0) : dim));
}

void rule_fft(RuleBuilder *b) {
    uint32_t rank = rank_of(b, 0), n = attr_list(b, A_fft_length).n;
    for (uint32_t d = 0; d < rank && !b->gave_up; d++)
        factor_across(b, d + n < rank ? FACTOR_PASS : FACTOR_WHOLE, 0, d);
}

// cholesky, triangular_solve: matrix dimensions are WHOLE, those before them batch. In op(a) x = b the rows of b and x
// are the two sides of a.
void rule_matrix(RuleBuilder *b) {
    uint32_t rank = rank_of(b, 0), rows = rank - 2, columns = rank - 1;
    if (op_kind(b->m, b->op) == OP_cholesky) {
        for (uint32_t d = 0; d < rank && !b->gave_up; d++)
            factor_across(b, d < rows ? FACTOR_PASS : FACTOR_WHOLE, 0, d);
        return;
    }
    enum { A, B, X };
    bool left = op_attr_bool(b->m, b->op, A_left_side, true);
    Span transpose = op_attr_text(b->m, b->op, A_transpose_a);
    bool transposed = span_is(transpose, "TRANSPOSE") || span_is(transpose, "ADJOINT");
    // op(a) x = b: a's rows go with b and its columns with x; x op(a) = b: the other way round; transposed: swapped
    // again.
    uint32_t a_with_b = left != transposed ? rows : columns, a_with_x = left != transposed ? columns : rows;
    uint32_t solved = left ? rows : columns, other = left ? columns : rows;
    for (uint32_t d = 0; d < rows && !b->gave_up; d++) factor_across(b, FACTOR_PASS, A, d);
    uint8_t free_factor = NO_FACTOR, b_factor;
    if (!left) free_factor = factor_at(b, FACTOR_WHOLE, B, other);
    b_factor = factor_at(b, FACTOR_WHOLE, A, a_with_b);
    if (left) free_factor = factor_at(b, FACTOR_WHOLE, B, other);
    dim_has(b, B, solved, b_factor);
    dim_has(b, X, other, free_factor);
    dim_has(b, X, solved, factor_at(b, FACTOR_WHOLE, A, a_with_x));
}

// The bits must be those of the unpartitioned program, so that each device computes them all.
void rule_rng_bit_generator(RuleBuilder *b) {
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) dim_has(b, 1, d, factor_at(b, FACTOR_WHOLE, 0, d));
    for (uint32_t d = 0; d < rank_of(b, 2) && !b->gave_up; d++) factor_at(b, FACTOR_WHOLE, 2, d);
}

// Local: one device of each group of the mesh draws, and broadcasts what it drew.
void rule_rng(RuleBuilder *b) {
    rule_give_whole(b, "random numbers with hidden state: each device would draw its own");
}
