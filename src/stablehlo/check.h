// Check: is this module a program? Values are in scope, ops have the operands, attributes and regions that the op table
// asks for, and every result has the type that follows from the operands.
//
//     if (!check_module(m)) return NULL;                     // up to 20 errors were reported, each with place and hint
//
//     TypeId t;                                              // a pass builds an op: what is its result type?
//     OpSpec spec = {.kind = OP_dot_general, .operands = (ValueId[]){a, b}, .n_operands = 2, .attrs = …};
//     if (!shape_infer(m, &spec, &t)) …                      // operands and attributes leave it open: reshape, convert
#ifndef PARTIR_STABLEHLO_CHECK_H
#define PARTIR_STABLEHLO_CHECK_H

#include "ir/module.h"

bool check_module(Module *m);

// The result types of an op that is yet to be built, as its shape rule infers them. `results` has room for
// spec->n_results entries, or for as many as the op table says if that is 0. Regions do not exist yet, so reductions
// are taken to accumulate in the type of their inputs, and a dot to multiply into the type of its operands. False, and
// nothing reported, where operands and attributes do not determine the types or are wrong.
bool shape_infer(Module *m, const OpSpec *spec, TypeId *results);

#endif
