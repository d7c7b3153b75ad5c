// Evaluation of regions, op by op, on all devices in step.
#include "interp/exec.h"
#include "interp/elementwise/quant.h"
#include "interp/kernel.h"
#include "support/guard.h"
#include <stdio.h>

enum { MAX_DEPTH = 300, PROGRESS_STEPS = 4096 };

// ---- Errors --------------------------------------------------------------------------------------------------------

bool exec_error(Exec *e, OpId op, const char *hint, const char *fmt, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const Op *o = op_get(e->m, op);
    const char *name = op_info[o->kind].name;
    if (e->n_devices > 1)
        return diag_error(e->ctx, &e->m->source, o->source, hint, "%s on device %u: %s", name, e->device, text);
    return diag_error(e->ctx, &e->m->source, o->source, hint, "%s: %s", name, text);
}

// After a diagnostic.
static _Noreturn void exec_stop(Exec *e) { guard_leave(e->ctx); }

static void charge(Exec *e, OpId op, uint64_t steps) {
    uint64_t before = e->steps;
    e->steps += steps;
    if (e->steps > e->max_steps) {
        exec_error(e, op, "raise the cap (--max-steps) if the program is meant to run that long",
                   "the program has not ended after %llu steps", (unsigned long long)e->max_steps);
        fail_as(e->ctx, PARTIR_TOO_LARGE, false);
        exec_stop(e);
    }
    if (before / PROGRESS_STEPS != e->steps / PROGRESS_STEPS && !ctx_progress(e->ctx, "run", e->steps, e->max_steps))
        exec_stop(e);
}

void exec_work(Exec *e, OpId op, double units) {
    double steps = units / 1e6;
    charge(e, op, steps < (double)e->max_steps ? (uint64_t)steps : e->max_steps);
}

static _Noreturn void out_of_memory(Exec *e, uint64_t bytes) {
    exec_error(e, e->op, "raise the cap (--max-memory), or run a smaller program",
               "%llu more bytes would pass the memory cap of %llu", (unsigned long long)bytes,
               (unsigned long long)e->heap.cap);
    exec_stop(e);
}

// ---- Environment ---------------------------------------------------------------------------------------------------

Tensor *exec_get(const Exec *e, uint32_t device, ValueId v) { return e->env[device * e->n_values + v]; }

void exec_put(Exec *e, uint32_t device, ValueId v, Tensor *t) {
    Tensor **slot = &e->env[device * e->n_values + v];
    tensor_release(&e->heap, *slot);
    *slot = t;
}

Tensor *exec_take(Exec *e, OpId op, uint32_t i) {
    ValueId v = op_operand(e->m, op, i);
    Tensor **slot = &e->env[e->device * e->n_values + v];
    uint32_t uses = 0;
    for (uint32_t k = 0; k < op_get(e->m, op)->n_operands; k++) uses += op_operand(e->m, op, k) == v;
    if (uses > 1 || e->plan.captured[v] || e->plan.last_use[v] != op) return tensor_retain(*slot);
    Tensor *t = *slot;
    *slot = NULL;
    return t;
}

Tensor *exec_take_writable(Exec *e, OpId op, uint32_t i) {
    Tensor *x = exec_take(e, op, i);
    if (tensor_is_unshared(x)) return x;
    Tensor *copy = exec_new(e, (Elem)x->elem, x->rank, x->dims);
    memcpy(copy->data, x->data, tensor_bytes(x));
    tensor_release(&e->heap, x);
    return copy;
}

Elem exec_elem(const Exec *e, OpId op, uint32_t i) {
    const Type *t = result_type(e->m, op, i);
    if (t->elem != EL_QUANT) return (Elem)t->elem;
    const Quant *q = &e->m->quants.at[t->quant];
    return e->dequantized ? q->expressed : q->storage;
}

