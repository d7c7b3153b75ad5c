// Breadth-first scheduling: kernels run in the order in which they become ready.
//
//     %g0 = all_gather %w0                  as written       %g0 %h0 %g1 %h1      one gathered weight at a time
//     %h0 = dot %x, %g0                     breadth first    %g0 %g1 %h0 %h1      both
//     %g1 = all_gather %w1
//     %h1 = dot %h0, %g1
#ifndef PARTIR_SIM_SCHEDULE_BFS_H
#define PARTIR_SIM_SCHEDULE_BFS_H

#include "sim/fusion/fusion.h"
#include "sim/program/users.h"

// `combined` is from combine_collectives.
OpSchedule schedule_bfs(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *combined, Arena *a);

#endif
