// Problems: what a fix is asked to remove.
#ifndef PARTIR_EXPLAIN_PROBLEM_H
#define PARTIR_EXPLAIN_PROBLEM_H

#include "explain/chain.h"
#include "explain/trial.h"

typedef enum ProblemKind {
    PROBLEM_COLLECTIVE, // and those of the other layers
    PROBLEM_CONFLICT,   // or a race
    PROBLEM_REPLICATED  // an op that every device runs whole
} ProblemKind;

typedef struct Problem {
    ProblemKind kind;
    const char *says; // in the user's words
    AxisSet axes;     // of the partition's mesh
    VEC(NodeId) nodes; // near which to look
    // a collective
    CollectiveKind collective;
    uint32_t n;      // of the program before: of all layers
    IdMap members;   // those: by the value that they move and the op that they are for
    VEC(struct ProblemMember {
        ValueId root;
        OpId user;
    })
    at;
    const char *serves, *path; // in words, without numbers
    const ValueId *root; // by value of the array program
    // a conflict, an op
    NodeId node;
    bool race;
} Problem;

Problem problem_of_collective(Partition *p, const Attribution *all, uint32_t i, Arena *a);
Problem problem_of_conflict(const Partition *p, const Conflict *c, Arena *a);
Problem problem_of_replicated(const Partition *p, OpId op, Arena *a);
// How many there are in the program of a trial: 0 once it is removed.
uint32_t problem_remains(const Problem *x, const State *s, const Lowered *l, Arena *a);
// FLOPs of the array program that the op is, in one run.
double problem_flops(const Module *m, OpId op);

#endif
