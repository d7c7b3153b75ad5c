// Indexes over time and memory that make packing fast. For the files of this folder alone.
#ifndef PARTIR_SIM_PACKING_PACKING_INDEX_H
#define PARTIR_SIM_PACKING_PACKING_INDEX_H

#include "sim/packing/heap_packing.h"

// Interval index: when a place in memory is occupied.
//
// Time has 64 parts, in which as many blocks begin or end. If of a place and a block one is alive throughout a part of the
// other, the place is occupied; if they have no part in common it is free; who is there is only looked at where neither holds.
#define NO_BLOCK UINT32_MAX

typedef struct Parts {
    uint64_t all, whole; // those in which it is alive, and in which it is throughout
} Parts;

typedef struct IntervalIndex {
    const HeapBlock *blocks;
    uint8_t *part;        // by time
    double most[64];      // by part: the most bytes that are alive in it
    uint32_t (*child)[2]; // by block: those at the same place that come before it, and after it: two trees
} IntervalIndex;

// Later there may be fewer blocks, in another order.
IntervalIndex interval_index_new(const HeapBlock *blocks, uint32_t n, Arena *a);
Parts interval_index_parts(const IntervalIndex *c, const HeapBlock *b);
// Adds a block to those of a place, of which `first` is one, or NO_BLOCK.
void interval_index_add(IntervalIndex *c, uint32_t *first, uint32_t block);

static inline bool surely_overlap(Parts a, Parts b) { return (a.all & b.whole) | (a.whole & b.all); }
static inline Parts both_parts(Parts a, Parts b) { return (Parts){a.all & b.all, a.whole & b.whole}; }

// Whether one of those of a place is there at the time of the block.
static inline bool interval_index_overlaps(const IntervalIndex *c, uint32_t first, const HeapBlock *b) {
    while (first != NO_BLOCK) {
        const HeapBlock *one = &c->blocks[first];
        bool before = one->end < b->start;
        if (!before && one->start <= b->end) return true;
        first = c->child[first][before];
    }
    return false;
}

// Free windows by size: many in a row that are no place for a block are passed as one.
typedef struct WindowRow { // a window, or several in a row
    uint32_t start, end; // none is free before or after
    Parts each;          // in which all of them are occupied
    uint32_t in;         // one of the blocks in a window
} WindowRow;

#define MAX_LEVELS 11

typedef struct FreeWindows {
    IntervalIndex *index; // or NULL
    const FreeWindow *at; // the smallest first
    uint32_t n, n_levels;
    WindowRow *level[MAX_LEVELS]; // of each window; of eight in a row; of eight times eight; …
} FreeWindows;

// Sorts the windows. Without an index blocks come in the order of time, so that a window is free from the end of the last one in it on.
FreeWindows free_windows_new(IntervalIndex *c, FreeWindow *windows, uint32_t n, Arena *a);
// Puts the block, whose number is `block`, into the smallest window that is free as long as it lives. False if there is none. `parts` are
// those of the index, if there is one.
bool free_windows_place(FreeWindows *r, const HeapBlock *b, uint32_t block, Parts parts);

// Occupied extents: which memory is occupied, in each part of the time.
//
//     part 0   part 1   part 2
//           b b b b b b b              in part 1 a is there throughout, and c at times; ever there are all three
//     a a a a a a a a a a a a a
//               c c
typedef struct Extent { // of memory, from one time to another, both included
    double from, to;
    uint32_t start, end;
} Extent;

typedef struct Extents {
    VEC(Extent) list; // from the lowest on
    double reach;     // the highest end
    double longest;   // 0: they are joined
} Extents;

typedef struct Part {
    Extents ever, throughout; // without holes and times
    Extents at_times;
    double bytes; // of all that are there
} Part;

#define TIMES 1024

typedef struct OccupiedExtents {
    Arena *a;
    Part *parts;
    uint16_t part[TIMES]; // by time, in units of a power of two
    uint32_t shift;
    uint64_t steps, most_steps; // over gaps and extents: so far, and how many there may be
    Extent *gaps, *other; // in the search for a place: where it can be, the last without end; and room for others
} OccupiedExtents;

// For blocks of which only the times are looked at.
OccupiedExtents occupied_extents_new(const HeapBlock *blocks, uint32_t n, Arena *a);
// Where the block fits most tightly among those that live at the same time; above all of them if it fits nowhere else, or if
// looking has taken too long.
double occupied_extents_best_fit(OccupiedExtents *t, const HeapBlock *b);
void occupied_extents_add(OccupiedExtents *t, const HeapBlock *b, double from);

#endif
