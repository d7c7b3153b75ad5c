// dot_general, dot, einsum and ragged_dot. Small floats are multiplied and summed in f32 and rounded once; integers are
// exact.
//
// Operands are brought into the form [batch][rows][contracted] and [batch][contracted][columns]: by strides alone where
// each group of dimensions lies evenly in memory, else by a transposed copy.
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/movement/index.h"
#include "interp/product/dot.h"
#include "interp/product/gemm.h"
#include "interp/tensor/copy.h"

Elem dot_compute(Elem a, Elem b, Elem out) {
    if (elem_class(out) == CLASS_COMPLEX) return out == EL_C128 || a == EL_C128 || b == EL_C128 ? EL_C128 : EL_C64;
    if (elem_class(out) == CLASS_FLOAT) return a == EL_F64 || b == EL_F64 || out == EL_F64 ? EL_F64 : EL_F32;
    return elem_bits(out) > 32 || out == EL_I1 ? EL_I64 : EL_I32;
}

void dot_store(Elem as, Elem out, const void *from, void *to, int64_t n) {
    if (out == EL_I1) { // a sum of products is true if any product is
        for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = ((const int64_t *)from)[i] != 0;
    } else {
        elements_convert(as, out, from, to, n);
    }
}

const char *dot_operand(Exec *e, const Tensor *x, Elem as) {
    if ((Elem)x->elem == as) return x->data;
    char *converted = exec_scratch_array(e, x->n, elem_bytes(as));
    elements_convert((Elem)x->elem, as, x->data, converted, x->n);
    return converted;
}

// ---- Groups of dimensions ------------------------------------------------------------------------------------------

typedef struct DimList {
    uint32_t n;
    int64_t at[MAX_RANK];
} DimList;

static int64_t list_size(const Tensor *x, const DimList *l) {
    int64_t n = 1;
    for (uint32_t i = 0; i < l->n; i++) n *= x->dims[l->at[i]];
    return n;
}

// Whether the dimensions, in this order, are one dimension of a single stride.
static bool list_stride(const Tensor *x, const DimList *l, int64_t *stride) {
    int64_t strides[MAX_RANK], expected = -1;
    shape_strides(x->rank, x->dims, strides);
    *stride = 0;
    for (uint32_t i = l->n; i-- > 0;) {
        int64_t d = l->at[i];
        if (x->dims[d] == 1) continue;
        if (expected < 0)
            *stride = strides[d];
        else if (strides[d] != expected)
            return false;
        expected = strides[d] * x->dims[d];
    }
    return true;
}

typedef struct Operand {
    const char *data;
    int64_t batch, row, column; // strides
} Operand;

static Operand arrange(Exec *e, const Tensor *x, Elem as, const DimList *batch, const DimList *rows,
                       const DimList *columns) {
    Operand o = {.data = dot_operand(e, x, as)};
    if (list_stride(x, batch, &o.batch) && list_stride(x, rows, &o.row) && list_stride(x, columns, &o.column)) return o;
    int64_t strides[MAX_RANK], dims[MAX_RANK], from[MAX_RANK];
    const DimList *const lists[] = {batch, rows, columns};
    uint32_t n = 0;
    shape_strides(x->rank, x->dims, strides);
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < lists[k]->n; i++) {
            dims[n] = x->dims[lists[k]->at[i]];
            from[n++] = strides[lists[k]->at[i]];
        }
    char *moved = exec_scratch_array(e, x->n, elem_bytes(as));
    copy_into_dense(elem_bytes(as), n, dims, moved, o.data, from);
    o = (Operand){.data = moved, .column = 1};
    o.row = list_size(x, columns);
    o.batch = o.row * list_size(x, rows);
    return o;
}

static void multiply(Exec *e, Elem as, int64_t batches, int64_t m, int64_t n, int64_t k, Operand a, Operand b,
                     char *c) {
    void *workspace = exec_scratch(e, gemm_workspace(as));
    size_t size = elem_bytes(as);
    memset(c, 0, (size_t)(batches * m * n) * size);
    for (int64_t i = 0; i < batches; i++)
        gemm(as, m, n, k, (Matrix){a.data + (size_t)(i * a.batch) * size, a.row, a.column},
             (Matrix){b.data + (size_t)(i * b.batch) * size, b.row, b.column}, c + (size_t)(i * m * n) * size,
             workspace);
}

