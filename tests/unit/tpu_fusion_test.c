// The compiler behind a TPU: fusion, each rule on a program small enough to work out by hand.
#include "sim/transform/transform.h"
#include "tpu_programs.h"

#define ELEMENTS_SET                                                                                                   \
    "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"                                                             \
    "  %0 = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> " T "\n"                                       \
    "  %1 = \"stablehlo.scatter\"(%0, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims "  \
    "= [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "      \
    "index_vector_dim = 1>}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %s = stablehlo.add %a, %b : "          \
    "tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (" T ", tensor<8x1xi32>, tensor<8xf32>) -> " T "\n"

// An element for each row: the scatter is a comparison inside the two sines.
static void scatters_to_selects(void) {
    const char *text =
        "func.func @main(%i: tensor<8x1xi32>, %u: tensor<8xf32>) -> (" T ", " T ") {\n" ELEMENTS_SET
        "  %2 = stablehlo.sine %1 : " T "\n  %3 = stablehlo.cosine %1 : " T "\n  return %2, %3 : " T ", " T "\n}\n";
    static const Backend plain = {0}, selects = {.scatters_to_selects = true, .duplicates_expensive = true};
    Module *m = read(text);
    if (!m) return;
    ValueId v = op_result(m, find(m, OP_scatter, 0), 0);
    CHECK_INT(fused(m, NULL, &plain, &arena).place[v], PLACE_BUFFER);
    CHECK_INT(fused(m, NULL, &selects, &arena).place[v], PLACE_FUSED);
    module_free(m);
}

// Nothing is written into what it is added to: the product, the comparison and the sum are one kernel.
static void selects_are_added_to_products(void) {
    Module *m = read("func.func @main(%x: " T ", %i: tensor<8x1xi32>, %u: tensor<8xf32>) -> " T " {\n" ELEMENTS_SET
                         DOT("%2", "%x", "%x") "  %3 = stablehlo.add %2, %1 : " T "\n  return %3 : " T "\n}\n");
    if (!m) return;
    static const Backend added = {.scatters_to_selects = true, .fuses_scatter_adds = true, .fuses_products = true};
    CHECK_INT(fused(m, NULL, &added, &arena).place[op_result(m, find(m, OP_dot_general, 0), 0)], PLACE_FUSED);
    module_free(m);
}

// Both products compute %3 on the way: it is made of %0, as indices and updates are small.
static void selects_are_no_source(void) {
    Module *m = read("func.func @main(%x: " T ", %i: tensor<8x1xi32>, %u: tensor<8xf32>) -> (" T ", " T ") {\n" ELEMENTS_SET
                         DOT("%l", "%x", "%x") "  %2 = stablehlo.exponential %l : " T "\n  %3 = stablehlo.add %2, %1 : " T
                                               "\n" DOT("%4", "%3", "%x") DOT("%5", "%x", "%3") "  return %4, %5 : " T ", " T "\n}\n");
    if (!m) return;
    static const Backend selects = {.scatters_to_selects = true, .duplicates_expensive = true, .fuses_dot_producers = true};
    Fusion f = fused(m, NULL, &selects, &arena);
    CHECK_INT(f.place[op_operand(m, find(m, OP_dot_general, 1), 0)], PLACE_FUSED);
    CHECK_INT(f.place[op_result(m, find(m, OP_dot_general, 0), 0)], PLACE_BUFFER);
    module_free(m);
}

// %2, %3 and %6 have two readers. The first is made of %x alone, the second of %x and %y, the third of the second, which
// is in memory.
static void one_source_is_read_again(void) {
    Module *m = read("func.func @main(%x: " T ", %y: " T ") -> (" T ", " T ", " T ", " T ") {\n"
                     "  %0 = stablehlo.sine %x : " T "\n  %1 = stablehlo.cosine %x : " T "\n"
                     "  %2 = stablehlo.add %0, %1 : " T "\n  %3 = stablehlo.multiply %0, %y : " T "\n"
                     "  %4 = stablehlo.sine %2 : " T "\n  %5 = stablehlo.cosine %2 : " T "\n"
                     "  %6 = stablehlo.tanh %3 : " T "\n  %7 = stablehlo.subtract %6, %3 : " T "\n"
                     "  %8 = stablehlo.cosine %6 : " T "\n"
                     "  return %4, %5, %7, %8 : " T ", " T ", " T ", " T "\n}\n");
    if (!m) return;
    static const Backend again = {.duplicates_expensive = true};
    Fusion f = fused(m, NULL, &again, &arena);
    CHECK_INT(f.place[op_result(m, find(m, OP_add, 0), 0)], PLACE_FUSED);
    CHECK_INT(f.place[op_result(m, find(m, OP_multiply, 0), 0)], PLACE_BUFFER);
    CHECK_INT(f.place[op_result(m, find(m, OP_tanh, 0), 0)], PLACE_FUSED);
    module_free(m);
}

