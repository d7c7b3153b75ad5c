// Repeated stretches: parts of a program in which a sequence of ops occurs several times in a row, as unrolled layers do.
//
//     ops   e d f g d f g d f g h        stretch d f g: period 3, 3 copies
#ifndef PARTIR_AUTO_REPEAT_H
#define PARTIR_AUTO_REPEAT_H

#include "ir/module.h"

typedef struct Stretch {
    uint32_t start, period, copies; // positions in the body
    uint32_t slack;                 // how many ops of one more copy follow
} Stretch;
typedef VEC(Stretch) Stretches;

// The longest stretches of a body, given as hashes of its ops; they do not overlap, and are in program order.
Stretches repeats_find(const uint64_t *ops, uint32_t n, Arena *a);
// A hash of kind, types, attributes and the ops of the regions, without operands. The value of a constant and the offset of a
// slice do not count, because they differ from layer to layer.
uint64_t op_fingerprint(const Module *m, OpId op);

#endif
