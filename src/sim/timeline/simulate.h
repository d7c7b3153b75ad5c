// The simulator: time and memory of one step of a device-local program on a device, before anything runs.
//
//     step 812 ms = 640 ms of kernels + 120 ms on batch + 52 ms on model;   peak 11.2 GiB at dot_general model.py:41
//
// Each kernel takes the longer of its FLOPs and its bytes, and kernels follow one another. On a device whose links work
// beside its kernels
// (`overlap`) a collective starts when its operand is there and the collectives before it on the same links are done, a
// kernel when all that it reads is there: weights are gathered ahead, gradients summed behind. On others nothing
// overlaps. What is alive is not changed by it.
#ifndef PARTIR_SIM_TIMELINE_SIMULATE_H
#define PARTIR_SIM_TIMELINE_SIMULATE_H

#include "sim/device/device.h"
#include "sim/memory/liveness.h"
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

// All of the result is in `a`. Whoever simulates again and again keeps an arena for it and resets that in between.
void simulate(const Lowered *l, const Device *d, Arena *a, SimResult *out);

// The same in two parts. After the first, `out` has all but the memory, and `seconds` is a bound: what is computed again for
// the program to fit, and memory that is made anew, only add to it. The result names its ops after the second.
typedef struct SimRun SimRun;
SimRun *simulate_time(const Lowered *l, const Device *d, Arena *a, SimResult *out);
void simulate_memory(SimRun *run);

#endif
