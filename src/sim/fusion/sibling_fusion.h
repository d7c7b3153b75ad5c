// Sibling fusion: kernels that read the same few numbers are one. A result that is made of them alone is there when something else
// is first made of them.
//
//     %0 = reduce %x               the sum of a batch
//     %1 = divide %0, %n           its mean
//     %2 = broadcast_in_dim %1     the batch less its mean is in a kernel that comes soon
//     %3 = subtract %x, %2
//     …
//     %9 = add %old, %1            the mean of all batches: runs before the kernel of %3
//     return %9
#ifndef PARTIR_SIM_FUSION_SIBLING_FUSION_H
#define PARTIR_SIM_FUSION_SIBLING_FUSION_H

#include "sim/fusion/fusion.h"

// Adds to `after`, by op: of a kernel the op that gives such a result, which runs before it; those that are there stay, and so
// do those whose `ring` is not NO_ID. `after` may be NULL if there is none, and so may what is given.
OpId *order_siblings(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *ring, OpId *after,
                     Arena *a);

#endif
