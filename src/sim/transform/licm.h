// Loop-invariant code motion: what is the same in each turn of a loop, so that it can be computed before.
//
//     %r:2 = while (%i = %0, %w = %x) … do {
//       %1 = convert %w             1: %w is never changed
//       %2 = dynamic_slice %1, %i   0
//     }
#ifndef PARTIR_SIM_TRANSFORM_LICM_H
#define PARTIR_SIM_TRANSFORM_LICM_H

#include "sim/schedule/schedule.h"

// By value: of the loops around it, from the innermost, the number in which it is the same in each turn. With `keeps_gathers_in_loops`
// what is gathered is none of these. NULL if there are no loops.
uint8_t *find_loop_invariants(const Module *m, const ProgramOrder *written, bool keeps_gathers_in_loops, Arena *a);

#endif
