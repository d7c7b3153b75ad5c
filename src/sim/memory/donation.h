// Donation: arguments of @main whose memory the program may use for its results.
#ifndef PARTIR_SIM_MEMORY_DONATION_H
#define PARTIR_SIM_MEMORY_DONATION_H

#include "ir/type_lists.h"
#include "sim/fusion/fusion.h"

enum { NOT_DONATED = -1, DONATED_TO_ANY = -2 }; // any result of its type

// By argument of @main, whose body that is: the result that it was donated for, or one of the above.
const int64_t *find_donated(const Module *m, RegionId body, Arena *a);
TypeLists results_by_type(const Module *m, RegionId body, Arena *a);

#endif
