// Processor time of this process.
#ifndef PARTIR_BENCH_CPU_SECONDS_H
#define PARTIR_BENCH_CPU_SECONDS_H

#include <time.h>

static inline double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

#endif
