// Batches of matrices in complex128, between tensors and linalg.h.
#ifndef PARTIR_INTERP_LINALG_MATRICES_H
#define PARTIR_INTERP_LINALG_MATRICES_H

#include "interp/exec.h"
#include "interp/linalg/linalg.h"

typedef struct Matrices {
    int64_t batches, rows, columns;
    Cx *data; // scratch
} Matrices;

Matrices matrices_of(Exec *e, const Tensor *t); // rank 2 or more: the last two dimensions
Matrices matrices_new(Exec *e, int64_t batches, int64_t rows, int64_t columns); // zeros
// Result i, whose shape its type gives, from as many complex numbers; a real type takes the real parts.
void matrices_store(Exec *e, OpId op, uint32_t i, const Cx *data);
void matrices_transpose(int64_t rows, int64_t columns, const Cx *from, Cx *to, bool adjoint);

void matrices_cholesky(Exec *e, Matrices m, bool lower);
void matrices_solve(Exec *e, Matrices a, Matrices b, bool left, bool lower, bool unit, Transpose op);

#endif
