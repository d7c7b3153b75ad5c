// Greedy scheduling: as written, but what takes no more memory than it gives back runs as soon as it can.
//
//     %g0 = dot …              as written   %g0 %g1 %w0 %w1     both gradients are alive
//     %g1 = dot …              greedy       %g0 %w0 %g1 %w1     each ends up in its weight at once
//     %w0 = subtract %a0, %g0
//     %w1 = subtract %a1, %g1
#ifndef PARTIR_SIM_SCHEDULE_GREEDY_H
#define PARTIR_SIM_SCHEDULE_GREEDY_H

#include "sim/fusion/fusion.h"
#include "sim/program/users.h"

// `combined` is from combine_collectives.
OpSchedule schedule_greedy(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *combined,
                           Arena *a);

#endif
