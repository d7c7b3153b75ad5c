// List scheduling: of the kernels that are ready, the one runs next that gives back the most memory, or takes the least.
//
//     %0 = …, 4 MB; %1 = …, 4 MB
//     %2 = concatenate %0, %1          takes 8 MB and gives back 8
//     %3 = reduce %4                   gives back all of %4: runs before
#ifndef PARTIR_SIM_SCHEDULE_LIST_SCHEDULER_H
#define PARTIR_SIM_SCHEDULE_LIST_SCHEDULER_H

#include "sim/fusion/kernel_graph.h"

typedef struct ListScheduler ListScheduler;

// Both by value: bytes, and those of them that are not in the place of something else.
ListScheduler *list_scheduler_new(const Module *m, const KernelGraph *k, const double *bytes, const double *own_bytes,
                                  Arena *a);
// All kernels of a region. False, and not all, if more than `limit` bytes are beside others at a time.
bool schedule_list(ListScheduler *s, RegionId r, double limit, uint32_t *order);

#endif
