// Least: each region gets all three orders, those inside first, since what a loop needs inside is needed when it runs. The
// program as a whole takes one of the three: two that cannot be taken are left out.
#include "sim/schedule/memory_scheduler.h"
#include "sim/backend/update_fusion.h"
#include "sim/fusion/sibling_fusion.h"
#include "sim/memory/donation.h"
#include "sim/schedule/collective_combiner.h"
#include "sim/schedule/list_scheduler.h"
#include "sim/schedule/postorder_dfs.h"
#include <math.h>

enum { SHARED_FIRST, AS_READ, FRUGAL, WAYS };

// Kernels are not exactly XLA's: shared first, which it takes most often, unless another needs less than this part of its
// memory.
#define CLEARLY    0.9
#define ROUNDED_UP (1 + 1e-9) // for sums in another order

typedef struct Least {
    const Module *m;
    const Fusion *f;
    RegionId main;
    Kernels k;             // at last also by op that is computed on the way: the first of its kernels
    OpId *ring;            // by op: of sums that run together, the next
    double *bytes;         // by value in memory
    uint8_t *replaces;     // by value: takes the place of an argument, or of what its loop carries
    double *beside;        // by value in memory: 0 for those
    uint32_t *order[WAYS]; // kernels, those of a region from Kernels.from on
    double *inside[WAYS];  // by op with regions: the most that is alive in one of them; NULL if there is none
    uint8_t *alive;        // by value
    uint32_t fullest;      // the kernel at which the most was alive in the order that was looked at last
    Order *out;
    OpId *asked;    // ops that somebody waits for, a stack
    uint32_t n_ops; // that run
} Least;

// ---- How much memory an order needs ----------------------------------------------------------------------------------

// The value that a result is in memory as.
static ValueId kept_as(const Least *z, ValueId v) {
    const Value *val = &z->m->values.at[v];
    while (!val->is_arg && z->f->place[v] == PLACE_ALIAS) {
        v = op_operand(z->m, val->owner, val->index);
        val = &z->m->values.at[v];
    }
    return v;
}

static void replace(Least *z, ValueId v) { z->replaces[v] = 1, z->beside[v] = 0; }

static void find_replacing(Least *z, RegionId r) {
    const Module *m = z->m;
    OpId end = region_terminator(m, r), holder = m->regions.at[r].parent;
    const ValueId *results = op_operands(m, end);
    uint32_t n = op_get(m, end)->n_operands;
    for (uint32_t i = 0; op_kind(m, holder) == OP_while && i < n; i++) replace(z, kept_as(z, results[i]));
    const int64_t *donated = r == z->main ? z->f->donated : NULL;
    for (uint32_t i = 0; donated && i < m->regions.at[r].n_args; i++) {
        int64_t to = donated[i];
        TypeId type = value_type(m, m->regions.at[r].first_arg + i);
        for (uint32_t k = 0; to == DONATED_TO_ANY && k < n; k++)
            if (value_type(m, results[k]) == type && !z->replaces[kept_as(z, results[k])]) to = k;
        if (to >= 0 && to < n) replace(z, kept_as(z, results[to]));
    }
}

// From the end, where what is read for the last time begins to be alive. The results of a loop are in the place of what it
// begins with.
static double most_alive(Least *z, RegionId r, int way) {
    const Kernels *k = &z->k;
    const uint32_t *order = z->order[way] + k->from[r];
    double now = 0, most = 0;
    for (uint32_t p = k->count[r]; p-- > 0;) {
        uint32_t kernel = order[p];
        OpId op = k->op[kernel];
        double given = 0, unread = 0, after = now;
        for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
            ValueId v = k->read[i].value;
            if (z->alive[v] != way) z->alive[v] = (uint8_t)way, now += z->beside[v];
        }
        for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++)
            *(z->alive[k->written[i]] == way ? &given : &unread) += z->beside[k->written[i]];
        double here = now + unread;
        if (z->f->nested && runs_regions(op_kind(z->m, op))) {
            here = z->inside[way][op] + (now - given > after ? now - given : after);
        }
        if (here > most) most = here, z->fullest = kernel;
        now -= given;
    }
    return most;
}

// Bytes that are alive when a kernel runs, whatever the order: what has been written by those that it needs, and is read by
// those that need it.
static double always_alive(const Least *z, uint32_t kernel, Arena *a) {
    enum { BEFORE = 1, AFTER };
    const Kernels *k = &z->k;
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
            if (at != NO_ID) bytes += z->beside[k->written[w]];
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
    Least *z;
    Backwards backwards;
    Frugal *frugal;
    double limit; // a frugal order that needs more is not taken
} Planner;

// One of a region, after those inside. Gives how much memory it needs.
static double plan(Planner *p, RegionId r, int way) {
    Least *z = p->z;
    const Module *m = z->m;
    uint32_t from = z->k.from[r];
    for (uint32_t k = from; z->f->nested && k < from + z->k.count[r]; k++) {
        OpId op = z->k.op[k];
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++) {
            double in = plan(p, op_region(m, op, i), way);
            if (in > z->inside[way][op]) z->inside[way][op] = in;
        }
    }
    if (way == FRUGAL && !order_frugal(p->frugal, r, p->limit, z->order[FRUGAL] + from)) return INFINITY;
    if (way == SHARED_FIRST) {
        find_replacing(z, r);
        order_as_read(&p->backwards, r, z->order[AS_READ] + from); // which finds out what is shared
        order_shared_first(&p->backwards, r, z->order[SHARED_FIRST] + from);
    }
    return most_alive(z, r, way);
}

