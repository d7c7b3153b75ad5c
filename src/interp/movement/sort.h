// Selection of the largest (or smallest) elements.
#ifndef PARTIR_INTERP_MOVEMENT_SORT_H
#define PARTIR_INTERP_MOVEMENT_SORT_H

#include "interp/exec.h"

// Results 0 and 1 of the op: the k first elements of each line along dimension d, largest (or smallest) first, the
// earlier one first among equals; and their indices.
bool sort_top(Exec *e, OpId op, Tensor *x, int64_t d, int64_t k, bool largest);

#endif
