// Archive: the Pareto front of the plans evaluated so far. No other plan beats one of these in both time and memory.
#ifndef PARTIR_AUTO_ARCHIVE_H
#define PARTIR_AUTO_ARCHIVE_H

#include "auto/evaluate.h"

typedef struct Archived {
    Plan plan;
    Score score;
    StateHash key;
    bool start; // one that the search began with
} Archived;

typedef struct Archive {
    Arena *a;
    VEC(Archived) at; // the fastest first, so that memory falls
} Archive;

// Whether no plan of the archive beats the score, or nearly does.
bool archive_takes(const Archive *archive, const Score *score);
// Adds a plan with a complete score if no other beats it, and removes the plans that it beats. True if it was added.
bool archive_enter(Archive *archive, const Plan *plan, Score score, StateHash key);

#endif
