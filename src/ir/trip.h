// Trip counts: how often a `while` runs, read off its condition.
#ifndef PARTIR_IR_TRIP_H
#define PARTIR_IR_TRIP_H

#include "ir/module.h"

// -1 if it is not known: the loop does not count a carried integer from one constant to another by a constant step.
int64_t trip_count(const Module *m, OpId while_op);

#endif
