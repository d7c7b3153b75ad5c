// StableHLO out: the device-local program, with StableHLO's collectives over device numbers in place of those over mesh
// axes.
#ifndef PARTIR_SPMD_EXPORT_TO_STABLEHLO_H
#define PARTIR_SPMD_EXPORT_TO_STABLEHLO_H

#include "spmd/lower/lower.h"

// The compiler that gets the program: any; XLA on CPU, in the form that it runs fastest; or the TPU compiler, in the form for which it
// needs the least memory.
typedef enum ExportTarget { EXPORT_FOR_ANY, EXPORT_FOR_CPU, EXPORT_FOR_TPU, EXPORT_TARGETS } ExportTarget;

// A new module; `l` must outlive it. Scratch from `a`.
Module *to_stablehlo(const Lowered *l, ExportTarget target, Arena *a);

#endif
