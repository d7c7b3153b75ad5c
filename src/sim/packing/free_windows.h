// Free windows: memory that is there anyway, but free for some of the time: of a result before it is written, of a donated argument
// after its last use.
#ifndef PARTIR_SIM_PACKING_FREE_WINDOWS_H
#define PARTIR_SIM_PACKING_FREE_WINDOWS_H

#include "sim/packing/interval_index.h"

typedef struct FreeWindow {
    double bytes;
    uint32_t start, end; // free from start to end, both included
} FreeWindow;

// A window, or several in a row.
typedef struct WindowRow {
    uint32_t start, end; // none is free before or after
    Parts each;          // in which all of them are occupied
    uint32_t in;         // one of the blocks in a window
} WindowRow;

#define MAX_LEVELS 11

typedef struct FreeWindows {
    IntervalIndex *index;
    const FreeWindow *at; // the smallest first
    uint32_t n, n_levels;
    WindowRow *level[MAX_LEVELS]; // of each window; of eight in a row; of eight times eight; …
} FreeWindows;

void sort_free_windows(FreeWindow *windows, uint32_t n, Arena *a);                         // the smallest first
FreeWindows free_windows_new(IntervalIndex *c, FreeWindow *windows, uint32_t n, Arena *a); // changes their order
// Puts the block into the smallest window that is free as long as it lives. False if there is none.
bool free_windows_place(FreeWindows *r, uint32_t block, Parts parts);

#endif
