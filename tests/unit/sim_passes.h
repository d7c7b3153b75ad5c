// What tests of the simulator share that look at a program after some of its passes.
#ifndef PARTIR_TESTS_SIM_PASSES_H
#define PARTIR_TESTS_SIM_PASSES_H

#include "sim/pipeline.h"

// Of a program as it is written.
static inline Fusion fused(const Module *m, const ExpressionTrees *trees, const Backend *backend, Arena *a) {
    SimRun r = {.program = {.m = (Module *)m, .trees = trees}, .backend = backend, .a = a};
    run_passes(&r, PASS_USERS, PASS_FUSION);
    return r.fusion;
}

// `async` is by op.
static inline AsyncGathers async_kernels(const AsyncGathers *async, const KernelGraph *k, Arena *a) {
    double *seconds = arena_new(a, double, k->n);
    uint8_t *gathers = arena_new(a, uint8_t, k->n);
    for (uint32_t i = 0; i < k->n; i++)
        seconds[i] = async->seconds[k->op[i]], gathers[i] = async->gathers[k->op[i]];
    return (AsyncGathers){seconds, gathers, async->memory};
}

// In the order of the backend's own scheduler; gathers of `async`, which is by op, start early if it is not NULL.
static inline OpSchedule scheduled(const Module *m, const ProgramOrder *written, const Fusion *f, const Backend *backend,
                                   const AsyncGathers *async, Arena *a) {
    SimRun r = {.program = {.m = (Module *)m}, .written = *written, .fusion = *f, .backend = backend, .a = a};
    run_passes(&r, PASS_COMBINE, PASS_SCHEDULE);
    if (async) {
        AsyncGathers kernels = async_kernels(async, &r.graph, a);
        hide_latency(m, f, &r.graph, &kernels, r.kernels, a);
    }
    run_passes(&r, PASS_LINEARIZE, PASS_LINEARIZE);
    return r.schedule;
}

static inline OpSchedule min_memory(const Module *m, const ProgramOrder *written, const Fusion *f, const Backend *backend,
                                    const AsyncGathers *async, Arena *a) {
    Backend b = *backend;
    b.min_memory = true;
    return scheduled(m, written, f, &b, async, a);
}

static inline MemoryUse memory_use(const Module *m, const OpSchedule *order, const Fusion *f, const Backend *backend,
                                   double memory, Arena *a) {
    Liveness *l = find_liveness(m, order, f, backend, NULL, a);
    MemoryUse use = assign_buffers(l, memory);
    rematerialize(l, memory, &use);
    return use;
}

#endif
