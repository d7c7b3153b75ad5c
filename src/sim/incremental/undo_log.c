// Journal: taken back from the last entry to the first, as the same place may have been written over twice.
#include "sim/incremental/undo_log.h"
#include <string.h>

void journal_keep(Journal *j, void *at, size_t size) {
    vec_push(j->a, &j->entries, ((struct JournalEntry){at, size}));
    memcpy(vec_extend(j->a, &j->bytes, size), at, size);
}

void journal_undo(Journal *j) {
    while (j->entries.n) {
        const struct JournalEntry *e = &j->entries.at[--j->entries.n];
        j->bytes.n -= (uint32_t)e->size;
        memcpy(e->at, j->bytes.at + j->bytes.n, e->size);
    }
}
