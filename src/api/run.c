// Running @main as the public header sees it: arguments in, execution, results out.
#include "api/handles.h"
#include "interp/npy.h"
#include "interp/random.h"
#include "interp/zip.h"
#include "support/platform.h"

// ---- Creating ------------------------------------------------------------------------------------------------------

typedef struct CreateCall {
    partir_module *m;
    const partir_run_options *options;
    partir_run *made;
} CreateCall;

static bool create_body(void *arg) {
    CreateCall *call = arg;
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
    if (!r->interp) return false;
    r->n_inputs = call->m->n_arguments;
    r->n_outputs = call->m->n_results;
    size_t devices = interp_devices(r->interp);
    r->inputs = arena_zalloc(&r->arena, devices * r->n_inputs * sizeof *r->inputs);
    r->outputs = arena_zalloc(&r->arena, devices * r->n_outputs * sizeof *r->outputs);
    call->made = r;
    return true;
}

partir_run *partir_run_create(partir_module *m, const partir_run_options *options) {
    static const partir_run_options defaults = {0};
    CreateCall call = {.m = m, .options = options ? options : &defaults};
    return api_call(m->ir->ctx, create_body, &call) ? call.made : NULL;
}

void partir_run_destroy(partir_run *r) {
    if (!r) return;
    interp_free(r->interp);
    arena_free(&r->arena);
}

uint32_t partir_run_device_count(const partir_run *r) { return interp_devices(r->interp); }

// ---- Arguments -----------------------------------------------------------------------------------------------------

static const Type *argument_type(const partir_run *r, uint32_t i) {
    const Module *m = r->module->ir;
    return value_tensor(m, m->regions.at[op_region(m, module_main(m), 0)].first_arg + i);
}

static Elem argument_elem(const partir_run *r, uint32_t i) {
    const Type *t = argument_type(r, i);
    return t->elem == EL_QUANT ? r->module->ir->quants.at[t->quant].storage : (Elem)t->elem;
}

static bool shape_fits(const Type *t, uint32_t rank, const int64_t *dims) {
    if (t->kind != TYPE_TENSOR || rank != t->rank) return false;
    for (uint32_t i = 0; i < rank; i++)
        if (t->dims[i] != DIM_DYNAMIC && t->dims[i] != dims[i]) return false;
    return true;
}

static void put_input(partir_run *r, uint32_t device, uint32_t index, Tensor *t) {
    Tensor **slot = &r->inputs[device * r->n_inputs + index];
    interp_release(r->interp, *slot);
    *slot = t;
}

static void put_on_all(partir_run *r, uint32_t index, Tensor *t) {
    for (uint32_t d = 0; d < interp_devices(r->interp); d++) put_input(r, d, index, tensor_retain(t));
    interp_release(r->interp, t);
}

typedef struct SetCall {
    partir_run *r;
    uint32_t index, device;
    const int64_t *shape;
    const void *elements;
    size_t size;
} SetCall;

static bool set_body(void *arg) {
    SetCall *call = arg;
    partir_run *r = call->r;
    Context *ctx = r->module->ir->ctx;
    if (call->index >= r->n_inputs)
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "there is no argument %u", call->index);
    if (call->device != PARTIR_ALL_DEVICES && call->device >= interp_devices(r->interp))
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "there is no device %u", call->device);
    const Type *t = argument_type(r, call->index);
    const int64_t *shape = call->shape ? call->shape : t->dims;
    if (!shape_fits(t, t->rank, shape) || (!call->shape && !type_is_static(t)))
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "argument %u has another shape", call->index);
    Tensor *made = interp_tensor(r->interp, argument_elem(r, call->index), t->rank, shape);
    if (!made) return false;
    if (tensor_bytes(made) != call->size)
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "argument %u takes %llu bytes, not %llu", call->index,
                          (unsigned long long)tensor_bytes(made), (unsigned long long)call->size);
    if (call->size) memcpy(made->data, call->elements, call->size);
    if (call->device == PARTIR_ALL_DEVICES)
        put_on_all(r, call->index, made);
    else
        put_input(r, call->device, call->index, made);
    return true;
}

