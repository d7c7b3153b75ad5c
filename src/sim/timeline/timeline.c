// Timeline: one walk over the schedule, region by region.
#include "sim/timeline/timeline.h"
#include "sim/cost/cost.h"

typedef struct Clock {
    const Module *m;
    const OpSchedule *order;
    const Fusion *f;
    const KernelCosts *costs;
    const MemoryUse *memory;
    Arena *a;
    double *ready;       // by value: when it is there
    double *touched;     // by value: all bytes that had been moved when it was read or written last; NULL without a cache
    double moved;        // bytes so far
    double compute_free; // when the kernels so far are done
    double *links_free;  // by axis of those whose links others share: when the collectives so far are done
    AxisId *links;       // by axis: those of a torus have links of their own, those on one switch wait for each other
    uint32_t *remat_at;    // by position: the first of the values that are rematerialized there, or NO_ID; NULL if none is
    uint32_t *next_remat;
    VEC(Slice) slices;
    VEC(LoopSpan) loops;
    Timeline out;
} Clock;

static double later(double a, double b) { return a > b ? a : b; }

// Appends a slice, of which the figures are for one run, and gives its end.
static double add_slice(Clock *c, OpId op, double start, double seconds, bool bound_by_memory) {
    const KernelCost *k = &c->costs->of[op];
    Slice s = {op,      start,           seconds * k->runs, k->runs, k->flops * k->runs, k->bytes * k->runs,
               k->axes, bound_by_memory};
    vec_push(c->a, &c->slices, s);
    const Op *o = op_get(c->m, op);
    for (uint32_t i = 0; i < o->n_results; i++) c->ready[o->first_result + i] = start + s.seconds;
    return start + s.seconds;
}

// ---- Collectives -----------------------------------------------------------------------------------------------------

// Nothing goes on over this point.
static void synchronize_links(Clock *c) {
    double before = c->compute_free;
    uint32_t n = c->costs->named.n_axes;
    for (uint32_t a = 0; a < n; a++) c->compute_free = later(c->compute_free, c->links_free[a]);
    c->out.exposed += c->compute_free - before;
}

static void start_collective(Clock *c, OpId op) {
    const KernelCost *k = &c->costs->of[op];
    uint32_t n = c->costs->named.n_axes;
    double start = later(c->compute_free, c->ready[op_operand(c->m, op, 0)]);
    for (uint32_t a = 0; a < n; a++)
        if (k->axes >> a & 1) start = later(start, c->links_free[c->links[a]]);
    double end = add_slice(c, op, start, k->seconds, false);
    for (uint32_t a = 0; a < n; a++)
        if (k->axes >> a & 1) c->links_free[c->links[a]] = end;
    if (c->touched)
        c->touched[op_result(c->m, op, 0)] = c->moved += kept_bytes(c->m, c->f, op_result(c->m, op, 0));
    if (c->costs->d->overlap >> k->collective & 1) return;
    double before = c->compute_free;
    c->compute_free = later(before, end);
    c->out.exposed += c->compute_free - before;
}

// ---- Kernels ---------------------------------------------------------------------------------------------------------

// What was touched a little while ago comes from the cache: the seconds that moving all takes.
static double cached_seconds(Clock *c, const KernelCost *k) {
    const Device *d = c->costs->d;
    double seconds = 0;
    for (uint32_t i = k->moves; i != NO_ID; i = c->costs->moves.at[i].next) {
        const KernelMove *move = &c->costs->moves.at[i];
        double since = move->is_result ? 0 : c->moved - c->touched[move->value];
        bool near = c->costs->turns * (since + move->bytes) <= (double)d->cache;
        c->touched[move->value] = c->moved += move->bytes;
        seconds += move->bytes / (near ? d->cache_bandwidth : d->bandwidth);
    }
    return seconds;
}

