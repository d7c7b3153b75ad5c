// The simulator on programs small enough to work out by hand: FLOPs, collectives, links, what is alive when, and devices as files.
#include "sim/transform/transform.h"
#include "sim/cost/cost.h"
#include "stablehlo/read/reader.h"
#include "sim_passes.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

static char said[500];

static void remember(void *user, const partir_diagnostic *d) {
    (void)user;
    snprintf(said, sizeof said, "%u:%u: %s", d->line, d->column, d->message);
}

static Context *ctx;
static Arena arena;

#define CHECK_NEAR(actual, expected) CHECK(fabs((actual) - (expected)) <= 1e-9 * fabs(expected))

static Module *read(const char *text) {
    Module *m = module_new(ctx);
    source_from_memory(&m->source, "m.mlir", text, strlen(text));
    bool ok = read_module(m);
    if (!ok) printf("%s\n", said);
    CHECK(ok);
    return ok ? m : NULL;
}

static Cost first_of(const char *text, OpKind kind) {
    Module *m = read(text);
    Cost c = {0};
    for (OpId op = m ? module_first(m) : NO_ID; op != NO_ID; op = op_walk(m, op))
        if (op_kind(m, op) == kind) c = op_cost(m, op);
    module_free(m);
    return c;
}

static void dots(void) {
    Cost c = first_of(
        "func.func @main(%x: tensor<2x8x64xf32>, %w: tensor<2x64x32xf32>) -> tensor<2x8x32xf32> {\n"
        "  %0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x64xf32>, tensor<2x64x32xf32>) -> tensor<2x8x32xf32>\n"
        "  return %0 : tensor<2x8x32xf32>\n}\n",
        OP_dot_general);
    CHECK_INT(c.matrix, 2 * 2 * 8 * 32 * 64);
    CHECK_INT(c.read, 2 * 8 * 64 * 4);
    CHECK_INT(c.write, 2 * 8 * 32 * 4);
    CHECK_INT(c.m, 8);
    CHECK_INT(c.n, 32);
    CHECK_INT(c.k, 64);
    CHECK(!c.transposed_lhs);
    c = first_of(
        "func.func @main(%x: tensor<64x8xf32>, %g: tensor<64x32xf32>) -> tensor<8x32xf32> {\n"
        "  %0 = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0] : (tensor<64x8xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>\n"
        "  return %0 : tensor<8x32xf32>\n}\n",
        OP_dot_general);
    CHECK(c.transposed_lhs); // the gradient of a weight
}

static void convolution_without_its_padding(void) {
    // 4 inputs, kernel 3, padded by 1: the outer outputs meet 2 inputs each, the inner ones 3.
    Cost c = first_of(
        "func.func @main(%x: tensor<5x4x2xf32>, %w: tensor<3x2x6xf32>) -> tensor<5x4x6xf32> {\n"
        "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x4x2xf32>, tensor<3x2x6xf32>) -> tensor<5x4x6xf32>\n"
        "  return %0 : tensor<5x4x6xf32>\n}\n",
        OP_convolution);
    CHECK_INT(c.matrix, 2 * 5 * 2 * 6 * (2 + 3 + 3 + 2));
}

static void blocks_of_the_matrix_unit(void) {
    Device d = *device_find(SPAN("tpu_v5e"));
    d.efficiency = 1;
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 4096, .n = 4096, .k = 4096}), 1.0);
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 128, .n = 128, .k = 128}), 0.25);       // three units idle
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 64, .n = 64, .k = 128}), 0.25 * 0.25);  // as long as for 128 rows
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 4096, .n = 8, .k = 4096}), 8.0 / 128.0); // loads as much as it multiplies, either way
    d.units = 0;
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 8, .n = 128, .k = 128}), 1.0);
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 128, .n = 8, .k = 128}), 1.0); // swapped
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 256, .n = 128, .k = 64}), 0.5);
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 8, .n = 128, .k = 128, .transposed_lhs = true}), 1.0);
    d.units = 8, d.cores = 2; // 4 of each core, and these share out many products
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.matrix = 2e3 * 128 * 128 * 128, .m = 128, .n = 128, .k = 128}), 0.25);
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.matrix = 2. * 128 * 128 * 128, .m = 128, .n = 128, .k = 128}), 0.125);
    d.units = 0, d.transposed_lhs = 0.75;
    // To pack the left operand takes as long whatever the columns are; of a batch it is a part of each product.
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 8, .n = 256, .k = 128, .transposed_lhs = true}), 0.75);
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 8, .n = 128, .k = 128, .transposed_lhs = true}), 0.6);
    CHECK_NEAR(matrix_efficiency(&d, &(Cost){.m = 8, .n = 128, .k = 128, .matrix = 4. * 8 * 128 * 128, .transposed_lhs = true}), 0.75);
}

