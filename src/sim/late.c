// Late: one walk backwards finds what no product needs any more, one forwards runs the rest as written, and at the end of
// each region its results are asked for.
#include "sim/late.h"
#include "sim/accumulate.h"
#include "sim/cost.h"
#include "sim/sums.h"
#include "sim/updated.h"

typedef struct Late {
    const Module *m;
    Order *out;
    const Fusion *f;
    bool gathers_ahead;
    uint8_t *last;  // by op: no product needs it any more
    uint8_t *waits; // by op: whether it, or something that it is made of, runs only when a result is asked for
    OpId *ring;     // by op: of those that run together (sums, a gather and an update), the next; NO_ID for all else
    OpId *sibling;  // by value: a kernel that reads it and waits, though all that it reads is there, or NO_ID
    uint32_t n_siblings;
    OpId *asked; // ops that somebody waits for, a stack
    uint32_t n_asked;
} Late;

static bool is_product(OpKind k) { return k == OP_dot_general || k == OP_convolution || runs_regions(k); }

static void find_last(Late *z, const Written *written, const Users *u) {
    const Module *m = z->m;
    for (uint32_t p = written->n; p-- > 0;) {
        OpId op = written->at[p];
        uint8_t last = 1;
        for (uint32_t i = 0; last && i < op_get(m, op)->n_results; i++) {
            ValueId v = op_result(m, op, i);
            for (uint32_t k = u->first[v]; last && k < u->first[v + 1]; k++)
                last = z->last[u->op[k]] && !is_product(op_kind(m, u->op[k]));
        }
        z->last[op] = last;
    }
}

static void run_region(Late *z, RegionId r);

static void add(Late *z, OpId op, RegionId r, OpId *tail) {
    order_begin(z->out, op);
    if (runs_regions(op_kind(z->m, op)))
        for (uint32_t i = 0; i < op_get(z->m, op)->n_regions; i++) run_region(z, op_region(z->m, op, i));
    order_add(z->out, r, tail, op);
}

static void ask_for(Late *z, ValueId v, RegionId r) {
    const Value *val = &z->m->values.at[v];
    if (val->is_arg || z->out->position[val->owner] != NO_ID || op_get(z->m, val->owner)->parent != r) return;
    z->asked[z->n_asked++] = val->owner;
}

// Asks for all that the op needs, and those that run together with it. False if there was nothing to ask for.
static bool ask_for_operands(Late *z, OpId op, RegionId r) {
    uint32_t before = z->n_asked;
    OpId one = op;
    do
        for (uint32_t i = 0; i < op_get(z->m, one)->n_operands; i++) ask_for(z, op_operand(z->m, one, i), r);
    while ((one = z->ring[one]) != NO_ID && one != op);
    return z->n_asked > before;
}

static void run(Late *z, OpId op, RegionId r, OpId *tail) {
    OpId one = op;
    do
        if (z->out->position[one] == NO_ID) add(z, one, r, tail);
    while ((one = z->ring[one]) != NO_ID && one != op);
}

// The op, and before it what it needs and waits.
static void run_with_operands(Late *z, OpId op, RegionId r, OpId *tail) {
    uint32_t bottom = z->n_asked;
    for (z->asked[z->n_asked++] = op; z->n_asked > bottom;) {
        op = z->asked[z->n_asked - 1];
        bool waits = z->out->position[op] == NO_ID;
        if (waits && ask_for_operands(z, op, r)) continue;
        z->n_asked--;
        if (waits) run(z, op, r, tail);
    }
}

#define MAX_OPEN 64 // values that a product computes on the way

// A product that is smaller than what would be kept for it, or needs no memory of its own.
static bool frees_more(const Late *z, OpId op) {
    const Module *m = z->m;
    if (z->f->summed && z->f->summed[op] == SUMS) return true;
    if (op_kind(m, op) != OP_dot_general && op_kind(m, op) != OP_convolution) return false;
    OpId open[MAX_OPEN];
    open[0] = op;
    double kept = 0;
    for (uint32_t n = 1, k = 0; k < n; k++)
        for (uint32_t i = 0; i < op_get(m, open[k])->n_operands; i++) {
            ValueId v = op_operand(m, open[k], i);
            if (m->values.at[v].is_arg) continue;
            if (z->f->place[v] == PLACE_BUFFER)
                kept += value_bytes(m, v);
            else if (n < MAX_OPEN)
                open[n++] = m->values.at[v].owner;
        }
    return kept > value_bytes(m, op_result(m, op, 0));
}

enum { RUNS, WAITS_ALONE, WAITS };

// A reduction is part of the kernel that makes what it reads, so it waits only if that does. What is fused does not wait
// on its own account.
static uint8_t waits(const Late *z, OpId op) {
    const Module *m = z->m;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        const Value *val = &m->values.at[op_operand(m, op, i)];
        if (!val->is_arg && z->waits[val->owner]) return WAITS;
    }
    bool alone = z->last[op] && z->f->kernel[op] == op && op_kind(m, op) != OP_reduce && !frees_more(z, op);
    return alone ? WAITS_ALONE : RUNS;
}

