// Updated: a weight that is gathered once more is read by the kernel that updates it.
//
//     %0 = all_gather %w           for the forward pass
//     …
//     %g = dot …                   the gradient of %w
//     %1 = all_gather %w           for the backward pass: the kernel of %2 writes what is sent, %w as bf16, so that %g
//                                  runs first
//     %2 = subtract %w, %g
#ifndef PARTIR_SIM_BACKEND_UPDATE_FUSION_H
#define PARTIR_SIM_BACKEND_UPDATE_FUSION_H

#include "sim/fusion/fusion.h"

// By op: of each such gather the op that gives the updated weight; NO_ID for all else, NULL if there is none. `ring`, by op:
// whether sums run together.
OpId *find_update_fusions(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *ring, Arena *a);

#endif
