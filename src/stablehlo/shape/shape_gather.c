// Shape rules of gather and scatter: slices of the operand at the places that an index tensor lists.
//
//     operand 10x20, start_indices 5x2, offset_dims = [1], collapsed_slice_dims = [0], slice_sizes = [1, 7]  ->  5x7
//
// The dimensions of the result (of scatter's updates) are those of the indices without index_vector_dim, with the
// window's dimensions put in at offset_dims (at update_window_dims).
#include "stablehlo/shape/shape.h"

// The two records say the same in different words.
typedef struct Places {
    const char *window_name, *collapsed_name, *batching_name, *index_batching_name, *map_name, *indices_name;
    const int64_t *window, *collapsed, *batching, *index_batching, *map;
    uint32_t n_window, n_collapsed, n_batching, n_index_batching, n_map;
    int64_t index_dim;
} Places;

// The fields of #stablehlo.gather and #stablehlo.scatter stand in one order, from `first` on.
static Places read_places(Check *c, AttrName name, RecordField first, const char *indices) {
    const Module *m = c->m;
    AttrId a = check_attr(c, name);
    const FieldInfo *field = &field_info[first];
    Places p = {.window_name = field[0].name,
                .collapsed_name = field[1].name,
                .batching_name = field[2].name,
                .index_batching_name = field[3].name,
                .map_name = field[4].name,
                .indices_name = indices};
    p.window = record_ints(m, a, first, &p.n_window);
    p.collapsed = record_ints(m, a, first + 1, &p.n_collapsed);
    p.batching = record_ints(m, a, first + 2, &p.n_batching);
    p.index_batching = record_ints(m, a, first + 3, &p.n_index_batching);
    p.map = record_ints(m, a, first + 4, &p.n_map);
    p.index_dim = record_int(m, a, first + 5, 0);
    return p;
}

static Places gather_places(Check *c) {
    return read_places(c, A_dimension_numbers, RF_GATHER_offset_dims, "start_indices");
}

static Places scatter_places(Check *c) {
    return read_places(c, A_scatter_dimension_numbers, RF_SCATTER_update_window_dims, "scatter_indices");
}

static bool check_places(Check *c, const Places *p, const Type *x, const Type *indices, uint32_t windowed_rank) {
    uint64_t rank = (uint64_t)p->n_window + p->n_collapsed + p->n_batching;
    if (rank != x->rank)
        return check_fail(c,
                          check_format(c, "every dimension of the operand is in the window, in %s or in %s",
                                       p->collapsed_name, p->batching_name),
                          "%s, %s and %s have %llu entries, but the operand has %u dimensions", p->window_name,
                          p->collapsed_name, p->batching_name, (unsigned long long)rank, x->rank);
    if (p->index_dim < 0 || p->index_dim > (int64_t)indices->rank)
        return check_fail(c,
                          check_format(c, "it is 0..%u, where %u means that each element of %s is an index",
                                       indices->rank, indices->rank, p->indices_name),
                          "index_vector_dim %lld is out of range", (long long)p->index_dim);
    int64_t index_size = p->index_dim == (int64_t)indices->rank ? 1 : indices->dims[p->index_dim];
    if (!dims_compatible(index_size, p->n_map))
        return check_fail(c, "an index has one number for each entry",
                          "%s has %u entries, but %s has size %lld along index_vector_dim %lld", p->map_name, p->n_map,
                          p->indices_name, (long long)index_size, (long long)p->index_dim);
    if (!check_sorted(c, p->window_name, p->window, p->n_window) ||
        !check_distinct(c, p->window_name, p->window, p->n_window) ||
        !check_dims(c, p->window_name, p->window, p->n_window, windowed_rank, "the tensor of windows"))
        return false;
    if (!check_disjoint(c, p->collapsed_name, p->collapsed, p->n_collapsed, p->batching_name, p->batching,
                        p->n_batching) ||
        !check_sorted(c, p->collapsed_name, p->collapsed, p->n_collapsed) ||
        !check_sorted(c, p->batching_name, p->batching, p->n_batching) ||
        !check_dims(c, p->collapsed_name, p->collapsed, p->n_collapsed, x->rank, "the operand") ||
        !check_dims(c, p->batching_name, p->batching, p->n_batching, x->rank, "the operand"))
        return false;
    if (!check_distinct(c, p->index_batching_name, p->index_batching, p->n_index_batching) ||
        !check_dims(c, p->index_batching_name, p->index_batching, p->n_index_batching, indices->rank, p->indices_name))
        return false;
    if (has_integer(p->index_batching, p->n_index_batching, p->index_dim))
        return check_fail(c, NULL, "%s holds index_vector_dim %lld", p->index_batching_name, (long long)p->index_dim);
    if (p->n_batching != p->n_index_batching)
        return check_fail(c, "batching dimensions come in pairs", "%s has %u entries and %s has %u", p->batching_name,
                          p->n_batching, p->index_batching_name, p->n_index_batching);
    for (uint32_t i = 0; i < p->n_batching; i++) {
        int64_t a = x->dims[p->batching[i]], b = indices->dims[p->index_batching[i]];
        if (!dims_compatible(a, b))
            return check_fail(c, NULL, "batching dimension %u has size %lld in the operand and %lld in %s", i,
                              (long long)a, (long long)b, p->indices_name);
    }
    return check_disjoint(c, p->map_name, p->map, p->n_map, p->batching_name, p->batching, p->n_batching) &&
           check_dims(c, p->map_name, p->map, p->n_map, x->rank, "the operand");
}

