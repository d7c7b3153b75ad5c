// The order of ops for XLA on CPU.
#ifndef PARTIR_SPMD_EXPORT_CPU_ORDER_H
#define PARTIR_SPMD_EXPORT_CPU_ORDER_H

#include "ir/module.h"

// Smaller collectives count as small: synchronizing 8 threads takes as long as writing so many bytes to all of them.
enum { CPU_SMALL_BYTES = 256 << 10 };

// The ops of a region in program order; with `reordered`, and if none has an effect, the last ready one first. From `a`.
OpId *cpu_order(const Module *m, RegionId r, bool reordered, Arena *a, uint32_t *n);

#endif
