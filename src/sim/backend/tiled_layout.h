// Tiled layout: memory of a TPU comes in tiles of 8 x 128 elements, of the two dimensions that the compiler lays innermost.
//
//     64x64x64x64      twice its elements, since nothing fills 128 lanes
//     64x3x256         as it is: 64 rows of 256
#ifndef PARTIR_SIM_BACKEND_TILED_LAYOUT_H
#define PARTIR_SIM_BACKEND_TILED_LAYOUT_H

#include "sim/schedule/schedule.h"

// How many times its bytes a tensor takes if it lies as well as it can; if it lies as it is written.
double tile_padding(const Type *t);
double tile_padding_as_written(const Type *t);
// By type: of what convolutions read and write, whose batch and features lie innermost.
void tile_convolution_types(const Module *m, const ProgramOrder *written, double *tiled_layout);

#endif
