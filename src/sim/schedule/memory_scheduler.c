// Memory scheduler: computes three orders for each region, inner regions first, because a loop needs the memory of its body while it
// runs. The program as a whole uses one of the three; orders that cannot win are not computed.
#include "sim/schedule/schedulers.h"
#include "sim/memory/donation.h"
#include <math.h>

enum { DFS, POSTORDER, LIST, WAYS };

// Kernels are not exactly XLA's: depth-first, which it takes most often, unless another needs less than this part of its
// memory.
#define CLEARLY    0.9
#define ROUNDED_UP (1 + 1e-9) // for sums in another order

typedef struct MemoryScheduler {
    const Module *m;
    const Fusion *f;
    RegionId main;
    const KernelGraph *k;
    uint8_t *replaces;     // by value: takes the place of an argument, or of what its loop carries
    double *own_bytes;     // by value in memory: 0 for those
    uint32_t *order[WAYS]; // kernels, those of a region from KernelGraph.from on
    double *inside[WAYS];  // by kernel: the most that is alive in one of its regions; NULL if there is none
    uint8_t *alive;        // by value
    ValueId *kept;         // by value: the one that it is in memory as, once that is found; NO_ID before
    uint32_t fullest;      // the kernel at which the most was alive in the order that was looked at last
    PostorderDfs dfs;
    ListScheduler *list;
    double limit; // a list schedule that needs more is not taken
    Arena *a;
} MemoryScheduler;

// ---- How much memory an order needs ----------------------------------------------------------------------------------

static bool is_alias(const MemoryScheduler *s, ValueId v) {
    return !s->m->values.at[v].is_arg && s->f->place[v] == PLACE_ALIAS;
}

// The value that a result is in memory as, which all on the way to it remember.
static ValueId kept_as(const MemoryScheduler *s, ValueId v) {
    const Value *values = s->m->values.at;
    ValueId kept = v, next;
    while (s->kept[kept] == NO_ID && is_alias(s, kept)) kept = op_operand(s->m, values[kept].owner, values[kept].index);
    if (s->kept[kept] != NO_ID) kept = s->kept[kept];
    for (; v != kept && s->kept[v] == NO_ID; v = next) {
        next = op_operand(s->m, values[v].owner, values[v].index);
        s->kept[v] = kept;
    }
    return kept;
}

static void replace(MemoryScheduler *s, ValueId v) { s->replaces[v] = 1, s->own_bytes[v] = 0; }

static void find_replacing(MemoryScheduler *s, RegionId r) {
    const Module *m = s->m;
    OpId end = region_terminator(m, r), holder = m->regions.at[r].parent;
    const ValueId *results = op_operands(m, end);
    uint32_t n = op_get(m, end)->n_operands;
    for (uint32_t i = 0; op_kind(m, holder) == OP_while && i < n; i++) replace(s, kept_as(s, results[i]));
    const int64_t *donated = r == s->main ? s->f->donated : NULL;
    TypeLists by_type = {0};
    for (uint32_t i = 0; donated && i < m->regions.at[r].n_args; i++) {
        int64_t to = donated[i];
        TypeId type = value_type(m, m->regions.at[r].first_arg + i);
        if (to == DONATED_TO_ANY) {
            if (!by_type.first) by_type = results_by_type(m, r, s->a);
            uint32_t k;
            do k = type_lists_take(&by_type, type);
            while (k != NO_ID && s->replaces[kept_as(s, results[k])]);
            if (k != NO_ID) to = k;
        }
        if (to >= 0 && to < n) replace(s, kept_as(s, results[to]));
    }
}

// From the end, where what is read for the last time begins to be alive. The results of a loop are in the place of what it
// begins with.
static double most_alive(MemoryScheduler *s, RegionId r, int way) {
    const KernelGraph *k = s->k;
    const uint32_t *order = s->order[way] + k->from[r];
    double now = 0, most = 0;
    for (uint32_t p = k->count[r]; p-- > 0;) {
        uint32_t kernel = order[p];
        OpId op = k->op[kernel];
        double given = 0, unread = 0, after = now;
        for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
            ValueId v = k->read[i].value;
            if (s->alive[v] != way) s->alive[v] = (uint8_t)way, now += s->own_bytes[v];
        }
        for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++)
            *(s->alive[k->written[i]] == way ? &given : &unread) += s->own_bytes[k->written[i]];
        double here = now + unread;
        if (s->f->nested && runs_regions(op_kind(s->m, op))) {
            here = s->inside[way][kernel] + (now - given > after ? now - given : after);
        }
        if (here > most) most = here, s->fullest = kernel;
        now -= given;
    }
    return most;
}

