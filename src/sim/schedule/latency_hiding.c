// Latency hiding: schedules from the last kernel to the first, with a heap of kernels whose users are all scheduled and a heap of
// gathers that wait for the links.
#include "sim/schedule/schedulers.h"
#include "support/heap.h"

typedef struct ReadyEntry {
    double depth; // seconds of gathers that it waits for, one after another
    uint64_t
        then; // from the highest bit: whether it is a product; of what it reads, how much it is
              // the last to read, as that is ready then; its position
} ReadyEntry;

#define NO_ENTRY UINT64_MAX

#define NEAR     16

// What comes last mostly goes first: a few that go before all others are sorted, the others are in a heap.
typedef struct ReadyQueue {
    ReadyEntry near[NEAR]; // the first is the last of them
    uint32_t n_near, n_heap;
    ReadyEntry *heap;
} ReadyQueue;

typedef struct LatencyHiding {
    const Module *m;
    const KernelGraph *k;
    const double *bytes;
    double memory;
    const double *seconds;  // by kernel
    const uint8_t *gathers; // by kernel
    const uint32_t *order; // by position: kernels as they were
    uint32_t *position;    // by kernel
    uint32_t *unread;      // by kernel: reads of what it writes by kernels that have not been placed
    uint64_t *entry;       // by kernel: `then` of its entry that counts, or NO_ENTRY
    double *depth;         // by kernel, a gather's own time left out
    ReadyQueue ready, gathered;
    uint32_t under_way; // the gather, from its end to its begin; NO_ID if there is none
    double begins;      // when it could, in seconds from the end
    double now;
    double waiting_bytes; // bytes of gathers that wait for the links
    uint32_t *placed, n;
} LatencyHiding;

// ---- Queues ----------------------------------------------------------------------------------------------------------

// Without branches, which nobody could foretell.
static bool lh_goes_first(const ReadyEntry *x, const ReadyEntry *y) {
    return (x->depth > y->depth) | ((x->depth == y->depth) & (x->then > y->then));
}

DEFINE_HEAP(ready_heap, ReadyEntry, lh_goes_first)

static void lh_push(ReadyQueue *q, ReadyEntry e) {
    if (q->n_near == NEAR)
        while (q->n_near) ready_heap_push(q->heap, &q->n_heap, q->near[--q->n_near]);
    if (q->n_heap && lh_goes_first(&q->heap[0], &e)) {
        ready_heap_push(q->heap, &q->n_heap, e);
        return;
    }
    uint32_t i = q->n_near++;
    for (; i && lh_goes_first(&q->near[i - 1], &e); i--) q->near[i] = q->near[i - 1];
    q->near[i] = e;
}

static bool is_empty(const ReadyQueue *q) { return q->n_near + q->n_heap == 0; }

static ReadyEntry lh_pop(ReadyQueue *q) {
    return q->n_near ? q->near[--q->n_near] : ready_heap_pop(q->heap, &q->n_heap);
}

static uint32_t entry_kernel(const LatencyHiding *h, ReadyEntry e) { return h->order[(uint32_t)e.then]; }

// The best that still counts, or NO_ID.
static uint32_t lh_take(LatencyHiding *h) {
    while (!is_empty(&h->ready)) {
        ReadyEntry e = lh_pop(&h->ready);
        if (h->entry[entry_kernel(h, e)] == e.then) return entry_kernel(h, e);
    }
    return NO_ID;
}

// ---- From the end ----------------------------------------------------------------------------------------------------

static void lh_make_ready(LatencyHiding *h, uint32_t kernel) {
    const KernelGraph *k = h->k;
    bool loop = runs_regions(op_kind(h->m, k->op[kernel])); // reads one tuple of all
    uint32_t more = loop ? 1 : k->own_args[kernel];
    for (uint32_t i = k->first_read[kernel]; !loop && i < k->first_read[kernel + 1]; i++)
        more += h->unread[k->read[i].writer] == 1;
    uint64_t product = op_kind(h->m, k->op[kernel]) == OP_dot_general;
    uint64_t then = product << 63 | (uint64_t)more << 32 | h->position[kernel];
    if (h->entry[kernel] == then) return;
    h->entry[kernel] = then;
    lh_push(&h->ready, (ReadyEntry){h->depth[kernel], then});
}

static double bytes_of(const LatencyHiding *h, uint32_t kernel) {
    return h->bytes[h->k->written[h->k->first_written[kernel]]];
}