static uint32_t indices_batch_rank(const Places *p, const Type *indices) {
    return p->index_dim == (int64_t)indices->rank ? indices->rank : indices->rank - 1;
}

// ---- Gather --------------------------------------------------------------------------------------------------------

static bool check_slice_sizes(Check *c, const Places *p, const Type *x, const int64_t *sizes) {
    for (uint32_t i = 0; i < x->rank; i++) {
        bool one = has_integer(p->collapsed, p->n_collapsed, i) || has_integer(p->batching, p->n_batching, i);
        if (one && sizes[i] > 1)
            return check_fail(c, "a dimension that the result does not have is sliced one at a time",
                              "slice size %lld of dimension %u, which is collapsed or batching", (long long)sizes[i],
                              i);
        if (sizes[i] < 0 || (x->dims[i] != DIM_DYNAMIC && sizes[i] > x->dims[i]))
            return check_fail(c, "0 <= slice size <= size", "slice size %lld of dimension %u, which has size %s",
                              (long long)sizes[i], i, check_dim_text(c, x->dims[i]));
    }
    return true;
}

bool shape_gather(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR) || !check_operand_in(c, 1, IS_INT)) return false;
    const Type *x = in_type(c, 0), *indices = in_type(c, 1);
    Places p = gather_places(c);
    uint32_t n;
    const int64_t *sizes;
    if (c->kind == OP_dynamic_gather) {
        if (!check_operand_in(c, 2, IS_INT)) return false;
        const Type *t = in_type(c, 2);
        if (t->rank != 1 || t->dims[0] == DIM_DYNAMIC)
            return check_fail(c, NULL, "slice_sizes is %s, expected one static dimension", check_tensor_text(c, t));
        if (t->dims[0] != (int64_t)x->rank)
            return check_fail(c, "give one entry for each dimension of the operand",
                              "slice_sizes has %lld entries, expected %u", (long long)t->dims[0], x->rank);
        sizes = check_constant_ints(c, 2, &n);
    } else {
        sizes = check_ints(c, A_slice_sizes, &n);
        if (!check_length(c, "slice_sizes", n, x->rank, "dimension of the operand")) return false;
    }
    uint64_t rank = (uint64_t)p.n_window + indices->rank - (p.index_dim == (int64_t)indices->rank ? 0 : 1);
    if (!check_places(c, &p, x, indices, rank > UINT32_MAX ? UINT32_MAX : (uint32_t)rank)) return false;
    if (sizes && !check_slice_sizes(c, &p, x, sizes)) return false;

    const int64_t *from = check_bounds(c, indices);
    int64_t *dims = check_array(c, int64_t, rank), *bounds = from ? check_array(c, int64_t, rank) : NULL;
    uint32_t w = 0, operand_dim = 0, index_dim = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (from) bounds[i] = DIM_DYNAMIC;
        if (w < p.n_window && p.window[w] == i) {
            while (has_integer(p.collapsed, p.n_collapsed, operand_dim) ||
                   has_integer(p.batching, p.n_batching, operand_dim))
                operand_dim++;
            dims[i] = sizes ? sizes[operand_dim] : DIM_DYNAMIC;
            operand_dim++;
            w++;
        } else {
            if (index_dim == p.index_dim) index_dim++;
            dims[i] = indices->dims[index_dim];
            if (from) bounds[i] = from[index_dim];
            index_dim++;
        }
    }
    Type t = *x;
    t.rank = (uint32_t)rank;
    t.dims = dims;
    t.encoding = check_encoding(c, NO_ID, bounds, t.rank);
    return check_result(c, 0, &t);
}

