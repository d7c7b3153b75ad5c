// Memory space assignment: assigns tensors in the order of the time they save, each to free extents for its whole stay.
#include "sim/memory/memory_space.h"
#include "support/sort.h"
#include <math.h>

// In times that filling all of it takes: the compiler's option max_overlap_to_mem_size_async_copy_ratio.
#define LONGEST 8
// How long before a use a tensor is brought there, in times that its copy takes: preferred_overlap_to_async_copy_ratio.
#define PREFETCH 2
// The largest part of the time for which a tensor that is there before the program starts is there and makes room in between:
// kCrossProgramPrefetchOccupyFreeingLimit.
#define OCCUPIED 0.6
#define SMALLEST 2048 // so many of the smallest tensors that are looked at would fill it

void memory_space_begin(MemorySpace *c, uint32_t n_candidates) {
    c->longest = LONGEST * c->bytes / c->bandwidth;
    c->candidates = arena_new(c->a, VmemCandidate, n_candidates);
    vec_reserve(c->a, &c->stays, n_candidates);
}

// ---- When they are there --------------------------------------------------------------------------------------------

static bool is_earlier(const double *elapsed, double time) { return *elapsed < time; }
DEFINE_LOWER_BOUND(count_earlier, double, double, is_earlier)

static uint32_t brought_at(const MemorySpace *c, double bytes, uint32_t position) {
    return count_earlier(c->elapsed, position, c->elapsed[position] - PREFETCH * bytes / c->bandwidth);
}

// Those that are too large cannot be there; whether the smallest are makes no difference.
bool memory_space_considers(const MemorySpace *c, double bytes) {
    return bytes <= c->bytes && bytes * SMALLEST >= c->bytes;
}

static void add_stay(MemorySpace *c, VmemCandidate *t, uint32_t end) {
    *(t->stays ? &c->stays.at[t->last_stay].next : &t->first_stay) = c->stays.n;
    t->last_stay = c->stays.n;
    vec_push(c->a, &c->stays, ((Residency){t->from, end, NO_ID}));
    if (t->stays < UINT16_MAX) t->stays++;
}

void memory_space_use(MemorySpace *c, uint32_t candidate, uint32_t position) {
    VmemCandidate *t = &c->candidates[candidate];
    if (c->waits[position] && t->waits < UINT16_MAX) t->waits++;
    bool first = t->used == NO_ID;
    if (first && t->kept && c->elapsed[position] < t->bytes / c->bandwidth) return; // it would not be there in time
    if (!first && 2 * position <= t->used) return;
    if (first && !t->kept) {
        t->from = t->start;
    } else if (first || c->elapsed[position] - c->elapsed[t->used / 2 + 1] > c->longest) {
        if (!first) add_stay(c, t, t->used);
        uint32_t from = 2 * brought_at(c, t->bytes, position);
        t->from = from < t->start ? t->start : from;
    }
    t->used = 2 * position;
}

void memory_space_prefetch(MemorySpace *c, uint32_t candidate, uint32_t last_use) {
    VmemCandidate *t = &c->candidates[candidate];
    uint32_t n = c->n_positions, back = brought_at(c, t->bytes, n); // for the next run
    double total = c->elapsed[n], occupied = c->elapsed[last_use + 1] + total - c->elapsed[back];
    bool makes_room = back > last_use && occupied < OCCUPIED * total;
    t->prefetched = true, t->from = 0;
    if (makes_room) add_stay(c, t, 2 * last_use), t->from = 2 * back;
    add_stay(c, t, 2 * n + 1);
}

// ---- Room -----------------------------------------------------------------------------------------------------------

#define CHUNK 16 // moments that are looked at together

typedef struct SpaceUse {
    double *own;    // by moment
    double *common; // by chunk: of all its moments, beside their own
    double *most;   // by chunk: of their own
} SpaceUse;

// The most, or the first that is more than `enough`.
static double peak_use(const SpaceUse *t, uint32_t from, uint32_t to, double enough) {
    double most = 0;
    for (uint32_t at = from; at <= to && most <= enough;) {
        uint32_t k = at / CHUNK, end = k * CHUNK + CHUNK - 1;
        double now = 0;
        if (at == k * CHUNK && end <= to)
            now = t->most[k], at = end + 1;
        else
            for (; at <= to && at <= end; at++)
                if (t->own[at] > now) now = t->own[at];
        if (now + t->common[k] > most) most = now + t->common[k];
    }
    return most;
}