int partir_run_set_argument(partir_run *r, uint32_t index, uint32_t device, const int64_t *shape, const void *elements,
                            size_t size) {
    SetCall call = {r, index, device, shape, elements, size};
    return api_call(r->module->ir->ctx, set_body, &call);
}

uint32_t partir_run_missing_arguments(const partir_run *r) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_inputs; i++) {
        bool set = true;
        for (uint32_t d = 0; d < interp_devices(r->interp); d++) set = set && r->inputs[d * r->n_inputs + i];
        n += !set;
    }
    return n;
}

// ---- NumPy files ---------------------------------------------------------------------------------------------------

static bool wrong_array(partir_run *r, uint32_t index, const NpyArray *a, const char *file) {
    Buffer want, have;
    Module *m = r->module->ir;
    buf_init(&want, &m->arena);
    buf_init(&have, &m->arena);
    const Type *t = argument_type(r, index);
    tensor_put_type(&want, argument_elem(r, index), t->rank, t->dims);
    for (uint32_t i = 0; i < a->rank; i++) buf_format(&have, "%lldx", (long long)a->dims[i]);
    buf_span(&have, a->descr);
    return diag_error(m->ctx, NULL, NO_OFFSET, "convert the array with NumPy's astype and reshape",
                      "%s holds %s, but argument %u (%s) is %s", file, buf_cstr(&have), index,
                      r->module->arguments[index].name, buf_cstr(&want));
}

// One array for all devices, or a slice for each.
static bool set_from_array(partir_run *r, uint32_t index, const NpyArray *a, const char *file) {
    const Type *t = argument_type(r, index);
    uint32_t devices = interp_devices(r->interp);
    if (!npy_is(a, argument_elem(r, index))) return wrong_array(r, index, a, file);
    bool stacked =
        devices > 1 && a->rank == t->rank + 1 && a->dims[0] == devices && shape_fits(t, a->rank - 1, a->dims + 1);
    if (!stacked && !shape_fits(t, a->rank, a->dims)) return wrong_array(r, index, a, file);
    for (uint32_t d = 0; d < (stacked ? devices : 1); d++) {
        Tensor *made = interp_tensor(r->interp, argument_elem(r, index), t->rank, stacked ? a->dims + 1 : a->dims);
        if (!made) return false;
        npy_copy(a, stacked ? d * made->n : 0, made);
        if (stacked)
            put_input(r, d, index, made);
        else
            put_on_all(r, index, made);
    }
    return true;
}

static bool ends_with(Span s, const char *end) {
    size_t n = strlen(end);
    return s.n >= n && memcmp(s.at + s.n - n, end, n) == 0;
}

// The argument of that name, or at that place (arg3, arr_3); n_inputs if there is none.
static uint32_t find_argument(const partir_run *r, Span name) {
    for (uint32_t i = 0; i < r->n_inputs; i++)
        if (span_is(name, r->module->arguments[i].name)) return i;
    size_t digits = name.n > 4 && memcmp(name.at, "arr_", 4) == 0  ? 4
                    : name.n > 3 && memcmp(name.at, "arg", 3) == 0 ? 3
                                                                   : name.n;
    uint64_t place = 0;
    for (size_t i = digits; i < name.n; i++) {
        if (name.at[i] < '0' || name.at[i] > '9' || place > r->n_inputs) return r->n_inputs;
        place = place * 10 + (uint64_t)(name.at[i] - '0');
    }
    return digits == name.n || place > r->n_inputs ? r->n_inputs : (uint32_t)place;
}

typedef struct FileCall {
    partir_run *r;
    const char *path;
    Source source;
    Arena arena;
} FileCall;

