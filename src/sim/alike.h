// Alike: constants, and values moved about in the same way, that occur more than once are one value, as XLA's common
// subexpression elimination makes them.
//
//     %0 = constant 0.5            %1 = broadcast %0 to 64x128            one layer
//     %2 = constant 0.5            %3 = broadcast %2 to 64x128            another: %2 is %0, %3 is %1
#ifndef PARTIR_SIM_ALIKE_H
#define PARTIR_SIM_ALIKE_H

#include "sim/order.h"

// By value: the first of its region that is alike; itself if there is none. Where barriers are removed, what is computed
// again behind one is alike too, and is taken out of `written` with the barriers.
ValueId *find_alike(const Module *m, Written *written, bool barriers_removed, Arena *a);

#endif
