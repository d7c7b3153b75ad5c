// Kernel graph: walks from each kernel's op back through the ops fused into it, until it reaches values in memory.
#include "sim/fusion/kernel_graph.h"

typedef struct Range {
    uint32_t from, to;
} Range;

// What a kernel that needs a value finds.
enum { ARGUMENT, IN_MEMORY, IN_MEMORY_DUPLICATED, ELSEWHERE, ON_THE_WAY, NOTHING };

typedef struct SeenValue {
    uint32_t seen; // one more than the last kernel that saw it
    ValueId
        in; // the value whose memory it is in, if elsewhere; NO_ID if all that matters is a barrier before it. If it is
            // computed on the way, the one value that it is made of, or NO_ID
    OpId
        made_by; // the op to go on with where it is computed on the way: its own, or the first before it of which there
                 // is more than one way to go
    uint8_t kind;
    uint8_t barrier; // there is one between it and the value whose memory it is in
    uint8_t once;    // one op alone uses it, and what it is in
} SeenValue;

typedef struct Operands {
    const ValueId *at;
    const uint8_t *fusible; // as Fusion.fusible
    uint32_t n;
} Operands;

typedef struct GraphBuilder {
    const Module *m;
    const Fusion *f;
    const OpId *ring;
    RegionId main; // where nothing is from outside
    KernelGraph *k;
    SeenValue *values; // by value
    VEC(Read) read;
    VEC(ValueId) operands; // of a kernel of several ops, and whether each is taken
    VEC(uint8_t) fusible;
    ValueId *open;  // computed on the way, and not looked at yet
    ValueId *found; // in memory, and needed by the kernel, or by a value that several compute on the way
    uint32_t n_found;
    // What many kernels compute on the way is walked through once, as soon as one of them computes much: by value, places in
    // `made_of`, which holds what it needs of its region; NULL before.
    Range *walked;
    VEC(ValueId) made_of;
    Arena *a;
} GraphBuilder;

#define MUCH 256 // ops that a kernel computes on the way

// ---- Which there are -------------------------------------------------------------------------------------------------

static bool is_kernel(const GraphBuilder *g, OpId op) {
    const Op *o = op_get(g->m, op);
    if (g->f->kernel[op] != op || o->kind == OP_constant || (g->f->merged && g->f->merged[op] != NO_ID)) return false;
    return o->n_results == 0 || o->kind == OP_optimization_barrier || g->f->place[o->first_result] != PLACE_ALIAS;
}

static void add_kernel(GraphBuilder *g, OpId op) {
    const Module *m = g->m;
    KernelGraph *k = g->k;
    uint32_t n = k->first_written[k->n];
    OpId one = op;
    do {
        const Op *o = op_get(m, one);
        k->of_op[one] = k->n;
        for (ValueId v = o->first_result, end = v + o->n_results; v < end; v++) k->written[n++] = v, k->made[v] = 1;
    } while ((one = g->ring[one]) != NO_ID && one != op);
    k->op[k->n++] = op;
    k->first_written[k->n] = n;
}

// ---- What values are -------------------------------------------------------------------------------------------------

static bool is_used_once(const GraphBuilder *g, ValueId v) { return count_users(&g->f->users, v) == 1; }

static bool is_outside(const GraphBuilder *g, ValueId v, RegionId r) {
    return r != g->main && value_region(g->m, v) != r;
}

// Has its memory from another value, `from`.
static void look_at_alias(GraphBuilder *g, OpId op, ValueId v, ValueId from) {
    const SeenValue *y = &g->values[from];
    bool outside = is_outside(g, from, op_get(g->m, op)->parent); // not looked at yet
    bool barrier = op_kind(g->m, op) == OP_optimization_barrier || (!outside && y->barrier);
    ValueId in = outside || y->kind == NOTHING ? NO_ID : y->kind == ELSEWHERE ? y->in : from;
    g->values[v] = (SeenValue){.in = in,
                      .made_by = op,
                      .kind = in != NO_ID || barrier ? ELSEWHERE : NOTHING,
                      .barrier = barrier,
                      .once = !outside && y->once && is_used_once(g, v)};
}