// ---- dot_general ---------------------------------------------------------------------------------------------------

typedef struct DotKernelDims {
    DimList batch[2], free[2], contract[2]; // of lhs and rhs
} DotKernelDims;

static void put_list(DimList *l, const int64_t *dims, uint32_t n) {
    l->n = n;
    for (uint32_t i = 0; i < n; i++) l->at[i] = dims[i];
}

static void put_free(DotKernelDims *d, int side, uint32_t rank) {
    for (uint32_t i = 0; i < rank; i++) {
        bool used = false;
        for (uint32_t k = 0; k < d->batch[side].n; k++) used = used || d->batch[side].at[k] == i;
        for (uint32_t k = 0; k < d->contract[side].n; k++) used = used || d->contract[side].at[k] == i;
        if (!used) d->free[side].at[d->free[side].n++] = i;
    }
}

// The result of contracting lhs with rhs; both sides' sizes must agree.
static bool contract(Exec *e, OpId op, const Tensor *lhs, const Tensor *rhs, const DotKernelDims *d) {
    const Tensor *in[] = {lhs, rhs};
    int64_t dims[3 * MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < d->batch[0].n; i++) {
        dims[rank++] = lhs->dims[d->batch[0].at[i]];
        if (dims[rank - 1] != rhs->dims[d->batch[1].at[i]])
            return exec_error(e, op, NULL, "batching dimensions differ in size");
    }
    for (uint32_t i = 0; i < d->contract[0].n; i++)
        if (lhs->dims[d->contract[0].at[i]] != rhs->dims[d->contract[1].at[i]])
            return exec_error(e, op, NULL, "contracting dimensions differ in size");
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < d->free[side].n; i++) dims[rank++] = in[side]->dims[d->free[side].at[i]];
    Tensor *out = exec_out(e, op, 0, rank, dims);
    Elem as = dot_compute((Elem)lhs->elem, (Elem)rhs->elem, (Elem)out->elem);
    int64_t m = list_size(lhs, &d->free[0]), n = list_size(rhs, &d->free[1]), k = list_size(lhs, &d->contract[0]);
    exec_work(e, op, (double)out->n * (double)k);
    if (out->n == 0) return true;
    Operand a = arrange(e, lhs, as, &d->batch[0], &d->free[0], &d->contract[0]);
    Operand b = arrange(e, rhs, as, &d->batch[1], &d->contract[1], &d->free[1]);
    char *c = as == (Elem)out->elem ? out->data : exec_scratch_array(e, out->n, elem_bytes(as));
    multiply(e, as, list_size(lhs, &d->batch[0]), m, n, k, a, b, c);
    if (c != out->data) dot_store(as, (Elem)out->elem, c, out->data, out->n);
    return true;
}

// The operand rounded to the precision that the algorithm attribute asks for, unless it is made of several components.
static Tensor *at_precision(Exec *e, OpId op, Tensor *x, RecordField type_field, RecordField count_field) {
    AttrId algorithm = op_attr(e->m, op, A_algorithm);
    if (algorithm == NO_ID || elem_class((Elem)x->elem) != CLASS_FLOAT) return tensor_retain(x);
    int64_t type = record_int(e->m, algorithm, type_field, -1);
    if (type < 0 || record_int(e->m, algorithm, count_field, 1) != 1) return tensor_retain(x);
    Elem elem = (Elem)type_get(e->m, (TypeId)type)->elem;
    if (elem_class(elem) != CLASS_FLOAT || elem_bits(elem) >= elem_bits((Elem)x->elem)) return tensor_retain(x);
    Tensor *rounded = exec_new(e, elem, x->rank, x->dims);
    elements_convert((Elem)x->elem, elem, x->data, rounded->data, x->n);
    return rounded;
}

