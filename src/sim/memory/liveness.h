// Liveness: which buffers a device holds at each moment of a step, and the most it ever holds.
//
// Arguments and results live to the end. The buffer of a donated argument becomes that of its result. Updates and
// loop-carried values stay in place where the old value is dead. Fused values need no memory.
#ifndef PARTIR_SIM_MEMORY_LIVENESS_H
#define PARTIR_SIM_MEMORY_LIVENESS_H

#include "sim/fusion/fusion.h"
#include "sim/memory/memory_space.h"

typedef struct Resident {
    ValueId value; // for which the buffer was made
    double bytes;
    double unpadded; // of these, without the padding of tiles
    bool hoisted;    // computed before the loop that reads it, and kept while that runs
} Resident;

typedef struct Rematerialized { // values that are recomputed instead of being kept, for all to fit
    uint32_t n;
    double bytes, flops;
    OpId *ops;    // the kernels that compute them
    uint32_t *at; // the positions before which these run once more
} Rematerialized;

typedef struct MemoryUse {
    double peak;               // bytes
    double most;               // bytes, if temporaries whose layout nothing decides lie as they are written, in padded tiles
    double gaps;               // of these, between buffers: nobody who lives then fits there
    double arguments;          // bytes of them, alive all the time
    double vmem;               // the most bytes that are ever in the memory on chip
    Rematerialized rematerialized;
    OpId peak_op;             // when it is; NO_ID if only the arguments are there
    uint32_t n_residents;     // alive then
    Resident *residents;      // in the order in which their buffers were made
    uint32_t n_steps;
    const double *over_time; // bytes alive at each position of the schedule
    const OpId *ops;         // that run there
} MemoryUse;

// Whether all fits into the memory of a device: unsure if that depends on layouts. A search takes what is unsure only if nothing surely fits.
typedef enum FitVerdict { FITS_NOT, FITS_UNSURE, FITS_SURELY } FitVerdict;
static inline FitVerdict memory_fits(const MemoryUse *use, const Device *d) {
    return use->peak > (double)d->memory ? FITS_NOT : use->most > (double)d->memory ? FITS_UNSURE : FITS_SURELY;
}

void sort_residents(MemoryUse *use); // the largest first

typedef struct Liveness Liveness;

// Buffers and when each is alive. Memory space assignment can be asked next if there is a device, which may be NULL.
Liveness *find_liveness(const Module *m, const OpSchedule *order, const Fusion *f, const Backend *backend,
                        const Device *d, Arena *a);
// Buffers that live in VMEM need nothing in memory from now on. Gives the most bytes that are there.
double assign_memory_space(Liveness *l, MemorySpace *vmem);
// The peak, and where temporaries lie, on a device that has `memory` bytes. (buffer_assignment.c)
MemoryUse assign_buffers(Liveness *l, double memory);
// If values do not fit, recomputes some instead of keeping them, and assigns buffers once more.
void rematerialize(Liveness *l, double memory, MemoryUse *use);

#endif
