// Timeline: the clock over the program, region by region.
#include "sim/timeline/timeline.h"
#include "ir/trip.h"
#include "sim/backend/in_place_accumulation.h"
#include "sim/cost/collective_cost.h"
#include "sim/cost/op_cost.h"

typedef struct Kernel { // what has been gathered for a kernel before it starts
    double flops, flop_seconds, bytes, memory_seconds, strided_seconds;
    double ready; // when the last of what it reads is there
} Kernel;

typedef struct Moment { // of a value
    double ready;       // when it is there
    double touched;     // all bytes that had been moved when it was read or written last
    OpId reader; // the kernel that read it last, so that one kernel reads a buffer once; 0, the function, at first
} Moment;

// The links that serve one after another. A collective that waits for a kernel leaves a gap, into which a later one may
// fit that waits for none: the gather of a weight goes before the sum of a gradient that is not there yet.
typedef struct Queue {
    double free;               // when the last one is done
    double gap_start, gap_end; // the last gap before it
} Queue;

// What is on the chip in the loop under way: the sums that it adds up in place if all of them fit, and what it gathers.
typedef struct LoopVmem {
    bool accumulators;
    double left; // bytes, for what is gathered
} LoopVmem;

typedef struct Loop {
    double runs; // of the loop as a whole
    const struct Loop *outer;
} Loop;

struct Clock {
    const Mesh *mesh;          // whose axes collectives name
    Mesh named;                // links, queues and times are those of its axes
    const Module *program, *m; // as it was given, and as the compiler has it
    const ValueId *was;        // by value: the program's
    const Device *d;
    const Fusion *f;
    const ExpressionTrees *trees;
    Arena *a;
    AxisLink *links;
    Kernel *kernels;  // by op that starts one
    Moment *moments;  // by value
    double moved;     // bytes so far
    const Loop *loop; // under way, the innermost; NULL outside of all, and where nothing is computed before them
    LoopVmem vmem;
    double turns;        // devices that take turns on one machine
    double compute_free; // when the kernels so far are done
    Queue *queues;
    AxisId *queue; // by axis: those of a torus have links of their own, those on one switch wait for each other
    double *by_axis;
    VEC(Slice) slices;
    SimResult *out;
};

static double later(double a, double b) { return a > b ? a : b; }

// Appends a slice, of which the figures are for one run, and gives its end.
static double tick(Clock *c, Slice s) {
    s.seconds *= s.runs, s.flops *= s.runs, s.bytes *= s.runs;
    vec_push(c->a, &c->slices, s);
    double end = s.start + s.seconds;
    const Op *o = op_get(c->m, s.op);
    for (uint32_t i = 0; i < o->n_results; i++) c->moments[o->first_result + i].ready = end;
    return end;
}

// ---- Links ----------------------------------------------------------------------------------------------------------

// Nothing goes on over this point.
static void synchronize_links(Clock *c) {
    double before = c->compute_free;
    for (uint32_t a = 0; a < c->named.n_axes; a++) c->compute_free = later(c->compute_free, c->queues[a].free);
    c->out->exposed += c->compute_free - before;
    for (uint32_t a = 0; a < c->named.n_axes; a++) c->queues[a] = (Queue){.free = c->compute_free};
}

// When a collective over these axes starts that could at `ready`, and takes `seconds`.
static double occupy_links(Clock *c, AxisSet axes, double ready, double seconds) {
    double start = ready;
    Queue *q = NULL;
    uint32_t n = 0;
    for (uint32_t a = 0; a < c->named.n_axes; a++) {
        if (!(axes >> a & 1)) continue;
        n += q != &c->queues[c->queue[a]];
        q = &c->queues[c->queue[a]];
        start = later(start, q->free);
    }
    double in_gap = q ? later(ready, q->gap_start) : 0;
    if (n == 1 && in_gap + seconds <= q->gap_end) return q->gap_start = in_gap + seconds, in_gap;
    for (uint32_t a = 0; a < c->named.n_axes; a++) {
        q = &c->queues[c->queue[a]];
        if (!(axes >> a & 1) || q->free > start) continue;
        if (start > q->free) q->gap_start = q->free, q->gap_end = start;
        q->free = start + seconds;
    }
    return start;
}