bool shape_torch_index_select(Check *c) {
    if (!check_operands_in(c, IS_TENSOR) || !check_results_in(c, IS_TENSOR)) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    if (check_like_elem(c, x, y)) return true;
    return check_fail(c, NULL, "the result is %s, but operand is %s: their elements differ", check_tensor_text(c, y),
                      check_tensor_text(c, x));
}

// ---- Scatter -------------------------------------------------------------------------------------------------------

static bool check_updates(Check *c, const Places *p, const Type *x, const Type *indices, const Type *updates) {
    uint32_t w = 0, operand_dim = 0, index_dim = 0;
    for (uint32_t i = 0; i < updates->rank; i++) {
        if (w < p->n_window && p->window[w] == i) {
            while (has_integer(p->collapsed, p->n_collapsed, operand_dim) ||
                   has_integer(p->batching, p->n_batching, operand_dim))
                operand_dim++;
            int64_t limit = x->dims[operand_dim++];
            w++;
            if (updates->dims[i] == DIM_DYNAMIC || limit == DIM_DYNAMIC || updates->dims[i] <= limit) continue;
            return check_fail(c, "a window may not be larger than the operand",
                              "dimension %u of the updates has size %lld, but dimension %u of the input has size %lld",
                              i, (long long)updates->dims[i], operand_dim - 1, (long long)limit);
        }
        if (index_dim == p->index_dim) index_dim++;
        if (!dims_compatible(updates->dims[i], indices->dims[index_dim]))
            return check_fail(
                c, "there is one window for each index",
                "dimension %u of the updates has size %lld, but dimension %u of scatter_indices has size %lld", i,
                (long long)updates->dims[i], index_dim, (long long)indices->dims[index_dim]);
        index_dim++;
    }
    return true;
}

bool shape_scatter(Check *c) {
    if (c->n_operands < 3 || c->n_operands % 2 == 0)
        return check_fail(c, "inputs, then scatter_indices, then as many updates",
                          "%u operands, expected an odd number, 3 or more", c->n_operands);
    uint32_t n = (c->n_operands - 1) / 2;
    if (!check_result_count(c, n) || !check_operand_in(c, n, IS_INT | IS_BOOL | IS_INDEX)) return false;
    const Type *indices = in_type(c, n);
    const Type **inputs = check_array(c, const Type *, n), **inits = check_array(c, const Type *, n);
    Type *starts = check_array(c, Type, n);
    const Type *updates = in_type(c, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!check_operand_in(c, i, IS_TENSOR) || !check_operand_in(c, n + 1 + i, IS_TENSOR)) return false;
        inputs[i] = in_type(c, i);
        starts[i] = *in_type(c, n + 1 + i);
        if (!check_same_shape(inputs[0], inputs[i]) || !check_same_shape(updates, &starts[i]))
            return check_fail(c, "inputs have one shape, and updates have one shape",
                              "input %u or its updates differ in shape from the first", i);
        starts[i].rank = 0;
        starts[i].encoding = NO_ID;
        inits[i] = &starts[i];
    }
    Places p = scatter_places(c);
    if (!check_reducer(c, 0, n, inputs, inits, NULL, 0)) return false;
    if (p.index_dim < 0 || p.index_dim > (int64_t)indices->rank)
        return check_fail(c, check_format(c, "scatter_indices has %u dimensions", indices->rank),
                          "index_vector_dim %lld is out of range", (long long)p.index_dim);
    if (updates->rank != (uint64_t)p.n_window + indices_batch_rank(&p, indices))
        return check_fail(
            c, "updates have the dimensions of the indices without index_vector_dim, and those of the window",
            "the updates have %u dimensions, expected %llu", updates->rank,
            (unsigned long long)p.n_window + indices_batch_rank(&p, indices));
    if (!check_places(c, &p, inputs[0], indices, updates->rank)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!check_updates(c, &p, inputs[i], indices, in_type(c, n + 1 + i))) return false;
    for (uint32_t i = 0; i < n; i++) {
        Type t = check_accumulator(c, 0, i, in_type(c, i));
        if (!check_result(c, i, &t)) return false;
    }
    return true;
}
