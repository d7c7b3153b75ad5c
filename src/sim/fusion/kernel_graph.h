// Kernel graph: which kernels there are, and what each of them reads from memory and writes there.
//
//     %0 = dot %x, %w            kernel 0, reads nothing that a kernel writes
//     %1 = negate %0             fused
//     %2 = add %1, %y            kernel 1, reads %0
//     return %2                  kernel 2, reads %2
#ifndef PARTIR_SIM_FUSION_KERNEL_GRAPH_H
#define PARTIR_SIM_FUSION_KERNEL_GRAPH_H

#include "sim/fusion/fusion.h"

typedef struct Read {
    ValueId value;
    uint32_t reader, writer; // kernels
    uint32_t next;           // place in KernelGraph.read: the next of the same value, or NO_ID
} Read;

typedef struct KernelGraph {
    uint32_t n;              // those of a region follow one another as they are written, those of regions inside before
    OpId *op;                // by kernel: the first of its ops
    uint32_t *of_op;         // by op: its kernel, or NO_ID
    uint32_t *first_read;    // by kernel, and one more: places in `read`
    Read *read;              // values of its own region that it needs, each once
    uint32_t *first_reader;  // by value: a place in `read`, or NO_ID
    uint32_t *n_readers;     // by value
    uint32_t *first_written; // by kernel, and one more: places in `written`
    ValueId *written;        // each of its results that has memory, and those of barriers
    double *bytes;           // by value that a kernel writes: in memory; 0 if it has none
    uint8_t *made;           // by value: an argument, or what a kernel writes; all else is computed on the way
    uint32_t *own_args;      // by kernel: arguments that it alone reads
    uint32_t *from, *count;  // by region that runs: its first kernel, and how many it has; its end is the last of them
} KernelGraph;

// `ring`, by op: of those that run as one kernel, the next; NO_ID for all else.
KernelGraph kernel_graph_build(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *ring, Arena *a);

#endif
