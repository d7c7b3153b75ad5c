// Fuzzing all that is read beside programs: schedules, meshes, devices, names, arrays and archives; and programs of any dialect
// that is read, run by the interpreter on random inputs. The first byte says which; the rest is the text.
#include "core/schedule/schedule.h"
#include "interp/interp.h"
#include "interp/npy/npy.h"
#include "interp/npy/zip.h"
#include "interp/random/random.h"
#include "ir/names.h"
#include "reports.h"
#include "sim/device/device.h"
#include "stablehlo/check.h"
#include "stablehlo/read/reader.h"

static const char program[] = "func.func @main(%a: tensor<4x4xf32>, %b: tensor<4xi32>) -> tensor<4x4xf32> {\n"
                              "  return %a : tensor<4x4xf32>\n"
                              "}\n";

static bool read_schedule(Context *ctx, Arena *a, Span text) {
    Source source;
    Schedule s;
    source_from_memory(&source, "schedule", text.at, text.n);
    return schedule_read(ctx, a, &source, &s);
}

static bool read_mesh(Context *ctx, Arena *a, Span text) {
    Mesh mesh;
    return mesh_parse(&mesh, ctx, a, text, NULL, NO_OFFSET);
}

static bool read_device(Context *ctx, Arena *a, Span text) {
    Source source;
    Device d = {0};
    source_from_memory(&source, "device", text.at, text.n);
    if (!device_read(ctx, a, &source, &d)) return false;
    Buffer out;
    buf_init(&out, a);
    device_print(&d, &out);
    Device again = {0};
    source_from_memory(&source, "printed", out.at, out.n);
    if (!device_read(ctx, a, &source, &again)) abort(); // what was printed does not read
    return true;
}

static bool read_names(Context *ctx, Arena *a, Span text) {
    (void)a;
    Module *m = module_new(ctx);
    Source source;
    source_from_memory(&m->source, "program", program, sizeof program - 1);
    source_from_memory(&source, "names", text.at, text.n);
    bool good = read_module(m) && check_module(m) && names_from_module(m) && names_from_text(m, &source);
    module_free(m);
    return good;
}

static bool read_array(Context *ctx, Arena *a, Span text) {
    (void)a;
    NpyArray array;
    Heap heap;
    if (!npy_parse(&array, ctx, "x.npy", text, text.n)) return false;
    array.data = text.at + array.start;
    heap_init(&heap, ctx, 1 << 20);
    for (Elem e = 0; e < EL_COUNT; e++)
        if (npy_is(&array, e)) {
            Tensor *t = tensor_new(&heap, e, array.rank, array.dims);
            if (t) npy_copy(&array, 0, t);
        }
    heap_free(&heap);
    return true;
}

static bool read_archive(Context *ctx, Arena *a, Span text) {
    Heap heap;
    FileBytes file = {.ctx = ctx, .name = "x.npz", .n = text.n, .memory = text.at};
    Zip zip;
    heap_init(&heap, ctx, 1 << 20);
    bool good = zip_open(&zip, a, &heap, &file);
    for (uint32_t i = 0; good && i < zip.members.n; i++) {
        char first[128], *bytes;
        size_t got;
        good = zip_peek(&zip, &zip.members.at[i], first, sizeof first, &got) &&
               (bytes = zip_extract(&zip, &zip.members.at[i]));
        if (good) heap_release(&heap, bytes);
    }
    if (heap.live > heap.cap) abort();
    heap_free(&heap);
    return good;
}

static bool run_main(Module *m, Arena *a, Interp *it) {
    OpId main = module_main(m);
    RegionId body = op_region(m, main, 0);
    uint32_t n = m->regions.at[body].n_args, devices = interp_devices(it);
    if (m->regions.at[body].last == NO_ID) return false;
    uint32_t n_results = op_get(m, region_terminator(m, body))->n_operands;
    Tensor **in = arena_zalloc(a, ((size_t)devices * n + 1) * sizeof *in);
    Tensor **out = arena_zalloc(a, ((size_t)devices * n_results + 1) * sizeof *out);
    uint64_t state = 7;
    for (uint32_t i = 0; i < n; i++) {
        const Type *t = value_tensor(m, m->regions.at[body].first_arg + i);
        if (t->kind != TYPE_TENSOR || !type_is_static(t) || t->elem == EL_QUANT) return false;
        Tensor *x = interp_tensor(it, (Elem)t->elem, t->rank, t->dims);
        if (!x) return false;
        random_fill(x, &state);
        for (uint32_t d = 0; d < devices; d++) in[d * n + i] = x;
    }
    return interp_run(it, main, in, out);
}

static bool run_program(Context *ctx, Arena *a, Span text) {
    Module *m = module_new(ctx);
    source_from_memory(&m->source, "program", text.at, text.n);
    bool good = read_module(m) && check_module(m) && module_main(m) != NO_ID;
    if (good) {
        InterpOptions options = {.max_memory = 1 << 24, .max_steps = 20000};
        Interp *it = interp_new(m, &options);
        if (it && interp_devices(it) <= 64) run_main(m, a, it);
        interp_free(it);
    }
    module_free(m);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool (*const kinds[])(Context *, Arena *, Span) = {read_schedule, read_mesh,    read_device, read_names,
                                                              read_array,    read_archive, run_program};
    Reports reports = {0};
    partir_options options = {.size = sizeof options, .user = &reports, .diagnostic = count_report};
    if (size == 0) return 0;
    Context *ctx;
    partir_context_create(&options, &ctx);
    if (!ctx) return 0;
    size_t kind = data[0] % 8;
    // A file that was made for another target is a program.
    if (data[0] >= 8) kind = 6;
    Span text = {(const char *)data + (data[0] < 8), size - (data[0] < 8)};
    Guard g;
    if (GUARD(ctx, &g)) {
        Arena arena;
        arena_init(&arena, ctx);
        bool good = kinds[kind < 7 ? kind : 6](ctx, &arena, text);
        if (!good && !reports.errors) fail("nothing read and no error", &reports, NULL);
        arena_free(&arena);
        guard_close(ctx, &g);
    }
    partir_context_destroy(ctx);
    return 0;
}
