// Op kinds: the op table (ops.def) as C sees it.
#ifndef PARTIR_IR_OP_H
#define PARTIR_IR_OP_H

#include "ir/attr.h"

#define OP_VARIADIC 255

typedef enum OpKind {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) OP_##id,
#include "ir/ops.def"
    OP_COUNT
} OpKind;

// A_permutation, …: the NameIds that every module has.
typedef enum AttrName {
#define ATTR_NAME(id) A_##id,
#include "ir/attr_names.def"
    A_COUNT
} AttrName;

// What kind of attribute a row asks for: an AttrKind, or one of these.
enum { ATTR_ELEMENTS = 64, ATTR_ANY };

typedef struct OpAttrInfo {
    uint16_t name; // AttrName
    uint8_t kind;  // AttrKind, ATTR_ELEMENTS or ATTR_ANY
    bool required;
} OpAttrInfo;

#define OP_MAX_ATTRS 10

typedef struct OpInfo {
    const char *name;                   // "stablehlo.add"
    uint8_t operands, results, regions; // OP_VARIADIC for any number
    uint8_t n_attrs;
    OpAttrInfo attrs[OP_MAX_ATTRS];
    const char *operand_names;
} OpInfo;

extern const OpInfo op_info[OP_COUNT]; // by name: op_from_name (ir/module.h)
bool op_is_commutative(OpKind kind);   // of two operands, which may change places

// Control flow: its regions run as the program runs, not as functions of elements.
static inline bool runs_regions(OpKind k) { return k == OP_while || k == OP_case || k == OP_if; }

// Collectives of StableHLO that combine or exchange whole operands in groups of devices.
static inline bool is_group_collective(OpKind k) {
    return k == OP_all_gather || k == OP_all_reduce || k == OP_all_to_all || k == OP_collective_broadcast ||
           k == OP_collective_reduce || k == OP_cross_replica_sum || k == OP_reduce_scatter;
}

// Ends a region and says what it gives.
static inline bool op_is_terminator(OpKind k) {
    return k == OP_return || k == OP_func_return || k == OP_sdy_return || k == OP_partir_yield;
}

#endif