static AxisLink one_link(const Link *link, int64_t size) {
    return (AxisLink){1, {{link, size, link->bandwidth, (double)(size - 1), size, link->bandwidth, false, false}}};
}

static double seconds_along(const Mesh *mesh, const AxisLink *links, CollectiveKind kind, AxisSet axes, double bytes,
                            double *by_axis) {
    Phases phases;
    find_phases(mesh, links, axes, &phases);
    return collective_seconds(&phases, kind, bytes, by_axis);
}

static void collectives(void) {
    Mesh mesh;
    CHECK(mesh_parse(&mesh, ctx, &arena, SPAN("a=4,b=2"), NULL, NO_OFFSET));
    Link link = {.name = "wire", .bandwidth = 1e9, .latency = 1e-6};
    AxisLink links[2] = {one_link(&link, 4), one_link(&link, 2)};
    double by_axis[2] = {0};
    // Three others send 1 MB each.
    CHECK_NEAR(seconds_along(&mesh, links, COLLECTIVE_ALL_GATHER, 1, 1e6, by_axis), 3e-6 + 3e-3);
    CHECK_NEAR(by_axis[0], 3e-6 + 3e-3);
    CHECK_NEAR(by_axis[1], 0.0);
    // A quarter of 4 MB from each of three.
    CHECK_NEAR(seconds_along(&mesh, links, COLLECTIVE_REDUCE_SCATTER, 1, 4e6, by_axis), 3e-6 + 3e-3);
    CHECK_NEAR(seconds_along(&mesh, links, COLLECTIVE_ALL_REDUCE, 1, 4e6, by_axis), 6e-6 + 6e-3);
    // Eight bytes: a tree of two levels, up and down.
    CHECK_NEAR(seconds_along(&mesh, links, COLLECTIVE_ALL_REDUCE, 1, 8, by_axis), 4e-6 + 16e-9);
    // Both axes are on one switch: seven others.
    CHECK_NEAR(seconds_along(&mesh, links, COLLECTIVE_ALL_GATHER, 3, 1e6, by_axis), 7e-6 + 7e-3);
}

static double all_reduce_on(const char *device, const char *mesh_text, double bytes) {
    Mesh mesh;
    AxisLink links[4];
    double by_axis[4] = {0}, sum = 0;
    CHECK(mesh_parse(&mesh, ctx, &arena, span_of(mesh_text), NULL, NO_OFFSET));
    map_axes_to_links(device_find(span_of(device)), &mesh, links);
    double t = seconds_along(&mesh, links, COLLECTIVE_ALL_REDUCE, (UINT64_C(1) << mesh.n_axes) - 1, bytes, by_axis);
    for (uint32_t i = 0; i < mesh.n_axes; i++) sum += by_axis[i];
    CHECK_NEAR(sum, t);
    return t;
}

