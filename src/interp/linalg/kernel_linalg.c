// cholesky and triangular_solve: batches of matrices, computed in complex128.
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/linalg/linalg.h"
#include "interp/linalg/matrices.h"

Matrices matrices_of(Exec *e, const Tensor *t) {
    Matrices m = {.rows = t->dims[t->rank - 2], .columns = t->dims[t->rank - 1], .batches = 1};
    for (uint32_t i = 0; i + 2 < t->rank; i++) m.batches *= t->dims[i];
    m.data = exec_scratch_array(e, t->n, sizeof *m.data);
    elements_convert((Elem)t->elem, EL_C128, t->data, m.data, t->n);
    return m;
}

Matrices matrices_new(Exec *e, int64_t batches, int64_t rows, int64_t columns) {
    int64_t n = shape_elements(3, (int64_t[]){batches, rows, columns});
    Matrices m = {
        .rows = rows, .columns = columns, .batches = batches, .data = exec_scratch_array(e, n, sizeof *m.data)};
    memset(m.data, 0, (size_t)n * sizeof *m.data);
    return m;
}

static void store_as(Exec *e, OpId op, uint32_t result, const Cx *data, uint32_t rank, const int64_t *dims) {
    Tensor *out = exec_out(e, op, result, rank, dims);
    elements_convert(EL_C128, (Elem)out->elem, data, out->data, out->n);
}

void matrices_store(Exec *e, OpId op, uint32_t result, const Cx *data) {
    const Type *t = result_type(e->m, op, result);
    store_as(e, op, result, data, t->rank, t->dims);
}

void matrices_transpose(int64_t rows, int64_t columns, const Cx *from, Cx *to, bool adjoint) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[j * rows + i] = adjoint ? conj(from[i * columns + j]) : from[i * columns + j];
}

void matrices_cholesky(Exec *e, Matrices m, bool lower) {
    int64_t n = m.rows;
    Cx *other = exec_scratch_array(e, n * n, sizeof *other);
    for (int64_t b = 0; b < m.batches; b++) {
        Cx *a = m.data + b * n * n;
        if (!lower) {
            matrices_transpose(n, n, a, other, true);
            memcpy(a, other, (size_t)(n * n) * sizeof *a);
        }
        linalg_cholesky(n, a);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) a[i * n + j] = 0;
        if (!lower) {
            matrices_transpose(n, n, a, other, true);
            memcpy(a, other, (size_t)(n * n) * sizeof *a);
        }
    }
}

// x op(a) = b is op(a)^T x^T = b^T.
void matrices_solve(Exec *e, Matrices a, Matrices b, bool left, bool lower, bool unit, Transpose op) {
    int64_t n = a.rows, other = left ? b.columns : b.rows;
    Cx *transposed = exec_scratch_array(e, b.rows * b.columns, sizeof *transposed),
       *conjugate = exec_scratch_array(e, n * n, sizeof *conjugate);
    for (int64_t k = 0; k < b.batches; k++) {
        const Cx *matrix = a.data + k * n * n;
        Cx *x = b.data + k * b.rows * b.columns;
        if (left) {
            linalg_solve_triangular(n, other, matrix, lower, unit, op, x);
            continue;
        }
        if (op == ADJOINT) {
            for (int64_t i = 0; i < n * n; i++) conjugate[i] = conj(matrix[i]);
            matrix = conjugate;
        }
        matrices_transpose(b.rows, b.columns, x, transposed, false);
        linalg_solve_triangular(n, other, matrix, lower, unit, op == NO_TRANSPOSE ? TRANSPOSE : NO_TRANSPOSE, transposed);
        matrices_transpose(b.columns, b.rows, transposed, x, false);
    }
}

bool kernel_cholesky(Exec *e, OpId op) {
    Tensor *t = exec_in(e, op, 0);
    if (t->rank < 2 || t->dims[t->rank - 1] != t->dims[t->rank - 2])
        return exec_error(e, op, NULL, "the matrices must be square");
    Matrices m = matrices_of(e, t);
    exec_work(e, op, (double)t->n * (double)m.rows);
    matrices_cholesky(e, m, op_attr_bool(e->m, op, A_lower, false));
    store_as(e, op, 0, m.data, t->rank, t->dims);
    return true;
}

bool kernel_triangular_solve(Exec *e, OpId op) {
    Tensor *a = exec_in(e, op, 0), *b = exec_in(e, op, 1);
    Span transpose = op_attr_text(e->m, op, A_transpose_a);
    bool left = op_attr_bool(e->m, op, A_left_side, true);
    if (a->rank < 2 || a->rank != b->rank || a->dims[a->rank - 1] != a->dims[a->rank - 2] ||
        a->dims[a->rank - 1] != b->dims[b->rank - (left ? 2 : 1)])
        return exec_error(e, op, NULL, "the matrices do not fit together");
    Matrices ma = matrices_of(e, a), mb = matrices_of(e, b);
    if (ma.batches != mb.batches) return exec_error(e, op, NULL, "batches differ in size");
    exec_work(e, op, (double)b->n * (double)ma.rows + (double)a->n * (double)ma.rows / 3);
    bool lower = op_attr_bool(e->m, op, A_lower, false), unit = op_attr_bool(e->m, op, A_unit_diagonal, false);
    bool single = a->elem != EL_F64 && a->elem != EL_C128;
    int64_t n = ma.rows, size = mb.rows * mb.columns;
    Cx *inverse = exec_scratch_array(e, n * n, sizeof *inverse), *transposed = exec_scratch_array(e, n * n, sizeof *transposed),
       *x = exec_scratch_array(e, b->n, sizeof *x);
    for (int64_t k = 0; k < mb.batches; k++) {
        linalg_invert_triangular(n, ma.data + k * n * n, lower, unit, single, inverse);
        if (!span_is(transpose, "NO_TRANSPOSE")) {
            matrices_transpose(n, n, inverse, transposed, span_is(transpose, "ADJOINT"));
            memcpy(inverse, transposed, (size_t)(n * n) * sizeof *inverse);
        }
        const Cx *given = mb.data + k * size;
        linalg_multiply(mb.rows, mb.columns, n, left ? inverse : given, left ? given : inverse, single, x + k * size);
    }
    store_as(e, op, 0, x, b->rank, b->dims);
    return true;
}
