// Running @main as the public header sees it: arguments in, execution, results out.
#include "api/run_parts.h"
#include "interp/random/random.h"

// ---- Creating ------------------------------------------------------------------------------------------------------

typedef struct RunCreateCall {
    partir_module *m;
    const partir_run_options *options;
    partir_run *made;
} RunCreateCall;

static bool run_create_body(void *arg) {
    RunCreateCall *call = arg;
    Module *ir = call->m->ir;
    InterpOptions o = {.max_memory = call->options->max_memory,
                       .max_steps = call->options->max_steps,
                       .replicas = call->options->replicas};
    if (module_main(ir) == NO_ID)
        return diag_error(ir->ctx, NULL, NO_OFFSET, "name the function to run @main", "the module has no @main");
    if (call->options->devices) {
        uint32_t replicas = o.replicas ? o.replicas : interp_module_replicas(ir);
        if (call->options->devices % replicas)
            return diag_error(ir->ctx, NULL, NO_OFFSET, NULL, "%u devices are no multiple of %u replicas",
                              call->options->devices, replicas);
        o.partitions = call->options->devices / replicas;
    }
    Arena arena;
    arena_init(&arena, ir->ctx);
    partir_run *r = arena_zalloc(&arena, sizeof *r);
    arena_move(&r->arena, &arena);
    r->module = call->m;
    r->interp = interp_new(ir, &o);
    if (!r->interp || !run_read_mesh(r)) return false;
    r->n_inputs = call->m->n_arguments;
    r->n_outputs = call->m->n_results;
    size_t devices = interp_devices(r->interp);
    r->inputs = arena_zalloc(&r->arena, devices * r->n_inputs * sizeof *r->inputs);
    r->outputs = arena_zalloc(&r->arena, devices * r->n_outputs * sizeof *r->outputs);
    call->made = r;
    return true;
}

partir_status partir_run_create(partir_module *m, const partir_run_options *options, partir_run **out) {
    partir_run_options taken = {0};
    Context *ctx = m ? m->ir->ctx : NULL;
    if (!m || !out) return api_misuse(ctx, "a run is made of a module into a pointer; one of them is NULL");
    *out = NULL;
    if (!api_take(&taken, options, sizeof taken)) return api_misuse(ctx, "the size of the options is not set");
    RunCreateCall call = {.m = m, .options = &taken};
    partir_status status = api_call(ctx, run_create_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}

void partir_run_destroy(partir_run *r) {
    if (!r) return;
    interp_free(r->interp);
    arena_free(&r->arena);
}

uint32_t partir_run_device_count(const partir_run *r) { return r ? interp_devices(r->interp) : 0; }

static Context *run_context(const partir_run *r) { return r->module->ir->ctx; }

// ---- Arguments -----------------------------------------------------------------------------------------------------

const Type *run_argument_type(const partir_run *r, uint32_t i) {
    const Module *m = r->module->ir;
    return value_tensor(m, m->regions.at[op_region(m, module_main(m), 0)].first_arg + i);
}

Elem run_argument_elem(const partir_run *r, uint32_t i) {
    const Type *t = run_argument_type(r, i);
    return t->elem == EL_QUANT ? r->module->ir->quants.at[t->quant].storage : (Elem)t->elem;
}

bool run_shape_fits(const Type *t, uint32_t rank, const int64_t *dims) {
    if (t->kind != TYPE_TENSOR || rank != t->rank) return false;
    for (uint32_t i = 0; i < rank; i++)
        if (t->dims[i] != DIM_DYNAMIC && t->dims[i] != dims[i]) return false;
    return true;
}

void run_put_input(partir_run *r, uint32_t device, uint32_t index, Tensor *t) {
    Tensor **slot = &r->inputs[device * r->n_inputs + index];
    interp_release(r->interp, *slot);
    *slot = t;
}

void run_put_on_all(partir_run *r, uint32_t index, Tensor *t) {
    for (uint32_t d = 0; d < interp_devices(r->interp); d++) run_put_input(r, d, index, tensor_retain(t));
    interp_release(r->interp, t);
}

typedef struct RunSetCall {
    partir_run *r;
    uint32_t index, device;
    const int64_t *shape;
    const void *elements;
    size_t size;
} RunSetCall;

static bool run_set_body(void *arg) {
    RunSetCall *call = arg;
    partir_run *r = call->r;
    Context *ctx = r->module->ir->ctx;
    if (call->index >= r->n_inputs)
        return fail_as(ctx, PARTIR_NOT_FOUND,
                       diag_error(ctx, NULL, NO_OFFSET, NULL, "there is no argument %u", call->index));
    if (call->device != PARTIR_ALL_DEVICES && call->device >= interp_devices(r->interp))
        return fail_as(ctx, PARTIR_NOT_FOUND,
                       diag_error(ctx, NULL, NO_OFFSET, NULL, "there is no device %u", call->device));
    const Type *t = run_argument_type(r, call->index);
    const int64_t *shape = call->shape ? call->shape : t->dims;
    if (!run_shape_fits(t, t->rank, shape) || (!call->shape && !type_is_static(t)))
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "argument %u has another shape", call->index);
    Tensor *made = interp_tensor(r->interp, run_argument_elem(r, call->index), t->rank, shape);
    if (!made) return false;
    if (tensor_bytes(made) != call->size)
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "argument %u takes %llu bytes, not %llu", call->index,
                          (unsigned long long)tensor_bytes(made), (unsigned long long)call->size);
    if (call->size) memcpy(made->data, call->elements, call->size);
    if (call->device == PARTIR_ALL_DEVICES)
        run_put_on_all(r, call->index, made);
    else
        run_put_input(r, call->device, call->index, made);
    return true;
}

