// Redistribution: the cheapest sequence of collectives that takes a value from one distribution to another, and takes the
// sums that are pending in the first and not in the second.
//
//     [{model}, {}] -> [{}, {model}]              all_to_all model, 0 -> 1     (never gather everything and slice again)
//     [{}, {}] + sum{batch} -> [{batch}, {}]      reduce_scatter
//     [{c}, {}] -> [{a}, {c,b}]                   slice to [{c}, {a,b}], then permute
//
// Cheapest: fewest bytes sent by a device, then fewest collectives, then the lowest peak (what the operand and the result of
// a collective take together). No device spec is needed for that.
#ifndef PARTIR_SPMD_REDISTRIBUTE_REDISTRIBUTE_H
#define PARTIR_SPMD_REDISTRIBUTE_REDISTRIBUTE_H

#include "spmd/dist.h"

typedef enum StepKind {
    STEP_SLICE,
    STEP_GATHER,
    STEP_ALL_TO_ALL,
    STEP_PERMUTE,
    STEP_REDUCE_SCATTER,
    STEP_ALL_REDUCE
} StepKind;

// A gather, an all_to_all and a reduce_scatter work on one dimension: that is what one collective of a backend does.
typedef struct MoveStep {
    StepKind kind;
    const Dist *from, *to;
    uint8_t split_dim, concat_dim; // all_to_all: the dimension that gets the axes, and the one that loses them
} MoveStep;

typedef struct MovePlan {
    const Dist *from, *to;
    TypeId type;
    uint32_t n;
    const MoveStep *steps;
    uint32_t n_borders; // where axes must be cut for a plan that sends less: parts of axes that the mesh does not have
    const AxisBorder *borders;
} MovePlan;

typedef struct MovePlanner {
    DistBook *dists;
    const Module *m; // for the global types
    Arena *arena;
    IdMap map;
    VEC(const MovePlan *) plans;
    struct PlanSearch *search; // scratch
} MovePlanner;

void planner_init(MovePlanner *p, DistBook *dists, const Module *m, Arena *a);
// `to` is pending on no axis on which `from` is not. `type` is the global type.
const MovePlan *plan_redistribution(MovePlanner *p, const Dist *from, const Dist *to, TypeId type);

// ---- redistribute_problem.c -----------------------------------------------------------------------------------------
// Steps from one distribution to another that are not merged yet: slices follow each other. How many, or 0 if there are too
// many axes to search; the caller's `steps` has room for MAX_STEPS, and `borders` (as in MovePlan) for MAX_BORDERS.
#define MAX_STEPS   (2 * MESH_MAX_AXES + 1)
#define MAX_BORDERS MESH_MAX_SPLITS
uint32_t search_steps(MovePlanner *p, const Dist *from, const Dist *to, const Type *type, MoveStep *steps,
                      AxisBorder *borders, uint32_t *n_borders);

#endif
