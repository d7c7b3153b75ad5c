// Best-fit packing, largest block first, as in XLA's heap simulator: each block goes into the tightest gap between the blocks
// that are alive at the same time.
#include "sim/packing/heap_packing.h"
#include "sim/packing/packing_index.h"
#include "support/sort.h"

typedef struct Packing {
    HeapBlock *blocks;
    uint32_t n;
    IntervalIndex index;
} Packing;

// ---- Which go first -------------------------------------------------------------------------------------------------

static bool is_larger(const HeapBlock *x, const HeapBlock *y) {
    if (x->bytes != y->bytes) return x->bytes > y->bytes;
    uint32_t i = x->end - x->start, k = y->end - y->start;
    return i != k ? i > k : x->tie < y->tie;
}

DEFINE_SORT(sort_larger_first, HeapBlock, is_larger)

// ---- Which are left out ---------------------------------------------------------------------------------------------

#define FULL 0.7 // of the most that is ever alive

// The parts of the time in which much is alive.
static uint64_t full_parts(const IntervalIndex *c) {
    double peak = 0;
    uint64_t full = 0;
    for (uint32_t part = 0; part < 64; part++)
        if (c->most[part] > peak) peak = c->most[part];
    for (uint32_t part = 0; part < 64; part++)
        if (c->most[part] >= FULL * peak) full |= UINT64_C(1) << part;
    return full;
}

// From its exponent.
static int log2_of(double bytes) {
    uint64_t bits;
    memcpy(&bits, &bytes, sizeof bits);
    int e = (int)(bits >> 52 & 0x7ff) - 1022;
    return e < 0 ? 0 : e > 63 ? 63 : e;
}

// Leaves out the smallest, by powers of two, that have no more than `spare` bytes together, and those that only live
// while there is much room.
static void leave_out(Packing *p, double spare) {
    uint64_t full = full_parts(&p->index);
    double sum[64] = {0};
    for (uint32_t i = 0; i < p->n; i++) sum[log2_of(p->blocks[i].bytes)] += p->blocks[i].bytes;
    int least = 0;
    for (double left = spare; least < 64 && (left -= sum[least]) >= 0;) least++;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (log2_of(p->blocks[i].bytes) >= least && interval_index_parts(&p->index, &p->blocks[i]).all & full)
            p->blocks[kept++] = p->blocks[i];
    p->n = kept;
}

// ---- Where they go --------------------------------------------------------------------------------------------------

static double place_all(Packing *p, FreeWindow *windows, uint32_t n_windows, Arena *a) {
    FreeWindows r = free_windows_new(&p->index, windows, n_windows, a);
    OccupiedExtents occupied = occupied_extents_new(p->blocks, p->n, a);
    double high = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        Parts parts = interval_index_parts(&p->index, &p->blocks[k]);
        if (free_windows_place(&r, &p->blocks[k], k, parts)) continue;
        double from = occupied_extents_best_fit(&occupied, &p->blocks[k]);
        occupied_extents_add(&occupied, &p->blocks[k], from);
        if (from + p->blocks[k].bytes > high) high = from + p->blocks[k].bytes;
    }
    return high;
}

double pack_by_size(HeapBlock *blocks, uint32_t n, FreeWindow *windows, uint32_t n_windows, double spare, Arena *a) {
    if (n == 0) return 0;
    Packing p = {blocks, n, interval_index_new(blocks, n, a)};
    leave_out(&p, spare);
    sort_larger_first(blocks, p.n, a);
    return place_all(&p, windows, n_windows, a);
}
