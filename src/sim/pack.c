// Packing by best fit, the largest first, as XLA's heap simulator does: each block goes into the tightest gap among
// those that live at the same time.
//
// Most blocks have one of few sizes, so that many lie at the same place one after another, in a lane. Time has 64 parts,
// in which as many blocks begin or end: a lane that is busy in a part that a block is alive in throughout is no place for
// it, one that is busy in none of its parts is; what lives in a lane is only looked at where the block begins and ends.
#include "sim/pack.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct Lane {
    double from, to;
    uint64_t busy; // parts of the time
    uint32_t last; // of the blocks in it
} Lane;

// When a block lives, in parts of the time.
typedef struct Parts {
    uint64_t all, whole; // those in which it lives, and in which it lives throughout
} Parts;

typedef struct Packing {
    Block *blocks;
    Room *rooms; // the smallest first
    uint32_t n, n_rooms, n_lanes;
    Lane *lanes;      // by where they begin
    uint32_t *before; // by block: the one before it in the same lane or room
    uint8_t *part;    // by time
    uint64_t full;    // parts in which much is alive
} Packing;

// ---- Which go first -------------------------------------------------------------------------------------------------

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

// Brings the first `max` to the front, without an order among them: sorting all would cost more than packing these.
static void choose_largest(Block *blocks, uint32_t n, uint32_t max) {
    for (uint32_t i = max / 2; i-- > 0;) sift_down(blocks, max, i);
    for (uint32_t i = max; i < n; i++) {
        if (larger_first(&blocks[i], &blocks[0]) > 0) continue;
        blocks[0] = blocks[i];
        sift_down(blocks, max, 0);
    }
}

// ---- The parts of the time ------------------------------------------------------------------------------------------

#define FULL 0.7 // of the most that is ever alive

static void find_parts(Packing *p, Arena *a) {
    uint32_t end = 0, so_far = 0;
    for (uint32_t k = 0; k < p->n; k++)
        if (p->blocks[k].end > end) end = p->blocks[k].end;
    uint32_t *changes = arena_zalloc(a, (end + 2) * sizeof *changes);
    double *change = arena_zalloc(a, (end + 2) * sizeof *change), alive = 0, peak = 0, most[64] = {0};
    for (uint32_t k = 0; k < p->n; k++) {
        const Block *b = &p->blocks[k];
        changes[b->start]++, changes[b->end]++;
        change[b->start] += b->bytes, change[b->end + 1] -= b->bytes;
    }
    p->part = arena_alloc(a, end + 1);
    for (uint32_t t = 0, part = 0; t <= end; t++) {
        while ((uint64_t)so_far * 64 >= (part + 1) * 2 * (uint64_t)p->n) part++;
        p->part[t] = (uint8_t)part;
        so_far += changes[t];
        alive += change[t];
        if (alive > most[part]) most[part] = alive;
        if (alive > peak) peak = alive;
    }
    for (uint32_t part = 0; part < 64; part++)
        if (most[part] >= FULL * peak) p->full |= UINT64_C(1) << part;
}

static Parts parts_of(const Packing *p, const Block *b) {
    uint32_t first = p->part[b->start], last = p->part[b->end];
    uint64_t from_first = ~UINT64_C(0) << first, to_last = ~UINT64_C(0) >> (63 - last);
    return (Parts){from_first & to_last, from_first << 1 & to_last >> 1};
}

static int log2_of(double bytes) {
    int e;
    frexp(bytes, &e);
    return e < 0 ? 0 : e > 63 ? 63 : e;
}

// Leaves out the smallest, by powers of two, that have no more than `spare` bytes together, and those that only live
// while there is much room.
static void leave_out(Packing *p, double spare) {
    double sum[64] = {0};
    for (uint32_t i = 0; i < p->n; i++) sum[log2_of(p->blocks[i].bytes)] += p->blocks[i].bytes;
    int least = 0;
    for (double left = spare; least < 64 && (left -= sum[least]) >= 0;) least++;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (log2_of(p->blocks[i].bytes) >= least && parts_of(p, &p->blocks[i]).all & p->full)
            p->blocks[kept++] = p->blocks[i];
    p->n = kept;
}

// ---- Where they go --------------------------------------------------------------------------------------------------

