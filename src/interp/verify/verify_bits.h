// Where a program looks at the bits of sums. A sum that is taken in another order may differ in its last bit, of which an op that looks
// at bits, or that rounds, makes another number. On whole numbers sums are exact, so they are the inputs of such programs; but not of
// what was divided before:
//
//     %0 = divide %x, %three          rounded, alike on all devices
//     %1 = reduce add %0              in another order another last bit
//     %2 = bitcast_convert %1         may be any number: it cannot be compared
#ifndef PARTIR_INTERP_VERIFY_VERIFY_BITS_H
#define PARTIR_INTERP_VERIFY_VERIFY_BITS_H

#include "ir/module.h"

bool looks_at_bits(const Module *m);
// By result of @main, whose body it is: whether its bits depend on the order of sums even if the inputs are whole numbers.
bool *find_unsure_results(const Module *m, RegionId body, Arena *a);

#endif
