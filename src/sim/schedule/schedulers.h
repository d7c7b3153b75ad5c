// Schedulers: choose the order in which kernels run.
//
//     %g0 = all_gather %w0                  as written       %g0 %h0 %g1 %h1      one gathered weight at a time
//     %h0 = dot %x, %g0                     breadth first    %g0 %g1 %h0 %h1      in the order in which they become ready
//     %g1 = all_gather %w1
//     %h1 = dot %h0, %g1
//
//     %g0 = dot …                           as written       %g0 %g1 %w0 %w1      both gradients are alive
//     %g1 = dot …                           greedy           %g0 %w0 %g1 %w1      what takes no more memory than it gives back
//     %w0 = subtract %a0, %g0                                                     runs as soon as it can
//     %w1 = subtract %a1, %g1
#ifndef PARTIR_SIM_SCHEDULE_SCHEDULERS_H
#define PARTIR_SIM_SCHEDULE_SCHEDULERS_H

#include "sim/fusion/kernel_graph.h"

// Collective combining: those of a kind over the same axes of which none needs another are one, as the sums of all gradients. Of each
// collective of that kind in @main that is combined with others, `next` becomes the next of them in a ring; all of it must be NO_ID before.
// A ring holds at most `limit` bytes: in the order in which results of the program read them, each goes into the first ring that has room.
void combine_collectives(const Module *m, const ProgramOrder *written, OpKind kind, double limit, OpId *next, Arena *a);

// Of all ops. `combined` is from combine_collectives.
OpSchedule schedule_bfs(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *combined, Arena *a);
OpSchedule schedule_greedy(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *combined,
                           Arena *a);

// ---- Orders of kernels, those of a region from KernelGraph.from on ----------------------------------------------------

// The one of three orders that needs the least memory, as in XLA: post-order, depth-first and list. What a result writes over, as an
// updated weight does, counts for nothing.
uint32_t *schedule_min_memory(const Module *m, const Fusion *f, const KernelGraph *k, Arena *a);

// Post-order and depth-first: a walk from the results that runs each kernel after all that it reads. A reduction is a part of a kernel
// around it, so that it runs as soon as what it reads is there.
//
//     %0 = …, %1 = …          post-order, as read: %0 %1 %2
//     %2 = add %0, %1         depth-first, shared first, if more is made of %1, or of what that is made of: %1 %0 %2
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
// All kernels of a region. Post-order comes first: what is shared is found on its way.
void schedule_postorder(PostorderDfs *b, RegionId r, uint32_t *order);
void schedule_dfs(PostorderDfs *b, RegionId r, uint32_t *order);

// List: of the kernels that are ready, the one runs next that gives back the most memory, or takes the least.
//
//     %0 = …, 4 MB; %1 = …, 4 MB
//     %2 = concatenate %0, %1          takes 8 MB and gives back 8
//     %3 = reduce %4                   gives back all of %4: runs before
typedef struct ListScheduler ListScheduler;

// Both by value: bytes, and those of them that are not in the place of something else.
ListScheduler *list_scheduler_new(const Module *m, const KernelGraph *k, const double *bytes, const double *own_bytes,
                                  Arena *a);
// All kernels of a region. False, and not all, if more than `limit` bytes are beside others at a time.
bool schedule_list(ListScheduler *s, RegionId r, double limit, uint32_t *order);

// Latency hiding: reschedules a region, from its end, so that kernels run while a gather is under way. As in XLA's latency
// hiding scheduler one gather is under way at a time, started so early that kernels fill its time.
//
//     %0 = gather %w …          before    %0 %1 %2 %3
//     %1 = dot %x, %0           after     %0 %2 %1 %3: the gather is under way while %2 runs
//     %2 = dot %x, %y
//     %3 = add %1, %2
//
// Among kernels whose users are all scheduled, pick by: async depth, is a matmul, unblocks most producers,
// original order.
typedef struct AsyncGathers {
    const double *seconds;  // by kernel
    const uint8_t *gathers; // by kernel: a gather that runs beside others
    double memory;          // bytes: gathers that have started early hold no more than half of it
} AsyncGathers;

// Changes the order in place.
void hide_latency(const Module *m, const Fusion *f, const KernelGraph *k, const AsyncGathers *async, uint32_t *order,
                  Arena *a);

// From an order of kernels to one of all ops: what is computed in a kernel comes right before its last op. Uses up KernelGraph.of_op.
//
//     kernels {%2}, {%0 %1 %3}      %2 %0 %1 %3
OpSchedule linearize_kernels(const Module *m, const ProgramOrder *written, const Fusion *f, KernelGraph *k,
                             const OpId *combined, const uint32_t *order, Arena *a);

#endif
