// Memory scheduler: kernels run in the one of three orders that needs the least memory, as in XLA: post-order, depth-first and
// list.
//
// What a result writes over, as an updated weight does, counts for nothing.
#ifndef PARTIR_SIM_SCHEDULE_MEMORY_SCHEDULER_H
#define PARTIR_SIM_SCHEDULE_MEMORY_SCHEDULER_H

#include "sim/schedule/latency_hiding.h"

// Latency hiding starts asynchronous gathers early; `async` is NULL where there are none.
OpSchedule schedule_min_memory(const Module *m, const ProgramOrder *written, const Fusion *f, const Backend *backend,
                               const AsyncGathers *async, Arena *a);

#endif
