// Estimates: the cost that the kernel behind a custom call states, as pallas_call(cost_estimate=…) writes it.
//
//     backend_config = "{…\"cost_estimate\": {\"flops\": 8192, \"transcendentals\": 64, \"bytes_accessed\": 4096}…}"
//     mhlo.backend_config = {flops = 8192 : i64, transcendentals = 64 : i64, bytes_accessed = 4096 : i64, …}
#ifndef PARTIR_IR_ANALYSIS_CALL_ESTIMATE_H
#define PARTIR_IR_ANALYSIS_CALL_ESTIMATE_H

#include "ir/module.h"

typedef struct CallEstimate {
    double flops, transcendentals, bytes;
} CallEstimate;

// On a call that runs on chunks: into how many the work of the whole call is cut. The estimate is that of the whole call.
#define CHUNKS_ATTRIBUTE SPAN("partir.chunks")

// That of a chunk where there is one. False if the call says nothing.
bool call_estimate(const Module *m, OpId op, CallEstimate *out);

#endif
