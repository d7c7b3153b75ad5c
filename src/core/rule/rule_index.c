// Rules of ops that read or write at computed places: gather, scatter, dynamic_slice and their kin.
//
//     gather rows:  ([k, j], [i, l])->([i, j]) reduction={k} need_replication={l}      an embedding: k is the vocabulary
//     scatter-add:  ([k, j], [i, l], [i, j])->([k, j]) reduction={i} need_replication={l}
//
// Local, for all of them: offsets are computed in i64, since narrow index types wrap. Where reads are clamped (gather,
// dynamic_slice, dynamic_update_slice), indices are clamped to the global bounds first; only then the shard's offset is
// subtracted. What falls outside the shard is masked by `select`, never by a product (0 × inf is no number). The masked
// value is -0.0 for floating point, 0 otherwise: the exact identities of the sum. indices_are_sorted and unique_indices
// are cleared where a dimension they speak of is tiled.
#include "core/rule/rule_build.h"

// A sum of one part and zeros.
static void sum_of_masked(RuleBuilder *b) {
    b->monoid = monoid_on(MONOID_ADD, (Elem)type_of(b, result_of(b, 0))->elem);
}

// ---- gather, torch_index_select -------------------------------------------------------------------------------------

typedef struct GatherDims {
    Ints offset, collapsed, operand_batch, index_batch, start_map, slice;
    uint32_t index_vector;
} GatherDims;

enum { OPERAND, INDICES, GATHERED };

// A slice of the full size can only start at 0, so that it passes; a slice of one element is in one shard (in the first one
// if no index says where), so that the others give zero. Anything else straddles shards.
static void gather_window(RuleBuilder *b, uint32_t from, uint32_t dim) {
    int64_t size = size_of(b, OPERAND, from), slice = size_of(b, GATHERED, dim);
    if (slice == size) {
        dim_has(b, GATHERED, dim, factor_at(b, FACTOR_PASS, OPERAND, from));
    } else if (slice == 1) {
        factor_at(b, FACTOR_REDUCE, OPERAND, from);
        factor_at(b, FACTOR_WHOLE, GATHERED, dim);
    } else {
        dim_has(b, GATHERED, dim, factor_at(b, FACTOR_WHOLE, OPERAND, from));
    }
}

// Local: slice sizes are the local ones in PASS dimensions. For each tiled REDUCE dimension: index component (start_map
// says which) clamped to [0, size - 1], minus offset; gather; select by "was in the shard", or where no component picks
// from the dimension, by "is the first shard".
void rule_gather(RuleBuilder *b) {
    GatherDims g = {
        field_list(b, A_dimension_numbers, RF_GATHER_offset_dims),
        field_list(b, A_dimension_numbers, RF_GATHER_collapsed_slice_dims),
        field_list(b, A_dimension_numbers, RF_GATHER_operand_batching_dims),
        field_list(b, A_dimension_numbers, RF_GATHER_start_indices_batching_dims),
        field_list(b, A_dimension_numbers, RF_GATHER_start_index_map),
        attr_list(b, A_slice_sizes),
        (uint32_t)record_int(b->m, op_attr(b->m, b->op, A_dimension_numbers), RF_GATHER_index_vector_dim, 0)};
    uint32_t from = 0, index = 0; // next operand dimension that has a window, next dimension of the indices
    sum_of_masked(b);
    for (uint32_t d = 0; d < rank_of(b, GATHERED) && !b->gave_up; d++) {
        if (ints_have(g.offset, d)) {
            while (ints_have(g.collapsed, from) || ints_have(g.operand_batch, from)) from++;
            gather_window(b, from++, d);
            continue;
        }
        if (index == g.index_vector) index++;
        uint8_t f = factor_at(b, FACTOR_PASS, INDICES, index);
        int batch = ints_find(g.index_batch, index++);
        if (batch >= 0) dim_has(b, OPERAND, (uint32_t)g.operand_batch.at[batch], f);
        dim_has(b, GATHERED, d, f);
    }
    for (uint32_t i = 0; i < g.collapsed.n && !b->gave_up; i++) {
        uint32_t d = (uint32_t)g.collapsed.at[i];
        bool masked = size_of(b, OPERAND, d) > 1 && ints_or(g.slice, d, 1) == 1; // not a slice of nothing
        factor_at(b, masked ? FACTOR_REDUCE : FACTOR_WHOLE, OPERAND, d);
    }
    if (g.index_vector < rank_of(b, INDICES)) factor_at(b, FACTOR_WHOLE, INDICES, g.index_vector);
}

// operand[:dim] + index[batch_dims:] + operand[dim + 1:], the first batch_dims of both being one. Local: as gather at
// `dim`.
void rule_torch_index_select(RuleBuilder *b) {
    uint32_t dim = (uint32_t)op_attr_int(b->m, b->op, A_dim, 0),
             batch = (uint32_t)op_attr_int(b->m, b->op, A_batch_dims, 0);
    uint32_t n_index = rank_of(b, INDICES) - batch;
    sum_of_masked(b);
    for (uint32_t d = 0; d < rank_of(b, GATHERED) && !b->gave_up; d++) {
        uint8_t f = factor_at(b, FACTOR_PASS, GATHERED, d);
        if (d < batch) dim_has(b, INDICES, d, f);
        if (d >= dim && d < dim + n_index)
            dim_has(b, INDICES, d - dim + batch, f);
        else
            dim_has(b, OPERAND, d < dim ? d : d - n_index + 1, f);
    }
    factor_at(b, FACTOR_REDUCE, OPERAND, dim);
}

// ---- scatter --------------------------------------------------------------------------------------------------------

typedef struct ScatterRule {
    uint32_t n; // inputs, updates and results
    Ints window, inserted, input_batch, index_batch, to_operand;
    uint32_t index_vector;
} ScatterRule;

