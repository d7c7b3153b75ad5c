// Liveness: which buffers a device holds at each moment of a step, and the most it ever holds.
//
// Arguments and results live to the end; a donated argument's buffer becomes its result's; updates and loop-carried
// values stay in place where nobody needs the old value any more; fused values need no memory.
#ifndef PARTIR_SIM_MEMORY_LIVENESS_H
#define PARTIR_SIM_MEMORY_LIVENESS_H

#include "sim/fusion/fusion.h"
#include "sim/memory/memory_space.h"
#include "sim/program/users.h"

typedef struct Resident {
    ValueId value; // for which the buffer was made
    double bytes;
} Resident;

typedef struct MemoryUse {
    double peak;               // bytes
    double gaps;               // of these, between buffers: nobody who lives then fits there
    double arguments;          // bytes of them, alive all the time
    double vmem;               // the most bytes that are ever in the memory on chip
    uint32_t n_rematerialized; // values that are computed again instead of being kept, for all to fit
    double rematerialized_bytes, rematerialized_flops;
    OpId *rematerialized_ops; // the kernels that compute them
    OpId peak_op;             // when it is; NO_ID if only the arguments are there
    uint32_t n_residents;     // alive then
    Resident *residents;      // in the order in which their buffers were made
    uint32_t n_steps;
    const double *over_time; // bytes alive at each position of the order
    const OpId *ops;         // that run there
} MemoryUse;

void sort_residents(MemoryUse *use); // the largest first

// `memory` is what there is; `chip` is NULL for a device without such memory.
MemoryUse liveness(const Module *m, const OpSchedule *order, const Fusion *f, const Backend *backend, double memory,
                   MemorySpace *vmem, Arena *a);

#endif
