// Factorisations and solves with triangular matrices.
#include "interp/linalg.h"
#include <math.h>

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

// a := (I - factor v v^H) a on rows from `row` and columns [first, end); v is column `row`' below the diagonal, 1 on
// it.
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

void linalg_qr(int64_t m, int64_t n, Cx *a, Cx *tau) {
    for (int64_t j = 0; j < m && j < n; j++) {
        double below = 0;
        Cx alpha = a[j * n + j];
        for (int64_t i = j + 1; i < m; i++) below = hypot(below, cabs(a[i * n + j]));
        if (below == 0 && cimag(alpha) == 0) {
            tau[j] = 0;
            continue;
        }
        double beta = -copysign(hypot(cabs(alpha), below), creal(alpha));
        tau[j] = (beta - alpha) / beta;
        for (int64_t i = j + 1; i < m; i++) a[i * n + j] /= alpha - beta;
        a[j * n + j] = beta;
        reflect(m, n, a, j, j + 1, n, a + j, n, conj(tau[j]));
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
