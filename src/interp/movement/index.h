// Operands that are indices or shapes.
#ifndef PARTIR_INTERP_MOVEMENT_INDEX_H
#define PARTIR_INTERP_MOVEMENT_INDEX_H

#include "interp/exec.h"

// Element i of an integer tensor; what no int64 holds is INT64_MAX.
int64_t index_value(const Tensor *t, int64_t i);
// A shape given by a one-dimensional operand.
bool index_shape(Exec *e, OpId op, uint32_t operand, uint32_t *rank, int64_t *dims);

#endif
