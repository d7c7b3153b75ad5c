// Heap packing: the size of one block of memory for all temporary buffers. Each buffer has one offset for its whole life.
//
//     a: 4 bytes, steps 0-1     The largest goes first: c at 0, then a at 0. b overlaps both in time, so it lies on top of them.
//     b: 2 bytes, steps 1-3     The byte between a and b at step 1 is a gap.
//     c: 5 bytes, steps 2-3
//
// A buffer may instead use memory that is allocated in any case: that of a result before it is written, or that of a donated
// argument after its last use.
#ifndef PARTIR_SIM_PACKING_HEAP_PACKING_H
#define PARTIR_SIM_PACKING_HEAP_PACKING_H

#include "support/arena.h"
#include <stdbool.h>

typedef struct HeapBlock {
    double bytes;
    uint32_t start, end; // alive from start to end, both included
    uint32_t tie;        // of equal blocks the smaller goes first
} HeapBlock;

// Memory that is there anyway, but free for some of the time.
typedef struct FreeWindow {
    double bytes;
    uint32_t start, end; // free from start to end, both included
} FreeWindow;

// The bytes from the lowest to the highest block. Changes `blocks` and `windows`. Small blocks that have no more than
// `spare` bytes together, and those that only live while much less is alive than at the peak, are taken to fit between
// the others.
double pack_by_size(HeapBlock *blocks, uint32_t n, FreeWindow *windows, uint32_t n_windows, double spare, Arena *a);
// The same where each block is placed when it comes to life, into the tightest gap there is then. All places are
// multiples of 16 KiB. INFINITY if that is more than `limit` bytes.
double pack_by_time(const HeapBlock *blocks, uint32_t n, const FreeWindow *windows, uint32_t n_windows, double limit,
                    Arena *a);

#endif
