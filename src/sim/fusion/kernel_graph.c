// Kernels: from each of them, a walk backwards through what it computes on the way, up to what lies in memory.
#include "sim/fusion/kernel_graph.h"

typedef struct Range {
    uint32_t from, to;
} Range;

// What a kernel that needs a value finds.
enum { ARGUMENT, IN_MEMORY, IN_MEMORY_AGAIN, ELSEWHERE, ON_THE_WAY, NOTHING };

typedef struct Met {
    uint32_t seen; // one more than the kernel for which it was met last
    ValueId
        in; // the value whose memory it is in, if elsewhere; NO_ID if all that matters is a barrier before it. If it is
            // computed on the way, the one value that it is made of, or NO_ID
    OpId
        made_by; // the op to go on with where it is computed on the way: its own, or the first before it of which there
                 // is more than one way to go
    uint8_t kind;
    uint8_t barrier; // there is one between it and the value whose memory it is in
    uint8_t once;    // one op alone uses it, and what it is in
} Met;

typedef struct Operands {
    const ValueId *at;
    const uint8_t *taken; // as Fusion.taken
    uint32_t n;
} Operands;

typedef struct Finder {
    const Module *m;
    const Fusion *f;
    const OpId *ring, *after;
    RegionId main; // where nothing is from outside
    Kernels *k;
    Met *met; // by value
    VEC(Read) read;
    VEC(ValueId) operands; // of a kernel of several ops, and whether each is taken
    VEC(uint8_t) taken;
    ValueId *open;  // computed on the way, and not looked at yet
    ValueId *found; // in memory, and needed by the kernel, or by a value that several compute on the way
    uint32_t n_found;
    // What many kernels compute on the way is walked through once, as soon as one of them computes much: by value, places in
    // `made_of`, which holds what it needs of its region; NULL before.
    Range *walked;
    VEC(ValueId) made_of;
    Arena *a;
} Finder;

#define MUCH 256 // ops that a kernel computes on the way

// ---- Which there are -------------------------------------------------------------------------------------------------

static bool is_kernel(const Finder *z, OpId op) {
    const Op *o = op_get(z->m, op);
    if (z->f->kernel[op] != op || o->kind == OP_constant || (z->f->merged && z->f->merged[op] != NO_ID)) return false;
    return o->n_results == 0 || o->kind == OP_optimization_barrier || z->f->place[o->first_result] != PLACE_ALIAS;
}

static void add_kernel(Finder *z, OpId op) {
    const Module *m = z->m;
    Kernels *k = z->k;
    uint32_t n = k->first_written[k->n];
    OpId one = op;
    do {
        const Op *o = op_get(m, one);
        k->of_op[one] = k->n;
        for (ValueId v = o->first_result, end = v + o->n_results; v < end; v++) k->written[n++] = v, k->made[v] = 1;
    } while ((one = z->ring[one]) != NO_ID && one != op);
    k->op[k->n++] = op;
    k->first_written[k->n] = n;
}

// ---- What values are -------------------------------------------------------------------------------------------------

static bool is_used_once(const Finder *z, ValueId v) { return z->f->users.first[v + 1] - z->f->users.first[v] == 1; }

static bool is_outside(const Finder *z, ValueId v, RegionId r) { return r != z->main && value_region(z->m, v) != r; }

// Has its memory from another value, `from`.
static void look_at_alias(Finder *z, OpId op, ValueId v, ValueId from) {
    const Met *y = &z->met[from];
    bool outside = is_outside(z, from, op_get(z->m, op)->parent); // not looked at yet
    bool barrier = op_kind(z->m, op) == OP_optimization_barrier || (!outside && y->barrier);
    ValueId in = outside || y->kind == NOTHING ? NO_ID : y->kind == ELSEWHERE ? y->in : from;
    z->met[v] = (Met){.in = in,
                      .made_by = op,
                      .kind = in != NO_ID || barrier ? ELSEWHERE : NOTHING,
                      .barrier = barrier,
                      .once = !outside && y->once && is_used_once(z, v)};
}

