// The LAPACK routines that JAX calls on CPUs: lapack_{s,d,c,z}NAME_ffi, with options in mhlo.backend_config.
#include "interp/custom_call/custom_call.h"
#include "interp/linalg/matrices.h"
#include "interp/tensor/float.h"
#include <math.h>

// LAPACK options are letters.
static bool option_is(Exec *e, OpId op, const char *name, char letter) {
    return call_option(e->m, op, name, 0) == letter;
}

static void store_zeros(Exec *e, OpId op, uint32_t result) {
    const Type *t = result_type(e->m, op, result);
    Tensor *out = exec_out(e, op, result, t->rank, t->dims);
    memset(out->data, 0, tensor_bytes(out));
}

static void store_doubles(Exec *e, OpId op, uint32_t result, const double *values) {
    const Type *t = result_type(e->m, op, result);
    Tensor *out = exec_out(e, op, result, t->rank, t->dims);
    for (int64_t i = 0; i < out->n; i++)
        elem_write_float((Elem)out->elem, out->data + (size_t)i * elem_bytes((Elem)out->elem), values[i]);
}

static bool potrf(Exec *e, OpId op, Matrices m) {
    matrices_cholesky(e, m, option_is(e, op, "uplo", 'L'));
    matrices_store(e, op, 0, m.data);
    const Type *t = result_type(e->m, op, 1);
    Tensor *info = exec_out(e, op, 1, t->rank, t->dims);
    for (int64_t b = 0; b < m.batches; b++) {
        int64_t bad = 0; // the first column that is not a number
        for (int64_t i = m.rows; i-- > 0;)
            if (creal(m.data[(b * m.rows + i) * m.rows + i]) != creal(m.data[(b * m.rows + i) * m.rows + i]))
                bad = i + 1;
        elem_write_int((Elem)info->elem, info->data + (size_t)b * elem_bytes((Elem)info->elem), bad);
    }
    return true;
}

static bool getrf(Exec *e, OpId op, Matrices m) {
    int64_t k = m.rows < m.columns ? m.rows : m.columns;
    int32_t *pivot = exec_scratch_array(e, k, sizeof *pivot);
    const Type *t = result_type(e->m, op, 1);
    Tensor *pivots = exec_out(e, op, 1, t->rank, t->dims);
    size_t size = elem_bytes((Elem)pivots->elem);
    for (int64_t b = 0; b < m.batches; b++) {
        linalg_lu(m.rows, m.columns, m.data + b * m.rows * m.columns, pivot);
        for (int64_t i = 0; i < k; i++)
            elem_write_int((Elem)pivots->elem, pivots->data + (size_t)(b * k + i) * size, pivot[i] + 1);
    }
    matrices_store(e, op, 0, m.data);
    store_zeros(e, op, 2);
    return true;
}

static bool geqrf(Exec *e, OpId op, Matrices m) {
    int64_t k = m.rows < m.columns ? m.rows : m.columns;
    Matrices tau = matrices_new(e, m.batches, k, 1);
    for (int64_t b = 0; b < m.batches; b++)
        linalg_qr(m.rows, m.columns, m.data + b * m.rows * m.columns, tau.data + b * k);
    matrices_store(e, op, 0, m.data);
    matrices_store(e, op, 1, tau.data);
    return true;
}

static bool orgqr(Exec *e, OpId op, Matrices m) {
    Tensor *t = exec_in(e, op, 1);
    int64_t k = t->dims[t->rank - 1];
    Tensor *flat = exec_view(e, t, 2, (int64_t[]){m.batches, k});
    Matrices tau = matrices_of(e, flat);
    tensor_release(&e->heap, flat);
    for (int64_t b = 0; b < m.batches; b++)
        linalg_q(m.rows, m.columns, k, m.data + b * m.rows * m.columns, tau.data + b * k);
    matrices_store(e, op, 0, m.data);
    return true;
}

static bool trsm(Exec *e, OpId op, Matrices a) {
    Matrices b = matrices_of(e, exec_in(e, op, 1));
    Transpose transpose = option_is(e, op, "trans_x", 'T')   ? TRANSPOSE
                          : option_is(e, op, "trans_x", 'C') ? ADJOINT
                                                             : NO_TRANSPOSE;
    matrices_solve(e, a, b, option_is(e, op, "side", 'L'), option_is(e, op, "uplo", 'L'), option_is(e, op, "diag", 'U'),
                   transpose);
    matrices_store(e, op, 0, b.data);
    return true;
}

