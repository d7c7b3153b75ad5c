// Ops that only move elements, or make them from nothing: constants, iota, reshape, broadcast, transpose, slice, pad, …
#include "interp/tensor/copy.h"
#include "interp/elementwise/elementwise.h"
#include "interp/tensor/float.h"
#include "interp/kernel.h"
#include "interp/movement/index.h"

static size_t elem_size(const Tensor *t) { return elem_bytes((Elem)t->elem); }

// The dimensions that the type of result 0 gives. False with a diagnostic if they are not known before the op runs.
static bool static_dims(Exec *e, OpId op, uint32_t *rank, const int64_t **dims) {
    const Type *t = result_type(e->m, op, 0);
    if (!type_is_static(t))
        return exec_error(e, op, "use the dynamic form of the op", "the result's shape is not static");
    *rank = t->rank;
    *dims = t->dims;
    return true;
}

int64_t index_value(const Tensor *t, int64_t i) {
    int64_t v = elem_read_int((Elem)t->elem, t->data + (size_t)i * elem_size(t));
    return v < 0 && elem_class((Elem)t->elem) == CLASS_UINT ? INT64_MAX : v;
}

bool index_shape(Exec *e, OpId op, uint32_t operand, uint32_t *rank, int64_t *dims) {
    Tensor *t = exec_in(e, op, operand);
    if (t->rank > 1 || t->n > MAX_RANK) return exec_error(e, op, NULL, "a shape of %lld dimensions", (long long)t->n);
    *rank = (uint32_t)t->n;
    for (int64_t i = 0; i < t->n; i++) {
        dims[i] = index_value(t, i);
        if (dims[i] < 0)
            return exec_error(e, op, NULL, "dimension %lld of the shape is negative: %lld", (long long)i,
                              (long long)dims[i]);
    }
    return true;
}

// ---- From nothing --------------------------------------------------------------------------------------------------

// Constants whose text gives every element are decoded once; splats are cheap to make and may be large.
bool kernel_constant(Exec *e, OpId op) {
    if (e->plan.constants[op]) {
        exec_set(e, op, 0, tensor_retain(e->plan.constants[op]));
        return true;
    }
    const Attr *a = attr_get(e->m, op_attr(e->m, op, A_value));
    const Type *t = result_type(e->m, op, 0);
    Tensor *out = exec_out(e, op, 0, t->rank, t->dims);
    if (!attr_dense_decode(e->m, a, out->data, tensor_bytes(out)))
        return exec_error(e, op, NULL, "the constant's value does not fit its type");
    if (elem_bits((Elem)out->elem) < 8 && elem_class((Elem)out->elem) != CLASS_FLOAT)
        for (int64_t i = 0; i < out->n; i++) elem_write_int((Elem)out->elem, out->data + i, out->data[i]);
    if (!attr_is_splat(e->m, a)) e->plan.constants[op] = tensor_retain(out);
    return true;
}

bool kernel_iota(Exec *e, OpId op) {
    uint32_t rank = 0;
    int64_t own[MAX_RANK];
    const int64_t *dims = own;
    bool dynamic = op_kind(e->m, op) == OP_dynamic_iota;
    if (!(dynamic ? index_shape(e, op, 0, &rank, own) : static_dims(e, op, &rank, &dims))) return false;
    Tensor *out = exec_out(e, op, 0, rank, dims);
    int64_t d = op_attr_int(e->m, op, A_iota_dimension, 0);
    if (d < 0 || d >= rank) return exec_error(e, op, NULL, "dimension %lld is out of range", (long long)d);
    if (out->n == 0) return true;
    int64_t n = dims[d], strides[MAX_RANK] = {0};
    int64_t *count = exec_scratch_array(e, n, sizeof *count);
    void *row = exec_scratch_array(e, n, elem_size(out));
    for (int64_t i = 0; i < n; i++) count[i] = i;
    elements_convert(EL_I64, (Elem)out->elem, count, row, n);
    strides[d] = 1;
    copy_into_dense(elem_size(out), rank, dims, out->data, row, strides);
    return true;
}

// ---- Other shape, same elements ------------------------------------------------------------------------------------

bool kernel_identity(Exec *e, OpId op) {
    if (op_get(e->m, op)->n_results) exec_set(e, op, 0, exec_take(e, op, 0));
    return true;
}

