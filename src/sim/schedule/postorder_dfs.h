// Post-order and depth-first scheduling: orders of kernels from a walk that starts at the results and runs each kernel after all that it reads.
//
//     %0 = …, %1 = …          as read: %0 %1 %2
//     %2 = add %0, %1         shared first, if more is made of %1, or of what that is made of: %1 %0 %2
//
// A reduction is a part of a kernel around it, so that it runs as soon as what it reads is there.
#ifndef PARTIR_SIM_SCHEDULE_POSTORDER_DFS_H
#define PARTIR_SIM_SCHEDULE_POSTORDER_DFS_H

#include "sim/fusion/kernel_graph.h"

typedef struct PostorderDfs {
    const Module *m;
    const KernelGraph *k;
    const double *bytes; // by value
    uint32_t *shared; // by value: readers beyond the first of it and of all that it is made of, as often as there are
                      // paths to it; at most as many as there are instructions
    double *total;    // by value: bytes of it and of all that it is made of, likewise; at most those of all before it
    uint32_t *stack;
    uint32_t *reduces; // by kernel: if it reduces, how many values it reads, else 0
    uint32_t *waits;   // by kernel that reduces: those of them that are not there
    uint8_t *state;
    uint8_t *reduced;   // by kernel: a reduction reads what it writes
    struct Rank *ranks; // as many as a kernel reads
    Arena *a;
} PostorderDfs;

PostorderDfs postorder_dfs_new(const Module *m, const KernelGraph *k, const double *bytes, Arena *a);

// All kernels of a region. As read comes first: what is shared is found on its way.
void schedule_postorder(PostorderDfs *b, RegionId r, uint32_t *order);
void schedule_dfs(PostorderDfs *b, RegionId r, uint32_t *order);

#endif
