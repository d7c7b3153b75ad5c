// Packing in the order of time: what is alive lies in memory with gaps between, and a block that comes to life goes into
// the tightest gap that holds it, or on top. A block that is dead leaves a gap, which those beside it become part of.
#include "sim/pack.h"
#include "support/sort.h"
#include <math.h>

#define NONE    UINT32_MAX
#define ALIGNED (16 << 10) // bytes that all places are multiples of

typedef struct Gap {
    double from, to;
} Gap;

typedef struct Heap {
    Block *blocks;
    Room *rooms;         // the smallest first
    uint32_t *free_from; // by room
    uint32_t n_rooms;
    double *place;  // by block
    uint32_t *next; // by block: the next that comes to life, or dies, at the same time
    Gap *gaps;      // by where they begin; between two of them something is alive
    uint32_t n_gaps;
    double top; // nothing above is alive
} Heap;

// ---- Which go first -------------------------------------------------------------------------------------------------

static bool is_larger(const Block *x, const Block *y) {
    return x->bytes != y->bytes ? x->bytes > y->bytes : x->end != y->end ? x->end > y->end : x->tie < y->tie;
}

static bool is_smaller(const Room *x, const Room *y) {
    return x->bytes != y->bytes ? x->bytes < y->bytes : x->start < y->start;
}

DEFINE_SORT(sort_rooms, Room, is_smaller)

// By half step: the first of the blocks that come to life there, the largest first.
static uint32_t *by_start(Heap *h, uint32_t n, uint32_t n_half_steps, Arena *a) {
    uint32_t *first = arena_new(a, uint32_t, n_half_steps);
    memset(first, 0xff, n_half_steps * sizeof *first);
    for (uint32_t k = n; k-- > 0;) {
        uint32_t *at = &first[h->blocks[k].start];
        while (*at != NONE && is_larger(&h->blocks[*at], &h->blocks[k])) at = &h->next[*at];
        h->next[k] = *at;
        *at = k;
    }
    return first;
}

// ---- Where they go --------------------------------------------------------------------------------------------------

static uint32_t first_gap_from(const Heap *h, double at) {
    uint32_t low = 0, high = h->n_gaps;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (h->gaps[middle].from < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double aligned(double bytes) { return ceil(bytes / ALIGNED) * ALIGNED; }

static double take_gap(Heap *h, double bytes) {
    uint32_t best = NONE;
    double least = INFINITY;
    for (uint32_t i = 0; i < h->n_gaps && least > bytes; i++) {
        double room = h->gaps[i].to - h->gaps[i].from;
        if (room >= bytes && room < least) best = i, least = room;
    }
    double from = best == NONE ? h->top : h->gaps[best].from;
    if (best == NONE)
        h->top += bytes;
    else if (least > bytes)
        h->gaps[best].from += bytes;
    else
        memmove(&h->gaps[best], &h->gaps[best + 1], (--h->n_gaps - best) * sizeof *h->gaps);
    return from;
}

static void leave_gap(Heap *h, double from, double to) {
    uint32_t i = first_gap_from(h, from);
    bool below = i > 0 && h->gaps[i - 1].to == from, above = i < h->n_gaps && h->gaps[i].from == to;
    if (to == h->top) {
        h->top = below ? h->gaps[--h->n_gaps].from : from;
    } else if (below && above) {
        h->gaps[i - 1].to = h->gaps[i].to;
        memmove(&h->gaps[i], &h->gaps[i + 1], (--h->n_gaps - i) * sizeof *h->gaps);
    } else if (below) {
        h->gaps[i - 1].to = to;
    } else if (above) {
        h->gaps[i].from = from;
    } else {
        memmove(&h->gaps[i + 1], &h->gaps[i], (h->n_gaps++ - i) * sizeof *h->gaps);
        h->gaps[i] = (Gap){from, to};
    }
}

// The smallest room that is free all the time.
static bool take_room(Heap *h, const Block *b) {
    uint32_t low = 0, high = h->n_rooms;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (h->rooms[middle].bytes < b->bytes)
            low = middle + 1;
        else
            high = middle;
    }
    for (Room *r = h->rooms + low, *end = h->rooms + h->n_rooms; r < end; r++) {
        uint32_t *free_from = &h->free_from[r - h->rooms];
        if (b->start < *free_from || r->end < b->end) continue;
        *free_from = b->end + 1;
        return true;
    }
    return false;
}

double pack_in_time(Block *blocks, uint32_t n, Room *rooms, uint32_t n_rooms, Arena *a) {
    uint32_t last = 0;
    for (uint32_t k = 0; k < n; k++)
        if (blocks[k].end > last) last = blocks[k].end;
    Heap h = {.blocks = blocks,
              .rooms = rooms,
              .n_rooms = n_rooms,
              .free_from = arena_new(a, uint32_t, n_rooms),
              .place = arena_new(a, double, n),
              .next = arena_new(a, uint32_t, n),
              .gaps = arena_new(a, Gap, n + 1)};
    sort_rooms(rooms, n_rooms, a);
    for (uint32_t i = 0; i < n_rooms; i++) h.free_from[i] = rooms[i].start;
    uint32_t *first = by_start(&h, n, last + 1, a), *ended = arena_new(a, uint32_t, last + 1);
    memset(ended, 0xff, (last + 1) * sizeof *ended);
    double high = 0;
    for (uint32_t t = 0; t <= last; t++) {
        for (uint32_t k = t ? ended[t - 1] : NONE; k != NONE; k = h.next[k])
            leave_gap(&h, h.place[k], h.place[k] + aligned(blocks[k].bytes));
        for (uint32_t k = first[t], next; k != NONE; k = next) {
            next = h.next[k];
            if (take_room(&h, &blocks[k])) continue;
            h.place[k] = take_gap(&h, aligned(blocks[k].bytes));
            h.next[k] = ended[blocks[k].end];
            ended[blocks[k].end] = k;
            if (h.top > high) high = h.top;
        }
    }
    return high;
}