// From when all that it reads is there; gives when it starts.
static double clock_kernel(Clock *c, OpId op, double ready) {
    const KernelCost *k = &c->costs->of[op];
    double seconds = k->seconds, start = later(c->compute_free, ready);
    bool bound_by_memory = k->bound_by_memory;
    if (c->touched) {
        double memory = cached_seconds(c, k);
        bound_by_memory = memory > k->flop_seconds;
        seconds = c->costs->turns * (later(memory, k->flop_seconds) + k->strided_seconds + c->costs->d->overhead);
    }
    c->out.compute += seconds * k->runs;
    c->out.exposed += start - c->compute_free;
    c->compute_free = add_slice(c, op, start, seconds, bound_by_memory);
    return start;
}

// When all operands are there.
static double operands_ready(const Clock *c, const Op *o) {
    double ready = 0;
    const ValueId *v = c->m->operands.at + o->first_operand, *end = v + o->n_operands;
    for (; v < end; v++) ready = later(ready, c->ready[*v]);
    return ready;
}

// An alias was touched when what it stands for was; what is fused or constant is there when all that it is made of is.
static void pass_on(Clock *c, OpId op, const Op *o, double ready) {
    OpId same = c->f->merged ? c->f->merged[op] : NO_ID;
    if (same != NO_ID) ready = c->ready[op_result(c->m, same, 0)];
    for (uint32_t i = 0; i < o->n_results; i++) {
        c->ready[o->first_result + i] = ready;
        if (c->touched && i < o->n_operands && c->f->kernel[op] == op)
            c->touched[o->first_result + i] = c->touched[op_operand(c->m, op, i)];
    }
}

// Gives when it starts.
static double clock_op(Clock *c, OpId op) {
    const Op *o = op_get(c->m, op);
    CostKind kind = (CostKind)c->costs->of[op].kind;
    double now = c->compute_free, ready = c->costs->d->overlap ? operands_ready(c, o) : 0;
    if (kind == COST_KERNEL) return clock_kernel(c, op, ready);
    if (kind == COST_COLLECTIVE)
        start_collective(c, op);
    else
        pass_on(c, op, o, ready);
    return now;
}

static uint32_t run_region(Clock *c, RegionId r, uint32_t position);

static void run_inner_regions(Clock *c, OpId op) {
    const Op *o = op_get(c->m, op);
    uint32_t position = c->order->first[op], loop = c->loops.n;
    synchronize_links(c);
    vec_push(c->a, &c->loops, ((LoopSpan){.op = op, .start = c->compute_free, .first_slice = c->slices.n}));
    for (uint32_t i = 0; i < o->n_regions; i++) position = run_region(c, op_region(c->m, op, i), position);
    c->loops.at[loop].end = c->compute_free;
    c->loops.at[loop].end_slice = c->slices.n;
    for (uint32_t i = 0; i < o->n_results; i++) c->ready[o->first_result + i] = c->compute_free;
}

// Nothing overlaps the begin or the end of a region. Gives the position after its last op.
static uint32_t run_region(Clock *c, RegionId r, uint32_t position) {
    const Module *m = c->m;
    OpId last = region_terminator(m, r);
    for (;; position++) {
        OpId op = c->order->at[position];
        c->out.when[position] = c->compute_free; // ops of regions inside overwrite it
        if (op_get(m, op)->parent != r || c->order->position[op] != position) continue;
        for (uint32_t i = c->remat_at ? c->remat_at[position] : NO_ID; i != NO_ID; i = c->next_remat[i])
            clock_kernel(c, c->memory->rematerialized.ops[i], 0);
        if (c->f->nested && runs_regions(op_kind(m, op)))
            run_inner_regions(c, op);
        else
            c->out.when[position] = clock_op(c, op);
        if (op == last) break;
    }
    synchronize_links(c);
    return position + 1;
}

// A system that gives large blocks back at the end of a step makes them anew, page by page, in the next one.
static double page_fault_seconds(const KernelCosts *costs, const MemoryUse *use) {
    double made = use ? use->peak - use->arguments : 0;
    const Device *d = costs->d;
    return d->page_fault && made > (double)d->page_fault ? costs->turns * made / d->page_fault_bandwidth : 0;
}

bool memory_takes_time(const KernelCosts *costs, const MemoryUse *use) {
    return use->rematerialized.n || page_fault_seconds(costs, use) > 0;
}

