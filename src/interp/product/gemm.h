// Matrix product: C += A B, for matrices with any strides.
//
// f32 and f64 are blocked for the caches and vectorised over columns; each element of C is summed in the order of k, in
// blocks of a fixed length, so that the result does not depend on the machine.
#ifndef PARTIR_INTERP_PRODUCT_GEMM_H
#define PARTIR_INTERP_PRODUCT_GEMM_H

#include "ir/type.h"

// A rows x columns matrix inside an array: element (i, j) is at i * row + j * column (in elements).
typedef struct Matrix {
    const void *data;
    int64_t row, column;
} Matrix;

// Bytes of work space that gemm wants for this type; the same for every size.
size_t gemm_workspace(Elem elem);
// c[i * n + j] += sum over p of a(i, p) * b(p, j). elem: f32, f64, complex64, complex128, i32 or i64 (which wrap
// around).
void gemm(Elem elem, int64_t m, int64_t n, int64_t k, Matrix a, Matrix b, void *c, void *workspace);

#endif