Tensor *exec_new(Exec *e, Elem elem, uint32_t rank, const int64_t *dims) {
    if (rank > MAX_RANK) {
        exec_error(e, e->op, NULL, "rank %u is above %d, the most that a tensor can have here", rank, MAX_RANK);
        exec_stop(e);
    }
    Tensor *t = tensor_new(&e->heap, elem, rank, dims);
    if (!t) {
        int64_t n = shape_elements(rank, dims);
        out_of_memory(e, n < 0 ? UINT64_MAX : (uint64_t)n * elem_bytes(elem));
    }
    return t;
}

Tensor *exec_view(Exec *e, Tensor *t, uint32_t rank, const int64_t *dims) {
    if (rank > MAX_RANK) return exec_new(e, (Elem)t->elem, rank, dims);
    Tensor *view = tensor_view(&e->heap, t, rank, dims);
    if (!view) out_of_memory(e, sizeof *t + rank * sizeof *dims);
    return view;
}

Tensor *exec_tuple(Exec *e, uint32_t n, Tensor *const *parts) {
    Tensor *t = tensor_tuple(&e->heap, n, parts);
    if (!t) out_of_memory(e, n * sizeof *parts);
    return t;
}

Tensor *exec_token(Exec *e) {
    Tensor *t = tensor_token(&e->heap);
    if (!t) out_of_memory(e, sizeof *t);
    return t;
}

Tensor *exec_out(Exec *e, OpId op, uint32_t i, uint32_t rank, const int64_t *dims) {
    Tensor *t = exec_new(e, exec_elem(e, op, i), rank, dims);
    exec_set(e, op, i, t);
    return t;
}

// ---- Scratch -------------------------------------------------------------------------------------------------------

// A stack of blocks: an op releases what was pushed since it began.
struct Scratch {
    Scratch *below;
};

enum { SCRATCH_HEADER = 64 };

void *exec_scratch(Exec *e, uint64_t bytes) {
    Scratch *s = bytes < e->heap.cap ? heap_alloc(&e->heap, bytes + SCRATCH_HEADER) : NULL;
    if (!s) out_of_memory(e, bytes);
    s->below = e->scratch;
    e->scratch = s;
    return (char *)s + SCRATCH_HEADER;
}

void *exec_scratch_array(Exec *e, int64_t n, size_t size) {
    if (n < 0 || (uint64_t)n > (UINT64_MAX >> 1) / size) out_of_memory(e, UINT64_MAX);
    return exec_scratch(e, (uint64_t)n * size);
}

static void pop_scratch(Exec *e, Scratch *until) {
    while (e->scratch != until) {
        Scratch *s = e->scratch;
        e->scratch = s->below;
        heap_release(&e->heap, s);
    }
}

void exec_reset(Exec *e) {
    pop_scratch(e, NULL);
    e->depth = 0;
    e->dequantized = false;
}

// ---- Ops -----------------------------------------------------------------------------------------------------------

// Static types bind what runs: a value whose type says 2x3 is 2x3, so that kernels may rely on what the checker has
// seen.
static bool check_result_type(Exec *e, OpId op, uint32_t i) {
    const Type *type = result_type(e->m, op, i);
    const Tensor *t = exec_get(e, e->device, op_result(e->m, op, i));
    if (!t) return exec_error(e, op, NULL, "result %u was not computed", i);
    if (type->kind != TYPE_TENSOR) return true;
    if (tensor_fits(t, type)) return true;
    Buffer have, want;
    buf_init(&have, &e->m->arena);
    buf_init(&want, &e->m->arena);
    tensor_put_type(&have, (Elem)t->elem, t->rank, t->dims);
    tensor_put_type(&want, (Elem)t->elem, type->rank, type->dims);
    return exec_error(e, op, NULL, "the result is %s, but its type says %s", buf_cstr(&have), buf_cstr(&want));
}

static bool run_kernel(Exec *e, OpId op, KernelFn kernel) {
    if (e->plan.quantized[op] && quant_needs_floats(op_kind(e->m, op))) return quant_run(e, op, kernel);
    return kernel(e, op);
}