bool kernel_reshape(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    uint32_t rank = 0;
    int64_t own[MAX_RANK];
    const int64_t *dims = own;
    bool dynamic = op_kind(e->m, op) == OP_dynamic_reshape;
    if (!(dynamic ? index_shape(e, op, 1, &rank, own) : static_dims(e, op, &rank, &dims))) return false;
    if (shape_elements(rank, dims) != x->n)
        return exec_error(e, op, NULL, "%lld elements do not fill the new shape", (long long)x->n);
    exec_set(e, op, 0, exec_view(e, x, rank, dims));
    return true;
}

// Dimension i of the operand is dimension where[i] of the result; a size of 1 is repeated.
static bool broadcast_to(Exec *e, OpId op, uint32_t rank, const int64_t *dims, const int64_t *where) {
    Tensor *x = exec_in(e, op, 0);
    int64_t strides[MAX_RANK], from[MAX_RANK] = {0};
    shape_strides(x->rank, x->dims, strides);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (where[i] < 0 || where[i] >= rank || (x->dims[i] != 1 && x->dims[i] != dims[where[i]]))
            return exec_error(e, op, NULL, "dimension %u of the operand, of size %lld, does not fit the result", i,
                              (long long)x->dims[i]);
        from[where[i]] = x->dims[i] == 1 ? 0 : strides[i];
    }
    if (x->n == shape_elements(rank, dims)) {
        bool in_order = true;
        for (uint32_t i = 1; i < x->rank; i++) in_order = in_order && where[i - 1] < where[i];
        if (in_order) {
            exec_set(e, op, 0, exec_view(e, x, rank, dims));
            return true;
        }
    }
    Tensor *out = exec_out(e, op, 0, rank, dims);
    copy_into_dense(elem_size(x), rank, dims, out->data, x->data, from);
    return true;
}

bool kernel_broadcast_in_dim(Exec *e, OpId op) {
    uint32_t rank = 0, n;
    const int64_t *dims = NULL, *where = op_attr_ints(e->m, op, A_broadcast_dimensions, &n);
    if (!static_dims(e, op, &rank, &dims)) return false;
    return broadcast_to(e, op, rank, dims, where);
}

bool kernel_dynamic_broadcast_in_dim(Exec *e, OpId op) {
    uint32_t rank, n;
    int64_t dims[MAX_RANK];
    const int64_t *where = op_attr_ints(e->m, op, A_broadcast_dimensions, &n);
    return index_shape(e, op, 1, &rank, dims) && broadcast_to(e, op, rank, dims, where);
}

bool kernel_broadcast(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    uint32_t n;
    const int64_t *sizes = op_attr_ints(e->m, op, A_broadcast_sizes, &n);
    if (n + x->rank > MAX_RANK) return exec_error(e, op, NULL, "rank %u is above %d", n + x->rank, MAX_RANK);
    int64_t dims[MAX_RANK], where[MAX_RANK];
    for (uint32_t i = 0; i < n; i++) dims[i] = sizes[i];
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[n + i] = x->dims[i];
        where[i] = n + i;
    }
    return broadcast_to(e, op, n + x->rank, dims, where);
}

bool kernel_transpose(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    uint32_t n;
    const int64_t *permutation = op_attr_ints(e->m, op, A_permutation, &n);
    int64_t dims[MAX_RANK], strides[MAX_RANK], from[MAX_RANK];
    shape_strides(x->rank, x->dims, strides);
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = x->dims[permutation[i]];
        from[i] = strides[permutation[i]];
    }
    Tensor *out = exec_out(e, op, 0, x->rank, dims);
    copy_into_dense(elem_size(x), x->rank, dims, out->data, x->data, from);
    return true;
}

bool kernel_reverse(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0), *out = exec_out(e, op, 0, x->rank, x->dims);
    uint32_t n;
    const int64_t *dimensions = op_attr_ints(e->m, op, A_dimensions, &n);
    int64_t strides[MAX_RANK], start = 0;
    shape_strides(x->rank, x->dims, strides);
    if (x->n == 0) return true;
    for (uint32_t i = 0; i < n; i++) {
        int64_t d = dimensions[i];
        start += strides[d] * (x->dims[d] - 1);
        strides[d] = -strides[d];
    }
    copy_into_dense(elem_size(x), x->rank, x->dims, out->data, x->data + start * (int64_t)elem_size(x), strides);
    return true;
}

