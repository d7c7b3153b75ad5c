// Ahead: a heap of kernels whose readers have run, and one of gathers that wait for the links.
#include "sim/schedule/latency_hiding.h"

typedef struct Entry {
    double depth; // seconds of gathers that it waits for, one after another
    uint64_t
        then; // from the highest bit: whether it reads a gather; whether it is a product; of what it reads, how much it is
              // the last to read, as that is ready then; its position
} Entry;

#define NO_ENTRY UINT64_MAX

#define NEAR     16

// What comes last mostly goes first: a few that go before all others are sorted, the others are in a heap.
typedef struct Queue {
    Entry near[NEAR]; // the first is the last of them
    uint32_t n_near, n_heap;
    Entry *heap;
} Queue;

struct Ahead {
    const Module *m;
    const Kernels *k;
    const double *bytes;
    double memory;
    double *seconds;       // by kernel
    uint8_t *gathers;      // by kernel
    const uint32_t *order; // by position: kernels as they were
    uint32_t *position;    // by kernel
    uint32_t *unread;      // by kernel: reads of what it writes by kernels that have not been placed
    uint64_t *entry;       // by kernel: `then` of its entry that counts, or NO_ENTRY
    double *depth;         // by kernel, a gather's own time left out
    uint8_t *reads;        // by kernel: a gather is among what it reads
    Queue ready, gathered;
    uint32_t under_way; // the gather, from its end to its begin; NO_ID if there is none
    double begins;      // when it could, in seconds from the end
    double now;
    double ahead; // bytes of gathers that wait for the links
    uint32_t *placed, n;
};

// ---- Queues ----------------------------------------------------------------------------------------------------------

// Without branches, which nobody could foretell.
static bool goes_first(const Entry *x, const Entry *y) {
    return (x->depth > y->depth) | ((x->depth == y->depth) & (x->then > y->then));
}

static void rise(Entry *heap, uint32_t i, Entry e) {
    for (uint32_t up; i && goes_first(&e, &heap[up = (i - 1) / 2]); i = up) heap[i] = heap[up];
    heap[i] = e;
}

static void push(Queue *q, Entry e) {
    if (q->n_near == NEAR)
        while (q->n_near) rise(q->heap, q->n_heap++, q->near[--q->n_near]);
    if (q->n_heap && goes_first(&q->heap[0], &e)) {
        rise(q->heap, q->n_heap++, e);
        return;
    }
    uint32_t i = q->n_near++;
    for (; i && goes_first(&q->near[i - 1], &e); i--) q->near[i] = q->near[i - 1];
    q->near[i] = e;
}

// What stood last in the heap goes to its bottom, and mostly stays there.
static Entry pop_heap(Entry *heap, uint32_t n) {
    Entry top = heap[0];
    uint32_t i = 0, child = 2;
    for (; child < n; i = child, child = 2 * i + 2) {
        child -= goes_first(&heap[child - 1], &heap[child]);
        heap[i] = heap[child];
    }
    if (child == n) heap[i] = heap[child - 1], i = child - 1;
    rise(heap, i, heap[n]);
    return top;
}

static bool is_empty(const Queue *q) { return q->n_near + q->n_heap == 0; }

static Entry pop(Queue *q) { return q->n_near ? q->near[--q->n_near] : pop_heap(q->heap, --q->n_heap); }

static uint32_t kernel_of(const Ahead *z, Entry e) { return z->order[(uint32_t)e.then]; }

// The best that still counts, or NO_ID.
static uint32_t take(Ahead *z) {
    while (!is_empty(&z->ready)) {
        Entry e = pop(&z->ready);
        if (z->entry[kernel_of(z, e)] == e.then) return kernel_of(z, e);
    }
    return NO_ID;
}

// ---- From the end ----------------------------------------------------------------------------------------------------

static void make_ready(Ahead *z, uint32_t kernel) {
    const Kernels *k = z->k;
    bool loop = runs_regions(op_kind(z->m, k->op[kernel])); // reads one tuple of all
    bool constant = k->first_read[kernel] == k->first_read[kernel + 1] && op_get(z->m, k->op[kernel])->n_operands;
    uint32_t more = loop ? 1 : k->own_args[kernel];
    if (constant && !more) more = 1; // which no other reads
    for (uint32_t i = k->first_read[kernel]; !loop && i < k->first_read[kernel + 1]; i++)
        more += z->unread[k->read[i].writer] == 1;
    uint64_t product = op_kind(z->m, k->op[kernel]) == OP_dot_general;
    uint64_t then = (uint64_t)z->reads[kernel] << 63 | product << 62 | (uint64_t)more << 32 | z->position[kernel];
    if (z->entry[kernel] == then) return;
    z->entry[kernel] = then;
    push(&z->ready, (Entry){z->depth[kernel], then});
}

