// What propagation and the state that it changes share.
#ifndef PARTIR_CORE_PROPAGATION_PROPAGATE_H
#define PARTIR_CORE_PROPAGATION_PROPAGATE_H

#include "core/propagation/state.h"

// Appends (axis, factor) to the nest; the caller has checked that it is legal.
void state_set(State *s, NodeId n, AxisId axis, uint8_t factor, Cause cause);

#endif
