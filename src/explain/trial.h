// Trials of a fix: partitions the program by a changed schedule and finds the bytes, FLOPs and time of a step.
//
//     Trial t;
//     trial_begin(&t, p, &targets, device);
//     if (trial_run(&t, &proposal) == TRIAL_NEW) … t.now, t.state, t.lowered
//     trial_end(&t);
//
// The partition itself does not change: trials have their own state. They reuse the tactics before the first change.
#ifndef PARTIR_EXPLAIN_TRIAL_H
#define PARTIR_EXPLAIN_TRIAL_H

#include "explain/proposal.h"
#include "sim/pipeline.h"
#include "session/partition.h"

#define SLACK 1.01 // of FLOPs and stored bytes: 1 % more does not count as worse

typedef struct Figures {
    double bytes;     // sent by each device
    double flops;     // of each device
    double arguments; // bytes of each device
    double seconds, peak; // with a device; otherwise 0
} Figures;

typedef enum TrialStatus {
    TRIAL_NEW,
    TRIAL_KNOWN,  // the same program as before, or as one that was tried
    TRIAL_ILLEGAL // the schedule cannot be applied
} TrialStatus;

typedef struct Trial {
    Partition *p;
    const Targets *targets; // with locations
    const Device *device;   // NULL: none
    Arena arena, work;
    Edited schedule; // as it was applied
    State state;
    uint32_t kept; // how many of the schedule's tactics the state keeps through all trials
    uint32_t end;  // mark of the state with all of them
    uint32_t tried;
    Lowered *lowered;
    Figures before, now;
    VEC(struct TriedState {
        StateHash nests;
        GatherPolicy gathers;
    })
    seen;
} Trial;

// The targets have locations. False with a diagnostic.
bool trial_begin(Trial *t, Partition *p, const Targets *targets, const Device *d);
void trial_end(Trial *t);
TrialStatus trial_run(Trial *t, const Proposal *x);

#endif