// However a machine's devices are named, what all of them do together takes the same time.
static void one_axis_or_several(void) {
    static const char *const same[][3] = {{"h100", "a=64", "node=8,gpu=8"},       {"h100", "a=16", "a=2,b=8"},
                                          {"tpu_v5e", "a=256", "a=16,b=16"},      {"tpu_v5e", "a=512", "slice=2,chip=256"},
                                          {"tpu_v5p", "a=64", "a=4,b=4,c=4"},     {"gb200", "a=144", "a=2,b=72"},
                                          {"tpu_v4", "a=6144", "pod=2,data=3072"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        CHECK_NEAR(all_reduce_on(same[i][0], same[i][1], 1e9), all_reduce_on(same[i][0], same[i][2], 1e9));
        CHECK_NEAR(all_reduce_on(same[i][0], same[i][1], 1e3), all_reduce_on(same[i][0], same[i][2], 1e3));
    }
    // Over two nodes all ports of both: 7/4 of an eighth at 50 GB/s, not of all of it.
    CHECK_NEAR(all_reduce_on("h100", "a=16", 8e9), 7 * 2 * 2e-6 + 2 * 5e-6 + 7. / 4 * 8e9 / 450e9);
    CHECK_NEAR(all_reduce_on("h100", "a=64", 8e9), 7 * 2 * (2e-6 + 5e-6) + 7. / 4 * 1e9 / 50e9);
    // 512 chips are two slices: a 256th of it goes over the network.
    CHECK_NEAR(all_reduce_on("tpu_v5e", "a=512", 256e6) - all_reduce_on("tpu_v5e", "a=256", 256e6),
               2 * 20e-6 + 1e6 / 3.125e9);
}

// Both axes are one meeting of eight; a device copies what it gathers, its own part too.
static void collectives_through_memory(void) {
    Mesh mesh;
    CHECK(mesh_parse(&mesh, ctx, &arena, SPAN("a=4,b=2"), NULL, NO_OFFSET));
    Link link = {.name = "ram", .bandwidth = 1e9, .latency = 1e-6, .memory = true};
    AxisLink links[2] = {one_link(&link, 4), one_link(&link, 2)};
    double by_axis[2] = {0};
    CHECK_NEAR(seconds_along(&mesh, links, COLLECTIVE_ALL_GATHER, 3, 1e6, by_axis), 8e-6 + 8e-3);
    CHECK_NEAR(by_axis[0] + by_axis[1], 8e-6 + 8e-3);
    CHECK_NEAR(seconds_along(&mesh, links, COLLECTIVE_REDUCE_SCATTER, 1, 1e6, by_axis), 4e-6 + 1e-3);
    CHECK_NEAR(seconds_along(&mesh, links, COLLECTIVE_ALL_REDUCE, 2, 1e6, by_axis), 2e-6 + 2e-3);
}

static void axes_on_links(void) {
    Mesh mesh;
    AxisLink links[2];
    CHECK(mesh_parse(&mesh, ctx, &arena, SPAN("batch=4,model=8"), NULL, NO_OFFSET));
    map_axes_to_links(device_find(SPAN("h100")), &mesh, links);
    CHECK_STR(links[0].at[0].link->name, "network");
    CHECK_STR(links[1].at[0].link->name, "nvlink");
    CHECK(links[0].n == 1 && links[1].n == 1 && !axes_share_a_switch(&links[0], &links[1]));
    map_axes_to_links(device_find(SPAN("tpu_v4")), &mesh, links); // 4x4x2, less than a cube: no rings
    CHECK_NEAR(links[0].at[0].bandwidth, 50e9);
    CHECK_NEAR(links[1].at[0].bandwidth, 2 * 50e9);
    CHECK(links[1].at[0].folded && !links[1].at[0].ring);
    map_axes_to_links(device_find(SPAN("tpu_v5e")), &mesh, links);
    CHECK_NEAR(links[1].at[0].bandwidth, 50e9); // 8 of 16: a line
    CHECK(!links[1].at[0].ring && links[1].at[0].hops == 7);
    CHECK(mesh_parse(&mesh, ctx, &arena, SPAN("batch=16,model=16"), NULL, NO_OFFSET));
    map_axes_to_links(device_find(SPAN("tpu_v5e")), &mesh, links);
    CHECK_NEAR(links[0].at[0].bandwidth, 2 * 50e9);
    CHECK(links[1].at[0].ring && links[1].at[0].hops == 8);
    map_axes_to_links(device_find(SPAN("h100")), &mesh, links); // two by nvlink, eight nodes by network
    CHECK(links[1].n == 2 && links[1].at[0].size == 8 && links[1].at[1].size == 2);
    CHECK(axes_share_a_switch(&links[0], &links[1]));
    // An axis of 4 on v5p is a slice of 2x2x1, one of 16 on v5e 4x4: two neighbours in a corner.
    CHECK(mesh_parse(&mesh, ctx, &arena, SPAN("batch=4"), NULL, NO_OFFSET));
    map_axes_to_links(device_find(SPAN("tpu_v5p")), &mesh, links);
    CHECK_NEAR(links[0].at[0].bandwidth, 2 * 100e9);
    CHECK(mesh_parse(&mesh, ctx, &arena, SPAN("batch=16"), NULL, NO_OFFSET));
    map_axes_to_links(device_find(SPAN("tpu_v5e")), &mesh, links);
    CHECK_NEAR(links[0].at[0].bandwidth, 2 * 50e9);
    // 8x2 on 4x4: model has half of a side, batch the other half, whose neighbours are two apart, and the other side.
    CHECK(mesh_parse(&mesh, ctx, &arena, SPAN("batch=8,model=2"), NULL, NO_OFFSET));
    map_axes_to_links(device_find(SPAN("tpu_v5e")), &mesh, links);
    CHECK_NEAR(links[1].at[0].bandwidth, 50e9);
    CHECK_NEAR(links[0].at[0].bandwidth, 50e9 + 25e9);
}

static double peak_of(const char *text) {
    Module *whole = read(text);
    if (!whole) return -1;
    const Backend *backend = device_backend(device_find(SPAN("tpu_v5e")));
    SimProgram distinct = eliminate_common_subexpressions(whole, NULL, backend, &arena);
    const Module *m = distinct.m;
    ProgramOrder written = program_order(m, &arena);
    Fusion f = fused(m, distinct.trees, backend, &arena);
    OpSchedule order = scheduled(m, &written, &f, &(Backend){0}, NULL, &arena);
    double peak = memory_use(m, &order, &f, backend, INFINITY, &arena).peak;
    module_free(whole);
    return peak;
}

// One kernel: the multiply is computed inside the add. 4 KB for the argument, 4 KB for the result.
static void fused_values_need_no_memory(void) {
    CHECK_INT(peak_of("func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {\n"
                      "  %0 = stablehlo.multiply %x, %x : tensor<1024xf32>\n"
                      "  %1 = stablehlo.add %0, %x : tensor<1024xf32>\n"
                      "  return %1 : tensor<1024xf32>\n}\n"),
              8192);
}

static void donated_arguments_become_results(void) {
    CHECK_INT(peak_of("func.func @main(%x: tensor<1024xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024xf32> {\n"
                      "  %0 = stablehlo.multiply %x, %x : tensor<1024xf32>\n"
                      "  return %0 : tensor<1024xf32>\n}\n"),
              4096);
}

// x and the result are 256 each, of tiles of 8 x 128 that are 16 times as large. What only products read is kept as bf16:
// the first lies where the result will be, the second in memory, where places are multiples of 16 KiB.
static void dots_are_kernels(void) {
    CHECK_INT(
        peak_of(
            "func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
            "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
            "  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
            "  %2 = stablehlo.dot_general %1, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
            "  return %2 : tensor<8x8xf32>\n}\n"),
        16 * 2 * 256 + 16384);
}

// After `while(%i = 0, …)`: five trips, of which each begins with %j = %i + 1.
#define FIVE_TIMES                                                                                                     \
    "  cond {\n"                                                                                                       \
    "    %n = stablehlo.constant dense<5> : tensor<i32>\n"                                                             \
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"                               \
    "    stablehlo.return %p : tensor<i1>\n"                                                                           \
    "  } do {\n"                                                                                                       \
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"                                                           \
    "    %j = stablehlo.add %i, %one : tensor<i32>\n"

// The argument is not donated, so the loop works on a copy; the update is in place and goes first, so that the next i
// takes the place of i. One byte says whether to go on. Each of these two has 16 KiB.
static void loops_carry_in_place(void) {
    CHECK_INT(
        peak_of(
            "func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {\n"
            "  %c = stablehlo.constant dense<0> : tensor<i32>\n"
            "  %0:2 = stablehlo.while(%i = %c, %a = %x) : tensor<i32>, tensor<1024xf32>\n" FIVE_TIMES
            "    %u = stablehlo.constant dense<1.0> : tensor<1xf32>\n"
            "    %b = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<1024xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1024xf32>\n"
            "    stablehlo.return %j, %b : tensor<i32>, tensor<1024xf32>\n"
            "  }\n"
            "  return %0#1 : tensor<1024xf32>\n}\n"),
        4096 + 4096 + 2 * 16384);
}

static bool read_device(const char *text, Device *d) {
    Source *source = arena_new(&arena, Source, 1);
    source_from_memory(source, "my.device", text, strlen(text));
    said[0] = 0;
    return device_read(ctx, &arena, source, d);
}

static void devices_print_and_read_back(void) {
    for (uint32_t i = 0; i < device_count(); i++) {
        Buffer first, second;
        Device d;
        buf_init(&first, &arena);
        buf_init(&second, &arena);
        device_print(device_at(i), &first);
        CHECK(read_device(buf_cstr(&first), &d));
        device_print(&d, &second);
        CHECK_STR(buf_cstr(&second), buf_cstr(&first));
    }
}

static void bad_devices(void) {
    Device d;
    CHECK(!read_device("device x\nmemory much\n", &d));
    CHECK_STR(said, "2:8: expected a size of memory");
    CHECK(!read_device("device x\nspeed 3\n", &d));
    CHECK_STR(said, "2:1: unknown line");
    CHECK(!read_device("vector 1e9 2e9\n", &d));
    CHECK_STR(said, "1:12: the line ends before this");
    CHECK(!read_device("link a ring\n", &d));
    CHECK_STR(said, "1:8: expected 'torus', 'switch' or 'memory'");
    CHECK(!read_device("device x # and no more", &d));
    CHECK_STR(said, "1:22: the device has no memory");
    CHECK(!read_device("device x\nmemory 1GB\nbandwidth 1e9\npage_fault 1MiB 0\n", &d));
    CHECK_STR(said, "4:18: the device has no rate at which page_fault memory is made");
    CHECK(!read_device("", &d));
}

// Temporaries above the limit take their time at first touch, for all devices of the machine; below it, none.
static void large_temporaries_fault_in_pages(void) {
    Module *m = read("func.func @main(%x: tensor<64x64xf32>) -> tensor<f32> {\n"
                     "  %0 = stablehlo.dot %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
                     "  %1 = stablehlo.dot %0, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
                     "  %2 = stablehlo.slice %1 [0:1, 0:1] : (tensor<64x64xf32>) -> tensor<1x1xf32>\n"
                     "  %3 = stablehlo.reshape %2 : (tensor<1x1xf32>) -> tensor<f32>\n"
                     "  return %3 : tensor<f32>\n}\n");
    Mesh mesh;
    if (!m || !mesh_parse(&mesh, ctx, &arena, SPAN("batch=4"), NULL, NO_OFFSET)) return;
    Device d = *device_find(SPAN("host"));
    SimResult never, above, below;
    simulate(&(Lowered){.m = m, .mesh = &mesh}, &d, &arena, &never);
    double made = never.memory.peak - never.memory.arguments;
    CHECK(made >= 2 * 64 * 64 * 4);
    d.page_fault_bandwidth = 1e6;
    d.page_fault = (int64_t)made;
    simulate(&(Lowered){.m = m, .mesh = &mesh}, &d, &arena, &below);
    d.page_fault--;
    simulate(&(Lowered){.m = m, .mesh = &mesh}, &d, &arena, &above);
    CHECK_NEAR(below.seconds, never.seconds);
    CHECK_NEAR(above.seconds, never.seconds + made / 1e6);
    d.shared = true;
    simulate(&(Lowered){.m = m, .mesh = &mesh}, &d, &arena, &above);
    CHECK(above.seconds > 4 * made / 1e6);
    module_free(m);
}

// %1 and %2 are kept for the end; if memory is short, the product %1 is made twice, and takes its time twice.
static void rematerialization_takes_time(void) {
#define BIG "tensor<2048x2048xf32>"
#define BIG_DOT(to, a, b)                                                                                              \
    "  " to " = stablehlo.dot_general " a ", " b ", contracting_dims = [1] x [0] : (" BIG ", " BIG ") -> " BIG "\n"
    Module *m =
        read("func.func @main(%x: " BIG ") -> " BIG
             " {\n" BIG_DOT("%1", "%x", "%x") BIG_DOT("%2", "%1", "%x") BIG_DOT("%3", "%2", "%x")
                 BIG_DOT("%4", "%3", "%x") "  %5 = stablehlo.add %4, %2 : " BIG "\n  %6 = stablehlo.add %5, %1 : " BIG
                                           "\n" BIG_DOT("%7", "%6", "%6") "  return %7 : " BIG "\n}\n");
    Mesh mesh;
    if (!m || !mesh_parse(&mesh, ctx, &arena, SPAN("batch=4"), NULL, NO_OFFSET)) return;
    Device d = *device_find(SPAN("tpu_v5e"));
    d.vmem = 0;
    SimResult fits, tight;
    simulate(&(Lowered){.m = m, .mesh = &mesh}, &d, &arena, &fits);
    d.memory = (int64_t)fits.memory.peak;
    simulate(&(Lowered){.m = m, .mesh = &mesh}, &d, &arena, &tight);
    CHECK_INT(fits.memory.rematerialized.n, 0);
    CHECK_INT(tight.memory.rematerialized.n, 1);
    CHECK_INT(tight.memory.rematerialized.ops[0], m->regions.at[op_region(m, module_main(m), 0)].first);
    CHECK_NEAR(tight.seconds - fits.seconds, fits.slices[0].seconds);
    CHECK_NEAR(tight.compute - fits.compute, fits.slices[0].seconds);
    CHECK_INT(tight.n_slices, fits.n_slices + 1); // it runs twice on the timeline too, the second time right before the kernel of %7, which computes %6 on the way
    uint32_t runs = 0;
    for (uint32_t i = 0; i < tight.n_slices; i++) runs += tight.slices[i].op == tight.memory.rematerialized.ops[0];
    CHECK_INT(runs, 2);
    CHECK_INT(tight.slices[tight.n_slices - 2].op, tight.memory.rematerialized.ops[0]);
    module_free(m);
}

// ---- Loops -----------------------------------------------------------------------------------------------------------

// The first product is the same each time and runs before the loop; the second is not.
static void what_does_not_change_runs_once(void) {
    Module *m = read(
        "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
        "  %c = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %0:3 = stablehlo.while(%i = %c, %a = %x, %k = %w) : tensor<i32>, tensor<64x64xf32>, tensor<64x64xf32>\n" FIVE_TIMES
        "    %u = stablehlo.dot %k, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
        "    %b = stablehlo.dot %a, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
        "    stablehlo.return %j, %b, %k : tensor<i32>, tensor<64x64xf32>, tensor<64x64xf32>\n"
        "  }\n"
        "  return %0#1 : tensor<64x64xf32>\n}\n");
    Mesh mesh;
    if (!m || !mesh_parse(&mesh, ctx, &arena, SPAN("batch=2"), NULL, NO_OFFSET)) return;
    SimResult r;
    simulate(&(Lowered){.m = m, .mesh = &mesh}, device_find(SPAN("tpu_v5e")), &arena, &r);
    double runs[2] = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < r.n_slices; i++)
        if (op_kind(m, r.slices[i].op) == OP_dot && n < 2) runs[n++] = r.slices[i].runs;
    CHECK_INT(runs[0], 1);
    CHECK_INT(runs[1], 5);
    CHECK_NEAR(r.flops, 6 * 2.0 * 64 * 64 * 64);
    module_free(m);
}

