// Layout assignment of the TPU compiler: which two dimensions of a value lie innermost, and what its tiles take.
//
//     %0 = gather %table …             150000x64: the 64 of a row are its lanes, padded to 128
//     %1 = dot_general batch [0, 2]    202x12x77x77: batch dimensions stay outside, so 77x77 is padded to 80x128
//     %2 = exponential %1              lies as what it is made of
//     %arg0                            lies as compactly as it can
//
// Seen with libtpu 0.0.42: an op asks for a layout of its operands and gives its results one; what only moves or computes elements
// takes over that of its operand, or else what its first reader asks for. Arguments and results of @main lie as compactly as they can.
#ifndef PARTIR_SIM_BACKEND_TPU_LAYOUT_H
#define PARTIR_SIM_BACKEND_TPU_LAYOUT_H

#include "sim/schedule/schedule.h"

// By value: how many times its bytes it takes in memory.
const double *assign_tpu_layouts(const Module *m, const ProgramOrder *written, Arena *a);
// If it lies as compactly as it can; if it lies as it is written.
double tile_padding(const Type *t);
double tile_padding_as_written(const Type *t);
// How often all of a tensor is moved if parts of this type, which lie as compactly as they can, are put together along a dimension.
uint32_t tile_moves(const Type *part, uint32_t dim);

#endif
