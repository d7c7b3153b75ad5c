// Ahead: an order once more, from its end, where gathers run beside kernels. So XLA's latency hiding scheduler does it: one
// gather is under way at a time, begun so early that kernels fill its time.
//
//     %0 = gather %w …          as it was    %0 %1 %2 %3
//     %1 = dot %x, %0           ahead        %0 %2 %1 %3: the gather is under way while %2 runs
//     %2 = dot %x, %y
//     %3 = add %1, %2
//
// Of the kernels that all readers of are there, that one runs before them which most gathers must have been waited for, then one
// that reads a gather, then a product, as gathers run in one kernel with products, then the one which makes most others ready,
// then the last as it was.
#ifndef PARTIR_SIM_SCHEDULE_LATENCY_HIDING_H
#define PARTIR_SIM_SCHEDULE_LATENCY_HIDING_H

#include "sim/fusion/kernel_graph.h"

typedef struct AsyncGathers {
    const double *seconds;  // by op that starts a kernel, and by collective
    const uint8_t *gathers; // by op: a gather that runs beside kernels
    double memory;          // bytes: gathers that are done ahead have no more than half of it
} AsyncGathers;

typedef struct LatencyHiding LatencyHiding;

LatencyHiding *latency_hiding_new(const Module *m, const KernelGraph *k, const AsyncGathers *async, const double *bytes,
                                  Arena *a);                                 // by value
void schedule_latency_hiding(LatencyHiding *h, RegionId r, uint32_t *order); // all kernels of a region, in place

#endif
