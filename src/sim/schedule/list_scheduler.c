// Frugal: a heap of ready kernels. One whose gain has changed is put in anew, and what was there before is passed over.
#include "sim/schedule/list_scheduler.h"
#include <math.h>

typedef struct Entry {
    double gain;   // bytes given back
    uint64_t then; // readers of what it writes, and in the lower half when it was put in: what comes last goes first
    uint32_t kernel;
} Entry;

struct Frugal {
    const Module *m;
    const Kernels *k;
    const double *bytes, *beside;
    uint32_t *unread; // by value: readers that have not run
    uint32_t *waits;  // by kernel: values that it reads and that are not there
    uint32_t *turn;   // by kernel: of its entry; 0 if it has none
    double *gain;     // by kernel that has an entry
    uint32_t turns;
    double alive; // bytes, beside others
    VEC(Entry) heap;
    Arena *a;
};

static bool goes_first(const Entry *x, const Entry *y) {
    return x->gain != y->gain ? x->gain > y->gain : x->then > y->then;
}

static void push(Frugal *z, Entry e) {
    vec_push(z->a, &z->heap, e);
    uint32_t i = z->heap.n - 1;
    for (uint32_t up; i && goes_first(&e, &z->heap.at[up = (i - 1) / 2]); i = up) z->heap.at[i] = z->heap.at[up];
    z->heap.at[i] = e;
}

static Entry pop(Frugal *z) {
    Entry *heap = z->heap.at, top = heap[0], e = heap[--z->heap.n];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < z->heap.n; i = child) {
        if (child + 1 < z->heap.n && goes_first(&heap[child + 1], &heap[child])) child++;
        if (!goes_first(&heap[child], &e)) break;
        heap[i] = heap[child];
    }
    heap[i] = e;
    return top;
}

static bool is_scalar(const Frugal *z, uint32_t kernel) {
    const Kernels *k = z->k;
    int64_t elements;
    return k->first_written[kernel + 1] == k->first_written[kernel] + 1 &&
           type_elements(value_tensor(z->m, k->written[k->first_written[kernel]]), &elements) && elements == 1;
}

// Scalars go first, so that they are where they are used.
static double gain_of(const Frugal *z, uint32_t kernel) {
    const Kernels *k = z->k;
    double gain = 0;
    if (is_scalar(z, kernel)) return INFINITY;
    for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++) gain -= z->bytes[k->written[i]];
    for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++)
        if (z->unread[k->read[i].value] == 1) gain += z->bytes[k->read[i].value];
    return gain;
}

static void make_ready(Frugal *z, uint32_t kernel) {
    const Kernels *k = z->k;
    double gain = gain_of(z, kernel);
    if (z->turn[kernel] && z->gain[kernel] == gain) return;
    uint64_t readers = 0;
    for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++)
        readers += k->n_readers[k->written[i]];
    z->gain[kernel] = gain;
    z->turn[kernel] = ++z->turns;
    push(z, (Entry){gain, readers << 32 | z->turns, kernel});
}

// Gives how many bytes are alive while it runs.
static double run(Frugal *z, uint32_t kernel) {
    const Kernels *k = z->k;
    double unread = 0;
    for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++) {
        ValueId v = k->written[i];
        *(k->n_readers[v] ? &z->alive : &unread) += z->beside[v];
        for (uint32_t at = k->first_reader[v]; at != NO_ID; at = k->read[at].next)
            if (--z->waits[k->read[at].reader] == 0) make_ready(z, k->read[at].reader);
    }
    double most = z->alive + unread;
    for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
        ValueId v = k->read[i].value;
        if (z->unread[v] == 0) z->alive -= z->beside[v];
        if (z->unread[v] != 1) continue;
        for (uint32_t at = k->first_reader[v]; at != NO_ID; at = k->read[at].next)
            if (z->turn[k->read[at].reader]) make_ready(z, k->read[at].reader); // the one that is left gains more now
    }
    return most;
}

bool order_frugal(Frugal *z, RegionId r, double limit, uint32_t *order) {
    const Kernels *k = z->k;
    uint32_t from = k->from[r], end = from + k->count[r], n = 0;
    for (uint32_t i = from; i < end; i++) {
        z->waits[i] = k->first_read[i + 1] - k->first_read[i];
        z->turn[i] = 0;
        for (uint32_t at = k->first_written[i]; at < k->first_written[i + 1]; at++)
            z->unread[k->written[at]] = k->n_readers[k->written[at]];
    }
    z->heap.n = 0;
    z->alive = 0;
    for (uint32_t i = from; i < end; i++)
        if (z->waits[i] == 0) make_ready(z, i);
    while (z->heap.n) {
        Entry e = pop(z);
        if (z->turn[e.kernel] != (uint32_t)e.then) continue;
        z->turn[e.kernel] = 0;
        order[n++] = e.kernel;
        for (uint32_t i = k->first_read[e.kernel]; i < k->first_read[e.kernel + 1]; i++) z->unread[k->read[i].value]--;
        if (run(z, e.kernel) > limit) return false;
    }
    return true;
}

Frugal *frugal_new(const Module *m, const Kernels *k, const double *bytes, const double *beside, Arena *a) {
    Frugal *z = arena_new(a, Frugal, 1);
    *z = (Frugal){.m = m,
                  .k = k,
                  .bytes = bytes,
                  .beside = beside,
                  .unread = arena_new(a, uint32_t, m->values.n),
                  .waits = arena_new(a, uint32_t, k->n),
                  .turn = arena_new(a, uint32_t, k->n),
                  .gain = arena_new(a, double, k->n),
                  .a = a};
    vec_reserve(a, &z->heap, k->n);
    return z;
}
