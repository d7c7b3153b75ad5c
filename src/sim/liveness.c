// Liveness: a walk backwards finds the last use of each value, one forwards gives buffers, and a sum over time finds the peak.
//
// Time runs in half steps: an op at position p reads at 2p, and what it writes is there from 2p on; from 2p + 1 if it may overwrite an operand of
// the same size that is not needed any more.
#include "sim/liveness.h"
#include "sim/cost.h"
#include <stdlib.h>

typedef struct Alive {
    ValueId value;
    double bytes;
    uint32_t start, end; // half steps
    bool writable;       // not an argument that the caller keeps
} Alive;

typedef struct Liveness {
    const Module *m;
    const Order *order;
    const Fusion *f;
    Arena *a;
    uint32_t *last;     // by value: the position of its last use, through fused and aliased values
    uint32_t *buffer;   // by value: into `all`, or NO_ID
    uint32_t *home;     // by value: the buffer it is to end up in (a donated argument's, a carried value's), or NO_ID
    uint32_t *home_free; // by value: the position after which its home may be overwritten
    uint32_t *shared;   // by op: a buffer of which its kernel has the last, elementwise use, or NO_ID
    VEC(Alive) all;
} Liveness;

// ---- Backwards: last uses ---------------------------------------------------------------------------------------------------

static void use_at(Liveness *l, ValueId v, uint32_t position) {
    if (l->last[v] == NO_ID || l->last[v] < position) l->last[v] = position;
}

static void find_last_uses(Liveness *l) {
    const Module *m = l->m;
    for (uint32_t p = l->order->n; p-- > 0;) {
        OpId op = l->order->at[p];
        const Op *o = op_get(m, op);
        for (uint32_t i = 0; i < o->n_operands; i++) {
            ValueId v = op_operand(m, op, i);
            OpId holder = op_within(m, op, value_region(m, v)); // a loop runs again and again: what it captures lives to its end
            if (holder == NO_ID) continue;
            use_at(l, v, l->order->position[holder]);
            if (holder != op) continue;
            for (uint32_t k = 0; k < o->n_results; k++) {
                Place place = (Place)l->f->place[op_result(m, op, k)];
                if ((place == PLACE_FUSED || (place == PLACE_ALIAS && i == k)) && l->last[op_result(m, op, k)] != NO_ID) use_at(l, v, l->last[op_result(m, op, k)]);
            }
        }
    }
}

// ---- Forwards: buffers ---------------------------------------------------------------------------------------------------------

static uint32_t new_buffer(Liveness *l, ValueId v, uint32_t start, uint32_t end) {
    vec_push(l->a, &l->all, ((Alive){v, value_bytes(l->m, v), start, end, true}));
    return l->all.n - 1;
}

static void extend(Liveness *l, uint32_t buffer, uint32_t position) {
    if (l->all.at[buffer].end < 2 * position) l->all.at[buffer].end = 2 * position;
}

static uint32_t last_use(const Liveness *l, ValueId v, uint32_t position) { return l->last[v] == NO_ID ? position : l->last[v]; }

static void give(Liveness *l, ValueId v, uint32_t buffer, uint32_t position) {
    l->buffer[v] = buffer;
    extend(l, buffer, last_use(l, v, position));
}

// The result may take over the buffer of an operand, which nobody reads later.
static bool takes_over(const Liveness *l, ValueId v, uint32_t position) {
    return l->buffer[v] != NO_ID && l->last[v] == position && l->all.at[l->buffer[v]].writable;
}

static bool updates_in_place(OpKind k) { return k == OP_dynamic_update_slice || k == OP_scatter; }

static void place_result(Liveness *l, OpId op, uint32_t index, uint32_t position) {
    const Module *m = l->m;
    ValueId v = op_result(m, op, index);
    Place place = (Place)l->f->place[v];
    if (place == PLACE_FUSED) return;
    if (place == PLACE_ALIAS && l->buffer[op_operand(m, op, index)] != NO_ID) {
        give(l, v, l->buffer[op_operand(m, op, index)], position);
        return;
    }
    bool in_place = false;
    if (updates_in_place(op_kind(m, op)) && takes_over(l, op_operand(m, op, index), position)) {
        give(l, v, l->buffer[op_operand(m, op, index)], position);
        return;
    }
    uint32_t shared = l->shared[op];
    if (shared != NO_ID && l->all.at[shared].bytes == value_bytes(m, v)) in_place = true;
    uint32_t home = l->home[v];
    if (home != NO_ID && (l->home_free[v] < position || (l->home_free[v] == position && (in_place || updates_in_place(op_kind(m, op)))))) {
        give(l, v, home, position);
        return;
    }
    give(l, v, new_buffer(l, v, 2 * position + in_place, 2 * position + in_place), position);
}

