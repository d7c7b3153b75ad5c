// Memory scheduler: each region gets all three orders, those inside first, since what a loop needs inside is needed when it runs. The
// program as a whole takes one of the three: two that cannot be taken are left out.
#include "sim/schedule/memory_scheduler.h"
#include "sim/fusion/sibling_fusion.h"
#include "sim/memory/donation.h"
#include "sim/schedule/collective_combiner.h"
#include "sim/schedule/list_scheduler.h"
#include "sim/schedule/postorder_dfs.h"
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
    KernelGraph k;         // at last also by op that is computed on the way: the first of its kernels
    OpId *ring;            // by op: of sums that run together, the next
    double *bytes;         // by value in memory
    uint8_t *replaces;     // by value: takes the place of an argument, or of what its loop carries
    double *own_bytes;     // by value in memory: 0 for those
    uint32_t *order[WAYS]; // kernels, those of a region from Kernels.from on
    double *inside[WAYS];  // by op with regions: the most that is alive in one of them; NULL if there is none
    uint8_t *alive;        // by value
    uint32_t fullest;      // the kernel at which the most was alive in the order that was looked at last
    OpSchedule *out;
    OpId *asked;    // ops that somebody waits for, a stack
    uint32_t n_ops; // that run
} MemoryScheduler;

// ---- How much memory an order needs ----------------------------------------------------------------------------------

// The value that a result is in memory as.
static ValueId kept_as(const MemoryScheduler *s, ValueId v) {
    const Value *val = &s->m->values.at[v];
    while (!val->is_arg && s->f->place[v] == PLACE_ALIAS) {
        v = op_operand(s->m, val->owner, val->index);
        val = &s->m->values.at[v];
    }
    return v;
}

static void replace(MemoryScheduler *s, ValueId v) { s->replaces[v] = 1, s->own_bytes[v] = 0; }

static void find_replacing(MemoryScheduler *s, RegionId r) {
    const Module *m = s->m;
    OpId end = region_terminator(m, r), holder = m->regions.at[r].parent;
    const ValueId *results = op_operands(m, end);
    uint32_t n = op_get(m, end)->n_operands;
    for (uint32_t i = 0; op_kind(m, holder) == OP_while && i < n; i++) replace(s, kept_as(s, results[i]));
    const int64_t *donated = r == s->main ? s->f->donated : NULL;
    for (uint32_t i = 0; donated && i < m->regions.at[r].n_args; i++) {
        int64_t to = donated[i];
        TypeId type = value_type(m, m->regions.at[r].first_arg + i);
        for (uint32_t k = 0; to == DONATED_TO_ANY && k < n; k++)
            if (value_type(m, results[k]) == type && !s->replaces[kept_as(s, results[k])]) to = k;
        if (to >= 0 && to < n) replace(s, kept_as(s, results[to]));
    }
}

// From the end, where what is read for the last time begins to be alive. The results of a loop are in the place of what it
// begins with.
static double most_alive(MemoryScheduler *s, RegionId r, int way) {
    const KernelGraph *k = &s->k;
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
            here = s->inside[way][op] + (now - given > after ? now - given : after);
        }
        if (here > most) most = here, s->fullest = kernel;
        now -= given;
    }
    return most;
}

// Bytes that are alive when a kernel runs, whatever the order: what has been written by those that it needs, and is read by
// those that need it.
static double always_alive(const MemoryScheduler *s, uint32_t kernel, Arena *a) {
    enum { BEFORE = 1, AFTER };
    const KernelGraph *k = &s->k;
    uint8_t *side = arena_zalloc(a, k->n);
    uint32_t *met = arena_new(a, uint32_t, k->n), n = 0;
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

typedef struct Planner {
    MemoryScheduler *s;
    PostorderDfs dfs;
    ListScheduler *list;
    double limit; // a frugal order that needs more is not taken
} Planner;

// One of a region, after those inside. Gives how much memory it needs.
static double plan_region(Planner *p, RegionId r, int way) {
    MemoryScheduler *s = p->s;
    const Module *m = s->m;
    uint32_t from = s->k.from[r];
    for (uint32_t k = from; s->f->nested && k < from + s->k.count[r]; k++) {
        OpId op = s->k.op[k];
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++) {
            double in = plan_region(p, op_region(m, op, i), way);
            if (in > s->inside[way][op]) s->inside[way][op] = in;
        }
    }
    if (way == LIST && !schedule_list(p->list, r, p->limit, s->order[LIST] + from)) return INFINITY;
    if (way == DFS) {
        find_replacing(s, r);
        schedule_postorder(&p->dfs, r, s->order[POSTORDER] + from); // which finds out what is shared
        schedule_dfs(&p->dfs, r, s->order[DFS] + from);
    }
    return most_alive(s, r, way);
}

// Two orders are looked at only if one might be taken.
static int choose_schedule(MemoryScheduler *s, Arena *a) {
    const Module *m = s->m;
    Planner p = {s, postorder_dfs_new(m, &s->k, s->bytes, a), list_scheduler_new(m, &s->k, s->bytes, s->own_bytes, a),
                 0};
    double enough = CLEARLY * plan_region(&p, s->main, DFS);
    bool loop = runs_regions(op_kind(m, s->k.op[s->fullest])); // may need less inside in another order
    if (!loop && always_alive(s, s->fullest, a) > ROUNDED_UP * enough) return DFS;
    double postorder = plan_region(&p, s->main, POSTORDER);
    p.limit = ROUNDED_UP * fmin(postorder, enough);
    double list = plan_region(&p, s->main, LIST);
    if (list < enough && list <= postorder) return LIST;
    return postorder < enough ? POSTORDER : DFS;
}

