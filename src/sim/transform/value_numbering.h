// Value numbering: finds what the program computes more than once, as XLA's common subexpression elimination does. Ops without effects
// (constants, movement, arithmetic, loops) have one number if kind, attributes and operands are equal.
//
//     %2 = add %0, %1          the first
//     %3 = add %0, %1          the same as %2
//     %4 = tanh %2
//     %5 = tanh %3             the same as %4
#ifndef PARTIR_SIM_TRANSFORM_VALUE_NUMBERING_H
#define PARTIR_SIM_TRANSFORM_VALUE_NUMBERING_H

#include "sim/transform/transform.h"

typedef struct ValueNumbering {
    const Module *m;
    RegionId body;
    uint32_t *back; // by value: its number less that of the first that is the same; 0 if it is the first itself
    // If arithmetic is looked at, not only constants and what is moved about:
    uint8_t *uses; // by value: by none, one, more; more too if it stands for others; and whether a region gives it
    OpId *reader;  // by value: the last op that reads it
    double gathered_once; // gathers of at most so many bytes, for all readers
    bool arithmetic;
    bool barriers;   // are removed
    OpId *entered;   // ops that others may repeat, by the lowest bits of their hash: the last of them, plus 1
    uint32_t mask;   // of these bits
    OpId *before;    // by op that is entered: the one before, plus 1
    OpId *constants; // of the body, by attribute: the first that has it, plus 1
    uint8_t *passed; // by op: seen, but not entered in the table
} ValueNumbering;

ValueNumbering value_numbering_new(const Module *m, RegionId body, const Backend *backend, Arena *a);

enum { READ_ONCE = 1, READ_MORE = 3, GIVEN = 4 }; // uses

// What is known of an op from its kind alone. An IMPURE op gives another result each
// time it runs, or has effects. MOVEMENT gives elements in other places. FORWARDS may give its operands as they are. A small GATHER is emitted for
// CPU once for all readers.
enum { VN_IMPURE = 1, VN_MOVEMENT = 2, VN_FORWARDS = 4, VN_GATHER = 8 };
extern const uint8_t vn_traits[OP_COUNT];

static inline ValueId leader_of(const ValueNumbering *r, ValueId v) { return v - r->back[v]; }

// Of an op of which there may be another with the same operands, or which may hand them on.
bool find_leader(ValueNumbering *r, OpId op);

// Whether an op gives what is there already. Ops are asked for as they are written; those inside of what is there are not.
static inline bool is_redundant(ValueNumbering *r, OpId op) {
    const Op *o = op_get(r->m, op);
    uint8_t trait = vn_traits[o->kind];
    if (r->arithmetic ? trait & VN_IMPURE : !(trait & (VN_MOVEMENT | VN_FORWARDS)))
        return trait & VN_GATHER && value_tensor(r->m, o->first_result)->bytes <= r->gathered_once && find_leader(r, op);
    if (trait == VN_FORWARDS) return find_leader(r, op);
    const uint32_t *back = r->back;
    const uint8_t *uses = r->uses;
    const ValueId *v = r->m->operands.at + o->first_operand, *end = v + o->n_operands;
    while (v < end && (uses[*v - back[*v]] & READ_MORE) != READ_ONCE) v++;
    if (v == end) return find_leader(r, op);
    r->passed[op] = 1; // as most: it alone reads one of them
    return false;
}

// Expression trees of the program as it is written.
typedef struct TreeFinder {
    const Module *m;
    RegionId body;      // of @main, in which trees stand
    const OpId *origin; // by op: the one it was made for; NULL: itself
    const ValueNumbering *numbering;
    uint8_t *reads; // by op: how much the ops read that are part of it; 0 if none is
} TreeFinder;

// What can be part of a tree, and what a tree can end in. Not what hands on elements as they are: how these are kept may
// depend on who reads them.
enum { TREE_BRANCH = 1, TREE_END = 2 };
extern const uint8_t tree_parts[OP_COUNT];

// The same of an op that could be.
bool fuses_into_tree(TreeFinder *f, OpId op);
// Whether an op is part of the one that reads it. Ops are asked for as they are written.
static inline bool is_in_tree(TreeFinder *f, OpId op) {
    const Op *o = op_get(f->m, op);
    return tree_parts[o->kind] & TREE_BRANCH && f->numbering->uses[o->first_result] == READ_ONCE &&
           fuses_into_tree(f, op);
}

#define MOST_READ 8 // by a tree

#endif
