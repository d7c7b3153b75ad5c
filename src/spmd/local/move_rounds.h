// Rounds: the collective_permutes that bring parts of values from chunk to chunk. In one round a chunk sends at most once and receives
// at most once.
#ifndef PARTIR_SPMD_LOCAL_MOVE_ROUNDS_H
#define PARTIR_SPMD_LOCAL_MOVE_ROUNDS_H

#include "ir/module.h"
#include "support/hash.h"

// One collective_permute: what each chunk gets, from which chunk (-1: nothing).
typedef struct MoveRound {
    ValueId v;
    int64_t *from, *offset, *lo, *hi; // by receiving chunk; offset: in the chunk that it is from
    bool *sends;
    int64_t longest;
} MoveRound;

// The rounds of one value.
typedef struct SentValue {
    ValueId v;
    VEC(uint32_t) rounds;
    uint32_t *next_to, *next_from; // by chunk: it is busy in all rounds of the value before this one
    int64_t sent;                  // by each device, in all rounds
    bool gathered;                 // a gather sends less: its rounds are not used
    ValueId whole;                 // for the caller, NO_ID at first
} SentValue;

typedef struct MoveRounds {
    Arena *a;
    int64_t chunks;
    VEC(MoveRound) list;
    VEC(SentValue) values;
    IdMap by_value;
} MoveRounds;

typedef struct MoveTransfer {
    int64_t from, to;
    int64_t offset; // in the chunk that it is from
    int64_t lo, hi; // in the chunk that gets it
} MoveTransfer;

MoveRounds move_rounds_new(int64_t chunks, Arena *a);
// Adds a transfer to the first round of the value in which neither chunk is busy; `most_sent`: what a gather of the value sends.
void move_rounds_add(MoveRounds *rounds, ValueId v, int64_t most_sent, MoveTransfer t);
SentValue *move_rounds_of(const MoveRounds *rounds, ValueId v); // NULL if nothing of the value is sent

#endif
