// Packing by best fit, the largest first, as XLA's heap simulator does: each block goes into the tightest gap among
// those that live at the same time.
//
// Most blocks have one of few sizes, so that many lie at the same place one after another, in a lane. Time has 64 parts,
// in which as many blocks begin or end: if of a lane and a block one is alive throughout a part of the other, the lane is
// no place for it; if they have no part in common it is; what lives in a lane is only looked at where neither holds. Of
// most lanes in a row it is the former, so that they are looked at a few at a time.
#include "sim/pack.h"
#include "support/sort.h"
#include <math.h>

#define NONE UINT32_MAX

typedef struct Lane {
    double from, to;
    Parts busy;
    uint32_t last; // of the blocks in it
} Lane;

#define IN_A_ROW 8

// Some lanes, one after another.
typedef struct Row {
    double from, to;
    double hole; // the largest between two of them
    Parts each;  // parts in which all of them are busy
    uint64_t any;
} Row;

typedef struct Packing {
    Block *blocks;
    Room *rooms; // the smallest first
    uint32_t n, n_rooms, n_lanes;
    Lane *lanes; // by where they begin
    Row *rows;
    uint32_t *before; // by block: the one before it in the same lane or room
    uint8_t *part;    // by time
    uint32_t last;    // of the times
    uint64_t full;    // parts in which much is alive
} Packing;

// ---- Which go first -------------------------------------------------------------------------------------------------

static bool is_larger(const Block *x, const Block *y) {
    if (x->bytes != y->bytes) return x->bytes > y->bytes;
    uint32_t i = x->end - x->start, k = y->end - y->start;
    return i != k ? i > k : x->tie < y->tie;
}

static bool is_smaller(const Room *x, const Room *y) {
    return x->bytes != y->bytes ? x->bytes < y->bytes : x->start < y->start;
}

DEFINE_SORT(sort_larger_first, Block, is_larger)
DEFINE_SORT(sort_smaller_first, Room, is_smaller)

// ---- The parts of the time ------------------------------------------------------------------------------------------

static void find_parts(Packing *p, Arena *a) {
    uint32_t end = 0, so_far = 0, part = 0;
    for (uint32_t k = 0; k < p->n; k++)
        if (p->blocks[k].end > end) end = p->blocks[k].end;
    uint32_t *changes = arena_zalloc(a, (end + 1) * sizeof *changes);
    for (uint32_t k = 0; k < p->n; k++) changes[p->blocks[k].start]++, changes[p->blocks[k].end]++;
    p->part = arena_alloc(a, end + 1);
    for (uint32_t t = 0; t <= end; t++) {
        p->part[t] = (uint8_t)part;
        if (!changes[t]) continue;
        so_far += changes[t];
        while ((uint64_t)so_far * 64 >= (part + 1) * 2 * (uint64_t)p->n) part++;
    }
    p->last = end;
}

#define FULL 0.7 // of the most that is ever alive

static void find_full(Packing *p, Arena *a) {
    double *change = arena_zalloc(a, (p->last + 2) * sizeof *change), alive = 0, peak = 0, most[64] = {0};
    for (uint32_t k = 0; k < p->n; k++) {
        const Block *b = &p->blocks[k];
        change[b->start] += b->bytes, change[b->end + 1] -= b->bytes;
    }
    for (uint32_t t = 0; t <= p->last; t++) {
        alive += change[t];
        if (alive > most[p->part[t]]) most[p->part[t]] = alive;
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

static bool surely_meet(Parts a, Parts b) { return (a.all & b.whole) | (a.whole & b.all); }

// Whether one of the blocks up to `last` in a lane or room lives at the same time.
static bool is_taken(const Packing *p, Parts busy, uint32_t last, const Block *b, Parts parts) {
    if (!(busy.all & parts.all)) return false;
    if (surely_meet(busy, parts)) return true;
    while (last != NONE && (p->blocks[last].end < b->start || b->end < p->blocks[last].start)) last = p->before[last];
    return last != NONE;
}

static void add_parts(Parts *to, Parts parts) { to->all |= parts.all, to->whole |= parts.whole; }

// The smallest room that is free all the time.
static bool find_room(Packing *p, uint32_t k, Parts parts) {
    const Block *b = &p->blocks[k];
    uint32_t low = 0, high = p->n_rooms;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->rooms[middle].bytes < b->bytes)
            low = middle + 1;
        else
            high = middle;
    }
    for (Room *r = p->rooms + low, *end = p->rooms + p->n_rooms; r < end; r++) {
        if (b->start < r->start || r->end < b->end) continue;
        if (is_taken(p, r->busy, r->last, b, parts)) continue;
        p->before[k] = r->last;
        r->last = k;
        add_parts(&r->busy, parts);
        return true;
    }
    return false;
}

