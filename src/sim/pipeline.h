// The simulator: time and memory of one step of a device-local program on a device, before anything runs.
//
//     step 812 ms = 640 ms of kernels + 120 ms on batch + 52 ms on model;   peak 11.2 GiB at dot_general model.py:41
//
// The program goes through the passes of the compiler behind the device, one after another (pipeline.c lists them), and
// each leaves what it found in a SimRun for those that follow.
#ifndef PARTIR_SIM_PIPELINE_H
#define PARTIR_SIM_PIPELINE_H

#include "sim/timeline/timeline.h"

// The passes, in their order: enum, name, function of pipeline.c, and what a dump after it shows.
#define SIM_PASSES(P)                                                                                                  \
    P(CSE, "cse", pass_cse, dump_program)                                                                              \
    P(NORMALIZE, "normalize", pass_normalize, dump_program)                                                            \
    P(USERS, "users", pass_users, dump_program)                                                                        \
    P(LICM, "licm", pass_licm, dump_program)                                                                           \
    P(BF16_STORAGE, "bf16-storage", pass_bf16_storage, dump_program)                                                   \
    P(LAYOUT, "layout", pass_layout, dump_program)                                                                     \
    P(LIBRARY_FUSION, "library-fusion", pass_library_fusion, dump_program)                                             \
    P(GATHER_CSE, "gather-cse", pass_gather_cse, dump_program)                                                         \
    P(SCATTER_REWRITING, "scatter-rewriting", pass_scatter_rewriting, dump_program)                                    \
    P(ACCUMULATION, "accumulation", pass_accumulation, dump_program)                                                   \
    P(FUSION, "fusion", pass_fusion, dump_program)                                                                     \
    P(KERNEL_COST, "kernel-cost", pass_kernel_cost, dump_costs)                                                        \
    P(COMBINE, "collective-combining", pass_combine, dump_program)                                                     \
    P(KERNEL_GRAPH, "kernel-graph", pass_kernel_graph, dump_kernels)                                                   \
    P(SCHEDULE, "schedule", pass_schedule, dump_schedule)                                                              \
    P(LATENCY_HIDING, "latency-hiding", pass_latency_hiding, dump_schedule)                                            \
    P(LINEARIZE, "linearize", pass_linearize, dump_schedule)                                                           \
    P(TIMELINE, "timeline", pass_timeline, dump_timeline)                                                              \
    P(LIVENESS, "liveness", pass_liveness, dump_buffers)                                                               \
    P(MEMORY_SPACE, "memory-space", pass_memory_space, dump_buffers)                                                   \
    P(BUFFERS, "buffers", pass_buffers, dump_buffers)                                                                  \
    P(REMATERIALIZE, "rematerialize", pass_remat, dump_buffers)                                                        \
    P(MEMORY_TIME, "memory-time", pass_memory_time, dump_timeline)

typedef enum SimPass {
#define P(id, name, run, dump) PASS_##id,
    SIM_PASSES(P)
#undef P
        PASS_COUNT
} SimPass;

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
    const Slice *slices; // in the order of the schedule
    uint32_t n_loops;
    const LoopSpan *loops; // outer before inner
    const double *when;  // by position of the schedule, as MemoryUse.over_time, and one more: seconds from the start of the step
} SimResult;

typedef struct SimRun {
    const Lowered *lowered;
    const Device *device;
    const Backend *backend;
    Arena *a;
    SimProgram program;    // as the compiler has it
    ProgramOrder written;  // its ops
    Fusion fusion;
    KernelCosts costs;
    OpId *combined;        // by op: of collectives that are one, the next in a ring; NO_ID for all else
    KernelGraph graph;     // where kernels are ordered by memory
    uint32_t *kernels;     // in which order; NULL elsewhere
    OpSchedule schedule;
    Timeline timeline;
    Liveness *liveness;
    double vmem;           // the most bytes that are ever in the memory on chip
    SimResult *out;
    uint32_t dumped;       // a bit for each pass after which the program is printed
    Buffer *dump;
} SimRun;

// All of the result is in `a`. A caller that simulates often keeps an arena for it and resets it in between.
void simulate(const Lowered *l, const Device *d, Arena *a, SimResult *out);

// The same in two parts. After the first, `out` has all but the memory, and `seconds` is a bound: what is recomputed for
// the program to fit, and memory that is made anew, only add to it. The result names its ops after the second.
SimRun *simulate_time(const Lowered *l, const Device *d, Arena *a, SimResult *out);
void simulate_memory(SimRun *run);

// The same, printing the program after each of the passes whose bits are set.
void simulate_dump(const Lowered *l, const Device *d, uint32_t passes, Arena *a, Buffer *out);
const char *sim_pass_name(SimPass pass);

// The passes from `first` to `last`, with what those before have left in `run`.
void run_passes(SimRun *run, SimPass first, SimPass last);

#endif