static void reserve(SpaceUse *t, uint32_t from, uint32_t to, double bytes) {
    for (uint32_t at = from; at <= to;) {
        uint32_t k = at / CHUNK, end = k * CHUNK + CHUNK - 1;
        if (at == k * CHUNK && end <= to) {
            t->common[k] += bytes;
            at = end + 1;
            continue;
        }
        for (; at <= to && at <= end; at++) {
            t->own[at] += bytes;
            if (t->own[at] > t->most[k]) t->most[k] = t->own[at];
        }
    }
}

// Only at moments at which a stay begins or ends something changes: stays are counted in these from now on. Gives how many
// there are.
static uint32_t number_moments(MemorySpace *c) {
    uint32_t n_half_steps = 2 * c->n_positions + 2, n = 0;
    uint8_t *changes = arena_zalloc(c->a, n_half_steps);
    uint32_t *moment = arena_new(c->a, uint32_t, n_half_steps);
    for (uint32_t i = 0; i < c->stays.n; i++) changes[c->stays.at[i].start] = changes[c->stays.at[i].end] = 1;
    for (uint32_t at = 0; at < n_half_steps; n += changes[at++]) moment[at] = n;
    for (uint32_t i = 0; i < c->stays.n; i++) {
        Residency *s = &c->stays.at[i];
        s->start = moment[s->start], s->end = moment[s->end];
    }
    return n;
}

// ---- Who goes first -------------------------------------------------------------------------------------------------

typedef struct VmemClaim {
    double saves;
    uint32_t candidate;
} VmemClaim;

static bool saves_more(const VmemClaim *x, const VmemClaim *y) { return x->saves > y->saves; }

DEFINE_SORT(sort_claims, VmemClaim, saves_more)

// The time that it saves by the root of its size, which is the compiler's measure. Those that save nothing come last, the
// smallest first.
static double saves(const VmemCandidate *t) { return t->waits ? t->waits * sqrt(t->bytes) : -t->bytes; }

// Ends the last stays. Gives how many claims there are.
static uint32_t find_claims(MemorySpace *c, uint32_t n_candidates, VmemClaim *claims) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_candidates; i++) {
        VmemCandidate *t = &c->candidates[i];
        if (t->prefetched) claims[n++] = (VmemClaim){INFINITY, i};
        if (t->used == NO_ID) continue; // among them all that do not matter
        if (!t->kept && (t->end + 1) / 2 < c->n_positions) memory_space_use(c, i, (t->end + 1) / 2);
        add_stay(c, t, !t->kept && t->end > t->used ? t->end : t->used);
        claims[n++] = (VmemClaim){saves(t), i};
    }
    sort_claims(claims, n, c->a);
    return n;
}

double memory_space_assign(MemorySpace *c, uint32_t n_candidates) {
    VmemClaim *claims = arena_new(c->a, VmemClaim, n_candidates);
    uint32_t n = find_claims(c, n_candidates, claims), n_moments = number_moments(c), chunks = n_moments / CHUNK + 1;
    SpaceUse use = {arena_zalloc(c->a, chunks * CHUNK * sizeof(double)), arena_zalloc(c->a, chunks * sizeof(double)),
                    arena_zalloc(c->a, chunks * sizeof(double))};
    for (uint32_t i = 0; i < n; i++) {
        VmemCandidate *t = &c->candidates[claims[i].candidate];
        for (uint32_t stay = t->first_stay; stay != NO_ID; stay = c->stays.at[stay].next) {
            const Residency *s = &c->stays.at[stay];
            bool fits = peak_use(&use, s->start, s->end, c->bytes - t->bytes) + t->bytes <= c->bytes;
            if (fits) reserve(&use, s->start, s->end, t->bytes);
            t->lives = fits && !t->kept && t->stays == 1;
        }
    }
    return peak_use(&use, 0, chunks * CHUNK - 1, INFINITY);
}
