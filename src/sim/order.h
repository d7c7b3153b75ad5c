// Order: the ops of a device-local program as they run, inner ops of loops and branches before the op that holds them.
//
//     %0 = …            position 0
//     %1 = while …      position 4, first 1
//       cond { … }      position 1
//       do { …; … }     positions 2, 3
#ifndef PARTIR_SIM_ORDER_H
#define PARTIR_SIM_ORDER_H

#include "ir/module.h"

typedef struct Order {
    uint32_t n;
    OpId *at;           // by position; for a copy, the op it is made for
    uint32_t *position; // by op; NO_ID for those inside reducers and the like, which never run on their own
    uint32_t *first;    // by op: the position of the first op inside; its own if there is none
    OpId *next;         // by op: the one that runs after it in its region
    OpId *head;         // by region: the one that runs first
    uint32_t *until;  // by op: the position up to which it reads its operands; its own, or that of the last of those it
                      // runs together with
    uint32_t *copied; // by operand (its place in Module.operands): the position at which it is copied for its op; NO_ID
                      // if it is used as it is
} Order;

Order order_build(const Module *m, Arena *a);              // as the program is written
Order order_new(const Module *m, Arena *a);                // empty, to be filled by order_add and order_begin
void order_begin(Order *o, OpId op);                       // before the ops inside
void order_add(Order *o, RegionId r, OpId *tail, OpId op); // `tail` is the last op of region `r` so far, NO_ID at first
static inline bool runs_regions(OpKind k) { return k == OP_while || k == OP_case || k == OP_if; }
// The op of region `r` that holds `op`, or is it; NO_ID if `op` is not inside `r`.
OpId op_within(const Module *m, OpId op, RegionId r);
// The region a value belongs to: in which it is an argument, or stands the op that gives it.
RegionId value_region(const Module *m, ValueId v);

#endif
