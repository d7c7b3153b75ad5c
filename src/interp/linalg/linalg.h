// Dense linear algebra on row-major complex128 matrices; a real matrix is one whose imaginary parts are zero.
//
// Conventions are LAPACK's: signs of reflectors, order of eigenvalues and singular values, normalisation of vectors.
#ifndef PARTIR_INTERP_LINALG_LINALG_H
#define PARTIR_INTERP_LINALG_LINALG_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

typedef double _Complex Cx;

// a = L L^H, L below and on the diagonal; a is read there alone and its rest is left. NaN where a is not positive.
void linalg_cholesky(int64_t n, Cx *a);

typedef enum Transpose { NO_TRANSPOSE, TRANSPOSE, ADJOINT } Transpose;
// op(a) x = b in place of b (n x m), with a triangular; `unit`: ones on the diagonal.
void linalg_solve_triangular(int64_t n, int64_t m, const Cx *a, bool lower, bool unit, Transpose op, Cx *b);

// The inverse of a triangular matrix (its other half is not read), as XLA finds it: columns scaled to a diagonal of
// ones, then row by row from the rows already inverted. In f32 if `single`. It is here so that a badly conditioned
// system, in which every order of sums gives other digits, comes out with XLA's.
void linalg_invert_triangular(int64_t n, const Cx *a, bool lower, bool unit, bool single, Cx *inverse);
// a (m x depth) b (depth x n), summed as Eigen does: in eights, even and odd terms apart, then the rest.
void linalg_multiply(int64_t m, int64_t n, int64_t depth, const Cx *a, const Cx *b, bool single, Cx *out);

// a (m x n) = P L U in place; pivot[i] is the row swapped with row i.
void linalg_lu(int64_t m, int64_t n, Cx *a, int32_t *pivot);

// a (m x n) = Q R: R on and above the diagonal, reflectors below it, their factors in tau (min(m, n)).
void linalg_qr(int64_t m, int64_t n, Cx *a, Cx *tau);
// The first n columns of the product of k reflectors, in place of a (m x n).
void linalg_q(int64_t m, int64_t n, int64_t k, Cx *a, const Cx *tau);

// a (n x n) = Q H Q^H with H zero below its first subdiagonal, in place; below that the reflectors, their factors in
// tau (n - 1).
void linalg_hessenberg(int64_t n, Cx *a, Cx *tau);
// Hermitian a: the same, with d the diagonal and e the subdiagonal of H, which is then tridiagonal and real.
void linalg_tridiagonal(int64_t n, Cx *a, double *d, double *e, Cx *tau);
// x of a tridiagonal system with below, diagonal and above, in place of b (n x m). The diagonals are overwritten;
// `fill` has room for n.
void linalg_solve_tridiagonal(int64_t n, int64_t m, Cx *below, Cx *diagonal, Cx *above, Cx *fill, Cx *b);

// Hermitian a: eigenvalues ascending in w, eigenvectors in the columns of v.
void linalg_eigh(int64_t n, Cx *a, double *w, Cx *v);
// a (m x n), m >= n, is overwritten: a = u diag(s) v^H with u (m x n), s descending, v (n x n).
void linalg_svd(int64_t m, int64_t n, Cx *a, Cx *u, double *s, Cx *v);
// Any square a, overwritten: eigenvalues in w, right eigenvectors of length 1 in the columns of v. False if it does not
// converge.
bool linalg_eig(int64_t n, Cx *a, Cx *w, Cx *v);

#endif
