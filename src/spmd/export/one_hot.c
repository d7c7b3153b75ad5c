// One hot: compares indices with an iota instead of scattering one element to each row of zeros, or gathering one element from
// each row. JAX writes such gathers and scatters for a loss that reads the log probability of one word, and for its gradient.
//
//     %g = scatter %zeros[4,512], %word[4,1], %u[4] { add }        batching_dims = [0] x [0], to dim 1
//  ⇒  %g = select (iota(dim 1) == broadcast %word), (broadcast %u) + %zeros, %zeros
//
//     %p = gather %x[4,512], %word[4,1]                            batching_dims = [0] x [0], from dim 1
//  ⇒  %p = reduce add (select (iota(dim 1) == broadcast (clamp %word)), %x, -0.0) over dim 1
//
// Both give the same bits as the scatter and the gather: adding -0.0 changes no float, and the scattered element is still added
// to its zero (a compiler that removes additions of zero removes them in a scatter too).
//
// XLA on CPU writes the scatter to memory, and does so early, because it depends on the words alone. There it takes memory while
// the forward pass fills the rest. A select is fused into its readers. The TPU compiler rewrites the scatter in this way by
// itself. But it writes the operand of a gather to memory, an array as large as the logits from which one number a row is
// read; a sum is fused with the operand's producer. On other backends the gather is fused and computes only what it reads.
#include "spmd/export/one_hot.h"
#include "core/monoid.h"
#include "ir/analysis/zero.h"

static bool is_index_type(const Type *t) {
    return t->elem == EL_I32 || t->elem == EL_I64 || t->elem == EL_UI32 || t->elem == EL_UI64;
}

// The fields that gather and scatter share: row dimensions of the operand, row dimensions of the indices, the indexed dimension.
typedef struct Indexing {
    const int64_t *rows, *of_indices, *dims, *collapsed;
    uint32_t n_rows, n_of_indices, n_dims, n_collapsed, n_windows;
} Indexing;

static Indexing indexing_of(const Module *m, OpId op) {
    bool gather = op_kind(m, op) == OP_gather;
    AttrId n = op_attr(m, op, gather ? A_dimension_numbers : A_scatter_dimension_numbers);
    Indexing x;
    x.rows = record_ints(m, n, gather ? RF_GATHER_operand_batching_dims : RF_SCATTER_input_batching_dims, &x.n_rows);
    x.of_indices =
        record_ints(m, n, gather ? RF_GATHER_start_indices_batching_dims : RF_SCATTER_scatter_indices_batching_dims,
                    &x.n_of_indices);
    x.dims = record_ints(m, n, gather ? RF_GATHER_start_index_map : RF_SCATTER_scatter_dims_to_operand_dims, &x.n_dims);
    x.collapsed =
        record_ints(m, n, gather ? RF_GATHER_collapsed_slice_dims : RF_SCATTER_inserted_window_dims, &x.n_collapsed);
    record_ints(m, n, gather ? RF_GATHER_offset_dims : RF_SCATTER_update_window_dims, &x.n_windows);
    return x;
}

// Whether there is one index for each row, the rows being all dimensions but one, in the same order on both sides.
static bool indexes_rows_once(const Module *m, OpId op) {
    const Type *t = operand_type(m, op, 0), *indices = operand_type(m, op, 1);
    Indexing x = indexing_of(m, op);
    if (x.n_windows || x.n_collapsed != 1 || x.n_dims != 1 || x.collapsed[0] != x.dims[0]) return false;
    if (x.n_rows != x.n_of_indices || x.n_rows + 1 != t->rank) return false;
    for (uint32_t i = 0; i < x.n_rows; i++)
        if (x.rows[i] == x.dims[0] || (i && (x.rows[i] <= x.rows[i - 1] || x.of_indices[i] <= x.of_indices[i - 1])))
            return false;
    int64_t size = t->dims[x.dims[0]], all, rows;
    return size > 0 && size <= INT32_MAX && is_index_type(indices) && type_elements(t, &all) &&
           type_elements(indices, &rows) && all % size == 0 && all / size == rows;
}

