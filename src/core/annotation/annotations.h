// Annotations: shardings that a program itself carries, of `with_sharding_constraint`, of Explicit meshes and on the
// signature of @main. They are tactics that come before the schedule's, one for each axis that some annotation names.
//
//     sdy.sharding_constraint %x <@mesh, [{"data"}, {}]>      on data: tile %x at 0;  on model, if another one names it:
//                                                             %x is replicated
#ifndef PARTIR_CORE_ANNOTATION_ANNOTATIONS_H
#define PARTIR_CORE_ANNOTATION_ANNOTATIONS_H

#include "core/annotation/sharding.h"
#include "core/tactic/tactic.h"

typedef struct Annotation {
    Port at;
    ValueId value; // made atomic by a closed sharding
    Sharding sharding;
    uint32_t source; // offset in the module's text
} Annotation;

typedef struct Annotations {
    uint32_t n;
    const Annotation *at;
    uint32_t n_axes; // that are named, in mesh order
    const AxisId *axes;
} Annotations;

// Finds them, and says once which of their axes are left out. False with a diagnostic if there are some, and the mode
// is that they are an error.
bool annotations_find(const Graph *g, const Mesh *mesh, AnnotationMode mode, Arena *a, Annotations *out);
// One of the tactics: actions on one axis, then propagation. What cannot be done is left out with one warning.
void annotations_apply(State *s, const Annotations *x, AxisId axis, TacticCounts *counts);

#endif
