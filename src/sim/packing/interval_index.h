// Interval index: when a place in memory is occupied.
//
// Time has 64 parts, in which as many blocks begin or end. If of a place and a block one is alive throughout a part of the
// other, the place is occupied; if they have no part in common it is free; who is there is only looked at where neither holds.
#ifndef PARTIR_SIM_PACKING_INTERVAL_INDEX_H
#define PARTIR_SIM_PACKING_INTERVAL_INDEX_H

#include "support/arena.h"
#include <stdbool.h>

#define NO_BLOCK UINT32_MAX

typedef struct HeapBlock {
    double bytes;
    uint32_t start, end; // alive from start to end, both included
    uint32_t tie;        // of equal blocks the smaller goes first
} HeapBlock;

typedef struct Parts {
    uint64_t all, whole; // those in which it is alive, and in which it is throughout
} Parts;

typedef struct IntervalIndex {
    const HeapBlock *blocks;
    uint8_t *part;        // by time
    double most[64];      // by part: the most bytes that are alive in it
    uint32_t (*child)[2]; // by block: those at the same place that come before it, and after it: two trees
} IntervalIndex;

IntervalIndex interval_index_new(const HeapBlock *blocks, uint32_t n,
                                 Arena *a); // the number of blocks may become less, their order another
Parts interval_index_parts(const IntervalIndex *c, const HeapBlock *b);
// Adds a block to those of a place, of which `first` is one, or NOBODY.
void interval_index_add(IntervalIndex *c, uint32_t *first, uint32_t block);

static inline bool surely_overlap(Parts a, Parts b) { return (a.all & b.whole) | (a.whole & b.all); }
static inline Parts both_parts(Parts a, Parts b) { return (Parts){a.all & b.all, a.whole & b.whole}; }
static inline void add_parts(Parts *to, Parts parts) { to->all |= parts.all, to->whole |= parts.whole; }

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

#endif
