// Updated: a weight that is gathered once more is read by the kernel that updates it.
//
//     %0 = all_gather %w           for the forward pass
//     …
//     %g = dot …                   the gradient of %w
//     %1 = all_gather %w           for the backward pass: the kernel of %2 writes what is sent, %w as bf16, so that %g
//                                  runs first
//     %2 = subtract %w, %g
#ifndef PARTIR_SIM_UPDATED_H
#define PARTIR_SIM_UPDATED_H

#include "sim/fuse.h"

// Puts each such gather into a ring with the op that gives the updated weight: next[gather] is the update, whose next is
// the gather. Sums that run together are in rings already.
void find_updates(const Module *m, const Written *written, const Fusion *f, OpId *next, Arena *a);

#endif
