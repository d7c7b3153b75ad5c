// Pending sums: where the collective for an op's partial sums is placed. By default it directly follows the op. It moves behind
// the op's single consumer only where that saves a collective or bytes:
//
//     add(sum a, sum b)       = sum add(a, b)          one all_reduce for several summands: Megatron's input gradients
//     add(add(x, sum a), sum b)                        in a tree of adds too: x, not pending, enters on one device
//     reduce(sum a)           = sum reduce(a)          a smaller one
//     acc = 0; loop acc += g  = sum after the loop     one reduction for all microbatches
#ifndef PARTIR_SPMD_LOWER_PENDING_H
#define PARTIR_SPMD_LOWER_PENDING_H

#include "core/propagation/state.h"

typedef struct Pending {
    AxisSet *natural; // by value of the source module: axes on which its op leaves it pending (tiled reduction factors)
    AxisSet *deferred; // by value: of all its pending axes, those that its consumer takes over unreduced
    AxisSet *absorbed; // by node: axes on which it works on pending operands; they are no longer part of its nest
} Pending;

void pending_analyse(Pending *p, const State *s, Arena *a);

#endif
