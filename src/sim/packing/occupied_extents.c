// Taken: a block that lives through a part of the time meets all that is ever there, and one whose life begins or ends
// in it those that are there throughout, and some of the others. Memory is full where much is alive: what is ever taken
// there is few extents, as those that touch each other are one, and leaves no gap for most blocks.
#include "sim/packing/occupied_extents.h"
#include <math.h>
#include <string.h>

// As many blocks begin or end in each part. The more parts, the longer it takes to add a block, and the fewer others
// begin or end where it does.
OccupiedExtents occupied_extents_new(const HeapBlock *blocks, uint32_t n, Arena *a) {
    uint32_t n_parts = 1, last = 0, changes[TIMES] = {0};
    while (4 * (uint64_t)n_parts * n_parts < n) n_parts++;
    OccupiedExtents t = {.a = a,
                         .parts = arena_zalloc(a, n_parts * sizeof *t.parts),
                         .gaps = arena_new(a, Extent, n + 1),
                         .other = arena_new(a, Extent, n + 1)};
    for (uint32_t k = 0; k < n; k++)
        if (blocks[k].end > last) last = blocks[k].end;
    while (last >> t.shift >= TIMES) t.shift++;
    for (uint32_t k = 0; k < n; k++) changes[blocks[k].start >> t.shift]++, changes[blocks[k].end >> t.shift]++;
    uint64_t so_far = 0;
    for (uint32_t at = 0; at < TIMES; so_far += changes[at++])
        t.part[at] = (uint16_t)(so_far * n_parts / (2 * (uint64_t)n + 1));
    return t;
}

static Part *part_at(const OccupiedExtents *t, uint32_t time) { return &t->parts[t->part[time >> t->shift]]; }

// ---- Where a block fits ---------------------------------------------------------------------------------------------

static Extent *keep(Extent *to, double from, double end, double bytes) {
    to->from = from, to->to = end;
    return to + (end - from >= bytes);
}

// Takes what the block meets out of the gaps.
static void take_out(OccupiedExtents *t, const Extents *occupied, const HeapBlock *b) {
    const Extent *gap = t->gaps;
    double from = gap->from;
    if (occupied->reach <= from) return;
    Extent *to = t->other;
    for (const Extent *one = occupied->list.at, *end = one + occupied->list.n; one < end; one++) {
        if (one->to <= from || one->end < b->start || b->end < one->start) continue;
        for (; gap->to <= one->from; from = (++gap)->from) to = keep(to, from, gap->to, b->bytes);
        to = keep(to, from, one->from, b->bytes);
        while (gap->to <= one->to) gap++;
        from = gap->from > one->to ? gap->from : one->to;
    }
    for (; gap->to < INFINITY; from = (++gap)->from) to = keep(to, from, gap->to, b->bytes);
    keep(to, from, INFINITY, b->bytes);
    to = t->gaps, t->gaps = t->other, t->other = to;
}

double occupied_extents_best_fit(OccupiedExtents *t, const HeapBlock *b) {
    const Part *first = part_at(t, b->start), *last = part_at(t, b->end), *fullest = first + 1;
    t->gaps[0] = (Extent){.to = INFINITY};
    for (const Part *p = first + 2; p < last; p++)
        if (p->bytes > fullest->bytes) fullest = p;
    if (fullest < last) take_out(t, &fullest->ever, b);
    for (const Part *p = first + 1; p < last; p++)
        if (p->ever.reach > t->gaps[0].from) take_out(t, &p->ever, b);
    take_out(t, &first->throughout, b);
    take_out(t, &first->at_times, b);
    if (first != last) take_out(t, &last->throughout, b);
    if (first != last) take_out(t, &last->at_times, b);
    const Extent *best = t->gaps, *gap = best;
    while ((gap++)->to < INFINITY)
        if (gap->to - gap->from < best->to - best->from) best = gap;
    return best->from;
}

// ---- A block more ---------------------------------------------------------------------------------------------------

static uint32_t count_up_to(const Extents *e, double from) {
    uint32_t i = e->list.n;
    while (i > 0 && e->list.at[i - 1].from > from) i--;
    return i;
}

static void insert(Extents *e, uint32_t i, Extent one, Arena *a) {
    vec_push(a, &e->list, one);
    if (i == e->list.n - 1) return;
    memmove(&e->list.at[i + 1], &e->list.at[i], (e->list.n - 1 - i) * sizeof one);
    e->list.at[i] = one;
}

static void join_below(Extents *e, double from, double to, Arena *a) {
    uint32_t i = count_up_to(e, from), end = i;
    Extent *at = e->list.at;
    if (i > 0 && at[i - 1].to >= from) i--;
    while (end < e->list.n && at[end].from <= to) end++;
    if (i == end) {
        insert(e, i, (Extent){from, to, 0, UINT32_MAX}, a);
        return;
    }
    if (at[i].from > from) at[i].from = from;
    at[i].to = at[end - 1].to > to ? at[end - 1].to : to;
    if (end - i == 1) return;
    memmove(&at[i + 1], &at[end], (e->list.n - end) * sizeof *at);
    e->list.n -= end - i - 1;
}

// Makes one of all that touch each other: most lie on top of the others.
static inline void join(Extents *e, double from, double to, Arena *a) {
    if (to > e->reach) e->reach = to;
    Extent *highest = e->list.n ? e->list.at + e->list.n - 1 : NULL;
    if (highest && highest->from <= from && from <= highest->to)
        highest->to = e->reach;
    else
        join_below(e, from, to, a);
}

static void add_at_times(Extents *e, Extent one, Arena *a) {
    insert(e, count_up_to(e, one.from), one, a);
    if (one.to > e->reach) e->reach = one.to;
}

void occupied_extents_add(OccupiedExtents *t, const HeapBlock *b, double from) {
    Part *first = part_at(t, b->start), *last = part_at(t, b->end);
    Extent one = {from, from + b->bytes, b->start, b->end};
    for (Part *p = first; p <= last; p++) join(&p->ever, one.from, one.to, t->a), p->bytes += b->bytes;
    for (Part *p = first + 1; p < last; p++) join(&p->throughout, one.from, one.to, t->a);
    add_at_times(&first->at_times, one, t->a);
    if (first != last) add_at_times(&last->at_times, one, t->a);
}
