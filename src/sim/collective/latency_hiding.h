// Latency hiding: reschedules a region, from its end, so that kernels run while a gather is under way. As in XLA's latency
// hiding scheduler one gather is under way at a time, started so early that kernels fill its time.
//
//     %0 = gather %w …          before    %0 %1 %2 %3
//     %1 = dot %x, %0           after     %0 %2 %1 %3: the gather is under way while %2 runs
//     %2 = dot %x, %y
//     %3 = add %1, %2
//
// Among kernels whose users are all scheduled, pick by: async depth, reads a gather, is a matmul, unblocks most producers,
// original order.
#ifndef PARTIR_SIM_SCHEDULE_LATENCY_HIDING_H
#define PARTIR_SIM_SCHEDULE_LATENCY_HIDING_H

#include "sim/fusion/kernel_graph.h"

typedef struct AsyncGathers {
    const double *seconds;  // by op that starts a kernel, and by collective
    const uint8_t *gathers; // by op: a gather that runs beside kernels
    double memory;          // bytes: gathers that have started early hold no more than half of it
} AsyncGathers;

// Changes the order in place: kernels, those of a region from KernelGraph.from on.
void hide_latency(const Module *m, const Fusion *f, const KernelGraph *k, const AsyncGathers *async, uint32_t *order,
                  Arena *a);

#endif
