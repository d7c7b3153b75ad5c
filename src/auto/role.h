// Roles: what an argument is to a step, found by structure alone. State is what the step returns for the next step: tied arguments,
// or arguments that a result updates. State that only elementwise ops read belongs to the optimizer. In a program without training
// state (inference), every argument that does not have the size of a weight is data. A cache is data too: it is tied, but it is
// not updated elementwise as a weight is.
#ifndef PARTIR_AUTO_ROLE_H
#define PARTIR_AUTO_ROLE_H

#include "core/propagation/graph.h"

typedef enum Role { ROLE_DATA, ROLE_WEIGHT, ROLE_OPTIMIZER } Role;

// By argument.
const uint8_t *roles_find(const Graph *g, Arena *a);

#endif
