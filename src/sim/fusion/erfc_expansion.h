// The exponential inside erfc: XLA computes erfc %x from exp(-x²), which is one with that of a derivative.
//
//     %0 = erfc %x
//     %1 = square %x
//     %2 = negate %1
//     %3 = exponential %2     kept for its other reader: erfc reads it too, and exponentials are not computed twice
#ifndef PARTIR_SIM_FUSION_ERFC_EXPANSION_H
#define PARTIR_SIM_FUSION_ERFC_EXPANSION_H

#include "sim/program/users.h"

// That exponential of the operand of an erfc, or NO_ID if the program has none.
ValueId exponential_of_erfc(const Module *m, OpId erfc, const Users *u);

#endif