// Bytes that are alive when a kernel runs, whatever the order: what has been written by those that it needs, and is read by
// those that need it.
static double always_alive(const MemoryScheduler *s, uint32_t kernel) {
    enum { BEFORE = 1, AFTER };
    const KernelGraph *k = s->k;
    uint8_t *side = arena_zalloc(s->a, k->n);
    uint32_t *met = arena_new(s->a, uint32_t, k->n), n = 0;
    double bytes = 0;
    side[kernel] = AFTER;
    met[n++] = kernel;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t w = k->first_written[met[i]]; w < k->first_written[met[i] + 1]; w++)
            for (uint32_t at = k->first_reader[k->written[w]]; at != NO_ID; at = k->read[at].next)
                if (!side[k->read[at].reader]) side[k->read[at].reader] = AFTER, met[n++] = k->read[at].reader;
    n = 1;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t w = k->first_written[met[i]]; w < k->first_written[met[i] + 1]; w++) {
            uint32_t at = k->first_reader[k->written[w]];
            while (at != NO_ID && side[k->read[at].reader] != AFTER) at = k->read[at].next;
            if (at != NO_ID) bytes += s->own_bytes[k->written[w]];
        }
        for (uint32_t at = k->first_read[met[i]]; at < k->first_read[met[i] + 1]; at++) {
            uint32_t from = k->read[at].writer;
            if (!side[from]) side[from] = BEFORE, met[n++] = from;
        }
    }
    return bytes;
}

// ---- The orders ------------------------------------------------------------------------------------------------------

// One of a region, after those inside. Gives how much memory it needs.
static double plan_region(MemoryScheduler *s, RegionId r, int way) {
    const Module *m = s->m;
    uint32_t from = s->k->from[r];
    for (uint32_t k = from; s->f->nested && k < from + s->k->count[r]; k++) {
        OpId op = s->k->op[k];
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++) {
            double in = plan_region(s, op_region(m, op, i), way);
            if (in > s->inside[way][k]) s->inside[way][k] = in;
        }
    }
    if (way == LIST && !schedule_list(s->list, r, s->limit, s->order[LIST] + from)) return INFINITY;
    if (way == DFS) {
        find_replacing(s, r);
        schedule_postorder(&s->dfs, r, s->order[POSTORDER] + from); // which finds out what is shared
        schedule_dfs(&s->dfs, r, s->order[DFS] + from);
    }
    return most_alive(s, r, way);
}

// Two orders are looked at only if one might be taken.
static int choose_schedule(MemoryScheduler *s) {
    double enough = CLEARLY * plan_region(s, s->main, DFS);
    bool loop = runs_regions(op_kind(s->m, s->k->op[s->fullest])); // may need less inside in another order
    if (!loop && always_alive(s, s->fullest) > ROUNDED_UP * enough) return DFS;
    double postorder = plan_region(s, s->main, POSTORDER);
    s->limit = ROUNDED_UP * fmin(postorder, enough);
    double list = plan_region(s, s->main, LIST);
    if (list < enough && list <= postorder) return LIST;
    return postorder < enough ? POSTORDER : DFS;
}

uint32_t *schedule_min_memory(const Module *m, const Fusion *f, const KernelGraph *k, Arena *a) {
    MemoryScheduler s = {.m = m,
                         .f = f,
                         .main = op_region(m, module_main(m), 0),
                         .k = k,
                         .replaces = arena_zalloc(a, m->values.n),
                         .own_bytes = arena_new(a, double, m->values.n),
                         .alive = memset(arena_alloc(a, m->values.n), WAYS, m->values.n),
                         .kept = memset(arena_new(a, ValueId, m->values.n), 0xff, m->values.n * sizeof(ValueId)),
                         .dfs = postorder_dfs_new(m, k, k->bytes, a),
                         .a = a};
    for (uint32_t i = 0; i < k->first_written[k->n]; i++) s.own_bytes[k->written[i]] = k->bytes[k->written[i]];
    s.list = list_scheduler_new(m, k, k->bytes, s.own_bytes, a);
    for (int way = 0; way < WAYS; way++) {
        s.order[way] = arena_new(a, uint32_t, k->n);
        if (f->nested) s.inside[way] = arena_zalloc(a, k->n * sizeof *s.inside[way]);
    }
    return s.order[choose_schedule(&s)];
}