static bool syevd(Exec *e, OpId op, Matrices m) {
    int64_t n = m.rows;
    bool lower = option_is(e, op, "uplo", 'L');
    double *w = exec_scratch_array(e, m.batches * n, sizeof *w);
    Matrices v = matrices_new(e, m.batches, n, n);
    for (int64_t b = 0; b < m.batches; b++) {
        Cx *a = m.data + b * n * n;
        for (int64_t i = 0; i < n; i++) {
            a[i * n + i] = creal(a[i * n + i]);
            for (int64_t j = i + 1; j < n; j++) { // only one triangle counts
                if (lower)
                    a[i * n + j] = conj(a[j * n + i]);
                else
                    a[j * n + i] = conj(a[i * n + j]);
            }
        }
        linalg_eigh(n, a, w + b * n, v.data + b * n * n);
    }
    matrices_store(e, op, 0, v.data);
    store_doubles(e, op, 1, w);
    store_zeros(e, op, 2);
    return true;
}

// Columns k.. of u (m x total) completed to an orthonormal basis: Gram-Schmidt on the unit vectors, twice for accuracy.
static void complete_basis(int64_t m, int64_t k, int64_t total, Cx *u) {
    for (int64_t unit = 0; k < total && unit < m; unit++) {
        for (int64_t i = 0; i < m; i++) u[i * total + k] = i == unit;
        double length = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t j = 0; j < k; j++) {
                Cx dot = 0;
                for (int64_t i = 0; i < m; i++) dot += conj(u[i * total + j]) * u[i * total + k];
                for (int64_t i = 0; i < m; i++) u[i * total + k] -= dot * u[i * total + j];
            }
        for (int64_t i = 0; i < m; i++) length += creal(u[i * total + k] * conj(u[i * total + k]));
        if (length < 0.25 / (double)m) continue;
        for (int64_t i = 0; i < m; i++) u[i * total + k] /= sqrt(length);
        k++;
    }
}

// One matrix: u (m x um) and vt (vn x n), the columns beyond min(m, n) made up.
static void svd_one(Exec *e, Cx *a, int64_t m, int64_t n, Cx *u, int64_t um, Cx *vt, int64_t vn, double *s) {
    bool wide = m < n; // then of the adjoint: a^H = v s u^H
    int64_t tall = wide ? n : m, k = wide ? m : n, full = wide ? vn : um;
    Cx *x = exec_scratch_array(e, m * n, sizeof *x), *left = exec_scratch_array(e, tall * k, sizeof *left);
    Cx *right = exec_scratch_array(e, k * k, sizeof *right), *whole = exec_scratch_array(e, tall * full, sizeof *whole);
    if (wide)
        matrices_transpose(m, n, a, x, true);
    else
        memcpy(x, a, (size_t)(m * n) * sizeof *x);
    linalg_svd(tall, k, x, left, s, right);
    int64_t rank = 0; // columns of a zero singular value are made up too
    while (rank < k && s[rank] > 0) rank++;
    for (int64_t i = 0; i < tall; i++)
        for (int64_t j = 0; j < k && j < full; j++) whole[i * full + j] = left[i * k + j];
    complete_basis(tall, rank, full, whole);
    if (wide) {
        memcpy(u, right, (size_t)(m * m) * sizeof *u);
        matrices_transpose(n, vn, whole, vt, true);
    } else {
        memcpy(u, whole, (size_t)(m * um) * sizeof *u);
        matrices_transpose(n, n, right, vt, true);
    }
}

static bool gesdd(Exec *e, OpId op, Matrices m) {
    int64_t k = m.rows < m.columns ? m.rows : m.columns;
    bool full = option_is(e, op, "mode", 'A');
    int64_t um = full ? m.rows : k, vn = full ? m.columns : k;
    Matrices u = matrices_new(e, m.batches, m.rows, um), vt = matrices_new(e, m.batches, vn, m.columns);
    double *s = exec_scratch_array(e, m.batches * k, sizeof *s);
    for (int64_t b = 0; b < m.batches; b++)
        svd_one(e, m.data + b * m.rows * m.columns, m.rows, m.columns, u.data + b * m.rows * um, um,
                vt.data + b * vn * m.columns, vn, s + b * k);
    matrices_store(e, op, 0, m.data);
    store_doubles(e, op, 1, s);
    if (option_is(e, op, "mode", 'N')) {
        store_zeros(e, op, 2);
        store_zeros(e, op, 3);
    } else {
        matrices_store(e, op, 2, u.data);
        matrices_store(e, op, 3, vt.data);
    }
    store_zeros(e, op, 4);
    return true;
}

// Real matrices give real and imaginary parts of the eigenvalues apart; both kinds give complex vectors, left and
// right.
static bool geev(Exec *e, OpId op, Matrices m) {
    int64_t n = m.rows;
    bool real = op_get(e->m, op)->n_results == 5;
    if (option_is(e, op, "compute_left", 'V')) return exec_error(e, op, NULL, "left eigenvectors are not supported");
    Matrices w = matrices_new(e, m.batches, n, 1), v = matrices_new(e, m.batches, n, n);
    for (int64_t b = 0; b < m.batches; b++)
        if (!linalg_eig(n, m.data + b * n * n, w.data + b * n, v.data + b * n * n))
            return exec_error(e, op, NULL, "the eigenvalues do not converge");
    uint32_t next = 0;
    matrices_store(e, op, next++, w.data);
    if (real) {
        for (int64_t i = 0; i < m.batches * n; i++) w.data[i] = cimag(w.data[i]);
        matrices_store(e, op, next++, w.data);
    }
    store_zeros(e, op, next++);
    matrices_store(e, op, next++, v.data);
    store_zeros(e, op, next);
    return true;
}