static bool time_collective(Clock *c, OpId op, double runs) {
    CollectiveKind kind;
    AxisSet axes;
    double sent;
    if (!collective_of(c->m, c->mesh, op, &kind, &axes, &sent)) return false;
    double by_axis[MESH_MAX_AXES] = {0};
    ValueId v = op_operand(c->m, op, 0);
    OpId earlier = c->f->merged ? c->f->merged[op] : NO_ID;
    if (earlier != NO_ID) {
        c->moments[op_result(c->m, op, 0)] = c->moments[op_result(c->m, earlier, 0)];
        return true;
    }
    double bytes = value_bytes(c->m, v) / (c->f->stored_bf16[op_result(c->m, op, 0)] ? 2 : 1);
    double seconds = c->turns * collective_seconds(c->mesh, c->links, kind, axes, bytes, by_axis);
    for (uint32_t a = 0; a < c->named.n_axes; a++) c->by_axis[a] += c->turns * by_axis[a] * runs;
    axes = axes_named(c->mesh, axes);
    c->out->communication += seconds * runs;
    double start = occupy_links(c, axes, c->d->overlap ? c->moments[v].ready : c->compute_free, seconds * runs);
    tick(c, (Slice){.op = op, .start = start, .seconds = seconds, .runs = runs, .bytes = sent, .axes = axes});
    c->moments[op_result(c->m, op, 0)].touched = c->moved += kept_bytes(c->m, c->f, op_result(c->m, op, 0));
    if (!c->d->overlap) synchronize_links(c);
    return true;
}

// ---- Kernels --------------------------------------------------------------------------------------------------------

// This much of a value goes through a kernel: from the cache, if no more than that has been moved since it was touched.
static void move(Clock *c, Kernel *k, ValueId v, double bytes) {
    double *touched = &c->moments[v].touched;
    bool near = c->d->cache && c->turns * (c->moved - *touched + bytes) <= (double)c->d->cache;
    *touched = c->moved += bytes;
    k->bytes += bytes;
    k->memory_seconds += bytes / (near ? c->d->cache_bandwidth : c->d->bandwidth);
}

// The sums of a loop that stay on the chip: an add reads its sum there, and leaves it there for the next turn.
static bool stays_in_vmem(const Clock *c, OpId op) {
    return c->vmem.accumulators && c->f->accumulation[op] == ACCUMULATES;
}

static bool is_in_vmem(const Clock *c, OpId op, ValueId v) {
    if (c->vmem.left <= 0) return false;
    const Value *val = &c->m->values.at[v];
    if (val->is_arg) return stays_in_vmem(c, op);
    return op_kind(c->m, val->owner) == OP_partir_all_gather &&
           op_get(c->m, val->owner)->parent == op_get(c->m, op)->parent && kept_bytes(c->m, c->f, v) <= c->vmem.left;
}

// What a kernel reads from memory for this op, and when that is there.
static void fetch_operands(Clock *c, OpId op, const Cost *cost) {
    const Module *m = c->m;
    const uint8_t *place = c->f->place;
    OpId kernel = c->f->kernel[op];
    Kernel *k = &c->kernels[kernel];
    Moment *moments = c->moments;
    const ValueId *first = op_operands(m, op), *end = first + op_get(m, op)->n_operands;
    double ready = 0;
    for (const ValueId *v = first; v < end; v++) {
        Moment *at = &moments[*v];
        ready = later(ready, at->ready);
        if (place[*v] == PLACE_FUSED || at->reader == kernel || is_in_vmem(c, op, *v)) continue;
        at->reader = kernel;
        double part = v == first ? cost->read : value_bytes(m, *v);
        move(c, k, *v, part / (c->f->stored_bf16[*v] ? 2 : 1));
    }
    k->ready = later(k->ready, ready);
    if (kernel != op) moments[op_result(m, op, 0)].ready = ready; // for other kernels that compute it too
}