// %0 has two readers and is made of %x and %y, but both readers are in one kernel.
static void one_kernel_computes_what_it_reads_twice(void) {
    Module *m = read("func.func @main(%x: " T ", %y: " T ") -> " T " {\n"
                     "  %0 = stablehlo.multiply %x, %y : " T "\n  %1 = stablehlo.sine %0 : " T "\n"
                     "  %2 = stablehlo.add %0, %1 : " T "\n  return %2 : " T "\n}\n");
    if (!m) return;
    CHECK_INT(fused(m, NULL, &(Backend){.duplicates_expensive = true}, &arena).place[op_result(m, find(m, OP_multiply, 0), 0)],
              PLACE_FUSED);
    CHECK_INT(fused(m, NULL, &(Backend){0}, &arena).place[op_result(m, find(m, OP_multiply, 0), 0)], PLACE_FUSED);
    module_free(m);
}

// The select has two readers and is made of %x and a mask, which does not count; the other of %x and %y.
static void masks_are_no_source(void) {
    Module *m = read("func.func @main(%x: " T ", %y: " T ", %p: tensor<8x8xi1>) -> (" T ", " T ", " T ", " T ") {\n"
                     "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "  %z = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> " T "\n"
                     "  %0 = stablehlo.select %p, %x, %z : tensor<8x8xi1>, " T "\n"
                     "  %1 = stablehlo.sine %0 : " T "\n  %2 = stablehlo.cosine %0 : " T "\n"
                     "  %3 = stablehlo.select %p, %x, %y : tensor<8x8xi1>, " T "\n"
                     "  %4 = stablehlo.sine %3 : " T "\n  %5 = stablehlo.cosine %3 : " T "\n"
                     "  return %1, %2, %4, %5 : " T ", " T ", " T ", " T "\n}\n");
    if (!m) return;
    Fusion f = fused(m, NULL, &(Backend){.duplicates_expensive = true}, &arena);
    CHECK_INT(f.place[op_result(m, find(m, OP_select, 0), 0)], PLACE_FUSED);
    CHECK_INT(f.place[op_result(m, find(m, OP_select, 1), 0)], PLACE_BUFFER);
    module_free(m);
}

// A bias for each column, whether it has dimensions of 1 or not, is no source either; a transposed matrix is one.
static void small_tensors_are_no_source(void) {
#define ADD_BROADCAST(type, dims)                                                                                      \
    "func.func @main(%x: " T ", %y: " type ") -> (" T ", " T ") {\n"                                                   \
    "  %b = stablehlo.broadcast_in_dim %y, dims = [" dims "] : (" type ") -> " T "\n"                                  \
    "  %0 = stablehlo.add %x, %b : " T "\n  %1 = stablehlo.sine %0 : " T "\n"                                          \
    "  %2 = stablehlo.cosine %0 : " T "\n  return %1, %2 : " T ", " T "\n}\n"
    static const char *const texts[] = {ADD_BROADCAST("tensor<8xf32>", "1"), ADD_BROADCAST("tensor<1x8xf32>", "0, 1"),
                                        ADD_BROADCAST(T, "1, 0")};
    static const int places[] = {PLACE_FUSED, PLACE_FUSED, PLACE_BUFFER};
    for (uint32_t i = 0; i < 3; i++) {
        Module *m = read(texts[i]);
        if (!m) return;
        Fusion f = fused(m, NULL, &(Backend){.duplicates_expensive = true}, &arena);
        CHECK_INT(f.place[op_result(m, find(m, OP_add, 0), 0)], places[i]);
        module_free(m);
    }
}