static bool read_archive(FileCall *call) {
    Zip zip;
    partir_run *r = call->r;
    if (!zip_open(&zip, &call->arena, call->path, (Span){call->source.text, call->source.n})) return false;
    for (uint32_t k = 0; k < zip.members.n; k++) {
        const ZipMember *member = &zip.members.at[k];
        Span name = member->name, bytes;
        if (ends_with(name, ".npy")) name.n -= 4;
        uint32_t index = find_argument(r, name);
        if (index == r->n_inputs) {
            diag_warning(r->module->ir->ctx, NULL, NO_OFFSET, NULL,
                         "%s has an array '%.*s', but there is no such argument", call->path, (int)name.n, name.at);
            continue;
        }
        NpyArray a;
        if (!zip_extract(member, &call->arena, call->path, &bytes) ||
            !npy_parse(&a, r->module->ir->ctx, call->path, bytes) || !set_from_array(r, index, &a, call->path))
            return false;
    }
    return true;
}

static bool read_file_body(void *arg) {
    FileCall *call = arg;
    partir_run *r = call->r;
    arena_init(&call->arena, r->module->ir->ctx);
    if (!source_open(&call->source, &call->arena, call->path)) return false;
    if (ends_with(span_of(call->path), ".npz")) {
        if (!read_archive(call)) return false;
    } else {
        NpyArray a;
        uint32_t index = 0;
        while (index < r->n_inputs && r->inputs[index]) index++;
        if (index == r->n_inputs)
            return diag_error(r->module->ir->ctx, NULL, NO_OFFSET, NULL, "%s: all %u arguments are given already",
                              call->path, r->n_inputs);
        if (!npy_parse(&a, r->module->ir->ctx, call->path, (Span){call->source.text, call->source.n}) ||
            !set_from_array(r, index, &a, call->path))
            return false;
    }
    arena_free(&call->arena);
    return true;
}

int partir_run_read_arguments(partir_run *r, const char *path) {
    FileCall call = {.r = r, .path = path, .source.text = ""};
    bool ok = api_call(r->module->ir->ctx, read_file_body, &call);
    source_close(&call.source);
    return ok;
}

typedef struct RandomCall {
    partir_run *r;
    uint64_t seed;
} RandomCall;

static bool random_body(void *arg) {
    RandomCall *call = arg;
    partir_run *r = call->r;
    for (uint32_t i = 0; i < r->n_inputs; i++) {
        const Type *t = argument_type(r, i);
        // The numbers of one argument do not depend on the others.
        uint64_t state = call->seed * 0x2545F4914F6CDD1Du + i;
        random_next(&state);
        if (r->inputs[i]) continue;
        if (t->kind != TYPE_TENSOR || !type_is_static(t))
            return diag_error(r->module->ir->ctx, NULL, NO_OFFSET, "give it as a .npy file",
                              "argument %u (%s) has no static shape", i, r->module->arguments[i].name);
        Tensor *made = interp_tensor(r->interp, argument_elem(r, i), t->rank, t->dims);
        if (!made) return false;
        random_fill(made, &state);
        put_on_all(r, i, made);
    }
    return true;
}

int partir_run_random_arguments(partir_run *r, uint64_t seed) {
    RandomCall call = {r, seed};
    return api_call(r->module->ir->ctx, random_body, &call);
}

// ---- Execution and results -----------------------------------------------------------------------------------------

static bool execute_body(void *arg) {
    partir_run *r = arg;
    uint32_t missing = partir_run_missing_arguments(r);
    Module *m = r->module->ir;
    if (missing)
        return diag_error(m->ctx, NULL, NO_OFFSET, NULL, "%u of %u arguments are not given", missing, r->n_inputs);
    for (size_t i = 0; i < (size_t)interp_devices(r->interp) * r->n_outputs; i++) {
        interp_release(r->interp, r->outputs[i]);
        r->outputs[i] = NULL;
    }
    return interp_run(r->interp, module_main(m), r->inputs, r->outputs);
}

int partir_run_execute(partir_run *r) { return api_call(r->module->ir->ctx, execute_body, r); }

partir_array partir_run_result(const partir_run *r, uint32_t index, uint32_t device) {
    if (index >= r->n_outputs || device >= interp_devices(r->interp)) return (partir_array){0};
    const Tensor *t = r->outputs[device * r->n_outputs + index];
    if (!t || t->kind != TENSOR_DENSE) return (partir_array){0};
    return (partir_array){.type = elem_text((Elem)t->elem),
                          .shape = t->dims,
                          .rank = t->rank,
                          .elements = t->data,
                          .size = tensor_bytes(t)};
}

