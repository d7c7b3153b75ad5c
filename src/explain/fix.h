// Fixes: changes to the schedule that remove a collective, a conflict or a race, or that tile an op which every device runs whole.
// Each change is applied to the whole program, which gives exact figures: the bytes and FLOPs of a step and, with a device, its time.
//
//     #3 all_gather on batch of params/up/kernel, 64 B in 1 run, by Z3
//        1 of 41 changes removes it:
//        in Z3, `params/up : 0` instead of `params/up : 1`
//           sends 1.2 MiB instead of 1.4 MiB (-14 %)
//           tactic Z3 on batch {
//             params/up : 0
//           }
#ifndef PARTIR_EXPLAIN_FIX_H
#define PARTIR_EXPLAIN_FIX_H

#include "explain/problem.h"
#include "explain/why.h"

typedef struct Fix {
    Proposal proposal;
    Figures now;
    uint32_t left; // of the problem's collectives
    bool better;   // the step is not worse in anything that counts (fix_rank.c)
    bool trade;    // it sends less, and keeps more
} Fix;

typedef struct Fixes {
    Problem problem;
    Edited schedule; // what the proposals change
    Figures before;
    uint32_t tried;    // different programs
    uint32_t removing; // of those, programs with less of the problem
    uint32_t n;
    const Fix *at; // those programs, the best first
} Fixes;

typedef struct FixOptions {
    const Device *device; // NULL: none
    uint32_t tries;       // at most so many programs; 0: 200
} FixOptions;

// False with a diagnostic.
bool fixes_find(Partition *p, const Problem *problem, const FixOptions *options, Arena *a, Fixes *out);
// The best first; sets better and trade.
void fixes_rank(Fixes *x, Fix *at, uint32_t n, const Device *d, Arena *a);

// Answers to a question of `why`: for a collective; for what is at a line, or about a value; without any, for what sends most,
// conflicts, and the largest op that is whole. As text, or as JSON.
bool fixes_print(Partition *p, const WhyQuery *query, const FixOptions *options, bool json, Buffer *out);

#endif
