// Automatic tactics: a search decides what a tactic does. Its answer is written as the lines of manual tactics. The steps, a file each:
//
//     colour, role        which dimensions are tiled together; what each argument is: data, weight, optimizer state
//     choice, inner       the actions of the search, from colours and roles; those on values inside the program
//     repeat, layers      repeated stretches of ops; the layers that they are
//     fold                the program with fewer layers
//     search, starts      plans are tried: starts, completed greedily, polished, varied
//       evaluate, archive   time and memory of a plan; the best plans
//     confirm             the best plans by the full simulator
//     lines, describe     the answer as tactics; comments on them
#ifndef PARTIR_AUTO_AUTO_H
#define PARTIR_AUTO_AUTO_H

#include "auto/search.h"
#include "session/partition.h"

// A plan of the Pareto front of time and memory.
typedef struct FrontPoint {
    double seconds, peak;
    uint32_t n;
    const Tactic *tactics;
    GatherPolicy gathers;
} FrontPoint;

typedef struct AutoResult {
    uint32_t n;
    const Tactic *tactics; // manual; applied in order they are what the search found. All is in the partition's arena
    GatherPolicy gathers;  // with which they were judged
    uint32_t n_front;
    const FrontPoint *front; // the fastest first
} AutoResult;

// Searches for what an automatic tactic does to the program in its present state. A plan is judged after the tactics that
// follow in the schedule. The state does not change. False with a diagnostic.
bool auto_search(Partition *p, const Tactic *t, const Tactic *after, uint32_t n_after, const Source *source,
                 const Device *device, AutoResult *out);

#endif
