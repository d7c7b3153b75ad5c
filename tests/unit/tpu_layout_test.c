// The compiler behind a TPU: tiled layouts, each rule on a program small enough to work out by hand.
#include "sim/backend/rules.h"
#include "tpu_programs.h"

// How many times its bytes an argument of this type takes: as the pass lays it out, or as it is written.
static double ratio(const char *type, bool as_written) {
    char text[128];
    snprintf(text, sizeof text, "func.func @main(%%x: tensor<%sxf32>) {\n  return\n}\n", type);
    Module *m = read(text);
    if (!m) return -1;
    ValueId x = m->regions.at[op_region(m, module_main(m), 0)].first_arg;
    ProgramOrder written = program_order(m, &arena);
    double found = as_written ? tile_padding_as_written(value_tensor(m, x)) : assign_tpu_layouts(m, &written, &arena).padding[x];
    module_free(m);
    return found;
}

// The two dimensions that fill tiles best lie innermost, wherever they are.
static void tensors_fill_tiles(void) {
    CHECK(ratio("1024x1024", false) == 1);
    CHECK(ratio("256x4x3x128", false) == 1);
    CHECK(ratio("256x3", false) == 4.0 / 3);
    CHECK(ratio("64x64x64x64", false) == 2);
    CHECK(ratio("129x8", false) == 256.0 / 129);
    CHECK(ratio("7", false) == 1);
    CHECK(ratio("64x32x32", true) == 4);
    CHECK(ratio("256x4x3x128", true) == 4.0 / 3);
    CHECK(ratio("7", true) == 1);
}

// Images of 128 x 128 would fill 128 lanes, but 8 images and 64 features do it by half.
static void images_fill_tiles(void) {
#define IMAGE(size) "tensor<8x" size "x" size "x64xf32>"
    Module *m = read("func.func @main(%x: " IMAGE("128") ", %w: tensor<1x1x64x64xf32>) -> " IMAGE(
        "130") " {\n"
               "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
               "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
               "{} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" IMAGE("128") ", tensor<1x1x64x64xf32>) -> " IMAGE("128") "\n  %1 = stablehlo.pad %0, %f, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (" IMAGE(
                   "128") ", tensor<f32>) -> " IMAGE("130") "\n  return %1 : " IMAGE("130") "\n}\n");
    if (!m) return;
    ProgramOrder written = program_order(m, &arena);
    const double *padding = assign_tpu_layouts(m, &written, &arena).padding;
    CHECK(padding[op_result(m, find(m, OP_convolution, 0), 0)] == 2);
    OpId pad = find(m, OP_pad, 0); // a result of the program lies as compactly as it can
    CHECK(padding[op_result(m, pad, 0)] == 256.0 / 130);
    module_free(m);
}

// Rows that are gathered have their own dimension as lanes, and so has what is computed from them; a batch of products keeps
// its batch outside, and asks the same of what it reads.
static void layouts_follow_uses(void) {
    Module *m = read(
        "func.func @main(%t: tensor<1024x64xf32>, %i: tensor<4096x1xi32>, %a: tensor<256x40x16x48xf32>) -> tensor<f32> {\n"
        "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %0 = \"stablehlo.gather\"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = "
        "[0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<1024x64xf32>, "
        "tensor<4096x1xi32>) -> tensor<4096x64xf32>\n"
        "  %1 = stablehlo.tanh %0 : tensor<4096x64xf32>\n"
        "  %2 = stablehlo.negate %a : tensor<256x40x16x48xf32>\n"
        "  %3 = stablehlo.dot_general %2, %2, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : "
        "(tensor<256x40x16x48xf32>, tensor<256x40x16x48xf32>) -> tensor<256x16x40x40xf32>\n"
        "  %4 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4096x64xf32>, "
        "tensor<f32>) -> tensor<f32>\n"
        "  %5 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, 1, 2, 3] : "
        "(tensor<256x16x40x40xf32>, tensor<f32>) -> tensor<f32>\n"
        "  %6 = stablehlo.add %4, %5 : tensor<f32>\n  return %6 : tensor<f32>\n}\n");
    if (!m) return;
    ProgramOrder written = program_order(m, &arena);
    const double *padding = assign_tpu_layouts(m, &written, &arena).padding;
    CHECK(padding[op_result(m, find(m, OP_gather, 0), 0)] == 2);
    CHECK(padding[op_result(m, find(m, OP_tanh, 0), 0)] == 2);
    CHECK(padding[op_result(m, find(m, OP_dot_general, 0), 0)] == 128.0 / 40);
    CHECK(padding[op_result(m, find(m, OP_negate, 0), 0)] == 128.0 / 48);
    CHECK(padding[m->regions.at[op_region(m, module_main(m), 0)].first_arg] == 1); // 64 rows of 1024
    module_free(m);
}