// Devices whose operands are the very same tensors share the result.
static bool same_operands(const Exec *e, OpId op, uint32_t a, uint32_t b) {
    const Op *o = op_get(e->m, op);
    if (o->n_operands == 0 || !kernel_is_pure((OpKind)o->kind)) return false;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = op_operand(e->m, op, i);
        if (exec_get(e, a, v) != exec_get(e, b, v)) return false;
    }
    return true;
}

static void release_dying(Exec *e, OpId op, uint32_t device) {
    for (uint32_t k = e->plan.first[op]; k < e->plan.first[op + 1]; k++) exec_put(e, device, e->plan.dying[k], NULL);
}

static bool run_on_each(Exec *e, OpId op, KernelFn kernel) {
    const Op *o = op_get(e->m, op);
    Devices devices = e->active;
    for (uint32_t k = 0; k < devices.n; k++) {
        uint32_t next =
            k + 1 < devices.n && same_operands(e, op, devices.at[k], devices.at[k + 1]) ? devices.at[k + 1] : NO_ID;
        e->device = devices.at[k];
        charge(e, op, 1);
        Scratch *scratch = e->scratch;
        if (!run_kernel(e, op, kernel)) return false;
        pop_scratch(e, scratch);
        for (uint32_t i = 0; i < o->n_results; i++)
            if (!check_result_type(e, op, i)) return false;
        // The next devices with the same operands take the same results.
        while (next != NO_ID) {
            for (uint32_t i = 0; i < o->n_results; i++)
                exec_put(e, next, op_result(e->m, op, i),
                         tensor_retain(exec_get(e, devices.at[k], op_result(e->m, op, i))));
            k++;
            next =
                k + 1 < devices.n && same_operands(e, op, devices.at[k], devices.at[k + 1]) ? devices.at[k + 1] : NO_ID;
        }
    }
    return true;
}

static bool run_together(Exec *e, OpId op, KernelFn kernel) {
    const Op *o = op_get(e->m, op);
    Devices devices = e->active;
    charge(e, op, devices.n);
    e->device = devices.at[0];
    Scratch *scratch = e->scratch;
    if (!kernel(e, op)) return false;
    pop_scratch(e, scratch);
    for (uint32_t k = 0; k < devices.n; k++) {
        e->device = devices.at[k];
        for (uint32_t i = 0; i < o->n_results; i++)
            if (!check_result_type(e, op, i)) return false;
    }
    return true;
}

static bool run_op(Exec *e, OpId op, Devices devices) {
    const Op *o = op_get(e->m, op);
    KernelFn kernel = kernel_of((OpKind)o->kind);
    e->op = op;
    e->active = devices;
    if (!(kernel_is_lockstep((OpKind)o->kind) ? run_together(e, op, kernel) : run_on_each(e, op, kernel))) return false;
    for (uint32_t k = 0; k < devices.n; k++) {
        release_dying(e, op, devices.at[k]);
        for (uint32_t i = 0; i < o->n_results; i++)
            if (e->plan.last_use[op_result(e->m, op, i)] == NO_ID)
                exec_put(e, devices.at[k], op_result(e->m, op, i), NULL);
    }
    return true;
}

// ---- Regions -------------------------------------------------------------------------------------------------------

bool exec_region(Exec *e, RegionId r, Devices devices) {
    const Region *region = &e->m->regions.at[r];
    if (e->depth == MAX_DEPTH) return exec_error(e, e->op, NULL, "calls and regions nest more than %d deep", MAX_DEPTH);
    e->depth++;
    Devices active = e->active;
    OpId outer = e->op;
    for (OpId op = region->first; op != NO_ID && op != region->last; op = op_get(e->m, op)->next)
        if (!run_op(e, op, devices)) return false;
    e->depth--;
    e->active = active;
    e->op = outer;
    return true;
}

void exec_yield(Exec *e, uint32_t device, RegionId r, Tensor **results) {
    OpId last = region_terminator(e->m, r);
    for (uint32_t i = 0; i < op_get(e->m, last)->n_operands; i++)
        results[i] = tensor_retain(exec_get(e, device, op_operand(e->m, last, i)));
    release_dying(e, last, device);
}

