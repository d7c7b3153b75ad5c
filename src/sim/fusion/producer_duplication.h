// Sources: of what a value is made, element by element, where much is computed again.
//
//     %0 = dot %x, %w
//     %1 = tanh %0              made of %0
//     %2 = multiply %1, %b      made of %0, as %b is a smaller tensor that was broadcast
//     %3 = add %2, %y           made of many
#ifndef PARTIR_SIM_FUSION_PRODUCER_DUPLICATION_H
#define PARTIR_SIM_FUSION_PRODUCER_DUPLICATION_H

#include "sim/incremental/delta.h"
#include "sim/program/users.h"

#define NO_SOURCE    NO_ID // of constants and of smaller tensors
#define MANY_SOURCES (NO_ID - 1)

typedef struct Sources {
    const Module *m;
    const Users *users;
    const uint8_t *fused; // by op: whether it is computed element by element at all
    ValueId *of;          // by value: its source, itself, or one of the above
} Sources;

void find_sources(const Sources *z, const Written *written);
// Of a program that differs little from its base. Marks in `changed` the ops whose results have another source.
void find_sources_again(const Sources *z, const Written *written, const Edits *e, uint8_t *changed, Arena *a);

#endif