// Two products read the sum of a product and %y, or twice that, which is written as bf16; if the product has another
// reader, that is in memory, and the sum computed again.
static void products_write_what_products_read(void) {
#define BIASED(twice, by, more)                                                                                        \
    "func.func @main(%x: " T ", %y: tensor<8xf32>) -> (" T ", " T ", " T                                               \
    ") {\n" DOT("%0", "%x", "%x") "  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<8xf32>) -> " T           \
                                  "\n  %1 = stablehlo.add %0, %b : " T "\n" twice DOT("%2", by, "%x")                  \
                                      DOT("%3", "%x", by) "  %4 = stablehlo.sine " more " : " T                        \
                                                          "\n  return %2, %3, %4 : " T ", " T ", " T "\n}\n"
#define DOUBLED                                                                                                        \
    "  %f = stablehlo.constant dense<2.0> : tensor<f32>\n"                                                             \
    "  %t = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> " T "\n  %5 = stablehlo.multiply %1, %t : " T  \
    "\n"
    static const Backend backend = {
        .fuses_dot_producers = true, .fuses_products = true, .duplicates_expensive = true, .stores_bf16 = true};
    static const char *const texts[] = {BIASED("", "%1", "%x"), BIASED("", "%1", "%0"), BIASED(DOUBLED, "%5", "%x"),
                                        BIASED(DOUBLED, "%5", "%1")};
    static const int places[] = {PLACE_BUFFER, PLACE_FUSED, PLACE_BUFFER, PLACE_FUSED};
    for (uint32_t i = 0; i < 4; i++) {
        Module *m = read(texts[i]);
        if (!m) return;
        ValueId v = op_result(m, find(m, i < 2 ? OP_add : OP_multiply, 0), 0);
        Fusion f = fused(m, NULL, &backend, &arena);
        CHECK_INT(f.place[v], places[i]);
        CHECK_INT(f.place[op_result(m, find(m, OP_dot_general, 0), 0)], i == 1 ? PLACE_BUFFER : PLACE_FUSED); // at last in the sum
        module_free(m);
    }
}

// The first product is computed in the second, which needs all of it once; not if the second has many rows and many columns.
static void small_products_compute_others(void) {
#define CHAIN(rows, columns)                                                                                           \
    "func.func @main(%x: tensor<" rows "x512xf32>, %w: tensor<512x512xf32>, %v: tensor<512x" columns                    \
    "xf32>) -> tensor<" rows "x" columns "xf32> {\n"                                                                    \
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<" rows                                 \
    "x512xf32>, tensor<512x512xf32>) -> tensor<" rows "x512xf32>\n"                                                     \
    "  %1 = stablehlo.sine %0 : tensor<" rows "x512xf32>\n"                                                             \
    "  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<" rows "x512xf32>, tensor<512x" columns \
    "xf32>) -> tensor<" rows "x" columns "xf32>\n  return %2 : tensor<" rows "x" columns "xf32>\n}\n"
    static const char *const texts[] = {CHAIN("128", "512"), CHAIN("4096", "128"), CHAIN("4096", "512")};
    static const int places[] = {PLACE_FUSED, PLACE_FUSED, PLACE_BUFFER};
    for (uint32_t i = 0; i < 3; i++) {
        Module *m = read(texts[i]);
        if (!m) return;
        Fusion f = fused(m, NULL, &(Backend){.fuses_dot_producers = true, .fuses_products = true}, &arena);
        CHECK_INT(f.place[op_result(m, find(m, OP_dot_general, 0), 0)], places[i]);
        module_free(m);
    }
}

// Two products read the parts; anything else needs the whole.
static void products_read_parts(void) {
#define PARTS(other)                                                                                                   \
    "func.func @main(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> (" T ", " T ") {\n"                                   \
    "  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> " T "\n" DOT("%1", "%0", "%0") other \
    "  return %1, %2 : " T ", " T "\n}\n"
    static const char *const texts[] = {PARTS(DOT("%2", "%0", "%1")), PARTS("  %2 = stablehlo.sine %0 : " T "\n")};
    for (uint32_t i = 0; i < 2; i++) {
        Module *m = read(texts[i]);
        if (!m) return;
        Fusion f = fused(m, NULL, &(Backend){.fuses_dot_producers = true}, &arena);
        CHECK_INT(f.place[op_result(m, find(m, OP_concatenate, 0), 0)], i == 0 ? PLACE_FUSED : PLACE_BUFFER);
        module_free(m);
    }
}