// Whether one of the blocks up to `last` in a lane or room lives at the same time.
static bool is_taken(const Packing *p, uint64_t busy, uint32_t last, const Block *b, Parts parts) {
    if (!(busy & parts.all)) return false;
    if (busy & parts.whole) return true;
    while (last != NONE && (p->blocks[last].end < b->start || b->end < p->blocks[last].start)) last = p->before[last];
    return last != NONE;
}

// The smallest room that is free all the time.
static bool find_room(Packing *p, uint32_t k, Parts parts) {
    const Block *b = &p->blocks[k];
    for (uint32_t i = 0; i < p->n_rooms; i++) {
        Room *r = &p->rooms[i];
        if (r->bytes < b->bytes || b->start < r->start || r->end < b->end) continue;
        if (is_taken(p, r->busy, r->last, b, parts)) continue;
        p->before[k] = r->last;
        r->last = k;
        r->busy |= parts.all;
        return true;
    }
    return false;
}

// Most lanes are taken and lie one after another, so that these are passed first.
static double best_place(const Packing *p, const Block *b, Parts parts) {
    double reach = 0, best = -1, best_gap = INFINITY, bytes = b->bytes;
    const Lane *l = p->lanes, *end = l + p->n_lanes;
    for (;; l++) {
        for (; l < end && l->busy & parts.whole && l->from <= reach; l++) reach = l->to > reach ? l->to : reach;
        if (l == end) break;
        if (!is_taken(p, l->busy, l->last, b, parts)) continue;
        double gap = l->from - reach;
        if (gap >= bytes && gap < best_gap) {
            best = reach, best_gap = gap;
            if (gap == bytes) break;
        }
        reach = l->to > reach ? l->to : reach;
    }
    return best < 0 ? reach : best;
}

static void put(Packing *p, uint32_t k, double from, Parts parts) {
    double to = from + p->blocks[k].bytes;
    uint32_t low = 0, high = p->n_lanes;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->lanes[middle].from < from)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < p->n_lanes && p->lanes[low].from == from && p->lanes[low].to != to) low++;
    Lane *l = &p->lanes[low];
    if (low == p->n_lanes || l->from != from) {
        memmove(l + 1, l, (p->n_lanes++ - low) * sizeof *l);
        *l = (Lane){from, to, 0, NONE};
    }
    p->before[k] = l->last;
    l->last = k;
    l->busy |= parts.all;
}

static double place_all(Packing *p) {
    if (p->n_rooms) qsort(p->rooms, p->n_rooms, sizeof *p->rooms, smaller_first);
    for (uint32_t i = 0; i < p->n_rooms; i++) p->rooms[i].last = NONE, p->rooms[i].busy = 0;
    double high = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        Parts parts = parts_of(p, &p->blocks[k]);
        if (p->n_rooms && find_room(p, k, parts)) continue;
        double from = best_place(p, &p->blocks[k], parts);
        put(p, k, from, parts);
        if (from + p->blocks[k].bytes > high) high = from + p->blocks[k].bytes;
    }
    return high;
}

double pack(Block *blocks, uint32_t n, Room *rooms, uint32_t n_rooms, double spare, Arena *a) {
    if (n == 0) return 0;
    Packing p = {.blocks = blocks, .n = n, .rooms = rooms, .n_rooms = n_rooms};
    find_parts(&p, a);
    leave_out(&p, spare);
    p.before = arena_new(a, uint32_t, p.n);
    p.lanes = arena_new(a, Lane, p.n);
    qsort(blocks, p.n, sizeof *blocks, larger_first);
    return place_all(&p);
}

double pack_in_time(Block *blocks, uint32_t n, Room *rooms, uint32_t n_rooms, Arena *a) {
    if (n == 0) return 0;
    if (n > PACK_IN_TIME_MAX) choose_largest(blocks, n, PACK_IN_TIME_MAX), n = PACK_IN_TIME_MAX;
    Packing p = {.blocks = blocks, .n = n, .rooms = rooms, .n_rooms = n_rooms};
    p.before = arena_new(a, uint32_t, p.n);
    p.lanes = arena_new(a, Lane, p.n);
    find_parts(&p, a);
    qsort(blocks, p.n, sizeof *blocks, earlier_first);
    return place_all(&p);
}
