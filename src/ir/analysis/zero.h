// Values that are known to be zero, such as the start of an accumulation.
#ifndef PARTIR_IR_ANALYSIS_ZERO_H
#define PARTIR_IR_ANALYSIS_ZERO_H

#include "ir/module.h"

// A constant of zeros: neutral in every sum.
bool value_is_zero(const Module *m, ValueId v);

#endif
