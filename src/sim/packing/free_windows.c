// Free windows: a row of windows that cannot hold a block is skipped in one step.
#include "sim/packing/packing_index.h"
#include "support/sort.h"

#define IN_A_ROW 8

static bool smaller_window(const FreeWindow *x, const FreeWindow *y) {
    return x->bytes != y->bytes ? x->bytes < y->bytes : x->start < y->start;
}

DEFINE_SORT(sort_smaller_first, FreeWindow, smaller_window)

static bool is_too_small(const FreeWindow *w, double bytes) { return w->bytes < bytes; }
DEFINE_LOWER_BOUND(count_too_small, FreeWindow, double, is_too_small)

// Of the row `i` of a level, from that below with `n` entries.
static WindowRow sum_window_row(const WindowRow *below, uint32_t n, uint32_t i) {
    WindowRow sum = below[IN_A_ROW * i];
    for (uint32_t k = IN_A_ROW * i + 1, end = n - k < IN_A_ROW ? n : k + IN_A_ROW - 1; k < end; k++) {
        if (below[k].start < sum.start) sum.start = below[k].start;
        if (below[k].end > sum.end) sum.end = below[k].end;
        sum.each = both_parts(sum.each, below[k].each);
    }
    return sum;
}

static uint32_t rows_of(uint32_t n) { return n / IN_A_ROW + (n % IN_A_ROW != 0); }

FreeWindows free_windows_new(IntervalIndex *c, FreeWindow *windows, uint32_t n, Arena *a) {
    FreeWindows r = {.index = c, .at = windows, .n = n, .n_levels = 1};
    sort_smaller_first(windows, n, a);
    r.level[0] = arena_new(a, WindowRow, n);
    for (uint32_t i = 0; i < n; i++) r.level[0][i] = (WindowRow){windows[i].start, windows[i].end, {0, 0}, NO_BLOCK};
    for (; n > 1; n = rows_of(n), r.n_levels++) {
        WindowRow *level = r.level[r.n_levels] = arena_new(a, WindowRow, rows_of(n));
        for (uint32_t i = 0; i < rows_of(n); i++) level[i] = sum_window_row(r.level[r.n_levels - 1], n, i);
    }
    return r;
}

static bool is_no_place(const WindowRow *v, const HeapBlock *b, Parts parts) {
    return b->start < v->start || v->end < b->end || surely_overlap(v->each, parts);
}

static void occupy_window(FreeWindows *r, uint32_t window, const HeapBlock *b, uint32_t block, Parts parts) {
    WindowRow *one = &r->level[0][window];
    if (r->index)
        interval_index_add(r->index, &one->in, block);
    else
        one->start = b->end + 1;
    one->each.all |= parts.all, one->each.whole |= parts.whole;
    for (uint32_t level = 1, n = r->n; level < r->n_levels; level++, n = rows_of(n)) {
        window /= IN_A_ROW;
        r->level[level][window] = sum_window_row(r->level[level - 1], n, window);
    }
}

bool free_windows_place(FreeWindows *r, const HeapBlock *b, uint32_t block, Parts parts) {
    for (uint64_t i = count_too_small(r->at, r->n, b->bytes), passed; i < r->n; i += passed) {
        const WindowRow *window = &r->level[0][i];
        passed = 1;
        if (is_no_place(window, b, parts)) {
            for (uint32_t level = 1; level < r->n_levels && i % (passed * IN_A_ROW) == 0; level++, passed *= IN_A_ROW)
                if (!is_no_place(&r->level[level][i / (passed * IN_A_ROW)], b, parts)) break;
        } else if (!(window->each.all & parts.all) || !interval_index_overlaps(r->index, window->in, b)) {
            occupy_window(r, (uint32_t)i, b, block, parts);
            return true;
        }
    }
    return false;
}
