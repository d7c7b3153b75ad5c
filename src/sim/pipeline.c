// The pipeline: all passes in their order. A pass does nothing for a backend that does not have it.
#include "sim/pipeline.h"
#include "sim/backend/rules.h"
#include "sim/fusion/fusion.h"
#include "sim/memory/donation.h"
#include "sim/report/sim_report.h"
#include "sim/schedule/schedulers.h"
#include "sim/transform/transform.h"
#include "spmd/export/cpu_order.h"

// The ops of @main as the compiler gets them.
static void order_as_emitted(Module *m, Arena *a) {
    RegionId main = op_region(m, module_main(m), 0);
    uint32_t n;
    const OpId *order = cpu_order(m, main, true, a, &n);
    OpId *link = &m->regions.at[main].first;
    for (uint32_t i = 0; i < n; link = &m->ops.at[order[i++]].next) *link = order[i];
}

// With expression trees.
static void pass_cse(SimRun *r) {
    r->program = eliminate_common_subexpressions(r->lowered->m, r->lowered->origin, r->backend, r->a);
    if (r->backend->sorts_places) merge_stable_sorts(&r->program, r->a);
    if (!r->backend->gets_cpu_order) return;
    split_small_reduce_scatters(&r->program, r->a);
    order_as_emitted(r->program.m, r->a);
}

static void pass_normalize(SimRun *r) {
    if (r->backend->normalizes_bf16) normalize_floats(&r->program, r->a);
}

static void pass_users(SimRun *r) {
    const Module *m = r->program.m;
    r->written = program_order(m, r->a);
    r->fusion = (Fusion){.nested = has_nested(&r->written),
                         .users = users_build(m, &r->written, r->a),
                         .donated = find_donated(m, op_region(m, module_main(m), 0), r->a)};
}

static void pass_licm(SimRun *r) {
    if (r->backend->hoists_invariants)
        r->fusion.loops = find_loop_invariants(r->program.m, &r->written, r->backend->keeps_gathers_in_loops, r->a);
}

static void pass_bf16_storage(SimRun *r) {
    const Module *m = r->program.m;
    r->fusion.stored_bf16 =
        r->backend->stores_bf16 ? find_bf16_storage(m, &r->written, r->a) : arena_zalloc(r->a, m->values.n);
}

static void pass_layout(SimRun *r) {
    if (r->backend->tiled_layout) {
        TpuLayouts layouts = assign_tpu_layouts(r->program.m, &r->written, r->a);
        r->fusion.tiled_layout = layouts.padding, r->fusion.relaid = layouts.relaid;
    }
    if (copies_operands(r->backend))
        r->fusion.copied = find_operand_copies(r->program.m, &r->written, r->backend, r->a);
}

static void pass_library_fusion(SimRun *r) {
    Fusion *f = &r->fusion;
    if (r->backend->library_fusion && r->written.count[OP_reduce])
        f->library = find_library_fusions(r->program.m, &r->written, &f->users, f->copied, r->a);
}

static void pass_gather_cse(SimRun *r) {
    uint32_t distance = r->backend->gather_cse_distance;
    if (distance && r->written.count[OP_partir_all_gather] > 1)
        r->fusion.merged = find_gather_cse(r->program.m, &r->written, r->program.trees, distance, r->a);
}

static void pass_scatter_rewriting(SimRun *r) {
    if (r->backend->fuses_scatter_adds)
        r->fusion.scatter_add = find_scatter_adds(r->program.m, &r->written, &r->fusion.users, r->a);
}

static void pass_accumulation(SimRun *r) {
    Fusion *f = &r->fusion;
    if (r->backend->accumulates_in_place && r->written.count[OP_while])
        f->accumulation = find_in_place_accumulation(r->program.m, &r->written, &f->users, f->scatter_add, r->a);
}

static void pass_fusion(SimRun *r) { fuse_ops(r->program.m, &r->written, r->backend, &r->fusion, r->a); }

static void pass_kernel_cost(SimRun *r) {
    r->costs = find_kernel_costs(r->lowered, &r->program, &r->written, &r->fusion, r->device, r->a);
}

static void pass_combine(SimRun *r) {
    const Module *m = r->program.m;
    const Backend *b = r->backend;
    r->combined = memset(arena_new(r->a, OpId, m->ops.n), 0xff, m->ops.n * sizeof *r->combined);
    if (b->all_reduce_combine_bytes > 0)
        combine_collectives(m, &r->written, OP_partir_all_reduce, b->all_reduce_combine_bytes, r->combined, r->a);
    if (b->all_gather_combine_bytes > 0)
        combine_collectives(m, &r->written, OP_partir_all_gather, b->all_gather_combine_bytes, r->combined, r->a);
}

static void pass_kernel_graph(SimRun *r) {
    if (r->backend->min_memory)
        r->graph = kernel_graph_build(r->program.m, &r->written, &r->fusion, r->combined, r->a);
}

static void pass_schedule(SimRun *r) {
    const Module *m = r->program.m;
    if (r->backend->bfs)
        r->schedule = schedule_bfs(m, &r->written, &r->fusion, r->combined, r->a);
    else if (r->backend->min_memory)
        r->kernels = schedule_min_memory(m, &r->fusion, &r->graph, r->a);
    else
        r->schedule = schedule_greedy(m, &r->written, &r->fusion, r->combined, r->a);
}

static void pass_latency_hiding(SimRun *r) {
    if (!r->kernels || !r->written.count[OP_partir_all_gather]) return;
    const AsyncGathers *async = find_async_gathers(r->program.m, &r->graph, &r->costs, r->a);
    if (async) hide_latency(r->program.m, &r->fusion, &r->graph, async, r->kernels, r->a);
}