bool kernel_concatenate(Exec *e, OpId op) {
    uint32_t n = op_get(e->m, op)->n_operands;
    int64_t d = op_attr_int(e->m, op, A_dimension, 0), dims[MAX_RANK], strides[MAX_RANK], from[MAX_RANK], at = 0;
    Tensor *first = exec_in(e, op, 0);
    for (uint32_t i = 0; i < first->rank; i++) dims[i] = first->dims[i];
    for (uint32_t k = 1; k < n; k++) {
        Tensor *x = exec_in(e, op, k);
        for (uint32_t i = 0; i < first->rank; i++)
            if (i != d && x->dims[i] != dims[i]) return exec_error(e, op, NULL, "operands differ in dimension %u", i);
        dims[d] += x->dims[d];
    }
    Tensor *out = exec_out(e, op, 0, first->rank, dims);
    shape_strides(out->rank, dims, strides);
    for (uint32_t k = 0; k < n; k++) {
        Tensor *x = exec_in(e, op, k);
        shape_strides(x->rank, x->dims, from);
        copy_strided(elem_size(x), x->rank, x->dims, out->data + (size_t)(at * strides[d]) * elem_size(x), strides,
                     x->data, from);
        at += x->dims[d];
    }
    return true;
}

// ---- Parts of a tensor ---------------------------------------------------------------------------------------------

// Which elements k of a dimension of `size` land inside the result at low + k * (interior + 1).
static void pad_range(int64_t size, int64_t out, int64_t low, int64_t step, int64_t *first, int64_t *count) {
    int64_t begin = low < 0 ? (-low + step - 1) / step : 0;
    int64_t end = out - low <= 0 ? 0 : (out - 1 - low) / step + 1;
    if (end > size) end = size;
    *first = begin;
    *count = end > begin ? end - begin : 0;
}

static bool pad_amounts(Exec *e, OpId op, int64_t *low, int64_t *high, int64_t *interior) {
    uint32_t rank = exec_in(e, op, 0)->rank, n;
    const AttrName names[] = {A_edge_padding_low, A_edge_padding_high, A_interior_padding};
    int64_t *const amounts[] = {low, high, interior};
    for (uint32_t k = 0; k < 3; k++) {
        bool dynamic = op_kind(e->m, op) == OP_dynamic_pad;
        const int64_t *given = dynamic ? NULL : op_attr_ints(e->m, op, names[k], &n);
        for (uint32_t i = 0; i < rank; i++) {
            amounts[k][i] = dynamic ? index_value(exec_in(e, op, 2 + k), i) : given[i];
            if (amounts[k][i] > INT32_MAX || amounts[k][i] < -INT32_MAX || exec_in(e, op, 0)->dims[i] > INT32_MAX)
                return exec_error(e, op, NULL, "padding of %lld", (long long)amounts[k][i]);
        }
    }
    return true;
}

bool kernel_pad(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0), *value = exec_in(e, op, 1);
    int64_t low[MAX_RANK], high[MAX_RANK], interior[MAX_RANK], dims[MAX_RANK];
    if (!pad_amounts(e, op, low, high, interior)) return false;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (interior[i] < 0) return exec_error(e, op, NULL, "negative interior padding");
        dims[i] = low[i] + x->dims[i] + (x->dims[i] > 0 ? (x->dims[i] - 1) * interior[i] : 0) + high[i];
        if (dims[i] < 0) return exec_error(e, op, NULL, "padding makes dimension %u negative", i);
    }
    Tensor *out = exec_out(e, op, 0, x->rank, dims);
    size_t size = elem_size(x);
    copy_splat(size, out->data, value->data, out->n);
    int64_t to[MAX_RANK], from[MAX_RANK], count[MAX_RANK], to_at = 0, from_at = 0;
    shape_strides(x->rank, dims, to);
    shape_strides(x->rank, x->dims, from);
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t first, step = interior[i] + 1;
        pad_range(x->dims[i], dims[i], low[i], step, &first, &count[i]);
        if (count[i] == 0) return true;
        to_at += (low[i] + first * step) * to[i];
        from_at += first * from[i];
        to[i] *= step;
    }
    copy_strided(size, x->rank, count, out->data + to_at * (int64_t)size, to, x->data + from_at * (int64_t)size, from);
    return true;
}

