// Decimal text to the nearest double, ties to even, whatever the locale says a decimal point is.
#ifndef PARTIR_SUPPORT_DECIMAL_H
#define PARTIR_SUPPORT_DECIMAL_H

#include "support/text.h"

// [+-] digits [. digits] [e|E [+-] digits], all of the span; false if it is anything else. Too large is infinity.
bool decimal_to_double(Span text, double *out);

#endif