static const Backend tiled = {.tiled_layout = true};

// A stable sort of one operand has an index for each element beside it, that of an iota has none; both write over what they sort.
static void stable_sorts_carry_indices(void) {
#define SORT(stable)                                                                                                   \
    "func.func @main(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {\n  %0 = stablehlo.sine %x : tensor<8x128xf32>\n"     \
    "  %1 = \"stablehlo.sort\"(%0) <{dimension = 1 : i64, is_stable = " stable "}> ({\n"                                 \
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"                                                                      \
    "    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"                               \
    "    stablehlo.return %p : tensor<i1>\n  }) : (tensor<8x128xf32>) -> tensor<8x128xf32>\n"                          \
    "  return %1 : tensor<8x128xf32>\n}\n"
    static const Backend places = {.tiled_layout = true, .sorts_places = true};
    CHECK_INT(peak(SORT("false"), &places), 2 * 4096);
    CHECK_INT(peak(SORT("true"), &places), 3 * 4096);
    CHECK_INT(peak(SORT("true"), &tiled), 2 * 4096);
}

// The 8 largest of 1024 in each of 256 rows are found by a kernel with rows as lanes, in a copy of an argument that lies otherwise. Of 128
// all are sorted, values and places.
static void top_k_sorts_or_copies(void) {
#define TOP_K(type, out)                                                                                                   "func.func @main(%x: tensor<" type "xf32>) -> (tensor<" out "xf32>, tensor<" out "xi32>) {\n"                           "  %0, %1 = chlo.top_k(%x, k = 8) : tensor<" type "xf32> -> (tensor<" out "xf32>, tensor<" out "xi32>)\n"              "  return %0, %1 : tensor<" out "xf32>, tensor<" out "xi32>\n}\n"
    static const Backend places = {.tiled_layout = true, .sorts_places = true};
    double found = 2 * 256 * 8 * 4;
    CHECK_INT(peak(TOP_K("256x1024", "256x8"), &places), 256 * 1024 * 4 + found); // either way in full tiles
    CHECK_INT(peak(TOP_K("200x1024", "200x8"), &places), (200 + 256) * 1024 * 4 + found);
    CHECK_INT(peak(TOP_K("8x1024", "8x8"), &places), 8 * 1024 * 4 + 2 * 8 * 128 * 4);
    CHECK_INT(peak(TOP_K("256x128", "256x8"), &places), 3 * 256 * 128 * 4 + found);
}

// A product of batches of 8x8 reads and writes tiles of 8x128: a copy of the argument, and of its result a compact copy.
static void ends_are_copied_into_their_layout(void) {
#define BATCHES "tensor<128x8x8xf32>"
    const char *product = "func.func @main(%x: " BATCHES ") -> " BATCHES " {\n"
                          "  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
                          "(" BATCHES ", " BATCHES ") -> " BATCHES "\n  return %0 : " BATCHES "\n}\n";
    CHECK_INT(peak(product, &tiled), 2 * 128 * 64 * 4 + 2 * 128 * 8 * 128 * 4);
    CHECK_INT(peak(product, &(Backend){0}), 2 * 128 * 64 * 4);
}

// The padding of the result of the first op of a kind, and of the copies that the first op of another reads.
static double padding_of(const char *text, OpKind result, OpKind reader, uint32_t operand, double *copy) {
    Module *m = read(text);
    if (!m) return -1;
    ProgramOrder written = program_order(m, &arena);
    TpuLayouts layouts = assign_tpu_layouts(m, &written, &arena);
    *copy = layouts.relaid ? layouts.relaid[op_get(m, find(m, reader, 0))->first_operand + operand] : 0;
    double found = layouts.padding[op_result(m, find(m, result, 0), 0)];
    module_free(m);
    return found;
}

// What is returned and multiplied too lies as the product needs it; it is copied for the caller.
static void results_lie_as_products_read_them(void) {
    double copy;
    const char *both = "func.func @main(%x: " BATCHES ") -> (" BATCHES ", " BATCHES ") {\n  %0 = stablehlo.tanh %x : " BATCHES "\n"
                       "  %1 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
                       "(" BATCHES ", " BATCHES ") -> " BATCHES "\n  return %0, %1 : " BATCHES ", " BATCHES "\n}\n";
    CHECK(padding_of(both, OP_tanh, OP_tanh, 0, &copy) == 16);
    CHECK(copy == 16); // of the argument, as the kernel reads and writes the same elements
}

