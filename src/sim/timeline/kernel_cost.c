// Kernel costs: one walk over the program as written, region by region. All branches count, because it is not known which one runs,
// and devices with different data may run different ones.
#include "sim/timeline/kernel_cost.h"
#include "ir/analysis/trip.h"
#include "sim/timeline/kernel_work.h"
#include "support/hash.h"

// ---- Collectives -----------------------------------------------------------------------------------------------------

static bool price_collective(CostWalk *c, OpId op, double runs) {
    CollectiveKind kind;
    AxisSet axes;
    KernelCosts *out = &c->out;
    KernelCost *k = &out->of[op];
    if (!collective_of(c->m, out->mesh, op, &kind, &axes, &k->bytes)) return false;
    if (c->f->merged && c->f->merged[op] != NO_ID) return true; // there is one before that stands for it
    double by_axis[MESH_MAX_AXES];
    memset(by_axis, 0, out->named.n_axes * sizeof *by_axis);
    double bytes = value_bytes(c->m, op_operand(c->m, op, 0)) / (c->f->stored_bf16[op_result(c->m, op, 0)] ? 2 : 1);
    k->kind = COST_COLLECTIVE, k->collective = (uint8_t)kind;
    Phases *phases = &c->phases[axes % N_PHASES];
    if (phases->axes != axes) find_phases(out->mesh, out->links, axes, phases);
    k->seconds = out->turns * collective_seconds(phases, kind, bytes, by_axis);
    k->axes = axes_named(out->mesh, axes);
    k->runs = runs;
    for (uint32_t a = 0; a < out->named.n_axes; a++) out->by_axis[a] += out->turns * by_axis[a] * runs;
    out->communication += k->seconds * runs;
    return true;
}

// ---- Kernels ---------------------------------------------------------------------------------------------------------

static void add_move(CostWalk *c, KernelCost *k, ValueId v, double bytes, bool is_result) {
    k->bytes += bytes;
    if (!c->out.d->cache) return;
    *(k->moves == NO_ID ? &k->moves : &c->out.moves.at[k->last_move].next) = c->out.moves.n;
    k->last_move = c->out.moves.n;
    vec_push(c->a, &c->out.moves, ((KernelMove){v, bytes, NO_ID, is_result}));
}

// ---- Duplicated producers --------------------------------------------------------------------------------------------

#define MAX_EMITTED 15 // times that a kernel has the code of one producer: kAllowedCodeDuplication of XLA's fusion
#define MAX_WALKED  64 // producers that one op of a kernel needs; others are read

typedef struct Producer {
    ValueId value;
    uint32_t index; // of the elements: the ops on the way that change it
    double part;    // of its elements
} Producer;

static bool changes_index(OpKind kind) { return !op_is_elementwise(kind); }

// Whether the kernel has computed these elements before; else it is noted. `n` times it has others of the same value.
static bool is_emitted(CostWalk *c, OpId kernel, const Producer *p, uint32_t *n) {
    uint32_t hash = hash_u32(hash_u32(0, kernel), p->value);
    *n = 0;
    for (uint32_t at = hash, id; (id = idmap_probe(&c->emitted_map, hash, &at)) != IDMAP_END;) {
        const Emitted *e = &c->emitted.at[id];
        if (e->kernel != kernel || e->value != p->value) continue;
        ++*n;
        if (e->index == p->index) return true;
    }
    idmap_add(&c->emitted_map, hash, c->emitted.n);
    vec_push(c->a, &c->emitted, ((Emitted){kernel, p->value, p->index}));
    return false;
}

// Part of a value that lies in memory is computed once more in a kernel for an op that reads it. So is what it is made of if that is
// duplicated too, and all else is read.
static void cost_duplicate(CostWalk *c, OpId kernel, OpId op, ValueId v, double part) {
    const Module *m = c->m;
    KernelCost *k = &c->out.of[kernel];
    Producer open[MAX_WALKED] = {{v, changes_index(op_kind(m, op)) ? op : NO_ID, part}};
    for (uint32_t n_open = 1, n = 1, times; n_open;) {
        Producer p = open[--n_open];
        if (is_emitted(c, kernel, &p, &times)) continue;
        const Value *val = &m->values.at[p.value];
        bool on_the_way = c->f->place[p.value] == PLACE_FUSED;
        if (val->is_arg || (!on_the_way && (times >= MAX_EMITTED || n >= MAX_WALKED || !c->f->duplicated[p.value]))) {
            add_move(c, k, p.value, p.part * value_bytes(m, p.value), false);
            continue;
        }
        OpId made = val->owner;
        Cost cost = op_cost(m, made);
        k->flop_seconds += p.part * cost.vector / c->out.d->vector;
        k->flops += p.part * cost.vector;
        uint32_t index = changes_index(op_kind(m, made)) ? hash_u32(p.index, made) : p.index;
        for (uint32_t i = 0; i < op_get(m, made)->n_operands && n_open < MAX_WALKED; i++, n++) {
            ValueId in = op_operand(m, made, i);
            double bytes = value_bytes(m, in), needed = p.part * value_bytes(m, p.value);
            if (bytes > 0) open[n_open++] = (Producer){in, index, needed < bytes ? needed / bytes : 1};
        }
    }
}

