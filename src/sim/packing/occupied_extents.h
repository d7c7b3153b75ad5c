// Occupied extents: which memory is occupied, in each part of the time.
//
//     part 0   part 1   part 2
//           b b b b b b b              in part 1 a is there throughout, and c at times; ever there are all three
//     a a a a a a a a a a a a a
//               c c
#ifndef PARTIR_SIM_PACKING_OCCUPIED_EXTENTS_H
#define PARTIR_SIM_PACKING_OCCUPIED_EXTENTS_H

#include "sim/packing/interval_index.h"

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