// Chains in which each is made of the one before alone, and constants, are passed over at once: as nobody else uses what is
// between, nothing is met in another order.
static void look_at_fused(Finder *z, OpId op, ValueId v) {
    const Op *o = op_get(z->m, op);
    const ValueId *operands = op_operands(z->m, op);
    const Met *met = z->met, *y = NULL;
    bool inside = o->parent != z->main;
    uint32_t ways = 0;
    for (const ValueId *at = operands, *end = at + o->n_operands; at < end; at++)
        if (!(inside && is_outside(z, *at, o->parent)) && met[*at].kind != NOTHING) y = &met[*at], ways++;
    bool chain = ways == 1 && y->once && !y->barrier;
    if (chain && y->kind == ELSEWHERE) y = &z->met[y->in];
    bool passed = chain && y->kind == ON_THE_WAY, one = ways == 1 && y->kind != IN_MEMORY_AGAIN;
    z->met[v] = (Met){.in = passed ? y->in
                            : one  ? (ValueId)(y - met)
                                   : NO_ID,
                      .made_by = passed ? y->made_by : op,
                      .kind = ways ? ON_THE_WAY : NOTHING,
                      .once = is_used_once(z, v)};
}

static void look_at_value(Finder *z, OpId op, uint32_t result) {
    const Op *o = op_get(z->m, op);
    ValueId v = o->first_result + result;
    Place place = (Place)z->f->place[v];
    if (place == PLACE_ALIAS)
        look_at_alias(z, op, v, op_operand(z->m, op, result));
    else if (place == PLACE_FUSED || o->kind == OP_constant)
        look_at_fused(z, op, v);
    else
        z->met[v] = (Met){.in = NO_ID, .made_by = op, .kind = z->f->again[v] ? IN_MEMORY_AGAIN : IN_MEMORY};
}

static void look_at_results(Finder *z, OpId op) {
    const Module *m = z->m;
    OpId same = z->f->merged ? z->f->merged[op] : NO_ID;
    if (same != NO_ID) {
        ValueId v = op_result(m, op, 0);
        look_at_alias(z, op, v, op_result(m, same, 0));
        z->met[v].once = 0;
        return;
    }
    for (uint32_t i = 0, n = op_get(m, op)->n_results; i < n; i++) look_at_value(z, op, i);
}

static void look_at_region(Finder *z, RegionId r) {
    const Module *m = z->m;
    Kernels *k = z->k;
    for (OpId op = m->regions.at[r].first; z->f->nested && op != NO_ID; op = op_get(m, op)->next)
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++)
            look_at_region(z, op_region(m, op, i));
    k->from[r] = k->n;
    for (ValueId v = m->regions.at[r].first_arg, end = v + m->regions.at[r].n_args; v < end; v++)
        z->met[v] = (Met){.kind = ARGUMENT}, k->made[v] = 1;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        if (k->of_op[op] == NO_ID && is_kernel(z, op)) add_kernel(z, op);
        look_at_results(z, op);
    }
    k->count[r] = k->n - k->from[r];
}

// ---- What they read --------------------------------------------------------------------------------------------------

// Whoever it is for, a kernel or a value that several compute on the way, needs what is of its region.
typedef struct Need {
    uint32_t mark; // in Met.seen
    RegionId r;
} Need;

// Who reads what is behind a barrier waits for that too.
static void meet_barriers(Finder *z, Need to, ValueId v) {
    const Module *m = z->m;
    while (z->met[v].barrier && !is_outside(z, v, to.r)) {
        OpId op = m->values.at[v].owner, same = z->f->merged ? z->f->merged[op] : NO_ID;
        if (op_kind(m, op) == OP_optimization_barrier && z->met[v].seen != to.mark) {
            z->met[v].seen = to.mark;
            z->found[z->n_found++] = v;
        }
        v = same != NO_ID ? op_result(m, same, 0) : op_operand(m, op, m->values.at[v].index);
    }
}

// False if it has not been walked through before.
static bool meet_walked(Finder *z, Need to, ValueId v) {
    Range known = z->walked[v];
    Met *met = z->met;
    ValueId *found = z->found + z->n_found;
    for (const ValueId *at = z->made_of.at + known.from, *end = z->made_of.at + known.to; at < end; at++) {
        if (met[*at].seen == to.mark) continue;
        met[*at].seen = to.mark;
        *found++ = *at;
    }
    z->n_found = (uint32_t)(found - z->found);
    return known.to;
}

