// Collective combining: those of a kind over the same axes of which none needs another are one, as the sums
// of all gradients.
#ifndef PARTIR_SIM_SCHEDULE_COLLECTIVE_COMBINER_H
#define PARTIR_SIM_SCHEDULE_COLLECTIVE_COMBINER_H

#include "sim/schedule/schedule.h"

// Of each collective of that kind in @main that is combined with others, `next` becomes the next of them in a ring.
// A ring holds at most `limit` bytes: in the order in which results of the program read them, each goes into the first ring that has
// room. All of `next` must be NO_ID before.
void combine_collectives(const Module *m, const ProgramOrder *written, OpKind kind, double limit, OpId *next, Arena *a);

#endif
