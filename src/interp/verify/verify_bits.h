// Finds where a program depends on single bits of sums. A sum in another order may differ in its last bit, and an op that reads bits,
// or rounds, turns this into another number. Sums of whole numbers are exact, so such programs get whole numbers as inputs. This does
// not help after a division:
//
//     %0 = divide %x, %three          rounded, equal on all devices
//     %1 = reduce add %0              another order gives another last bit
//     %2 = bitcast_convert %1         may be any number: it cannot be compared
#ifndef PARTIR_INTERP_VERIFY_VERIFY_BITS_H
#define PARTIR_INTERP_VERIFY_VERIFY_BITS_H

#include "ir/module.h"

bool looks_at_bits(const Module *m);
// By result of @main, whose body it is: whether its bits depend on the order of sums even if the inputs are whole numbers.
bool *find_unsure_results(const Module *m, RegionId body, Arena *a);

#endif
