// Check: is this module a program? Values are in scope, ops have the operands, attributes and regions that the op table
// asks for, and every result has the type that follows from the operands.
//
//     if (!check_module(m)) return NULL;                     // up to 20 errors were reported, each with place and hint
#ifndef PARTIR_STABLEHLO_CHECK_H
#define PARTIR_STABLEHLO_CHECK_H

#include "ir/module.h"

bool check_module(Module *m);

#endif
