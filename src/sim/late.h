// Late: as written, but what no product needs any more runs after all else, one result after another.
//
//     %g1 = dot …, the gradient of a weight       as written   %g1 %x1 %w1 %g0 %w0
//     %x1 = dot …, what the layer below needs     late         %x1 %g1 %w1 %g0 %w0
//     %w1 = subtract %a1, %g1
//     %g0 = dot %x1, …
//     %w0 = subtract %a0, %g0
//
// So XLA's latency hiding scheduler leaves a step: it goes backwards, and takes first what the original order has last.
#ifndef PARTIR_SIM_LATE_H
#define PARTIR_SIM_LATE_H

#include "sim/fuse.h"
#include "sim/users.h"

Order order_late(const Module *m, const Written *written, const Fusion *f, Users u, const Compiler *compiler, Arena *a);

#endif