// By the position at which each is read for the last time, which is when it is made once more.
static void find_rematerialized(Clock *c) {
    c->remat_at = memset(arena_new(c->a, uint32_t, c->order->n), 0xff, c->order->n * sizeof *c->remat_at);
    c->next_remat = arena_new(c->a, uint32_t, c->memory->rematerialized.n);
    for (uint32_t i = c->memory->rematerialized.n; i-- > 0;) {
        uint32_t *first = &c->remat_at[c->memory->rematerialized.at[i]];
        c->next_remat[i] = *first;
        *first = i;
    }
}

static void start_clock(Clock *c) {
    const Module *m = c->m;
    const KernelCosts *costs = c->costs;
    const Device *d = costs->d;
    uint32_t n_axes = costs->named.n_axes;
    c->out.when = arena_new(c->a, double, c->order->n + 1);
    c->ready = arena_zalloc(c->a, m->values.n * sizeof *c->ready);
    if (d->cache) c->touched = arena_zalloc(c->a, m->values.n * sizeof *c->touched);
    vec_reserve(c->a, &c->slices, c->order->n);
    c->links_free = arena_zalloc(c->a, n_axes * sizeof *c->links_free);
    c->links = arena_new(c->a, AxisId, n_axes);
    for (uint32_t i = 0; i < n_axes; i++) {
        uint32_t first = 0;
        while (first < i && !axes_share_a_switch(&costs->links[first], &costs->links[i])) first++;
        c->links[i] = first < i ? c->links[first] : (AxisId)i;
    }
    const Region *body = &m->regions.at[op_region(m, module_main(m), 0)];
    c->out.compute = page_fault_seconds(costs, c->memory);
    c->compute_free =
        d->step + d->step_buffer * (double)(body->n_args + op_get(m, body->last)->n_operands) + c->out.compute;
    // The step before moved all arguments.
    for (uint32_t i = 0; i < body->n_args; i++) c->moved += value_bytes(m, body->first_arg + i);
    if (c->memory && c->memory->rematerialized.n) find_rematerialized(c);
}

Timeline time_schedule(const Module *m, const OpSchedule *order, const Fusion *f, const KernelCosts *costs,
                       const MemoryUse *memory, Arena *a) {
    Clock c = {.m = m, .order = order, .f = f, .costs = costs, .memory = memory, .a = a};
    start_clock(&c);
    run_region(&c, op_region(m, module_main(m), 0), 0);
    c.out.when[order->n] = c.out.seconds = c.compute_free;
    c.out.slices = c.slices.at;
    c.out.n_slices = c.slices.n;
    c.out.loops = c.loops.at;
    c.out.n_loops = c.loops.n;
    return c.out;
}

// ---- Collectives under way -------------------------------------------------------------------------------------------

// The position before which the first kernel that reads a value waits for it.
static uint32_t waited_at(const OpSchedule *order, const Fusion *f, ValueId v) {
    uint32_t first = NO_ID;
    for (uint32_t k = f->users.first[v]; k < f->users.first[v + 1]; k++) {
        uint32_t at = order->position[f->kernel[f->users.op[k]]];
        if (at < first) first = at;
    }
    return first;
}

void hold_operands(const Module *m, const Fusion *f, const KernelCosts *costs, const Backend *backend, OpSchedule *order,
                   Arena *a) {
    for (uint32_t p = 0; p < order->n; p++) {
        const KernelCost *k = &costs->of[order->at[p]];
        if (k->kind != COST_COLLECTIVE || !(costs->d->overlap >> k->collective & 1)) continue;
        if (k->collective == COLLECTIVE_ALL_REDUCE && backend->all_reduces_in_place) continue;
        uint32_t waited = waited_at(order, f, op_result(m, order->at[p], 0));
        if (waited == NO_ID || waited <= p + 1) continue;
        if (!order->until)
            order->until = memset(arena_new(a, uint32_t, m->ops.n), 0xff, m->ops.n * sizeof *order->until);
        order->until[order->at[p]] = waited - 1;
    }
}