// The tensors in memory of which a kernel's result is made, element by element. Gives how many there are, at most
// MAX_OPEN.
static uint32_t find_read(const Late *z, OpId kernel, ValueId *read) {
    const Module *m = z->m;
    OpId open[MAX_OPEN];
    open[0] = kernel;
    uint32_t n_read = 0;
    for (uint32_t n = 1, k = 0; k < n; k++) {
        if (k && !op_is_elementwise(op_kind(m, open[k]))) continue;
        for (uint32_t i = 0; i < op_get(m, open[k])->n_operands; i++) {
            ValueId v = op_operand(m, open[k], i);
            if (z->f->place[v] != PLACE_FUSED || m->values.at[v].is_arg) {
                if (n_read < MAX_OPEN) read[n_read++] = v;
            } else if (n < MAX_OPEN) {
                open[n++] = m->values.at[v].owner;
            }
        }
    }
    return n_read;
}

static void note_sibling(Late *z, OpId op) {
    ValueId read[MAX_OPEN];
    if (!z->sibling || !op_is_elementwise(op_kind(z->m, op))) return;
    for (uint32_t n = find_read(z, op, read); n-- > 0; z->n_siblings++) z->sibling[read[n]] = op;
}

// Kernels that read the same tensor element by element are one, so that those which waited run now.
static void run_siblings(Late *z, OpId op, RegionId r, OpId *tail) {
    OpKind kind = op_kind(z->m, op);
    ValueId read[MAX_OPEN];
    if (!z->n_siblings || z->f->kernel[op] != op || !(op_is_elementwise(kind) || kind == OP_reduce)) return;
    for (uint32_t n = find_read(z, op, read); n-- > 0;) {
        OpId other = z->sibling[read[n]];
        if (other != NO_ID && op_get(z->m, other)->parent == r) run_with_operands(z, other, r, tail);
    }
}

static bool gathers(const Late *z, OpId op) {
    return op_kind(z->m, op) == OP_partir_all_gather && !(z->f->merged && z->f->merged[op] != NO_ID);
}

// Runs the next gather that is to come, if its operand is there. What lies before `next` has been looked at.
static OpId gather_ahead(Late *z, OpId next, RegionId r, OpId *tail) {
    const Module *m = z->m;
    while (next != NO_ID && (z->out->position[next] != NO_ID || !gathers(z, next) || z->last[next]))
        next = op_get(m, next)->next;
    if (next == NO_ID) return NO_ID;
    const Value *from = &m->values.at[op_operand(m, next, 0)];
    if (from->is_arg || z->out->position[from->owner] != NO_ID) run_with_operands(z, next, r, tail);
    return next;
}

// In their order. What a loop carries runs the other way round, so that what is first, as a loss is, comes after all else; but
// not where the loop holds others.
static void run_results(Late *z, OpId end, RegionId r, bool last_first, OpId *tail) {
    const Module *m = z->m;
    uint32_t n = op_get(m, end)->n_operands;
    for (uint32_t i = 0; i < n; i++) {
        const Value *val = &m->values.at[op_operand(m, end, last_first ? n - 1 - i : i)];
        bool here = !val->is_arg && op_get(m, val->owner)->parent == r;
        if (here) run_with_operands(z, val->owner, r, tail);
    }
    for (OpId op = m->regions.at[r].first; op != end; op = op_get(m, op)->next) // what nobody needs
        if (z->out->position[op] == NO_ID) run_with_operands(z, op, r, tail);
}

// Made of constants alone, as what a loop starts from: it runs when it is asked for.
static bool needs_nothing(const Module *m, OpId op) {
    OpKind kind = op_kind(m, op);
    if (kind != OP_broadcast_in_dim) return kind == OP_iota;
    const Value *val = &m->values.at[op_operand(m, op, 0)];
    return !val->is_arg && op_kind(m, val->owner) == OP_constant;
}

static void run_region(Late *z, RegionId r) {
    const Module *m = z->m;
    OpId tail = NO_ID, end = region_terminator(m, r), next = m->regions.at[r].first;
    bool last_first = op_kind(m, m->regions.at[r].parent) == OP_while;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        z->waits[op] = waits(z, op);
        if (runs_regions(op_kind(m, op))) last_first = false;
        if (z->waits[op] == WAITS_ALONE) note_sibling(z, op);
        if (op != end && (z->waits[op] || z->f->kernel[op] != op || needs_nothing(m, op))) continue;
        if (op == end) run_results(z, end, r, last_first, &tail);
        run_with_operands(z, op, r, &tail);
        run_siblings(z, op, r, &tail);
        if (z->gathers_ahead && gathers(z, op)) next = gather_ahead(z, next, r, &tail);
    }
}

Order order_late(const Module *m, const Written *written, const Fusion *f, Users u, const Compiler *compiler,
                 Arena *a) {
    Order out = order_new(m, a);
    Late z = {.m = m,
              .out = &out,
              .f = f,
              .gathers_ahead = compiler->gathers_ahead,
              .last = arena_zalloc(a, m->ops.n),
              .waits = arena_zalloc(a, m->ops.n),
              .ring = arena_new(a, OpId, m->ops.n),
              .asked = arena_new(a, OpId, m->ops.n + m->operands.n)};
    memset(z.ring, 0xff, m->ops.n * sizeof *z.ring);
    find_together(m, written, OP_partir_all_reduce, compiler->sums_together, z.ring, a);
    find_last(&z, written, &u);
    if (compiler->siblings_fused) {
        z.sibling = arena_new(a, OpId, m->values.n);
        memset(z.sibling, 0xff, m->values.n * sizeof *z.sibling);
    }
    if (compiler->updates_gather) find_updates(m, written, f, z.ring, a);
    run_region(&z, op_region(m, module_main(m), 0));
    return out;
}