bool kernel_dot_general(Exec *e, OpId op) {
    Tensor *lhs = exec_in(e, op, 0), *rhs = exec_in(e, op, 1);
    DotKernelDims d = {0};
    if (op_kind(e->m, op) == OP_dot) {
        if (lhs->rank < 1 || rhs->rank < 1) return exec_error(e, op, NULL, "operands must be vectors or matrices");
        put_list(&d.contract[0], (int64_t[]){lhs->rank - 1}, 1);
        put_list(&d.contract[1], (int64_t[]){0}, 1);
    } else {
        AttrId numbers = op_attr(e->m, op, A_dot_dimension_numbers);
        const RecordField fields[] = {RF_DOT_lhs_batching_dimensions, RF_DOT_rhs_batching_dimensions,
                                      RF_DOT_lhs_contracting_dimensions, RF_DOT_rhs_contracting_dimensions};
        DimList *const lists[] = {&d.batch[0], &d.batch[1], &d.contract[0], &d.contract[1]};
        for (int i = 0; i < 4; i++) {
            uint32_t n;
            const int64_t *dims = record_ints(e->m, numbers, fields[i], &n);
            put_list(lists[i], dims, n);
        }
    }
    put_free(&d, 0, lhs->rank);
    put_free(&d, 1, rhs->rank);
    lhs = at_precision(e, op, lhs, RF_DOT_ALGORITHM_lhs_precision_type, RF_DOT_ALGORITHM_lhs_component_count);
    rhs = at_precision(e, op, rhs, RF_DOT_ALGORITHM_rhs_precision_type, RF_DOT_ALGORITHM_rhs_component_count);
    bool good = contract(e, op, lhs, rhs, &d);
    tensor_release(&e->heap, lhs);
    tensor_release(&e->heap, rhs);
    return good;
}

// ---- ragged_dot ----------------------------------------------------------------------------------------------------

// Rows (or contracted positions) of the lhs come in groups of the given sizes; each group has a matrix of its own:
//   rows:        [b, m, k] x [g, b, k, n] -> [b, m, n]         contracted:  [b, m, k] x [b, k, n] -> [g, b, m, n]
typedef struct Ragged {
    int64_t batches, m, n, k, groups;
    Operand a, b;
    Elem as;
    int64_t b_group, sizes_batch; // stride of the rhs between groups; of the sizes between batches
    const Tensor *sizes;
    void *workspace;
} Ragged;

static void ragged_rows(const Ragged *r, char *c) {
    size_t size = elem_bytes(r->as);
    for (int64_t i = 0; i < r->batches; i++) {
        int64_t row = 0;
        for (int64_t g = 0; g < r->groups && row < r->m; g++) {
            int64_t count = index_value(r->sizes, i * r->sizes_batch + g);
            count = count < 0 ? 0 : count > r->m - row ? r->m - row : count;
            gemm(r->as, count, r->n, r->k,
                 (Matrix){r->a.data + (size_t)(i * r->a.batch + row * r->a.row) * size, r->a.row, r->a.column},
                 (Matrix){r->b.data + (size_t)(i * r->b.batch + g * r->b_group) * size, r->b.row, r->b.column},
                 c + (size_t)((i * r->m + row) * r->n) * size, r->workspace);
            row += count;
        }
    }
}

static void ragged_contracted(const Ragged *r, char *c) {
    size_t size = elem_bytes(r->as);
    for (int64_t i = 0; i < r->batches; i++) {
        int64_t at = 0;
        for (int64_t g = 0; g < r->groups && at < r->k; g++) {
            int64_t count = index_value(r->sizes, i * r->sizes_batch + g);
            count = count < 0 ? 0 : count > r->k - at ? r->k - at : count;
            gemm(r->as, r->m, r->n, count,
                 (Matrix){r->a.data + (size_t)(i * r->a.batch + at * r->a.column) * size, r->a.row, r->a.column},
                 (Matrix){r->b.data + (size_t)(i * r->b.batch + at * r->b.row) * size, r->b.row, r->b.column},
                 c + (size_t)((g * r->batches + i) * r->m * r->n) * size, r->workspace);
            at += count;
        }
    }
}