// Chains in which each is made of the one before alone, and constants, are passed over at once: as nobody else uses what is
// between, nothing is met in another order.
static void look_at_fused(GraphBuilder *g, OpId op, ValueId v) {
    const Op *o = op_get(g->m, op);
    const ValueId *operands = op_operands(g->m, op);
    const SeenValue *values = g->values, *y = NULL;
    bool inside = o->parent != g->main;
    uint32_t ways = 0;
    for (const ValueId *at = operands, *end = at + o->n_operands; at < end; at++)
        if (!(inside && is_outside(g, *at, o->parent)) && values[*at].kind != NOTHING) y = &values[*at], ways++;
    bool chain = ways == 1 && y->once && !y->barrier;
    if (chain && y->kind == ELSEWHERE) y = &g->values[y->in];
    bool passed = chain && y->kind == ON_THE_WAY, one = ways == 1 && y->kind != IN_MEMORY_DUPLICATED;
    g->values[v] = (SeenValue){.in = passed ? y->in
                            : one  ? (ValueId)(y - values)
                                   : NO_ID,
                      .made_by = passed ? y->made_by : op,
                      .kind = ways ? ON_THE_WAY : NOTHING,
                      .once = is_used_once(g, v)};
}

static void look_at_value(GraphBuilder *g, OpId op, uint32_t result) {
    const Op *o = op_get(g->m, op);
    ValueId v = o->first_result + result;
    Place place = (Place)g->f->place[v];
    if (place == PLACE_ALIAS)
        look_at_alias(g, op, v, op_operand(g->m, op, result));
    else if (place == PLACE_FUSED || o->kind == OP_constant)
        look_at_fused(g, op, v);
    else
        g->values[v] = (SeenValue){.in = NO_ID, .made_by = op, .kind = g->f->duplicated[v] ? IN_MEMORY_DUPLICATED : IN_MEMORY};
}

static void look_at_results(GraphBuilder *g, OpId op) {
    const Module *m = g->m;
    OpId same = g->f->merged ? g->f->merged[op] : NO_ID;
    if (same != NO_ID) {
        ValueId v = op_result(m, op, 0);
        look_at_alias(g, op, v, op_result(m, same, 0));
        g->values[v].once = 0;
        return;
    }
    for (uint32_t i = 0, n = op_get(m, op)->n_results; i < n; i++) look_at_value(g, op, i);
}

static void look_at_region(GraphBuilder *g, RegionId r) {
    const Module *m = g->m;
    KernelGraph *k = g->k;
    for (OpId op = m->regions.at[r].first; g->f->nested && op != NO_ID; op = op_get(m, op)->next)
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++)
            look_at_region(g, op_region(m, op, i));
    k->from[r] = k->n;
    for (ValueId v = m->regions.at[r].first_arg, end = v + m->regions.at[r].n_args; v < end; v++)
        g->values[v] = (SeenValue){.kind = ARGUMENT}, k->made[v] = 1;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        if (k->of_op[op] == NO_ID && is_kernel(g, op)) add_kernel(g, op);
        look_at_results(g, op);
    }
    k->count[r] = k->n - k->from[r];
}

// ---- What they read --------------------------------------------------------------------------------------------------

// Whoever it is for, a kernel or a value that several compute on the way, needs what is of its region.
typedef struct Need {
    uint32_t mark; // in SeenValue.seen
    RegionId r;
} Need;

// Who reads what is behind a barrier waits for that too, and so for the barriers before it.
static void collect_barriers(GraphBuilder *g, Need to, ValueId v) {
    const Module *m = g->m;
    while (g->values[v].barrier && !is_outside(g, v, to.r)) {
        OpId op = m->values.at[v].owner, same = g->f->merged ? g->f->merged[op] : NO_ID;
        if (op_kind(m, op) == OP_optimization_barrier) {
            if (g->values[v].seen != to.mark) g->found[g->n_found++] = v;
            g->values[v].seen = to.mark;
            return;
        }
        v = same != NO_ID ? op_result(m, same, 0) : op_operand(m, op, m->values.at[v].index);
    }
}