// The transpose of a product is written by its kernel, also if it is read twice.
static void products_write_their_transposes(void) {
    Module *m = read("func.func @main(%x: " T ") -> (" T ", " T ") {\n" DOT("%0", "%x", "%x") "  %1 = stablehlo.transpose %0, dims = [1, 0] : (" T
                     ") -> " T "\n" DOT("%2", "%1", "%x") "  return %1, %2 : " T ", " T "\n}\n");
    if (!m) return;
    Fusion f = fused(m, NULL, &(Backend){.fuses_dot_producers = true, .fuses_products = true, .duplicates_expensive = true}, &arena);
    CHECK_INT(f.place[op_result(m, find(m, OP_dot_general, 0), 0)], PLACE_FUSED);
    CHECK_INT(f.place[op_result(m, find(m, OP_transpose, 0), 0)], PLACE_BUFFER);
    module_free(m);
}

// A product alone computes the sine on the way, as does a reduction; together they have it written.
static void reductions_write_for_products(void) {
    Module *m = read("func.func @main(%x: " T ") -> (" T ", tensor<8xf32>) {\n"
                     "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = stablehlo.sine %x : " T
                     "\n" DOT("%1", "%0", "%x") REDUCE("%2", "%0") "  return %1, %2 : " T ", tensor<8xf32>\n}\n");
    if (!m) return;
    static const Backend apart = {.fuses_dot_producers = true, .duplicates_expensive = true},
                         writes = {.fuses_dot_producers = true,
                                   .duplicates_expensive = true,
                                   .reductions_write_producers = true};
    ValueId v = op_result(m, find(m, OP_sine, 0), 0);
    CHECK_INT(fused(m, NULL, &apart, &arena).place[v], PLACE_FUSED);
    CHECK_INT(fused(m, NULL, &writes, &arena).place[v], PLACE_BUFFER);
    module_free(m);
}

#define ROWS_ADDED(out, into, combine)                                                                                 \
    "  " out " = \"stablehlo.scatter\"(" into ", %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<"            \
    "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"  \
    "}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %s = stablehlo." combine " %a, %b : tensor<f32>\n"          \
    "    stablehlo.return %s : tensor<f32>\n  }) : (" T ", tensor<2x1xi32>, tensor<2x8xf32>) -> " T "\n"

static bool writes_into_product(const char *text) {
    Module *m = read(text);
    if (!m) return false;
    static const Backend added = {.fuses_scatter_adds = true, .fuses_products = true};
    static const Backend apart = {.fuses_products = true};
    Fusion f = fused(m, NULL, &added, &arena), without = fused(m, NULL, &apart, &arena);
    bool fused = f.place[op_result(m, find(m, OP_scatter, 0), 0)] == PLACE_FUSED;
    CHECK_INT(f.place[op_result(m, find(m, OP_broadcast_in_dim, 0), 0)], PLACE_FUSED); // the scatter makes it either way
    CHECK_INT(without.place[op_result(m, find(m, OP_broadcast_in_dim, 0), 0)], PLACE_BUFFER);
    if (fused) CHECK_INT(f.place[op_operand(m, find(m, OP_add, 0), 0)], PLACE_BUFFER);
    module_free(m);
    return fused;
}

// Rows that are added to zeros and then to a product are added to the product, which is in memory then, unless they are
// combined otherwise or the zeros are none.
static void scatters_into_what_they_are_added_to(void) {
#define ADDED(value, combine)                                                                                          \
    "func.func @main(%x: " T ", %i: tensor<2x1xi32>, %u: tensor<2x8xf32>) -> " T " {\n"                                \
    "  %f = stablehlo.constant dense<" value "> : tensor<f32>\n"                                                       \
    "  %0 = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> " T "\n" DOT("%1", "%x", "%x")                 \
        ROWS_ADDED("%2", "%0", combine) "  %3 = stablehlo.add %1, %2 : " T "\n  return %3 : " T "\n}\n"
    CHECK(writes_into_product(ADDED("0.0", "add")));
    CHECK(!writes_into_product(ADDED("1.0", "add")));
    CHECK(!writes_into_product(ADDED("0.0", "maximum")));
}