static double bytes_of(const Ahead *z, uint32_t kernel) { return z->bytes[z->k->written[z->k->first_written[kernel]]]; }

static void release(Ahead *z, uint32_t kernel) {
    if (!z->gathers[kernel]) {
        make_ready(z, kernel);
        return;
    }
    push(&z->gathered, (Entry){z->seconds[kernel], z->position[kernel]});
    z->ahead += bytes_of(z, kernel);
}

static void place(Ahead *z, uint32_t kernel) {
    const Kernels *k = z->k;
    z->placed[z->n++] = kernel;
    z->entry[kernel] = NO_ENTRY;
    if (kernel == z->under_way)
        z->under_way = NO_ID;
    else
        z->now += z->seconds[kernel];
    for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
        uint32_t from = k->read[i].writer;
        if (--z->unread[from] == 0) release(z, from);
        if (z->unread[from] != 1) continue;
        for (uint32_t at = k->first_reader[k->read[i].value]; at != NO_ID; at = k->read[at].next)
            if (z->entry[k->read[at].reader] != NO_ENTRY)
                make_ready(z, k->read[at].reader); // it is the last to read it now
    }
}

static void place_next(Ahead *z) {
    bool waits = z->under_way != NO_ID;
    if (!waits && !is_empty(&z->gathered)) {
        z->under_way = kernel_of(z, pop(&z->gathered));
        z->ahead -= bytes_of(z, z->under_way);
        z->begins = z->now + z->seconds[z->under_way];
        return;
    }
    if (waits && z->ahead > z->memory / 2 && z->now < z->begins) z->now = z->begins;
    if (waits && z->begins <= z->now) {
        if (!is_empty(&z->gathered)) {
            place(z, z->under_way);
            return;
        }
        if (z->entry[z->under_way] == NO_ENTRY) make_ready(z, z->under_way);
    }
    uint32_t next = take(z);
    if (next == NO_ID) next = z->under_way, z->now = z->begins;
    place(z, next);
}

static void prepare(Ahead *z, const uint32_t *order, uint32_t n) {
    const Kernels *k = z->k;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t kernel = order[p];
        double depth = 0;
        uint8_t reads = 0;
        z->position[kernel] = p;
        z->unread[kernel] = 0;
        z->entry[kernel] = NO_ENTRY;
        for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
            uint32_t from = k->read[i].writer;
            double then = z->depth[from] + (z->gathers[from] ? z->seconds[from] : 0);
            if (then > depth) depth = then;
            reads |= z->gathers[from];
            z->unread[from]++;
        }
        z->depth[kernel] = depth;
        z->reads[kernel] = reads;
    }
}

void order_ahead(Ahead *z, RegionId r, uint32_t *order) {
    uint32_t n = z->k->count[r];
    prepare(z, order, n);
    z->order = order;
    z->n = z->ready.n_near = z->ready.n_heap = 0;
    z->under_way = NO_ID;
    z->now = z->ahead = 0;
    for (uint32_t p = 0; p < n; p++)
        if (z->unread[order[p]] == 0) release(z, order[p]);
    while (z->n < n) place_next(z);
    for (uint32_t p = 0; p < n; p++) order[p] = z->placed[n - 1 - p];
}

Ahead *ahead_new(const Module *m, const Kernels *k, const Beside *beside, const double *bytes, Arena *a) {
    Ahead *z = arena_new(a, Ahead, 1);
    *z = (Ahead){.m = m,
                 .k = k,
                 .bytes = bytes,
                 .memory = beside->memory,
                 .seconds = arena_new(a, double, k->n),
                 .gathers = arena_new(a, uint8_t, k->n),
                 .position = arena_new(a, uint32_t, k->n),
                 .unread = arena_new(a, uint32_t, k->n),
                 .entry = arena_new(a, uint64_t, k->n),
                 .depth = arena_new(a, double, k->n),
                 .reads = arena_new(a, uint8_t, k->n),
                 .ready.heap = arena_new(a, Entry, 2 * (size_t)k->n + k->first_read[k->n]),
                 .gathered.heap = arena_new(a, Entry, k->n),
                 .placed = arena_new(a, uint32_t, k->n)};
    for (uint32_t i = 0; i < k->n; i++)
        z->seconds[i] = beside->seconds[k->op[i]], z->gathers[i] = beside->gathers[k->op[i]];
    return z;
}