#define SUMS_OF(type, half)                                                                                            \
    "func.func @main(%x: " type ", %w: " half ", %s: " type ") -> (" type ", " type ") {\n"                            \
    "  %c = stablehlo.constant dense<0> : tensor<i32>\n"                                                               \
    "  %0:3 = stablehlo.while(%i = %c, %a = %x, %q = %s) : tensor<i32>, " type ", " type "\n" FIVE_TIMES               \
    "    %g = \"partir.all_gather\"(%w) {axes = [[\"batch\"], []]} : (" half ") -> " type "\n"                         \
    "    %b = stablehlo.dot %a, %g : (" type ", " type ") -> " type "\n"                                               \
    "    %d = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (" type ", " type ") -> " type "\n"         \
    "    %n = stablehlo.add %q, %d : " type "\n"                                                                       \
    "    stablehlo.return %j, %b, %n : tensor<i32>, " type ", " type "\n"                                              \
    "  }\n  return %0#1, %0#2 : " type ", " type "\n}\n"

// Tensors between memory and a kernel of this kind, on one turn of a loop.
static double moved_on_a_turn(const char *text, OpKind kind, double tensor) {
    Module *m = read(text);
    Mesh mesh;
    if (!m || !mesh_parse(&mesh, ctx, &arena, SPAN("batch=2"), NULL, NO_OFFSET)) return -1;
    SimResult r;
    simulate(&(Lowered){.m = m, .mesh = &mesh}, device_find(SPAN("tpu_v5e")), &arena, &r);
    double most = 0;
    for (uint32_t i = 0; i < r.n_slices; i++)
        if (op_kind(m, r.slices[i].op) == kind && r.slices[i].bytes > most) most = r.slices[i].bytes;
    module_free(m);
    return most / 5 / tensor;
}

