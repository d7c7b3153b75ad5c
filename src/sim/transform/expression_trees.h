// Expression trees: arithmetic that one op alone reads, soon after, is part of that op, as the compiler has both in one kernel. There are
// then far fewer ops to look at: of an optimizer's, a third.
//
//     %0 = multiply %m, %b         only %2 reads it
//     %1 = multiply %g, %c         and this
//     %2 = add %0, %1              one op that reads %g, %c, %m and %b
#ifndef PARTIR_SIM_TRANSFORM_EXPRESSION_TREES_H
#define PARTIR_SIM_TRANSFORM_EXPRESSION_TREES_H

#include "sim/transform/value_numbering.h"

// Of the program that has trees for ops.
typedef struct ExpressionTrees {
    double *flops;  // by op: of what is part of it
    uint8_t *depth; // by operand: how many ops of the tree lie between it and the last of them
} ExpressionTrees;

// Of the program as it is written.
typedef struct TreeFinder {
    const Module *m;
    RegionId body;      // of @main, in which trees stand
    const OpId *origin; // by op: the one it was made for; NULL: itself
    const ValueNumbering *numbering;
    uint8_t *reads; // by op: how much the ops read that are part of it; 0 if none is
} TreeFinder;

// What can be part of a tree, and what a tree can end in. Not what hands on elements as they are: how these are kept may
// depend on who reads them.
enum { TREE_BRANCH = 1, TREE_END = 2 };
extern const uint8_t tree_parts[OP_COUNT];

// The same of an op that could be.
bool fuses_into_tree(TreeFinder *f, OpId op);
// Whether an op is part of the one that reads it. Ops are asked for as they are written.
static inline bool is_in_tree(TreeFinder *f, OpId op) {
    const Op *o = op_get(f->m, op);
    return tree_parts[o->kind] & TREE_BRANCH && f->numbering->uses[o->first_result] == READ_ONCE &&
           fuses_into_tree(f, op);
}

#define MOST_READ 8 // by a tree

#endif