partir_status partir_run_set_argument(partir_run *r, uint32_t index, uint32_t device, const int64_t *shape,
                                      const void *elements, size_t bytes) {
    if (!r) return PARTIR_MISUSE;
    if (!elements && bytes) return api_misuse(run_context(r), "the elements are NULL");
    RunSetCall call = {r, index, device, shape, elements, bytes};
    return api_call(run_context(r), run_set_body, &call);
}

uint32_t partir_run_missing_arguments(const partir_run *r) {
    uint32_t n = 0;
    if (!r) return 0;
    for (uint32_t i = 0; i < r->n_inputs; i++) {
        bool set = true;
        for (uint32_t d = 0; d < interp_devices(r->interp); d++) set = set && r->inputs[d * r->n_inputs + i];
        n += !set;
    }
    return n;
}

// ---- Random arguments -----------------------------------------------------------------------------------------------

typedef struct RandomCall {
    partir_run *r;
    uint64_t seed;
} RandomCall;

static bool random_body(void *arg) {
    RandomCall *call = arg;
    partir_run *r = call->r;
    for (uint32_t i = 0; i < r->n_inputs; i++) {
        const Type *t = run_argument_type(r, i);
        // The numbers of one argument do not depend on the others.
        uint64_t state = call->seed * 0x2545F4914F6CDD1Du + i;
        random_next(&state);
        if (r->inputs[i]) continue;
        if (t->kind != TYPE_TENSOR || !type_is_static(t))
            return diag_error(r->module->ir->ctx, NULL, NO_OFFSET, "give it as a .npy file",
                              "argument %u (%s) has no static shape", i, r->module->arguments[i].name);
        ArrayParts parts;
        int64_t dims[MAX_RANK];
        bool split = run_parts(r, A_arg_attrs, i, t->rank, &parts) && parts_whole_dims(&parts, t, dims);
        Tensor *made = interp_tensor(r->interp, run_argument_elem(r, i), t->rank, split ? dims : t->dims);
        if (!made) return false;
        random_fill(made, &state);
        if (!split)
            run_put_on_all(r, i, made);
        else if (!run_put_parts(r, i, &parts, made))
            return false;
    }
    return true;
}

partir_status partir_run_random_arguments(partir_run *r, uint64_t seed) {
    return r ? api_call(run_context(r), random_body, &(RandomCall){r, seed}) : PARTIR_MISUSE;
}

// ---- Execution and results -----------------------------------------------------------------------------------------

static bool execute_body(void *arg) {
    partir_run *r = arg;
    uint32_t missing = partir_run_missing_arguments(r);
    Module *m = r->module->ir;
    if (missing)
        return fail_as(m->ctx, PARTIR_MISUSE,
                       diag_error(m->ctx, NULL, NO_OFFSET, NULL, "%u of %u arguments are not given", missing,
                                  r->n_inputs));
    for (size_t i = 0; i < (size_t)interp_devices(r->interp) * r->n_outputs; i++) {
        interp_release(r->interp, r->outputs[i]);
        r->outputs[i] = NULL;
    }
    return interp_run(r->interp, module_main(m), r->inputs, r->outputs);
}

partir_status partir_run_execute(partir_run *r) {
    return r ? api_call(run_context(r), execute_body, r) : PARTIR_MISUSE;
}

partir_status partir_run_result(const partir_run *r, uint32_t index, uint32_t device, partir_array *out) {
    if (!r) return PARTIR_MISUSE;
    if (index >= r->n_outputs) return api_not_found(run_context(r), "result", index, r->n_outputs);
    uint32_t devices = interp_devices(r->interp);
    if (device >= devices) return api_not_found(run_context(r), "device", device, devices);
    const Tensor *t = r->outputs[device * r->n_outputs + index];
    if (!t) return api_misuse(run_context(r), "there are no results: nothing was executed");
    if (t->kind != TENSOR_DENSE) return api_misuse(run_context(r), "this result is no array");
    partir_array found = {.type = elem_text((Elem)t->elem),
                          .shape = t->dims,
                          .rank = t->rank,
                          .elements = t->data,
                          .bytes = tensor_bytes(t)};
    return api_give(run_context(r), out, &found, sizeof found);
}

typedef struct RunPrintCall {
    const partir_run *r;
    partir_text *made;
} RunPrintCall;

enum { SHOWN = 100 };

static bool run_print_body(void *arg) {
    RunPrintCall *call = arg;
    const partir_run *r = call->r;
    uint32_t devices = interp_devices(r->interp);
    Buffer out;
    partir_text *text = text_new(r->module->ir->ctx, &out);
    for (uint32_t i = 0; i < r->n_outputs; i++)
        for (uint32_t d = 0; d < devices; d++) {
            const Tensor *t = r->outputs[d * r->n_outputs + i];
            if (!t || t->kind != TENSOR_DENSE) continue;
            buf_str(&out, r->module->results[i].name);
            if (devices > 1) buf_format(&out, " on device %u", d);
            buf_str(&out, " : ");
            tensor_put_type(&out, (Elem)t->elem, t->rank, t->dims);
            buf_str(&out, " = ");
            tensor_put_elements(&out, t, SHOWN);
            buf_char(&out, '\n');
        }
    text_make_printable(out.at, out.n, true);
    text_finish(text, &out);
    call->made = text;
    return true;
}

partir_status partir_run_print_results(const partir_run *r, partir_text **out) {
    if (!r || !out) return api_misuse(r ? run_context(r) : NULL, "the pointer for the text is NULL");
    RunPrintCall call = {.r = r};
    partir_status status = api_call(run_context(r), run_print_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}
