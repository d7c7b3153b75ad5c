// Roles: what an argument is to a step, by structure alone. The state is what a step returns as the next one, by
// ties or as updates; of it, the optimizer's is what only elementwise ops ever see. Without state (a program that infers), all that is not
// a weight's size is data, and so is a cache: what is tied but not updated elementwise, as a weight is.
#ifndef PARTIR_AUTO_ROLE_H
#define PARTIR_AUTO_ROLE_H

#include "core/propagation/graph.h"

typedef enum Role { ROLE_DATA, ROLE_WEIGHT, ROLE_OPTIMIZER } Role;

// By argument.
const uint8_t *roles_find(const Graph *g, Arena *a);

#endif
