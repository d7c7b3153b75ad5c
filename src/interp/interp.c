// Setting up a run: the grid of devices, inputs bound to arguments, outputs collected.
#include "interp/interp.h"
#include "interp/exec.h"
#include "support/guard.h"

struct Interp {
    Arena arena; // holds this too
    Exec exec;
};

// An integer attribute of the module, such as mhlo.num_partitions = 8 : i32.
static uint32_t module_number(const Module *m, const char *name) {
    AttrId attr = module_attr(m, span_of(name));
    const Attr *a = attr == NO_ID ? NULL : attr_get(m, attr);
    return a && a->kind == ATTR_INT && a->i > 0 && a->i <= INTERP_MAX_DEVICES ? (uint32_t)a->i : 1;
}

uint32_t interp_module_replicas(const Module *m) { return module_number(m, "mhlo.num_replicas"); }

Interp *interp_new(Module *m, const InterpOptions *options) {
    uint32_t replicas = options->replicas ? options->replicas : module_number(m, "mhlo.num_replicas");
    uint32_t partitions = options->partitions ? options->partitions : module_number(m, "mhlo.num_partitions");
    if ((uint64_t)replicas * partitions > INTERP_MAX_DEVICES) {
        diag_error(m->ctx, NULL, NO_OFFSET, NULL, "%u x %u devices are more than %d, the most that can be simulated",
                   replicas, partitions, INTERP_MAX_DEVICES);
        fail_as(m->ctx, PARTIR_TOO_LARGE, false);
        return NULL;
    }
    Arena arena;
    arena_init(&arena, m->ctx);
    Interp *it = arena_zalloc(&arena, sizeof *it);
    arena_move(&it->arena, &arena);
    exec_init(&it->exec, m, &it->arena, options->max_memory ? options->max_memory : INTERP_MAX_MEMORY,
              options->max_steps ? options->max_steps : INTERP_MAX_STEPS, replicas, partitions);
    return it;
}

void interp_free(Interp *it) {
    if (!it) return;
    heap_free(&it->exec.heap);
    arena_free(&it->arena);
}

uint32_t interp_devices(const Interp *it) { return it->exec.n_devices; }

Tensor *interp_tensor(Interp *it, Elem elem, uint32_t rank, const int64_t *dims) {
    Tensor *t = rank > MAX_RANK ? NULL : tensor_new(&it->exec.heap, elem, rank, dims);
    if (!t) {
        diag_error(it->exec.ctx, NULL, NO_OFFSET, "raise the cap (--max-memory)",
                   "a tensor of rank %u would pass the memory cap of %llu bytes", rank,
                   (unsigned long long)it->exec.heap.cap);
        fail_as(it->exec.ctx, PARTIR_TOO_LARGE, false);
    }
    return t;
}

Heap *interp_heap(Interp *it) { return &it->exec.heap; }
void interp_release(Interp *it, Tensor *t) { tensor_release(&it->exec.heap, t); }

static bool check_input(Exec *e, OpId function, uint32_t i, const Tensor *t) {
    const Type *type = value_tensor(e->m, e->m->regions.at[op_region(e->m, function, 0)].first_arg + i);
    if (type->kind != TYPE_TENSOR) return exec_error(e, function, NULL, "argument %u is no tensor", i);
    Elem elem = type->elem == EL_QUANT ? e->m->quants.at[type->quant].storage : (Elem)type->elem;
    if ((Elem)t->elem == elem && tensor_fits(t, type)) return true;
    Buffer have, want;
    buf_init(&have, &e->m->arena);
    buf_init(&want, &e->m->arena);
    tensor_put_type(&have, (Elem)t->elem, t->rank, t->dims);
    tensor_put_type(&want, elem, type->rank, type->dims);
    return exec_error(e, function, NULL, "argument %u is %s, but the program wants %s", i, buf_cstr(&have),
                      buf_cstr(&want));
}

static bool run_function(Exec *e, OpId function, Tensor *const *inputs, Tensor **outputs) {
    RegionId body = op_region(e->m, function, 0);
    uint32_t n = e->m->regions.at[body].n_args;
    if (e->m->regions.at[body].last == NO_ID) return exec_error(e, function, NULL, "the function has no body");
    uint32_t *devices = exec_scratch(e, e->n_devices * sizeof *devices);
    e->op = function;
    for (uint32_t d = 0; d < e->n_devices; d++) {
        e->device = devices[d] = d;
        for (uint32_t i = 0; i < n; i++) {
            if (!check_input(e, function, i, inputs[d * n + i])) return false;
            exec_bind(e, d, body, i, tensor_retain(inputs[d * n + i]));
        }
    }
    e->plan.running[body] = true;
    if (!exec_region(e, body, (Devices){e->n_devices, devices})) return false;
    uint32_t n_results = op_get(e->m, region_terminator(e->m, body))->n_operands;
    for (uint32_t d = 0; d < e->n_devices; d++) exec_yield(e, d, body, outputs + d * n_results);
    return true;
}

// What an unfinished run has left behind.
static void clean_up(Exec *e) {
    for (size_t i = 0; i < e->n_devices * e->n_values; i++) {
        tensor_release(&e->heap, e->env[i]);
        e->env[i] = NULL;
    }
    memset(e->plan.running, 0, e->m->regions.n * sizeof *e->plan.running);
    exec_reset(e);
}

bool interp_run(Interp *it, OpId function, Tensor *const *inputs, Tensor **outputs) {
    Exec *e = &it->exec;
    Guard g;
    bool good = false;
    e->steps = 0;
    if (GUARD(e->ctx, &g)) {
        good = run_function(e, function, inputs, outputs);
        guard_close(e->ctx, &g);
        clean_up(e);
        return good;
    }
    clean_up(e);
    return false;
}
