// Verify: the array program, PartIR:Core, PartIR:HLO and the StableHLO of a device, run on the same inputs, give the
// same results.
#ifndef PARTIR_INTERP_VERIFY_VERIFY_H
#define PARTIR_INTERP_VERIFY_VERIFY_H

#include "session/partition.h"

typedef enum VerifyStatus { VERIFY_EQUAL, VERIFY_DIFFERENT, VERIFY_TOO_LARGE, VERIFY_ERROR } VerifyStatus;

typedef struct VerifyOptions {
    uint64_t seed;
    bool exact;     // inputs are small whole numbers and results must be equal to the bit; otherwise within the type's
                    // tolerance
    bool skip_core; // the array program and the StableHLO alone
    ExportTarget target; // of the StableHLO
    uint64_t max_memory; // 0: the interpreter's default
    uint64_t max_steps;  // 0: VERIFY_MAX_STEPS
} VerifyOptions;

// Ops of each program on all devices: a few seconds.
#define VERIFY_MAX_STEPS (20 * 1000 * 1000)

// A diagnostic says what differs and where, or which results were not compared; `compared`, if not NULL: how many were.
VerifyStatus verify_partition(Partition *p, const VerifyOptions *options, uint32_t *compared);

#endif