static void write_result(Clock *c, OpId op, double bytes) {
    if (op_get(c->m, op)->n_results == 0) return;
    ValueId v = op_result(c->m, op, 0);
    c->moments[v].touched = c->moved; // the memory of something that has just died
    move(c, &c->kernels[op], v, bytes / (c->f->stored_bf16[v] ? 2 : 1));
}

// An alias is there, and was touched, when what it stands for is and was; a constant always.
static void pass_on(Clock *c, OpId op) {
    for (uint32_t i = 0; i < op_get(c->m, op)->n_results && i < op_get(c->m, op)->n_operands; i++) {
        const Moment *from = &c->moments[op_operand(c->m, op, i)];
        Moment *to = &c->moments[op_result(c->m, op, i)];
        to->ready = from->ready;
        to->touched = from->touched;
    }
}

// How often an op runs: what is the same in each turn of some loops, and worth it, is computed before them.
static double runs_of(const Clock *c, OpId op, double runs) {
    const Op *o = op_get(c->m, op);
    if (!o->n_results || !op_is_worth_hoisting((OpKind)o->kind)) return runs;
    const Loop *l = c->loop;
    for (uint32_t n = c->f->loops[o->first_result]; n && l; n--, l = l->outer) runs = l->runs;
    return runs;
}

static void time_op(Clock *c, OpId op, double runs) {
    const Module *m = c->m;
    const Op *o = op_get(m, op);
    if (c->loop) runs = runs_of(c, op, runs);
    bool buffer = o->n_results == 0, fused = c->f->kernel[op] != op;
    if (!fused && (op_is_terminator((OpKind)o->kind) || time_collective(c, op, runs))) return;
    for (uint32_t i = 0; i < o->n_results; i++) buffer |= c->f->place[o->first_result + i] == PLACE_BUFFER;
    if (!buffer && !fused) {
        pass_on(c, op);
        return;
    }
    Cost cost = op_cost(m, op);
    if (c->trees) cost.vector += c->trees->flops[op];
    Kernel *k = &c->kernels[c->f->kernel[op]];
    if (cost.matrix > 0) {
        ValueId was = c->was[op_operand(m, op, 0)];
        double peak = device_peak(c->d, (Elem)value_tensor(c->program, was)->elem);
        k->flop_seconds += cost.matrix / (peak * matrix_efficiency(c->d, &cost));
        c->out->flops += cost.matrix * runs;
        c->out->seconds_at_peak += cost.matrix * runs / peak;
    }
    double copies = c->f->copies[op];
    k->flop_seconds += copies * cost.vector / c->d->vector;
    if (c->d->strided > 0) k->strided_seconds += copies * cost.strided / c->d->strided;
    k->flops += cost.matrix + cost.vector;
    c->out->other_flops += cost.vector * runs;
    if (cost.matrix + cost.vector + cost.read + cost.write > 0) fetch_operands(c, op, &cost);
    if (fused) return;
    if (!stays_in_vmem(c, op)) write_result(c, op, cost.write);
    double busy = later(k->memory_seconds, k->flop_seconds) + k->strided_seconds;
    c->out->bytes += k->bytes * runs;
    if (busy == 0) return;
    Slice s = {.op = op, .start = later(c->compute_free, k->ready), .runs = runs, .flops = k->flops, .bytes = k->bytes};
    s.seconds = c->turns * (busy + c->d->overhead);
    s.bound_by_memory = k->memory_seconds > k->flop_seconds;
    c->out->compute += s.seconds * runs;
    c->out->exposed += s.start - c->compute_free;
    c->compute_free = tick(c, s);
}

