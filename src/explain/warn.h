// One warning that nobody asked for: gathers of weights that send many times what moving the activations to them would. A step that keeps the
// weights where they are, each tiled before all else as it is stored, was tried and sends much less.
#ifndef PARTIR_EXPLAIN_WARN_H
#define PARTIR_EXPLAIN_WARN_H

#include "explain/trial.h"
#include "spmd/attribution.h"

typedef struct GatherWarning {
    bool found;
    double gathered, activations; // bytes of those gathers in a step; of what their ops read and give beside the weights
    const char *weights;          // the first of them, layers together
    Proposal proposal;
    Edited schedule; // what it changes
    Figures before, now;
} GatherWarning;

// False with a diagnostic.
bool warn_gathers(Partition *p, Arena *a, GatherWarning *out);
void warn_print(const GatherWarning *w, Buffer *out);
void warn_json(const GatherWarning *w, Buffer *out); // a member "warnings" of an object, after a comma

#endif
