// Timeline: when each kernel and collective of a step runs, in the order of the schedule.
//
//     0 us     kernels     %1 = dot            position 4 of the schedule
//     12 us    batch       %2 = all_gather     position 5: starts when the schedule comes to it
//     12 us    kernels     %3 = dot            position 6: runs beside it
//     31 us    kernels     %4 = dot %3, %2     position 7: waits for %2
//
// Kernels run one after another. A collective starts when the schedule comes to it and the earlier collectives on the same links are
// done. If the device's compiler makes its kind asynchronous (`overlap`), kernels run beside it until one reads its result. All other
// collectives block the kernels.
#ifndef PARTIR_SIM_TIMELINE_TIMELINE_H
#define PARTIR_SIM_TIMELINE_TIMELINE_H

#include "sim/memory/liveness.h"
#include "sim/timeline/kernel_cost.h"

// A kernel or collective on the timeline. A loop is shown as one pass in which each slice lasts for all trips
// together.
typedef struct Slice {
    OpId op;
    double start, seconds, runs;
    double flops, bytes; // of a kernel, between memory and it; of a collective, sent by each device
    AxisSet axes;        // of a collective; 0 for a kernel
    bool bound_by_memory;
} Slice;

// From the begin of a loop, or of a branch, to its end: the slices inside lie between.
typedef struct LoopSpan {
    OpId op;
    double start, end;
    uint32_t first_slice, end_slice;
} LoopSpan;

typedef struct Timeline {
    double seconds; // of one step: the device's start of a step, compute and exposed communication
    double compute; // seconds in kernels
    double exposed; // seconds of communication in which no kernel runs
    uint32_t n_slices;
    Slice *slices;
    uint32_t n_loops;
    LoopSpan *loops; // outer before inner
    double *when; // by position of the schedule, and one more: seconds from the start of the step
} Timeline;

// With the memory that it needs, if that is known: what is rematerialized runs once more, and the pages of temporaries are made.
Timeline time_schedule(const Module *m, const OpSchedule *order, const Fusion *f, const KernelCosts *costs,
                       const MemoryUse *memory, Arena *a);
// What a collective reads that runs beside kernels stays in memory until a kernel waits for it: `until` of the schedule.
void hold_operands(const Module *m, const Fusion *f, const KernelCosts *costs, const Backend *backend, OpSchedule *order,
                   Arena *a);
// Whether the memory changes the time.
bool memory_takes_time(const KernelCosts *costs, const MemoryUse *memory);

#endif