// Whether the kernel of an op computes an operand once more that lies in memory, from what that was made of.
static bool is_duplicated_for(const CostWalk *c, const ValueId *operand) {
    return c->f->duplicated[*operand] && c->f->fusible[operand - c->m->operands.at];
}

// What a kernel reads from memory for this op.
static void cost_reads(CostWalk *c, OpId op, const Cost *cost) {
    const Module *m = c->m;
    const uint8_t *place = c->f->place;
    OpId kernel = c->f->kernel[op];
    const ValueId *first = op_operands(m, op), *end = first + op_get(m, op)->n_operands;
    for (const ValueId *v = first; v < end; v++) {
        if (place[*v] == PLACE_FUSED || c->reader[*v] == kernel || is_in_vmem(c, op, *v)) continue;
        if (is_duplicated_for(c, v)) {
            double bytes = value_bytes(m, *v), part = v == first && bytes > 0 ? cost->read / bytes : 1;
            cost_duplicate(c, kernel, op, *v, part);
            continue;
        }
        c->reader[*v] = kernel;
        double part = v == first ? cost->read : value_bytes(m, *v);
        add_move(c, &c->out.of[kernel], *v, part / (c->f->stored_bf16[*v] ? 2 : 1), false);
    }
}

// How often an op runs: what is the same in each turn of some loops, and worth it, is computed before them.
static double runs_of(const CostWalk *c, OpId op, double runs) {
    const Op *o = op_get(c->m, op);
    if (!o->n_results || !op_is_worth_hoisting((OpKind)o->kind)) return runs;
    const CostLoop *l = c->loop;
    for (uint32_t n = c->f->loops[o->first_result]; n && l; n--, l = l->outer) runs = l->runs;
    return runs;
}

// ---- Loops that are not vectorized -----------------------------------------------------------------------------------

// Outside of libraries, an inner loop of few turns is unrolled whole, and stays scalar if one register does not hold all of it: seen from 9 to 40 turns.
// Each FLOP and each element that is read or written then takes as long as so many of the vector unit.
#define UNROLLED_FROM 9
#define UNROLLED_TO   40
#define SCALAR        3.5
// Along the last dimension each sum is put together from the lanes of a register in the end: as long as so many FLOPs.
#define ACROSS_LANES  150

static void add_scalar_work(const CostWalk *c, OpId op, KernelCost *k) {
    const Type *t = op_get(c->m, op)->n_results ? result_type(c->m, op, 0) : NULL;
    const Device *d = c->out.d;
    if (!t || d->backend != BACKEND_CPU) return;
    if (op_kind(c->m, op) == OP_reduce) {
        uint32_t n, rank = operand_type(c->m, op, 0)->rank;
        const int64_t *dims = op_attr_ints(c->m, op, A_dimensions, &n);
        for (uint32_t i = 0; i < n; i++)
            if (dims[i] + 1 == rank) k->flop_seconds += ACROSS_LANES * t->elements / d->vector;
    } else if (op_is_elementwise(op_kind(c->m, op)) && !(c->f->library && c->f->library[op] != NO_ID)) {
        uint32_t last = t->rank;
        while (last > 0 && t->dims[last - 1] == 1) last--;
        if (last > 0 && t->dims[last - 1] >= UNROLLED_FROM && t->dims[last - 1] <= UNROLLED_TO)
            k->flop_seconds = SCALAR * (k->flop_seconds + k->bytes / elem_bytes((Elem)t->elem) / d->vector);
    }
}

