// List scheduling: a heap of ready kernels. A kernel whose gain changes is pushed a second time, and its stale entry is skipped.
#include "sim/schedule/schedulers.h"
#include "support/heap.h"
#include <math.h>

typedef struct ListEntry {
    double gain;   // bytes given back
    uint32_t turn; // when it was put in: what comes last goes first
    uint32_t kernel;
} ListEntry;

struct ListScheduler {
    const Module *m;
    const KernelGraph *k;
    const double *bytes, *own_bytes;
    uint32_t *unread; // by value: readers that have not run
    uint32_t *waits;  // by kernel: values that it reads and that are not there
    uint32_t *turn;   // by kernel: of its entry; 0 if it has none
    double *gain;     // by kernel that has an entry
    uint32_t turns;
    double alive; // bytes, beside others
    VEC(ListEntry) heap;
    Arena *a;
};

static bool list_goes_first(const ListEntry *x, const ListEntry *y) {
    return x->gain != y->gain ? x->gain > y->gain : x->turn > y->turn;
}

DEFINE_HEAP(ready_list, ListEntry, list_goes_first)

static void list_push(ListScheduler *s, ListEntry e) {
    vec_reserve(s->a, &s->heap, s->heap.n + 1);
    ready_list_push(s->heap.at, &s->heap.n, e);
}

static double gain_of(const ListScheduler *s, uint32_t kernel) {
    const KernelGraph *k = s->k;
    double gain = 0;
    for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++) gain -= s->bytes[k->written[i]];
    for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++)
        if (s->unread[k->read[i].value] == 1) gain += s->bytes[k->read[i].value];
    return gain;
}

static void list_make_ready(ListScheduler *s, uint32_t kernel) {
    double gain = gain_of(s, kernel);
    if (s->turn[kernel] && s->gain[kernel] == gain) return;
    s->gain[kernel] = gain;
    s->turn[kernel] = ++s->turns;
    list_push(s, (ListEntry){gain, s->turns, kernel});
}

// Gives how many bytes are alive while it runs. The results of a loop are in the place of what it begins with.
static double issue_kernel(ListScheduler *s, uint32_t kernel) {
    const KernelGraph *k = s->k;
    double unread = 0, before = s->alive;
    for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++) {
        ValueId v = k->written[i];
        *(k->n_readers[v] ? &s->alive : &unread) += s->own_bytes[v];
        for (uint32_t at = k->first_reader[v]; at != NO_ID; at = k->read[at].next)
            if (--s->waits[k->read[at].reader] == 0) list_make_ready(s, k->read[at].reader);
    }
    double most = s->alive + unread;
    for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
        ValueId v = k->read[i].value;
        if (s->unread[v] == 0) s->alive -= s->own_bytes[v];
        if (s->unread[v] != 1) continue;
        for (uint32_t at = k->first_reader[v]; at != NO_ID; at = k->read[at].next)
            if (s->turn[k->read[at].reader])
                list_make_ready(s, k->read[at].reader); // the one that is left gains more now
    }
    if (runs_regions(op_kind(s->m, k->op[kernel]))) return before > s->alive ? before : s->alive;
    return most;
}

bool schedule_list(ListScheduler *s, RegionId r, double limit, uint32_t *order) {
    const KernelGraph *k = s->k;
    uint32_t from = k->from[r], end = from + k->count[r], n = 0;
    for (uint32_t i = from; i < end; i++) {
        s->waits[i] = k->first_read[i + 1] - k->first_read[i];
        s->turn[i] = 0;
        for (uint32_t at = k->first_written[i]; at < k->first_written[i + 1]; at++)
            s->unread[k->written[at]] = k->n_readers[k->written[at]];
    }
    s->heap.n = 0;
    s->alive = 0;
    for (uint32_t i = from; i < end; i++)
        if (s->waits[i] == 0) list_make_ready(s, i);
    while (s->heap.n) {
        ListEntry e = ready_list_pop(s->heap.at, &s->heap.n);
        if (s->turn[e.kernel] != e.turn) continue;
        s->turn[e.kernel] = 0;
        order[n++] = e.kernel;
        for (uint32_t i = k->first_read[e.kernel]; i < k->first_read[e.kernel + 1]; i++) s->unread[k->read[i].value]--;
        if (issue_kernel(s, e.kernel) > limit) return false;
    }
    return true;
}

ListScheduler *list_scheduler_new(const Module *m, const KernelGraph *k, const double *bytes, const double *own_bytes,
                                  Arena *a) {
    ListScheduler *s = arena_new(a, ListScheduler, 1);
    *s = (ListScheduler){.m = m,
                         .k = k,
                         .bytes = bytes,
                         .own_bytes = own_bytes,
                         .unread = arena_new(a, uint32_t, m->values.n),
                         .waits = arena_new(a, uint32_t, k->n),
                         .turn = arena_new(a, uint32_t, k->n),
                         .gain = arena_new(a, double, k->n),
                         .a = a};
    vec_reserve(a, &s->heap, k->n);
    return s;
}
