// Rooms: many in a row that are no place for a block are passed as one.
#include "sim/packing/free_windows.h"
#include "support/sort.h"

#define IN_A_ROW 8

static bool is_smaller(const Room *x, const Room *y) {
    return x->bytes != y->bytes ? x->bytes < y->bytes : x->start < y->start;
}

DEFINE_SORT(sort_smaller_first, Room, is_smaller)

void sort_rooms(Room *rooms, uint32_t n, Arena *a) { sort_smaller_first(rooms, n, a); }

// Of the row `i` of a level, from that below with `n` entries.
static Vacancy sum_up(const Vacancy *below, uint32_t n, uint32_t i) {
    Vacancy sum = below[IN_A_ROW * i];
    for (uint32_t k = IN_A_ROW * i + 1, end = n - k < IN_A_ROW ? n : k + IN_A_ROW - 1; k < end; k++) {
        if (below[k].start < sum.start) sum.start = below[k].start;
        if (below[k].end > sum.end) sum.end = below[k].end;
        sum.each = both_parts(sum.each, below[k].each);
    }
    return sum;
}

static uint32_t rows_of(uint32_t n) { return n / IN_A_ROW + (n % IN_A_ROW != 0); }

Rooms rooms_new(Calendar *c, Room *rooms, uint32_t n, Arena *a) {
    Rooms r = {.calendar = c, .at = rooms, .n = n, .n_levels = 1};
    sort_rooms(rooms, n, a);
    r.level[0] = arena_new(a, Vacancy, n);
    for (uint32_t i = 0; i < n; i++) r.level[0][i] = (Vacancy){rooms[i].start, rooms[i].end, {0, 0}, NOBODY};
    for (; n > 1; n = rows_of(n), r.n_levels++) {
        Vacancy *level = r.level[r.n_levels] = arena_new(a, Vacancy, rows_of(n));
        for (uint32_t i = 0; i < rows_of(n); i++) level[i] = sum_up(r.level[r.n_levels - 1], n, i);
    }
    return r;
}

static uint32_t first_of_size(const Rooms *r, double bytes) {
    uint32_t low = 0, high = r->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->at[middle].bytes < bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_no_place(const Vacancy *v, const Block *b, Parts parts) {
    return b->start < v->start || v->end < b->end || surely_meet(v->each, parts);
}

static void take(Rooms *r, uint32_t room, uint32_t block, Parts parts) {
    calendar_add(r->calendar, &r->level[0][room].in, block);
    add_parts(&r->level[0][room].each, parts);
    for (uint32_t level = 1, n = r->n; level < r->n_levels; level++, n = rows_of(n)) {
        room /= IN_A_ROW;
        r->level[level][room] = sum_up(r->level[level - 1], n, room);
    }
}

bool rooms_put(Rooms *r, uint32_t block, Parts parts) {
    const Block *b = &r->calendar->blocks[block];
    for (uint64_t i = r->n ? first_of_size(r, b->bytes) : 0, passed; i < r->n; i += passed) {
        const Vacancy *room = &r->level[0][i];
        passed = 1;
        if (is_no_place(room, b, parts)) {
            for (uint32_t level = 1; level < r->n_levels && i % (passed * IN_A_ROW) == 0; level++, passed *= IN_A_ROW)
                if (!is_no_place(&r->level[level][i / (passed * IN_A_ROW)], b, parts)) break;
        } else if (!(room->each.all & parts.all) || !calendar_meets(r->calendar, room->in, b)) {
            take(r, (uint32_t)i, block, parts);
            return true;
        }
    }
    return false;
}
