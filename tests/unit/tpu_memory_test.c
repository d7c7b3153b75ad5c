// The rules of the compiler behind a TPU, each on a program small enough to work out by hand.
#include "sim/transform/cse.h"
#include "sim/transform/licm.h"
#include "sim/schedule/memory_scheduler.h"
#include "sim/transform/bf16_storage.h"
#include "sim/packing/heap_packing.h"
#include "sim/memory/rematerialize.h"
#include "sim/transform/gather_cse.h"
#include "sim/collective/collective_combiner.h"
#include "sim/backend/tpu_layout.h"
#include "program.h"
#include "sim_passes.h"
#include <math.h>

// ---- Narrow values -------------------------------------------------------------------------------------------------

#define T     "tensor<8x8xf32>"
#define STACK "tensor<4x8x8xf32>"
#define DOT(out, x, y)                                                                                                 \
    "  " out " = stablehlo.dot_general " x ", " y ", contracting_dims = [1] x [0] : (" T ", " T ") -> " T "\n"
#define COND                                                                                                           \
    "  cond {\n    %n = stablehlo.constant dense<4> : tensor<i32>\n"                                                   \
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"                               \
    "    stablehlo.return %p : tensor<i1>\n  } do {\n    %one = stablehlo.constant dense<1> : tensor<i32>\n"           \
    "    %z = stablehlo.constant dense<0> : tensor<i32>\n    %j = stablehlo.add %i, %one : tensor<i32>\n"
#define SLICE                                                                                                          \
    "    %s = stablehlo.dynamic_slice %q, %i, %z, %z, sizes = [1, 8, 8] : (" STACK                                     \
    ", tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>\n    %t = stablehlo.reshape %s : "                  \
    "(tensor<1x8x8xf32>) -> " T "\n"

// One loop stacks up sines, the other hands each to `use`.
#define TWO_LOOPS(use)                                                                                                 \
    "func.func @main(%x: " T ", %w: " T ") -> " T " {\n"                                                               \
    "  %c = stablehlo.constant dense<0> : tensor<i32>\n  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"           \
    "  %e = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> " STACK "\n"                                   \
    "  %0:3 = stablehlo.while(%i = %c, %h = %x, %q = %e) : tensor<i32>, " T ", " STACK "\n" COND                       \
    "    %g = stablehlo.sine %h : " T "\n"                                                                             \
    "    %r = stablehlo.reshape %g : (" T ") -> tensor<1x8x8xf32>\n"                                                   \
    "    %u = stablehlo.dynamic_update_slice %q, %r, %i, %z, %z : (" STACK                                             \
    ", tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> " STACK "\n"                                       \
    "    stablehlo.return %j, %g, %u : tensor<i32>, " T ", " STACK "\n  }\n"                                           \
    "  %1:3 = stablehlo.while(%i = %c, %h = %0#1, %q = %0#2) : tensor<i32>, " T ", " STACK "\n" COND SLICE use         \
    "    stablehlo.return %j, %d, %q : tensor<i32>, " T ", " STACK "\n  }\n"                                           \
    "  return %1#1 : " T "\n}\n"

static bool stack_is_bf16(const char *text) {
    Module *m = read(text);
    if (!m) return false;
    ProgramOrder written = program_order(m, &arena);
    const uint8_t *stored_bf16 = find_bf16_storage(m, &written, &arena);
    OpId first = find(m, OP_while, 0), second = find(m, OP_while, 1);
    ValueId kept = op_result(m, first, 2);
    CHECK_INT(stored_bf16[op_operand(m, first, 2)], stored_bf16[kept]);
    CHECK_INT(stored_bf16[m->regions.at[op_region(m, first, 1)].first_arg + 2], stored_bf16[kept]);
    CHECK_INT(stored_bf16[m->regions.at[op_region(m, second, 1)].first_arg + 2], stored_bf16[kept]);
    CHECK(!stored_bf16[op_result(m, first, 1)]); // goes on as it is
    bool is = stored_bf16[kept];
    module_free(m);
    return is;
}

static void stacks_for_products_are_bf16(void) {
    CHECK(stack_is_bf16(TWO_LOOPS(DOT("%d", "%t", "%w"))));
#define AS_BF16                                                                                                        \
    "    %b = stablehlo.convert %t : (" T ") -> tensor<8x8xbf16>\n    %d = stablehlo.convert %b : "                    \
    "(tensor<8x8xbf16>) -> " T "\n"
    CHECK(stack_is_bf16(TWO_LOOPS(AS_BF16)));
    CHECK(!stack_is_bf16(TWO_LOOPS(DOT("%k", "%t", "%w") "    %d = stablehlo.add %k, %t : " T "\n")));
    // A barrier hands on each of two, of which one is added: that the other one is exact is no reason for this one to be.
#define BEHIND_BARRIER(added)                                                                                          \
    "    %b:2 = stablehlo.optimization_barrier %t, %h : " T ", " T "\n" DOT("%k", "%b#0", "%w")                        \
    "    %d = stablehlo.add %k, " added " : " T "\n"
    CHECK(stack_is_bf16(TWO_LOOPS(BEHIND_BARRIER("%b#1"))));
    CHECK(!stack_is_bf16(TWO_LOOPS(BEHIND_BARRIER("%b#0"))));
}

// A select and a sum in the kernel that makes it leave it in bf16; what the caller gave stays as it is, and so does what
// is only summed up.
static void products_read_through_moves(void) {
    Module *m =
        read("func.func @main(%x: " T ", %w: " T ", %p: tensor<8x8xi1>) -> (" T ", tensor<8xf32>, tensor<8xf32>) {\n"
             "  %0 = stablehlo.sine %x : " T "\n"
             "  %1 = stablehlo.cosine %x : " T "\n"
             "  %2 = stablehlo.select %p, %0, %1 : tensor<8x8xi1>, " T "\n"
             "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
             "  %5 = stablehlo.tanh %x : " T "\n"
             "  %6 = stablehlo.transpose %5, dims = [1, 0] : (" T ") -> " T "\n"
             "  %7 = stablehlo.reduce(%6 init: %f) applies stablehlo.add across dimensions = [0] : (" T
             ", tensor<f32>) -> tensor<8xf32>\n"
             "  %3 = stablehlo.reduce(%2 init: %f) applies stablehlo.add across dimensions = [0] : (" T
             ", tensor<f32>) -> tensor<8xf32>\n" DOT("%4", "%2", "%w") "  return %4, %3, %7 : " T
                                                                       ", tensor<8xf32>, tensor<8xf32>\n}\n");
    if (!m) return;
    ProgramOrder written = program_order(m, &arena);
    const uint8_t *stored_bf16 = find_bf16_storage(m, &written, &arena);
    CHECK(stored_bf16[op_result(m, find(m, OP_select, 0), 0)]);
    CHECK(stored_bf16[op_result(m, find(m, OP_sine, 0), 0)]);
    CHECK(!stored_bf16[op_operand(m, find(m, OP_dot_general, 0), 1)]);
    CHECK(!stored_bf16[op_result(m, find(m, OP_reduce, 0), 0)]);
    CHECK(!stored_bf16[op_result(m, find(m, OP_tanh, 0), 0)]);
    CHECK(!stored_bf16[op_result(m, find(m, OP_transpose, 0), 0)]);
    module_free(m);
}

// ---- Fusion --------------------------------------------------------------------------------------------------------

// An element for each row: the scatter is a comparison inside the two sines.
static void scatters_to_selects(void) {
    const char *text =
        "func.func @main(%i: tensor<8x1xi32>, %u: tensor<8xf32>) -> (" T ", " T ") {\n"
        "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %0 = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> " T "\n"
        "  %1 = \"stablehlo.scatter\"(%0, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims "
        "= [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "
        "index_vector_dim = 1>}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %s = stablehlo.add %a, %b : "
        "tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (" T ", tensor<8x1xi32>, tensor<8xf32>) -> " T "\n"
        "  %2 = stablehlo.sine %1 : " T "\n  %3 = stablehlo.cosine %1 : " T "\n  return %2, %3 : " T ", " T "\n}\n";
    static const Backend plain = {0}, selects = {.scatters_to_selects = true, .duplicates_expensive = true};
    Module *m = read(text);
    if (!m) return;
    ValueId v = op_result(m, find(m, OP_scatter, 0), 0);
    CHECK_INT(fused(m, NULL, &plain, &arena).place[v], PLACE_BUFFER);
    CHECK_INT(fused(m, NULL, &selects, &arena).place[v], PLACE_FUSED);
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

#define REDUCE(out, in)                                                                                                \
    "  " out " = stablehlo.reduce(" in " init: %f) applies stablehlo.add across dimensions = [0] : (" T                \
    ", tensor<f32>) -> tensor<8xf32>\n"

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
    static const Backend added = {.fuses_scatter_adds = true};
    Fusion f = fused(m, NULL, &added, &arena);
    bool fused = f.place[op_result(m, find(m, OP_scatter, 0), 0)] == PLACE_FUSED;
    CHECK_INT(f.place[op_result(m, find(m, OP_broadcast_in_dim, 0), 0)], fused ? PLACE_FUSED : PLACE_BUFFER);
    if (fused) CHECK_INT(f.place[op_operand(m, find(m, OP_add, 0), 0)], PLACE_BUFFER);
    module_free(m);
    return fused;
}

// Rows that are added to zeros and then to a product are added to the product, unless they are combined otherwise or
// the zeros are none.
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

#define SUM_UP(next)                                                                                                   \
    "func.func @main(%x: " T ") -> " T " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"                        \
    "  %0:2 = stablehlo.while(%i = %c, %q = %x) : tensor<i32>, " T "\n" COND DOT("%d", "%x", "%x") next                \
        "    stablehlo.return %j, %n : tensor<i32>, " T "\n  }\n  return %0#1 : " T "\n}\n"

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

// ---- Order ---------------------------------------------------------------------------------------------------------

#define SUM(out, in, axis)                                                                                             \
    "  " out " = \"partir.all_reduce\"(" in ") {axes = [\"" axis "\"], monoid = \"add\"} : (" T ") -> " T "\n"

// The rings that sums of at most `limit` bytes run in.
static const OpId *rings(const Module *m, double limit) {
    ProgramOrder written = program_order(m, &arena);
    OpId *next = arena_new(&arena, OpId, m->ops.n);
    memset(next, 0xff, m->ops.n * sizeof *next);
    combine_collectives(m, &written, OP_partir_all_reduce, limit, next, &arena);
    return next;
}

// Up to so many bytes, and never in a circle: %0 waits for %2, which runs with %1, which waits for %3, which would run
// with %0. What finds no room in a group is none's end: smaller ones may still join.
static void sums_in_groups(void) {
    Module *m = read("func.func @main(%a: " T ", %b: " T ") -> (" T ", " T ", " T ") {\n" //
                     SUM("%2", "%a", "model") SUM("%0", "%2", "batch") SUM("%3", "%b", "batch") SUM("%1", "%3", "model")
                         SUM("%4", "%a", "batch") "  return %0, %1, %4 : " T ", " T ", " T "\n}\n");
    if (!m) return;
    const OpId *next = rings(m, 512);
    OpId two = find(m, OP_partir_all_reduce, 0), zero = find(m, OP_partir_all_reduce, 1),
         three = find(m, OP_partir_all_reduce, 2), one = find(m, OP_partir_all_reduce, 3),
         four = find(m, OP_partir_all_reduce, 4);
    CHECK_INT(next[zero], three);
    CHECK_INT(next[three], zero);
    CHECK_INT(next[one], NO_ID);
    CHECK_INT(next[two], NO_ID);
    CHECK_INT(next[four], NO_ID); // would be the third
    module_free(m);
#define SMALL "tensor<8xf32>"
    m = read("func.func @main(%a: " T ", %b: " T ", %c: " SMALL ", %d: " SMALL ") -> (" T ", " T ", " SMALL ", " SMALL
             ") {\n  %0 = \"partir.all_reduce\"(%c) {axes = [\"batch\"], monoid = \"add\"} : (" SMALL ") -> " SMALL
             "\n" SUM("%1", "%a", "batch")
                 SUM("%2", "%b",
                     "batch") "  %3 = \"partir.all_reduce\"(%d) {axes = [\"batch\"], monoid = \"add\"} : (" SMALL
                              ") -> " SMALL "\n  return %1, %2, %0, %3 : " T ", " T ", " SMALL ", " SMALL "\n}\n");
    if (!m) return;
    next = rings(m, 320);
    OpId first = find(m, OP_partir_all_reduce, 1), last = find(m, OP_partir_all_reduce, 3);
    CHECK_INT(next[first], find(m, OP_partir_all_reduce, 0));
    CHECK_INT(next[next[first]], last);
    CHECK_INT(next[last], first);
    CHECK_INT(next[find(m, OP_partir_all_reduce, 2)], NO_ID);
    module_free(m);
}

// Two sums, of which each needs another: the first of both run together, and the second. With a sum over other axes behind
// one and before the other, which run together, that would be a circle.
static void sums_of_one_level_are_combined(void) {
    Module *m = read("func.func @main(%a: " T ", %b: " T ") -> (" T ", " T ") {\n" SUM("%0", "%a", "batch") SUM(
        "%1", "%0", "batch") SUM("%2", "%b", "batch") SUM("%3", "%2", "batch") "  return %1, %3 : " T ", " T "\n}\n");
    if (!m) return;
    const OpId *next = rings(m, INFINITY);
    OpId sums[5];
    for (uint32_t i = 0; i < 4; i++) sums[i] = find(m, OP_partir_all_reduce, i);
    CHECK_INT(next[sums[0]], sums[2]);
    CHECK_INT(next[sums[2]], sums[0]);
    CHECK_INT(next[sums[1]], sums[3]);
    CHECK_INT(next[sums[3]], sums[1]);
    module_free(m);
    m = read("func.func @main(%a: " T ", %b: " T ") -> (" T ", " T ") {\n" //
             SUM("%0", "%a", "batch") SUM("%1", "%0", "model") SUM("%2", "%b", "model") SUM("%3", "%2", "batch")
                 SUM("%4", "%3", "batch") "  return %1, %4 : " T ", " T "\n}\n");
    if (!m) return;
    next = rings(m, INFINITY);
    for (uint32_t i = 0; i < 5; i++) sums[i] = find(m, OP_partir_all_reduce, i);
    CHECK_INT(next[sums[1]], sums[2]);
    CHECK_INT(next[sums[2]], sums[1]);
    CHECK_INT(next[sums[0]], NO_ID);
    CHECK_INT(next[sums[3]], NO_ID);
    module_free(m);
}

// Of three sums, two of which run together, those that the first results are made of do, wherever they are written.
static void sums_are_combined_as_they_are_read(void) {
    Module *m =
        read("func.func @main(%a: " T ") -> (" T ", " T ", " T ") {\n" SUM("%0", "%a", "batch") SUM("%1", "%a", "batch")
                 SUM("%2", "%a", "batch") "  %3 = stablehlo.sine %1 : " T "\n  return %2, %0, %3 : " T ", " T ", " T
                                          "\n}\n");
    if (!m) return;
    const OpId *next = rings(m, 512);
    OpId first = find(m, OP_partir_all_reduce, 0), last = find(m, OP_partir_all_reduce, 2);
    CHECK_INT(next[last], first);
    CHECK_INT(next[first], last);
    CHECK_INT(next[find(m, OP_partir_all_reduce, 1)], NO_ID);
    module_free(m);
}

// The largest mean of all batches is found where the mean of this one is first read; not if something else must be there.
static void siblings_are_adjacent(void) {
#define MEANS(with, more, from)                                                                                        \
    "func.func @main(%x: " T ", %old: tensor<8xf32>) -> (" T ", tensor<8xf32>) {\n"                                    \
    "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = stablehlo.reduce(%x init: %f) applies stablehlo.add "  \
    "across dimensions = [0] : (" T                                                                                    \
    ", tensor<f32>) -> tensor<8xf32>\n  %1 = stablehlo.negate %0 : tensor<8xf32>\n" more                               \
    "  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xf32>) -> " T "\n"                                    \
    "  %3 = stablehlo.subtract " from ", %2 : " T "\n" DOT("%4", "%3", "%x")                                           \
        REDUCE("%5", "%4") "  %6 = stablehlo.maximum " with ", %1 : tensor<8xf32>\n  return %4, %6 : " T               \
                           ", tensor<8xf32>\n}\n"
#define SUM_READ "  %s = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<8xf32>) -> " T "\n"
    static const char *const texts[] = {MEANS("%old", "", "%x"), MEANS("%5", "", "%x"),
                                        MEANS("%old", SUM_READ, "%s")}; // the sum is read for more than its mean
    for (uint32_t i = 0; i < 3; i++) {
        Module *m = read(texts[i]);
        if (!m) return;
        ProgramOrder written = program_order(m, &arena);
        Fusion f = fused(m, NULL, &(Backend){0}, &arena);
        OpSchedule order = min_memory(m, &written, &f, &(Backend){0}, NULL, &arena);
        bool first = order.position[find(m, OP_maximum, 0)] < order.position[find(m, OP_subtract, 0)];
        CHECK_INT(first, i != 1);
        module_free(m);
    }
}

// The mean of all batches needs a sum that runs together with one that is made of what the sibling would wait for.
static void siblings_wait_for_no_sums(void) {
#define SUM_ROW(out, in)                                                                                               \
    "  " out " = \"partir.all_reduce\"(" in                                                                            \
    ") {axes = [\"batch\"], monoid = \"add\"} : (tensor<8xf32>) -> tensor<8xf32>\n"
    Module *m = read(
        "func.func @main(%x: " T ", %old: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {\n"
        "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = stablehlo.reduce(%x init: %f) applies stablehlo.add "
        "across dimensions = [0] : (" T ", tensor<f32>) -> tensor<8xf32>\n  %1 = stablehlo.negate %0 : tensor<8xf32>\n"
        "  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xf32>) -> " T "\n"
        "  %3 = stablehlo.subtract %x, %2 : " T "\n" DOT("%4", "%3", "%x") REDUCE("%5", "%4") SUM_ROW("%6", "%5")
            SUM_ROW("%7", "%old") "  %8 = stablehlo.maximum %7, %1 : tensor<8xf32>\n"
                                  "  return %6, %8 : tensor<8xf32>, tensor<8xf32>\n}\n");
    if (!m) return;
    Backend together = {.all_reduce_combine_bytes = 1e9};
    ProgramOrder written = program_order(m, &arena);
    Fusion f = fused(m, NULL, &together, &arena);
    OpSchedule order = min_memory(m, &written, &f, &together, NULL, &arena);
    OpId sum = find(m, OP_partir_all_reduce, 1);
    CHECK_INT(order.n, written.n);
    CHECK(order.position[find(m, OP_dot_general, 0)] < order.position[sum]);
    CHECK(order.position[sum] < order.position[find(m, OP_maximum, 0)]);
    module_free(m);
}

#define GATHER(out) "  " out " = \"partir.all_gather\"(%w) {axes = [[\"batch\"], []]} : (tensor<4x8xf32>) -> " T "\n"

// The second gather is two ops behind the reader of the first, the third four more.
static void near_gathers_are_one(void) {
    Module *m = read("func.func @main(%x: " T ", %w: tensor<4x8xf32>) -> " T " {\n" //
                     GATHER("%0") DOT("%1", "%x", "%0") DOT("%2", "%1", "%x") GATHER("%3") DOT("%4", "%2", "%3")
                         DOT("%5", "%4", "%x") DOT("%6", "%5", "%x") DOT("%7", "%6", "%x") GATHER("%8")
                             DOT("%9", "%7", "%8") "  return %9 : " T "\n}\n");
    if (!m) return;
    ProgramOrder written = program_order(m, &arena);
    const OpId *merged = find_gather_cse(m, &written, NULL, 4, &arena);
    OpId first = find(m, OP_partir_all_gather, 0);
    CHECK_INT(merged[first], NO_ID);
    CHECK_INT(merged[find(m, OP_partir_all_gather, 1)], first);
    CHECK_INT(merged[find(m, OP_partir_all_gather, 2)], NO_ID);
    module_free(m);
}

static MemoryUse use_of(const char *text, const Backend *backend, double memory) {
    Module *whole = read(text);
    if (!whole) return (MemoryUse){0};
    SimProgram distinct = eliminate_common_subexpressions(whole, NULL, backend, &arena);
    const Module *m = distinct.m;
    ProgramOrder written = program_order(m, &arena);
    Fusion f = fused(m, distinct.trees, backend, &arena);
    OpSchedule order = min_memory(m, &written, &f, backend, NULL, &arena);
    MemoryUse use = memory_use(m, &order, &f, backend, memory, &arena);
    module_free(whole);
    return use;
}

static double peak(const char *text, const Backend *backend) { return use_of(text, backend, INFINITY).peak; }

// A sum and a stack that only products read start from the same zeros: 1024 bytes as f32, 512 as bf16. Besides them there
// are %x, the carried value and the next one.
static void values_of_one_start_are_narrow_alone(void) {
#define STACKED(out, into)                                                                                             \
    "    " out " = stablehlo.dynamic_update_slice " into ", %r, %i, %z, %z : (" STACK                                  \
    ", tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> " STACK "\n"
    const char *text =
        "func.func @main(%x: " T ") -> (" STACK ", " T ") {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %e = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> " STACK "\n"
        "  %0:4 = stablehlo.while(%i = %c, %h = %x, %q = %e, %v = %e) : tensor<i32>, " T ", " STACK ", " STACK "\n" COND
        "    %g = stablehlo.sine %h : " T "\n    %r = stablehlo.reshape %g : (" T
        ") -> tensor<1x8x8xf32>\n" STACKED("%u", "%q")
            STACKED("%y", "%v") "    stablehlo.return %j, %g, %u, %y : tensor<i32>, " T ", " STACK ", " STACK
                                "\n  }\n  %1 = stablehlo.dot_general %0#3, %0#3, contracting_dims = [0, 1] x "
                                "[0, 1] : (" STACK ", " STACK ") -> " T "\n  return %0#2, %1 : " STACK ", " T "\n}\n";
    static const Backend exact = {0}, stored_bf16 = {.stores_bf16 = true};
    CHECK_INT(peak(text, &exact) - peak(text, &stored_bf16), 512);
}

// A weight that is gathered in a loop: before it, and kept, or on each turn.
static void gathers_stay_in_loops(void) {
    Module *m = read("func.func @main(%x: " T ", %w: tensor<4x8xf32>) -> " T
                     " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"
                     "  %0:2 = stablehlo.while(%i = %c, %h = %x) : tensor<i32>, " T
                     "\n" COND GATHER("%g") "    %s = stablehlo.sine %g : " T
                                            "\n" DOT("%d", "%h", "%s") "    stablehlo.return %j, %d : tensor<i32>, " T
                                                                       "\n  }\n  return %0#1 : " T "\n}\n");
    if (!m) return;
    ProgramOrder written = program_order(m, &arena);
    ValueId gathered = op_result(m, find(m, OP_partir_all_gather, 0), 0), made = op_result(m, find(m, OP_sine, 0), 0);
    const uint8_t *loops = find_loop_invariants(m, &written, false, &arena);
    CHECK(loops[gathered] == 1 && loops[made] == 1);
    loops = find_loop_invariants(m, &written, true, &arena);
    CHECK(loops[gathered] == 0 && loops[made] == 0);
    module_free(m);
}

// The argument, the result and %1 are 256 each; the sine is written over %1 if that is a sum, or a product that nobody
// else reads.
static void kernels_write_over_sums(void) {
    static const Backend all = {.all_reduces_in_place = true},
                         sums = {.all_reduces_in_place = true, .overwrites_only_sums = true};
#define SINE_OF(make, read)                                                                                            \
    "func.func @main(%x: " T ") -> " T " {\n" make "  %2 = stablehlo.sine %1 : " T                                     \
    "\n" read DOT("%4", "%3", "%x") "  return %4 : " T "\n}\n"
#define MOVED "  %1 = stablehlo.concatenate %x, dim = 0 : (" T ") -> " T "\n"
#define ONCE  DOT("%3", "%2", "%2")
#define TWICE "  %5 = stablehlo.cosine %1 : " T "\n" DOT("%3", "%5", "%2")
    CHECK_INT(peak(SINE_OF(MOVED, ONCE), &all), 3 * 256);
    CHECK_INT(peak(SINE_OF(MOVED, ONCE), &sums), 4 * 256);
    CHECK_INT(peak(SINE_OF(DOT("%1", "%x", "%x"), ONCE), &sums), 3 * 256);
    CHECK_INT(peak(SINE_OF(DOT("%1", "%x", "%x"), TWICE), &all), 4 * 256);
    CHECK_INT(peak(SINE_OF(DOT("%1", "%x", "%x"), TWICE), &sums), 5 * 256);
    CHECK_INT(peak(SINE_OF(DOT("%0", "%x", "%x") SUM("%1", "%0", "batch"), TWICE), &sums), 4 * 256);
#define MOVED_SUM "  %0 = stablehlo.concatenate %x, dim = 0 : (" T ") -> " T "\n" SUM("%1", "%0", "batch")
    CHECK_INT(peak(SINE_OF(MOVED_SUM, TWICE), &sums), 4 * 256);
}

// %e is no product and no sum: the next value is written over what is carried, whichever operand that is.
static void carried_values_are_written_over(void) {
    static const Backend sums = {.overwrites_only_sums = true};
#define ADD_MOVED(add)                                                                                                 \
    SUM_UP("    %e = stablehlo.concatenate %x, dim = 0 : (" T ") -> " T "\n    %n = stablehlo.add " add " : " T "\n")
    CHECK_INT(peak(ADD_MOVED("%e, %q"), &sums), peak(ADD_MOVED("%q, %e"), &sums));
#define ADD_SINE(add)                                                                                                  \
    SUM_UP("    %e = stablehlo.concatenate %x, dim = 0 : (" T ") -> " T "\n    %g = stablehlo.sine %q : " T            \
           "\n    %h = stablehlo.cosine %e : " T "\n    %n = stablehlo.add " add " : " T "\n")
    CHECK_INT(peak(ADD_SINE("%h, %g"), &sums), peak(ADD_MOVED("%q, %e"), &sums)); // inside the kernel
    CHECK_INT(peak(ADD_SINE("%g, %h"), &sums), peak(ADD_MOVED("%q, %e"), &sums));
}

// The carried value is read before the first product, its place is not given to the other two.
static void carried_values_keep_their_place(void) {
#define LATER(more)                                                                                                    \
    "func.func @main(%x: " T ") -> " T " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"                        \
    "  %0:2 = stablehlo.while(%i = %c, %q = %x) : tensor<i32>, " T "\n" COND DOT("%d", "%q", "%x") more                \
        "    stablehlo.return %j, %n : tensor<i32>, " T "\n  }\n  return %0#1 : " T "\n}\n"
    MemoryUse two = use_of(LATER(DOT("%n", "%d", "%x")), &(Backend){0}, INFINITY),
              three = use_of(LATER(DOT("%e", "%d", "%x") DOT("%n", "%e", "%x")), &(Backend){0}, INFINITY);
    CHECK_INT(three.peak - three.gaps, two.peak - two.gaps + 256);
}

// How many times its bytes an argument of this type takes: as the pass lays it out, or as it is written.
static double ratio(const char *type, bool as_written) {
    char text[128];
    snprintf(text, sizeof text, "func.func @main(%%x: tensor<%sxf32>) {\n  return\n}\n", type);
    Module *m = read(text);
    if (!m) return -1;
    ValueId x = m->regions.at[op_region(m, module_main(m), 0)].first_arg;
    ProgramOrder written = program_order(m, &arena);
    double found = as_written ? tile_padding_as_written(value_tensor(m, x)) : assign_tpu_layouts(m, &written, &arena)[x];
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
    const double *padding = assign_tpu_layouts(m, &written, &arena);
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
    const double *padding = assign_tpu_layouts(m, &written, &arena);
    CHECK(padding[op_result(m, find(m, OP_gather, 0), 0)] == 2);
    CHECK(padding[op_result(m, find(m, OP_tanh, 0), 0)] == 2);
    CHECK(padding[op_result(m, find(m, OP_dot_general, 0), 0)] == 128.0 / 40);
    CHECK(padding[op_result(m, find(m, OP_negate, 0), 0)] == 128.0 / 48);
    CHECK(padding[m->regions.at[op_region(m, module_main(m), 0)].first_arg] == 1); // 64 rows of 1024
    module_free(m);
}

#define KIB 1024.0

// b comes while a is below and goes on top of it, so that c, for which 64 KiB are free below b, goes on top of both. The
// largest first, c is at 0 and b above it.
static void places_as_they_come(void) {
    HeapBlock blocks[] = {{64 * KIB, 0, 1, 0}, {32 * KIB, 1, 3, 1}, {80 * KIB, 2, 3, 2}};
    CHECK_INT(pack_by_size(blocks, 3, NULL, 0, 0, &arena), 112 * KIB);
    CHECK_INT(pack_by_time(blocks, 3, NULL, 0, 176 * KIB, &arena), 176 * KIB);
}

// Of the gaps that a (64 KiB) and c (32 KiB) leave, e goes into that of c and f into that of a, where g still fits, as
// places are multiples of 16 KiB; h is larger than what is left, and goes where b, d, e and f were, which were the last.
static void gaps_are_filled_tightly(void) {
    HeapBlock blocks[] = {{64 * KIB, 0, 1, 0}, {16 * KIB, 0, 3, 1}, {32 * KIB, 1, 1, 2}, {16 * KIB, 1, 3, 3},
                          {20 * KIB, 2, 3, 4}, {40 * KIB, 3, 3, 5}, {1 * KIB, 3, 5, 6},  {96 * KIB, 4, 5, 7}};
    CHECK_INT(pack_by_time(blocks, 8, NULL, 0, 160 * KIB, &arena), 160 * KIB);
}

// A result of 64 KiB is written at 4. Before that it has room for a, then for b, but not for both at once.
static void results_have_room(void) {
    FreeWindow room = {.bytes = 64 * KIB, .start = 0, .end = 3};
    HeapBlock after[] = {{64 * KIB, 0, 1, 0}, {48 * KIB, 2, 3, 1}},
              beside[] = {{64 * KIB, 0, 1, 0}, {48 * KIB, 1, 3, 1}};
    CHECK_INT(pack_by_time(after, 2, &room, 1, 0, &arena), 0);
    CHECK_INT(pack_by_time(beside, 2, &room, 1, 48 * KIB, &arena), 48 * KIB);
    CHECK(pack_by_time(beside, 2, &room, 1, 32 * KIB, &arena) == INFINITY);
}

// a, b and c as above, beside an argument and a result of 16 KiB: where they do not fit as they come, the largest goes first.
static void short_memory_is_packed_by_size(void) {
#define U8(kib) "tensor<" kib "x1024xui8>"
    const char *text = "func.func @main(%x: " U8("16") ") -> " U8(
        "16") " {\n"
              "  %a = stablehlo.concatenate %x, %x, %x, %x, dim = 0 : (" U8("16") ", " U8("16") ", " U8("16") ", " U8("16") ") -> " U8(
                  "64") "\n"
                        "  %0 = stablehlo.slice %a [0:32, 0:1024] : (" U8("64") ") -> " U8(
                            "32") "\n"
                                  "  %b = stablehlo.concatenate %0, dim = 0 : (" U8("32") ") -> " U8(
                                      "32") "\n"
                                            "  %c = stablehlo.concatenate %x, %b, %b, dim = 0 : (" U8("16") ", " U8("32") ", " U8("32") ") -> " U8(
                                                "80") "\n"
                                                      "  %1 = stablehlo.slice %c [0:8, 0:1024] : (" U8("80") ") -> " U8(
                                                          "8") "\n"
                                                               "  %2 = stablehlo.slice %b [0:8, 0:1024] : (" U8("32") ") -> " U8(
                                                                   "8") "\n"
                                                                        "  %3 = stablehlo.concatenate %1, %2, dim = 0 : (" U8(
                                                                            "8") ", " U8("8") ") -> " U8("16") "\n"
                                                                                                               "  return %3 : " U8(
                                                                                                                   "16") "\n}\n";
    static const Backend in_time = {.pack_by_time_fill = 0.5};
    CHECK_INT(use_of(text, &in_time, 416 * KIB).peak, 208 * KIB);
    CHECK_INT(use_of(text, &in_time, 415 * KIB).peak, 144 * KIB);
    CHECK_INT(use_of(text, &(Backend){0}, 416 * KIB).peak, 144 * KIB);
}

// What is used at these positions, in a memory of 10 bytes that takes 10 seconds to fill, so that a tensor stays for 80.
static VmemCandidate *living(const VmemCandidate *candidates, const uint32_t (*uses)[2], uint32_t n) {
    static const double elapsed[] = {0, 10, 20, 30, 130, 140, 150, 160};
    static const uint8_t waits[] = {1, 1, 0, 0, 1, 1, 0};
    MemorySpace c = {.bytes = 10, .bandwidth = 1, .elapsed = elapsed, .waits = waits, .n_positions = 6, .a = &arena};
    memory_space_begin(&c, n);
    for (uint32_t i = 0; i < n; i++) c.candidates[i] = candidates[i], c.candidates[i].used = NO_ID;
    for (uint32_t p = 0; p < 6; p++)
        for (uint32_t i = 0; i < n; i++)
            if (uses[i][0] == p || uses[i][1] == p) memory_space_use(&c, i, p);
    CHECK(memory_space_assign(&c, n) <= c.bytes);
    return c.candidates;
}

// The first is used again soon, the second after 100 seconds, the third is too large, the fourth an argument.
static void near_uses_stay_in_vmem(void) {
    static const VmemCandidate candidates[] = {
        {4, 0, 4, .lives = 0}, {4, 0, 8, .lives = 0}, {11, 0, 4, .lives = 0}, {1, 0, 10, .kept = true}};
    static const uint32_t uses[][2] = {{0, 2}, {0, 4}, {0, 2}, {1, 2}};
    const VmemCandidate *t = living(candidates, uses, 4);
    CHECK(t[0].lives && !t[1].lives && !t[2].lives && !t[3].lives);
    CHECK_INT(t[1].stays, 2);
}

// Of two that have room for one, the one whose kernels wait for memory; of two equal ones, the larger.
static void the_most_saved_is_in_vmem(void) {
    static const uint32_t uses[][2] = {{2, 3}, {1, 2}};
    static const VmemCandidate equal[] = {{6, 2, 6, .lives = 0}, {6, 2, 6, .lives = 0}},
                               sizes[] = {{6, 2, 4, .lives = 0}, {7, 2, 4, .lives = 0}};
    const VmemCandidate *t = living(equal, uses, 2);
    CHECK(!t[0].lives && t[1].lives);
    static const uint32_t same[][2] = {{1, 2}, {1, 2}};
    t = living(sizes, same, 2);
    CHECK(!t[0].lives && t[1].lives);
}

// Numbers that differ lie in memory; a constant of one number is made where it is used.
static void constants_lie_in_memory(void) {
    static const Backend here = {.stores_constants = true};
#define WITH_CONSTANT(numbers)                                                                                         \
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %c = stablehlo.constant dense<" numbers                  \
    "> : tensor<2xf32>\n  %0 = stablehlo.add %x, %c : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
    CHECK_INT(peak(WITH_CONSTANT("[1.0, 2.0]"), &here), 3 * 8);
    CHECK_INT(peak(WITH_CONSTANT("1.0"), &here), 2 * 8);
    CHECK_INT(peak(WITH_CONSTANT("[1.0, 2.0]"), &(Backend){0}), 2 * 8);
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
    CHECK_INT(peak(SORT("false"), &tiled), 2 * 4096);
    CHECK_INT(peak(SORT("true"), &tiled), 3 * 4096);
}

// A product of batches of 8x8 lies in tiles of 8x128; its result is a compact copy of it, as arguments are.
static void results_are_copied_into_their_layout(void) {
#define BATCHES "tensor<128x8x8xf32>"
    const char *product = "func.func @main(%x: " BATCHES ") -> " BATCHES " {\n"
                          "  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
                          "(" BATCHES ", " BATCHES ") -> " BATCHES "\n  return %0 : " BATCHES "\n}\n";
    CHECK_INT(peak(product, &tiled), 2 * 128 * 64 * 4 + 128 * 8 * 128 * 4);
    CHECK_INT(peak(product, &(Backend){0}), 2 * 128 * 64 * 4);
}

// Parts of 128x8, of which the 128 are lanes, are gathered, moved and put together along the lanes; those of 8x128 need nothing of that.
static void gathers_inside_tiles_are_moved(void) {
#define GATHERED(part, whole)                                                                                          \
    "func.func @main(%x: tensor<" part "xf32>) -> tensor<" whole "xf32> {\n  %0 = \"partir.all_gather\"(%x) {axes = "    \
    "[[\"batch\"], []]} : (tensor<" part "xf32>) -> tensor<" whole "xf32>\n  return %0 : tensor<" whole "xf32>\n}\n"
    CHECK_INT(peak(GATHERED("8x128", "32x128"), &tiled), 5 * 4096);
    CHECK_INT(peak(GATHERED("128x8", "512x8"), &tiled), 13 * 4096);
}

// %x and %w are arguments, %r is carried by both loops; the products of both read one bf16 copy of %w.
static void loops_read_bf16(void) {
#define LOOP(out, init, body)                                                                                          \
    "  " out ":3 = stablehlo.while(%i = %c, %r = " init ", %v = %w) : tensor<i32>, " T ", " T "\n" COND body           \
    "    stablehlo.return %j, %d, %v : tensor<i32>, " T ", " T "\n  }\n"
#define LOOPS(body)                                                                                                    \
    "func.func @main(%x: " T ", %w: " T ") -> " T                                                                      \
    " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n" LOOP("%0", "%x", body)                                    \
        LOOP("%1", "%0#1", body) "  return %1#1 : " T "\n}\n"
    double wide = peak(LOOPS(DOT("%d", "%r", "%v")), &(Backend){0});
    CHECK_INT(peak(LOOPS(DOT("%d", "%r", "%v")), &(Backend){.stores_bf16 = true}), wide + 128);
    // What the program itself makes bf16, once for all turns, is not copied once more.
#define AS_BF16_ONCE                                                                                                   \
    "    %k = stablehlo.convert %v : (" T ") -> tensor<8x8xbf16>\n    %g = stablehlo.convert %r : (" T                  \
    ") -> tensor<8x8xbf16>\n    %d = stablehlo.dot_general %g, %k, contracting_dims = [1] x [0] : (tensor<8x8xbf16>, " \
    "tensor<8x8xbf16>) -> " T "\n"
    static const Backend hoists = {.hoists_invariants = true}, narrow = {.hoists_invariants = true, .stores_bf16 = true};
    CHECK_INT(peak(LOOPS(AS_BF16_ONCE), &narrow), peak(LOOPS(AS_BF16_ONCE), &hoists));
    wide = peak(LOOPS("  %d = stablehlo.add %r, %v : " T "\n"), &(Backend){0});
    CHECK_INT(peak(LOOPS("  %d = stablehlo.add %r, %v : " T "\n"), &(Backend){.stores_bf16 = true}), wide);
}

// Three tensors before the loop are more than what is carried in it: there the copy is only if it hides a collective.
static void bf16_is_made_beside_collectives(void) {
#define BEFORE(make)                                                                                                   \
    "func.func @main(%x: " T ", %w: " T ") -> " T                                                                      \
    " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n" DOT("%1", "%x", "%w") make DOT("%3", "%2", "%w")          \
        DOT("%4", "%3", "%w") "  %5 = stablehlo.add %4, %3 : " T "\n  %6 = stablehlo.multiply %5, %2 : " T             \
                              "\n  %7 = stablehlo.add %6, %4 : " T                                                     \
                              "\n" LOOP("%8", "%7", DOT("%d", "%r", "%v")) "  return %8#1 : " T "\n}\n"
    static const Backend exact = {0}, stored_bf16 = {.stores_bf16 = true};
    const char *alone = BEFORE("  %2 = stablehlo.concatenate %1, dim = 0 : (" T ") -> " T "\n");
    CHECK_INT(peak(alone, &stored_bf16), peak(alone, &exact));
    const char *beside = BEFORE(SUM("%2", "%1", "batch"));
    CHECK_INT(peak(beside, &stored_bf16), peak(beside, &exact) + 128);
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

// A sine is computed again by both that read it, an erfc, which is dozens of ops, is not.
static void long_functions_are_kept(void) {
    Module *m = read("func.func @main(%x: " T ") -> (" T ", " T ") {\n"
                     "  %0 = stablehlo.sine %x : " T "\n  %1 = chlo.erfc %x : " T " -> " T "\n"
                     "  %2 = stablehlo.multiply %0, %1 : " T "\n  %3 = stablehlo.add %0, %1 : " T "\n"
                     "  %4 = stablehlo.sine %2 : " T "\n  %5 = stablehlo.cosine %3 : " T "\n"
                     "  return %4, %5 : " T ", " T "\n}\n");
    if (!m) return;
    Fusion f = fused(m, NULL, &(Backend){.duplicates_expensive = true}, &arena);
    CHECK_INT(f.place[op_result(m, find(m, OP_sine, 0), 0)], PLACE_FUSED);
    CHECK_INT(f.place[op_result(m, find(m, OP_chlo_erfc, 0), 0)], PLACE_BUFFER);
    module_free(m);
}

// Of 4 + 3 + 2 bytes at moment 4 not more than 6 may be there: the largest that lives on is given up, the last cannot be.
static void too_much_is_made_again(void) {
    HeapBlock blocks[] = {{3, 1, 9, 0}, {4, 0, 8, 1}, {2, 4, 5, 2}};
    CHECK_INT(choose_rematerialized(blocks, 2, 3, 10, 6, &arena), 1);
    CHECK_INT(blocks[0].tie, 1);
    CHECK_INT(blocks[0].end, 0);
    HeapBlock fits[] = {{3, 1, 9, 0}, {4, 0, 8, 1}, {2, 4, 5, 2}};
    CHECK_INT(choose_rematerialized(fits, 2, 3, 10, 9, &arena), 0);
}

// %1 and %2 are kept for the end. If memory is short, %1 is made again of %x; if it was summed up over devices, %2 of %1.
static void what_does_not_fit_is_made_again(void) {
#define KEPT(first)                                                                                                    \
    "func.func @main(%x: " T ") -> " T " {\n" first DOT("%2", "%1", "%x") DOT("%3", "%2", "%x")                        \
        DOT("%4", "%3", "%x") "  %5 = stablehlo.add %4, %2 : " T "\n  %6 = stablehlo.add %5, %1 : " T                  \
                              "\n" DOT("%7", "%6", "%6") "  return %7 : " T "\n}\n"
    static const Backend again = {.remat_fill = 1, .remat_min_bytes = 1, .all_reduces_in_place = true};
    MemoryUse all = use_of(KEPT(DOT("%1", "%x", "%x")), &again, INFINITY);
    CHECK_INT(all.n_rematerialized, 0);
    MemoryUse some = use_of(KEPT(DOT("%1", "%x", "%x")), &again, all.peak - 1);
    CHECK_INT(some.n_rematerialized, 1);
    CHECK_INT(some.rematerialized_bytes, 256);
    CHECK_INT(some.rematerialized_flops, 2 * 8 * 8 * 8);
    CHECK(some.peak < all.peak);
    CHECK(op_is_rematerializable(OP_concatenate) && !op_is_rematerializable(OP_gather)); // kernels read it in parts
    const char *summed = KEPT(DOT("%0", "%x", "%x") SUM("%1", "%0", "batch"));
    double most = peak(summed, &again);
    CHECK_INT(use_of(summed, &again, most - 1).n_rematerialized, 1);
    CHECK_INT(
        use_of(summed, &(Backend){.remat_fill = 1, .remat_min_bytes = 257, .all_reduces_in_place = true}, most - 1)
            .n_rematerialized,
        0);
    CHECK_INT(use_of(summed, &(Backend){.all_reduces_in_place = true}, most - 1).n_rematerialized, 0);
}

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(stacks_for_products_are_bf16);
    RUN(products_read_through_moves);
    RUN(scatters_to_selects);
    RUN(one_source_is_read_again);
    RUN(one_kernel_computes_what_it_reads_twice);
    RUN(masks_are_no_source);
    RUN(small_tensors_are_no_source);
    RUN(products_write_what_products_read);
    RUN(small_products_compute_others);
    RUN(reductions_write_for_products);
    RUN(scatters_into_what_they_are_added_to);
    RUN(products_are_summed_in_place);
    RUN(sums_in_groups);
    RUN(sums_of_one_level_are_combined);
    RUN(sums_are_combined_as_they_are_read);
    RUN(siblings_are_adjacent);
    RUN(siblings_wait_for_no_sums);
    RUN(near_gathers_are_one);
    RUN(values_of_one_start_are_narrow_alone);
    RUN(gathers_stay_in_loops);
    RUN(kernels_write_over_sums);
    RUN(carried_values_are_written_over);
    RUN(carried_values_keep_their_place);
    RUN(tensors_fill_tiles);
    RUN(images_fill_tiles);
    RUN(layouts_follow_uses);
    RUN(places_as_they_come);
    RUN(gaps_are_filled_tightly);
    RUN(results_have_room);
    RUN(short_memory_is_packed_by_size);
    RUN(near_uses_stay_in_vmem);
    RUN(the_most_saved_is_in_vmem);
    RUN(constants_lie_in_memory);
    RUN(stable_sorts_carry_indices);
    RUN(results_are_copied_into_their_layout);
    RUN(gathers_inside_tiles_are_moved);
    RUN(loops_read_bf16);
    RUN(bf16_is_made_beside_collectives);
    RUN(what_changes_nothing_is_left_out);
    RUN(long_functions_are_kept);
    RUN(too_much_is_made_again);
    RUN(what_does_not_fit_is_made_again);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
