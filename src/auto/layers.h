// Layers: which ops and arguments of a program belong to which of its repeated layers. This is found by structure alone. The
// longest stretch whose copies each read their own arguments numbers the layers. Other stretches (the backward pass, the
// optimizer) belong to the layers whose arguments they read. A stretch that reads other arguments forms another family of
// layers: those of an encoder beside those of a decoder.
#ifndef PARTIR_AUTO_LAYERS_H
#define PARTIR_AUTO_LAYERS_H

#include "auto/repeat.h"
#include "core/propagation/graph.h"

typedef struct LayerPart {
    Stretch at;
    const uint32_t *layer; // by copy; NO_ID: of no layer
} LayerPart;

typedef struct Layers {
    uint32_t n_ops;
    const OpId *ops;  // of the body, in order
    uint32_t *number; // by op of the module: its position there; NO_ID elsewhere
    uint32_t *part;   // by position: the stretch it is in, or NO_ID
    uint32_t n_parts;
    const LayerPart *parts;
    uint32_t n;               // layers, of all families
    const uint32_t *family;   // by layer
    const bool *removable;    // by layer: nothing outside of stretches knows it
    const uint32_t *argument; // by argument: its layer, or NO_ID
    const uint32_t *group;    // by argument: those with the same place in other layers
} Layers;

// n is 0 if nothing repeats.
Layers layers_find(const Graph *g, Arena *a);
// The number of layers that can be removed from each family of about the length of the first, longest one. It is the same for all
// of them, so that each layer that stays adds the same time and memory.
uint32_t layers_removable(const Layers *l);
static inline uint32_t layers_copy(const Layers *l, uint32_t position) {
    const Stretch *s = &l->parts[l->part[position]].at;
    return (position - s->start) / s->period;
}
// The layer of the op at a position; NO_ID if it is of none.
static inline uint32_t layers_of(const Layers *l, uint32_t position) {
    return l->part[position] == NO_ID ? NO_ID : l->parts[l->part[position]].layer[layers_copy(l, position)];
}

#endif