// Heads of 48 are what a product of batches reads: 40x48 in tiles, though 256x48 would fill them.
static void products_lie_as_batches_read_them(void) {
    double copy;
    const char *heads = "func.func @main(%x: tensor<256x40x64xf32>, %w: tensor<64x16x48xf32>) -> tensor<256x16x40x40xf32> {\n"
                        "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<256x40x64xf32>, "
                        "tensor<64x16x48xf32>) -> tensor<256x40x16x48xf32>\n"
                        "  %1 = stablehlo.dot_general %0, %0, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : "
                        "(tensor<256x40x16x48xf32>, tensor<256x40x16x48xf32>) -> tensor<256x16x40x40xf32>\n"
                        "  return %1 : tensor<256x16x40x40xf32>\n}\n";
    CHECK(padding_of(heads, OP_dot_general, OP_dot_general, 0, &copy) == 128.0 / 48);
}

// Images have 8 of 128 lanes in a convolution, and 3 of 4 rows: a copy, as they lie by their widths. Those of 128 need none.
static void images_are_copied(void) {
    double copy;
#define CONVOLVED(images)                                                                                              \
    "func.func @main(%x: tensor<" images "x128x128x3xf32>, %w: tensor<1x1x3x64xf32>) -> tensor<" images                 \
    "x128x128x64xf32> {\n  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "  \
    "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<" images                       \
    "x128x128x3xf32>, tensor<1x1x3x64xf32>) -> tensor<" images "x128x128x64xf32>\n  return %0 : tensor<" images         \
    "x128x128x64xf32>\n}\n"
    padding_of(CONVOLVED("8"), OP_convolution, OP_convolution, 0, &copy);
    CHECK(copy == 16 * 4.0 / 3);
    padding_of(CONVOLVED("128"), OP_convolution, OP_convolution, 0, &copy);
    CHECK(copy == 0);
}

// Every other of 512: they lie outside, so that 8x32 are in tiles of 8x128, and the argument is copied into those.
static void strides_lie_outside(void) {
    double copy;
    const char *slice = "func.func @main(%x: tensor<8x512x32xf32>) -> tensor<f32> {\n  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
                        "  %0 = stablehlo.slice %x [0:8, 0:512:2, 0:32] : (tensor<8x512x32xf32>) -> tensor<8x256x32xf32>\n"
                        "  %1 = stablehlo.reduce(%0 init: %f) applies stablehlo.add across dimensions = [0, 1, 2] : "
                        "(tensor<8x256x32xf32>, tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}\n";
    CHECK(padding_of(slice, OP_slice, OP_slice, 0, &copy) == 4);
    CHECK(copy == 4);
}

// A product lies as compactly as it can, 512 lanes of 64; the rows that are scattered are 64 lanes each.
static void scatters_read_copies(void) {
    double copy;
    const char *scatter =
        "func.func @main(%x: tensor<512x64xf32>, %w: tensor<64x64xf32>, %i: tensor<512x1xi32>, %t: tensor<16x64xf32>) -> tensor<16x64xf32> {\n"
        "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>\n"
        "  %1 = \"stablehlo.scatter\"(%t, %i, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
        "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
        "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %s = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n"
        "  }) : (tensor<16x64xf32>, tensor<512x1xi32>, tensor<512x64xf32>) -> tensor<16x64xf32>\n  return %1 : tensor<16x64xf32>\n}\n";
    CHECK(padding_of(scatter, OP_dot_general, OP_scatter, 2, &copy) == 1);
    CHECK(copy == 2);
}

// Parts of 128x8, of which the 128 are lanes, are gathered, moved and put together along the lanes; those of 8x128 need nothing of that.
static void gathers_inside_tiles_are_moved(void) {
#define GATHERED(part, whole)                                                                                          \
    "func.func @main(%x: tensor<" part "xf32>) -> tensor<" whole "xf32> {\n  %0 = \"partir.all_gather\"(%x) {axes = "    \
    "[[\"batch\"], []]} : (tensor<" part "xf32>) -> tensor<" whole "xf32>\n  return %0 : tensor<" whole "xf32>\n}\n"
    CHECK_INT(peak(GATHERED("8x128", "32x128"), &tiled), 5 * 4096);
    CHECK_INT(peak(GATHERED("128x8", "512x8"), &tiled), 13 * 4096);
}

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(tensors_fill_tiles);
    RUN(images_fill_tiles);
    RUN(layouts_follow_uses);
    RUN(stable_sorts_carry_indices);
    RUN(top_k_sorts_or_copies);
    RUN(ends_are_copied_into_their_layout);
    RUN(results_lie_as_products_read_them);
    RUN(products_lie_as_batches_read_them);
    RUN(images_are_copied);
    RUN(strides_lie_outside);
    RUN(scatters_read_copies);
    RUN(gathers_inside_tiles_are_moved);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
