// The compiler behind a TPU: what it stores as bf16, each rule on a program small enough to work out by hand.
#include "sim/transform/transform.h"
#include "tpu_programs.h"

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

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(stacks_for_products_are_bf16);
    RUN(products_read_through_moves);
    RUN(values_of_one_start_are_narrow_alone);
    RUN(loops_read_bf16);
    RUN(bf16_is_made_beside_collectives);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
