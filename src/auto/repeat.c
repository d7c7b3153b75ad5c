// Repeated stretches: the distances between equal ops vote for periods. The period that covers most ops is chosen; then the parts
// before and after it are searched in the same way.
#include "auto/repeat.h"
#include "support/sort.h"

static uint64_t stir(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

uint64_t op_fingerprint(const Module *m, OpId op) {
    uint64_t h = 0;
    OpId end = op_walk_past(m, op);
    for (OpId at = op; at != end && at != NO_ID; at = op_walk(m, at)) {
        const Op *o = op_get(m, at);
        h = stir(h, (uint64_t)o->kind << 32 | o->n_operands);
        for (uint32_t i = 0; i < o->n_operands; i++) h = stir(h, value_type(m, op_operand(m, at, i)));
        for (uint32_t i = 0; i < o->n_results; i++) h = stir(h, value_type(m, op_result(m, at, i)) + 1000003u);
        bool any_number = o->kind == OP_slice || (o->kind == OP_constant && result_type(m, at, 0)->rank == 0);
        for (uint32_t i = 0; !any_number && i < o->n_attrs; i++) {
            NamedAttr x = m->op_attrs.at[o->first_attr + i];
            h = stir(h, (uint64_t)x.name << 32 | x.value);
        }
    }
    return h;
}

// ---- Periods --------------------------------------------------------------------------------------------------------

typedef struct Vote {
    uint32_t distance, count;
} Vote;

static bool has_more_votes(const Vote *x, const Vote *y) {
    uint64_t a = (uint64_t)x->count * x->distance, b = (uint64_t)y->count * y->distance;
    return a != b ? a > b : x->distance < y->distance;
}
DEFINE_SORT(sort_votes, Vote, has_more_votes)

// How far each op is from the next that is equal, counted.
static uint32_t count_votes(const uint64_t *ops, uint32_t n, Vote *votes, Arena *a) {
    IdMap last;
    idmap_init(&last, a);
    uint32_t *seen = arena_new(a, uint32_t, n), n_seen = 0; // the last position of each kind of op
    uint32_t *count = arena_zalloc(a, ((size_t)n + 1) * sizeof *count);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t hash = (uint32_t)ops[i], found = IDMAP_END;
        for (uint32_t p = hash, id; (id = idmap_probe(&last, hash, &p)) != IDMAP_END;)
            if (ops[seen[id]] == ops[i]) {
                found = id;
                break;
            }
        if (found == IDMAP_END) {
            idmap_add(&last, hash, n_seen);
            seen[n_seen++] = i;
            continue;
        }
        count[i - seen[found]]++;
        seen[found] = i;
    }
    uint32_t n_votes = 0;
    for (uint32_t d = 1; d < n; d++)
        if (count[d] > 1) votes[n_votes++] = (Vote){d, count[d]};
    sort_votes(votes, n_votes, a);
    return n_votes;
}

// The longest stretch of this period.
static Stretch longest_run(const uint64_t *ops, uint32_t n, uint32_t period) {
    Stretch best = {0, period, 0, 0};
    for (uint32_t i = 0; i + period < n;) {
        uint32_t start = i;
        while (i + period < n && ops[i] == ops[i + period]) i++;
        uint32_t copies = (i - start) / period + 1;
        if (i > start && copies > best.copies) best = (Stretch){start, period, copies, (i - start) % period};
        if (i == start) i++;
    }
    return best;
}

// The stretch that covers most of a range; copies 0 if nothing is there three times.
static Stretch best_stretch(const uint64_t *ops, uint32_t n, Arena *a) {
    enum { CANDIDATES = 64, FEWEST_COPIES = 3 };
    Stretch best = {0};
    Vote *votes = arena_new(a, Vote, n);
    uint32_t n_votes = count_votes(ops, n, votes, a);
    for (uint32_t k = 0; k < n_votes && k < CANDIDATES; k++) {
        Stretch s = longest_run(ops, n, votes[k].distance);
        if (s.copies < FEWEST_COPIES) continue;
        uint64_t covers = (uint64_t)s.copies * s.period, covered = (uint64_t)best.copies * best.period;
        // A multiple of a period covers as much, or a little less.
        if (covers > covered || (s.period < best.period && covers * 16 >= covered * 15)) best = s;
    }
    return best;
}

// What has not been looked at yet.
typedef struct OpenRange {
    uint32_t from, to;
} OpenRange;

static bool starts_before(const Stretch *x, const Stretch *y) { return x->start < y->start; }
DEFINE_SORT(sort_stretches, Stretch, starts_before)

Stretches repeats_find(const uint64_t *ops, uint32_t n, Arena *a) {
    enum { SHORTEST = 12 }; // ops; less is not worth folding
    Stretches found = {0};
    VEC(OpenRange) open = {0};
    Arena scratch;
    arena_init(&scratch, a->ctx);
    vec_push(a, &open, ((OpenRange){0, n}));
    while (open.n) {
        OpenRange r = open.at[--open.n];
        if (r.to - r.from < SHORTEST) continue;
        arena_reset(&scratch);
        Stretch s = best_stretch(ops + r.from, r.to - r.from, &scratch);
        if (s.copies * s.period < SHORTEST) continue;
        s.start += r.from;
        vec_push(a, &found, s);
        vec_push(a, &open, ((OpenRange){r.from, s.start}));
        vec_push(a, &open, ((OpenRange){s.start + s.copies * s.period, r.to}));
    }
    arena_free(&scratch);
    sort_stretches(found.at, found.n, a);
    return found;
}
