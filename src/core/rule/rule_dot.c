// Rules of contractions.
//
//     dot_general: ([i, j, l], [i, l, k])->([i, j, k]) reduction={l}       batch, free left, free right, contracted
//
// The labels of an einsum, "ab,bc->ac", are read the same way.
//
// Local: shapes only. A contracted factor gives partial sums in the result's element type.
#include "core/rule/rule_build.h"

static void sum_of(RuleBuilder *b) { b->monoid = monoid_on(MONOID_ADD, (Elem)type_of(b, result_of(b, 0))->elem); }

typedef struct DotRuleDims {
    Ints left_batch, right_batch, left_contracted, right_contracted;
} DotRuleDims;

// stablehlo.dot: the last dimension of the left with the first of the right.
static DotRuleDims dot_dims(RuleBuilder *b) {
    if (op_kind(b->m, b->op) == OP_dot_general)
        return (DotRuleDims){field_list(b, A_dot_dimension_numbers, RF_DOT_lhs_batching_dimensions),
                             field_list(b, A_dot_dimension_numbers, RF_DOT_rhs_batching_dimensions),
                             field_list(b, A_dot_dimension_numbers, RF_DOT_lhs_contracting_dimensions),
                             field_list(b, A_dot_dimension_numbers, RF_DOT_rhs_contracting_dimensions)};
    static const int64_t first[] = {0}, second[] = {1};
    return (DotRuleDims){.left_contracted = {rank_of(b, 0) == 2 ? second : first, 1}, .right_contracted = {first, 1}};
}

void rule_dot_general(RuleBuilder *b) {
    DotRuleDims d = dot_dims(b);
    uint32_t result = result_of(b, 0), out = 0;
    sum_of(b);
    for (uint32_t i = 0; i < d.left_batch.n && !b->gave_up; i++) {
        uint8_t f = factor_at(b, FACTOR_PASS, 0, (uint32_t)d.left_batch.at[i]);
        dim_has(b, 1, (uint32_t)d.right_batch.at[i], f);
        dim_has(b, result, out++, f);
    }
    for (uint32_t t = 0; t < 2; t++) {
        Ints batch = t ? d.right_batch : d.left_batch, contracted = t ? d.right_contracted : d.left_contracted;
        for (uint32_t i = 0; i < rank_of(b, t) && !b->gave_up; i++)
            if (!ints_have(batch, i) && !ints_have(contracted, i))
                dim_has(b, result, out++, factor_at(b, FACTOR_PASS, t, i));
    }
    for (uint32_t i = 0; i < d.left_contracted.n && !b->gave_up; i++) {
        uint8_t f = factor_at(b, FACTOR_REDUCE, 0, (uint32_t)d.left_contracted.at[i]);
        dim_has(b, 1, (uint32_t)d.right_contracted.at[i], f);
    }
}

// ---- einsum, unary_einsum -------------------------------------------------------------------------------------------

enum { MAX_LABELS = 64 };

// The labels of one tensor, one a dimension. An ellipsis stands for dimensions labelled from the right by bytes above
// ASCII.
typedef struct Labels {
    uint8_t at[MAX_LABELS];
    uint32_t n;
} Labels;

static bool labels_read(RuleBuilder *b, uint32_t tensor, Span text, Labels *out) {
    uint32_t rank = rank_of(b, tensor), letters = 0;
    for (size_t i = 0; i < text.n; i++) letters += text.at[i] != '.' && text.at[i] != ' ';
    if (rank > MAX_LABELS || letters > rank) return false;
    out->n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.at[i] == ' ') continue;
        if (text.at[i] != '.') {
            if (out->n == rank || (uint8_t)text.at[i] >= 128) return false;
            out->at[out->n++] = (uint8_t)text.at[i];
            continue;
        }
        if (i + 2 >= text.n || text.at[i + 1] != '.' || text.at[i + 2] != '.') return false;
        if (out->n + (rank - letters) > rank) return false; // a second ellipsis
        for (uint32_t k = rank - letters; k > 0; k--) out->at[out->n++] = (uint8_t)(127 + k);
        i += 2;
    }
    return out->n == rank;
}

// Splits "ab,bc->ac" into one text a tensor.
static bool einsum_split(Span config, uint32_t n_operands, Span *parts) {
    uint32_t n = 0;
    size_t start = 0;
    for (size_t i = 0; i < config.n; i++) {
        bool arrow = config.at[i] == '-' && i + 1 < config.n && config.at[i + 1] == '>';
        if (config.at[i] != ',' && !arrow) continue;
        if (n == n_operands || (arrow && n + 1 != n_operands)) return false;
        parts[n++] = (Span){config.at + start, i - start};
        start = i + (arrow ? 2 : 1);
    }
    if (n != n_operands) return false;
    parts[n] = (Span){config.at + start, config.n - start};
    return true;
}

static int label_find(const Labels *l, uint8_t label) {
    for (uint32_t i = 0; i < l->n; i++)
        if (l->at[i] == label) return (int)i;
    return -1;
}