static Operands operands_of(const Finder *z, OpId op) {
    const Op *o = op_get(z->m, op);
    return (Operands){z->m->operands.at + o->first_operand, z->f->taken + o->first_operand, o->n_operands};
}

// What these are in memory as, another value that is waited for, or NO_ID, and then what is needed for all that is computed
// on the way: gives how much that is.
static uint32_t meet(Finder *z, Need to, Operands of, ValueId other) {
    Met *met = z->met;
    ValueId *open = z->open;
    bool inside = to.r != z->main;
    z->n_found = 0;
    for (uint32_t n_open = 0, n = 0;; n++) {
        for (const ValueId *at = of.at, *end = at + of.n; at < end; at++) {
            ValueId v = *at;
            Met *x = &met[v];
            if (x->kind == NOTHING || (inside && is_outside(z, v, to.r))) continue;
            bool on_the_way = x->kind == ON_THE_WAY || (x->kind == IN_MEMORY_AGAIN && of.taken[at - of.at]);
            if (x->kind == ELSEWHERE) {
                if (x->barrier) meet_barriers(z, to, v);
                if (x->in == NO_ID) continue;
                v = x->in;
                x = &met[v];
                on_the_way = x->kind == ON_THE_WAY;
            }
            if (x->seen == to.mark) continue;
            x->seen = to.mark;
            if (on_the_way)
                open[n_open++] = v;
            else
                z->found[z->n_found++] = v;
        }
        if (other != NO_ID) z->found[z->n_found++] = other, other = NO_ID;
        if (z->walked)
            while (n_open && meet_walked(z, to, open[n_open - 1])) n_open--, n++;
        if (!n_open) return n;
        const Met *next = &met[open[--n_open]];
        of = next->in == NO_ID ? operands_of(z, next->made_by) : (Operands){&next->in, NULL, 1};
    }
}

static void walk_once(Finder *z, const Written *written) {
    const Module *m = z->m;
    Met *met = z->met;
    z->met = memcpy(arena_new(z->a, Met, m->values.n), met, m->values.n * sizeof *met);
    for (ValueId v = 0; v < m->values.n; v++) z->met[v].seen = 0;
    z->walked = arena_zalloc(z->a, m->values.n * sizeof *z->walked);
    vec_push(z->a, &z->made_of, NO_ID); // so that no range ends at 0
    for (uint32_t p = 0; p < written->n; p++) {
        const Op *o = op_get(m, written->at[p]);
        const Users *u = &z->f->users;
        ValueId v = o->first_result;
        if (o->n_results != 1 || u->first[v + 1] - u->first[v] < 2) continue;
        uint32_t from = z->made_of.n;
        meet(z, (Need){p + 1, o->parent}, operands_of(z, written->at[p]), NO_ID);
        memcpy(vec_extend(z->a, &z->made_of, z->n_found), z->found, z->n_found * sizeof *z->found);
        z->walked[v] = (Range){from, z->made_of.n};
    }
    z->met = met;
}

// What the op, and those inside, which may take something from around it, need of the region.
static void add_operands(Finder *z, OpId op, RegionId r) {
    const Module *m = z->m;
    Operands of = operands_of(z, op);
    for (uint32_t i = 0; i < of.n; i++) {
        if (value_region(m, of.at[i]) != r) continue;
        vec_push(z->a, &z->operands, of.at[i]);
        vec_push(z->a, &z->taken, of.taken[i]);
    }
    for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++)
        for (OpId in = m->regions.at[op_region(m, op, i)].first; in != NO_ID; in = op_get(m, in)->next)
            add_operands(z, in, r);
}

static Operands operands_of_kernel(Finder *z, OpId first) {
    OpId op = first;
    if (z->ring[op] == NO_ID && !runs_regions(op_kind(z->m, op))) return operands_of(z, op);
    z->operands.n = z->taken.n = 0;
    do add_operands(z, op, op_get(z->m, op)->parent);
    while ((op = z->ring[op]) != NO_ID && op != first);
    return (Operands){z->operands.at, z->taken.at, z->operands.n};
}

