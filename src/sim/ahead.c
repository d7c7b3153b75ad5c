// Ahead: a heap of kernels whose readers have run, and one of gathers that wait for the links.
#include "sim/ahead.h"

typedef struct Entry {
    double depth; // seconds of gathers that it waits for, one after another
    uint64_t
        then; // from the highest bit: whether it reads a gather; of what it reads, how much it is the last to read, as
              // that is ready then; its position
    uint32_t kernel, turn;
} Entry;

typedef struct Heap {
    Entry *at;
    uint32_t n;
} Heap;

struct Ahead {
    const Module *m;
    const Kernels *k;
    const Beside *beside;
    const double *bytes;
    uint32_t *unread;   // by kernel: reads of what it writes by kernels that have not been placed
    uint32_t *position; // by kernel
    uint32_t *turn;     // by kernel: of its entry that counts; 0 if it has none
    double *depth;      // by kernel, a gather's own time left out
    uint8_t *reads;     // by kernel
    Heap ready, gathers;
    uint32_t turns, under_way; // the gather, from its end to its begin; NO_ID if there is none
    double begins;             // when it could, in seconds from the end
    double now;
    double ahead; // bytes of gathers that wait for the links
    uint32_t *placed, n;
};

// ---- Heaps -----------------------------------------------------------------------------------------------------------

static bool goes_first(const Entry *x, const Entry *y) {
    return x->depth != y->depth ? x->depth > y->depth : x->then > y->then;
}

static void push(Heap *h, Entry e) {
    uint32_t i = h->n++;
    for (uint32_t up; i && goes_first(&e, &h->at[up = (i - 1) / 2]); i = up) h->at[i] = h->at[up];
    h->at[i] = e;
}

static Entry pop(Heap *h) {
    Entry top = h->at[0], e = h->at[--h->n];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && goes_first(&h->at[child + 1], &h->at[child])) child++;
        if (!goes_first(&h->at[child], &e)) break;
        h->at[i] = h->at[child];
    }
    h->at[i] = e;
    return top;
}

// The best that still counts, or NO_ID.
static uint32_t take(Ahead *z) {
    while (z->ready.n) {
        Entry e = pop(&z->ready);
        if (z->turn[e.kernel] == e.turn) return e.kernel;
    }
    return NO_ID;
}

// ---- From the end ----------------------------------------------------------------------------------------------------

static bool gathers(const Ahead *z, uint32_t kernel) { return z->beside->gathers[z->k->op[kernel]]; }

static double seconds(const Ahead *z, uint32_t kernel) { return z->beside->seconds[z->k->op[kernel]]; }

static void make_ready(Ahead *z, uint32_t kernel) {
    const Kernels *k = z->k;
    bool loop = runs_regions(op_kind(z->m, k->op[kernel])); // reads one tuple of all
    bool constant = k->first_read[kernel] == k->first_read[kernel + 1] && op_get(z->m, k->op[kernel])->n_operands;
    uint32_t more = loop ? 1 : k->own_args[kernel];
    if (constant && !more) more = 1; // which no other reads
    for (uint32_t i = k->first_read[kernel]; !loop && i < k->first_read[kernel + 1]; i++)
        more += z->unread[k->writer[i]] == 1;
    z->turn[kernel] = ++z->turns;
    uint64_t then = (uint64_t)z->reads[kernel] << 63 | (uint64_t)more << 32 | z->position[kernel];
    push(&z->ready, (Entry){z->depth[kernel], then, kernel, z->turns});
}

static double gathered(const Ahead *z, uint32_t kernel) { return z->bytes[z->k->written[z->k->first_written[kernel]]]; }

static void release(Ahead *z, uint32_t kernel) {
    if (!gathers(z, kernel)) {
        make_ready(z, kernel);
        return;
    }
    push(&z->gathers, (Entry){seconds(z, kernel), z->position[kernel], kernel, 0});
    z->ahead += gathered(z, kernel);
}

static void place(Ahead *z, uint32_t kernel) {
    const Kernels *k = z->k;
    z->placed[z->n++] = kernel;
    z->turn[kernel] = 0;
    if (kernel == z->under_way)
        z->under_way = NO_ID;
    else
        z->now += seconds(z, kernel);
    for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
        uint32_t from = k->writer[i];
        if (--z->unread[from] == 0) release(z, from);
        if (z->unread[from] != 1) continue;
        for (uint32_t at = k->first_reader[k->read[i]]; at != NO_ID; at = k->next_reader[at])
            if (z->turn[k->reader[at]]) make_ready(z, k->reader[at]); // it is the last to read it now
    }
}

static void place_next(Ahead *z) {
    bool waits = z->under_way != NO_ID;
    if (!waits && z->gathers.n) {
        z->under_way = pop(&z->gathers).kernel;
        z->ahead -= gathered(z, z->under_way);
        z->begins = z->now + seconds(z, z->under_way);
        return;
    }
    if (waits && z->ahead > z->beside->memory / 2 && z->now < z->begins) z->now = z->begins;
    if (waits && z->begins <= z->now) {
        if (z->gathers.n) {
            place(z, z->under_way);
            return;
        }
        if (!z->turn[z->under_way]) make_ready(z, z->under_way);
    }
    uint32_t next = take(z);
    if (next == NO_ID) next = z->under_way, z->now = z->begins;
    place(z, next);
}

static void prepare(Ahead *z, const uint32_t *order, uint32_t n) {
    const Kernels *k = z->k;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t kernel = order[p];
        z->position[kernel] = p;
        z->unread[kernel] = z->turn[kernel] = 0;
        z->depth[kernel] = z->reads[kernel] = 0;
        for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
            uint32_t from = k->writer[i];
            bool gather = gathers(z, from);
            double depth = z->depth[from] + (gather ? seconds(z, from) : 0);
            if (depth > z->depth[kernel]) z->depth[kernel] = depth;
            z->reads[kernel] |= gather;
            z->unread[from]++;
        }
    }
}

void order_ahead(Ahead *z, RegionId r, uint32_t *order) {
    uint32_t n = z->k->count[r];
    prepare(z, order, n);
    z->ready.n = z->gathers.n = z->n = 0;
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
                 .beside = beside,
                 .bytes = bytes,
                 .unread = arena_new(a, uint32_t, k->n),
                 .position = arena_new(a, uint32_t, k->n),
                 .turn = arena_new(a, uint32_t, k->n),
                 .depth = arena_new(a, double, k->n),
                 .reads = arena_new(a, uint8_t, k->n),
                 .ready.at = arena_new(a, Entry, 2 * (size_t)k->n + k->first_read[k->n]),
                 .gathers.at = arena_new(a, Entry, k->n),
                 .placed = arena_new(a, uint32_t, k->n)};
    return z;
}
