// Alike: the program as XLA's common subexpression elimination leaves it (sim/transform/value_numbering.h): what is there already is one value.
//
//     %0 = constant 0.5            %1 = broadcast %0 to 64x128            one layer
//     %2 = constant 0.5            %3 = broadcast %2 to 64x128            another: %2 is %0, %3 is %1
//
// And trees of arithmetic are one op each (sim/transform/expression_trees.h).
#ifndef PARTIR_SIM_TRANSFORM_CSE_H
#define PARTIR_SIM_TRANSFORM_CSE_H

#include "sim/backend/backend.h"
#include "sim/transform/expression_trees.h"
#include "spmd/relower.h"

typedef struct Distinct {
    Module *m;            // @main without what is there already: its ops and values are numbered as they are written
    const OpId *op;       // by op of `m`: that of the program
    const ValueId *value; // by value of `m`
    const Trees *trees;   // NULL if arithmetic is left as it is
} Distinct;

// `origin`, by op: the one it was made for, or NULL. The program must outlive it: only ops, their operands, values and
// regions are its own.
Distinct without_repeats(const Module *m, const OpId *origin, const Compiler *compiler, Arena *a);

// The same, kept so that it can be taken over by programs that differ little from this one.
typedef struct Copy Copy;
bool copies_again(const Compiler *compiler); // whether it can
Copy *copy_base(const Module *m, const OpId *origin, const Compiler *compiler, Arena *a);
const Distinct *copy_distinct(const Copy *z);
const Sizes *copy_sizes(const Copy *z); // of arrays by op, value and operand of it
// Of a program without loops. Fills in what is written, in the order of the program, and the edits but for their journal. NULL if
// it has to be found from scratch: there is no room for all that is new, or arithmetic that is written twice is not now, or is.
const Distinct *copy_again(Copy *z, const OpId *origin, const Relowered *changes, Written *written, Edits *e, Arena *a);

#endif
