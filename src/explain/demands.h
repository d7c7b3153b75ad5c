// Demands: checks the `deny` and `expect` statements of a schedule on the partitioned program. A violation is an error at the
// statement's line, which names the collective and says why it is there.
#ifndef PARTIR_EXPLAIN_DEMANDS_H
#define PARTIR_EXPLAIN_DEMANDS_H

#include "explain/why.h"

// False with a diagnostic for each demand that does not hold.
bool demands_check(Partition *p, const Demand *demands, uint32_t n, const Source *source);

#endif
