// Factorisations and solves with triangular matrices.
#include "interp/linalg/linalg.h"
#include <math.h>
#include <string.h>

void linalg_cholesky(int64_t n, Cx *a) {
    for (int64_t j = 0; j < n; j++) {
        double d = creal(a[j * n + j]);
        for (int64_t k = 0; k < j; k++)
            d -= creal(a[j * n + k]) * creal(a[j * n + k]) + cimag(a[j * n + k]) * cimag(a[j * n + k]);
        d = d > 0 ? sqrt(d) : (double)NAN;
        a[j * n + j] = d;
        for (int64_t i = j + 1; i < n; i++) {
            Cx s = a[i * n + j];
            for (int64_t k = 0; k < j; k++) s -= a[i * n + k] * conj(a[j * n + k]);
            a[i * n + j] = s / d;
        }
    }
}

void linalg_solve_triangular(int64_t n, int64_t m, const Cx *a, bool lower, bool unit, Transpose op, Cx *b) {
    bool forward = lower == (op == NO_TRANSPOSE);
    for (int64_t step = 0; step < n; step++) {
        int64_t i = forward ? step : n - 1 - step;
        for (int64_t k = forward ? 0 : i + 1; k < (forward ? i : n); k++) {
            Cx x = op == NO_TRANSPOSE ? a[i * n + k] : op == TRANSPOSE ? a[k * n + i] : conj(a[k * n + i]);
            for (int64_t j = 0; j < m; j++) b[i * m + j] -= x * b[k * m + j];
        }
        if (unit) continue;
        Cx d = op == ADJOINT ? conj(a[i * n + i]) : a[i * n + i];
        for (int64_t j = 0; j < m; j++) b[i * m + j] /= d;
    }
}

static Cx round_to_single(bool single, Cx x) { return single ? (Cx)(float _Complex)x : x; }

// c + a b with one rounding for a real sum, in f32 or in f64.
static Cx multiply_add(bool single, Cx a, Cx b, Cx c) {
    double re = creal(c), im = cimag(c);
    bool real = cimag(a) == 0 && cimag(b) == 0;
    if (single) {
        float ar = (float)creal(a), ai = (float)cimag(a), br = (float)creal(b), bi = (float)cimag(b);
        re = real ? fmaf(ar, br, (float)re) : fmaf(ar, br, fmaf(-ai, bi, (float)re));
        im = real ? im : fmaf(ar, bi, fmaf(ai, br, (float)im));
    } else {
        double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
        re = real ? fma(ar, br, re) : fma(ar, br, fma(-ai, bi, re));
        im = real ? im : fma(ar, bi, fma(ai, br, im));
    }
    double parts[2] = {re, im};
    Cx sum;
    memcpy(&sum, parts, sizeof sum);
    return sum;
}

void linalg_invert_triangular(int64_t n, const Cx *a, bool lower, bool unit, bool single, Cx *inverse) {
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int64_t step = 0; step < n; step++) {
        int64_t i = lower ? step : n - 1 - step;
        Cx *row = inverse + i * n;
        for (int64_t k = 0; k < n; k++) {
            if (lower ? k >= i : k <= i) continue;
            Cx scaled = unit ? a[i * n + k] : round_to_single(single, a[i * n + k] / a[k * n + k]);
            for (int64_t j = 0; j < n; j++)
                if (lower ? j <= k : j >= k) row[j] = multiply_add(single, scaled, inverse[k * n + j], row[j]);
        }
        for (int64_t j = 0; j < n; j++) row[j] = -row[j];
        row[i] = 1;
    }
    for (int64_t i = 0; i < n && !unit; i++)
        for (int64_t j = 0; j < n; j++)
            if (lower ? j <= i : j >= i)
                inverse[i * n + j] = round_to_single(single, inverse[i * n + j] / a[i * n + i]);
}

void linalg_multiply(int64_t m, int64_t n, int64_t depth, const Cx *a, const Cx *b, bool single, Cx *out) {
    int64_t whole = depth - depth % 8;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            Cx apart[2] = {0, 0}; // even terms, odd terms
            for (int64_t k = 0; k < whole; k++)
                apart[k % 2] = multiply_add(single, a[i * depth + k], b[k * n + j], apart[k % 2]);
            Cx sum = round_to_single(single, apart[0] + apart[1]);
            for (int64_t k = whole; k < depth; k++) sum = multiply_add(single, a[i * depth + k], b[k * n + j], sum);
            out[i * n + j] = sum;
        }
}

void linalg_lu(int64_t m, int64_t n, Cx *a, int32_t *pivot) {
    for (int64_t j = 0; j < m && j < n; j++) {
        int64_t best = j;
        // LAPACK measures a complex number by |re| + |im|.
        for (int64_t i = j + 1; i < m; i++)
            if (fabs(creal(a[i * n + j])) + fabs(cimag(a[i * n + j])) >
                fabs(creal(a[best * n + j])) + fabs(cimag(a[best * n + j])))
                best = i;
        pivot[j] = (int32_t)best;
        for (int64_t k = 0; k < n && best != j; k++) {
            Cx t = a[j * n + k];
            a[j * n + k] = a[best * n + k];
            a[best * n + k] = t;
        }
        if (a[j * n + j] == 0) continue;
        for (int64_t i = j + 1; i < m; i++) {
            Cx f = a[i * n + j] /= a[j * n + j];
            for (int64_t k = j + 1; k < n; k++) a[i * n + k] -= f * a[j * n + k];
        }
    }
}

