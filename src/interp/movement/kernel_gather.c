// gather, dynamic_gather and torch_index_select: slices of an operand at places that another operand names. Places that
// would leave the operand are moved back into it.
#include "interp/kernel.h"
#include "interp/movement/gather.h"
#include "interp/movement/index.h"
#include "interp/tensor/copy.h"
#include "support/integer.h"

uint32_t gather_others(uint32_t rank, const int64_t *a, uint32_t n_a, const int64_t *b, uint32_t n_b, int64_t *others) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (!has_integer(a, n_a, i) && !has_integer(b, n_b, i)) others[n++] = i;
    return n;
}

void gather_start(const Tensor *indices, const GatherIndex *g, const int64_t *place, int64_t *start) {
    int64_t strides[MAX_RANK], at = 0, step = 0;
    uint32_t k = 0;
    shape_strides(indices->rank, indices->dims, strides);
    for (uint32_t i = 0; i < indices->rank; i++) {
        if (i == g->vector_dim)
            step = strides[i];
        else
            at += place[k++] * strides[i];
    }
    for (uint32_t i = 0; i < g->n_map; i++) start[g->map[i]] = index_value(indices, at + i * step);
    for (uint32_t i = 0; i < g->n_batching; i++) {
        int64_t d = g->indices_batching[i];
        start[g->operand_batching[i]] = place[d < g->vector_dim ? d : d - 1];
    }
}

static bool gather_slices(Exec *e, OpId op, const int64_t *sizes) {
    const Module *m = e->m;
    AttrId numbers = op_attr(m, op, A_dimension_numbers);
    Tensor *x = exec_in(e, op, 0), *indices = exec_in(e, op, 1);
    uint32_t n_offset, n_collapsed, n_batching, n;
    const int64_t *offset_dims = record_ints(m, numbers, RF_GATHER_offset_dims, &n_offset);
    const int64_t *collapsed = record_ints(m, numbers, RF_GATHER_collapsed_slice_dims, &n_collapsed);
    GatherIndex g = {.vector_dim = record_int(m, numbers, RF_GATHER_index_vector_dim, 0)};
    g.map = record_ints(m, numbers, RF_GATHER_start_index_map, &g.n_map);
    g.operand_batching = record_ints(m, numbers, RF_GATHER_operand_batching_dims, &n_batching);
    g.indices_batching = record_ints(m, numbers, RF_GATHER_start_indices_batching_dims, &n);
    g.n_batching = n_batching;
    if (indices->rank + (uint32_t)(g.vector_dim == indices->rank) + n_offset > MAX_RANK + 1)
        return exec_error(e, op, NULL, "the rank is above %d", MAX_RANK);

    // The slice without collapsed dimensions, in operand order, lies at the offset dimensions of the result.
    int64_t window[MAX_RANK], batch[MAX_RANK], dims[MAX_RANK], from[MAX_RANK], to[MAX_RANK], slice[MAX_RANK],
        x_strides[MAX_RANK], out_strides[MAX_RANK];
    uint32_t n_window = gather_others(x->rank, collapsed, n_collapsed, g.operand_batching, n_batching, window);
    uint32_t rank = n_offset, n_batch = 0;
    for (uint32_t i = 0; i < indices->rank; i++)
        if (i != g.vector_dim) batch[n_batch++] = indices->dims[i];
    rank += n_batch;
    if (n_window != n_offset)
        return exec_error(e, op, NULL, "%u offset dimensions for %u slice dimensions", n_offset, n_window);
    int64_t batch_dims[MAX_RANK];
    gather_others(rank, offset_dims, n_offset, NULL, 0, batch_dims);
    for (uint32_t i = 0; i < n_offset; i++) dims[offset_dims[i]] = sizes[window[i]];
    for (uint32_t i = 0; i < n_batch; i++) dims[batch_dims[i]] = batch[i];
    for (uint32_t i = 0; i < x->rank; i++)
        if (sizes[i] < 0 || sizes[i] > x->dims[i])
            return exec_error(e, op, NULL, "a slice of %lld in dimension %u, of size %lld", (long long)sizes[i], i,
                              (long long)x->dims[i]);
    Tensor *out = exec_out(e, op, 0, rank, dims);
    if (out->n == 0) return true;
    shape_strides(x->rank, x->dims, x_strides);
    shape_strides(rank, dims, out_strides);
    for (uint32_t i = 0; i < n_offset; i++) {
        slice[i] = sizes[window[i]];
        from[i] = x_strides[window[i]];
        to[i] = out_strides[offset_dims[i]];
    }
    size_t size = elem_bytes((Elem)x->elem);
    int64_t place[MAX_RANK] = {0};
    do {
        int64_t start[MAX_RANK] = {0}, x_at = 0, out_at = 0;
        gather_start(indices, &g, place, start);
        for (uint32_t i = 0; i < x->rank; i++) {
            int64_t most = x->dims[i] - sizes[i];
            x_at += x_strides[i] * (start[i] < 0 ? 0 : start[i] > most ? most : start[i]);
        }
        for (uint32_t i = 0; i < n_batch; i++) out_at += place[i] * out_strides[batch_dims[i]];
        copy_strided(size, n_offset, slice, out->data + (size_t)out_at * size, to, x->data + (size_t)x_at * size, from);
    } while (shape_next(n_batch, batch, place));
    return true;
}