bool is_one_hot(const Module *m, OpId scatter) {
    Monoid monoid;
    return op_get(m, scatter)->n_operands == 3 && value_is_zero(m, op_operand(m, scatter, 0)) &&
           indexes_rows_once(m, scatter) && monoid_of_region(m, op_region(m, scatter, 0), &monoid) &&
           monoid == MONOID_ADD;
}

static const char *const rule_names[OP_COUNT] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) #rule,
#include "ir/ops.def"
};

bool reads_one_hot(const Module *m, OpId gather) {
    const Value *x = &m->values.at[op_operand(m, gather, 0)];
    Elem elem = (Elem)operand_type(m, gather, 0)->elem;
    bool summed = elem_class(elem) == CLASS_FLOAT && elem_has_zero(elem);
    return summed && !x->is_arg && strcmp(rule_names[op_kind(m, x->owner)], "elementwise") == 0 &&
           indexes_rows_once(m, gather);
}

typedef struct OneHot {
    Module *out;
    RegionId into;
    LocId loc;
    uint32_t rank;
    int64_t dims[MAX_RANK], dim; // of the operand, and the one that is indexed
    const int64_t *rows;         // the others
    int64_t row_sizes[MAX_RANK];
} OneHot;

static OneHot one_hot_of(Module *out, RegionId into, ValueId operand, const Module *m, OpId op, LocId loc) {
    Indexing x = indexing_of(m, op);
    const Type *t = value_tensor(out, operand);
    OneHot h = {.out = out, .into = into, .loc = loc, .rank = t->rank, .dim = x.dims[0], .rows = x.rows};
    memcpy(h.dims, t->dims, t->rank * sizeof *h.dims);
    for (uint32_t i = 0; i < x.n_rows; i++) h.row_sizes[i] = h.dims[x.rows[i]];
    return h;
}

static ValueId add_hot(OneHot *h, OpKind kind, const ValueId *operands, uint32_t n, TypeId type,
                       const NamedAttr *attr) {
    return op_new_value(h->out, h->into, kind, operands, n, type, attr, attr ? 1 : 0, h->loc);
}

static ValueId hot_constant(OneHot *h, Elem elem, Span text) {
    TypeId t = type_tensor(h->out, elem, 0, NULL);
    Attr dense = {.kind = ATTR_DENSE, .sub = DENSE_TEXT, .type = t, .text = text};
    NamedAttr attr = {A_value, attr_intern(h->out, &dense)};
    return add_hot(h, OP_constant, NULL, 0, t, &attr);
}

// One element for each row: without the dimensions of size one.
static ValueId hot_vector(OneHot *h, ValueId v) {
    TypeId vector = type_tensor(h->out, (Elem)value_tensor(h->out, v)->elem, h->rank - 1, h->row_sizes);
    return value_type(h->out, v) == vector ? v : add_hot(h, OP_reshape, &v, 1, vector, NULL);
}

// One element for each row, at all elements of the row.
static ValueId spread_rows(OneHot *h, ValueId vector) {
    TypeId type = type_tensor(h->out, (Elem)value_tensor(h->out, vector)->elem, h->rank, h->dims);
    NamedAttr dims = {A_broadcast_dimensions, attr_ints(h->out, h->rows, h->rank - 1)};
    return add_hot(h, OP_broadcast_in_dim, &vector, 1, type, &dims);
}

