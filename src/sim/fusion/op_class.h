// Op classes: how ops of a kind fuse, and what else is known from the kind alone.
#ifndef PARTIR_SIM_FUSION_OP_CLASS_H
#define PARTIR_SIM_FUSION_OP_CLASS_H

#include "ir/module.h"

typedef enum FuseClass { FUSE_NEVER, FUSE_CHEAP, FUSE_COSTLY, FUSE_MOVE, FUSE_SHAPE, FUSE_CONSTANT } FuseClass;
extern const uint8_t fuse_classes[OP_COUNT];

#define IS_PRODUCT(k) ((k) == OP_dot_general || (k) == OP_convolution)

// What is known of an op from its kind alone.
enum {
    TRAIT_HOISTED = 1, // worth computing before a loop: computes or communicates, more than elements in other places
    TRAIT_COPIES = 2,  // may need copies of its operands
    TRAIT_REMATERIALIZABLE = 4, // a product, or what a kernel computes on the way
    TRAIT_ELEMENTWISE = 8,      // each element of the result comes from the same element of the operands
    TRAIT_RULE = 16             // whether it is fused depends on more than its kind
};
extern const uint8_t op_traits[OP_COUNT];
static inline bool op_is_worth_hoisting(OpKind k) { return op_traits[k] & TRAIT_HOISTED; }
static inline bool op_copies_operands(OpKind k) { return op_traits[k] & TRAIT_COPIES; }
static inline bool op_is_rematerializable(OpKind k) { return op_traits[k] & TRAIT_REMATERIALIZABLE; }
static inline bool op_is_elementwise(OpKind k) { return op_traits[k] & TRAIT_ELEMENTWISE; }

#endif
