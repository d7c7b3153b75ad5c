// A warning that is given unasked: gathers of weights, or sums over weights, send many times the bytes that moving the activations
// would send. It is given only after a trial: with the weights tiled first, a step sends less.
#ifndef PARTIR_EXPLAIN_WARN_H
#define PARTIR_EXPLAIN_WARN_H

#include "explain/trial.h"
#include "spmd/summary/attribution.h"

typedef struct GatherWarning {
    bool found;
    double sent;         // bytes of those collectives in a step
    const char *weights; // those that save most, layers together
    Proposal proposal;
    Edited schedule; // what it changes
    Figures before, now;
} GatherWarning;

// False with a diagnostic.
bool warn_gathers(Partition *p, Arena *a, GatherWarning *out);
void warn_print(const GatherWarning *w, Buffer *out);
void warn_json(const GatherWarning *w, Buffer *out); // a member "warnings" of an object, after a comma

#endif
