// Producer duplication: the one tensor that a value is computed from, element by element. Such a producer is computed anew by
// each kernel that reads it.
//
//     %0 = dot %x, %w
//     %1 = tanh %0              made of %0
//     %2 = multiply %1, %b      made of %0, as %b is a smaller tensor that was broadcast
//     %3 = add %2, %y           made of many
#ifndef PARTIR_SIM_FUSION_PRODUCER_DUPLICATION_H
#define PARTIR_SIM_FUSION_PRODUCER_DUPLICATION_H

#include "sim/program/users.h"

#define NO_SOURCE    NO_ID // of constants and of smaller tensors
#define MANY_SOURCES (NO_ID - 1)

typedef struct DuplicationSources {
    const Module *m;
    const Users *users;
    const uint8_t *fused; // by op: whether it is computed element by element at all
    ValueId *of;          // by value: its source, itself, or one of the above
} DuplicationSources;

void find_duplication_sources(const DuplicationSources *d, const ProgramOrder *written);

#endif
