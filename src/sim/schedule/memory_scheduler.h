// Least: kernels run in the one of three orders that needs the least memory, as XLA's memory scheduler chooses among its own:
// as they are read by the results (its post order), shared first (its depth-first one) and frugal (its list).
//
// What a result writes over, as an updated weight does, counts for nothing.
#ifndef PARTIR_SIM_SCHEDULE_MEMORY_SCHEDULER_H
#define PARTIR_SIM_SCHEDULE_MEMORY_SCHEDULER_H

#include "sim/schedule/latency_hiding.h"

// Where gathers run beside kernels they are begun ahead; `beside` is NULL where none does.
OpSchedule schedule_min_memory(const Module *m, const ProgramOrder *written, const Fusion *f, const Backend *backend,
                               const AsyncGathers *async, Arena *a);

#endif
