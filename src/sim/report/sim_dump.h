// Dumps: the simulated program after a pass, for people who want to see what a pass did.
//
//     %7 = stablehlo.tanh %5 : tensor<64x128xf32>      ; fused into %9
#ifndef PARTIR_SIM_REPORT_SIM_DUMP_H
#define PARTIR_SIM_REPORT_SIM_DUMP_H

#include "sim/pipeline.h"

void dump_program(const SimRun *r, Buffer *out);  // ops as written, with all that is known of each
void dump_kernels(const SimRun *r, Buffer *out);  // what each kernel reads and writes; nothing without a kernel graph
void dump_schedule(const SimRun *r, Buffer *out); // as they run
void dump_costs(const SimRun *r, Buffer *out);    // what each kernel computes and moves
void dump_buffers(const SimRun *r, Buffer *out);  // buffers with the positions from and to which they are alive
void dump_timeline(const SimRun *r, Buffer *out); // when each kernel and collective starts, and how long it takes

#endif
