// Memory space assignment: a device may have memory (VMEM) beside its matrix unit that holds whole tensors. A tensor that is only there
// takes none of the device's main memory (HBM), which is the memory that is reported.
//
//     %0 = convolution      stays in VMEM: its gradient comes soon
//     %1 = dot_general      is in VMEM while it is used, and in HBM too: its gradient comes much later
//     %arg0                 is copied to VMEM when it is used
//     %arg1                 is in VMEM before the program starts: the largest argument that products and gathers alone read
//
// As in XLA's memory space assignment, a tensor stays in VMEM between two uses if they are close: not further apart than a few
// times the time to fill all of VMEM. Otherwise it is written to HBM and copied back. The tensors that save the most time
// are assigned first: large ones that are read or written by memory-bound kernels.
#ifndef PARTIR_SIM_MEMORY_MEMORY_SPACE_H
#define PARTIR_SIM_MEMORY_MEMORY_SPACE_H

#include "ir/module.h"

typedef struct VmemCandidate {
    double bytes;
    uint32_t start, end; // half steps in which it is alive, as in sim/memory/liveness.c
    uint32_t from,
        used;       // half steps: when it was brought there last, and of its last use so far; NO_ID before the first
    uint16_t waits; // of its uses, those by kernels that wait for memory
    uint16_t stays; // how often it is there
    uint32_t first_stay, last_stay; // in MemorySpace.stays, if it is there at all
    bool kept;                      // it is in memory all the time: an argument, a result
    bool matters;                   // it is neither too large nor too small to be looked at
    bool prefetched;                // it is copied to VMEM before the program starts
    bool lives;                     // what is found out: it is never in memory
} VmemCandidate;

// A time that a tensor is to be in VMEM.
typedef struct Residency {
    uint32_t start, end; // half steps
    uint32_t next;       // the next of the same tensor, or NO_ID
} Residency;

typedef struct MemorySpace {
    double bytes;
    double bandwidth;      // of the memory that it is filled from
    int64_t cores;         // each has one, and all hold the same
    double longest;        // seconds between two uses for which a tensor stays
    const double *elapsed; // by position of the order: seconds before it
    const uint8_t *waits;  // by position: the kernel there waits for memory
    uint32_t n_positions;
    VmemCandidate *candidates;
    VEC(Residency) stays;
    Arena *a;
} MemorySpace;

void memory_space_begin(MemorySpace *c, uint32_t n_candidates);  // after bytes, bandwidth and the positions are set
bool memory_space_considers(const MemorySpace *c, double bytes); // whether a tensor of that size is ever there
void memory_space_use(MemorySpace *c, uint32_t candidate,
                      uint32_t position); // of one that matters; in the order of positions
// An argument that is copied to VMEM before the program starts, and is used for the last time at this position.
void memory_space_prefetch(MemorySpace *c, uint32_t candidate, uint32_t last_use);
// Finds those that live in VMEM. Gives the most bytes that are ever there.
double memory_space_assign(MemorySpace *c, uint32_t n_candidates);

#endif
