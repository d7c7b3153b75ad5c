// Rematerialization: a compiler that would need more memory than there is computes values once more instead of keeping them.
//
//     %1 = dot_general %x, %w     kept for the gradient: 24 layers of it do not fit
//     …                           the first moment at which too much is alive: the largest of those that can be made
//     %1 again                    again are given up, and made anew where they are used last, until it fits
#ifndef PARTIR_SIM_MEMORY_REMATERIALIZE_H
#define PARTIR_SIM_MEMORY_REMATERIALIZE_H

#include "sim/memory/buffers.h"
#include "sim/packing/heap_packing.h"

// Gives how many of the `n` blocks, all that is alive at some time, are given up so that not more than `limit` bytes are alive, as
// far as that is possible: they come to the front, and end where they are given up. Only the first `n_candidates` can be.
uint32_t choose_rematerialized(HeapBlock *blocks, uint32_t n_candidates, uint32_t n, uint32_t n_half_steps,
                               double limit, Arena *a);

#endif
