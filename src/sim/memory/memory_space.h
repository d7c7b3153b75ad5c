// Memory space assignment: a device may have memory (VMEM) beside its matrix unit that holds whole tensors. What lives there takes none of the
// memory that counts.
//
//     %0 = convolution      lives there: its gradient comes soon
//     %1 = dot_general      is there while it is used, and in memory too: its gradient comes much later
//     %arg0                 is brought there when it is used
//
// As XLA's memory space assignment has it: between two uses a tensor stays there if they are not further apart than a few
// times what it takes to fill all of that memory; else it is written to memory and brought back. Those get their place
// first that save the most time: large ones that are read or written by kernels which wait for memory.
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
// Finds those that live in VMEM. Gives the most bytes that are ever there.
double memory_space_assign(MemorySpace *c, uint32_t n_candidates);

#endif
