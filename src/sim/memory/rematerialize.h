// Rematerialization: a compiler that would need more memory than there is recomputes values instead of keeping them.
//
//     %1 = dot_general %x, %w     kept for the gradient: 24 layers of it do not fit
//     …                           at the first moment at which too much is alive, give up the largest values that can be
//     %1 once more                recomputed, until the rest fits; recompute each before its last use
#ifndef PARTIR_SIM_MEMORY_REMATERIALIZE_H
#define PARTIR_SIM_MEMORY_REMATERIALIZE_H

#include "sim/memory/buffers.h"
#include "sim/packing/heap_packing.h"

// Gives how many of the `n` blocks, all that is alive at some time, are given up so that not more than `limit` bytes are alive, as
// far as that is possible: they come to the front, and end where they are given up. Only the first `n_candidates` can be.
uint32_t choose_rematerialized(HeapBlock *blocks, uint32_t n_candidates, uint32_t n, uint32_t n_half_steps,
                               double limit, Arena *a);

#endif
