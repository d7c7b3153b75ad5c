// Arguments from NumPy files, results into them.
#include "api/run_parts.h"
#include "interp/npy/array_names.h"
#include "interp/npy/npy.h"
#include "interp/npy/zip.h"
#include "support/hash.h"

// ---- Arguments -----------------------------------------------------------------------------------------------------

static bool wrong_array(partir_run *r, uint32_t index, const NpyArray *a, const char *file) {
    Buffer want, have;
    Module *m = r->module->ir;
    buf_init(&want, &m->arena);
    buf_init(&have, &m->arena);
    const Type *t = run_argument_type(r, index);
    ArrayParts parts;
    int64_t dims[MAX_RANK];
    if (run_parts(r, A_arg_attrs, index, t->rank, &parts) && parts_whole_dims(&parts, t, dims)) {
        tensor_put_type(&want, run_argument_elem(r, index), t->rank, dims);
        buf_str(&want, ", of which a device holds ");
    }
    tensor_put_type(&want, run_argument_elem(r, index), t->rank, t->dims);
    for (uint32_t i = 0; i < a->rank; i++) buf_format(&have, "%lldx", (long long)a->dims[i]);
    buf_span(&have, a->descr);
    return diag_error(m->ctx, NULL, NO_OFFSET, "convert the array with NumPy's astype and reshape",
                      "%s holds %s, but argument %u (%s) is %s", file, buf_cstr(&have), index,
                      r->module->arguments[index].name, buf_cstr(&want));
}

// One array for all devices, or a slice for each.
static bool is_stacked(const partir_run *r, uint32_t index, const NpyArray *a) {
    const Type *t = run_argument_type(r, index);
    uint32_t devices = interp_devices(r->interp);
    return devices > 1 && a->rank == t->rank + 1 && a->dims[0] == devices && run_shape_fits(t, a->rank - 1, a->dims + 1);
}

// The whole array, of which each device has a part.
static bool is_whole(const partir_run *r, uint32_t index, const NpyArray *a, ArrayParts *parts) {
    const Type *t = run_argument_type(r, index);
    int64_t dims[MAX_RANK];
    return t->kind == TYPE_TENSOR && a->rank == t->rank && run_parts(r, A_arg_attrs, index, t->rank, parts) &&
           parts_whole_dims(parts, t, dims) && memcmp(a->dims, dims, a->rank * sizeof *dims) == 0;
}

static bool array_fits(partir_run *r, uint32_t index, const NpyArray *a, const char *file) {
    ArrayParts parts;
    if (npy_is(a, run_argument_elem(r, index)) &&
        (is_stacked(r, index, a) || is_whole(r, index, a, &parts) ||
         run_shape_fits(run_argument_type(r, index), a->rank, a->dims)))
        return true;
    return wrong_array(r, index, a, file);
}

static bool set_from_array(partir_run *r, uint32_t index, const NpyArray *a) {
    const Type *t = run_argument_type(r, index);
    bool stacked = is_stacked(r, index, a);
    ArrayParts parts;
    if (is_whole(r, index, a, &parts)) {
        Tensor *whole = interp_tensor(r->interp, run_argument_elem(r, index), a->rank, a->dims);
        if (!whole) return false;
        npy_copy(a, 0, whole);
        return run_put_parts(r, index, &parts, whole);
    }
    for (uint32_t d = 0; d < (stacked ? interp_devices(r->interp) : 1); d++) {
        Tensor *made = interp_tensor(r->interp, run_argument_elem(r, index), t->rank, stacked ? a->dims + 1 : a->dims);
        if (!made) return false;
        npy_copy(a, stacked ? d * made->n : 0, made);
        if (stacked)
            run_put_input(r, d, index, made);
        else
            run_put_on_all(r, index, made);
    }
    return true;
}

static bool ends_with(Span s, const char *end) {
    size_t n = strlen(end);
    return s.n >= n && memcmp(s.at + s.n - n, end, n) == 0;
}

