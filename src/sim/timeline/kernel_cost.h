// Kernel costs: the FLOPs and bytes of each kernel, and the time of each collective. They do not depend on the schedule.
//
//     %0 = multiply %x, %y      fused into %1: its FLOPs and what it reads count there
//     %1 = add %0, %z           2 x 4096 FLOP, reads %x, %y and %z, writes %1: 64 KiB, 80 ns
#ifndef PARTIR_SIM_TIMELINE_KERNEL_COST_H
#define PARTIR_SIM_TIMELINE_KERNEL_COST_H

#include "sim/cost/cost.h"
#include "sim/fusion/fusion.h"
#include "sim/memory/memory_space.h"
#include "sim/schedule/schedulers.h"
#include "spmd/lower/lower.h"

typedef enum CostKind {
    COST_NONE, // computed inside another, a constant or an alias
    COST_KERNEL,
    COST_COLLECTIVE
} CostKind;

typedef struct KernelCost { // of one run
    double flops, bytes;    // of a collective: sent by each device
    double flop_seconds, memory_seconds, strided_seconds;
    double seconds; // all of it; where there is a cache, if nothing is in it
    double runs;    // in a step
    AxisSet axes;   // of a collective
    uint32_t moves, last_move; // where there is a cache: what it moves, in KernelCosts.moves; NO_ID if it moves nothing
    uint8_t kind;   // CostKind
    uint8_t collective; // CollectiveKind
    bool bound_by_memory;
} KernelCost;

// Bytes of a value that go between a kernel and memory.
typedef struct KernelMove {
    ValueId value;
    double bytes;
    uint32_t next;  // of the same kernel, or NO_ID
    bool is_result; // it takes the memory of something that has just died
} KernelMove;

typedef struct KernelCosts {
    const Device *d;
    const Mesh *mesh;   // whose axes collectives name
    Mesh named;         // links and times are those of its axes
    AxisLink *links;
    double turns;       // devices that take turns on one machine
    KernelCost *of;     // by op that runs
    VEC(KernelMove) moves;
    // Of a step:
    double communication, flops, other_flops, bytes, seconds_at_peak;
    double *by_axis;
    uint32_t unknown_trips; // loops counted as one trip
} KernelCosts;

// Of the program as the compiler has it, `as_given` being as it was lowered.
KernelCosts find_kernel_costs(const Lowered *as_given, const SimProgram *program, const ProgramOrder *written,
                              const Fusion *f, const Device *d, Arena *a);

// What runs beside kernels: gathers along one dimension of a torus. NULL if nothing does.
const AsyncGathers *find_async_gathers(const Module *m, const KernelGraph *kernels, const KernelCosts *costs, Arena *a);
// When the positions of the schedule come, by the time of kernels, and which of these wait for memory.
void memory_space_times(const Module *m, const OpSchedule *order, const KernelCosts *costs, MemorySpace *vmem);

#endif
