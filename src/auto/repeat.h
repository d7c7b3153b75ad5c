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

// Of a body as hashes of its ops: the longest stretches, none of which overlap, in program order.
Stretches repeats_find(const uint64_t *ops, uint32_t n, Arena *a);
// What an op is, apart from its operands: kind, types, attributes, and the ops of its regions. Which number a constant
// holds and which part a slice takes, layer by layer, makes no difference.
uint64_t op_fingerprint(const Module *m, OpId op);

#endif
