// Lanes: a tree of rows, each of which knows how far it reaches, its largest hole, and when it is taken. Where much is
// alive at the same time, a row has no hole at all, and is passed as one.
#include "sim/lanes.h"
#include <math.h>
#include <string.h>

Lanes lanes_new(Calendar *c, uint32_t n_blocks, Arena *a) {
    // Rows are half full at least; a third more for the rows of rows.
    Lanes l = {.calendar = c, .rows = arena_new(a, Row, n_blocks / (IN_A_ROW / 2) * 4 / 3 + 8), .n_rows = 1};
    l.rows[0].n = 0;
    return l;
}

// ---- Where a block fits ---------------------------------------------------------------------------------------------

typedef struct Fit {
    Block block;
    Parts parts;
    double reach;     // what lies below is looked at
    double best, gap; // where it fits so far, and how tightly
} Fit;

// What begins and ends there is taken. True if the block fits in front of it just so.
static bool pass(Fit *f, double from, double to) {
    double gap = from - f->reach;
    if (gap >= f->block.bytes && gap < f->gap) {
        f->best = f->reach, f->gap = gap;
        if (gap == f->block.bytes) return true;
    }
    f->reach = to;
    return false;
}

// In a row of lanes. True if it fits somewhere just so.
static bool look_at_lanes(const Lanes *l, const Row *row, Fit *f) {
    const Parts parts = f->parts;
    for (const Lane *lane = row->at, *end = lane + row->n; lane < end; lane++) {
        if (lane->to <= f->reach || !(lane->each.all & parts.all)) continue;
        if (!surely_meet(lane->each, parts) && !calendar_meets(l->calendar, lane->in, &f->block)) continue;
        if (pass(f, lane->from, lane->to)) return true;
    }
    return false;
}

static bool is_free(const Lane *l, const Block *b, Parts parts) {
    return !(l->any & parts.all) || l->end < b->start || b->end < l->start;
}

static bool is_taken(const Lane *l, const Block *b, Parts parts) {
    return surely_meet(l->each, parts) ||
           (l->busy_from <= b->end && b->start <= l->busy_till && l->busy_from <= l->busy_till);
}

// The same in a row of that height.
static bool look_in(const Lanes *l, const Row *row, uint32_t height, Fit *f) {
    if (height == 0) return look_at_lanes(l, row, f);
    for (const Lane *rows = row->at, *end = rows + row->n; rows < end; rows++) {
        if (rows->to <= f->reach || is_free(rows, &f->block, f->parts)) continue;
        bool taken = rows->after <= f->reach && rows->hole < f->block.bytes && is_taken(rows, &f->block, f->parts);
        if (taken ? pass(f, rows->solid, rows->to) : look_in(l, &l->rows[rows->in], height - 1, f)) return true;
    }
    return false;
}

double lanes_best_place(const Lanes *l, const Block *b, Parts parts) {
    Fit f = {.block = *b, .parts = parts, .best = -1, .gap = INFINITY};
    look_in(l, &l->rows[l->top], l->height, &f);
    return f.best < 0 ? f.reach : f.best;
}

// ---- A block more ---------------------------------------------------------------------------------------------------

static uint32_t busy_time(const Lane *l) { return l->busy_from <= l->busy_till ? l->busy_till - l->busy_from + 1 : 0; }