bool kernel_gather(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    uint32_t n;
    int64_t sizes[MAX_RANK];
    if (op_kind(e->m, op) == OP_dynamic_gather) {
        if (!index_shape(e, op, 2, &n, sizes)) return false;
        if (n != x->rank) return exec_error(e, op, NULL, "%u slice sizes for rank %u", n, x->rank);
        return gather_slices(e, op, sizes);
    }
    return gather_slices(e, op, op_attr_ints(e->m, op, A_slice_sizes, &n));
}

// result[b…, i…, j…, k…] = operand[b…, i…, index[b…, j…], k…], with i… the dimensions before `dim`.
bool kernel_torch_index_select(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0), *index = exec_in(e, op, 1);
    int64_t dim = op_attr_int(e->m, op, A_dim, 0), n_batch = op_attr_int(e->m, op, A_batch_dims, 0), dims[2 * MAX_RANK];
    if (dim < 0) dim += x->rank;
    if (n_batch < 0) n_batch += index->rank;
    if (dim < 0 || dim >= x->rank || n_batch < 0 || n_batch > dim || n_batch > index->rank)
        return exec_error(e, op, NULL, "dimension %lld is out of range", (long long)dim);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < dim; i++) dims[rank++] = x->dims[i];
    for (uint32_t i = (uint32_t)n_batch; i < index->rank; i++) dims[rank++] = index->dims[i];
    for (uint32_t i = (uint32_t)dim + 1; i < x->rank; i++) dims[rank++] = x->dims[i];
    int64_t batch = 1, before = 1, picks = 1, after = 1;
    for (uint32_t i = 0; i < dim; i++) *(i < n_batch ? &batch : &before) *= x->dims[i];
    for (uint32_t i = (uint32_t)n_batch; i < index->rank; i++) picks *= index->dims[i];
    for (uint32_t i = (uint32_t)dim + 1; i < x->rank; i++) after *= x->dims[i];
    Tensor *out = exec_out(e, op, 0, rank, dims);
    if (out->n && x->dims[dim] == 0) return exec_error(e, op, NULL, "nothing to select from");
    size_t bytes = (size_t)after * elem_bytes((Elem)x->elem);
    char *to = out->data;
    if (out->n == 0) return true;
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < before; i++)
            for (int64_t j = 0; j < picks; j++, to += bytes) {
                int64_t k = index_value(index, b * picks + j), most = x->dims[dim] - 1;
                k = k < 0 ? 0 : k > most ? most : k;
                memcpy(to, x->data + (size_t)((b * before + i) * x->dims[dim] + k) * bytes, bytes);
            }
    return true;
}
