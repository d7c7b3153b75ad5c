// Frugal: of the kernels that are ready, the one runs next that gives back the most memory, or takes the least.
//
//     %0 = …, 4 MB; %1 = …, 4 MB
//     %2 = concatenate %0, %1          takes 8 MB and gives back 8
//     %3 = reduce %4                   gives back all of %4: runs before
#ifndef PARTIR_SIM_FRUGAL_H
#define PARTIR_SIM_FRUGAL_H

#include "sim/kernels.h"

typedef struct Frugal Frugal;

Frugal *frugal_new(const Module *m, const Kernels *k, const double *bytes, Arena *a); // `bytes` by value
void order_frugal(Frugal *z, RegionId r, uint32_t *order);                            // all kernels of a region

#endif
