// Trip counts: how often a `while` runs, read off its condition.
#ifndef PARTIR_IR_ANALYSIS_TRIP_H
#define PARTIR_IR_ANALYSIS_TRIP_H

#include "ir/module.h"

// -1 if it is not known: the loop does not count a carried integer from one constant to another by a constant step.
int64_t trip_count(const Module *m, OpId while_op);

// How often the body of a loop in a loop runs. Beyond what any machine does the count stays where it is, so that nothing that is
// multiplied by it is infinite.
static inline double runs_in_loop(double runs, int64_t trips) {
    double all = runs * (trips < 0 ? 1 : (double)trips);
    return all > 1e30 ? 1e30 : all;
}

// All ops of @main in program order, regions of loops and branches too, with how often each runs in a step.
typedef void VisitOp(void *arg, OpId op, double runs);
void visit_runs(const Module *m, VisitOp *visit, void *arg, Arena *a);

#endif
