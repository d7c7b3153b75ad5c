// Occupied extents: time is divided into parts. A block that is alive during a whole part conflicts with every extent that is ever
// occupied in it. A block that begins or ends in the part conflicts with the extents occupied throughout it, and with some of the
// others. Where much is alive memory is full, and merging adjacent extents leaves few of them, with no gap for most blocks.
#include "sim/packing/packing_index.h"
#include "support/sort.h"
#include <math.h>
#include <string.h>

// Gaps and extents that are looked at for each block, on average: training steps need up to 100. Blocks can be so that every
// gap must be looked at for each: then the smallest, which come last, go on top of the others.
enum { STEPS_A_BLOCK = 512, FREE_STEPS = 1 << 20, MOVED_A_STEP = 32 }; // extents that make room in the time of a step
enum { NEAR_EXTENTS = 8 }; // looked at one after another

// As many blocks begin or end in each part. The more parts, the longer it takes to add a block, and the fewer others
// begin or end where it does.
OccupiedExtents occupied_extents_new(const HeapBlock *blocks, uint32_t n, Arena *a) {
    uint32_t n_parts = 1, last = 0, changes[TIMES] = {0};
    while (4 * (uint64_t)n_parts * n_parts < n) n_parts++;
    OccupiedExtents t = {.a = a,
                         .parts = arena_zalloc(a, n_parts * sizeof *t.parts),
                         .gaps = arena_new(a, Extent, n + 1),
                         .other = arena_new(a, Extent, n + 1),
                         .most_steps = FREE_STEPS + STEPS_A_BLOCK * (uint64_t)n};
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

static Extent *add_gap(Extent *to, double from, double end, double bytes) {
    to->from = from, to->to = end;
    return to + (end - from >= bytes);
}

// Joined extents end in the order in which they begin; of others, none is longer than the longest.
static inline bool ends_below(const Extents *e, const Extent *one, double at) {
    return (e->longest > 0 ? one->from + e->longest : one->to) <= at;
}

// From `one` on, the first that may reach above: of the next few, or by steps that double, then by halves.
static const Extent *skip_below(const Extents *e, const Extent *one, double at) {
    const Extent *end = e->list.at + e->list.n, *near = end - one > NEAR_EXTENTS ? one + NEAR_EXTENTS : end;
    for (; one < near; one++)
        if (!ends_below(e, one, at)) return one;
    if (one == end) return one;
    one--; // the last that does not
    size_t step = 1, low = 1, left = (size_t)(end - one);
    for (; left > step && ends_below(e, one + step, at); left -= step, step *= 2) one += step;
    size_t high = left < step ? left : step;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ends_below(e, one + middle, at))
            low = middle + 1;
        else
            high = middle;
    }
    return one + low;
}

// Removes from the gaps the extents that the block conflicts with.
static void take_out(OccupiedExtents *t, const Extents *occupied, const HeapBlock *b) {
    if (occupied->reach <= t->gaps->from) return;
    const Extent *first = occupied->list.at, *end = first + occupied->list.n;
    Extent *to = t->other;
    for (const Extent *gap = t->gaps;; gap++, t->steps++) {
        double from = gap->from;
        first = skip_below(occupied, first, from);
        const Extent *one = first;
        for (; one < end && one->from < gap->to; one++) {
            if (one->to <= from || one->end < b->start || b->end < one->start) continue;
            to = add_gap(to, from, one->from, b->bytes);
            from = one->to;
        }
        t->steps += (uint64_t)(one - first);
        to = add_gap(to, from, gap->to, b->bytes);
        if (gap->to == INFINITY) break;
    }
    to = t->gaps, t->gaps = t->other, t->other = to;
}

// Where all that lives in the parts that it touches ends.
static double above_all(const Part *first, const Part *last) {
    double reach = 0;
    for (const Part *p = first; p <= last; p++)
        if (p->ever.reach > reach) reach = p->ever.reach;
    return reach;
}

double occupied_extents_best_fit(OccupiedExtents *t, const HeapBlock *b) {
    const Part *first = part_at(t, b->start), *last = part_at(t, b->end), *fullest = first + 1;
    if (t->steps > t->most_steps) return above_all(first, last);
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

static bool begins_up_to(const Extent *e, double from) { return e->from <= from; }
DEFINE_LOWER_BOUND(count_up_to, Extent, double, begins_up_to)

static void move_extents(OccupiedExtents *t, Extents *e, uint32_t from, uint32_t to) {
    uint32_t n = e->list.n - from;
    memmove(&e->list.at[to], &e->list.at[from], n * sizeof *e->list.at);
    e->list.n = to + n;
    t->steps += n / MOVED_A_STEP;
}

static void insert(OccupiedExtents *t, Extents *e, uint32_t i, Extent one) {
    vec_reserve(t->a, &e->list, (uint64_t)e->list.n + 1);
    move_extents(t, e, i, i + 1);
    e->list.at[i] = one;
}

static void merge_extent_below(OccupiedExtents *t, Extents *e, double from, double to) {
    uint32_t i = count_up_to(e->list.at, e->list.n, from), end = i;
    Extent *at = e->list.at;
    if (i > 0 && at[i - 1].to >= from) i--;
    while (end < e->list.n && at[end].from <= to) end++;
    if (i == end) {
        insert(t, e, i, (Extent){from, to, 0, UINT32_MAX});
        return;
    }
    if (at[i].from > from) at[i].from = from;
    at[i].to = at[end - 1].to > to ? at[end - 1].to : to;
    if (end - i > 1) move_extents(t, e, end, i + 1);
}

// Makes one of all that touch each other: most lie on top of the others.
static inline void merge_extent(OccupiedExtents *t, Extents *e, double from, double to) {
    if (to > e->reach) e->reach = to;
    Extent *highest = e->list.n ? e->list.at + e->list.n - 1 : NULL;
    if (highest && highest->from <= from && from <= highest->to)
        highest->to = e->reach;
    else
        merge_extent_below(t, e, from, to);
}

static void add_at_times(OccupiedExtents *t, Extents *e, Extent one) {
    insert(t, e, count_up_to(e->list.at, e->list.n, one.from), one);
    if (one.to > e->reach) e->reach = one.to;
    if (one.to - one.from > e->longest) e->longest = one.to - one.from;
}

void occupied_extents_add(OccupiedExtents *t, const HeapBlock *b, double from) {
    Part *first = part_at(t, b->start), *last = part_at(t, b->end);
    Extent one = {from, from + b->bytes, b->start, b->end};
    for (Part *p = first; p <= last; p++) merge_extent(t, &p->ever, one.from, one.to), p->bytes += b->bytes;
    for (Part *p = first + 1; p < last; p++) merge_extent(t, &p->throughout, one.from, one.to);
    add_at_times(t, &first->at_times, one);
    if (first != last) add_at_times(t, &last->at_times, one);
}