static LoopVmem vmem_in_loop(const Clock *c, OpId loop) {
    const Module *m = c->m;
    double left = (double)c->d->vmem - device_backend(c->d)->vmem_reserved, accumulators = 0;
    if (left <= 0 || op_kind(m, loop) != OP_while) return (LoopVmem){0};
    OpId end = region_terminator(m, op_region(m, loop, 1));
    for (uint32_t i = 0; c->f->accumulation && i < op_get(m, end)->n_operands; i++) {
        const Value *val = &m->values.at[op_operand(m, end, i)];
        if (!val->is_arg && c->f->accumulation[val->owner] == ACCUMULATES)
            accumulators += value_bytes(m, op_operand(m, end, i));
    }
    return accumulators >= left ? (LoopVmem){.left = left}
                                : (LoopVmem){.accumulators = c->f->accumulation, .left = left - accumulators};
}

// Of branches, all count: which one runs is not known, and on devices that hold different data several may. Nothing
// overlaps the begin or the end of a region.
static void time_region(Clock *c, RegionId r, double runs) {
    const Module *m = c->m;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        OpKind kind = op_kind(m, op);
        if (!runs_regions(kind)) {
            time_op(c, op, runs);
            continue;
        }
        int64_t trips = kind == OP_while ? trip_count(m, op) : 1;
        if (trips < 0) c->out->unknown_trips++, trips = 1;
        synchronize_links(c);
        Loop loop = {runs, c->loop};
        if (kind == OP_while && c->f->loops) c->loop = &loop;
        LoopVmem vmem = c->vmem;
        c->vmem = vmem_in_loop(c, op);
        for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++)
            time_region(c, op_region(m, op, i), runs * (double)trips);
        c->loop = loop.outer;
        c->vmem = vmem;
    }
    synchronize_links(c);
}

static void start_clock(Clock *c, const ProgramOrder *written) {
    const Module *m = c->m;
    c->named = mesh_named(c->mesh);
    const Mesh *mesh = &c->named;
    c->turns = c->d->shared ? (double)mesh->n_devices : 1;
    c->links = arena_new(c->a, AxisLink, mesh->n_axes);
    c->kernels = arena_new(c->a, Kernel, m->ops.n);
    for (uint32_t p = 0; p < written->n; p++)
        if (c->f->kernel[written->at[p]] == written->at[p]) c->kernels[written->at[p]] = (Kernel){0};
    vec_reserve(c->a, &c->slices, written->n);
    c->moments = arena_zalloc(c->a, m->values.n * sizeof *c->moments);
    c->by_axis = arena_zalloc(c->a, mesh->n_axes * sizeof *c->by_axis);
    c->queues = arena_zalloc(c->a, mesh->n_axes * sizeof *c->queues);
    c->queue = arena_new(c->a, AxisId, mesh->n_axes);
    map_axes_to_links(c->d, mesh, c->links);
    for (uint32_t i = 0; i < mesh->n_axes; i++) {
        uint32_t first = 0;
        while (first < i && !axes_share_a_switch(&c->links[first], &c->links[i])) first++;
        c->queue[i] = first < i ? c->queue[first] : (AxisId)i;
    }
    const Region *body = &m->regions.at[op_region(m, module_main(m), 0)];
    c->compute_free = c->d->step + c->d->step_buffer * (double)(body->n_args + op_get(m, body->last)->n_operands);
    synchronize_links(c);
    // The step before moved all arguments.
    for (uint32_t i = 0; i < body->n_args; i++) c->moved += value_bytes(m, body->first_arg + i);
}

// A system that gives large blocks back at the end of a step makes them anew, page by page, in the next one.
static double page_fault_seconds(const Clock *c, const MemoryUse *use) {
    double made = use->peak - use->arguments;
    return c->d->page_fault && made > (double)c->d->page_fault ? c->turns * made / c->d->page_fault_bandwidth : 0;
}

