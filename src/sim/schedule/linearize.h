// Linearization: from an order of kernels to an order of all ops.
//
//     kernels {%2}, {%0 %1 %3}      %2 %0 %1 %3: what is computed in a kernel comes right before its last op
#ifndef PARTIR_SIM_SCHEDULE_LINEARIZE_H
#define PARTIR_SIM_SCHEDULE_LINEARIZE_H

#include "sim/fusion/kernel_graph.h"

// Uses up KernelGraph.of_op.
OpSchedule linearize_kernels(const Module *m, const ProgramOrder *written, const Fusion *f, KernelGraph *k,
                             const OpId *combined, const uint32_t *order, Arena *a);

#endif
