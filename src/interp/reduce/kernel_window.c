// reduce_window and select_and_scatter: windows that slide over a tensor. All windows advance together: for each place
// within the window, one call of the body on the elements that all windows have there.
#include "interp/kernel.h"
#include "interp/reduce/body.h"
#include "interp/tensor/copy.h"

typedef struct WindowKernel {
    uint32_t rank;
    int64_t size[MAX_RANK], stride[MAX_RANK], base_dilation[MAX_RANK], dilation[MAX_RANK], low[MAX_RANK],
        high[MAX_RANK];
    int64_t padded[MAX_RANK]; // the operand with dilation and padding
    int64_t out[MAX_RANK];    // number of windows
} WindowKernel;

static void read_sizes(Exec *e, OpId op, AttrName name, uint32_t rank, int64_t *to) {
    uint32_t n;
    const int64_t *given = op_attr_ints(e->m, op, name, &n);
    for (uint32_t i = 0; i < rank; i++) to[i] = i < n ? given[i] : 1;
}

static bool read_op_window(Exec *e, OpId op, const Tensor *x, WindowKernel *w) {
    w->rank = x->rank;
    read_sizes(e, op, A_window_dimensions, x->rank, w->size);
    read_sizes(e, op, A_window_strides, x->rank, w->stride);
    read_sizes(e, op, A_base_dilations, x->rank, w->base_dilation);
    read_sizes(e, op, A_window_dilations, x->rank, w->dilation);
    AttrId padding = op_attr(e->m, op, A_padding);
    uint32_t n = 0;
    const int64_t *pads = padding == NO_ID ? NULL : attr_to_ints(e->m, padding, &n);
    for (uint32_t i = 0; i < x->rank; i++) {
        w->low[i] = n == 2 * x->rank ? pads[2 * i] : 0;
        w->high[i] = n == 2 * x->rank ? pads[2 * i + 1] : 0;
        if (w->size[i] < 1 || w->stride[i] < 1 || w->base_dilation[i] < 1 || w->dilation[i] < 1)
            return exec_error(e, op, NULL, "window sizes, strides and dilations must be positive");
        const int64_t most = INT32_MAX;
        if (w->size[i] > most || w->stride[i] > most || w->base_dilation[i] > most || w->dilation[i] > most ||
            x->dims[i] > most || w->low[i] > most || w->low[i] < -most || w->high[i] > most || w->high[i] < -most)
            return exec_error(e, op, NULL, "a window of that size is not supported");
        int64_t dilated = x->dims[i] == 0 ? 0 : (x->dims[i] - 1) * w->base_dilation[i] + 1;
        int64_t reach = (w->size[i] - 1) * w->dilation[i] + 1;
        w->padded[i] = dilated + w->low[i] + w->high[i];
        if (w->padded[i] < 0) w->padded[i] = 0;
        w->out[i] = w->padded[i] < reach ? 0 : (w->padded[i] - reach) / w->stride[i] + 1;
    }
    return true;
}

// The operand with base dilation and padding, all holes filled with `init`.
static char *padded_copy(Exec *e, const WindowKernel *w, const Tensor *x, const Tensor *init) {
    size_t size = elem_bytes((Elem)x->elem);
    int64_t n = shape_elements(w->rank, w->padded), to[MAX_RANK], from[MAX_RANK], count[MAX_RANK], to_at = 0,
            from_at = 0;
    char *padded = exec_scratch_array(e, n, size);
    copy_splat(size, padded, init->data, n);
    shape_strides(w->rank, w->padded, to);
    shape_strides(w->rank, x->dims, from);
    for (uint32_t i = 0; i < w->rank; i++) {
        int64_t step = w->base_dilation[i], low = w->low[i];
        int64_t begin = low < 0 ? (-low + step - 1) / step : 0,
                end = w->padded[i] - low <= 0 ? 0 : (w->padded[i] - 1 - low) / step + 1;
        if (end > x->dims[i]) end = x->dims[i];
        if (end <= begin) return padded;
        count[i] = end - begin;
        to_at += (low + begin * step) * to[i];
        from_at += begin * from[i];
        to[i] *= step;
    }
    copy_strided(size, w->rank, count, padded + to_at * (int64_t)size, to, x->data + from_at * (int64_t)size, from);
    return padded;
}

