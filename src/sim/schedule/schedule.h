// Orders of the ops of a device-local program: as written, by dependence, and as scheduled. In all of them the ops inside a loop or a
// branch come before the op that holds them.
//
//     %0 = …            position 0      users of %0: %1, for the sake of an op inside, and %2
//     %1 = while …      position 4, first 1
//       cond { … }      position 1
//       do { …; … }     positions 2, 3
//     %2 = add %0, %0   position 5, waits for two operands
#ifndef PARTIR_SIM_SCHEDULE_SCHEDULE_H
#define PARTIR_SIM_SCHEDULE_SCHEDULE_H

#include "ir/module.h"

typedef struct ProgramOrder { // as it is written
    uint32_t n;
    OpId *at;
    uint32_t *count; // by kind of op: a rule that none of them asks for can be left out
} ProgramOrder;

ProgramOrder program_order(const Module *m, Arena *a);
// Whether some ops stand inside others; else all that is read stands in the same region.
static inline bool has_nested(const ProgramOrder *w) {
    return w->count[OP_while] || w->count[OP_case] || w->count[OP_if];
}

// Who waits for a value before it can run, among the ops of the value's own region.
typedef struct Users {
    uint32_t *first; // by value: its uses in `op` and `slot`; one entry more than values
    OpId *op;        // that uses it, or holds the one that does
    uint32_t *slot;  // which operand, as a place in Module.operands
} Users;

Users users_build(const Module *m, const ProgramOrder *written, Arena *a);
static inline uint32_t count_users(const Users *u, ValueId v) { return u->first[v + 1] - u->first[v]; }
// By op: its operands, also of ops inside; an order counts down those that are not there yet.
uint32_t *users_pending(const Module *m, const ProgramOrder *written, const Users *u, Arena *a);

typedef struct OpSchedule { // as they run
    uint32_t n;
    OpId *at;           // by position; for a copy, the op it is made for
    uint32_t *position; // by op; NO_ID for those inside reducers and the like, which never run on their own
    uint32_t *first;    // by op that runs regions: the position of the first op inside
    // By op: the position up to which it reads its operands, if that is not its own: of the last of those combined with it, or
    // before somebody waits for it. NO_ID for all else; NULL if there is none.
    uint32_t *until;
    uint32_t *copied; // by operand (its place in Module.operands): the position at which it is copied for its op; NO_ID
                      // if it is used as it is. NULL if none is copied
} OpSchedule;

OpSchedule op_schedule_new(const Module *m, Arena *a); // empty, to be filled by op_schedule_add
// The last op of a region comes last.
static inline void op_schedule_add(OpSchedule *o, OpId op) {
    o->position[op] = o->n;
    o->at[o->n++] = op;
}

#endif
