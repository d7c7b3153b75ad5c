// Eigenvalues and singular values. Hermitian matrices and singular values by Jacobi rotations, which are slow and very
// accurate; general matrices by the QR algorithm on the Hessenberg form.
#include "interp/linalg/linalg.h"
#include <math.h>

enum { SWEEPS = 60 };

static double square(Cx z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }

// The rotation that diagonalises [[p, z], [conj z, q]]: cosine c and s = (sine) * phase of z.
static void rotation(double p, double q, Cx z, double *c, Cx *s) {
    double r = cabs(z), theta = (q - p) / (2 * r);
    double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
    *c = 1 / hypot(t, 1);
    *s = t * *c * (z / r);
}

// Columns p and q of a (rows x n) become c p - conj(s) q and s p + c q.
static void rotate_columns(int64_t rows, int64_t n, Cx *a, int64_t p, int64_t q, double c, Cx s) {
    for (int64_t i = 0; i < rows; i++) {
        Cx x = a[i * n + p], y = a[i * n + q];
        a[i * n + p] = c * x - conj(s) * y;
        a[i * n + q] = s * x + c * y;
    }
}

static void swap_columns(int64_t rows, int64_t n, Cx *a, int64_t p, int64_t q) {
    for (int64_t i = 0; i < rows; i++) {
        Cx t = a[i * n + p];
        a[i * n + p] = a[i * n + q];
        a[i * n + q] = t;
    }
}

void linalg_eigh(int64_t n, Cx *a, double *w, Cx *v) {
    for (int64_t i = 0; i < n * n; i++) v[i] = i / n == i % n;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, on = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) *(i == j ? &on : &off) += square(a[i * n + j]);
        if (!(off > 1e-32 * on)) break;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                if (square(a[p * n + q]) <= 1e-40 * on) continue;
                double c;
                Cx s;
                rotation(creal(a[p * n + p]), creal(a[q * n + q]), a[p * n + q], &c, &s);
                rotate_columns(n, n, a, p, q, c, s);
                for (int64_t k = 0; k < n; k++) { // and the rows
                    Cx x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = conj(s) * x + c * y;
                }
                rotate_columns(n, n, v, p, q, c, s);
            }
    }
    for (int64_t i = 0; i < n; i++) w[i] = creal(a[i * n + i]);
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            if (w[j] < w[least]) least = j;
        if (least == i) continue;
        double t = w[i];
        w[i] = w[least];
        w[least] = t;
        swap_columns(n, n, v, i, least);
    }
}

// Columns of a are rotated until they are orthogonal; their lengths are the singular values.
void linalg_svd(int64_t m, int64_t n, Cx *a, Cx *u, double *s, Cx *v) {
    for (int64_t i = 0; i < n * n; i++) v[i] = i / n == i % n;
    for (int sweep = 0, again = 1; again && sweep < SWEEPS; sweep++) {
        again = 0;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                double pp = 0, qq = 0;
                Cx pq = 0;
                for (int64_t i = 0; i < m; i++) {
                    pp += square(a[i * n + p]);
                    qq += square(a[i * n + q]);
                    pq += conj(a[i * n + p]) * a[i * n + q];
                }
                if (!(cabs(pq) > 1e-16 * sqrt(pp * qq)) || pp * qq == 0) continue;
                double c;
                Cx z;
                rotation(pp, qq, pq, &c, &z);
                rotate_columns(m, n, a, p, q, c, z);
                rotate_columns(n, n, v, p, q, c, z);
                again = 1;
            }
    }
    for (int64_t j = 0; j < n; j++) {
        s[j] = 0;
        for (int64_t i = 0; i < m; i++) s[j] = hypot(s[j], cabs(a[i * n + j]));
    }
    for (int64_t j = 0; j < n; j++) {
        int64_t most = j;
        for (int64_t k = j + 1; k < n; k++)
            if (s[k] > s[most]) most = k;
        double t = s[j];
        s[j] = s[most];
        s[most] = t;
        if (most != j) {
            swap_columns(m, n, a, j, most);
            swap_columns(n, n, v, j, most);
        }
        for (int64_t i = 0; i < m; i++) u[i * n + j] = s[j] > 0 ? a[i * n + j] / s[j] : 0;
    }
}

// ---- General matrices ----------------------------------------------------------------------------------------------

// a = v h v^H with h zero below its first subdiagonal.
static void hessenberg(int64_t n, Cx *a, Cx *v) {
    for (int64_t i = 0; i < n * n; i++) v[i] = i / n == i % n;
    for (int64_t j = 0; j + 2 < n; j++)
        for (int64_t i = j + 2; i < n; i++) { // rows j + 1 and i, so that a(i, j) vanishes
            Cx x = a[(j + 1) * n + j], y = a[i * n + j];
            double r = hypot(cabs(x), cabs(y));
            if (cabs(y) == 0) continue;
            Cx c = conj(x) / r, s = conj(y) / r;
            for (int64_t k = 0; k < n; k++) {
                Cx p = a[(j + 1) * n + k], q = a[i * n + k];
                a[(j + 1) * n + k] = c * p + s * q;
                a[i * n + k] = -conj(s) * p + conj(c) * q;
            }
            for (int64_t k = 0; k < n; k++) {
                Cx p = a[k * n + j + 1], q = a[k * n + i];
                a[k * n + j + 1] = conj(c) * p + conj(s) * q;
                a[k * n + i] = -s * p + c * q;
                p = v[k * n + j + 1], q = v[k * n + i];
                v[k * n + j + 1] = conj(c) * p + conj(s) * q;
                v[k * n + i] = -s * p + c * q;
            }
        }
}

