// Lines: writes a plan as manual tactics with few patterns, for a person to read. They lead to the same state.
//
//     tactic Auto_1 on model { params/layers/*/{qkv,up}/kernel : 1 }
#ifndef PARTIR_AUTO_LINES_H
#define PARTIR_AUTO_LINES_H

#include "auto/evaluate.h"

typedef struct Writer {
    State *state; // of the whole program, without the plan
    const Site *sites;
    State *folded; // of one with fewer layers, on which lines are tried first; NULL if there is none
    const Site *folded_sites;
    const Targets *targets;
    const Choices *choices;
    Span name;  // of the automatic tactic
    bool brief; // as few lines as lead to the state; otherwise what was done, quickly
    Arena *a;
} Writer;

// The state does not change.
const Tactic *plan_to_tactics(const Writer *w, const Plan *plan, uint32_t *n);

#endif
