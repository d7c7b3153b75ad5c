// Relowering: lowers a state that differs little from one that was lowered before. A search evaluates thousands of states, and
// each differs from the same base by a tile and its propagation:
//
//     Relowering r;
//     relowering_init(&r, s, &options);               lowers the base, and keeps what each op became
//     const Lowered *l = relower(&r, &scratch);       of the state as it is now
//
// Ops whose nests, operands and shared slices did not change are kept; the others are lowered again and linked in. The module
// equals the one that lower() makes, op for op, except for the numbers of ops and values.
#ifndef PARTIR_SPMD_RELOWER_H
#define PARTIR_SPMD_RELOWER_H

#include "spmd/lower/lower.h"

typedef struct Relowering {
    const State *s; // as it is now
    LowerOptions options;
    struct Base *base;
} Relowering;

// Lowers the present state as the base. False with a diagnostic.
bool relowering_init(Relowering *r, const State *s, const LowerOptions *options);
void relowering_free(Relowering *r);
bool relowering_rebase(Relowering *r); // to the state as it is now; false with a diagnostic, and the old base stays
// Type-checked where it is new. Valid until the next call. NULL with a diagnostic. A state that cuts axes into other parts
// than the base does becomes the base.
const Lowered *relower(Relowering *r, Arena *scratch);

#endif
