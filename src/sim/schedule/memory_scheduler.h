// Memory scheduler: kernels run in the one of three orders that needs the least memory, as in XLA: post-order, depth-first and
// list.
//
// What a result writes over, as an updated weight does, counts for nothing.
#ifndef PARTIR_SIM_SCHEDULE_MEMORY_SCHEDULER_H
#define PARTIR_SIM_SCHEDULE_MEMORY_SCHEDULER_H

#include "sim/fusion/kernel_graph.h"

// Kernels, those of a region from KernelGraph.from on.
uint32_t *schedule_min_memory(const Module *m, const Fusion *f, const KernelGraph *k, Arena *a);

#endif
