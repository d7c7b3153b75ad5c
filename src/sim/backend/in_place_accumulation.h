// In-place accumulation: products that a loop adds up are added to the sum in place, by their own kernel.
//
//     while(%acc = …) {
//       %g = dot …
//       %n = add %acc, %g        one kernel, and %g needs no memory
//       return %n
#ifndef PARTIR_SIM_BACKEND_IN_PLACE_ACCUMULATION_H
#define PARTIR_SIM_BACKEND_IN_PLACE_ACCUMULATION_H

#include "sim/program/users.h"

enum { NOT_ACCUMULATED, ACCUMULATED, ACCUMULATES }; // what is computed inside the add, and the add

// By op, one of these; NULL if there is none. Of an `added` scatter (sim/backend/scatter_rewriting.h) and what it is added to, the product
// is computed inside.
const uint8_t *find_in_place_accumulation(const Module *m, const ProgramOrder *written, const Users *u,
                                          const uint8_t *added, Arena *a);

#endif