// A label is one factor of all tensors that have it, summed over if the result has it not. What no factor can say stays
// WHOLE: a label twice in one tensor (a diagonal), or with different sizes.
static void einsum_factor(RuleBuilder *b, const Labels *labels, uint32_t tensor, uint32_t dim) {
    uint32_t n = tensors_of(b);
    uint8_t label = labels[tensor].at[dim];
    int64_t size = size_of(b, tensor, dim);
    bool sound = true;
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t d = 0; d < labels[t].n; d++)
            if (labels[t].at[d] == label)
                sound = sound && label_find(&labels[t], label) == (int)d && size_of(b, t, d) == size;
    bool summed = label_find(&labels[n - 1], label) < 0;
    for (uint32_t t = 0; t < tensor; t++)
        if (sound && label_find(&labels[t], label) >= 0) return; // has its factor already
    uint8_t f = factor_new(b, size, !sound ? FACTOR_WHOLE : summed ? FACTOR_REDUCE : FACTOR_PASS);
    if (!sound) dim_has(b, tensor, dim, f);
    for (uint32_t t = 0; sound && t < n; t++) {
        int d = label_find(&labels[t], label);
        if (d >= 0) dim_has(b, t, (uint32_t)d, f);
    }
}

void rule_einsum(RuleBuilder *b) {
    Labels labels[3];
    Span parts[3];
    bool ok = b->n_operands <= 2 && einsum_split(op_attr_text(b->m, b->op, A_einsum_config), b->n_operands, parts);
    for (uint32_t t = 0; ok && t < tensors_of(b); t++) ok = labels_read(b, t, parts[t], &labels[t]);
    if (!ok) {
        rule_give_whole(b, "its einsum_config is not understood");
        return;
    }
    sum_of(b);
    for (uint32_t t = 0; t < tensors_of(b); t++)
        for (uint32_t d = 0; d < labels[t].n && !b->gave_up; d++) einsum_factor(b, labels, t, d);
}

// ---- chlo.ragged_dot ------------------------------------------------------------------------------------------------

// Three modes by what the ragged dimension of the left is: a free one ([b,m,k] [g,b,k,n] -> [b,m,n]), a contracted one
// ([b,m,k] [b,k,n] -> [g,b,m,n]) or a batch one ([b,m,k] [b,k,n] -> [b,m,n]). Groups are runs of rows of the ragged
// dimension, so that it and the groups stay WHOLE. group_sizes is [g], or has the leading dimensions of the left
// (batch, then those of the ragged dimension's sort before it) in front.
void rule_ragged_dot(RuleBuilder *b) {
    Ints left_batch = field_list(b, A_ragged_dot_dimension_numbers, RF_RAGGED_DOT_lhs_batching_dimensions);
    Ints right_batch = field_list(b, A_ragged_dot_dimension_numbers, RF_RAGGED_DOT_rhs_batching_dimensions);
    Ints left_contracted = field_list(b, A_ragged_dot_dimension_numbers, RF_RAGGED_DOT_lhs_contracting_dimensions);
    Ints right_contracted = field_list(b, A_ragged_dot_dimension_numbers, RF_RAGGED_DOT_rhs_contracting_dimensions);
    Ints ragged = field_list(b, A_ragged_dot_dimension_numbers, RF_RAGGED_DOT_lhs_ragged_dimensions);
    Ints group = field_list(b, A_ragged_dot_dimension_numbers, RF_RAGGED_DOT_rhs_group_dimensions);
    enum { LEFT, RIGHT, SIZES, RESULT };
    uint32_t prefix = rank_of(b, SIZES) > 1 ? rank_of(b, SIZES) - 1 : 0, in_sizes = 0, out = 0;
    sum_of(b);
    bool ragged_is_contracted = ragged.n > 0 && ints_have(left_contracted, (uint32_t)ragged.at[0]);
    bool ragged_is_batch = ragged.n > 0 && ints_have(left_batch, (uint32_t)ragged.at[0]);
    uint8_t g = factor_at(b, FACTOR_WHOLE, SIZES, rank_of(b, SIZES) - 1);
    if (group.n > 0) dim_has(b, RIGHT, (uint32_t)group.at[0], g);
    if (ragged_is_contracted) dim_has(b, RESULT, out++, g);

    for (uint32_t i = 0; i < left_batch.n && !b->gave_up; i++) {
        uint32_t d = (uint32_t)left_batch.at[i];
        uint8_t f = factor_at(b, ints_have(ragged, d) ? FACTOR_WHOLE : FACTOR_PASS, LEFT, d);
        dim_has(b, RIGHT, (uint32_t)right_batch.at[i], f);
        dim_has(b, RESULT, out++, f);
        if (in_sizes < prefix) dim_has(b, SIZES, in_sizes++, f);
    }
    for (uint32_t d = 0; d < rank_of(b, LEFT) && !b->gave_up; d++) {
        if (ints_have(left_batch, d) || ints_have(left_contracted, d)) continue;
        uint8_t f = factor_at(b, ints_have(ragged, d) ? FACTOR_WHOLE : FACTOR_PASS, LEFT, d);
        dim_has(b, RESULT, out++, f);
        if (!ragged_is_contracted && !ragged_is_batch && in_sizes < prefix) dim_has(b, SIZES, in_sizes++, f);
    }
    for (uint32_t d = 0; d < rank_of(b, RIGHT) && !b->gave_up; d++) {
        if (ints_have(right_batch, d) || ints_have(right_contracted, d) || ints_have(group, d)) continue;
        dim_has(b, RESULT, out++, factor_at(b, FACTOR_PASS, RIGHT, d));
    }
    for (uint32_t i = 0; i < left_contracted.n && !b->gave_up; i++) {
        uint32_t d = (uint32_t)left_contracted.at[i];
        uint8_t f = factor_at(b, ints_have(ragged, d) ? FACTOR_WHOLE : FACTOR_REDUCE, LEFT, d);
        dim_has(b, RIGHT, (uint32_t)right_contracted.at[i], f);
        if (ragged_is_contracted && in_sizes < prefix) dim_has(b, SIZES, in_sizes++, f);
    }
}