// The argument of that name, or at that place (arg3, arr_3); n_inputs if there is none.
static uint32_t find_argument(const partir_run *r, const IdMap *names, Span name) {
    uint32_t hash = span_hash(name);
    for (uint32_t p = hash, id; (id = idmap_probe(names, hash, &p)) != IDMAP_END;)
        if (span_is(name, r->module->arguments[id].name)) return id;
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
    FileBytes file;
    Arena arena;
    Zip zip;
    char *bytes; // of an array, on the heap
} FileCall;

// The header first: an array that is not wanted, or not of its shape, is not read.
static bool set_from_member(FileCall *call, const ZipMember *m, const char *name, uint32_t index) {
    partir_run *r = call->r;
    Context *ctx = r->module->ir->ctx;
    NpyArray a;
    size_t got;
    char *first = arena_alloc(&call->arena, NPY_MAX_HEADER);
    if (!zip_peek(&call->zip, m, first, NPY_MAX_HEADER, &got) ||
        !npy_parse(&a, ctx, name, (Span){first, got}, m->size) || !array_fits(r, index, &a, name))
        return false;
    if (!(call->bytes = zip_extract(&call->zip, m))) return false;
    a.data = call->bytes + a.start;
    bool good = set_from_array(r, index, &a);
    heap_release(interp_heap(r->interp), call->bytes);
    call->bytes = NULL;
    arena_drop(&call->arena, first);
    return good;
}

static bool read_archive(FileCall *call) {
    partir_run *r = call->r;
    Context *ctx = r->module->ir->ctx;
    if (!zip_open(&call->zip, &call->arena, interp_heap(r->interp), &call->file)) return false;
    IdMap names;
    idmap_init(&names, &call->arena);
    for (uint32_t i = 0; i < r->n_inputs; i++) idmap_add(&names, span_hash(span_of(r->module->arguments[i].name)), i);
    bool *given = arena_zalloc(&call->arena, r->n_inputs + 1);
    for (uint32_t k = 0; k < call->zip.members.n; k++) {
        const ZipMember *member = &call->zip.members.at[k];
        Span name = member->name;
        if (ends_with(name, ".npy")) name.n -= 4;
        uint32_t index = find_argument(r, &names, name);
        if (index == r->n_inputs) index = find_argument(r, &names, array_of_member(&call->arena, name));
        Buffer full;
        buf_init(&full, &call->arena);
        buf_format(&full, "%s: '%.*s'", call->path, (int)name.n, name.at);
        if (index == r->n_inputs)
            diag_warning(ctx, NULL, NO_OFFSET, NULL, "%s is an array, but there is no such argument", buf_cstr(&full));
        else if (given[index])
            return diag_error(ctx, NULL, NO_OFFSET, NULL, "%s is argument %u (%s), which is in the file already",
                              buf_cstr(&full), index, r->module->arguments[index].name);
        else if (!set_from_member(call, member, buf_cstr(&full), index))
            return false;
        else
            given[index] = true;
    }
    return true;
}

static bool read_array_file(FileCall *call) {
    partir_run *r = call->r;
    Context *ctx = r->module->ir->ctx;
    NpyArray a;
    uint32_t index = 0;
    while (index < r->n_inputs && r->inputs[index]) index++;
    if (index == r->n_inputs)
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "%s: all %u arguments are given already", call->path,
                          r->n_inputs);
    size_t n = call->file.n < NPY_MAX_HEADER ? (size_t)call->file.n : NPY_MAX_HEADER;
    char *first = arena_alloc(&call->arena, NPY_MAX_HEADER);
    if (!file_read(&call->file, 0, first, n) || !npy_parse(&a, ctx, call->path, (Span){first, n}, call->file.n) ||
        !array_fits(r, index, &a, call->path))
        return false;
    size_t size = (size_t)(call->file.n - a.start);
    call->bytes = heap_alloc(interp_heap(r->interp), size);
    if (!call->bytes)
        return diag_error(ctx, NULL, NO_OFFSET, "raise the cap (--max-memory)",
                          "%s: its %llu bytes would pass the memory cap", call->path, (unsigned long long)size);
    if (!file_read(&call->file, a.start, call->bytes, size)) return false;
    a.data = call->bytes;
    return set_from_array(r, index, &a);
}