// A kernel of several ops does not read what it writes.
static void add_reads(Finder *z, uint32_t kernel) {
    const Value *values = z->m->values.at;
    Kernels *k = z->k;
    Read *to = vec_extend(z->a, &z->read, z->n_found);
    for (const ValueId *v = z->found, *end = v + z->n_found; v < end; v++) {
        uint32_t from = values[*v].is_arg ? NO_ID : k->of_op[values[*v].owner];
        if (from == kernel) continue;
        if (from != NO_ID) *to++ = (Read){*v, kernel, from, NO_ID};
        k->n_readers[*v]++;
    }
    z->read.n = (uint32_t)(to - z->read.at);
}

static void find_read(Finder *z, const Written *written) {
    const Module *m = z->m;
    Kernels *k = z->k;
    for (uint32_t i = 0; i < k->n; i++) {
        OpId op = k->op[i], after = z->after ? z->after[op] : NO_ID;
        ValueId other = after == NO_ID ? NO_ID : op_result(m, after, 0);
        k->first_read[i] = z->read.n;
        Need to = {i + 1, op_get(m, op)->parent};
        bool much = meet(z, to, operands_of_kernel(z, op), other) > MUCH;
        add_reads(z, i);
        if (much && !z->walked) walk_once(z, written);
    }
    k->first_read[k->n] = z->read.n;
    k->read = z->read.at;
}

// The last reader of an argument is the one that saw it last.
static void count_own_args(Finder *z) {
    const Module *m = z->m;
    Kernels *k = z->k;
    for (uint32_t i = 0; i < k->n; i++) {
        k->own_args[i] = 0;
        if (i + 1 < k->n && op_get(m, k->op[i])->parent == op_get(m, k->op[i + 1])->parent) continue;
        const Region *r = &m->regions.at[op_get(m, k->op[i])->parent];
        for (ValueId v = r->first_arg; v < r->first_arg + r->n_args; v++)
            if (k->n_readers[v] == 1) k->own_args[z->met[v].seen - 1]++;
    }
}

static void list_readers(Kernels *k, const Module *m, Arena *a) {
    k->first_reader = memset(arena_new(a, uint32_t, m->values.n), 0xff, m->values.n * sizeof *k->first_reader);
    for (uint32_t i = k->first_read[k->n]; i-- > 0;) {
        uint32_t *first = &k->first_reader[k->read[i].value];
        k->read[i].next = *first;
        *first = i;
    }
}

Kernels find_kernels(const Module *m, const Written *written, const Fusion *f, const OpId *ring, const OpId *after,
                     Arena *a) {
    Kernels k = {.op = arena_new(a, OpId, written->n),
                 .of_op = memset(arena_new(a, uint32_t, m->ops.n), 0xff, m->ops.n * sizeof *k.of_op),
                 .first_read = arena_new(a, uint32_t, written->n + 1),
                 .first_written = arena_new(a, uint32_t, written->n + 1),
                 .written = arena_new(a, ValueId, m->values.n),
                 .made = arena_zalloc(a, m->values.n),
                 .n_readers = arena_zalloc(a, m->values.n * sizeof *k.n_readers),
                 .own_args = arena_new(a, uint32_t, written->n),
                 .from = arena_new(a, uint32_t, m->regions.n),
                 .count = arena_new(a, uint32_t, m->regions.n)};
    Finder z = {.m = m,
                .f = f,
                .ring = ring,
                .after = after,
                .main = op_region(m, module_main(m), 0),
                .k = &k,
                .met = arena_new(a, Met, m->values.n),
                .open = arena_new(a, ValueId, m->values.n),
                .found = arena_new(a, ValueId, m->values.n + 1),
                .a = a};
    k.first_written[0] = 0;
    vec_reserve(a, &z.read, m->operands.n);
    look_at_region(&z, z.main);
    find_read(&z, written);
    count_own_args(&z);
    list_readers(&k, m, a);
    return k;
}