// All that the kernel computes is known.
static void end_kernel(CostWalk *c, OpId op, const Cost *cost, double runs) {
    const Device *d = c->out.d;
    const Op *o = op_get(c->m, op);
    KernelCost *k = &c->out.of[op];
    double written = cost->moved > 0 ? cost->moved : cost->write / (o->n_results && c->f->stored_bf16[o->first_result] ? 2 : 1);
    if (!stays_in_vmem(c, op) && o->n_results) add_move(c, k, o->first_result, written, true);
    add_scalar_work(c, op, k);
    k->memory_seconds = k->bytes / d->bandwidth;
    k->bound_by_memory = k->memory_seconds > k->flop_seconds;
    double busy = (k->bound_by_memory ? k->memory_seconds : k->flop_seconds) + k->strided_seconds;
    c->out.bytes += k->bytes * runs;
    if (busy == 0) return;
    k->kind = COST_KERNEL;
    k->runs = runs;
    k->seconds = c->out.turns * (busy + d->overhead);
}

// Whether an op that is not computed on the way is a kernel: neither a collective nor an alias.
static bool starts_kernel(CostWalk *c, OpId op, double runs) {
    const Op *o = op_get(c->m, op);
    bool buffer = o->n_results == 0;
    if (op_is_terminator((OpKind)o->kind) || (collective_kinds[o->kind] && price_collective(c, op, runs))) return false;
    for (uint32_t i = 0; i < o->n_results; i++) buffer |= c->f->place[o->first_result + i] == PLACE_BUFFER;
    return buffer;
}

// Where there is a cache, each op adds what it does to its kernel, which is its own unless it is fused.
static void add_to_kernel(CostWalk *c, OpId op, bool fused, double runs) {
    const Module *m = c->m;
    KernelCosts *out = &c->out;
    Cost cost = op_cost(m, op);
    if (c->trees) cost.vector += c->trees->flops[op];
    KernelCost *k = &out->of[c->f->kernel[op]];
    if (cost.matrix > 0) {
        ValueId was = c->was[product_operand(m, op)];
        double peak = device_peak(out->d, (Elem)value_tensor(c->program, was)->elem);
        k->flop_seconds += (cost.matrix + cost.zeros) / (peak * matrix_efficiency(out->d, &cost));
        out->flops += cost.matrix * runs;
        out->seconds_at_peak += cost.matrix * runs / peak;
    }
    double copies = c->f->copies[op];
    k->flop_seconds += copies * cost.vector / out->d->vector;
    if (out->d->strided > 0) k->strided_seconds += copies * cost.strided / out->d->strided;
    k->flops += cost.matrix + cost.vector;
    out->other_flops += cost.vector * runs;
    if (cost.moved <= 0 && cost.matrix + cost.vector + cost.read + cost.write > 0) cost_reads(c, op, &cost);
    if (!fused) end_kernel(c, op, &cost, runs);
}

static void cost_op(CostWalk *c, OpId op, double runs) {
    bool cached = c->out.d->cache, fused = c->f->kernel[op] != op;
    if (c->loop) runs = runs_of(c, op, runs);
    const Op *o = op_get(c->m, op);
    if (!cached) begin_values(c, o->first_result, o->n_results, op_operands(c->m, op), o->n_operands);
    if (!fused && !starts_kernel(c, op, runs)) {
        if (!cached && c->out.of[op].kind == COST_COLLECTIVE) note_made(c, op);
        return;
    }
    if (cached)
        add_to_kernel(c, op, fused, runs);
    else if (fused)
        look_at_fused_op(c, op);
    else
        cost_kernel(c, op, runs, &c->out.of[op]);
}

// ---- Regions ---------------------------------------------------------------------------------------------------------

static LoopVmem vmem_in_loop(const CostWalk *c, OpId loop) {
    const Module *m = c->m;
    double left = vmem_bytes(c->out.d), accumulators = 0;
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

static void cost_region(CostWalk *c, RegionId r, double runs) {
    const Module *m = c->m;
    if (c->buffer) begin_values(c, m->regions.at[r].first_arg, m->regions.at[r].n_args, NULL, 0);
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        OpKind kind = op_kind(m, op);
        if (!runs_regions(kind)) {
            cost_op(c, op, runs);
            continue;
        }
        int64_t trips = kind == OP_while ? trip_count(m, op) : 1;
        if (trips < 0) c->out.unknown_trips++, trips = 1;
        CostLoop loop = {runs, c->loop};
        if (kind == OP_while && c->f->loops) c->loop = &loop;
        LoopVmem vmem = c->vmem;
        c->vmem = vmem_in_loop(c, op);
        for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++)
            cost_region(c, op_region(m, op, i), runs_in_loop(runs, trips));
        if (c->buffer) begin_values(c, op_result(m, op, 0), op_get(m, op)->n_results, NULL, 0);
        c->loop = loop.outer;
        c->vmem = vmem;
    }
}

