// Nearby: finds the named values around some ops, nearest first, and writes each as a pattern for a line of a schedule.
//
//     around the dot_general of layer 3:   params/layers/*/up/kernel   x   loc/decoder/layers_*/up/dot_general
#ifndef PARTIR_EXPLAIN_NEARBY_H
#define PARTIR_EXPLAIN_NEARBY_H

#include "core/tactic/tactic.h"

typedef struct NamedValue {
    const char *pattern; // one for all layers, if they differ in numbers alone
    const char *name;    // its own
    const Type *type;
    bool location; // named by a loc/… path alone
} NamedValue;

typedef struct Nearby {
    uint32_t n;
    const NamedValue *at;
} Nearby;

// At most `most` of them; locations only of ops that are near.
Nearby nearby_find(const Graph *g, const Targets *t, const NodeId *from, uint32_t n, uint32_t most, Arena *a);

#endif
