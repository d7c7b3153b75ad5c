// Float normalization: a compiler that has no arithmetic of bf16 computes it as f32. The program as it then is:
//
//     %0 = multiply %x, %y : bf16          %x', %y' = convert %x, %y : f32
//     %1 = tanh %0                         %0 = multiply %x', %y' : f32
//     %2 = dot_general %0, %w              %0r = convert %0 : bf16       what is kept if several read it
//                                          %0' = convert %0r : f32       once for all readers
//                                          %1 = tanh %0' …
//
// Rounding costs much, so that it is not duplicated into each reader; conversion to f32 costs nothing, and is.
#ifndef PARTIR_SIM_TRANSFORM_FLOAT_NORMALIZATION_H
#define PARTIR_SIM_TRANSFORM_FLOAT_NORMALIZATION_H

#include "sim/transform/cse.h"

// Conversions are told of as what they convert: the op that gives it, or the first that reads it of an argument.
void normalize_floats(SimProgram *p, Arena *a);

#endif
