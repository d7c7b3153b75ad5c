// PartIR:Core as a program: the array program, each op inside its loops over mesh axes. It runs sequentially in the
// interpreter and computes what the array program computes; the tests check this after every tactic.
//
//     %1 = loop "batch" [#tile<0>] (%r : range<4>) {
//       %2 = slice 0 %x[%r]
//       %3 = stablehlo.dot_general %2, %w …
//       yield %3
//     }
#ifndef PARTIR_SPMD_CORE_PROGRAM_H
#define PARTIR_SPMD_CORE_PROGRAM_H

#include "core/propagation/state.h"

// A new module; the source module must outlive it. Scratch from `a`.
Module *core_program(const State *s, Arena *a);

#endif