// False if it has not been walked through before.
static bool collect_walked(GraphBuilder *g, Need to, ValueId v) {
    Range known = g->walked[v];
    SeenValue *values = g->values;
    ValueId *found = g->found + g->n_found;
    for (const ValueId *at = g->made_of.at + known.from, *end = g->made_of.at + known.to; at < end; at++) {
        if (values[*at].seen == to.mark) continue;
        values[*at].seen = to.mark;
        *found++ = *at;
    }
    g->n_found = (uint32_t)(found - g->found);
    return known.to;
}

static Operands operands_of(const GraphBuilder *g, OpId op) {
    const Op *o = op_get(g->m, op);
    return (Operands){g->m->operands.at + o->first_operand, g->f->fusible + o->first_operand, o->n_operands};
}

// What these are in memory as, and then what is needed for all that is computed on the way: gives how much that is.
static uint32_t collect_reads(GraphBuilder *g, Need to, Operands of) {
    SeenValue *values = g->values;
    ValueId *open = g->open;
    bool inside = to.r != g->main;
    g->n_found = 0;
    for (uint32_t n_open = 0, n = 0;; n++) {
        for (const ValueId *at = of.at, *end = at + of.n; at < end; at++) {
            ValueId v = *at;
            SeenValue *x = &values[v];
            if (x->kind == NOTHING || (inside && is_outside(g, v, to.r))) continue;
            bool on_the_way = x->kind == ON_THE_WAY || (x->kind == IN_MEMORY_DUPLICATED && of.fusible[at - of.at]);
            if (x->kind == ELSEWHERE) {
                if (x->barrier) collect_barriers(g, to, v);
                if (x->in == NO_ID) continue;
                v = x->in;
                x = &values[v];
                on_the_way = x->kind == ON_THE_WAY;
            }
            if (x->seen == to.mark) continue;
            x->seen = to.mark;
            if (on_the_way)
                open[n_open++] = v;
            else
                g->found[g->n_found++] = v;
        }
        if (g->walked)
            while (n_open && collect_walked(g, to, open[n_open - 1])) n_open--, n++;
        if (!n_open) return n;
        const SeenValue *next = &values[open[--n_open]];
        of = next->in == NO_ID ? operands_of(g, next->made_by) : (Operands){&next->in, NULL, 1};
    }
}

static void walk_once(GraphBuilder *g, const ProgramOrder *written) {
    const Module *m = g->m;
    SeenValue *values = g->values;
    g->values = memcpy(arena_new(g->a, SeenValue, m->values.n), values, m->values.n * sizeof *values);
    for (ValueId v = 0; v < m->values.n; v++) g->values[v].seen = 0;
    g->walked = arena_zalloc(g->a, m->values.n * sizeof *g->walked);
    vec_push(g->a, &g->made_of, NO_ID); // so that no range ends at 0
    for (uint32_t p = 0; p < written->n; p++) {
        const Op *o = op_get(m, written->at[p]);
        ValueId v = o->first_result;
        if (o->n_results != 1 || count_users(&g->f->users, v) < 2) continue;
        uint32_t from = g->made_of.n;
        collect_reads(g, (Need){p + 1, o->parent}, operands_of(g, written->at[p]));
        memcpy(vec_extend(g->a, &g->made_of, g->n_found), g->found, g->n_found * sizeof *g->found);
        g->walked[v] = (Range){from, g->made_of.n};
    }
    g->values = values;
}

// What the op, and those inside, which may take something from around it, need of the region.
static void add_operands(GraphBuilder *g, OpId op, RegionId r) {
    const Module *m = g->m;
    Operands of = operands_of(g, op);
    for (uint32_t i = 0; i < of.n; i++) {
        if (value_region(m, of.at[i]) != r) continue;
        vec_push(g->a, &g->operands, of.at[i]);
        vec_push(g->a, &g->fusible, of.fusible[i]);
    }
    for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++)
        for (OpId in = m->regions.at[op_region(m, op, i)].first; in != NO_ID; in = op_get(m, in)->next)
            add_operands(g, in, r);
}

static Operands operands_of_kernel(GraphBuilder *g, OpId first) {
    OpId op = first;
    if (g->ring[op] == NO_ID && !runs_regions(op_kind(g->m, op))) return operands_of(g, op);
    g->operands.n = g->fusible.n = 0;
    do add_operands(g, op, op_get(g->m, op)->parent);
    while ((op = g->ring[op]) != NO_ID && op != first);
    return (Operands){g->operands.at, g->fusible.at, g->operands.n};
}

