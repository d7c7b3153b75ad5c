// Interval index: a treap of blocks by time for each extent. A hash of a block's number is its priority.
#include "sim/packing/packing_index.h"
#include "support/hash.h"

IntervalIndex interval_index_new(const HeapBlock *blocks, uint32_t n, Arena *a) {
    uint32_t end = 0, so_far = 0, part = 0;
    for (uint32_t k = 0; k < n; k++)
        if (blocks[k].end > end) end = blocks[k].end;
    uint32_t *changes = arena_zalloc(a, (end + 1) * sizeof *changes);
    double *change = arena_zalloc(a, (end + 2) * sizeof *change), alive = 0;
    for (uint32_t k = 0; k < n; k++) {
        const HeapBlock *b = &blocks[k];
        changes[b->start]++, changes[b->end]++;
        change[b->start] += b->bytes, change[b->end + 1] -= b->bytes;
    }
    IntervalIndex c = {.blocks = blocks, .part = arena_alloc(a, end + 1), .child = arena_alloc(a, n * sizeof *c.child)};
    for (uint32_t t = 0; t <= end; t++) {
        c.part[t] = (uint8_t)part;
        alive += change[t];
        if (!changes[t]) continue;
        if (alive > c.most[part]) c.most[part] = alive;
        so_far += changes[t];
        while ((uint64_t)so_far * 64 >= (part + 1) * 2 * (uint64_t)n) part++;
    }
    return c;
}

Parts interval_index_parts(const IntervalIndex *c, const HeapBlock *b) {
    uint32_t first = c->part[b->start], last = c->part[b->end];
    uint64_t from_first = ~UINT64_C(0) << first, to_last = ~UINT64_C(0) >> (63 - last);
    return (Parts){from_first & to_last, from_first << 1 & to_last >> 1};
}

static uint32_t lot(uint32_t block) { return hash_u32(block, block); }

void interval_index_add(IntervalIndex *c, uint32_t *first, uint32_t block) {
    uint32_t start = c->blocks[block].start, drawn = lot(block);
    while (*first != NO_BLOCK && lot(*first) > drawn) first = &c->child[*first][c->blocks[*first].start < start];
    uint32_t below = *first, *before = &c->child[block][0], *after = &c->child[block][1];
    *first = block;
    while (below != NO_BLOCK) { // who stood here goes to one of its sides
        bool is_before = c->blocks[below].start < start;
        uint32_t **side = is_before ? &before : &after;
        **side = below;
        *side = &c->child[below][is_before];
        below = **side;
    }
    *before = *after = NO_BLOCK;
}
