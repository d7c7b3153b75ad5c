// Manual computations: JAX writes them for `shard_map`. Before partitioning, each one is flattened into the surrounding
// program, between border ops:
//
//     %y = sdy.manual_computation(%x) in [{"data"}] … (%a: tensor<8xf32>) {      %a = partir.all_slice %x  manual = "enter"
//       %s = "stablehlo.all_reduce"(%a)  groups over data                   =>   %s = partir.all_reduce %a manual = "body"
//       sdy.return %s }                                                         %y = partir.all_gather %s manual = "leave"
//
// Inside, the manual axes are taken: nothing is tiled by them, and collectives name them. On the other axes the ops are
// partitioned like all others. A border is tiled by its manual axes: a seed for propagation on the outside.
#ifndef PARTIR_CORE_ANNOTATION_MANUAL_H
#define PARTIR_CORE_ANNOTATION_MANUAL_H

#include "core/tactic/tactic.h"

typedef struct Manual {
    Module *m;             // the program with all manual computations flattened; NULL if there are none
    const AxisSet *inside; // by op of m: the manual axes of the computations in which it stood
    uint32_t n_axes;       // all manual axes, in the order in which borders name them
    AxisId axes[MESH_MAX_AXES];
} Manual;

// False with a diagnostic if the axes are not those of the mesh, or a collective is none along them.
bool manual_flatten(const Module *src, const Mesh *mesh, Arena *a, Manual *out);
// Manual axes do not pass through values inside.
void manual_close(State *s, const Manual *x);
// Borders are tiled as the computation says, and that is propagated.
void manual_apply(State *s, const Manual *x, TacticCounts *counts);


#endif
