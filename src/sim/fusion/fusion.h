// Fusion: which values never reach memory, as XLA would decide.
//
//     %0 = multiply %x, %y      fused: its only use is in the same kernel
//     %1 = add %0, %x           a buffer: a dot reads it
//     %2 = reshape %1           shares the buffer of %1
//     %3 = dot_general %2, %w   a buffer: dots are kernels of their own
#ifndef PARTIR_SIM_FUSION_FUSION_H
#define PARTIR_SIM_FUSION_FUSION_H

#include "sim/backend/rules.h"
#include "sim/schedule/schedule.h"
#include "sim/transform/transform.h"

// How ops of a kind fuse, and what else is known from the kind alone.
typedef enum FuseClass { FUSE_NEVER, FUSE_CHEAP, FUSE_COSTLY, FUSE_MOVE, FUSE_SHAPE, FUSE_CONSTANT } FuseClass;
extern const uint8_t fuse_classes[OP_COUNT];

#define IS_PRODUCT(k) ((k) == OP_dot_general || (k) == OP_convolution)

// What is known of an op from its kind alone.
enum {
    TRAIT_HOISTED = 1, // worth computing before a loop: computes or communicates, more than elements in other places
    TRAIT_COPIES = 2,  // may need copies of its operands
    TRAIT_REMATERIALIZABLE = 4, // a product, or what a kernel computes on the way
    TRAIT_ELEMENTWISE = 8,      // each element of the result comes from the same element of the operands
    TRAIT_RULE = 16,            // whether it is fused depends on more than its kind
    TRAIT_SCRATCH = 32          // may need memory beside its operands and results
};
extern const uint8_t op_traits[OP_COUNT];
static inline bool op_is_worth_hoisting(OpKind k) { return op_traits[k] & TRAIT_HOISTED; }
static inline bool op_copies_operands(OpKind k) { return op_traits[k] & TRAIT_COPIES; }
static inline bool op_is_rematerializable(OpKind k) { return op_traits[k] & TRAIT_REMATERIALIZABLE; }
static inline bool op_is_elementwise(OpKind k) { return op_traits[k] & TRAIT_ELEMENTWISE; }

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
    const double *relaid;       // by operand: 0, or how many times its bytes the copy takes that its op reads; NULL if none does
    const uint32_t *copied;     // by operand: 0, or the order of dimensions in which its op needs a copy of it; NULL if none does
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

// Operand layout: operands that an op reads in an order of dimensions other than that in which they lie, so that they are copied.
//
//     dot_general %x, %y contracting [0] x [0]      a CPU's library wants the depth of %x last: %x is copied
//
// By operand (its place in Module.operands): 0, or the order of dimensions in which its op needs a copy of it.
uint32_t *find_operand_copies(const Module *m, const ProgramOrder *written, const Backend *backend, Arena *a);

// Producer duplication: the one tensor that a value is computed from, element by element. Such a producer is computed anew by
// each kernel that reads it.
//
//     %0 = dot %x, %w
//     %1 = tanh %0              made of %0
//     %2 = multiply %1, %b      made of %0, as %b is a smaller tensor that was broadcast
//     %3 = add %2, %y           made of many
#define NO_SOURCE    NO_ID // of constants and of smaller tensors
#define MANY_SOURCES (NO_ID - 1)
// By value: its source, itself, or one of these. `fused`, by op: whether it is computed element by element at all.
const ValueId *find_duplication_sources(const Module *m, const ProgramOrder *written, const Users *users,
                                        const uint8_t *fused, Arena *a);

// What values are made of through ops that can be fused, by `class_of` each op. How many ops, at most: values that several ways lead to count
// once for each of them; and whether it is a product, or one is among what it is made of.
uint16_t *find_fused_sizes(const Module *m, const ProgramOrder *written, const uint8_t *class_of, Arena *a);
// Kernels one after another, at most, that it is made of.
uint16_t *find_kernel_depths(const Module *m, const ProgramOrder *written, const uint8_t *class_of, Arena *a);
uint8_t *find_after_products(const Module *m, const ProgramOrder *written, const uint8_t *class_of, Arena *a);

// Whether an op is computed inside other kernels, so that it takes no turn of its own.
static inline bool is_inside_kernels(const Module *m, const Fusion *f, OpId op) {
    return f->kernel[op] != op || op_kind(m, op) == OP_constant;
}
// Of an op whose kind does not say it.
FuseClass fuse_class_by_rule(const Module *m, const Backend *backend, const Fusion *f, OpId op);
// How many times its bytes a value takes as it lies in memory.
static inline double kept_ratio(const Fusion *f, ValueId v) {
    return (f->tiled_layout ? f->tiled_layout[v] : 1) / (f->stored_bf16[v] ? 2 : 1);
}
static inline double kept_bytes(const Module *m, const Fusion *f, ValueId v) {
    return value_tensor(m, v)->bytes * kept_ratio(f, v);
}
// Of a module without common subexpressions (sim/transform/transform.h).
void fuse_ops(const Module *m, const ProgramOrder *written, const Backend *backend, Fusion *f, Arena *a);

#endif
