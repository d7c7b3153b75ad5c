// Float formats: every float element type to and from double, from f4 to f64.
#ifndef PARTIR_IR_FLOAT_FORMAT_H
#define PARTIR_IR_FLOAT_FORMAT_H

#include "ir/type.h"

// The bits of the nearest value of the type, ties to even. What is too large becomes infinity, NaN where the type has
// no infinity, the largest value where it has neither.
uint64_t float_from_double(Elem e, double v);
double float_to_double(Elem e, uint64_t bits);

#endif
