// Packing by best fit, the largest first, as XLA's heap simulator does: each block goes into the tightest gap among
// those that live at the same time.
#include "sim/pack.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct Placed {
    double from, to;
    uint32_t start, end;
} Placed;

static int larger_first(const void *a, const void *b) {
    const Block *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    uint32_t i = x->end - x->start, k = y->end - y->start;
    if (i != k) return i > k ? -1 : 1;
    return x->tie < y->tie ? -1 : x->tie > y->tie;
}

static int earlier_first(const void *a, const void *b) {
    const Block *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return larger_first(a, b);
}

static int smaller_first(const void *a, const void *b) {
    const Room *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

// The smallest room that is free all the time. `before` links the blocks in one room.
static bool find_room(const Block *blocks, uint32_t k, Room *rooms, uint32_t n_rooms, uint32_t *before) {
    const Block *b = &blocks[k];
    for (uint32_t i = 0; i < n_rooms; i++) {
        Room *r = &rooms[i];
        if (r->bytes < b->bytes || b->start < r->start || r->end < b->end) continue;
        uint32_t other = r->last;
        while (other != NONE && (blocks[other].end < b->start || b->end < blocks[other].start)) other = before[other];
        if (other != NONE) continue;
        before[k] = r->last;
        r->last = k;
        return true;
    }
    return false;
}

// `placed` is sorted by where blocks begin.
static double best_place(const Placed *placed, uint32_t n, const Block *b) {
    double reach = 0, best = -1, best_gap = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Placed *p = &placed[i];
        if (p->end < b->start || b->end < p->start) continue;
        double gap = p->from - reach;
        if (gap >= b->bytes && (best < 0 || gap < best_gap)) best = reach, best_gap = gap;
        if (p->to > reach) reach = p->to;
    }
    return best < 0 ? reach : best;
}

// A heap of blocks with the smallest on top, but for the one at `i`.
static void sift_down(Block *heap, uint32_t n, uint32_t i) {
    Block b = heap[i];
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && larger_first(&heap[child], &heap[child + 1]) < 0) child++;
        if (larger_first(&heap[child], &b) < 0) break;
        heap[i] = heap[child];
    }
    heap[i] = b;
}

// Brings the first PACK_MAX to the front, without an order among them: sorting all would cost more than packing these.
static void choose_largest(Block *blocks, uint32_t n) {
    for (uint32_t i = PACK_MAX / 2; i-- > 0;) sift_down(blocks, PACK_MAX, i);
    for (uint32_t i = PACK_MAX; i < n; i++) {
        if (larger_first(&blocks[i], &blocks[0]) > 0) continue;
        blocks[0] = blocks[i];
        sift_down(blocks, PACK_MAX, 0);
    }
}

static uint32_t choose(Block *blocks, uint32_t n, Room *rooms, uint32_t n_rooms) {
    if (n > PACK_MAX) choose_largest(blocks, n), n = PACK_MAX;
    if (n_rooms) qsort(rooms, n_rooms, sizeof *rooms, smaller_first);
    for (uint32_t i = 0; i < n_rooms; i++) rooms[i].last = NONE;
    return n;
}

static double place_all(const Block *blocks, uint32_t n, Room *rooms, uint32_t n_rooms, Arena *a) {
    Placed *placed = arena_new(a, Placed, n + 1);
    uint32_t *before = arena_new(a, uint32_t, n + 1), n_placed = 0;
    double high = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (find_room(blocks, k, rooms, n_rooms, before)) continue;
        double from = best_place(placed, n_placed, &blocks[k]);
        uint32_t i = n_placed++;
        while (i && placed[i - 1].from > from) i--;
        memmove(placed + i + 1, placed + i, (n_placed - 1 - i) * sizeof *placed);
        placed[i] = (Placed){from, from + blocks[k].bytes, blocks[k].start, blocks[k].end};
        if (placed[i].to > high) high = placed[i].to;
    }
    return high;
}

double pack(Block *blocks, uint32_t n, Room *rooms, uint32_t n_rooms, Arena *a) {
    n = choose(blocks, n, rooms, n_rooms);
    if (n) qsort(blocks, n, sizeof *blocks, larger_first);
    return place_all(blocks, n, rooms, n_rooms, a);
}

double pack_in_time(Block *blocks, uint32_t n, Room *rooms, uint32_t n_rooms, Arena *a) {
    n = choose(blocks, n, rooms, n_rooms);
    if (n) qsort(blocks, n, sizeof *blocks, earlier_first);
    return place_all(blocks, n, rooms, n_rooms, a);
}