// One QR step with a shift on rows [lo, hi] of the Hessenberg matrix h, carried into all of h and v.
static void qr_step(int64_t n, Cx *h, Cx *v, int64_t lo, int64_t hi, Cx shift) {
    Cx x = h[lo * n + lo] - shift, y = h[(lo + 1) * n + lo];
    for (int64_t k = lo; k < hi; k++) {
        double r = hypot(cabs(x), cabs(y));
        if (r > 0) {
            Cx c = conj(x) / r, s = conj(y) / r;
            for (int64_t j = 0; j < n; j++) {
                Cx p = h[k * n + j], q = h[(k + 1) * n + j];
                h[k * n + j] = c * p + s * q;
                h[(k + 1) * n + j] = -conj(s) * p + conj(c) * q;
            }
            for (int64_t i = 0; i < n; i++) {
                Cx p = h[i * n + k], q = h[i * n + k + 1];
                h[i * n + k] = conj(c) * p + conj(s) * q;
                h[i * n + k + 1] = -s * p + c * q;
                p = v[i * n + k], q = v[i * n + k + 1];
                v[i * n + k] = conj(c) * p + conj(s) * q;
                v[i * n + k + 1] = -s * p + c * q;
            }
        }
        if (k + 2 <= hi) {
            x = h[(k + 1) * n + k];
            y = h[(k + 2) * n + k];
        }
    }
}

// The eigenvalue of the last 2 x 2 block that is nearer to its last element.
static Cx wilkinson_shift(const Cx *h, int64_t n, int64_t hi) {
    Cx a = h[(hi - 1) * n + hi - 1], b = h[(hi - 1) * n + hi], c = h[hi * n + hi - 1], d = h[hi * n + hi];
    Cx mean = (a + d) / 2, root = csqrt((a - d) * (a - d) / 4 + b * c);
    return cabs(mean + root - d) < cabs(mean - root - d) ? mean + root : mean - root;
}

static bool schur(int64_t n, Cx *h, Cx *v) {
    int64_t hi = n - 1;
    for (int64_t iteration = 0, since = 0; hi > 0; iteration++, since++) {
        if (iteration > 100 * n) return false;
        int64_t lo = hi;
        while (lo > 0 && cabs(h[lo * n + lo - 1]) > 2.3e-16 * (cabs(h[lo * n + lo]) + cabs(h[(lo - 1) * n + lo - 1])))
            lo--;
        if (lo > 0) h[lo * n + lo - 1] = 0;
        if (lo == hi) {
            hi--;
            since = 0;
            continue;
        }
        Cx shift = since % 11 == 10 ? h[hi * n + hi] + cabs(h[hi * n + hi - 1]) : wilkinson_shift(h, n, hi);
        qr_step(n, h, v, lo, hi, shift);
    }
    return true;
}

bool linalg_eig(int64_t n, Cx *a, Cx *w, Cx *v) {
    hessenberg(n, a, v);
    if (!schur(n, a, v)) return false;
    double norm = 0;
    for (int64_t i = 0; i < n * n; i++) norm = fmax(norm, cabs(a[i]));
    for (int64_t k = n; k-- > 0;) {
        w[k] = a[k * n + k];
        // The eigenvector of the triangular form, kept in column k above the diagonal, which nothing else needs any
        // more.
        for (int64_t i = k; i-- > 0;) {
            Cx s = a[i * n + k];
            for (int64_t j = i + 1; j < k; j++) s += a[i * n + j] * a[j * n + k];
            Cx gap = w[k] - a[i * n + i];
            if (cabs(gap) < 2.3e-16 * norm) gap = 2.3e-16 * norm + 1e-300;
            a[i * n + k] = s / gap;
        }
        // Back to the original basis: only columns below k of v are still those of the Schur form, and only they are
        // needed.
        for (int64_t i = 0; i < n; i++) {
            Cx s = v[i * n + k];
            for (int64_t j = 0; j < k; j++) s += v[i * n + j] * a[j * n + k];
            v[i * n + k] = s;
        }
    }
    for (int64_t k = 0; k < n; k++) { // length 1, largest component real
        double length = 0;
        Cx largest = 0;
        for (int64_t i = 0; i < n; i++) {
            length = hypot(length, cabs(v[i * n + k]));
            if (cabs(v[i * n + k]) > cabs(largest)) largest = v[i * n + k];
        }
        if (length == 0) continue;
        Cx factor = conj(largest) / cabs(largest) / length;
        for (int64_t i = 0; i < n; i++) v[i * n + k] *= factor;
    }
    return true;
}