bool kernel_ragged_dot(Exec *e, OpId op) {
    Tensor *lhs = exec_in(e, op, 0), *rhs = exec_in(e, op, 1), *sizes = exec_in(e, op, 2);
    AttrId numbers = op_attr(e->m, op, A_ragged_dot_dimension_numbers);
    const RecordField fields[] = {RF_RAGGED_DOT_lhs_batching_dimensions,    RF_RAGGED_DOT_rhs_batching_dimensions,
                                  RF_RAGGED_DOT_lhs_contracting_dimensions, RF_RAGGED_DOT_rhs_contracting_dimensions,
                                  RF_RAGGED_DOT_lhs_ragged_dimensions,      RF_RAGGED_DOT_rhs_group_dimensions};
    DotKernelDims d = {0};
    DimList ragged = {0}, group = {0};
    DimList *const lists[] = {&d.batch[0], &d.batch[1], &d.contract[0], &d.contract[1], &ragged, &group};
    for (int i = 0; i < 6; i++) {
        uint32_t n;
        const int64_t *dims = record_ints(e->m, numbers, fields[i], &n);
        put_list(lists[i], dims, n);
    }
    if (ragged.n != 1) return exec_error(e, op, NULL, "%u ragged dimensions, not one", ragged.n);
    bool by_row = true, by_batch = false;
    for (uint32_t i = 0; i < d.contract[0].n; i++) by_row = by_row && d.contract[0].at[i] != ragged.at[0];
    for (uint32_t i = 0; i < d.batch[0].n; i++) by_batch = by_batch || d.batch[0].at[i] == ragged.at[0];
    put_free(&d, 0, lhs->rank);
    put_free(&d, 1, rhs->rank);
    if (by_batch) return contract(e, op, lhs, rhs, &d);
    // The group dimension of the rhs is no free one; the ragged one must be alone in its group to be cut.
    if (group.n) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < d.free[1].n; i++)
            if (d.free[1].at[i] != group.at[0]) d.free[1].at[n++] = d.free[1].at[i];
        d.free[1].n = n;
    }
    if ((by_row ? d.free[0].n : d.contract[0].n) != 1 || (by_row && group.n != 1))
        return exec_error(e, op, NULL, "this kind of ragged product is not supported");

    Ragged r = {.sizes = sizes, .groups = sizes->rank ? sizes->dims[sizes->rank - 1] : 1};
    int64_t dims[3 * MAX_RANK];
    uint32_t rank = 0;
    if (!by_row) dims[rank++] = r.groups;
    for (uint32_t i = 0; i < d.batch[0].n; i++) dims[rank++] = lhs->dims[d.batch[0].at[i]];
    for (uint32_t i = 0; i < d.free[0].n; i++) dims[rank++] = lhs->dims[d.free[0].at[i]];
    for (uint32_t i = 0; i < d.free[1].n; i++) dims[rank++] = rhs->dims[d.free[1].at[i]];
    Tensor *out = exec_out(e, op, 0, rank, dims);
    r.as = dot_compute((Elem)lhs->elem, (Elem)rhs->elem, (Elem)out->elem);
    r.batches = list_size(lhs, &d.batch[0]);
    r.m = list_size(lhs, &d.free[0]), r.n = list_size(rhs, &d.free[1]), r.k = list_size(lhs, &d.contract[0]);
    r.sizes_batch = sizes->n == r.batches * r.groups ? r.groups : 0;
    r.a = arrange(e, lhs, r.as, &d.batch[0], &d.free[0], &d.contract[0]);
    if (by_row) {
        // [group, batch, contracted, columns], so that the matrices of a group are one after another.
        DimList outer = group;
        for (uint32_t i = 0; i < d.batch[1].n; i++) outer.at[outer.n++] = d.batch[1].at[i];
        r.b = arrange(e, rhs, r.as, &outer, &d.contract[1], &d.free[1]);
        r.b_group = r.b.batch * r.batches;
        if (rhs->dims[group.at[0]] != r.groups) return exec_error(e, op, NULL, "as many sizes as groups are needed");
    } else {
        r.b = arrange(e, rhs, r.as, &d.batch[1], &d.contract[1], &d.free[1]);
    }
    r.workspace = exec_scratch(e, gemm_workspace(r.as));
    exec_work(e, op, (double)r.batches * (double)r.m * (double)r.n * (double)r.k);
    char *c = exec_scratch_array(e, out->n, elem_bytes(r.as));
    memset(c, 0, (size_t)out->n * elem_bytes(r.as));
    (by_row ? ragged_rows : ragged_contracted)(&r, c);
    dot_store(r.as, (Elem)out->elem, c, out->data, out->n);
    return true;
}
