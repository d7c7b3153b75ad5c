// Journal: what lay in memory before it was written over, so that it can be taken back.
//
//     journal_keep(&j, &x, sizeof x);  x = 3;
//     …
//     journal_undo(&j);                       x is what it was
#ifndef PARTIR_SIM_INCREMENTAL_UNDO_LOG_H
#define PARTIR_SIM_INCREMENTAL_UNDO_LOG_H

#include "support/arena.h"

typedef struct Journal {
    Arena *a;
    VEC(struct JournalEntry {
        void *at;
        size_t size;
    })
    entries;
    VEC(unsigned char) bytes; // of all entries, one after another
} Journal;

void journal_keep(Journal *j, void *at, size_t size);
void journal_undo(Journal *j); // and forgets it all

// Writes over `to`, which stays where it is until the journal is undone.
#define journal_set(j, to, value) (journal_keep((j), &(to), sizeof(to)), (to) = (value))

#endif
