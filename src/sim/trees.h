// Trees: arithmetic that one op alone reads, soon after, is part of that op, as the compiler has both in one kernel. There are
// then far fewer ops to look at: of an optimizer's, a third.
//
//     %0 = multiply %m, %b         only %2 reads it
//     %1 = multiply %g, %c         and this
//     %2 = add %0, %1              one op that reads %g, %c, %m and %b
#ifndef PARTIR_SIM_TREES_H
#define PARTIR_SIM_TREES_H

#include "ir/module.h"

// Of the program that has trees for ops.
typedef struct Trees {
    double *flops;  // by op: of what is part of it
    uint8_t *depth; // by operand: how many ops of the tree lie between it and the last of them
} Trees;

// Of the program as it is written.
typedef struct TreeFinder {
    const Module *m;
    RegionId body;      // of @main, in which trees stand
    const OpId *origin; // by op: the one it was made for; NULL: itself
    uint8_t *uses;      // by value: none, one, more
    OpId *reader;       // by value: the last op that reads it
    uint8_t *reads;     // by op: how much the ops read that are part of it; 0 if none is
} TreeFinder;

TreeFinder tree_finder(const Module *m, const OpId *origin, RegionId body, Arena *a);
// Whether an op is part of the one that reads it. Ops are asked for as they are written.
bool is_in_tree(TreeFinder *z, OpId op);

#define MOST_READ 8 // by a tree

#endif