// Not where loops run: they take so long that nothing has to be found to run beside gathers.
static void hide_gather_latency(MemoryScheduler *s, RegionId r, LatencyHiding *hiding, int way) {
    const Module *m = s->m;
    bool loops = false;
    for (OpId op = m->regions.at[r].first; s->f->nested && op != NO_ID; op = op_get(m, op)->next)
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++) {
            hide_gather_latency(s, op_region(m, op, i), hiding, way);
            loops = true;
        }
    if (!loops) schedule_latency_hiding(hiding, r, s->order[way] + s->k.from[r]);
}

// ---- The program -----------------------------------------------------------------------------------------------------

static void emit_region(MemoryScheduler *s, RegionId r, int way);

// The op, and before it what is computed in its kernel.
static void emit_kernel(MemoryScheduler *s, OpId root, RegionId r, int way) {
    const Module *m = s->m;
    const Value *values = m->values.at;
    OpSchedule *out = s->out;
    const uint8_t *made = s->k.made;
    bool nested = s->f->nested, inside = r != s->main;
    uint32_t *of_op = s->k.of_op, kernel = of_op[root] == NO_ID ? 0 : of_op[root];
    OpId *top = s->asked;
    of_op[root] = NO_ID;
    for (*top++ = root; top > s->asked;) {
        OpId op = top[-1], *before = top;
        const Op *o = op_get(m, op);
        if (of_op[op] == NO_ID) {
            of_op[op] = kernel;
            for (const ValueId *v = op_operands(m, op), *end = v + o->n_operands; v < end; v++) {
                if (made[*v]) continue;
                OpId owner = values[*v].owner;
                if (of_op[owner] != NO_ID) continue;
                if (!inside || op_get(m, owner)->parent == r) *top++ = owner;
            }
            if (top > before) continue;
        }
        top--;
        if (out->position[op] != NO_ID) continue; // asked for twice
        if (nested && runs_regions((OpKind)o->kind)) {
            out->first[op] = out->n;
            for (uint32_t i = 0; i < o->n_regions; i++) emit_region(s, op_region(m, op, i), way);
        }
        op_schedule_add(out, op);
    }
}

// What nobody needs. Outside of loops it is known whether there is something left beside the end.
static void emit_unused(MemoryScheduler *s, RegionId r, int way) {
    const Module *m = s->m;
    OpId end = region_terminator(m, r);
    if (!s->f->nested && s->out->n + 1 == s->n_ops) return;
    for (OpId op = m->regions.at[r].first; op != end; op = op_get(m, op)->next)
        if (s->out->position[op] == NO_ID) emit_kernel(s, op, r, way);
}

static void emit_region(MemoryScheduler *s, RegionId r, int way) {
    const Module *m = s->m;
    const KernelGraph *k = &s->k;
    const uint32_t *order = s->order[way] + k->from[r];
    OpId end = region_terminator(m, r);
    for (uint32_t p = 0; p < k->count[r]; p++) {
        OpId op = k->op[order[p]];
        if (op == end) emit_unused(s, r, way);
        do emit_kernel(s, op, r, way);
        while ((op = s->ring[op]) != NO_ID && op != k->op[order[p]]);
    }
}

OpSchedule schedule_min_memory(const Module *m, const ProgramOrder *written, const Fusion *f, const Backend *backend,
                               const AsyncGathers *own_bytes, Arena *a) {
    OpSchedule out = op_schedule_new(m, a);
    MemoryScheduler s = {.m = m,
                         .f = f,
                         .main = op_region(m, module_main(m), 0),
                         .ring = memset(arena_new(a, OpId, m->ops.n), 0xff, m->ops.n * sizeof *s.ring),
                         .bytes = arena_new(a, double, m->values.n),
                         .replaces = arena_zalloc(a, m->values.n),
                         .own_bytes = arena_new(a, double, m->values.n),
                         .alive = memset(arena_alloc(a, m->values.n), WAYS, m->values.n),
                         .out = &out,
                         .asked = arena_new(a, OpId, m->ops.n + m->operands.n),
                         .n_ops = written->n};
    combine_collectives(m, written, OP_partir_all_reduce, backend->all_reduce_combine_bytes, s.ring, a);
    s.k = kernel_graph_build(m, written, f, s.ring, order_siblings(m, written, f, s.ring, NULL, a), a);
    for (uint32_t i = 0; i < s.k.first_written[s.k.n]; i++) {
        ValueId v = s.k.written[i];
        s.bytes[v] = s.own_bytes[v] = f->place[v] == PLACE_BUFFER ? kept_bytes(m, f, v) : 0;
    }
    for (int way = 0; way < WAYS; way++) {
        s.order[way] = arena_new(a, uint32_t, s.k.n);
        if (f->nested) s.inside[way] = arena_zalloc(a, m->ops.n * sizeof *s.inside[way]);
    }
    int way = choose_schedule(&s, a);
    if (own_bytes) hide_gather_latency(&s, s.main, latency_hiding_new(m, &s.k, own_bytes, s.bytes, a), way);
    emit_region(&s, s.main, way);
    return out;
}