static void sum_up_row(Packing *p, uint32_t row) {
    uint32_t first = row * IN_A_ROW, end = first + IN_A_ROW < p->n_lanes ? first + IN_A_ROW : p->n_lanes;
    Row r = {p->lanes[first].from, p->lanes[first].to, 0, p->lanes[first].busy, p->lanes[first].busy.all};
    for (const Lane *l = p->lanes + first + 1; l < p->lanes + end; l++) {
        if (l->from - r.to > r.hole) r.hole = l->from - r.to;
        if (l->to > r.to) r.to = l->to;
        r.each.all &= l->busy.all, r.each.whole &= l->busy.whole, r.any |= l->busy.all;
    }
    p->rows[row] = r;
}

typedef struct Fit {
    double bytes, reach; // what lies below is looked at
    double best, gap;    // where it fits so far, and how tightly
} Fit;

// What begins and ends there is taken. True if the block fits in front of it just so.
static bool pass(Fit *f, double from, double to) {
    double gap = from - f->reach;
    if (gap >= f->bytes && gap < f->gap) {
        f->best = f->reach, f->gap = gap;
        if (gap == f->bytes) return true;
    }
    f->reach = to > f->reach ? to : f->reach;
    return false;
}

static double best_place(const Packing *p, const Block *b, Parts parts) {
    Fit f = {.bytes = b->bytes, .best = -1, .gap = INFINITY};
    bool done = false;
    for (uint32_t i = 0; i < p->n_lanes && !done; i += IN_A_ROW) {
        const Row *row = &p->rows[i / IN_A_ROW];
        if (!(row->any & parts.all)) continue;
        if (surely_meet(row->each, parts) && row->hole < f.bytes) {
            done = pass(&f, row->from, row->to);
            continue;
        }
        const Lane *l = p->lanes + i, *end = i + IN_A_ROW < p->n_lanes ? l + IN_A_ROW : p->lanes + p->n_lanes;
        for (; l < end && !done; l++)
            if (is_taken(p, l->busy, l->last, b, parts)) done = pass(&f, l->from, l->to);
    }
    return f.best < 0 ? f.reach : f.best;
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
    uint32_t last = low; // that is not where it was
    if (low == p->n_lanes || l->from != from) {
        memmove(l + 1, l, (p->n_lanes++ - low) * sizeof *l);
        *l = (Lane){from, to, {0, 0}, NONE};
        last = p->n_lanes - 1;
    }
    p->before[k] = l->last;
    l->last = k;
    add_parts(&l->busy, parts);
    for (uint32_t row = low / IN_A_ROW; row <= last / IN_A_ROW; row++) sum_up_row(p, row);
}

static double place_all(Packing *p, Arena *a) {
    sort_smaller_first(p->rooms, p->n_rooms, a);
    for (uint32_t i = 0; i < p->n_rooms; i++) p->rooms[i].last = NONE, p->rooms[i].busy = (Parts){0, 0};
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
    find_full(&p, a);
    leave_out(&p, spare);
    p.before = arena_new(a, uint32_t, p.n);
    p.lanes = arena_new(a, Lane, p.n);
    p.rows = arena_new(a, Row, p.n / IN_A_ROW + 1);
    sort_larger_first(blocks, p.n, a);
    return place_all(&p, a);
}
