// Narrow values: of f32, but kept as bf16, since a product of f32 is one pass of the matrix unit over bf16.
//
//     %0 = tanh %x                  narrow: only products read it, or what hands on its elements to products
//     %1 = all_gather %0            narrow
//     %2 = dot_general %1, %w
//
// So is what a loop stacks up for another that hands it to products: initial value, argument, next value and result are
// one buffer of one type.
#ifndef PARTIR_SIM_TRANSFORM_BF16_STORAGE_H
#define PARTIR_SIM_TRANSFORM_BF16_STORAGE_H

#include "sim/incremental/delta.h"
#include "sim/program/users.h"

typedef struct Narrow {
    uint8_t *is;      // by value; the arguments of @main are as the caller has them
    uint8_t *exact;   // by value: all its bits are needed
    uint8_t *product; // by value: a product reads it, or a loop carries it
} Narrow;

Narrow narrow_values(const Module *m, const Written *written, const Sizes *sizes, Arena *a);
// Of a program without loops that differs little from its base. Marks in `changed` the ops whose results are others.
void narrow_values_again(const Module *m, const Written *written, const Users *u, const Edits *e, Narrow *n,
                         uint8_t *changed, Arena *a);

#endif
