// Packing in the order of time: what is alive lies in memory with gaps between, and a block that comes to life goes into
// the tightest gap that holds it, or on top. A block that is dead leaves a gap, which those beside it become part of.
#include "sim/pack.h"
#include "support/sort.h"
#include <math.h>

#define NONE    UINT32_MAX
#define NOWHERE (-1.0)     // the place of a block that is not in the heap
#define ALIGNED (16 << 10) // bytes that all places are multiples of

typedef struct Gap {
    double from, to;
} Gap;

typedef struct Heap {
    Room *rooms;         // the smallest first
    uint32_t *free_from; // by room
    uint32_t n_rooms;
    Gap *gaps; // by where they begin; between two of them something is alive
    uint32_t n_gaps;
    double top; // nothing above is alive
} Heap;

// ---- Which go first -------------------------------------------------------------------------------------------------

static bool comes_first(const Block *x, const Block *y) {
    if (x->start != y->start) return x->start < y->start;
    return x->bytes != y->bytes ? x->bytes > y->bytes : x->end != y->end ? x->end > y->end : x->tie < y->tie;
}

DEFINE_SORT(sort_blocks, Block, comes_first)

typedef struct Death {
    uint32_t end, block;
} Death;

static bool dies_first(const Death *x, const Death *y) { return x->end < y->end; }

DEFINE_SORT(sort_deaths, Death, dies_first)

static bool is_smaller(const Room *x, const Room *y) {
    return x->bytes != y->bytes ? x->bytes < y->bytes : x->start < y->start;
}

DEFINE_SORT(sort_rooms, Room, is_smaller)

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

double pack_in_time(const Block *blocks, uint32_t n, Room *rooms, uint32_t n_rooms, Arena *a) {
    Heap h = {.rooms = rooms,
              .n_rooms = n_rooms,
              .free_from = arena_new(a, uint32_t, n_rooms),
              .gaps = arena_new(a, Gap, n + 1)};
    sort_rooms(rooms, n_rooms, a);
    for (uint32_t i = 0; i < n_rooms; i++) h.free_from[i] = rooms[i].start;
    Block *born = arena_new(a, Block, n);
    Death *deaths = arena_new(a, Death, n);
    double *place = arena_new(a, double, n), high = 0;
    for (uint32_t k = 0; k < n; k++) born[k] = blocks[k];
    sort_blocks(born, n, a);
    for (uint32_t k = 0; k < n; k++) deaths[k] = (Death){born[k].end, k}, place[k] = NOWHERE;
    sort_deaths(deaths, n, a);
    for (uint32_t k = 0, dead = 0; k < n; k++) {
        for (; dead < n && deaths[dead].end < born[k].start; dead++) {
            uint32_t one = deaths[dead].block;
            if (place[one] != NOWHERE) leave_gap(&h, place[one], place[one] + aligned(born[one].bytes));
        }
        if (take_room(&h, &born[k])) continue;
        place[k] = take_gap(&h, aligned(born[k].bytes));
        if (h.top > high) high = h.top;
    }
    return high;
}