bool kernel_slice(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    const AttrName names[] = {A_start_indices, A_limit_indices, A_strides};
    int64_t given[3][MAX_RANK], dims[MAX_RANK], from[MAX_RANK], at = 0;
    bool dynamic = op_kind(e->m, op) == OP_real_dynamic_slice;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t n;
        const int64_t *ints = dynamic ? NULL : op_attr_ints(e->m, op, names[k], &n);
        for (uint32_t i = 0; i < x->rank; i++) given[k][i] = dynamic ? index_value(exec_in(e, op, 1 + k), i) : ints[i];
    }
    shape_strides(x->rank, x->dims, from);
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t start = given[0][i], limit = given[1][i], step = given[2][i];
        if (start < 0 || limit > x->dims[i] || start > limit || step < 1)
            return exec_error(e, op, NULL, "slice [%lld:%lld:%lld] of dimension %u, of size %lld", (long long)start,
                              (long long)limit, (long long)step, i, (long long)x->dims[i]);
        dims[i] = (limit - start + step - 1) / step;
        at += start * from[i];
        from[i] *= step;
    }
    Tensor *out = exec_out(e, op, 0, x->rank, dims);
    if (out->n) copy_into_dense(elem_size(x), x->rank, dims, out->data, x->data + at * (int64_t)elem_size(x), from);
    return true;
}

// Start indices are brought into range, so that the slice lies within the tensor.
static bool clamped_offset(Exec *e, OpId op, uint32_t first_index, const Tensor *x, const int64_t *sizes,
                           int64_t *offset) {
    int64_t strides[MAX_RANK];
    shape_strides(x->rank, x->dims, strides);
    *offset = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (sizes[i] > x->dims[i])
            return exec_error(e, op, NULL, "a slice of %lld in dimension %u, of size %lld", (long long)sizes[i], i,
                              (long long)x->dims[i]);
        int64_t start = index_value(exec_in(e, op, first_index + i), 0), most = x->dims[i] - sizes[i];
        *offset += strides[i] * (start < 0 ? 0 : start > most ? most : start);
    }
    return true;
}

bool kernel_dynamic_slice(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    uint32_t n;
    const int64_t *sizes = op_attr_ints(e->m, op, A_slice_sizes, &n);
    int64_t offset, from[MAX_RANK];
    if (!clamped_offset(e, op, 1, x, sizes, &offset)) return false;
    Tensor *out = exec_out(e, op, 0, x->rank, sizes);
    shape_strides(x->rank, x->dims, from);
    if (out->n)
        copy_into_dense(elem_size(x), x->rank, sizes, out->data, x->data + offset * (int64_t)elem_size(x), from);
    return true;
}

bool kernel_dynamic_update_slice(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0), *update = exec_in(e, op, 1);
    int64_t offset, to[MAX_RANK], from[MAX_RANK];
    if (!clamped_offset(e, op, 2, x, update->dims, &offset)) return false;
    Tensor *out = exec_take_writable(e, op, 0);
    exec_set(e, op, 0, out);
    shape_strides(out->rank, out->dims, to);
    shape_strides(update->rank, update->dims, from);
    copy_strided(elem_size(out), update->rank, update->dims, out->data + offset * (int64_t)elem_size(out), to,
                 update->data, from);
    return true;
}

// ---- Dimension sizes -----------------------------------------------------------------------------------------------

bool kernel_get_dimension_size(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0), *out = exec_out(e, op, 0, 0, NULL);
    elem_write_int((Elem)out->elem, out->data, x->dims[op_attr_int(e->m, op, A_dimension, 0)]);
    return true;
}

// The first `size` of a dimension are what is left.
bool kernel_set_dimension_size(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    int64_t d = op_attr_int(e->m, op, A_dimension, 0), size = index_value(exec_in(e, op, 1), 0), dims[MAX_RANK],
            from[MAX_RANK];
    if (size < 0 || size > x->dims[d])
        return exec_error(e, op, NULL, "size %lld for a dimension of %lld", (long long)size, (long long)x->dims[d]);
    for (uint32_t i = 0; i < x->rank; i++) dims[i] = i == d ? size : x->dims[i];
    Tensor *out = exec_out(e, op, 0, x->rank, dims);
    shape_strides(x->rank, x->dims, from);
    copy_into_dense(elem_size(x), x->rank, dims, out->data, x->data, from);
    return true;
}