// a := (I - factor v v^H) a on rows from `row` and columns [first, end); v is 1 at `row`, and v[i * ldv] below it.
static void reflect(int64_t m, int64_t n, Cx *a, int64_t row, int64_t first, int64_t end, const Cx *v, int64_t ldv,
                    Cx factor) {
    for (int64_t c = first; c < end; c++) {
        Cx s = a[row * n + c];
        for (int64_t i = row + 1; i < m; i++) s += conj(v[i * ldv]) * a[i * n + c];
        s *= factor;
        a[row * n + c] -= s;
        for (int64_t i = row + 1; i < m; i++) a[i * n + c] -= v[i * ldv] * s;
    }
}

// a := a (I - factor v v^H) on all rows of a square a; v as above.
static void reflect_right(int64_t n, Cx *a, int64_t row, const Cx *v, Cx factor) {
    for (int64_t r = 0; r < n; r++) {
        Cx s = a[r * n + row];
        for (int64_t i = row + 1; i < n; i++) s += a[r * n + i] * v[i * n];
        s *= factor;
        a[r * n + row] -= s;
        for (int64_t i = row + 1; i < n; i++) a[r * n + i] -= s * conj(v[i * n]);
    }
}

// The reflector that leaves nothing of column j below `row`: its factor, with v in place of what vanishes and what is
// left at `row`.
static Cx make_reflector(int64_t m, int64_t n, Cx *a, int64_t row, int64_t j) {
    double below = 0;
    Cx alpha = a[row * n + j];
    for (int64_t i = row + 1; i < m; i++) below = hypot(below, cabs(a[i * n + j]));
    if (below == 0 && cimag(alpha) == 0) return 0;
    double beta = -copysign(hypot(cabs(alpha), below), creal(alpha));
    for (int64_t i = row + 1; i < m; i++) a[i * n + j] /= alpha - beta;
    a[row * n + j] = beta;
    return (beta - alpha) / beta;
}

void linalg_qr(int64_t m, int64_t n, Cx *a, Cx *tau) {
    for (int64_t j = 0; j < m && j < n; j++) {
        tau[j] = make_reflector(m, n, a, j, j);
        reflect(m, n, a, j, j + 1, n, a + j, n, conj(tau[j]));
    }
}

void linalg_hessenberg(int64_t n, Cx *a, Cx *tau) {
    for (int64_t j = 0; j + 1 < n; j++) {
        tau[j] = make_reflector(n, n, a, j + 1, j);
        // Column j holds v from row j + 2 on, and the right side must leave it alone: it only changes columns from j +
        // 1 on.
        reflect_right(n, a, j + 1, a + j, tau[j]);
        reflect(n, n, a, j + 1, j + 1, n, a + j, n, conj(tau[j]));
    }
}

void linalg_tridiagonal(int64_t n, Cx *a, double *d, double *e, Cx *tau) {
    linalg_hessenberg(n, a, tau);
    for (int64_t i = 0; i < n; i++) d[i] = creal(a[i * n + i]);
    for (int64_t i = 0; i + 1 < n; i++) e[i] = creal(a[(i + 1) * n + i]);
}

void linalg_solve_tridiagonal(int64_t n, int64_t m, Cx *below, Cx *diagonal, Cx *above, Cx *fill, Cx *b) {
    for (int64_t i = 0; i < n; i++) fill[i] = 0; // second superdiagonal, from row exchanges
    for (int64_t i = 0; i + 1 < n; i++) {
        if (cabs(below[i]) > cabs(diagonal[i])) {
            Cx t = diagonal[i], next = i + 2 < n ? above[i + 1] : 0;
            diagonal[i] = below[i], below[i] = t;
            t = above[i], above[i] = diagonal[i + 1], diagonal[i + 1] = t;
            if (i + 2 < n) fill[i] = next, above[i + 1] = 0;
            for (int64_t k = 0; k < m; k++) {
                Cx x = b[i * m + k];
                b[i * m + k] = b[(i + 1) * m + k];
                b[(i + 1) * m + k] = x;
            }
        }
        Cx f = below[i] / diagonal[i];
        diagonal[i + 1] -= f * above[i];
        if (i + 2 < n) above[i + 1] -= f * fill[i];
        for (int64_t k = 0; k < m; k++) b[(i + 1) * m + k] -= f * b[i * m + k];
    }
    for (int64_t i = n; i-- > 0;)
        for (int64_t k = 0; k < m; k++) {
            Cx x = b[i * m + k];
            if (i + 1 < n) x -= above[i] * b[(i + 1) * m + k];
            if (i + 2 < n) x -= fill[i] * b[(i + 2) * m + k];
            b[i * m + k] = x / diagonal[i];
        }
}

void linalg_q(int64_t m, int64_t n, int64_t k, Cx *a, const Cx *tau) {
    // From the last reflector to the first; columns from k on start as those of the identity.
    for (int64_t c = k; c < n; c++)
        for (int64_t i = 0; i < m; i++) a[i * n + c] = i == c;
    for (int64_t j = k; j-- > 0;) {
        reflect(m, n, a, j, j + 1, n, a + j, n, tau[j]);
        for (int64_t i = j + 1; i < m; i++) a[i * n + j] *= -tau[j];
        a[j * n + j] = 1 - tau[j];
        for (int64_t i = 0; i < j; i++) a[i * n + j] = 0;
    }
}
