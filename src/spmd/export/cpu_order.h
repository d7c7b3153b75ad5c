// The order of ops for XLA on CPU.
#ifndef PARTIR_SPMD_EXPORT_CPU_ORDER_H
#define PARTIR_SPMD_EXPORT_CPU_ORDER_H

#include "ir/module.h"

// What is small: a meeting of 8 threads takes some tenths of a millisecond, in which this much is written to all of them.
enum { CPU_SMALL_BYTES = 256 << 10 };

// The ops of a region as they stand; to be `reordered`, unless one of them has an effect, the last ready one first. From `a`.
OpId *cpu_order(const Module *m, RegionId r, bool reordered, Arena *a, uint32_t *n);

#endif
