// StableHLO out: the device-local program with its collectives over mesh axes turned into StableHLO's over device
// numbers.
#ifndef PARTIR_SPMD_EXPORT_TO_STABLEHLO_H
#define PARTIR_SPMD_EXPORT_TO_STABLEHLO_H

#include "spmd/lower/lower.h"

// A new module; `l` must outlive it. `for_cpu`: as XLA on CPU runs it fastest. Scratch from `a`.
Module *to_stablehlo(const Lowered *l, bool for_cpu, Arena *a);

#endif
