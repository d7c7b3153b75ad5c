// Users: who waits for a value before it can run, among the ops of the value's own region.
//
//     %0 = …                     users of %0: %1 and %2
//     %1 = add %0, %0            waits for two operands
//     %2 = while … { … %0 … }    waits for one, for the sake of an op inside
#ifndef PARTIR_SIM_PROGRAM_USERS_H
#define PARTIR_SIM_PROGRAM_USERS_H

#include "sim/schedule/schedule.h"

typedef struct Users {
    uint32_t *first; // by value: its uses in `op` and `slot`; one entry more than values
    OpId *op;        // that uses it, or holds the one that does
    uint32_t *slot;  // which operand, as a place in Module.operands
} Users;

Users users_build(const Module *m, const ProgramOrder *written, Arena *a);
// By op: its operands, also of ops inside; an order counts down those that are not there yet.
uint32_t *users_pending(const Module *m, const ProgramOrder *written, const Users *u, Arena *a);

#endif