// Remembers buffers that a kernel reads element by element for the last time.
static void note_reads(Liveness *l, OpId op) {
    const Module *m = l->m;
    OpId kernel = l->f->kernel[op];
    uint32_t position = l->order->position[kernel];
    if (!op_is_elementwise(op_kind(m, op))) return;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        ValueId v = op_operand(m, op, i);
        if (takes_over(l, v, position)) l->shared[kernel] = l->buffer[v];
    }
}

static void walk_region(Liveness *l, RegionId r);

static void set_home(Liveness *l, ValueId v, RegionId r, uint32_t buffer, uint32_t free_after) {
    const Value *val = &l->m->values.at[v];
    if (val->is_arg || op_get(l->m, val->owner)->parent != r || l->home[v] != NO_ID) return;
    l->home[v] = buffer;
    l->home_free[v] = free_after;
}

// Each carried value has one buffer for the initial value, the arguments of both regions and the result; a copy is made if somebody else still
// needs the initial value.
static void walk_while(Liveness *l, OpId op) {
    const Module *m = l->m;
    uint32_t position = l->order->position[op], first = l->order->first[op];
    RegionId cond = op_region(m, op, 0), body = op_region(m, op, 1);
    OpId next = region_terminator(m, body);
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        ValueId init = op_operand(m, op, i), arg = m->regions.at[body].first_arg + i, out = op_operand(m, next, i);
        bool unchanged = out == arg, mine = l->buffer[init] != NO_ID && (unchanged || takes_over(l, init, position));
        for (uint32_t k = 0; k < i && mine && !unchanged; k++) mine = op_operand(m, op, k) != init;
        uint32_t b = mine ? l->buffer[init] : new_buffer(l, init, 2 * first, 2 * position);
        extend(l, b, position);
        l->buffer[arg] = l->buffer[m->regions.at[cond].first_arg + i] = b;
        if (!unchanged) set_home(l, out, body, b, l->last[arg] == NO_ID ? 0 : l->last[arg]);
        give(l, op_result(m, op, i), b, position);
    }
    walk_region(l, cond);
    walk_region(l, body);
}

static void walk_branches(Liveness *l, OpId op) {
    const Module *m = l->m;
    uint32_t position = l->order->position[op], first = l->order->first[op];
    for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) give(l, op_result(m, op, i), new_buffer(l, op_result(m, op, i), 2 * first, 2 * position), position);
    for (uint32_t r = 0; r < op_get(m, op)->n_regions; r++) {
        RegionId region = op_region(m, op, r);
        OpId ret = region_terminator(m, region);
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) set_home(l, op_operand(m, ret, i), region, l->buffer[op_result(m, op, i)], 0);
        walk_region(l, region);
    }
}

static void walk_region(Liveness *l, RegionId r) {
    const Module *m = l->m;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        OpKind kind = op_kind(m, op);
        if (kind == OP_while) {
            walk_while(l, op);
        } else if (runs_regions(kind)) {
            walk_branches(l, op);
        } else {
            note_reads(l, op);
            for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) place_result(l, op, i, l->order->position[op]);
        }
    }
}

// ---- Arguments and results of @main --------------------------------------------------------------------------------------------

// The result that an argument was donated for: -1 none, -2 any of its size.
static int64_t donated_to(const Module *m, const Attr *all, uint32_t index) {
    if (!all || index >= all->n) return -1;
    const Attr *a = attr_get(m, all->items[index]);
    for (uint32_t i = 0; a->kind == ATTR_DICT && i < a->n; i++) {
        Span name = name_get(m, a->entries[i].name);
        if (span_is(name, "tf.aliasing_output")) return attr_get(m, a->entries[i].value)->i;
        if (span_is(name, "jax.buffer_donor")) return -2;
    }
    return -1;
}

