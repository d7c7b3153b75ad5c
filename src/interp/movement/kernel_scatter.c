// scatter: updates combined into operands at places that the indices name. What falls outside the operand is dropped.
#include "interp/kernel.h"
#include "interp/movement/gather.h"
#include "interp/reduce/body.h"

typedef struct ScatterKernel {
    uint32_t n; // operands
    Tensor **out, **updates;
    Body *body;
    const void **args;
    void **results;
    uint32_t n_window;
    int64_t window_dims[MAX_RANK]; // of the operand, one for each window dimension of the updates
    int64_t window[MAX_RANK];      // sizes
    int64_t update_strides[MAX_RANK], out_strides[MAX_RANK], by_dim[MAX_RANK];
} ScatterKernel;

// Applies the body to `run` neighbours (along the last window dimension) from the given places on.
static bool apply_run(Exec *e, ScatterKernel *s, int64_t out_at, int64_t update_at, int64_t run) {
    uint32_t last = s->n_window ? s->n_window - 1 : 0;
    int64_t out_step = s->n_window ? s->out_strides[last] : 1, update_step = s->n_window ? s->update_strides[last] : 1;
    int64_t together = out_step == 1 && update_step == 1 ? run : 1;
    for (int64_t k = 0; k < run; k += together) {
        for (uint32_t i = 0; i < s->n; i++) {
            size_t size = elem_bytes((Elem)s->out[i]->elem), update_size = elem_bytes((Elem)s->updates[i]->elem);
            s->args[i] = s->results[i] = s->out[i]->data + (size_t)(out_at + k * out_step) * size;
            s->args[s->n + i] = s->updates[i]->data + (size_t)(update_at + k * update_step) * update_size;
        }
        if (!body_call(e, s->body, s->args, s->results, together)) return false;
    }
    return true;
}

// One window of updates, from `start` in the operand.
static bool apply_window(Exec *e, ScatterKernel *s, const int64_t *start, int64_t update_at) {
    const Tensor *out = s->out[0];
    int64_t base = 0, index[MAX_RANK] = {0};
    bool is_window[MAX_RANK] = {false};
    for (uint32_t i = 0; i < s->n_window; i++) is_window[s->window_dims[i]] = true;
    for (uint32_t i = 0; i < out->rank; i++) {
        if (!is_window[i] && (start[i] < 0 || start[i] >= out->dims[i])) return true;
        if (!is_window[i]) base += start[i] * s->by_dim[i];
    }
    uint32_t outer = s->n_window ? s->n_window - 1 : 0;
    int64_t first = 0, end = 1, last_start = 0;
    if (s->n_window) {
        int64_t d = s->window_dims[outer];
        last_start = start[d];
        first = last_start < 0 ? (last_start < -s->window[outer] ? s->window[outer] : -last_start) : 0;
        end = last_start > out->dims[d] - s->window[outer] ? out->dims[d] - last_start : s->window[outer];
        if (last_start >= out->dims[d] || first >= end) return true;
    }
    do {
        int64_t out_at = base, at = update_at;
        bool inside = true;
        for (uint32_t i = 0; i < outer && inside; i++) {
            int64_t d = s->window_dims[i];
            inside = start[d] >= -index[i] && start[d] < out->dims[d] - index[i];
            if (!inside) break;
            out_at += (start[d] + index[i]) * s->out_strides[i];
            at += index[i] * s->update_strides[i];
        }
        if (!inside) continue;
        if (s->n_window) {
            out_at += (last_start + first) * s->out_strides[outer];
            at += first * s->update_strides[outer];
        }
        if (!apply_run(e, s, out_at, at, end - first)) return false;
    } while (shape_next(outer, s->window, index));
    return true;
}

bool kernel_scatter(Exec *e, OpId op) {
    const Module *m = e->m;
    AttrId numbers = op_attr(m, op, A_scatter_dimension_numbers);
    ScatterKernel s = {.n = op_get(m, op)->n_results};
    uint32_t n_update_window, n_inserted, n, n_batch = 0;
    const int64_t *update_window = record_ints(m, numbers, RF_SCATTER_update_window_dims, &n_update_window);
    const int64_t *inserted = record_ints(m, numbers, RF_SCATTER_inserted_window_dims, &n_inserted);
    GatherIndex g = {.vector_dim = record_int(m, numbers, RF_SCATTER_index_vector_dim, 0)};
    g.map = record_ints(m, numbers, RF_SCATTER_scatter_dims_to_operand_dims, &g.n_map);
    g.operand_batching = record_ints(m, numbers, RF_SCATTER_input_batching_dims, &g.n_batching);
    g.indices_batching = record_ints(m, numbers, RF_SCATTER_scatter_indices_batching_dims, &n);
    Tensor *indices = exec_in(e, op, s.n);
    s.body = body_prepare(e, op_region(m, op, 0));
    s.out = exec_scratch(e, s.n * sizeof *s.out);
    s.updates = exec_scratch(e, s.n * sizeof *s.updates);
    s.args = exec_scratch(e, 2 * s.n * sizeof *s.args);
    s.results = exec_scratch(e, s.n * sizeof *s.results);
    for (uint32_t i = 0; i < s.n; i++) {
        s.updates[i] = exec_in(e, op, s.n + 1 + i);
        if (!tensor_same_shape(exec_in(e, op, i), exec_in(e, op, 0)) || !tensor_same_shape(s.updates[i], s.updates[0]))
            return exec_error(e, op, NULL, "operands differ in shape");
    }
    const Tensor *update = s.updates[0];
    for (uint32_t i = 0; i < s.n; i++) {
        s.out[i] = exec_take_writable(e, op, i);
        exec_set(e, op, i, s.out[i]);
        if (s.out[i]->elem != s.updates[i]->elem)
            return exec_error(e, op, NULL, "updates of another element type are not supported");
    }
    const Tensor *out = s.out[0];
    int64_t strides[MAX_RANK], batch_dims[MAX_RANK], batch[MAX_RANK], place[MAX_RANK] = {0};
    s.n_window = gather_others(out->rank, inserted, n_inserted, g.operand_batching, g.n_batching, s.window_dims);
    n_batch = gather_others(update->rank, update_window, n_update_window, NULL, 0, batch_dims);
    if (s.n_window != n_update_window || n_batch != indices->rank - (g.vector_dim < indices->rank))
        return exec_error(e, op, NULL, "the dimension numbers do not fit the operands");
    shape_strides(update->rank, update->dims, strides);
    shape_strides(out->rank, out->dims, s.by_dim);
    for (uint32_t i = 0; i < s.n_window; i++) {
        s.window[i] = update->dims[update_window[i]];
        s.update_strides[i] = strides[update_window[i]];
        s.out_strides[i] = s.by_dim[s.window_dims[i]];
    }
    for (uint32_t i = 0, k = 0; i < indices->rank; i++)
        if (i != g.vector_dim && indices->dims[i] != update->dims[batch_dims[k++]])
            return exec_error(e, op, NULL, "indices and updates differ in shape");
    for (uint32_t i = 0; i < n_batch; i++) batch[i] = update->dims[batch_dims[i]];
    if (update->n == 0) return true;
    do {
        int64_t start[MAX_RANK] = {0}, at = 0;
        gather_start(indices, &g, place, start);
        for (uint32_t i = 0; i < n_batch; i++) at += place[i] * strides[batch_dims[i]];
        if (!apply_window(e, &s, start, at)) return false;
    } while (shape_next(n_batch, batch, place));
    return true;
}