bool kernel_reduce_window(Exec *e, OpId op) {
    uint32_t n = op_get(e->m, op)->n_operands / 2;
    WindowKernel w;
    Tensor *x = exec_in(e, op, 0);
    if (!read_op_window(e, op, x, &w)) return false;
    Body *body = body_prepare(e, op_region(e->m, op, 0));
    char **padded = exec_scratch(e, n * sizeof *padded);
    const void **args = exec_scratch(e, 2 * n * sizeof *args);
    void **results = exec_scratch(e, n * sizeof *results);
    char **column = exec_scratch(e, n * sizeof *column);
    int64_t n_out = shape_elements(w.rank, w.out);
    if (n_out < 0) return exec_error(e, op, NULL, "the result is too large");
    for (uint32_t i = 0; i < n; i++) {
        Tensor *in = exec_in(e, op, i), *init = exec_in(e, op, n + i);
        if (!tensor_same_shape(in, x)) return exec_error(e, op, NULL, "operands differ in shape");
        Tensor *out = exec_out(e, op, i, w.rank, w.out);
        if (in->elem != out->elem || init->elem != out->elem)
            return exec_error(e, op, NULL, "windows over %s with a result of %s are not supported",
                              elem_text((Elem)in->elem), elem_text((Elem)out->elem));
        size_t size = elem_bytes((Elem)in->elem);
        copy_splat(size, out->data, init->data, n_out);
        padded[i] = n_out ? padded_copy(e, &w, in, init) : NULL;
        column[i] = exec_scratch_array(e, n_out, size);
        args[i] = results[i] = out->data;
        args[n + i] = column[i];
    }
    if (n_out == 0) return true;
    int64_t strides[MAX_RANK], from[MAX_RANK], place[MAX_RANK] = {0};
    shape_strides(w.rank, w.padded, strides);
    for (uint32_t i = 0; i < w.rank; i++) from[i] = strides[i] * w.stride[i];
    exec_work(e, op, (double)n_out * (double)shape_elements(w.rank, w.size));
    do {
        int64_t at = 0;
        for (uint32_t i = 0; i < w.rank; i++) at += place[i] * w.dilation[i] * strides[i];
        for (uint32_t i = 0; i < n; i++) {
            size_t size = elem_bytes((Elem)exec_in(e, op, i)->elem);
            copy_into_dense(size, w.rank, w.out, column[i], padded[i] + at * (int64_t)size, from);
        }
        if (!body_call(e, body, args, results, n_out)) return false;
    } while (shape_next(w.rank, w.size, place));
    return true;
}

// ---- select_and_scatter --------------------------------------------------------------------------------------------

// For each window, which element of the operand the select body settles on; -1 where the window lies outside.
static bool select_all(Exec *e, OpId op, const WindowKernel *w, const Tensor *x, const Tensor *source,
                       int64_t *chosen) {
    Body *select = body_prepare(e, op_region(e->m, op, 0));
    size_t size = elem_bytes((Elem)x->elem);
    int64_t strides[MAX_RANK], place[MAX_RANK] = {0};
    shape_strides(x->rank, x->dims, strides);
    char *best = exec_scratch_array(e, source->n, size), *candidate = exec_scratch_array(e, source->n, size);
    uint8_t *keep = exec_scratch_array(e, source->n, 1);
    int64_t *from = exec_scratch_array(e, source->n, sizeof *from);
    memset(best, 0, (size_t)source->n * size);
    for (int64_t k = 0; k < source->n; k++) chosen[k] = -1;
    exec_work(e, op, (double)source->n * (double)shape_elements(w->rank, w->size));
    do {
        int64_t window[MAX_RANK] = {0}, k = 0;
        do {
            int64_t at = 0;
            for (uint32_t i = 0; i < w->rank && at >= 0; i++) {
                int64_t p = window[i] * w->stride[i] + place[i] - w->low[i];
                at = p < 0 || p >= x->dims[i] ? -1 : at + p * strides[i];
            }
            from[k] = at;
            memcpy(candidate + (size_t)k * size, at < 0 ? best + (size_t)k * size : x->data + (size_t)at * size, size);
            k++;
        } while (shape_next(w->rank, source->dims, window));
        if (!body_call(e, select, (const void *[]){best, candidate}, (void *[]){keep}, source->n)) return false;
        for (k = 0; k < source->n; k++)
            if (from[k] >= 0 && (chosen[k] < 0 || !keep[k])) {
                chosen[k] = from[k];
                memcpy(best + (size_t)k * size, candidate + (size_t)k * size, size);
            }
    } while (shape_next(w->rank, w->size, place));
    return true;
}

bool kernel_select_and_scatter(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0), *source = exec_in(e, op, 1), *init = exec_in(e, op, 2);
    WindowKernel w;
    if (!read_op_window(e, op, x, &w)) return false;
    Tensor *out = exec_out(e, op, 0, x->rank, x->dims);
    size_t size = elem_bytes((Elem)out->elem);
    if (source->elem != out->elem || init->elem != out->elem)
        return exec_error(e, op, NULL, "operands differ in element type");
    copy_splat(size, out->data, init->data, out->n);
    for (uint32_t i = 0; i < x->rank; i++)
        if (source->dims[i] != w.out[i])
            return exec_error(e, op, NULL, "the source has %lld windows in dimension %u, not %lld",
                              (long long)source->dims[i], i, (long long)w.out[i]);
    if (source->n == 0) return true;
    int64_t *chosen = exec_scratch_array(e, source->n, sizeof *chosen);
    if (!select_all(e, op, &w, x, source, chosen)) return false;
    Body *scatter = body_prepare(e, op_region(e->m, op, 1));
    for (int64_t k = 0; k < source->n; k++) {
        if (chosen[k] < 0) continue;
        char *to = out->data + (size_t)chosen[k] * size;
        if (!body_call(e, scatter, (const void *[]){to, source->data + (size_t)k * size}, (void *[]){to}, 1))
            return false;
    }
    return true;
}
