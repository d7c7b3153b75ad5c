// What the files of alike.h share: a program, and its copy without repeats.
#ifndef PARTIR_SIM_TRANSFORM_PROGRAM_COPY_H
#define PARTIR_SIM_TRANSFORM_PROGRAM_COPY_H

#include "sim/transform/cse.h"

struct Copy {
    const Module *from;
    Module *m;    // the copy
    ValueId *now; // by value of `from`: the one of `m` that stands for it
    OpId *was_op; // by op and value of `m`: those of `from`
    ValueId *was_value;
    Repeats repeats;
    TreeFinder finder; // if trees are found
    Trees *trees;      // of `m`, or NULL
    Distinct distinct;
    Sizes sizes; // of arrays by what is in `from`, and in `m`
    uint32_t n_regions;
    struct Taken *base; // what programs that differ from it take over; NULL where none will (alike_again.c)
};

#define IN_TREE NO_ID // in `now`, of what is part of its reader

Copy *copy_program(const Module *m, const OpId *origin, const Compiler *compiler, const Sizes *sizes,
                   uint32_t n_regions, Arena *a);
void copy_value(Copy *z, ValueId was, uint32_t owner);
OpId copy_op(Copy *z, OpId was); // to the end of the copy's, not linked to others
// Gives the number of operands of a tree: first come those of its last op, then those of the op that this reads last.
uint32_t copy_tree(Copy *z, OpId was, OpId op, ValueId *to);

#endif
