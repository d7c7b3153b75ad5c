// StableHLO out: the device-local program, with StableHLO's collectives over device numbers in place of those over mesh
// axes.
#ifndef PARTIR_SPMD_EXPORT_TO_STABLEHLO_H
#define PARTIR_SPMD_EXPORT_TO_STABLEHLO_H

#include "spmd/lower/lower.h"

// For which compiler: what any runs, or as XLA on CPU runs it fastest, or as the TPU compiler needs the least memory for it.
typedef enum ExportTarget { EXPORT_FOR_ANY, EXPORT_FOR_CPU, EXPORT_FOR_TPU, EXPORT_TARGETS } ExportTarget;

// A new module; `l` must outlive it. Scratch from `a`.
Module *to_stablehlo(const Lowered *l, ExportTarget target, Arena *a);

#endif
