// What was simulated, for people and for tools: a table with a row for each tactic, JSON, and a trace for Perfetto or
// chrome://tracing.
#ifndef PARTIR_SIM_REPORT_SIM_REPORT_H
#define PARTIR_SIM_REPORT_SIM_REPORT_H

#include "sim/pipeline.h"
#include "session/partition.h"

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

#endif
