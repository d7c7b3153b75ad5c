// Stops: the nodes that were offered a tiling along an axis and could not take it, with the reason.
#ifndef PARTIR_CORE_PROPAGATION_STOPS_H
#define PARTIR_CORE_PROPAGATION_STOPS_H

#include "core/propagation/state.h"

typedef struct Stop {
    const char *why;
    AxisId axis;
    uint32_t count;
    NodeId first;
} Stop;

typedef struct Stops {
    uint32_t n;
    Stop *at;
} Stops;

// The first reason why a node could not take an offer of a neighbour on an axis that it does not have; NULL if there is none.
const char *stop_reason(const State *s, NodeId n, AxisId axis);
Stops stops_find(const State *s, const AxisId *axes, uint32_t n, Arena *a);

#endif