// Where the index of the row is that of the element.
static ValueId hot_mask(OneHot *h, ValueId indices) {
    TypeId places = type_tensor(h->out, (Elem)value_tensor(h->out, indices)->elem, h->rank, h->dims);
    NamedAttr dim = {A_iota_dimension, attr_int(h->out, h->dim, EL_I64)};
    ValueId sides[] = {add_hot(h, OP_iota, NULL, 0, places, &dim), NO_ID};
    sides[1] = spread_rows(h, hot_vector(h, indices));
    NamedAttr equal = {A_comparison_direction, attr_enum(h->out, ENUM_COMPARISON_DIRECTION, "EQ")};
    return add_hot(h, OP_compare, sides, 2, type_tensor(h->out, EL_I1, h->rank, h->dims), &equal);
}

ValueId one_hot_select(Module *out, RegionId into, const ValueId operands[3], const Module *m, OpId op, LocId loc) {
    OneHot h = one_hot_of(out, into, operands[0], m, op, loc);
    TypeId type = value_type(out, operands[0]);
    ValueId hot = hot_mask(&h, operands[1]);
    ValueId sides[] = {operands[0], spread_rows(&h, hot_vector(&h, operands[2]))};
    ValueId parts[] = {hot, add_hot(&h, OP_add, sides, 2, type, NULL), operands[0]};
    return add_hot(&h, OP_select, parts, 3, type, NULL);
}

static ValueId sum_of_rows(OneHot *h, ValueId x, ValueId zero) {
    TypeId scalar = value_type(h->out, zero);
    TypeId vector = type_tensor(h->out, (Elem)value_tensor(h->out, x)->elem, h->rank - 1, h->row_sizes);
    NamedAttr dims = {A_dimensions, attr_ints(h->out, &h->dim, 1)};
    ValueId operands[] = {x, zero};
    OpId op = op_new(h->out, h->into,
                     &(OpSpec){.kind = OP_reduce,
                               .operands = operands,
                               .n_operands = 2,
                               .results = &vector,
                               .n_results = 1,
                               .attrs = &dims,
                               .n_attrs = 1,
                               .n_regions = 1,
                               .loc = h->loc});
    OneHot body = *h;
    body.into = op_region(h->out, op, 0);
    ValueId args[] = {region_add_argument(h->out, body.into, scalar), region_add_argument(h->out, body.into, scalar)};
    ValueId sum = add_hot(&body, OP_add, args, 2, scalar, NULL);
    op_new(h->out, body.into, &(OpSpec){.kind = OP_return, .operands = &sum, .n_operands = 1, .loc = h->loc});
    return op_result(h->out, op, 0);
}

// A gather takes the element that is nearest to an index outside of the row.
ValueId one_hot_sum(Module *out, RegionId into, const ValueId operands[2], const Module *m, OpId op, LocId loc) {
    OneHot h = one_hot_of(out, into, operands[0], m, op, loc);
    Elem elem = (Elem)value_tensor(out, operands[0])->elem, index = (Elem)value_tensor(out, operands[1])->elem;
    ValueId indices = hot_vector(&h, operands[1]);
    Buffer last;
    buf_init(&last, &out->arena);
    buf_int(&last, h.dims[h.dim] - 1);
    ValueId bounds[] = {hot_constant(&h, index, span_of("0")), indices,
                        hot_constant(&h, index, (Span){last.at, last.n})};
    indices = add_hot(&h, OP_clamp, bounds, 3, value_type(out, indices), NULL);
    ValueId zero = hot_constant(&h, elem, span_of("-0.0"));
    NamedAttr none = {A_broadcast_dimensions, attr_ints(out, NULL, 0)};
    TypeId type = value_type(out, operands[0]);
    ValueId parts[] = {hot_mask(&h, indices), operands[0], add_hot(&h, OP_broadcast_in_dim, &zero, 1, type, &none)};
    ValueId sum = sum_of_rows(&h, add_hot(&h, OP_select, parts, 3, type, NULL), zero);
    const Type *given = result_type(m, op, 0);
    TypeId result = type_tensor(out, elem, given->rank, given->dims);
    return value_type(out, sum) == result ? sum : add_hot(&h, OP_reshape, &sum, 1, result, NULL);
}
