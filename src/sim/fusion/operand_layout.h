// Operand layout: operands that an op reads in an order of dimensions other than that in which they lie, so that they are copied.
//
//     dot_general %x, %y contracting [0] x [0]      a CPU's library wants the depth of %x last: %x is copied
#ifndef PARTIR_SIM_FUSION_OPERAND_LAYOUT_H
#define PARTIR_SIM_FUSION_OPERAND_LAYOUT_H

#include "sim/backend/backend.h"
#include "sim/schedule/schedule.h"

// By operand (its place in Module.operands): 0, or the order of dimensions in which its op needs a copy of it.
uint32_t *find_operand_copies(const Module *m, const ProgramOrder *written, const Backend *backend, Arena *a);
// Whether a dot reads an operand of more dimensions as a matrix.
bool reads_matrix(const Module *m, OpId dot, uint32_t operand);

#endif
