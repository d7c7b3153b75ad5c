// Exposed time: of a collective's seconds, those in which no kernel runs beside it.
#ifndef PARTIR_SIM_REPORT_EXPOSED_H
#define PARTIR_SIM_REPORT_EXPOSED_H

#include "sim/pipeline.h"
#include "spmd/summary/attribution.h"

// Seconds in which a kernel runs before some moment. Kernels follow one another.
typedef struct Busy {
    uint32_t n;
    double *start, *before, *seconds; // of each kernel; the second: in those before it
} Busy;

Busy busy_times(const SimResult *r, Arena *a);
// Of a collective's time, what no kernel runs beside.
double exposed_seconds(const Busy *b, const Slice *e);
// Writes to each collective the time that it takes, and what is exposed of that.
void time_collectives(Attribution *all, const Lowered *l, const SimResult *r, Arena *a);

#endif
