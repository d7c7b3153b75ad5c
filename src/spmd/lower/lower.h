// Lowering: from nests to the device-local program (PartIR:HLO): array ops on local shapes, and collectives that name
// mesh axes.
//
//     %0 = dot_general(x, w)      nest: (batch, i), (model, k)      x: [{batch}, {model}]   w: [{model}, {}]
//  ⇒  %0 = dot_general on chunks                                    [{batch}, {}] + sum{model}
//     %1 = partir.all_reduce %0 {axes = ["model"]}                  [{batch}, {}]
#ifndef PARTIR_SPMD_LOWER_LOWER_H
#define PARTIR_SPMD_LOWER_LOWER_H

#include "core/schedule/schedule.h"
#include "spmd/dist.h"

// Ops from one number up to another.
typedef struct OpRange {
    OpId from, to;
} OpRange;

typedef struct Lowered {
    Module *m; // the device-local program; borrows texts of the source module
    const Mesh *mesh;
    const Dist **dist; // by value of m; NULL for helper values that only the device itself knows (masks, offsets)
    OpId *origin;      // by op of m: the source op it was made for; NO_ID for the function itself
    const bool *image; // by op of m: it is its origin on local shapes; otherwise a helper or a collective
    const Dist **argument_dist, **result_dist; // of @main
    DistBook *dists;                           // where all of these are interned
    uint32_t n_permutes;                       // collective_permutes that only reorder axes
    uint32_t n_ordered; // axes that LowerOptions.axis_order is about: those of the mesh before redistributions cut it further
} Lowered;

typedef struct LowerOptions {
    GatherPolicy gathers;
    const AxisId *axis_order; // axes of one dimension in this order (n_ordered entries), or NULL: in the order of the nest
} LowerOptions;

// Allocates the module from the context; scratch from `a`. NULL with a diagnostic on failure.
Lowered *lower(const State *s, const LowerOptions *options, Arena *a);
void lowered_free(Lowered *l);

#endif