// What is computed again takes as long as it did at first.
static double rematerialization_seconds(const Clock *c, const MemoryUse *use) {
    if (!use->n_rematerialized) return 0;
    uint8_t *remat = arena_zalloc(c->a, c->m->ops.n);
    for (uint32_t i = 0; i < use->n_rematerialized; i++) remat[use->rematerialized_ops[i]] = 1;
    double seconds = 0;
    for (uint32_t i = 0; i < c->slices.n; i++)
        if (remat[c->slices.at[i].op]) seconds += c->slices.at[i].seconds;
    return seconds;
}

#define TRIPS 5 // of a loop, in the compiler's eyes: its option memory_space_assignment_while_execution_count

void memory_space_times(const Clock *c, const OpSchedule *order, MemorySpace *vmem) {
    double *elapsed = arena_zalloc(c->a, (order->n + 2) * sizeof *elapsed);
    uint8_t *waits = arena_zalloc(c->a, order->n + 1);
    for (uint32_t i = 0; i < c->slices.n; i++) {
        const Slice *s = &c->slices.at[i];
        if (s->axes || s->runs == 0) continue;
        elapsed[order->position[s->op] + 1] += s->seconds / s->runs;
        waits[order->position[s->op]] = s->bound_by_memory;
    }
    double now = 0;
    for (uint32_t p = 0; p < order->n; p++) {
        now += elapsed[p];
        if (c->f->nested && op_kind(c->m, order->at[p]) == OP_while)
            now += (TRIPS - 1) * (now - elapsed[order->first[order->at[p]]]);
        elapsed[p] = now;
    }
    elapsed[order->n] += now;
    elapsed[order->n + 1] = elapsed[order->n];
    vmem->elapsed = elapsed;
    vmem->waits = waits;
    vmem->n_positions = order->n;
}

static bool on_one_side(const AxisLink *l) { return l->n == 1 && l->at[0].link->torus && !l->at[0].folded; }

const AsyncGathers *find_async_gathers(const Clock *c, const ProgramOrder *written) {
    if (!c->d->overlap || !written->count[OP_partir_all_gather]) return NULL;
    double *seconds = arena_zalloc(c->a, c->m->ops.n * sizeof *seconds);
    uint8_t *gathers = arena_zalloc(c->a, c->m->ops.n);
    bool any = false;
    for (uint32_t i = 0; i < c->slices.n; i++) {
        const Slice *s = &c->slices.at[i];
        if (s->runs > 0) seconds[s->op] = s->seconds / s->runs;
        if (op_kind(c->m, s->op) != OP_partir_all_gather || (s->axes & (s->axes - 1))) continue;
        for (uint32_t axis = 0; axis < c->named.n_axes; axis++)
            if (s->axes >> axis & 1 && on_one_side(&c->links[axis])) {
                gathers[s->op] = any = true;
                if (!c->links[axis].at[0].ring) seconds[s->op] /= 2; // both ways from the middle of a line
            }
    }
    AsyncGathers *beside = arena_new(c->a, AsyncGathers, 1);
    *beside = (AsyncGathers){seconds, gathers, (double)c->d->memory};
    return any ? beside : NULL;
}

void time_memory(Clock *c) {
    SimResult *out = c->out;
    double more = page_fault_seconds(c, &out->memory) + rematerialization_seconds(c, &out->memory);
    out->compute += more;
    out->seconds = c->compute_free + more;
}

Clock *time_program(const Lowered *as_given, const SimProgram *program, const ProgramOrder *written, const Fusion *f,
                    const Device *d, Arena *a, SimResult *out) {
    Clock *c = arena_alloc(a, sizeof *c);
    *c = (Clock){.mesh = as_given->mesh,
                 .program = as_given->m,
                 .was = program->value,
                 .m = program->m,
                 .d = d,
                 .f = f,
                 .trees = program->trees,
                 .a = a,
                 .out = out};
    start_clock(c, written);
    time_region(c, op_region(c->m, module_main(c->m), 0), 1);
    out->by_axis = c->by_axis;
    out->slices = c->slices.at;
    out->n_slices = c->slices.n;
    out->seconds = c->compute_free;
    return c;
}