typedef struct OutCall {
    const partir_run *r;
    const char *path;
    partir_text *made;
} OutCall;

enum { SHOWN = 100 };

static bool print_body(void *arg) {
    OutCall *call = arg;
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
    text_finish(text, &out);
    call->made = text;
    return true;
}

partir_text *partir_run_print_results(const partir_run *r) {
    OutCall call = {.r = r};
    return api_call(r->module->ir->ctx, print_body, &call) ? call.made : NULL;
}

// Result i as a .npy file, stacked on several devices. False if it is no tensor, or devices differ in shape.
static bool put_result(const partir_run *r, Arena *a, uint32_t i, Buffer *out) {
    uint32_t devices = interp_devices(r->interp);
    const Tensor **parts = arena_new(a, const Tensor *, devices), *first = r->outputs[i];
    int64_t dims[MAX_RANK + 1];
    for (uint32_t d = 0; d < devices; d++) {
        parts[d] = r->outputs[d * r->n_outputs + i];
        if (!parts[d] || parts[d]->kind != TENSOR_DENSE || !tensor_same_shape(parts[d], first)) return false;
    }
    uint32_t rank = 0;
    if (devices > 1) dims[rank++] = devices;
    for (uint32_t d = 0; d < first->rank; d++) dims[rank++] = first->dims[d];
    npy_write(out, (Elem)first->elem, rank, dims, parts, devices);
    return true;
}

static bool write_file(Context *ctx, const char *path, Buffer *b) {
    FileStatus s = platform_write(path, b->at, b->n);
    if (s == FILE_OK) return true;
    return diag_error(ctx, NULL, NO_OFFSET, NULL, "cannot write '%s': %s", path, platform_status_text(s));
}

static bool write_folder(const partir_run *r, const char *path) {
    Context *ctx = r->module->ir->ctx;
    FileStatus s = platform_make_folder(path);
    if (s != FILE_OK)
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "cannot make '%s': %s", path, platform_status_text(s));
    for (uint32_t i = 0; i < r->n_outputs; i++) {
        Arena arena;
        arena_init(&arena, ctx);
        Buffer bytes, name;
        buf_init(&bytes, &arena);
        buf_init(&name, &arena);
        buf_format(&name, "%s/", path);
        for (const char *p = r->module->results[i].name; *p; p++) buf_char(&name, *p == '/' ? '.' : *p);
        buf_str(&name, ".npy");
        if (put_result(r, &arena, i, &bytes) && !write_file(ctx, buf_cstr(&name), &bytes)) return false;
        arena_free(&arena);
    }
    return true;
}

static bool write_archive(const partir_run *r, const char *path) {
    Arena arena;
    arena_init(&arena, r->module->ir->ctx);
    Buffer out;
    ZipWriter zip;
    buf_init(&out, &arena);
    zip_begin(&zip, &out, &arena);
    for (uint32_t i = 0; i < r->n_outputs; i++) {
        Buffer bytes, name;
        buf_init(&bytes, &arena);
        buf_init(&name, &arena);
        buf_format(&name, "%s.npy", r->module->results[i].name);
        if (put_result(r, &arena, i, &bytes)) zip_add(&zip, (Span){name.at, name.n}, (Span){bytes.at, bytes.n});
    }
    zip_end(&zip);
    bool ok = write_file(r->module->ir->ctx, path, &out);
    arena_free(&arena);
    return ok;
}

static bool write_body(void *arg) {
    OutCall *call = arg;
    return ends_with(span_of(call->path), ".npz") ? write_archive(call->r, call->path)
                                                  : write_folder(call->r, call->path);
}

int partir_run_write_results(const partir_run *r, const char *path) {
    OutCall call = {.r = r, .path = path};
    return api_call(r->module->ir->ctx, write_body, &call);
}
