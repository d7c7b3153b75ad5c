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
    OpId *at;
    uint32_t *position; // by op; NO_ID for those inside reducers and the like, which never run on their own
    uint32_t *first;    // by op: the position of the first op inside; its own if there is none
} Order;

Order order_build(const Module *m, Arena *a);
static inline bool runs_regions(OpKind k) { return k == OP_while || k == OP_case || k == OP_if; }
// The op of region `r` that holds `op`, or is it; NO_ID if `op` is not inside `r`.
OpId op_within(const Module *m, OpId op, RegionId r);
// The region a value belongs to: in which it is an argument, or stands the op that gives it.
RegionId value_region(const Module *m, ValueId v);

#endif