// The add, with a product inside, reads %a, and the sum only if that does not fit on the chip. What is gathered comes
// there too: the other product reads %a and writes.
static void loops_keep_sums_on_the_chip(void) {
    const char *small = SUMS_OF("tensor<512x512xf32>", "tensor<256x512xf32>"),
               *large = SUMS_OF("tensor<8192x8192xf32>", "tensor<4096x8192xf32>");
    double fits = 4.0 * 512 * 512, does_not = 4.0 * 8192 * 8192;
    CHECK_INT(moved_on_a_turn(small, OP_add, fits), 1);
    CHECK_INT(moved_on_a_turn(large, OP_add, does_not), 3);
    CHECK_INT(moved_on_a_turn(small, OP_dot, fits), 2);
    CHECK_INT(moved_on_a_turn(large, OP_dot, does_not), 17); // both operands 8192 / 1024 times, and the result
}

// ---- Again and again ------------------------------------------------------------------------------------------------

static void *count_calls(void *user, void *old, size_t old_size, size_t new_size) {
    (void)old_size;
    if (new_size) ++*(size_t *)user;
    if (new_size) return realloc(old, new_size);
    free(old);
    return NULL;
}

static void simulating_again_allocates_nothing(void) {
    size_t calls = 0;
    Context *own;
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .user = &calls, .reallocate = count_calls}, &own);
    Arena texts, a;
    arena_init(&texts, own);
    arena_init(&a, own);
    Buffer text;
    buf_init(&text, &texts);
    buf_str(&text, "func.func @main(%v0: tensor<64x64xf32>) -> tensor<64x64xf32> {\n");
    for (int i = 0; i < 3000; i += 2) {
        buf_format(&text, "  %%v%d = stablehlo.add %%v%d, %%v0 : tensor<64x64xf32>\n", i + 1, i);
        buf_format(&text, "  %%v%d = stablehlo.dot %%v%d, %%v0 : ", i + 2, i + 1);
        buf_str(&text, "(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n");
    }
    buf_str(&text, "  return %v3000 : tensor<64x64xf32>\n}\n");
    Module *m = module_new(own);
    source_from_memory(&m->source, "m.mlir", text.at, text.n);
    CHECK(read_module(m));
    Mesh mesh;
    CHECK(mesh_parse(&mesh, own, &texts, SPAN("batch=2"), NULL, NO_OFFSET));
    const char *const devices[] = {"tpu_v5e", "host", "h100"};
    for (int i = 0; i < 3; i++) {
        SimResult first, again;
        size_t before = 0;
        for (int run = 0; run < 3; run++) {
            arena_reset(&a);
            if (run == 1) before = calls;
            simulate(&(Lowered){.m = m, .mesh = &mesh}, device_find(span_of(devices[i])), &a, run ? &again : &first);
        }
#if !defined(__SANITIZE_ADDRESS__) // under which each request has its own block
        CHECK_INT(calls, before);
#endif
        CHECK(before > 0 && again.seconds == first.seconds && again.memory.peak == first.memory.peak &&
              first.seconds > 0);
        CHECK_INT(again.n_slices, first.n_slices);
    }
    module_free(m);
    arena_free(&a);
    arena_free(&texts);
    partir_context_destroy(own);
}

