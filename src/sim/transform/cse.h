// Common subexpression elimination: the program as XLA leaves it (sim/transform/value_numbering.h): what is there already is one value.
//
//     %0 = constant 0.5            %1 = broadcast %0 to 64x128            one layer
//     %2 = constant 0.5            %3 = broadcast %2 to 64x128            another: %2 is %0, %3 is %1
//
// And trees of arithmetic are one op each (sim/transform/expression_trees.h).
#ifndef PARTIR_SIM_TRANSFORM_CSE_H
#define PARTIR_SIM_TRANSFORM_CSE_H

#include "sim/backend/backend.h"
#include "sim/transform/expression_trees.h"

typedef struct SimProgram {
    Module *m;            // @main without what is there already: its ops and values are numbered as they are written
    const OpId *op;       // by op of `m`: that of the program
    const ValueId *value; // by value of `m`
    const ExpressionTrees *trees; // NULL if arithmetic is left as it is
} SimProgram;

// `origin`, by op: the one it was made for, or NULL. The program must outlive it: only ops, their operands, values and
// regions are its own.
SimProgram eliminate_common_subexpressions(const Module *m, const OpId *origin, const Backend *backend, Arena *a);

#endif