static bool gehrd(Exec *e, OpId op, Matrices m) {
    int64_t n = m.rows;
    if (call_option(e->m, op, "low", 1) != 1 || call_option(e->m, op, "high", n) != n)
        return exec_error(e, op, NULL, "only whole matrices can be reduced");
    int64_t k = n > 0 ? n - 1 : 0;
    Matrices tau = matrices_new(e, m.batches, k, 1);
    for (int64_t b = 0; b < m.batches; b++) linalg_hessenberg(n, m.data + b * n * n, tau.data + b * k);
    matrices_store(e, op, 0, m.data);
    matrices_store(e, op, 1, tau.data);
    store_zeros(e, op, 2);
    return true;
}

static bool sytrd(Exec *e, OpId op, Matrices m) {
    int64_t n = m.rows, k = n > 0 ? n - 1 : 0;
    if (!option_is(e, op, "uplo", 'L')) return exec_error(e, op, NULL, "only the lower triangle can be reduced");
    Matrices tau = matrices_new(e, m.batches, k, 1);
    double *d = exec_scratch_array(e, m.batches * n, sizeof *d),
           *sub = exec_scratch_array(e, m.batches * k, sizeof *sub);
    for (int64_t b = 0; b < m.batches; b++) {
        Cx *a = m.data + b * n * n;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) a[i * n + j] = conj(a[j * n + i]);
        linalg_tridiagonal(n, a, d + b * n, sub + b * k, tau.data + b * k);
    }
    matrices_store(e, op, 0, m.data);
    store_doubles(e, op, 1, d);
    store_doubles(e, op, 2, sub);
    matrices_store(e, op, 3, tau.data);
    store_zeros(e, op, 4);
    return true;
}

// Operands below, diagonal, above (vectors of n, the first below and the last above unused) and b; results the same, of
// which only the last is of use.
static bool gtsv(Exec *e, OpId op) {
    Tensor *right = exec_in(e, op, 3);
    if (op_get(e->m, op)->n_operands != 4 || op_get(e->m, op)->n_results != 5 || right->rank < 2)
        return exec_error(e, op, NULL, "four operands are needed");
    Matrices b = matrices_of(e, right), part[3];
    int64_t n = b.rows;
    for (uint32_t i = 0; i < 3; i++) {
        Tensor *t = exec_in(e, op, i);
        if (t->n != b.batches * n) return exec_error(e, op, NULL, "the diagonals do not fit the right side");
        Tensor *flat = exec_view(e, t, 2, (int64_t[]){b.batches, n});
        part[i] = matrices_of(e, flat);
        tensor_release(&e->heap, flat);
        exec_set(e, op, i, tensor_retain(t));
    }
    Cx *fill = exec_scratch_array(e, n, sizeof *fill);
    for (int64_t k = 0; k < b.batches; k++)
        linalg_solve_tridiagonal(n, b.columns, part[0].data + k * n + 1, part[1].data + k * n, part[2].data + k * n,
                                 fill, b.data + k * n * b.columns);
    matrices_store(e, op, 3, b.data);
    store_zeros(e, op, 4);
    return true;
}

static const struct Routine {
    const char *name;
    bool (*run)(Exec *e, OpId op, Matrices first);
} routines[] = {{"gehrd", gehrd}, {"hetrd", sytrd}, {"sytrd", sytrd}, {"geev", geev},   {"geqrf", geqrf},
                {"gesdd", gesdd}, {"getrf", getrf}, {"heevd", syevd}, {"orgqr", orgqr}, {"potrf", potrf},
                {"syevd", syevd}, {"trsm", trsm},   {"ungqr", orgqr}};

bool call_lapack(Exec *e, OpId op, Span target) {
    // lapack_ + letter + name + _ffi
    Span name = {target.at + 8, target.n < 12 ? 0 : target.n - 12};
    Tensor *a = op_get(e->m, op)->n_operands ? exec_in(e, op, 0) : NULL;
    if (span_is(name, "gtsv") && a && op_get(e->m, op)->n_operands == 4) return gtsv(e, op);
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        if (!span_is(name, routines[i].name)) continue;
        if (!a || a->rank < 2) return exec_error(e, op, NULL, "the first operand must be a matrix");
        Matrices m = matrices_of(e, a);
        exec_work(e, op, (double)a->n * (double)(m.rows + m.columns) * 10);
        return routines[i].run(e, op, m);
    }
    return exec_error(e, op, NULL, "@%.*s is not supported", (int)target.n, target.at);
}
