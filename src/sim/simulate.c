// Simulation: order, fusion, liveness, then the clock over the program.
#include "sim/simulate.h"
#include "ir/trip.h"
#include "sim/collective_cost.h"
#include "sim/cost.h"

typedef struct Kernel { // what has been gathered for a kernel before it starts
    double flops, flop_seconds, bytes;
} Kernel;

typedef struct Clock {
    const Lowered *l;
    const Module *m;
    const Device *d;
    const Fusion *f;
    Arena *a;
    AxisLink *links;
    Kernel *kernels;   // by op that starts one
    OpId *reader;      // by value: the kernel that read it last, so that one kernel reads a buffer once
    double *by_axis;
    VEC(Slice) slices;
    SimResult *out;
} Clock;

// Appends a slice, of which the figures are for one run.
static void tick(Clock *c, Slice s) {
    s.start = c->out->seconds;
    s.seconds *= s.runs, s.flops *= s.runs, s.bytes *= s.runs;
    vec_push(c->a, &c->slices, s);
    c->out->seconds += s.seconds;
}

static bool run_collective(Clock *c, OpId op, double runs) {
    CollectiveKind kind;
    AxisSet axes;
    double sent, by_axis[MESH_MAX_AXES] = {0};
    if (!collective_of(c->l, op, &kind, &axes, &sent)) return false;
    double seconds = collective_seconds(c->l->mesh, c->links, kind, axes, value_bytes(c->m, op_operand(c->m, op, 0)), by_axis);
    for (uint32_t a = 0; a < c->l->mesh->n_axes; a++) c->by_axis[a] += by_axis[a] * runs;
    c->out->communication += seconds * runs;
    tick(c, (Slice){.op = op, .seconds = seconds, .runs = runs, .bytes = sent, .axes = axes});
    return true;
}

// Bytes of the operands that a kernel reads from memory for this op.
static double bytes_read(Clock *c, OpId op, const Cost *cost) {
    const Module *m = c->m;
    OpId kernel = c->f->kernel[op];
    double sum = 0;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        ValueId v = op_operand(m, op, i);
        if (c->f->place[v] == PLACE_FUSED || c->reader[v] == kernel) continue;
        c->reader[v] = kernel;
        sum += i == 0 ? cost->read : value_bytes(m, v);
    }
    return sum;
}

static void run_op(Clock *c, OpId op, double runs) {
    const Module *m = c->m;
    OpKind kind = op_kind(m, op);
    if (op_is_terminator(kind) || run_collective(c, op, runs)) return;
    bool buffer = op_get(m, op)->n_results == 0, fused = c->f->kernel[op] != op;
    for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) buffer |= c->f->place[op_result(m, op, i)] == PLACE_BUFFER;
    if (!buffer && !fused) return; // an alias or a constant
    Cost cost = op_cost(m, op);
    Kernel *k = &c->kernels[c->f->kernel[op]];
    if (cost.matrix > 0) {
        double peak = device_peak(c->d, (Elem)operand_type(m, op, 0)->elem);
        k->flop_seconds += cost.matrix / (peak * matrix_efficiency(c->d, cost.m, cost.n, cost.k));
        c->out->flops += cost.matrix * runs;
        c->out->seconds_at_peak += cost.matrix * runs / peak;
    }
    k->flop_seconds += cost.vector / c->d->vector;
    k->flops += cost.matrix + cost.vector;
    c->out->other_flops += cost.vector * runs;
    if (cost.matrix + cost.vector + cost.read + cost.write > 0) k->bytes += bytes_read(c, op, &cost) + (fused ? 0 : cost.write);
    if (fused) return;
    double memory = k->bytes / c->d->bandwidth, busy = memory > k->flop_seconds ? memory : k->flop_seconds;
    c->out->bytes += k->bytes * runs;
    if (busy == 0) return;
    c->out->compute += (busy + c->d->overhead) * runs;
    tick(c, (Slice){.op = op, .seconds = busy + c->d->overhead, .runs = runs, .flops = k->flops, .bytes = k->bytes, .bound_by_memory = memory > k->flop_seconds});
}

// Of branches, all count: which one runs is not known, and on devices that hold different data several may.
static void run_region(Clock *c, RegionId r, double runs) {
    const Module *m = c->m;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        OpKind kind = op_kind(m, op);
        if (!runs_regions(kind)) {
            run_op(c, op, runs);
            continue;
        }
        int64_t trips = kind == OP_while ? trip_count(m, op) : 1;
        if (trips < 0) c->out->unknown_trips++, trips = 1;
        for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++) run_region(c, op_region(m, op, i), runs * (double)trips);
    }
}

void simulate(const Lowered *l, const Device *d, Arena *a, SimResult *out) {
    const Module *m = l->m;
    *out = (SimResult){0};
    Order order = order_build(m, a);
    Fusion f = fuse_program(m, &order, d->reductions_apart, a);
    Clock c = {.l = l, .m = m, .d = d, .f = &f, .a = a, .out = out, .links = arena_new(a, AxisLink, l->mesh->n_axes), .kernels = arena_zalloc(a, m->ops.n * sizeof(Kernel)), .reader = arena_new(a, OpId, m->values.n), .by_axis = arena_zalloc(a, l->mesh->n_axes * sizeof(double))};
    memset(c.reader, 0xff, m->values.n * sizeof *c.reader);
    device_map_axes(d, l->mesh, c.links);
    run_region(&c, op_region(m, module_main(m), 0), 1);
    out->by_axis = c.by_axis;
    out->slices = c.slices.at;
    out->n_slices = c.slices.n;
    out->memory = liveness(m, &order, &f, a);
}