static void inputs_have(RuleBuilder *b, const ScatterRule *s, uint32_t dim, uint8_t f) {
    for (uint32_t i = 0; i < s->n; i++) {
        dim_has(b, i, dim, f);
        dim_has(b, result_of(b, i), dim, f);
    }
}

static void updates_have(RuleBuilder *b, const ScatterRule *s, uint32_t dim, uint8_t f) {
    for (uint32_t i = 0; i < s->n; i++) dim_has(b, s->n + 1 + i, dim, f);
}

// A window of the full size passes if no index shifts it: a shifted one loses its end. Others straddle chunks.
static void scatter_window(RuleBuilder *b, const ScatterRule *s, uint32_t to, uint32_t dim) {
    int64_t size = size_of(b, 0, to), window = size_of(b, s->n + 1, dim);
    if (window == size && !ints_have(s->to_operand, to)) {
        uint8_t f = factor_new(b, size, FACTOR_PASS);
        inputs_have(b, s, to, f);
        updates_have(b, s, dim, f);
    } else {
        inputs_have(b, s, to, factor_new(b, size, FACTOR_WHOLE));
        updates_have(b, s, dim, factor_new(b, window, FACTOR_WHOLE));
    }
}

// Local. Inputs tiled in an inserted dimension: the shard's offset is subtracted from that index
// component and what is then out of range is dropped, as the op does; where no component writes to the dimension, updates
// belong to the first shard, and the others put an index out of range. Updates tiled in an index dimension (REDUCE): the
// inputs enter once, so that all devices of the axis but one start from the monoid's identity (with maximum, minimum,
// and, or: all may start from the inputs).
void rule_scatter(RuleBuilder *b) {
    ScatterRule s = {
        b->n_results,
        field_list(b, A_scatter_dimension_numbers, RF_SCATTER_update_window_dims),
        field_list(b, A_scatter_dimension_numbers, RF_SCATTER_inserted_window_dims),
        field_list(b, A_scatter_dimension_numbers, RF_SCATTER_input_batching_dims),
        field_list(b, A_scatter_dimension_numbers, RF_SCATTER_scatter_indices_batching_dims),
        field_list(b, A_scatter_dimension_numbers, RF_SCATTER_scatter_dims_to_operand_dims),
        (uint32_t)record_int(b->m, op_attr(b->m, b->op, A_scatter_dimension_numbers), RF_SCATTER_index_vector_dim, 0)};
    uint32_t indices = s.n, updates = s.n + 1, to = 0, index = 0;
    bool known = extra_monoid(b, &b->monoid) && b->monoid != MONOID_BODY;
    for (uint32_t d = 0; d < rank_of(b, updates) && !b->gave_up; d++) {
        if (ints_have(s.window, d)) {
            while (ints_have(s.inserted, to) || ints_have(s.input_batch, to)) to++;
            scatter_window(b, &s, to++, d);
            continue;
        }
        if (index == s.index_vector) index++;
        int batch = ints_find(s.index_batch, index);
        uint8_t f = factor_new(b, size_of(b, updates, d),
                               batch >= 0 ? FACTOR_PASS
                               : known    ? FACTOR_REDUCE
                                          : FACTOR_WHOLE);
        if (batch >= 0) inputs_have(b, &s, (uint32_t)s.input_batch.at[batch], f);
        dim_has(b, indices, index++, f);
        updates_have(b, &s, d, f);
    }
    for (uint32_t i = 0; i < s.inserted.n && !b->gave_up; i++) {
        uint32_t d = (uint32_t)s.inserted.at[i];
        inputs_have(b, &s, d, factor_new(b, size_of(b, 0, d), s.to_operand.n > 0 ? FACTOR_PASS : FACTOR_WHOLE));
    }
    if (s.index_vector < rank_of(b, indices)) factor_at(b, FACTOR_WHOLE, indices, s.index_vector);
}

// ---- dynamic_slice, dynamic_update_slice ----------------------------------------------------------------------------

// A dimension taken in full starts at 0 whatever the index says, by the clamp. One element is in one shard (REDUCE);
// more may straddle shards. Local: slice sizes are the local ones in PASS dimensions; a tiled REDUCE dimension: index
// clamped to [0, size - 1], minus offset; slice; select by "was in the shard".
void rule_dynamic_slice(RuleBuilder *b) {
    uint32_t result = result_of(b, 0);
    sum_of_masked(b);
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) {
        int64_t size = size_of(b, 0, d), slice = size_of(b, result, d);
        if (slice == 1 && size > 1) {
            factor_at(b, FACTOR_REDUCE, 0, d);
            factor_at(b, FACTOR_WHOLE, result, d);
        } else {
            dim_has(b, result, d, factor_at(b, slice == size ? FACTOR_PASS : FACTOR_WHOLE, 0, d));
        }
    }
}

// A dimension updated in part: operand and result pass, the update is whole, and each shard applies its part.
// Local, with start clamped to [0, size - update] and then minus offset: an update of one element: slice what is there
// at the start clamped to the shard, select update or that by "is in the shard", update. A longer one may straddle
// shards: pad the shard by the update's size on both sides, update at start + update's size (clamped to the padded
// shard: left or right of it, it hits padding), and cut the padding off.
void rule_dynamic_update_slice(RuleBuilder *b) {
    uint32_t result = result_of(b, 0);
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) {
        uint8_t f = factor_at(b, FACTOR_PASS, 0, d);
        dim_has(b, result, d, f);
        if (size_of(b, 0, d) == size_of(b, 1, d))
            dim_has(b, 1, d, f);
        else
            factor_at(b, FACTOR_WHOLE, 1, d);
    }
}
