// Rules of ops that regroup, cut or glue dimensions.
//
//     reshape:     ([ij, k])->([i, jk])                        factors are the common pieces of the two shapes
//     pad:         ([i, j], [])->([i, j]) permutation={i}      only dimension 0 is padded
//     concatenate: ([i, j], [i, j])->([i, j]) permutation={j}
//
// Local: shapes only, with the attributes of untouched dimensions set to the local size (slice limits); where a dimension
// that is moved is tiled, what crosses the borders of chunks is exchanged (spmd/local/local_move.c).
#include "core/rule/rule_build.h"
#include "support/integer.h"

// One side of a reshape: the dimension after the one we are in, what is left of that one, and the product of all
// factors so far.
typedef struct ReshapeWalk {
    uint32_t tensor, next;
    int64_t left, product;
} ReshapeWalk;

// Moves on to a dimension with something left; dimensions of size 1 get their own factor. False at the end.
static bool walk_on(RuleBuilder *b, ReshapeWalk *w) {
    while (w->left == 1) {
        if (w->next == rank_of(b, w->tensor)) return false;
        w->left = size_of(b, w->tensor, w->next++);
        if (w->left == 1) factor_at(b, FACTOR_PASS, w->tensor, w->next - 1);
    }
    return true;
}

static void walk_take(RuleBuilder *b, ReshapeWalk *w, uint8_t factor, int64_t size) {
    dim_has(b, w->tensor, w->next - 1, factor);
    w->left /= size;
    w->product *= size;
}

// What a side takes alone: of two that have diverged, the one behind takes no more than leads to the least product that
// both can reach.
static void walk_alone(RuleBuilder *b, ReshapeWalk *w, int64_t other) {
    int64_t piece = gcd(w->left, other / gcd(w->product, other));
    if (piece == 1) piece = w->left;
    walk_take(b, w, factor_new(b, piece, FACTOR_WHOLE), piece);
}

// Both shapes are walked by their running products. Where these agree, the greatest common piece of what is left on
// both sides is one factor of both. Where nothing is common, the sides diverge: pieces of one side alone (WHOLE) until
// the products agree again.
//
//     6x4 -> 4x6: ([ij, mn])->([ik, ln]) {i=2, j=3, k=2, l=3, m=2, n=2}
//
// Local: a dimension of several factors is tiled through its major one first, so that a chunk is contiguous; so what is
// common behind a piece of one side (n) is never tiled.
void rule_reshape(RuleBuilder *b) {
    int64_t n;
    if (!type_elements(type_of(b, 0), &n) || n == 0) {
        rule_give_whole(b, NULL);
        return;
    }
    ReshapeWalk in = {0, 0, 1, 1}, out = {1, 0, 1, 1};
    while (!b->gave_up) {
        bool more_in = walk_on(b, &in), more_out = walk_on(b, &out);
        if (!more_in && !more_out) return;
        int64_t common = in.product == out.product ? gcd(in.left, out.left) : 1;
        if (common > 1) {
            uint8_t f = factor_new(b, common, FACTOR_PASS);
            walk_take(b, &in, f, common);
            walk_take(b, &out, f, common);
        } else {
            bool take_in = in.product <= out.product, take_out = out.product <= in.product;
            int64_t products[] = {in.product, out.product};
            if (take_in) walk_alone(b, &in, products[1]);
            if (take_out) walk_alone(b, &out, products[0]);
        }
    }
}

// A dimension that is cut, padded, glued or reversed, across all tensors: whether it can be tiled is a matter of sizes
// alone. Where some number divides all of them, chunks of them can be told apart, and what crosses their borders moves.
// An empty dimension has no chunks.
static void factor_moves(RuleBuilder *b, FactorKind otherwise, uint32_t like, uint32_t dim) {
    int64_t common = 0;
    for (uint32_t t = 0; t < tensors_of(b); t++)
        if (rank_of(b, t) > 0) common = size_of(b, t, dim) ? gcd(common, size_of(b, t, dim)) : 1;
    factor_across(b, common > 1 ? FACTOR_MOVE : otherwise, like, dim);
    if (common > 1 && !b->gave_up) b->factors[b->n_factors - 1].common = common;
}

void rule_slice(RuleBuilder *b) {
    Ints start = attr_list(b, A_start_indices), stride = attr_list(b, A_strides);
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) {
        bool untouched =
            size_of(b, 0, d) == size_of(b, 1, d) && ints_or(start, d, 0) == 0 && ints_or(stride, d, 1) == 1;
        if (untouched)
            factor_across(b, FACTOR_PASS, 0, d);
        else
            factor_moves(b, FACTOR_SHIFT, 0, d);
    }
}

void rule_pad(RuleBuilder *b) {
    Ints low = attr_list(b, A_edge_padding_low), high = attr_list(b, A_edge_padding_high),
         inner = attr_list(b, A_interior_padding);
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) {
        bool untouched = ints_or(low, d, 0) == 0 && ints_or(high, d, 0) == 0 && ints_or(inner, d, 0) == 0;
        if (untouched)
            factor_across(b, FACTOR_PASS, 0, d);
        else
            factor_moves(b, FACTOR_SHIFT, 0, d);
    }
}

static bool shares_divisor(int64_t piece, int64_t whole) { return piece > 0 && gcd(piece, whole) > 1; }

// Pieces that have nothing in common with the whole (a row of zeros, an empty piece) are there on all devices.
static void factor_glued(RuleBuilder *b, FactorKind otherwise, uint32_t dim) {
    uint32_t result = result_of(b, 0);
    int64_t size = size_of(b, result, dim), common = size;
    bool any = false;
    for (uint32_t t = 0; t < b->n_operands; t++) {
        if (!shares_divisor(size_of(b, t, dim), size)) continue;
        common = gcd(common, size_of(b, t, dim));
        any = true;
    }
    if (!any || common <= 1) {
        factor_across(b, otherwise, result, dim);
        return;
    }
    uint8_t f = factor_new(b, size, FACTOR_MOVE);
    if (f != NO_FACTOR) b->factors[f].common = common;
    dim_has(b, result, dim, f);
    for (uint32_t t = 0; t < b->n_operands; t++)
        if (!shares_divisor(size_of(b, t, dim), size))
            factor_at(b, FACTOR_WHOLE, t, dim);
        else
            dim_has(b, t, dim, f);
}

void rule_concatenate(RuleBuilder *b) {
    uint32_t dim = (uint32_t)op_attr_int(b->m, b->op, A_dimension, 0), result = result_of(b, 0);
    FactorKind glued = b->extra ? FACTOR_SHIFT : FACTOR_WHOLE;
    for (uint32_t d = 0; d < rank_of(b, result) && !b->gave_up; d++)
        if (d != dim)
            factor_across(b, FACTOR_PASS, result, d);
        else
            factor_glued(b, glued, d);
}

void rule_reverse(RuleBuilder *b) {
    Ints reversed = attr_list(b, A_dimensions);
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++)
        if (ints_have(reversed, d))
            factor_moves(b, FACTOR_SHIFT, 0, d);
        else
            factor_across(b, FACTOR_PASS, 0, d);
}