// The square root has the sum and both products in it. The square stays, as two read it, and the second sum, as a maximum
// hands on elements.
static void trees_are_one_op(void) {
#define OP2(out, op, x, y) "  " out " = stablehlo." op " " x ", " y " : tensor<1024xf32>\n"
    Module *whole = read("func.func @main(%m: tensor<1024xf32>, %g: tensor<1024xf32>, %b: tensor<1024xf32>) -> "
                         "tensor<1024xf32> {\n" OP2("%0", "multiply", "%m", "%b") OP2("%1", "multiply", "%g", "%b")
                             OP2("%2", "add", "%0", "%1") "  %3 = stablehlo.sqrt %2 : tensor<1024xf32>\n" //
                         OP2("%4", "multiply", "%g", "%g") OP2("%5", "add", "%4", "%3")
                             OP2("%6", "maximum", "%4", "%5") "  return %6 : tensor<1024xf32>\n}\n");
    if (!whole) return;
    SimProgram d = eliminate_common_subexpressions(whole, NULL, device_backend(device_find(SPAN("tpu_v5e"))), &arena);
    ProgramOrder written = program_order(d.m, &arena);
    CHECK_INT(written.count[OP_multiply], 1);
    CHECK_INT(written.count[OP_add], 1);
    CHECK_INT(written.n, 5);
    OpId root = written.at[0];
    CHECK_INT(op_kind(d.m, root), OP_sqrt);
    CHECK_INT(op_get(d.m, root)->n_operands, 4);
    ValueId arg = d.m->regions.at[op_region(d.m, module_main(d.m), 0)].first_arg;
    const uint32_t reads[] = {1, 2, 0, 2}; // what is read last first
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_INT(op_operand(d.m, root, i), arg + reads[i]);
        CHECK_INT(d.trees->depth[op_get(d.m, root)->first_operand + i], 2);
    }
    CHECK_INT(d.trees->flops[root], 3 * 1024);
    CHECK(!eliminate_common_subexpressions(whole, NULL, device_backend(device_find(SPAN("host"))), &arena).trees);
    SimResult r;
    Mesh mesh;
    if (!mesh_parse(&mesh, ctx, &arena, SPAN("batch=1"), NULL, NO_OFFSET)) return;
    simulate(&(Lowered){.m = whole, .mesh = &mesh}, device_find(SPAN("tpu_v5e")), &arena, &r);
    CHECK_NEAR(r.other_flops, 16.0 * 1024);
    CHECK_INT(r.n_slices, 1);
    CHECK_NEAR(r.bytes, 4.0 * 4096);
    module_free(whole);
}

