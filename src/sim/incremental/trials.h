// Trials: what a search asks, thousands of times. How long would a step take, and how much memory, if this were tiled too?
//
//     trials_begin(&t, p, device);                              the state as it is now is the base
//     uint32_t mark = state_mark(s);
//     action_tile(s, …); propagate(s, mark, axis);
//     trials_evaluate(&t, best.seconds, &out);                      seconds and peak
//     state_undo(s, mark);                                      or keep it, and trials_rebase now and then
//
// Each evaluation lowers what differs from the base, simulates, and knows the states it has evaluated before. The
// figures are those of partition_lowered and simulate.
#ifndef PARTIR_SIM_INCREMENTAL_TRIALS_H
#define PARTIR_SIM_INCREMENTAL_TRIALS_H

#include "sim/pipeline.h"
#include "session/partition.h"
#include "spmd/relower.h"

typedef struct TrialCost {
    double seconds, compute, communication, exposed;
    double peak, peak_most; // bytes; 0 if they were not looked for
    bool complete; // false: the step takes longer than was asked for, at least `seconds`, and its memory is not known
} TrialCost;

enum { TRIAL_ORDERS = 6 }; // of three axes; what is kept for all those of four would be too much

typedef struct Trials {
    Partition *p;
    const Device *device;
    Relowering lowered;               // in the order of the nests
    Relowering ordered[TRIAL_ORDERS]; // with the axes in another one; made when they are needed
    AxisId orders[TRIAL_ORDERS][MESH_MAX_AXES];
    Arena arena;
    Arena lowering, simulation; // of one evaluation
    struct TrialMemo *memo;
} Trials;

// False with a diagnostic; the caller ends the trials in any case.
bool trials_begin(Trials *t, Partition *p, const Device *d);
void trials_end(Trials *t);
// Of the state as it is now. If a step takes longer than `longest` whatever its memory, that is not looked for. False with a
// diagnostic.
bool trials_evaluate(Trials *t, double longest, TrialCost *out);
bool trials_rebase(Trials *t); // to the state as it is now, so that the next looks differ little from it

#endif
