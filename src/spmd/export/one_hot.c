// One hot: a scatter of one element to each row of zeros is a select. So JAX writes the gradient of a loss that reads the
// log probability of one word.
//
//     %g = scatter %zeros[4,512], %word[4,1], %u[4] { add }        batching_dims = [0] x [0], to dim 1
//  ⇒  %g = select (iota(dim 1) == broadcast %word), (broadcast %u), %zeros
//
// XLA on CPU writes the scatter to memory, and early, for it depends on nothing but the words: it lies there beside all
// that the forward pass keeps. A select is part of what reads it. The TPU compiler makes one of it by itself.
#include "spmd/export/one_hot.h"
#include "core/monoid.h"
#include "ir/analysis/zero.h"

static bool is_index_type(const Type *t) {
    return t->elem == EL_I32 || t->elem == EL_I64 || t->elem == EL_UI32 || t->elem == EL_UI64;
}

// Whether the rows are the batching dimensions, in the same order on both sides, and `dim` the one that is left.
static bool has_rows(const Module *m, OpId scatter, AttrId numbers, int64_t dim) {
    uint32_t n, n_indices;
    const int64_t *of_operand = record_ints(m, numbers, RF_SCATTER_input_batching_dims, &n);
    const int64_t *of_indices = record_ints(m, numbers, RF_SCATTER_scatter_indices_batching_dims, &n_indices);
    if (n != n_indices || n + 1 != operand_type(m, scatter, 0)->rank) return false;
    for (uint32_t i = 0; i < n; i++)
        if (of_operand[i] == dim || (i && (of_operand[i] <= of_operand[i - 1] || of_indices[i] <= of_indices[i - 1])))
            return false;
    return true;
}

bool is_one_hot(const Module *m, OpId scatter) {
    if (op_get(m, scatter)->n_operands != 3 || !value_is_zero(m, op_operand(m, scatter, 0))) return false;
    AttrId numbers = op_attr(m, scatter, A_scatter_dimension_numbers);
    uint32_t n_windows, n_inserted, n_to;
    record_ints(m, numbers, RF_SCATTER_update_window_dims, &n_windows);
    const int64_t *inserted = record_ints(m, numbers, RF_SCATTER_inserted_window_dims, &n_inserted);
    const int64_t *to = record_ints(m, numbers, RF_SCATTER_scatter_dims_to_operand_dims, &n_to);
    if (n_windows || n_inserted != 1 || n_to != 1 || inserted[0] != to[0] || !has_rows(m, scatter, numbers, to[0]))
        return false;
    const Type *into = operand_type(m, scatter, 0), *indices = operand_type(m, scatter, 1);
    int64_t size = into->dims[to[0]], all, rows;
    if (size == 0 || size > INT32_MAX || !is_index_type(indices)) return false;
    if (!type_elements(into, &all) || !type_elements(indices, &rows) || all % size || all / size != rows) return false;
    Monoid monoid;
    return monoid_of_region(m, op_region(m, scatter, 0), &monoid) && monoid == MONOID_ADD;
}

typedef struct OneHot {
    Module *out;
    RegionId into;
    LocId loc;
    const int64_t *rows; // the dimensions of the operand that are rows
    uint32_t n_rows;
    int64_t row_sizes[MAX_RANK];
} OneHot;

static ValueId make(OneHot *h, OpKind kind, const ValueId *operands, uint32_t n, TypeId type, const NamedAttr *attr) {
    return op_new_value(h->out, h->into, kind, operands, n, type, attr, attr ? 1 : 0, h->loc);
}

// One element for each row, at all elements of the row.
static ValueId spread_rows(OneHot *h, ValueId v, TypeId type) {
    TypeId vector = type_tensor(h->out, (Elem)value_tensor(h->out, v)->elem, h->n_rows, h->row_sizes);
    if (value_type(h->out, v) != vector) v = make(h, OP_reshape, &v, 1, vector, NULL);
    NamedAttr dims = {A_broadcast_dimensions, attr_ints(h->out, h->rows, h->n_rows)};
    return make(h, OP_broadcast_in_dim, &v, 1, type, &dims);
}

ValueId one_hot_select(Module *out, RegionId into, const ValueId operands[3], const Module *m, OpId scatter,
                       LocId loc) {
    AttrId numbers = op_attr(m, scatter, A_scatter_dimension_numbers);
    OneHot h = {.out = out, .into = into, .loc = loc};
    uint32_t n_to;
    h.rows = record_ints(m, numbers, RF_SCATTER_input_batching_dims, &h.n_rows);
    int64_t dim = record_ints(m, numbers, RF_SCATTER_scatter_dims_to_operand_dims, &n_to)[0];
    TypeId type = value_type(out, operands[0]);
    const Type *t = type_get(out, type);
    int64_t dims[MAX_RANK];
    uint32_t rank = t->rank;
    memcpy(dims, t->dims, rank * sizeof *dims);
    for (uint32_t i = 0; i < h.n_rows; i++) h.row_sizes[i] = dims[h.rows[i]];

    TypeId places = type_tensor(out, (Elem)value_tensor(out, operands[1])->elem, rank, dims);
    NamedAttr iota_dim = {A_iota_dimension, attr_int(out, dim, EL_I64)};
    ValueId at[] = {make(&h, OP_iota, NULL, 0, places, &iota_dim), spread_rows(&h, operands[1], places)};
    NamedAttr equal = {A_comparison_direction, attr_enum(out, ENUM_COMPARISON_DIRECTION, "EQ")};
    ValueId hot = make(&h, OP_compare, at, 2, type_tensor(out, EL_I1, rank, dims), &equal);
    ValueId parts[] = {hot, spread_rows(&h, operands[2], type), operands[0]};
    return make(&h, OP_select, parts, 3, type, NULL);
}