// Both products compute what is made of the sum over devices, so that neither starts before that is there.
static void all_who_compute_it_wait(void) {
#define TILE "tensor<256x256xf32>"
#define PRODUCT(out, x)                                                                                                \
    "  " out " = stablehlo.dot_general " x ", %x, contracting_dims = [1] x [0] : (" TILE ", " TILE ") -> " TILE "\n"
    Module *m = read("func.func @main(%x: " TILE ") -> (" TILE ", " TILE ") {\n"
                     "  %0 = \"partir.all_reduce\"(%x) {axes = [\"batch\"], monoid = \"add\"} : (" TILE ") -> " TILE
                     "\n  %1 = stablehlo.negate %0 : " TILE "\n  %2 = stablehlo.abs %1 : " TILE
                     "\n  %3 = stablehlo.floor %1 : " TILE "\n" PRODUCT("%4", "%3")
                         PRODUCT("%5", "%2") "  return %4, %5 : " TILE ", " TILE "\n}\n");
    Mesh mesh;
    if (!m || !mesh_parse(&mesh, ctx, &arena, SPAN("batch=4"), NULL, NO_OFFSET)) return;
    SimResult r;
    simulate(&(Lowered){.m = m, .mesh = &mesh}, device_find(SPAN("tpu_v5e")), &arena, &r);
    double there = 0;
    for (uint32_t i = 0; i < r.n_slices; i++) {
        const Slice *s = &r.slices[i];
        if (op_kind(m, s->op) == OP_partir_all_reduce) there = s->start + s->seconds;
        if (op_kind(m, s->op) == OP_dot_general) CHECK(there > 0 && s->start >= there);
    }
    CHECK_INT(r.n_slices, 3);
    module_free(m);
}

// ---- One schedule ----------------------------------------------------------------------------------------------------

