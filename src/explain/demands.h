// Demands: what a schedule denies and expects, checked on the partitioned program. A violation is an error at the demand's line
// that says which collective it is, and why that is there.
#ifndef PARTIR_EXPLAIN_DEMANDS_H
#define PARTIR_EXPLAIN_DEMANDS_H

#include "explain/why.h"

// False with a diagnostic for each demand that does not hold.
bool demands_check(Partition *p, const Demand *demands, uint32_t n, const Source *source);

#endif