static void place_arguments(Liveness *l, RegionId body) {
    const Module *m = l->m;
    AttrId attrs = op_attr(m, module_main(m), A_arg_attrs);
    const Attr *all = attrs == NO_ID ? NULL : attr_get(m, attrs);
    OpId ret = region_terminator(m, body);
    for (uint32_t i = 0; i < m->regions.at[body].n_args; i++) {
        ValueId arg = m->regions.at[body].first_arg + i;
        uint32_t b = l->buffer[arg] = new_buffer(l, arg, 0, 2 * l->order->n);
        int64_t to = donated_to(m, all, i);
        l->all.at[b].writable = to != -1;
        uint32_t free_after = l->last[arg] == NO_ID ? 0 : l->last[arg];
        if (to >= 0 && to < op_get(m, ret)->n_operands) set_home(l, op_operand(m, ret, (uint32_t)to), body, b, free_after);
        for (uint32_t k = 0; to == -2 && k < op_get(m, ret)->n_operands; k++) {
            ValueId out = op_operand(m, ret, k);
            if (value_type(m, out) != value_type(m, arg) || l->home[out] != NO_ID) continue;
            set_home(l, out, body, b, free_after);
            break;
        }
    }
}

// A result needs a buffer of its own: constants are written, and arguments that the caller keeps are copied.
static void place_results(Liveness *l, RegionId body) {
    const Module *m = l->m;
    OpId ret = region_terminator(m, body);
    uint8_t *returned = arena_zalloc(l->a, l->all.n + 1);
    uint32_t n = l->all.n;
    for (uint32_t i = 0; i < op_get(m, ret)->n_operands; i++) {
        ValueId v = op_operand(m, ret, i);
        uint32_t b = l->buffer[v];
        bool own = b != NO_ID && b < n && l->all.at[b].writable && !returned[b];
        if (own) returned[b] = 1;
        else new_buffer(l, v, 2 * l->order->position[ret], 2 * l->order->n);
    }
}

// ---- The peak --------------------------------------------------------------------------------------------------------------------

static int larger_first(const void *a, const void *b) {
    const Resident *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static MemoryUse find_peak(Liveness *l, RegionId body) {
    uint32_t n = 2 * l->order->n + 2;
    double *change = arena_zalloc(l->a, (n + 1) * sizeof *change), *over_time = arena_new(l->a, double, l->order->n + 1);
    MemoryUse out = {.peak_op = NO_ID, .n_steps = l->order->n, .over_time = over_time};
    uint32_t n_args = l->m->regions.at[body].n_args, when = 0;
    for (uint32_t i = 0; i < l->all.n; i++) {
        change[l->all.at[i].start] += l->all.at[i].bytes;
        change[l->all.at[i].end + 1] -= l->all.at[i].bytes;
        if (i < n_args) out.arguments += l->all.at[i].bytes;
    }
    double now = 0;
    for (uint32_t t = 0; t < n; t++) {
        now += change[t];
        if (now > out.peak) out.peak = now, when = t;
        if (t / 2 < l->order->n) over_time[t / 2] = t % 2 && over_time[t / 2] > now ? over_time[t / 2] : now;
    }
    if (when / 2 < l->order->n) out.peak_op = l->order->at[when / 2];
    Resident *residents = arena_new(l->a, Resident, l->all.n);
    for (uint32_t i = 0; i < l->all.n; i++)
        if (l->all.at[i].start <= when && when <= l->all.at[i].end && l->all.at[i].bytes > 0) residents[out.n_residents++] = (Resident){l->all.at[i].value, l->all.at[i].bytes};
    qsort(residents, out.n_residents, sizeof *residents, larger_first);
    out.residents = residents;
    return out;
}

MemoryUse liveness(const Module *m, const Order *order, const Fusion *f, Arena *a) {
    size_t by_value = m->values.n * sizeof(uint32_t), by_op = m->ops.n * sizeof(uint32_t);
    Liveness l = {.m = m, .order = order, .f = f, .a = a, .last = arena_alloc(a, by_value), .buffer = arena_alloc(a, by_value), .home = arena_alloc(a, by_value), .home_free = arena_alloc(a, by_value), .shared = arena_alloc(a, by_op)};
    memset(l.last, 0xff, by_value);
    memset(l.buffer, 0xff, by_value);
    memset(l.home, 0xff, by_value);
    memset(l.shared, 0xff, by_op);
    RegionId body = op_region(m, module_main(m), 0);
    find_last_uses(&l);
    place_arguments(&l, body);
    walk_region(&l, body);
    place_results(&l, body);
    return find_peak(&l, body);
}
