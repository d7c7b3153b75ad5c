// Scatter rewriting: scatters that the compiler turns into selects, or into scatters onto another operand.
//
//     %0 = broadcast_in_dim 0
//     %1 = scatter(%0, %indices, %updates) add
//     %2 = add %y, %1                              a scatter into %y
#ifndef PARTIR_SIM_BACKEND_SCATTER_REWRITING_H
#define PARTIR_SIM_BACKEND_SCATTER_REWRITING_H

#include "sim/program/users.h"

// Whether it writes one element to each row of a constant, and so is a comparison.
bool scatter_selects(const Module *m, OpId scatter);
// By op: a scatter into zeros that an add alone reads, or the add; NULL if there are no scatters.
uint8_t *find_scatter_adds(const Module *m, const ProgramOrder *written, const Users *u, Arena *a);

#endif
