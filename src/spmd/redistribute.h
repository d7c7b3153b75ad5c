// Redistribution: the cheapest sequence of slices, permutes, all_to_alls and gathers that takes a value from one
// distribution to another.
//
//     [{model}, {}] -> [{}, {model}]      all_to_all model, 0 -> 1        (never gather everything and slice again)
#ifndef PARTIR_SPMD_REDISTRIBUTE_H
#define PARTIR_SPMD_REDISTRIBUTE_H

#include "spmd/dist.h"

typedef enum StepKind { STEP_SLICE, STEP_GATHER, STEP_ALL_TO_ALL, STEP_PERMUTE } StepKind;

typedef struct Step {
    StepKind kind;
    const Dist *from, *to;
    uint8_t split_dim, concat_dim; // all_to_all: the dimension that gets the axes, and the one that loses them
} Step;

typedef struct Plan {
    const Dist *from, *to;
    TypeId type;
    uint32_t n;
    const Step *steps;
} Plan;

typedef struct Search Search;

typedef struct Planner {
    DistBook *dists;
    const Module *m; // for the global types
    Arena *arena;
    IdMap map;
    VEC(const Plan *) plans;
    Search *scratch;
} Planner;

void planner_init(Planner *p, DistBook *dists, const Module *m, Arena *a);
// `from` and `to` are pending on the same axes. `type` is the global type.
const Plan *plan_redistribution(Planner *p, const Dist *from, const Dist *to, TypeId type);

#endif
