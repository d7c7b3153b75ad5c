// Rematerialization: where a program would need more memory than there is, a compiler recomputes values instead of keeping them. One
// walk through time; a dropped value frees its memory from that moment until its last use.
//
//     %1 = dot_general %x, %w     kept for the gradient: 24 layers of it do not fit
//     …                           at the first moment at which too much is alive, drop the largest values that can be
//     %1 = dot_general %x, %w     recomputed, until the rest fits; recompute each before its last use
#include "sim/memory/buffers.h"
#include "sim/cost/cost.h"
#include <stdlib.h>

static int larger_first(const void *a, const void *b) {
    const HeapBlock *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->tie < y->tie ? -1 : x->tie > y->tie;
}

// One that is alive before and after this moment; `n` if there is none.
static uint32_t find_alive(const HeapBlock *blocks, uint32_t first, uint32_t n, uint32_t moment) {
    uint32_t i = first;
    while (i < n && !(blocks[i].start < moment && moment + 1 < blocks[i].end)) i++;
    return i;
}

uint32_t choose_rematerialized(HeapBlock *blocks, uint32_t n_candidates, uint32_t n, uint32_t n_half_steps,
                               double limit, Arena *a) {
    double *change = arena_zalloc(a, (n_half_steps + 2) * sizeof *change), alive = 0;
    for (uint32_t i = 0; i < n; i++)
        change[blocks[i].start] += blocks[i].bytes, change[blocks[i].end + 1] -= blocks[i].bytes;
    if (n_candidates) qsort(blocks, n_candidates, sizeof *blocks, larger_first);
    uint32_t chosen = 0;
    for (uint32_t t = 0; t < n_half_steps; t++) {
        alive += change[t];
        while (alive > limit) {
            uint32_t i = find_alive(blocks, chosen, n_candidates, t);
            if (i == n_candidates) return chosen;
            HeapBlock b = blocks[i];
            for (; i > chosen; i--) blocks[i] = blocks[i - 1]; // the others stay in order
            alive -= b.bytes;
            change[b.end] += b.bytes;
            b.end = t - 1;
            blocks[chosen++] = b;
        }
    }
    return chosen;
}

// Whether the kernel that made a buffer could recompute it at its last use: all that it read is still there and is not
// rematerialized itself. Products and what is computed element by element, in no loop.
static bool can_rematerialize(const Liveness *l, uint32_t buffer, RegionId body) {
    const Module *m = l->m;
    const Alive *b = &l->all.at[buffer];
    const Value *val = &m->values.at[b->value];
    OpId open[MAX_OPEN] = {val->owner};
    if (val->is_arg || b->kept || op_get(m, val->owner)->parent != body) return false;
    if (l->of[b->value].buffer != buffer || b->end != 2 * l->of[b->value].last)
        return false; // something else is written there
    for (uint32_t n = 1, k = 0; k < n; k++) {
        OpKind kind = op_kind(m, open[k]);
        if (!op_is_rematerializable(kind)) return false;
        for (uint32_t i = 0; i < op_get(m, open[k])->n_operands; i++) {
            ValueId v = op_operand(m, open[k], i);
            uint32_t read = l->of[v].buffer;
            if (read != NO_ID && (l->all.at[read].end < b->end || l->all.at[read].rematerializable)) return false;
            if (read != NO_ID || m->values.at[v].is_arg) continue;
            if (n == MAX_OPEN) return false;
            open[n++] = m->values.at[v].owner;
        }
    }
    return true;
}

// Gives up buffers until no more than `limit` bytes are alive at once, if that is possible, and says which ones.
static Rematerialized give_up_buffers(Liveness *l, double limit) {
    HeapBlock *blocks = arena_new(l->a, HeapBlock, l->all.n);
    uint32_t n_candidates = 0, n = 0;
    for (uint32_t i = 0; i < l->all.n; i++) {
        Alive *b = &l->all.at[i];
        if (b->kept || b->bytes == 0) continue;
        blocks[n++] = (HeapBlock){b->bytes, b->start, b->end, i};
        b->rematerializable = b->bytes >= l->backend->remat_min_bytes && can_rematerialize(l, i, l->body);
        if (!b->rematerializable) continue;
        HeapBlock candidate = blocks[n - 1];
        blocks[n - 1] = blocks[n_candidates];
        blocks[n_candidates++] = candidate;
    }
    n = choose_rematerialized(blocks, n_candidates, n, 2 * l->order->n + 1, limit, l->a);
    Rematerialized out = {.n = n, .ops = arena_new(l->a, OpId, n), .at = arena_new(l->a, uint32_t, n)};
    for (uint32_t i = 0; i < n; i++) {
        Alive *b = &l->all.at[blocks[i].tie];
        uint32_t end = b->end;
        b->end = blocks[i].end;
        out.at[i] = end / 2;
        out.ops[i] = l->m->values.at[b->value].owner;
        out.bytes += b->bytes;
        Cost cost = op_cost(l->m, out.ops[i]);
        out.flops += cost.matrix + cost.vector;
        new_buffer(l, b->value, end - 1, end);
    }
    return out;
}

void rematerialize(Liveness *l, double memory, MemoryUse *use) {
    if (use->peak <= remat_limit(l, memory)) return;
    Rematerialized given_up = give_up_buffers(l, l->backend->remat_fill * (memory - use->arguments - l->results));
    l->rematerialized = true;
    *use = assign_buffers(l, memory);
    use->rematerialized = given_up;
}
