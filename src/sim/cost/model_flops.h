// Model FLOPs: what the program asks for once. What the backward pass recomputes, rather than keeping it, stands behind
// barriers, as jax.checkpoint writes it.
//
//     %0 = dot %x, %w
//     …
//     %5:2 = optimization_barrier %x, %w
//     %6 = dot %5#0, %5#1                 recomputed: %0 is the same
#ifndef PARTIR_SIM_COST_MODEL_FLOPS_H
#define PARTIR_SIM_COST_MODEL_FLOPS_H

#include "ir/module.h"

// FLOPs of the dots and convolutions of @main that are not recomputed, loops multiplied by their trip counts (1 where not known).
double model_flops(const Module *m, Arena *a);

#endif