// A product that is added to a carried value is part of that add; not if it is added to something else, or read by
// somebody else too.
static void products_are_summed_in_place(void) {
    static const Backend summed = {.accumulates_in_place = true};
    const struct {
        const char *text;
        Place place;
    } cases[] = {
        {SUM_UP("    %n = stablehlo.add %q, %d : " T "\n"), PLACE_FUSED},
        {SUM_UP("    %n = stablehlo.add %d, %q : " T "\n"), PLACE_FUSED},
        {SUM_UP("    %n = stablehlo.subtract %q, %d : " T "\n"), PLACE_BUFFER},
        {SUM_UP("    %n = stablehlo.add %x, %d : " T "\n"), PLACE_BUFFER},
        {SUM_UP("    %e = stablehlo.add %d, %d : " T "\n    %n = stablehlo.add %q, %e : " T "\n"), PLACE_BUFFER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Module *m = read(cases[i].text);
        if (!m) continue;
        Fusion f = fused(m, NULL, &summed, &arena);
        CHECK_INT(f.place[op_result(m, find(m, OP_dot_general, 0), 0)], cases[i].place);
        module_free(m);
    }
}

// Every other element is read from memory, and written there before it is put between others; four in a row are not.
static void strides_are_in_memory(void) {
#define HALVED(stride, interior)                                                                                       \
    "func.func @main(%x: " T ") -> tensor<8x7xf32> {\n  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"            \
    "  %0 = stablehlo.sine %x : " T "\n  %1 = stablehlo.slice %0 [0:8, " stride "] : (" T ") -> tensor<8x4xf32>\n"      \
    "  %2 = stablehlo.cosine %1 : tensor<8x4xf32>\n  %3 = stablehlo.pad %2, %f, low = [0, 0], high = [0, " interior     \
    "] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x7xf32>\n  %4 = stablehlo.negate %3 : tensor<8x7xf32>\n"           \
    "  return %4 : tensor<8x7xf32>\n}\n"
    static const Backend in_memory = {.strides_in_memory = true};
    const char *text[] = {HALVED("0:4", "3], interior = [0, 0"), HALVED("0:8:2", "0], interior = [0, 1")};
    for (int strided = 0; strided < 2; strided++) {
        Module *m = read(text[strided]);
        if (!m) continue;
        Fusion f = fused(m, NULL, &in_memory, &arena);
        const OpKind kinds[] = {OP_sine, OP_cosine, OP_pad};
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            CHECK_INT(f.place[op_result(m, find(m, kinds[i], 0), 0)], strided ? PLACE_BUFFER : PLACE_FUSED);
        CHECK_INT(f.place[op_result(m, find(m, OP_slice, 0), 0)], PLACE_FUSED);
        module_free(m);
    }
}

// How many slices and pads there are once those that give what they get are left out.
static void what_changes_nothing_is_left_out(void) {
    Module *whole = read(
        "func.func @main(%x: " T ", %z: tensor<f32>) -> (" T ", " T ", tensor<7x8xf32>) {\n"
        "  %0 = stablehlo.slice %x [0:8, 0:8] : (" T ") -> " T "\n"
        "  %1 = stablehlo.pad %0, %z, low = [0, 0], high = [0, 0], interior = [0, 0] : (" T ", tensor<f32>) -> " T "\n"
        "  %2 = stablehlo.pad %0, %z, low = [1, 0], high = [-1, 0], interior = [0, 0] : (" T ", tensor<f32>) -> " T "\n"
        "  %3 = stablehlo.slice %1 [1:8, 0:8] : (" T ") -> tensor<7x8xf32>\n"
        "  return %1, %2, %3 : " T ", " T ", tensor<7x8xf32>\n}\n");
    if (!whole) return;
    ProgramOrder written = program_order(eliminate_common_subexpressions(whole, NULL, &(Backend){0}, &arena).m, &arena);
    CHECK_INT(written.count[OP_slice], 1);
    CHECK_INT(written.count[OP_pad], 1);
    module_free(whole);
}

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(scatters_to_selects);
    RUN(selects_are_added_to_products);
    RUN(selects_are_no_source);
    RUN(one_source_is_read_again);
    RUN(one_kernel_computes_what_it_reads_twice);
    RUN(masks_are_no_source);
    RUN(small_tensors_are_no_source);
    RUN(products_write_what_products_read);
    RUN(products_read_parts);
    RUN(products_write_their_transposes);
    RUN(small_products_compute_others);
    RUN(reductions_write_for_products);
    RUN(scatters_into_what_they_are_added_to);
    RUN(products_are_summed_in_place);
    RUN(strides_are_in_memory);
    RUN(what_changes_nothing_is_left_out);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