static void release(LatencyHiding *h, uint32_t kernel) {
    if (!h->gathers[kernel]) {
        lh_make_ready(h, kernel);
        return;
    }
    lh_push(&h->gathered, (ReadyEntry){h->seconds[kernel], h->position[kernel]});
    h->waiting_bytes += bytes_of(h, kernel);
}

static void lh_place(LatencyHiding *h, uint32_t kernel) {
    const KernelGraph *k = h->k;
    h->placed[h->n++] = kernel;
    h->entry[kernel] = NO_ENTRY;
    if (kernel == h->under_way)
        h->under_way = NO_ID;
    else
        h->now += h->seconds[kernel];
    for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
        uint32_t from = k->read[i].writer;
        if (--h->unread[from] == 0) release(h, from);
        if (h->unread[from] != 1) continue;
        for (uint32_t at = k->first_reader[k->read[i].value]; at != NO_ID; at = k->read[at].next)
            if (h->entry[k->read[at].reader] != NO_ENTRY)
                lh_make_ready(h, k->read[at].reader); // it is the last to read it now
    }
}

static void place_next(LatencyHiding *h) {
    bool waits = h->under_way != NO_ID;
    if (!waits && !is_empty(&h->gathered)) {
        h->under_way = entry_kernel(h, lh_pop(&h->gathered));
        h->waiting_bytes -= bytes_of(h, h->under_way);
        h->begins = h->now + h->seconds[h->under_way];
        return;
    }
    if (waits && h->waiting_bytes > h->memory / 2 && h->now < h->begins) h->now = h->begins;
    if (waits && h->begins <= h->now) {
        if (!is_empty(&h->gathered)) {
            lh_place(h, h->under_way);
            return;
        }
        if (h->entry[h->under_way] == NO_ENTRY) lh_make_ready(h, h->under_way);
    }
    uint32_t next = lh_take(h);
    if (next == NO_ID) next = h->under_way, h->now = h->begins;
    lh_place(h, next);
}

static void lh_prepare(LatencyHiding *h, const uint32_t *order, uint32_t n) {
    const KernelGraph *k = h->k;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t kernel = order[p];
        double depth = 0;
        h->position[kernel] = p;
        h->unread[kernel] = 0;
        h->entry[kernel] = NO_ENTRY;
        for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
            uint32_t from = k->read[i].writer;
            double then = h->depth[from] + (h->gathers[from] ? h->seconds[from] : 0);
            if (then > depth) depth = then;
            h->unread[from]++;
        }
        h->depth[kernel] = depth;
    }
}

static void schedule_latency_hiding(LatencyHiding *h, RegionId r, uint32_t *order) {
    uint32_t n = h->k->count[r];
    lh_prepare(h, order, n);
    h->order = order;
    h->n = h->ready.n_near = h->ready.n_heap = 0;
    h->under_way = NO_ID;
    h->now = h->waiting_bytes = 0;
    for (uint32_t p = n; p-- > 0;) // those that go first come first
        if (h->unread[order[p]] == 0) release(h, order[p]);
    while (h->n < n) place_next(h);
    for (uint32_t p = 0; p < n; p++) order[p] = h->placed[n - 1 - p];
}

static void hide_in_region(LatencyHiding *h, const Fusion *f, RegionId r, uint32_t *order) {
    const Module *m = h->m;
    for (OpId op = m->regions.at[r].first; f->nested && op != NO_ID; op = op_get(m, op)->next)
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++)
            hide_in_region(h, f, op_region(m, op, i), order);
    schedule_latency_hiding(h, r, order + h->k->from[r]);
}

void hide_latency(const Module *m, const Fusion *f, const KernelGraph *k, const AsyncGathers *async, uint32_t *order,
                  Arena *a) {
    LatencyHiding h = {.m = m,
                       .k = k,
                       .bytes = k->bytes,
                       .memory = async->memory,
                       .seconds = async->seconds,
                       .gathers = async->gathers,
                       .position = arena_new(a, uint32_t, k->n),
                       .unread = arena_new(a, uint32_t, k->n),
                       .entry = arena_new(a, uint64_t, k->n),
                       .depth = arena_new(a, double, k->n),
                       .ready.heap = arena_new(a, ReadyEntry, 2 * (size_t)k->n + k->first_read[k->n]),
                       .gathered.heap = arena_new(a, ReadyEntry, k->n),
                       .placed = arena_new(a, uint32_t, k->n)};
    hide_in_region(&h, f, op_region(m, module_main(m), 0), order);
}