static void pass_linearize(SimRun *r) {
    if (r->kernels)
        r->schedule = linearize_kernels(r->program.m, &r->written, &r->fusion, &r->graph, r->combined, r->kernels, r->a);
}

static void pass_timeline(SimRun *r) {
    if (r->device->overlap)
        hold_operands(r->program.m, &r->fusion, &r->costs, r->backend, &r->schedule, r->a);
    r->timeline = time_schedule(r->program.m, &r->schedule, &r->fusion, &r->costs, NULL, r->a);
}

static void pass_liveness(SimRun *r) {
    r->liveness = find_liveness(r->program.m, &r->schedule, &r->fusion, r->backend, r->device, r->a);
}

static void pass_memory_space(SimRun *r) {
    MemorySpace vmem = {.bytes = vmem_bytes(r->device), .bandwidth = r->device->bandwidth, .cores = r->device->cores, .a = r->a};
    if (vmem.bytes <= 0) return;
    memory_space_times(r->program.m, &r->schedule, &r->costs, &vmem);
    r->vmem = assign_memory_space(r->liveness, &vmem);
}

static void pass_buffers(SimRun *r) { r->out->memory = assign_buffers(r->liveness, (double)r->device->memory); }

static void pass_remat(SimRun *r) {
    rematerialize(r->liveness, (double)r->device->memory, &r->out->memory);
    r->out->memory.vmem = r->vmem;
}

// What is rematerialized runs once more, and pages are made: the schedule takes longer than it did without.
static void pass_memory_time(SimRun *r) {
    const MemoryUse *use = &r->out->memory;
    if (memory_takes_time(&r->costs, use))
        r->timeline = time_schedule(r->program.m, &r->schedule, &r->fusion, &r->costs, use, r->a);
}

static const struct {
    const char *name;
    void (*run)(SimRun *);
    void (*dump)(const SimRun *, Buffer *);
} sim_passes[PASS_COUNT] = {
#define P(id, name, run, dump) {name, run, dump},
    SIM_PASSES(P)
#undef P
};

const char *sim_pass_name(SimPass pass) { return sim_passes[pass].name; }

void run_passes(SimRun *r, SimPass first, SimPass last) {
    for (SimPass p = first; p <= last; p++) {
        sim_passes[p].run(r);
        if (!(r->dumped >> p & 1)) continue;
        buf_format(r->dump, "// after %s\n", sim_passes[p].name);
        sim_passes[p].dump(r, r->dump);
    }
}

// ---- The result ------------------------------------------------------------------------------------------------------

static void give_time(SimRun *r) {
    const Timeline *t = &r->timeline;
    const KernelCosts *k = &r->costs;
    MemoryUse memory = r->out->memory;
    *r->out = (SimResult){.seconds = t->seconds,
                          .compute = t->compute,
                          .communication = k->communication,
                          .exposed = t->exposed,
                          .by_axis = k->by_axis,
                          .flops = k->flops,
                          .other_flops = k->other_flops,
                          .bytes = k->bytes,
                          .seconds_at_peak = k->seconds_at_peak,
                          .unknown_trips = k->unknown_trips,
                          .memory = memory,
                          .n_slices = t->n_slices,
                          .slices = t->slices,
                          .n_loops = t->n_loops,
                          .loops = t->loops,
                          .when = t->when};
}

// The result speaks of the ops and values of the program as it was lowered.
static void name_as_lowered(SimRun *r) {
    MemoryUse *use = &r->out->memory;
    const OpId *op = r->program.op;
    for (uint32_t i = 0, n = r->timeline.n_slices; i < n; i++) r->timeline.slices[i].op = op[r->timeline.slices[i].op];
    for (uint32_t i = 0, n = r->timeline.n_loops; i < n; i++) r->timeline.loops[i].op = op[r->timeline.loops[i].op];
    for (uint32_t i = 0, n = use->n_steps; i < n; i++) r->schedule.at[i] = op[r->schedule.at[i]];
    for (uint32_t i = 0; i < use->rematerialized.n; i++) use->rematerialized.ops[i] = op[use->rematerialized.ops[i]];
    for (uint32_t i = 0; i < use->n_residents; i++)
        use->residents[i].value = r->program.value[use->residents[i].value];
    if (use->peak_op != NO_ID) use->peak_op = op[use->peak_op];
}

static SimRun *start_run(const Lowered *l, const Device *d, Arena *a, SimResult *out) {
    *out = (SimResult){0};
    SimRun *r = arena_zalloc(a, sizeof *r);
    *r = (SimRun){.lowered = l, .device = d, .backend = device_backend(d), .a = a, .out = out};
    return r;
}

SimRun *simulate_time(const Lowered *l, const Device *d, Arena *a, SimResult *out) {
    SimRun *r = start_run(l, d, a, out);
    run_passes(r, PASS_CSE, PASS_TIMELINE);
    give_time(r);
    return r;
}

void simulate_memory(SimRun *r) {
    run_passes(r, PASS_TIMELINE + 1, PASS_COUNT - 1);
    give_time(r);
    name_as_lowered(r);
}

void simulate(const Lowered *l, const Device *d, Arena *a, SimResult *out) {
    simulate_memory(simulate_time(l, d, a, out));
}

void simulate_dump(const Lowered *l, const Device *d, uint32_t dumped, Arena *a, Buffer *out) {
    SimResult result;
    SimRun *r = start_run(l, d, a, &result);
    r->dumped = dumped;
    r->dump = out;
    run_passes(r, PASS_CSE, PASS_COUNT - 1);
}
