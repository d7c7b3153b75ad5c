// Roots: the value of which another value is a form. Converts, reshapes, transposes, slices, broadcasts and barriers only move their
// operand, and a loop passes on what it does not change:
//
//     %1 = convert %kernel        %2 = transpose %1        the root of %2 is %kernel
#ifndef PARTIR_IR_ANALYSIS_ROOTS_H
#define PARTIR_IR_ANALYSIS_ROOTS_H

#include "ir/module.h"

// By value: its root, itself if it is computed. One walk over the module.
const ValueId *roots_find(const Module *m, Arena *a);
// The op's first result is its first operand in another form.
bool op_moves(OpKind kind);

#endif