KernelCosts find_kernel_costs(const Lowered *as_given, const SimProgram *program, const ProgramOrder *written,
                              const Fusion *f, const Device *d, Arena *a) {
    const Module *m = program->m;
    CostWalk c = {.program = as_given->m,
                  .m = m,
                  .was = program->value,
                  .f = f,
                  .trees = program->trees,
                  .a = a,
                  .out = {.d = d,
                          .mesh = as_given->mesh,
                          .named = mesh_named(as_given->mesh),
                          .of = arena_new(a, KernelCost, m->ops.n)}};
    KernelCosts *out = &c.out;
    out->turns = d->shared ? (double)out->named.n_devices : 1;
    out->links = arena_new(a, AxisLink, out->named.n_axes);
    out->by_axis = arena_zalloc(a, out->named.n_axes * sizeof *out->by_axis);
    map_axes_to_links(d, &out->named, out->links);
    if (d->cache) {
        c.reader = arena_zalloc(a, m->values.n * sizeof *c.reader);
        idmap_init(&c.emitted_map, a);
    } else {
        c.moments = arena_new(a, ValueMoment, m->values.n);
        c.buffer = arena_new(a, ValueId, m->values.n);
        c.fused = arena_new(a, FusedOp, m->ops.n);
        c.fused_by = arena_new(a, OpId, m->ops.n);
        c.open = arena_new(a, OpenOp, m->ops.n);
        if (d->cores < 2) c.near_bytes = vmem_bytes(d); // else through memory
        const Region *body = &m->regions.at[op_region(m, module_main(m), 0)];
        for (uint32_t i = 0; i < body->n_args; i++) c.moved += value_bytes(m, body->first_arg + i); // by the step before
    }
    for (uint32_t p = 0; p < written->n; p++) out->of[written->at[p]] = (KernelCost){.moves = NO_ID};
    cost_region(&c, op_region(m, module_main(m), 0), 1);
    return c.out;
}

// ---- What schedules ask ----------------------------------------------------------------------------------------------

static bool on_one_side(const AxisLink *l) { return l->n == 1 && l->at[0].link->torus && !l->at[0].folded; }

const AsyncGathers *find_async_gathers(const Module *m, const KernelGraph *kernels, const KernelCosts *costs, Arena *a) {
    if (!(costs->d->overlap >> COLLECTIVE_ALL_GATHER & 1)) return NULL;
    double *seconds = arena_new(a, double, kernels->n);
    uint8_t *gathers = arena_zalloc(a, kernels->n);
    bool any = false;
    for (uint32_t i = 0; i < kernels->n; i++) {
        const KernelCost *k = &costs->of[kernels->op[i]];
        seconds[i] = k->runs > 0 ? k->seconds : 0;
        if (op_kind(m, kernels->op[i]) != OP_partir_all_gather || (k->axes & (k->axes - 1))) continue;
        for (uint32_t axis = 0; axis < costs->named.n_axes; axis++)
            if (k->axes >> axis & 1 && on_one_side(&costs->links[axis])) {
                gathers[i] = any = true;
                if (!costs->links[axis].at[0].ring) seconds[i] /= 2; // both ways from the middle of a line
            }
    }
    AsyncGathers *beside = arena_new(a, AsyncGathers, 1);
    *beside = (AsyncGathers){seconds, gathers, (double)costs->d->memory};
    return any ? beside : NULL;
}

#define TRIPS 5 // of a loop, in the compiler's eyes: its option memory_space_assignment_while_execution_count

void memory_space_times(const Module *m, const OpSchedule *order, const KernelCosts *costs, MemorySpace *vmem) {
    double *elapsed = arena_new(vmem->a, double, order->n + 2), now = 0;
    uint8_t *waits = arena_zalloc(vmem->a, order->n + 1);
    for (uint32_t p = 0; p < order->n; p++) {
        OpId op = order->at[p];
        const KernelCost *k = &costs->of[op];
        if (op_kind(m, op) == OP_while)
            now += (TRIPS - 1) * (now - elapsed[order->first[op]]);
        elapsed[p] = now;
        if (k->kind != COST_KERNEL || k->runs == 0 || order->position[op] != p) continue;
        now += k->seconds;
        waits[p] = k->bound_by_memory;
    }
    elapsed[order->n] = elapsed[order->n + 1] = now;
    vmem->elapsed = elapsed;
    vmem->waits = waits;
    vmem->n_positions = order->n;
}