void exec_bind(Exec *e, uint32_t device, RegionId r, uint32_t i, Tensor *t) {
    ValueId v = e->m->regions.at[r].first_arg + i;
    if (e->plan.last_use[v] != NO_ID)
        exec_put(e, device, v, t);
    else
        tensor_release(&e->heap, t);
}

bool exec_apply(Exec *e, RegionId r, Tensor *const *args, Tensor **results) {
    uint32_t device = e->device;
    for (uint32_t i = 0; i < e->m->regions.at[r].n_args; i++) exec_bind(e, device, r, i, tensor_retain(args[i]));
    if (!exec_region(e, r, (Devices){1, &device})) return false;
    e->device = device;
    exec_yield(e, device, r, results);
    return true;
}

// ---- Plan ----------------------------------------------------------------------------------------------------------

static void plan_last_uses(RunPlan *p, const Module *m, Arena *a) {
    uint32_t *place = arena_new(a, uint32_t, m->ops.n); // an op's position in its region
    for (RegionId r = 0; r < m->regions.n; r++) {
        uint32_t n = 0;
        for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) place[op] = n++;
    }
    for (RegionId r = 0; r < m->regions.n; r++)
        for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next)
            for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
                ValueId v = op_operand(m, op, i);
                OpId at = op_within(m, op, value_region(m, v));
                if (at != op) p->captured[v] = true;
                if (at != NO_ID && (p->last_use[v] == NO_ID || place[at] > place[p->last_use[v]])) p->last_use[v] = at;
            }
}

static bool is_quantized(const Module *m, ValueId v) { return value_tensor(m, v)->elem == EL_QUANT; }

static void plan_build(RunPlan *p, const Module *m, Arena *a) {
    *p = (RunPlan){0};
    p->last_use = arena_new(a, OpId, m->values.n);
    p->captured = arena_zalloc(a, m->values.n * sizeof *p->captured);
    p->first = arena_zalloc(a, ((size_t)m->ops.n + 1) * sizeof *p->first);
    p->dying = arena_new(a, ValueId, m->values.n);
    p->quantized = arena_zalloc(a, m->ops.n);
    p->monoid = arena_zalloc(a, m->regions.n);
    p->constants = arena_zalloc(a, m->ops.n * sizeof *p->constants);
    p->running = arena_zalloc(a, m->regions.n * sizeof *p->running);
    for (ValueId v = 0; v < m->values.n; v++) p->last_use[v] = NO_ID;
    plan_last_uses(p, m, a);

    for (ValueId v = 0; v < m->values.n; v++)
        if (p->last_use[v] != NO_ID) p->first[p->last_use[v] + 1]++;
    for (OpId op = 0; op < m->ops.n; op++) p->first[op + 1] += p->first[op];
    uint32_t *fill = arena_new(a, uint32_t, m->ops.n);
    if (m->ops.n) memcpy(fill, p->first, m->ops.n * sizeof *fill);
    for (ValueId v = 0; v < m->values.n; v++)
        if (p->last_use[v] != NO_ID) p->dying[fill[p->last_use[v]]++] = v;

    for (OpId op = 0; op < m->ops.n; op++) {
        const Op *o = op_get(m, op);
        for (uint32_t i = 0; i < o->n_operands; i++) p->quantized[op] |= is_quantized(m, op_operand(m, op, i));
        for (uint32_t i = 0; i < o->n_results; i++) p->quantized[op] |= is_quantized(m, op_result(m, op, i));
    }
}

void exec_init(Exec *e, Module *m, Arena *a, uint64_t max_memory, uint64_t max_steps, uint32_t replicas,
               uint32_t partitions) {
    *e = (Exec){
        .m = m, .ctx = m->ctx, .arena = a, .n_replicas = replicas, .n_partitions = partitions, .max_steps = max_steps};
    heap_init(&e->heap, m->ctx, max_memory);
    plan_build(&e->plan, m, a);
    e->n_devices = replicas * partitions;
    e->n_values = m->values.n;
    e->rng_state = 0x853c49e6748fea9bu;
    e->env = arena_zalloc(a, e->n_devices * e->n_values * sizeof *e->env);
}
