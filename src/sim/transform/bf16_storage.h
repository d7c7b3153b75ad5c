// bf16 storage: values of f32 that are kept as bf16, since a product of f32 is one pass of the matrix unit over bf16.
//
//     %0 = tanh %x                  bf16: only products read it, or what hands on its elements to products
//     %1 = all_gather %0            bf16
//     %2 = dot_general %1, %w
//
// So is what a loop stacks up for another that hands it to products: initial value, argument, next value and result are
// one buffer of one type.
#ifndef PARTIR_SIM_TRANSFORM_BF16_STORAGE_H
#define PARTIR_SIM_TRANSFORM_BF16_STORAGE_H

#include "sim/program/users.h"

// By value; the arguments of @main are as the caller has them.
const uint8_t *find_bf16_storage(const Module *m, const ProgramOrder *written, Arena *a);

#endif
