// Random numbers for inputs: a small generator whose sequence depends on the seed alone.
#ifndef PARTIR_INTERP_RANDOM_RANDOM_H
#define PARTIR_INTERP_RANDOM_RANDOM_H

#include "interp/tensor/tensor.h"

uint64_t random_next(uint64_t *state);
double random_uniform(uint64_t *state); // [0, 1)
double random_normal(uint64_t *state);

// Floats (and both parts of complex numbers) from a small normal distribution, integers from 0 to 7 (as far as the type
// goes), booleans fair.
void random_fill(Tensor *t, uint64_t *state);

#endif