static bool read_file_body(void *arg) {
    FileCall *call = arg;
    partir_run *r = call->r;
    arena_init(&call->arena, r->module->ir->ctx);
    if (!file_open(&call->file, &call->arena, call->path, interp_heap(r->interp)->cap)) return false;
    if (!(ends_with(span_of(call->path), ".npz") ? read_archive(call) : read_array_file(call))) return false;
    arena_free(&call->arena);
    return true;
}

partir_status partir_run_read_arguments(partir_run *r, const char *path) {
    if (!r) return PARTIR_MISUSE;
    if (!path) return api_misuse(r->module->ir->ctx, "no path was given");
    FileCall call = {.r = r, .path = path, .zip.heap = interp_heap(r->interp)};
    partir_status status = api_call(r->module->ir->ctx, read_file_body, &call);
    file_close(&call.file);
    zip_close(&call.zip);
    if (call.bytes) heap_release(interp_heap(r->interp), call.bytes);
    return status;
}

// ---- Results -------------------------------------------------------------------------------------------------------

typedef struct RunWriteCall {
    const partir_run *r;
    const char *path;
} RunWriteCall;

// Result i as a .npy file: whole where the program says how it is split, else stacked on several devices. False if it is no
// tensor, or devices differ in shape.
static bool put_result(const partir_run *r, Arena *a, uint32_t i, Buffer *out) {
    uint32_t devices = interp_devices(r->interp);
    const Tensor **parts = arena_new(a, const Tensor *, devices), *first = r->outputs[i];
    int64_t dims[MAX_RANK + 1];
    for (uint32_t d = 0; d < devices; d++) {
        parts[d] = r->outputs[d * r->n_outputs + i];
        if (!parts[d] || parts[d]->kind != TENSOR_DENSE || !tensor_same_shape(parts[d], first)) return false;
    }
    ArrayParts split;
    if (run_parts(r, A_res_attrs, i, first->rank, &split)) {
        Tensor whole = {.elem = first->elem, .rank = first->rank, .n = 1, .dims = dims};
        for (uint32_t d = 0; d < first->rank; d++) whole.n *= dims[d] = first->dims[d] * split.chunks[d];
        whole.data = arena_alloc(a, tensor_bytes(&whole));
        run_join_parts(r, &split, parts, &whole);
        const Tensor *one = &whole;
        npy_write(out, (Elem)whole.elem, whole.rank, dims, &one, 1);
        return true;
    }
    uint32_t rank = 0;
    if (devices > 1) dims[rank++] = devices;
    for (uint32_t d = 0; d < first->rank; d++) dims[rank++] = first->dims[d];
    npy_write(out, (Elem)first->elem, rank, dims, parts, devices);
    return true;
}

static bool write_bytes(Context *ctx, const char *path, Buffer *b) {
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
        array_file_name(&name, span_of(r->module->results[i].name));
        buf_str(&name, ".npy");
        if (put_result(r, &arena, i, &bytes) && !write_bytes(ctx, buf_cstr(&name), &bytes)) return false;
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
        array_member_name(&name, span_of(r->module->results[i].name));
        buf_str(&name, ".npy");
        if (put_result(r, &arena, i, &bytes)) zip_add(&zip, (Span){name.at, name.n}, (Span){bytes.at, bytes.n});
    }
    zip_end(&zip);
    bool ok = write_bytes(r->module->ir->ctx, path, &out);
    arena_free(&arena);
    return ok;
}

static bool run_write_body(void *arg) {
    RunWriteCall *call = arg;
    return ends_with(span_of(call->path), ".npz") ? write_archive(call->r, call->path)
                                                  : write_folder(call->r, call->path);
}

partir_status partir_run_write_results(const partir_run *r, const char *path) {
    if (!r) return PARTIR_MISUSE;
    if (!path) return api_misuse(r->module->ir->ctx, "no path was given");
    return api_call(r->module->ir->ctx, run_write_body, &(RunWriteCall){r, path});
}