// Kernels run in the order of the schedule, one after another, and the memory is that of the moment at which they do.
static void check_one_schedule(const SimResult *r) {
    double end = 0, compute = 0;
    for (uint32_t i = 0, p = 0; i < r->n_slices; i++) {
        const Slice *s = &r->slices[i];
        if (s->axes) continue;
        CHECK(s->start >= end);
        end = s->start + s->seconds;
        compute += s->seconds;
        while (p < r->memory.n_steps && !(r->memory.ops[p] == s->op && r->when[p] == s->start)) p++;
        bool again = false;
        for (uint32_t k = 0; k < r->memory.rematerialized.n; k++) again |= r->memory.rematerialized.ops[k] == s->op;
        CHECK(p < r->memory.n_steps || again);
    }
    for (uint32_t p = 0; p < r->memory.n_steps; p++) CHECK(r->when[p] <= r->when[p + 1]);
    CHECK_NEAR(r->when[r->memory.n_steps], r->seconds);
    CHECK_NEAR(compute, r->compute);
    CHECK(end <= r->seconds);
    double most = 0;
    OpId fullest = NO_ID;
    for (uint32_t p = 0; p < r->memory.n_steps; p++)
        if (r->memory.over_time[p] > most) most = r->memory.over_time[p], fullest = r->memory.ops[p];
    CHECK_INT(fullest, r->memory.peak_op);
}

// A gather starts where the schedule has it, though what it gathers is there from the start: on a GPU right before its reader,
// on a TPU so early that products run beside it.
static void gathers_start_where_they_are_scheduled(void) {
#define SHARD  "tensor<1024x4096xbf16>"
#define WHOLE  "tensor<4096x4096xbf16>"
#define GATHER(to, x)                                                                                                  \
    "  " to " = \"partir.all_gather\"(" x ") {axes = [[\"batch\"], []]} : (" SHARD ") -> " WHOLE "\n"
#define TIMES(to, a, b)                                                                                                \
    "  " to " = stablehlo.dot_general " a ", " b ", contracting_dims = [1] x [0] : (" WHOLE ", " WHOLE ") -> " WHOLE   \
    "\n"
    Module *m = read("func.func @main(%x: " WHOLE ", %w1: " SHARD ", %w2: " SHARD ") -> " WHOLE
                     " {\n" GATHER("%g1", "%w1") TIMES("%1", "%x", "%g1") TIMES("%2", "%1", "%x")
                         TIMES("%3", "%2", "%x") GATHER("%g2", "%w2") TIMES("%4", "%3", "%g2") "  return %4 : " WHOLE "\n}\n");
    Mesh mesh;
    if (!m || !mesh_parse(&mesh, ctx, &arena, SPAN("batch=4,model=4"), NULL, NO_OFFSET)) return;
    for (uint32_t i = 0; i < device_count(); i++) {
        SimResult r;
        simulate(&(Lowered){.m = m, .mesh = &mesh}, device_at(i), &arena, &r);
        check_one_schedule(&r);
    }
    OpId second = m->regions.at[op_region(m, module_main(m), 0)].first;
    for (uint32_t n = 0; n < 4; n++) second = op_get(m, second)->next;
    static const char *const devices[] = {"h100", "tpu_v5e"};
    for (int i = 0; i < 2; i++) {
        SimResult r;
        simulate(&(Lowered){.m = m, .mesh = &mesh}, device_find(span_of(devices[i])), &arena, &r);
        double begins = -1, scheduled_at = -1;
        for (uint32_t k = 0; k < r.n_slices; k++)
            if (r.slices[k].op == second) begins = r.slices[k].start;
        for (uint32_t p = 0; p < r.memory.n_steps; p++)
            if (r.memory.ops[p] == second) scheduled_at = r.when[p];
        CHECK(scheduled_at >= 0 && begins >= scheduled_at);
        if (i == 0) CHECK(scheduled_at > 0 && begins == scheduled_at);
        if (i == 1) CHECK(r.exposed < 0.9 * r.communication);
    }
    module_free(m);
}

int main(void) {
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = remember}, &ctx);
    arena_init(&arena, ctx);
    RUN(dots);
    RUN(convolution_without_its_padding);
    RUN(blocks_of_the_matrix_unit);
    RUN(collectives);
    RUN(collectives_through_memory);
    RUN(one_axis_or_several);
    RUN(axes_on_links);
    RUN(fused_values_need_no_memory);
    RUN(donated_arguments_become_results);
    RUN(dots_are_kernels);
    RUN(loops_carry_in_place);
    RUN(devices_print_and_read_back);
    RUN(bad_devices);
    RUN(large_temporaries_fault_in_pages);
    RUN(rematerialization_takes_time);
    RUN(what_does_not_change_runs_once);
    RUN(loops_keep_sums_on_the_chip);
    RUN(simulating_again_allocates_nothing);
    RUN(trees_are_one_op);
    RUN(all_who_compute_it_wait);
    RUN(gathers_start_where_they_are_scheduled);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