// A kernel of several ops does not read what it writes.
static void add_reads(GraphBuilder *g, uint32_t kernel) {
    const Value *values = g->m->values.at;
    KernelGraph *k = g->k;
    Read *to = vec_extend(g->a, &g->read, g->n_found);
    for (const ValueId *v = g->found, *end = v + g->n_found; v < end; v++) {
        uint32_t from = values[*v].is_arg ? NO_ID : k->of_op[values[*v].owner];
        if (from == kernel) continue;
        if (from != NO_ID) *to++ = (Read){*v, kernel, from, NO_ID};
        k->n_readers[*v]++;
    }
    g->read.n = (uint32_t)(to - g->read.at);
}

static void find_read(GraphBuilder *g, const ProgramOrder *written) {
    const Module *m = g->m;
    KernelGraph *k = g->k;
    for (uint32_t i = 0; i < k->n; i++) {
        OpId op = k->op[i];
        k->first_read[i] = g->read.n;
        Need to = {i + 1, op_get(m, op)->parent};
        bool much = collect_reads(g, to, operands_of_kernel(g, op)) > MUCH;
        add_reads(g, i);
        if (much && !g->walked) walk_once(g, written);
    }
    k->first_read[k->n] = g->read.n;
    k->read = g->read.at;
}

// The last reader of an argument is the one that saw it last.
static void count_own_args(GraphBuilder *g) {
    const Module *m = g->m;
    KernelGraph *k = g->k;
    for (uint32_t i = 0; i < k->n; i++) {
        k->own_args[i] = 0;
        if (i + 1 < k->n && op_get(m, k->op[i])->parent == op_get(m, k->op[i + 1])->parent) continue;
        const Region *r = &m->regions.at[op_get(m, k->op[i])->parent];
        for (ValueId v = r->first_arg; v < r->first_arg + r->n_args; v++)
            if (k->n_readers[v] == 1) k->own_args[g->values[v].seen - 1]++;
    }
}

static void list_readers(KernelGraph *k, const Module *m, Arena *a) {
    k->first_reader = memset(arena_new(a, uint32_t, m->values.n), 0xff, m->values.n * sizeof *k->first_reader);
    for (uint32_t i = k->first_read[k->n]; i-- > 0;) {
        uint32_t *first = &k->first_reader[k->read[i].value];
        k->read[i].next = *first;
        *first = i;
    }
}

KernelGraph kernel_graph_build(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *ring, Arena *a) {
    KernelGraph k = {.op = arena_new(a, OpId, written->n),
                     .of_op = memset(arena_new(a, uint32_t, m->ops.n), 0xff, m->ops.n * sizeof *k.of_op),
                     .first_read = arena_new(a, uint32_t, written->n + 1),
                     .first_written = arena_new(a, uint32_t, written->n + 1),
                     .written = arena_new(a, ValueId, m->values.n),
                     .made = arena_zalloc(a, m->values.n),
                     .n_readers = arena_zalloc(a, m->values.n * sizeof *k.n_readers),
                     .own_args = arena_new(a, uint32_t, written->n),
                     .from = arena_new(a, uint32_t, m->regions.n),
                     .count = arena_new(a, uint32_t, m->regions.n)};
    GraphBuilder g = {.m = m,
                      .f = f,
                      .ring = ring,
                      .main = op_region(m, module_main(m), 0),
                      .k = &k,
                      .values = arena_new(a, SeenValue, m->values.n),
                      .open = arena_new(a, ValueId, m->values.n),
                      .found = arena_new(a, ValueId, m->values.n),
                      .a = a};
    k.first_written[0] = 0;
    vec_reserve(a, &g.read, m->operands.n);
    look_at_region(&g, g.main);
    find_read(&g, written);
    count_own_args(&g);
    list_readers(&k, m, a);
    k.bytes = arena_new(a, double, m->values.n);
    for (uint32_t i = 0; i < k.first_written[k.n]; i++)
        k.bytes[k.written[i]] = f->place[k.written[i]] == PLACE_BUFFER ? kept_bytes(m, f, k.written[i]) : 0;
    return k;
}