// Two orders are looked at only if one might be taken.
static int choose(Least *z, Arena *a) {
    const Module *m = z->m;
    Planner p = {z, backwards_new(m, &z->k, z->bytes, a), frugal_new(m, &z->k, z->bytes, z->beside, a), 0};
    double enough = CLEARLY * plan(&p, z->main, SHARED_FIRST);
    bool loop = runs_regions(op_kind(m, z->k.op[z->fullest])); // may need less inside in another order
    if (!loop && always_alive(z, z->fullest, a) > ROUNDED_UP * enough) return SHARED_FIRST;
    double as_read = plan(&p, z->main, AS_READ);
    p.limit = ROUNDED_UP * fmin(as_read, enough);
    double frugal = plan(&p, z->main, FRUGAL);
    if (frugal < enough && frugal <= as_read) return FRUGAL;
    return as_read < enough ? AS_READ : SHARED_FIRST;
}

// Not where loops run: they take so long that nothing has to be found to run beside gathers.
static void gather_ahead(Least *z, RegionId r, Ahead *ahead, int way) {
    const Module *m = z->m;
    bool loops = false;
    for (OpId op = m->regions.at[r].first; z->f->nested && op != NO_ID; op = op_get(m, op)->next)
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++) {
            gather_ahead(z, op_region(m, op, i), ahead, way);
            loops = true;
        }
    if (!loops) order_ahead(ahead, r, z->order[way] + z->k.from[r]);
}

// ---- The program -----------------------------------------------------------------------------------------------------

static void run_region(Least *z, RegionId r, int way);

// The op, and before it what is computed in its kernel.
static void run(Least *z, OpId root, RegionId r, int way) {
    const Module *m = z->m;
    const Value *values = m->values.at;
    Order *out = z->out;
    const uint8_t *made = z->k.made;
    bool nested = z->f->nested, inside = r != z->main;
    uint32_t *of_op = z->k.of_op, kernel = of_op[root] == NO_ID ? 0 : of_op[root];
    OpId *top = z->asked;
    of_op[root] = NO_ID;
    for (*top++ = root; top > z->asked;) {
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
            for (uint32_t i = 0; i < o->n_regions; i++) run_region(z, op_region(m, op, i), way);
        }
        order_add(out, op);
    }
}

// What nobody needs. Outside of loops it is known whether there is something left beside the end.
static void run_left(Least *z, RegionId r, int way) {
    const Module *m = z->m;
    OpId end = region_terminator(m, r);
    if (!z->f->nested && z->out->n + 1 == z->n_ops) return;
    for (OpId op = m->regions.at[r].first; op != end; op = op_get(m, op)->next)
        if (z->out->position[op] == NO_ID) run(z, op, r, way);
}

static void run_region(Least *z, RegionId r, int way) {
    const Module *m = z->m;
    const Kernels *k = &z->k;
    const uint32_t *order = z->order[way] + k->from[r];
    OpId end = region_terminator(m, r);
    for (uint32_t p = 0; p < k->count[r]; p++) {
        OpId op = k->op[order[p]];
        if (op == end) run_left(z, r, way);
        do run(z, op, r, way);
        while ((op = z->ring[op]) != NO_ID && op != k->op[order[p]]);
    }
}

Order order_least(const Module *m, const Written *written, const Fusion *f, const Compiler *compiler,
                  const Beside *beside, Arena *a) {
    Order out = order_new(m, a);
    Least z = {.m = m,
               .f = f,
               .main = op_region(m, module_main(m), 0),
               .ring = memset(arena_new(a, OpId, m->ops.n), 0xff, m->ops.n * sizeof *z.ring),
               .bytes = arena_new(a, double, m->values.n),
               .replaces = arena_zalloc(a, m->values.n),
               .beside = arena_new(a, double, m->values.n),
               .alive = memset(arena_alloc(a, m->values.n), WAYS, m->values.n),
               .out = &out,
               .asked = arena_new(a, OpId, m->ops.n + m->operands.n),
               .n_ops = written->n};
    find_together(m, written, OP_partir_all_reduce, compiler->sums_together, z.ring, a);
    OpId *after = compiler->updates_gather ? find_updates(m, written, f, z.ring, a) : NULL;
    z.k = find_kernels(m, written, f, z.ring, find_siblings(m, written, f, z.ring, after, a), a);
    for (uint32_t i = 0; i < z.k.first_written[z.k.n]; i++) {
        ValueId v = z.k.written[i];
        z.bytes[v] = z.beside[v] = f->place[v] == PLACE_BUFFER ? kept_bytes(m, f, v) : 0;
    }
    for (int way = 0; way < WAYS; way++) {
        z.order[way] = arena_new(a, uint32_t, z.k.n);
        if (f->nested) z.inside[way] = arena_zalloc(a, m->ops.n * sizeof *z.inside[way]);
    }
    int way = choose(&z, a);
    if (beside) gather_ahead(&z, z.main, ahead_new(m, &z.k, beside, z.bytes, a), way);
    run_region(&z, z.main, way);
    return out;
}
