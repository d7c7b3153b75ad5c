// Timeline: when each kernel and collective of a step runs.
//
//     step 812 ms = 640 ms of kernels + 120 ms on batch + 52 ms on model
//
// Each kernel takes the longer of its FLOPs and its bytes, and kernels follow one another. On a device whose links work
// beside its kernels
// (`overlap`) a collective starts when its operand is there and the collectives before it on the same links are done, a
// kernel when all that it reads is there: weights are gathered ahead, gradients summed behind. On others nothing
// overlaps. What is alive is not changed by it.
#ifndef PARTIR_SIM_TIMELINE_TIMELINE_H
#define PARTIR_SIM_TIMELINE_TIMELINE_H

#include "sim/memory/liveness.h"
#include "sim/schedule/latency_hiding.h"
#include "spmd/lower.h"

// A kernel or collective on the time line. A loop is shown as one pass in which each slice lasts for all trips
// together.
typedef struct Slice {
    OpId op;
    double start, seconds, runs;
    double flops, bytes; // of a kernel, between memory and it; of a collective, sent by each device
    AxisSet axes;        // of a collective; 0 for a kernel
    bool bound_by_memory;
} Slice;

typedef struct SimResult {
    double seconds; // of one step: the device's start of a step, compute and exposed communication
    double compute; // seconds in kernels
    double communication;
    double exposed;        // of it, the seconds in which no kernel runs
    const double *by_axis; // seconds of communication along each axis of the mesh
    double flops;          // of dots and convolutions on one device
    double other_flops;
    double bytes;           // between the device's memory and its kernels
    double seconds_at_peak; // what `flops` would take at the full peak of their element types
    uint32_t unknown_trips; // loops counted as one trip
    MemoryUse memory;
    uint32_t n_slices;
    const Slice *slices;
} SimResult;

typedef struct Clock Clock;

// Of the program as the compiler has it, `as_given` being as it was lowered. `out` has all but the memory then, and names ops
// and values of the compiler's program.
Clock *time_program(const Lowered *as_given, const SimProgram *program, const ProgramOrder *written, const Fusion *f,
                    const Device *d, Arena *a, SimResult *out);

// What runs beside kernels: gathers along one dimension of a torus. NULL if nothing does.
const AsyncGathers *find_async_gathers(const Clock *c, const ProgramOrder *written);
// When the positions of the schedule come, by the time of kernels, and which of these wait for memory.
void memory_space_times(const Clock *c, const OpSchedule *order, MemorySpace *vmem);
// Adds what the memory that was found costs: pages that are made anew, and what is rematerialized.
void time_memory(Clock *c);

#endif
