// Recompute: one walk through the time. What is given up makes room from that moment on to its last use.
#include "sim/recompute.h"
#include <stdlib.h>

static int larger_first(const void *a, const void *b) {
    const Block *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->tie < y->tie ? -1 : x->tie > y->tie;
}

// One that is alive before and after this moment; `n` if there is none.
static uint32_t find_alive(const Block *blocks, uint32_t first, uint32_t n, uint32_t moment) {
    uint32_t i = first;
    while (i < n && !(blocks[i].start < moment && moment + 1 < blocks[i].end)) i++;
    return i;
}

uint32_t recompute(Block *blocks, uint32_t n_again, uint32_t n, uint32_t n_half_steps, double limit, Arena *a) {
    double *change = arena_zalloc(a, (n_half_steps + 2) * sizeof *change), alive = 0;
    for (uint32_t i = 0; i < n; i++)
        change[blocks[i].start] += blocks[i].bytes, change[blocks[i].end + 1] -= blocks[i].bytes;
    if (n_again) qsort(blocks, n_again, sizeof *blocks, larger_first);
    uint32_t chosen = 0;
    for (uint32_t t = 0; t < n_half_steps; t++) {
        alive += change[t];
        while (alive > limit) {
            uint32_t i = find_alive(blocks, chosen, n_again, t);
            if (i == n_again) return chosen;
            Block b = blocks[i];
            for (; i > chosen; i--) blocks[i] = blocks[i - 1]; // the others stay in order
            alive -= b.bytes;
            change[b.end] += b.bytes;
            b.end = t - 1;
            blocks[chosen++] = b;
        }
    }
    return chosen;
}
