// Packing by best fit, the largest first, as XLA's heap simulator does: each block goes into the tightest gap among those that live at the same time.
#include "sim/pack.h"
#include <stdlib.h>
#include <string.h>

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

double pack(Block *blocks, uint32_t n, Arena *a) {
    qsort(blocks, n, sizeof *blocks, larger_first);
    if (n > PACK_MAX) n = PACK_MAX;
    Placed *placed = arena_new(a, Placed, n + 1);
    double high = 0;
    for (uint32_t k = 0; k < n; k++) {
        double from = best_place(placed, k, &blocks[k]);
        uint32_t i = k;
        while (i && placed[i - 1].from > from) i--;
        memmove(placed + i + 1, placed + i, (k - i) * sizeof *placed);
        placed[i] = (Placed){from, from + blocks[k].bytes, blocks[k].start, blocks[k].end};
        if (placed[i].to > high) high = placed[i].to;
    }
    return high;
}
