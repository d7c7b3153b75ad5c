// Heap packing in the order of time: a block is placed when it becomes alive, in the tightest gap that holds it, or on top.
// A block that dies leaves a gap, which is merged with the gaps beside it.
#include "sim/packing/packing_index.h"
#include "support/sort.h"
#include <math.h>

#define NONE    UINT32_MAX
#define NOWHERE (-1.0)     // the place of a block that is not in the heap
#define ALIGNED (16 << 10) // bytes that all places are multiples of

typedef struct Gap {
    double from, to;
} Gap;

typedef struct PackedHeap {
    Gap *gaps;    // by where they begin; between two of them something is alive
    Gap *by_size; // the same, the smallest first, of equal ones the lowest
    uint32_t n_gaps;
    double top; // nothing above is alive
} PackedHeap;

// ---- Which go first -------------------------------------------------------------------------------------------------

static bool comes_first(const HeapBlock *x, const HeapBlock *y) {
    if (x->start != y->start) return x->start < y->start;
    return x->bytes != y->bytes ? x->bytes > y->bytes : x->end != y->end ? x->end > y->end : x->tie < y->tie;
}

DEFINE_SORT(sort_blocks, HeapBlock, comes_first)

typedef struct Death {
    uint32_t end, block;
} Death;

static bool dies_first(const Death *x, const Death *y) { return x->end < y->end; }

DEFINE_SORT(sort_deaths, Death, dies_first)

// ---- Where they go --------------------------------------------------------------------------------------------------

static bool is_below(const Gap *x, Gap y) { return x->from < y.from; }
DEFINE_LOWER_BOUND(find_place, Gap, Gap, is_below)

static bool is_tighter(const Gap *x, Gap y) {
    double size = x->to - x->from, other = y.to - y.from;
    return size != other ? size < other : x->from < y.from;
}
DEFINE_LOWER_BOUND(find_size, Gap, Gap, is_tighter)

static void insert_gap(PackedHeap *h, Gap gap) {
    uint32_t i = find_place(h->gaps, h->n_gaps, gap), k = find_size(h->by_size, h->n_gaps, gap);
    memmove(&h->gaps[i + 1], &h->gaps[i], (h->n_gaps - i) * sizeof gap);
    memmove(&h->by_size[k + 1], &h->by_size[k], (h->n_gaps - k) * sizeof gap);
    h->gaps[i] = h->by_size[k] = gap;
    h->n_gaps++;
}

static void remove_gap(PackedHeap *h, uint32_t i) {
    uint32_t k = find_size(h->by_size, h->n_gaps--, h->gaps[i]);
    memmove(&h->gaps[i], &h->gaps[i + 1], (h->n_gaps - i) * sizeof(Gap));
    memmove(&h->by_size[k], &h->by_size[k + 1], (h->n_gaps - k) * sizeof(Gap));
}

// To one that lies between the same two others.
static void resize_gap(PackedHeap *h, uint32_t i, Gap to) {
    Gap *by_size = h->by_size;
    uint32_t k = find_size(by_size, h->n_gaps, h->gaps[i]), at = find_size(by_size, h->n_gaps, to);
    if (at > k)
        memmove(&by_size[k], &by_size[k + 1], (--at - k) * sizeof to);
    else
        memmove(&by_size[at + 1], &by_size[at], (k - at) * sizeof to);
    h->gaps[i] = by_size[at] = to;
}

static double aligned(double bytes) { return ceil(bytes / ALIGNED) * ALIGNED; }

static double take_gap(PackedHeap *h, double bytes) {
    uint32_t best = find_size(h->by_size, h->n_gaps, (Gap){0, bytes});
    double from = h->top;
    if (best == h->n_gaps) {
        h->top += bytes;
    } else {
        Gap gap = h->by_size[best];
        uint32_t i = find_place(h->gaps, h->n_gaps, gap);
        from = gap.from;
        if (gap.to - gap.from > bytes)
            resize_gap(h, i, (Gap){from + bytes, gap.to});
        else
            remove_gap(h, i);
    }
    return from;
}

static void leave_gap(PackedHeap *h, double from, double to) {
    Gap gap = {from, to};
    uint32_t i = find_place(h->gaps, h->n_gaps, gap);
    bool below = i > 0 && h->gaps[i - 1].to == from, above = i < h->n_gaps && h->gaps[i].from == to;
    if (below) gap.from = h->gaps[i - 1].from;
    if (above) gap.to = h->gaps[i].to;
    if (below && (above || to == h->top)) remove_gap(h, --i);
    if (gap.to == h->top)
        h->top = gap.from;
    else if (above)
        resize_gap(h, i, gap);
    else if (below)
        resize_gap(h, i - 1, gap);
    else
        insert_gap(h, gap);
}

double pack_by_time(const HeapBlock *blocks, uint32_t n, const FreeWindow *windows, uint32_t n_windows, double limit,
                    Arena *a) {
    PackedHeap h = {.gaps = arena_new(a, Gap, n + 1), .by_size = arena_new(a, Gap, n + 1)};
    FreeWindow *own_windows = arena_new(a, FreeWindow, n_windows);
    for (uint32_t i = 0; i < n_windows; i++) own_windows[i] = windows[i];
    FreeWindows free_windows = free_windows_new(NULL, own_windows, n_windows, a);
    HeapBlock *born = arena_new(a, HeapBlock, n);
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
        if (free_windows_place(&free_windows, &born[k], k, (Parts){0, 0})) continue;
        place[k] = take_gap(&h, aligned(born[k].bytes));
        if (h.top > limit) return INFINITY;
        if (h.top > high) high = h.top;
    }
    return high <= limit ? high : INFINITY;
}
