// Fusion: which values never reach memory, as XLA would decide.
//
//     %0 = multiply %x, %y      fused: its only use is in the same kernel
//     %1 = add %0, %x           a buffer: a dot reads it
//     %2 = reshape %1           shares the buffer of %1
//     %3 = dot_general %2, %w   a buffer: dots are kernels of their own
#ifndef PARTIR_SIM_FUSION_FUSION_H
#define PARTIR_SIM_FUSION_FUSION_H

#include "sim/backend/library_fusion.h"
#include "sim/fusion/op_class.h"
#include "sim/program/users.h"
#include "sim/transform/cse.h"

typedef enum Place {
    PLACE_BUFFER, // in memory
    PLACE_FUSED,  // computed where it is used
    PLACE_ALIAS   // the buffer of the op's operand of the same number
} Place;

// What the passes before have found out of the program, and then which values have memory.
typedef struct Fusion {
    bool nested;            // some ops stand inside others
    Users users;            // with common subexpressions as one
    const int64_t *donated; // by argument of @main, from find_donated
    const uint8_t *loops; // by value: how many loops around it it is the same in, from find_loop_invariants; NULL if none is left
    const uint8_t *stored_bf16; // by value: of f32, but kept as bf16
    const double *tiled_layout; // by value: how many times its bytes its tiles take; NULL without tiles
    const uint32_t *copied;     // by operand: 0, or the order of dimensions in which its op needs a copy of it
    const OpId *library;        // by op: the op that ends its library kernel, or NO_ID; NULL without a library
    const OpId *merged;         // by op: the earlier gather that stands for it, or NO_ID; NULL if none does
    const uint8_t *scatter_add; // by op: a scatter into what it is added to, or the add; NULL if there is none
    const uint8_t *
        accumulation; // by op: whether a loop adds it up in place, from find_in_place_accumulation; NULL if no loop does
    // What fuse_ops decides:
    uint8_t *place;      // by value
    OpId *kernel;        // by op: the op at whose position it is computed; itself if it starts a kernel
    uint8_t *duplicated; // by value in memory: kernels that can, compute it once more from what it was made of
    uint8_t *fusible;    // by operand (its place in Module.operands): the op could compute it on the way
    uint8_t *copies;     // by op: how many kernels compute it
    uint8_t *has_product; // by op that starts a kernel: a product is fused into it
    uint8_t *flat;       // by op: from it to the end of its kernel each element depends on the same element only
} Fusion;

double kept_bytes(const Module *m, const Fusion *f, ValueId v); // of a value as it lies in memory
// Of a module without repeats (sim/transform/cse.h).
void fuse_ops(const Module *m, const ProgramOrder *written, const Backend *backend, Fusion *f, Arena *a);

#endif