// Lanes that are taken for a short time do not count if they lie where those before them do, or are the first ones.
static void sum_up(const Row *row, Lane *sum) {
    const Lane *lane = row->at;
    Lane s = *lane;
    for (const Lane *end = lane + row->n; ++lane < end;) {
        s.any |= lane->any;
        if (lane->start < s.start) s.start = lane->start;
        if (lane->end > s.end) s.end = lane->end;
        uint32_t so_far = busy_time(&s), now = busy_time(lane);
        if (lane->to <= s.to && now < so_far) continue;
        if (lane->to >= s.to && so_far < now / 2) {
            s.after = lane->after > s.to ? lane->after : s.to;
            s.solid = lane->solid, s.hole = lane->hole, s.each = lane->each;
            s.busy_from = lane->busy_from, s.busy_till = lane->busy_till;
        } else {
            if (lane->after > s.to) s.each = (Parts){0, 0}, s.busy_till = 0, s.busy_from = 1;
            if (lane->solid - s.to > s.hole) s.hole = lane->solid - s.to;
            if (lane->hole > s.hole) s.hole = lane->hole;
            s.each = both_parts(s.each, lane->each);
            if (lane->busy_from > s.busy_from) s.busy_from = lane->busy_from;
            if (lane->busy_till < s.busy_till) s.busy_till = lane->busy_till;
        }
        if (lane->to > s.to) s.to = lane->to;
    }
    s.in = sum->in;
    *sum = s;
}

// Room for a lane at place `i` of a row.
static Lane *insert(Row *row, uint32_t i) {
    memmove(&row->at[i + 1], &row->at[i], (row->n++ - i) * sizeof *row->at);
    return &row->at[i];
}

// Moves half of a full row, which is at place `i` of the one above, into a row behind it.
static void split(Lanes *l, Row *above, uint32_t i) {
    uint32_t number = l->n_rows++;
    Row *row = &l->rows[above->at[i].in], *half = &l->rows[number];
    half->n = row->n = IN_A_ROW / 2;
    memcpy(half->at, row->at + row->n, half->n * sizeof *half->at);
    insert(above, i + 1)->in = number;
    sum_up(row, &above->at[i]);
    sum_up(half, &above->at[i + 1]);
}

// How many lanes or rows begin there or before; of those that begin at the same place, the larger come first.
static uint32_t count_up_to(const Row *row, double from, double to) {
    uint32_t i = 0;
    while (i < row->n && (row->at[i].from < from || (row->at[i].from == from && row->at[i].first_to >= to))) i++;
    return i;
}

static void add_to_lane(Lane *lane, const Block *b, Parts parts) {
    add_parts(&lane->each, parts);
    lane->any = lane->each.all;
    if (b->start < lane->start) lane->start = b->start;
    if (b->end > lane->end) lane->end = b->end;
    if (b->end - b->start <= lane->busy_till - lane->busy_from && lane->in != NOBODY) return;
    lane->busy_from = b->start; // the longest of them
    lane->busy_till = b->end;
}

#define MAX_HEIGHT 32

void lanes_put(Lanes *l, uint32_t block, double from, Parts parts) {
    const Block *b = &l->calendar->blocks[block];
    double to = from + b->bytes;
    if (l->rows[l->top].n == IN_A_ROW) {
        Row *above = &l->rows[l->n_rows];
        *above = (Row){.n = 1, .at = {{.in = l->top}}};
        l->top = l->n_rows++;
        l->height++;
        split(l, above, 0);
    }
    Row *row = &l->rows[l->top];
    Lane *path[MAX_HEIGHT];
    for (uint32_t h = 0; h < l->height; h++) {
        uint32_t i = count_up_to(row, from, to);
        i -= i > 0;
        if (l->rows[row->at[i].in].n == IN_A_ROW) {
            split(l, row, i);
            if (count_up_to(row, from, to) > i + 1) i++;
        }
        path[h] = &row->at[i];
        row = &l->rows[row->at[i].in];
    }
    uint32_t i = count_up_to(row, from, to);
    Lane *lane = i ? &row->at[i - 1] : NULL;
    if (!lane || lane->from != from || lane->to != to) {
        lane = insert(row, i);
        *lane = (Lane){.from = from, .to = to, .first_to = to, .solid = from, .start = b->start, .in = NOBODY};
    }
    add_to_lane(lane, b, parts);
    calendar_add(l->calendar, &lane->in, block);
    for (uint32_t h = l->height; h-- > 0;) sum_up(&l->rows[path[h]->in], path[h]);
}
