// Turned arguments: those that are copied into another order of their dimensions when the step starts.
//
//     %0 = reduce_scatter %g            lies as it is written
//     %1 = transpose %0                 free: %0 read in another order
//     %2 = subtract %w, %1              so %w is copied into that order before, and so is its result back
#ifndef PARTIR_SIM_BACKEND_RELAID_ARGUMENTS_H
#define PARTIR_SIM_BACKEND_RELAID_ARGUMENTS_H

#include "sim/fusion/fusion.h"

// By argument of @main.
const uint8_t *find_relaid_arguments(const Module *m, const OpSchedule *order, const Fusion *f, Arena *a);

#endif
