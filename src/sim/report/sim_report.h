// Results of a simulation: a table with a row for each tactic, JSON, a trace for Perfetto or chrome://tracing, and dumps of the
// program after a pass.
#ifndef PARTIR_SIM_REPORT_SIM_REPORT_H
#define PARTIR_SIM_REPORT_SIM_REPORT_H

#include "sim/pipeline.h"
#include "session/partition.h"
#include "spmd/summary/attribution.h"

// The figures of the program after a tactic. The program itself is gone by the time that the next one is applied.
typedef struct SimRow {
    Span name;   // of the tactic; empty for what was there when the simulation began
    SimResult r; // without slices, residents and the memory over time
    double mfu;  // model FLOPs (sim/cost/model_flops.h), over what all devices could do in that time at their peak
    double hfu;  // the same of all FLOPs that devices execute, what is recomputed or replicated too
} SimRow;

typedef struct Simulation {
    const Device *device;
    double model_flops; // of the array program's dots and convolutions, what is recomputed counted once
    uint32_t n;
    const SimRow *rows;
    const SimResult *now; // of the program as it is
} Simulation;

SimRow sim_row(const Partition *p, const SimResult *r, const Device *d, double model_flops, Arena *a);
void sim_table(Partition *p, const Simulation *s, Buffer *out);
void sim_json(Partition *p, const Simulation *s, Buffer *out);
void sim_trace(Partition *p, const Simulation *s, Buffer *out);

// Exposed time: of a collective's seconds, those in which no kernel runs beside it.
typedef struct Busy { // seconds in which a kernel runs before some moment. Kernels follow one another
    uint32_t n;
    double *start, *before, *seconds; // of each kernel; the second: in those before it
} Busy;

Busy busy_times(const SimResult *r, Arena *a);
// Of a collective's time, what no kernel runs beside.
double exposed_seconds(const Busy *b, const Slice *e);
Attributed **attributed_by_op(const Attribution *all, const Lowered *l, Arena *a); // NULL for all that is no collective
// Writes to each collective the time that it takes, and what is exposed of that.
void time_collectives(Attribution *all, const Lowered *l, const SimResult *r, Arena *a);

// Culprits: who fills the memory at the peak, buffers that differ in the numbers of their layers alone as one.
//
//     8.70 GiB  32 × stablehlo.dot_general of loc/layers/*/attn/scores at model.py:41 [{batch}, {}, {}, {}], 4.35 GiB before padding
//     1.00 GiB  stablehlo.convert of params/embed at model.py:12 [{}, {}], hoisted out of its loop
void culprits_table(const Partition *p, const MemoryUse *use, Arena *a, Buffer *out);
void culprits_json(const Partition *p, const MemoryUse *use, Arena *a, Buffer *out);
// A value in the user's words: "argument params/w", "stablehlo.add at model.py:12".
void resident_print(const Partition *p, ValueId v, Buffer *out);
void could_split_json(const Partition *p, ValueId v, Buffer *out); // a key with a comma before it, if a tactic could

// Dumps: the simulated program after a pass, for people who want to see what a pass did.
//
//     %7 = stablehlo.tanh %5 : tensor<64x128xf32>      ; fused into %9
void dump_program(const SimRun *r, Buffer *out);  // ops as written, with all that is known of each
void dump_kernels(const SimRun *r, Buffer *out);  // what each kernel reads and writes; nothing without a kernel graph
void dump_schedule(const SimRun *r, Buffer *out); // as they run
void dump_costs(const SimRun *r, Buffer *out);    // what each kernel computes and moves
void dump_buffers(const SimRun *r, Buffer *out);  // buffers with the positions from and to which they are alive
void dump_timeline(const SimRun *r, Buffer *out); // when each kernel and collective starts, and how long it takes

#endif
