// Peak memory of programs small enough to work out by hand, in the order in which the compiler behind a device runs
// them.
#include "sim/transform/transform.h"
#include "sim/packing/heap_packing.h"
#include "stablehlo/read/reader.h"
#include "sim_passes.h"
#include "test.h"
#include <math.h>

static Context *ctx;
static Arena arena;

typedef OpSchedule (*Scheduler)(const Module *, const ProgramOrder *, const Fusion *, Arena *);

static OpSchedule as_written(const Module *m, const ProgramOrder *written, const Fusion *f, Arena *a) {
    (void)f;
    OpSchedule o = op_schedule_new(m, a);
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (runs_regions(op_kind(m, op))) {
            OpId in = m->regions.at[op_region(m, op, 0)].first;
            o.first[op] = runs_regions(op_kind(m, in)) ? o.first[in] : o.position[in];
        }
        op_schedule_add(&o, op);
    }
    return o;
}

static const Backend plain, first_ready = {.bfs = true}, ordered = {.relays_dot_operands = true},
                            library = {.library_fusion = true},
                            summed = {.bfs = true, .all_reduce_combine_bytes = 1e9}, gathered = {.all_gather_combine_bytes = 4 * 8192},
                            normalizing = {.normalizes_bf16 = true}, hoisting = {.hoists_invariants = true},
                            fused_windows = {.fuses_window_producers = true};

static OpSchedule greedy(const Module *m, const ProgramOrder *written, const Fusion *f, Arena *a) {
    return scheduled(m, written, f, &plain, NULL, a);
}

static OpSchedule eager_gathers(const Module *m, const ProgramOrder *written, const Fusion *f, Arena *a) {
    return scheduled(m, written, f, &gathered, NULL, a);
}

static OpSchedule bfs(const Module *m, const ProgramOrder *written, const Fusion *f, Arena *a) {
    return scheduled(m, written, f, &first_ready, NULL, a);
}

static OpSchedule bfs_with_combined_sums(const Module *m, const ProgramOrder *written, const Fusion *f, Arena *a) {
    return scheduled(m, written, f, &summed, NULL, a);
}

static double peak(const char *text, const Backend *backend, Scheduler schedule) {
    Module *whole = module_new(ctx);
    source_from_memory(&whole->source, "m.mlir", text, strlen(text));
    if (!read_module(whole)) return -1;
    SimProgram distinct = eliminate_common_subexpressions(whole, NULL, backend, &arena);
    if (backend->normalizes_bf16) normalize_floats(&distinct, &arena);
    const Module *m = distinct.m;
    ProgramOrder written = program_order(m, &arena);
    Fusion f = fused(m, distinct.trees, backend, &arena);
    OpSchedule order = schedule(m, &written, &f, &arena);
    double bytes = memory_use(m, &order, &f, backend, INFINITY, &arena).peak;
    module_free(whole);
    return bytes;
}

#define T     "tensor<2048xf32>"
#define BYTES 8192
#define REVERSE(out, in)                                                                                                                                                                                        \
    "  " out " = \"stablehlo.sort\"(" in                                                                                                                                                                        \
    ") ({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    %c = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  }) {dimension = 0 : i64} : (" T \
    ") -> " T "\n"

// Three weights are sorted, each just before it is used: with one another alive only where kernels run as soon as they
// can.
static const char chain[] = "func.func @main(%x: " T ", %w0: " T ", %w1: " T ", %w2: " T ") -> " T " {\n" //
    REVERSE("%g0", "%w0") "  %a0 = stablehlo.add %x, %g0 : " T "\n" REVERSE("%h0", "%a0")                 //
    REVERSE("%g1", "%w1") "  %a1 = stablehlo.add %h0, %g1 : " T "\n" REVERSE("%h1", "%a1")                //
    REVERSE("%g2", "%w2") "  %a2 = stablehlo.add %h1, %g2 : " T "\n" REVERSE("%h2", "%a2")                //
    "  return %h2 : " T "\n}\n";

// As written, at h0: the arguments, a0 in the place of g0, and h0. Breadth first g1 and g2 are there too.
static void what_is_ready_runs(void) {
    CHECK_INT(peak(chain, &plain, as_written), (4 + 2) * BYTES);
    CHECK_INT(peak(chain, &plain, greedy), (4 + 2) * BYTES);
    CHECK_INT(peak(chain, &plain, bfs), (4 + 4) * BYTES);
}

// Two gradients and then two updates in place. Who updates at once has one gradient at a time.
static void updates_run_at_once(void) {
    const char *text = "func.func @main(%a: " T " {tf.aliasing_output = 0 : i32}, %b: " T
                       " {tf.aliasing_output = 1 : i32}, %x: " T ", %y: " T ") -> (" T ", " T ") {\n" //
        REVERSE("%g", "%x") REVERSE("%h", "%y") "  %0 = stablehlo.subtract %a, %g : " T "\n"
                                                "  %1 = stablehlo.subtract %b, %h : " T "\n"
                                                "  return %0, %1 : " T ", " T "\n}\n";
    CHECK_INT(peak(text, &plain, as_written), (4 + 2) * BYTES);
    CHECK_INT(peak(text, &plain, greedy), (4 + 1) * BYTES);
}

// The depth of the left operand is in front: 8 x 4 x 2 x 4 bytes are copied while the dot runs.
static void dots_copy_operands(void) {
    const char *text =
        "func.func @main(%x: tensor<4x2x8xf32>, %y: tensor<4x2x8xf32>) -> tensor<8x8xf32> {\n"
        "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 1] x [0, 1] : (tensor<4x2x8xf32>, tensor<4x2x8xf32>) -> tensor<8x8xf32>\n"
        "  return %0 : tensor<8x8xf32>\n}\n";
    CHECK_INT(peak(text, &plain, bfs), 3 * 256);
    CHECK_INT(peak(text, &ordered, bfs), 4 * 256);
}

// Sums over the same axis that do not need one another wait for the last: then both operands and both results are
// there.
static void sums_are_combined(void) {
    const char *text = "func.func @main(%x: " T ", %y: " T ") -> (tensor<1xf32>, tensor<1xf32>) {\n" //
        REVERSE("%a",
                "%x") "  %0 = \"partir.all_reduce\"(%a) {axes = [\"batch\"], monoid = \"add\"} : (" T ") -> " T "\n"
                      "  %1 = stablehlo.slice %0 [0:1] : (" T ") -> tensor<1xf32>\n" REVERSE(
                          "%b", "%y") "  %2 = \"partir.all_reduce\"(%b) {axes = [\"batch\"], monoid = \"add\"} : (" T
                                      ") -> " T "\n"
                                      "  %3 = stablehlo.slice %2 [0:1] : (" T ") -> tensor<1xf32>\n"
                                      "  return %1, %3 : tensor<1xf32>, tensor<1xf32>\n}\n";
    CHECK_INT(peak(text, &plain, as_written), 2 * BYTES + 2 * BYTES + 8);
    CHECK_INT(peak(text, &summed, bfs_with_combined_sums), 2 * BYTES + 4 * BYTES + 8);
}

#define GATHER(out, in)                                                                                                \
    "  " out " = \"partir.all_gather\"(" in ") {axes = [[\"batch\"]]} : (tensor<1024xf32>) -> " T "\n"

// Weights that are gathered together are all there at the first use of one, and leave one after another.
static void gathers_are_combined(void) {
    const char *text = "func.func @main(%x: " T ", %v: tensor<1024xf32>, %w: tensor<1024xf32>) -> " T " {\n" //
        GATHER("%0", "%v") "  %a = stablehlo.add %x, %0 : " T "\n" REVERSE("%b", "%a")                       //
        GATHER("%1", "%w") "  %e = stablehlo.add %b, %1 : " T "\n" REVERSE("%d", "%e")                       //
        "  return %d : " T "\n}\n";
    CHECK_INT(peak(text, &plain, greedy), 2 * BYTES + 2 * BYTES);
    CHECK_INT(peak(text, &gathered, eager_gathers), 2 * BYTES + 3 * BYTES);
}

#define IMAGE "tensor<1x8x8x4xf32>"
#define PARTS "tensor<1x4x4x4xf32>"

// What was pooled is computed again by the kernel that finds the largest of each window: 4 indices for each of them. The zeros that it
// adds to, and those that they are a copy of, are there from the pooling on.
static void windows_compute_what_they_read(void) {
    const char *text =
        "func.func @main(%x: " IMAGE ", %g: " PARTS ") -> (" PARTS ", " IMAGE ") {\n"
        "  %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
        "  %0 = stablehlo.negate %x : " IMAGE "\n"
        "  %1 = \"stablehlo.reduce_window\"(%0, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({\n"
        "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %m = stablehlo.maximum %a, %b : tensor<f32>\n    stablehlo.return %m : tensor<f32>\n"
        "  }) : (" IMAGE ", tensor<f32>) -> " PARTS "\n"
        "  %h = stablehlo.add %g, %1 : " PARTS "\n"
        "  %2 = \"stablehlo.select_and_scatter\"(%0, %h, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({\n"
        "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n"
        "  }, {\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %s = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n"
        "  }) : (" IMAGE ", " PARTS ", tensor<f32>) -> " IMAGE "\n  return %1, %2 : " PARTS ", " IMAGE "\n}\n";
    enum { WHOLE = 1024, PART = 256 };
    CHECK_INT(peak(text, &plain, greedy), (WHOLE + PART) + WHOLE + PART + PART + WHOLE);
    CHECK_INT(peak(text, &fused_windows, greedy), (WHOLE + PART) + PART + WHOLE + 4 * PART + WHOLE);
}

#define ZERO "  %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
#define SUM(out, in, n)                                                                                                \
    "  " out " = stablehlo.reduce(" in " init: %z) applies stablehlo.add across dimensions = [1] : (tensor<" n         \
    "x2xf32>, tensor<f32>) -> tensor<" n "xf32>\n"
#define HALVES(c, out)                                                                                                 \
    "  " c " = stablehlo.constant dense<5.000000e-01> : tensor<f32>\n  " out " = stablehlo.broadcast_in_dim " c        \
    ", dims = [] : (tensor<f32>) -> tensor<4096x2xf32>\n"
#define TIMES(out, a, b, n) "  " out " = stablehlo.multiply " a ", " b " : tensor<" n "x2xf32>\n"
#define SPREAD(out, in, n)                                                                                             \
    "  " out " = stablehlo.broadcast_in_dim " in ", dims = [0] : (tensor<" n "xf32>) -> tensor<" n "x2xf32>\n"
#define NORM(n, donated)                                                                                               \
    "func.func @main(%x: tensor<" n "x2xf32>" donated ") -> tensor<" n "x2xf32> {\n" ZERO TIMES("%0", "%x", "%x", n)   \
        SUM("%1", "%0", n) "  %2 = stablehlo.rsqrt %1 : tensor<" n "xf32>\n" SPREAD("%3", "%2", n)                     \
            TIMES("%4", "%x", "%3", n) "  return %4 : tensor<" n "x2xf32>\n}\n"

// Both layers multiply by one tensor of halves, which is written to memory for the library. Nobody but the library
// needs it, and if one kernel alone does, it is in there.
static void library_reads_broadcasts_from_memory(void) {
    const char *two =
        "func.func @main(%x: tensor<4096x2xf32>, %y: tensor<4096x2xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {\n" ZERO
            HALVES("%c", "%f") TIMES("%0", "%x", "%f", "4096") SUM("%1", "%0", "4096") HALVES("%d", "%g")
                TIMES("%2", "%y", "%g", "4096")
                    SUM("%3", "%2", "4096") "  return %1, %3 : tensor<4096xf32>, tensor<4096xf32>\n}\n";
    const char *one = "func.func @main(%x: tensor<4096x2xf32>) -> tensor<4096xf32> {\n" ZERO HALVES("%c", "%f")
        TIMES("%0", "%x", "%f", "4096") SUM("%1", "%0", "4096") "  return %1 : tensor<4096xf32>\n}\n";
    CHECK_INT(peak(two, &plain, as_written), 2 * 32768 + 2 * 16384);
    CHECK_INT(peak(two, &library, as_written), 2 * 32768 + 2 * 16384 + 32768 + 4); // the zero of both sums too
    CHECK_INT(peak(one, &library, as_written), 32768 + 16384);
}

// The sums are inside the kernel, unless the arithmetic on them is too small for the library.
static void library_kernels_grow(void) {
    CHECK_INT(peak(NORM("4096", ""), &plain, as_written), 2 * 32768 + 16384);
    CHECK_INT(peak(NORM("4096", ""), &library, as_written), 2 * 32768);
    CHECK_INT(peak(NORM("2048", ""), &library, as_written), 2 * 16384 + 8192);
}

// A kernel that has the sum of a row inside needs the row until all of it is written.
static void sums_inside_are_not_in_place(void) {
    CHECK_INT(peak(NORM("4096", " {tf.aliasing_output = 0 : i32}"), &plain, as_written), 32768 + 16384);
    CHECK_INT(peak(NORM("4096", " {tf.aliasing_output = 0 : i32}"), &library, as_written), 2 * 32768);
}

// Read by two dots the sum is written over the reversed argument; a single dot is in the kernel too.
static void library_writes_in_place(void) {
#define X "tensor<4x16x64xf32>"
#define Y "tensor<4x16x2xf32>"
#define W "tensor<64x2xf32>"
#define MADE                                                                                                           \
    ZERO "  %e = stablehlo.reverse %x, dims = [2] : " X "\n"                                                           \
         "  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [2] : (" X                    \
         ", tensor<f32>) -> tensor<4x16xf32>\n"                                                                        \
         "  %b = stablehlo.broadcast_in_dim %r, dims = [0, 1] : (tensor<4x16xf32>) -> " X                              \
         "\n  %a = stablehlo.add %e, %b : " X "\n"
#define DOT(out) "  " out " = stablehlo.dot_general %a, %w, contracting_dims = [2] x [0] : (" X ", " W ") -> " Y "\n"
    const char *two = "func.func @main(%x: " X ", %w: " W ") -> (" Y ", " Y ") {\n" MADE DOT("%0")
        DOT("%1") "  return %0, %1 : " Y ", " Y "\n}\n";
    const char *one = "func.func @main(%x: " X ", %w: " W ") -> " Y " {\n" MADE DOT("%0") "  return %0 : " Y "\n}\n";
    static const Backend both = {.library_fusion = true, .relays_dot_operands = true};
    CHECK_INT(peak(two, &both, as_written), 2 * 16384 + 3 * 512);
    CHECK_INT(peak(one, &both, as_written), 2 * 16384 + 2 * 512);
}

// The rows are divided by a sum that is broadcast; the library divides by it too, and does not read what the others are made of.
static void first_quotient_has_its_own_broadcast(void) {
#define BY(out, a, b) "  " out " = stablehlo.divide " a ", " b " : tensor<4096x2xf32>\n"
    const char *text =
        "func.func @main(%x: tensor<4096x2xf32>, %y: tensor<4096x2xf32>) -> (tensor<4096x2xf32>, tensor<4096xf32>) {\n" ZERO
            SUM("%0", "%x", "4096") SPREAD("%1", "%0", "4096") BY("%2", "%x", "%1") BY("%3", "%y", "%1")
                SUM("%4", "%3", "4096") "  return %2, %4 : tensor<4096x2xf32>, tensor<4096xf32>\n}\n";
    CHECK_INT(peak(text, &library, as_written), 3 * 32768 + 16384);
}

// Of the squares only what is gathered is computed.
static void gathers_compute_what_they_read(void) {
    const char *text =
        "func.func @main(%x: tensor<64x64xf32>, %i: tensor<64x2xi32>) -> tensor<64xf32> {\n"
        "  %0 = stablehlo.multiply %x, %x : tensor<64x64xf32>\n"
        "  %1 = \"stablehlo.gather\"(%0, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], "
        "index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<64x64xf32>, tensor<64x2xi32>) -> tensor<64xf32>\n"
        "  %2 = stablehlo.negate %1 : tensor<64xf32>\n  return %2 : tensor<64xf32>\n}\n";
    static const Backend gathers = {.fuses_gathers = true};
    CHECK_INT(peak(text, &plain, as_written), 2 * 16384 + 512 + 256);
    CHECK_INT(peak(text, &gathers, as_written), 16384 + 512 + 256);
}

#define M64                 "tensor<64x64xf32>"
#define TIMES64(out, x, y)  "  " out " = stablehlo.dot_general " x ", " y ", contracting_dims = [1] x [0] : (" M64 ", " M64 ") -> " M64 "\n"
#define PLUS64(out, x, y)   "  " out " = stablehlo.add " x ", " y " : " M64 "\n"

// The sum of two products is read before and after a third: it is kept, not the two.
static void residuals_are_kept(void) {
    const char *text = "func.func @main(%x: " M64 ", %w: " M64 ") -> " M64 " {\n" TIMES64("%0", "%x", "%w") TIMES64("%1", "%w", "%x")
        PLUS64("%2", "%0", "%1") "  %3 = stablehlo.negate %2 : " M64 "\n" TIMES64("%4", "%3", "%w") PLUS64("%5", "%2", "%4")
            "  return %5 : " M64 "\n}\n";
    CHECK_INT(peak(text, &ordered, as_written), 5 * 16384);
}

// The product is of matrices: the kernel of the negation reshapes what it reads.
static void reshaped_products_are_not_written_over(void) {
    const char *text = "func.func @main(%x: tensor<4x16x64xf32>, %w: " M64 ") -> tensor<4x16x64xf32> {\n"
                       "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x16x64xf32>, " M64
                       ") -> tensor<4x16x64xf32>\n  %1 = stablehlo.negate %0 : tensor<4x16x64xf32>\n"
                       "  return %1 : tensor<4x16x64xf32>\n}\n";
    CHECK_INT(peak(text, &plain, as_written), 3 * 16384);
    CHECK_INT(peak(text, &ordered, as_written), 4 * 16384);
}

// The arguments and the result are of bf16; the dot reads copies of f32 and writes f32.
static void products_of_bf16_are_of_f32(void) {
    const char *text =
        "func.func @main(%x: tensor<64x64xbf16>, %y: tensor<64x64xbf16>) -> tensor<64x64xbf16> {\n"
        "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>\n"
        "  return %0 : tensor<64x64xbf16>\n}\n";
    CHECK_INT(peak(text, &plain, bfs), 3 * 8192);
    CHECK_INT(peak(text, &normalizing, bfs), 3 * 8192 + 3 * 16384);
}

// What the first dot wrote is rounded in place before the second reads it: two of f32 at a time, and the other operand.
static void rounding_is_in_place(void) {
    const char *text =
        "func.func @main(%x: tensor<64x64xbf16>, %y: tensor<64x64xbf16>) -> tensor<64x64xbf16> {\n"
        "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>\n"
        "  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>\n"
        "  return %1 : tensor<64x64xbf16>\n}\n";
    CHECK_INT(peak(text, &normalizing, bfs), 3 * 8192 + 3 * 16384);
}

// What two kernels read is computed in both; as bf16 it is rounded once, and kept.
static void rounding_is_not_repeated(void) {
#define LARGEST(of, is, e)                                                                                             \
    "  " is " = stablehlo.reduce(" of                                                                                  \
    " init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<64x64x" e ">, tensor<" e                   \
    ">) -> tensor<64x" e ">\n"
#define TWICE(e)                                                                                                       \
    "func.func @main(%x: tensor<64x64x" e ">, %y: tensor<64x64x" e ">) -> (tensor<64x" e ">, tensor<64x" e ">) {\n"    \
    "  %i = stablehlo.constant dense<0.000000e+00> : tensor<" e ">\n  %a = stablehlo.negate %x : tensor<64x64x" e      \
    ">\n  %b = stablehlo.add %a, %y : tensor<64x64x" e ">\n  %c = stablehlo.multiply %a, %y : tensor<64x64x" e         \
    ">\n" LARGEST("%b", "%d", e) LARGEST("%c", "%f", e) "  return %d, %f : tensor<64x" e ">, tensor<64x" e ">\n}\n"
    CHECK_INT(peak(TWICE("f32"), &normalizing, bfs), 2 * 16384 + 2 * 256);
    CHECK_INT(peak(TWICE("bf16"), &plain, bfs), 2 * 8192 + 2 * 128);
    CHECK_INT(peak(TWICE("bf16"), &normalizing, bfs), 3 * 8192 + 2 * 128);
}

// A sum that rounds each time reads its operand, as f32, from memory.
static void sums_of_bf16_read_memory(void) {
#define REDUCED(by)                                                                                                    \
    "func.func @main(%x: tensor<64x64xbf16>) -> tensor<64xbf16> {\n"                                                   \
    "  %z = stablehlo.constant dense<0.000000e+00> : tensor<bf16>\n  %0 = stablehlo.tanh %x : tensor<64x64xbf16>\n"    \
    "  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo." by " across dimensions = [1] : "                         \
    "(tensor<64x64xbf16>, tensor<bf16>) -> tensor<64xbf16>\n  return %1 : tensor<64xbf16>\n}\n"
    static const Backend both = {.library_fusion = true, .normalizes_bf16 = true};
    CHECK_INT(peak(REDUCED("maximum"), &both, bfs), 8192 + 128);
    CHECK_INT(peak(REDUCED("add"), &both, bfs), 8192 + 128 + 16384 + 256);
}

// The exponential is read by one op, which two kernels compute: it is kept, rather than computed in both.
static void costly_is_not_repeated(void) {
    const char *text = "func.func @main(%x: " T ", %y: " T ", %z: " T ") -> (" T ", " T ") {\n"
                       "  %e = stablehlo.exponential %x : " T "\n  %a = stablehlo.negate %e : " T "\n"
                       "  %b = stablehlo.add %a, %y : " T "\n  %c = stablehlo.multiply %a, %z : " T
                       "\n  return %b, %c : " T ", " T "\n}\n";
    CHECK_INT(peak(text, &plain, as_written) / BYTES, 6);
}

// A product with a comparison is a selection, which the library does not compute: its kernel reads it from memory.
static void products_with_comparisons_are_selections(void) {
#define MASKED(by)                                                                                                     \
    "func.func @main(%x: tensor<64x64xf32>) -> tensor<64xf32> {\n"                                                     \
    "  %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n" by                                                 \
    "  %m = stablehlo.multiply %c, %x : tensor<64x64xf32>\n"                                                           \
    "  %r = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = [1] : "                            \
    "(tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>\n  return %r : tensor<64xf32>\n}\n"
    const char *product = MASKED("  %c = stablehlo.negate %x : tensor<64x64xf32>\n");
    const char *selection =
        MASKED("  %p = stablehlo.compare GT, %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>\n"
               "  %c = stablehlo.convert %p : (tensor<64x64xi1>) -> tensor<64x64xf32>\n");
    CHECK_INT(peak(product, &library, bfs), 16384 + 256);
    CHECK_INT(peak(selection, &library, bfs), 2 * 16384 + 256);
}

// Over a dimension of one element nothing is reduced: the result is a reshape of what is written for it.
static void reducing_nothing_is_free(void) {
    const char *text = "func.func @main(%x: tensor<4096x1xf32>) -> tensor<4096xf32> {\n"
                       "  %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
                       "  %e = stablehlo.exponential %x : tensor<4096x1xf32>\n"
                       "  %r = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : "
                       "(tensor<4096x1xf32>, tensor<f32>) -> tensor<4096xf32>\n"
                       "  %s = stablehlo.exponential %r : tensor<4096xf32>\n  return %s : tensor<4096xf32>\n}\n";
    CHECK_INT(peak(text, &library, bfs), 2 * 16384);
}

// Two values are the same in each turn, so that they are computed before the loop and kept: those of the inner loop
// before the outer one.
static void invariants_are_hoisted(void) {
#define LOOP(n, x, v, body)                                                                                            \
    "  %r" n ":3 = stablehlo.while(%i" n " = %c, %a" n " = " x ", %w" n " = " v ") : tensor<i32>, " T ", " T "\n"      \
    "  cond {\n    %p" n " = stablehlo.compare LT, %i" n ", %c : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"           \
    "    stablehlo.return %p" n " : tensor<i1>\n  } do {\n" body
#define NEXT(n, s) "    stablehlo.return %i" n ", " s ", %w" n " : tensor<i32>, " T ", " T "\n  }\n"
#define TURN(n)                                                                                                        \
    "    %e = stablehlo.exponential %w" n " : " T "\n    %t = stablehlo.tanh %w" n " : " T                             \
    "\n    %m = stablehlo.multiply %a" n ", %e : " T "\n    %s = stablehlo.multiply %m, %t : " T "\n" NEXT(n, "%s")
#define MAIN                                                                                                           \
    "func.func @main(%x: " T " {tf.aliasing_output = 0 : i32}, %y: " T ") -> " T                                       \
    " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"
    const char *one = MAIN LOOP("1", "%x", "%y", TURN("1")) "  return %r1#1 : " T "\n}\n";
    const char *two =
        MAIN LOOP("1", "%x", "%y", LOOP("2", "%a1", "%w1", TURN("2")) NEXT("1", "%r2#1")) "  return %r1#1 : " T "\n}\n";
    CHECK_INT(peak(one, &plain, as_written) / BYTES, 3); // the loop's result is new
    CHECK_INT(peak(one, &hoisting, as_written) / BYTES, 4);
    CHECK_INT(peak(two, &plain, as_written) / BYTES, 3);
    CHECK_INT(peak(two, &hoisting, as_written) / BYTES, 4);
}

// Two loops begin with the same zeros, of which the first needs a copy: when it starts, not while x is reversed three times.
static void initial_values_are_copied_for_their_loop(void) {
#define MULTIPLIED(n, v) LOOP(n, "%z", v, "    %s" n " = stablehlo.multiply %a" n ", %w" n " : " T "\n" NEXT(n, "%s" n))
    const char *text = "func.func @main(%x: " T ") -> (" T ", " T ") {\n" REVERSE("%h", "%x") REVERSE("%g", "%h")
        REVERSE("%u", "%h") "  %c = stablehlo.constant dense<0> : tensor<i32>\n"
                            "  %o = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
                            "  %z = stablehlo.broadcast_in_dim %o, dims = [] : (tensor<f32>) -> " T
                            "\n  %v = stablehlo.add %g, %u : " T "\n" MULTIPLIED("1", "%v")
                                MULTIPLIED("2", "%r1#1") "  return %r1#1, %r2#1 : " T ", " T "\n}\n";
    CHECK_INT(peak(text, &plain, bfs) / BYTES, 5);
}

// What is computed again behind a barrier is not, where barriers are removed: the first is kept for its second reader.
static void barriers_are_removed(void) {
    const char *text = "func.func @main(%x: " T ") -> " T " {\n  %a = stablehlo.exponential %x : " T "\n" //
        REVERSE("%b", "%a") REVERSE("%d", "%b") "  %y = stablehlo.optimization_barrier %x : " T
                                                "\n  %f = stablehlo.exponential %y : " T
                                                "\n  %m = stablehlo.add %d, %f : " T "\n  return %m : " T "\n}\n";
    static const Backend removing = {.removes_barriers = true};
    CHECK_INT(peak(text, &plain, as_written) / BYTES, 3);
    CHECK_INT(peak(text, &removing, as_written) / BYTES, 4);
}

// The product is in the kernel of the maximum, and so are y as f32 and its rounding; x as f32 is made for the other
// product too.
static void library_widens(void) {
#define B "tensor<64x64xbf16>"
    const char *text = "func.func @main(%x: " B ", %y: " B ") -> (tensor<64xbf16>, " B ") {\n"
                       "  %z = stablehlo.constant dense<0.000000e+00> : tensor<bf16>\n"
                       "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (" B ", " B ") -> " B "\n"
                       "  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.maximum across dimensions = [1] : (" B
                       ", tensor<bf16>) -> tensor<64xbf16>\n"
                       "  %2 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (" B ", " B ") -> " B "\n"
                       "  return %1, %2 : tensor<64xbf16>, " B "\n}\n";
    static const Backend both = {.library_fusion = true, .normalizes_bf16 = true};
    CHECK_INT(peak(text, &both, bfs), 3 * 8192 + 128 + 2 * 16384); // that copy and what its product writes
}

// A loop takes slices of a tensor of bf16, which is copied as f32 before it. One that was made for the loop is not
// needed any more then.
static void slices_in_loops_are_of_f32(void) {
#define S   "tensor<8x1024xbf16>"
#define ROW "tensor<1x1024xbf16>"
#define SLICED(made, of)                                                                                               \
    "func.func @main(%w: " S ") -> " ROW " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n" made                 \
    "  %x = stablehlo.constant dense<0.000000e+00> : " ROW "\n"                                                        \
    "  %r:3 = stablehlo.while(%i = %c, %a = %x, %v = " of ") : tensor<i32>, " ROW ", " S "\n"                          \
    "  cond {\n    %p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"                     \
    "    stablehlo.return %p : tensor<i1>\n  } do {\n"                                                                 \
    "    %d = stablehlo.dynamic_slice %v, %i, %c, sizes = [1, 1024] : (" S ", tensor<i32>, tensor<i32>) -> " ROW "\n"  \
    "    %j = stablehlo.add %i, %i : tensor<i32>\n    %s = stablehlo.add %a, %d : " ROW                                \
    "\n    stablehlo.return %j, %s, %v : tensor<i32>, " ROW ", " S "\n  }\n"                                           \
    "  return %r#1 : " ROW "\n}\n"
    static const Backend both = {.hoists_invariants = true, .normalizes_bf16 = true};
    const char *given = SLICED("", "%w"), *made = SLICED("  %q = stablehlo.reverse %w, dims = [0] : " S "\n", "%q");
    CHECK_INT(peak(given, &hoisting, bfs), 16384 + 2048 + 8); // the row, the index and the next index
    CHECK_INT(peak(given, &both, bfs), 16384 + 32768 + 2048 + 8);
    CHECK_INT(peak(made, &hoisting, bfs), 2 * 16384 + 2048 + 8);
    CHECK_INT(peak(made, &both, bfs), 2 * 16384 + 32768 + 2048 + 5); // while it is copied; the loop has 8
}

static void packing(void) {
    HeapBlock two[] = {{4, 0, 1, 0}, {2, 1, 3, 1}, {5, 2, 3, 2}};
    CHECK_INT(pack_by_size(two, 3, NULL, 0, 0, &arena), 7);
    // c takes 0-6 at step 2, a is under it at 0-3 before, b at 3-5 meets a; d meets b and c and goes on top, though at
    // most 9 are alive.
    HeapBlock gap[] = {{3, 0, 1, 0}, {2, 1, 1, 1}, {6, 2, 2, 2}, {3, 1, 2, 3}};
    CHECK_INT(pack_by_size(gap, 4, NULL, 0, 0, &arena), 9);
    // The smaller room is taken, so that the larger one is left for who needs it longer; at the wrong time it does not help.
    HeapBlock one[] = {{4, 2, 3, 0}}, pair[] = {{4, 2, 3, 0}, {3, 2, 11, 1}};
    FreeWindow free_windows[] = {{8, 0, 12}, {4, 0, 9}}, late[] = {{8, 3, 9}};
    CHECK_INT(pack_by_size(pair, 2, free_windows, 2, 0, &arena), 0);
    CHECK_INT(pack_by_size(one, 1, late, 1, 0, &arena), 4);
}

enum { MANY = 401, MANY_WINDOWS = 70 };

static bool live_together(const HeapBlock *x, const HeapBlock *y) { return x->start <= y->end && y->start <= x->end; }

// The first room that is large enough and free, or `n_windows`. `in` says where those before it are.
static uint32_t first_room(const HeapBlock *blocks, uint32_t k, const FreeWindow *free_windows, uint32_t n_windows,
                           const uint32_t *in) {
    for (uint32_t r = 0; r < n_windows; r++) {
        bool free = free_windows[r].bytes >= blocks[k].bytes && free_windows[r].start <= blocks[k].start &&
                    blocks[k].end <= free_windows[r].end;
        for (uint32_t i = 0; i < k; i++) free &= in[i] != r || !live_together(&blocks[i], &blocks[k]);
        if (free) return r;
    }
    return n_windows;
}

// Best fit as it is defined: among all that live at the same time, sorted by where they lie.
static double best_fit(const HeapBlock *blocks, uint32_t n, const FreeWindow *free_windows, uint32_t n_windows) {
    double from[MANY], high = 0;
    uint32_t in[MANY];
    for (uint32_t k = 0; k < n; k++) {
        double best = -1, best_gap = 0;
        in[k] = first_room(blocks, k, free_windows, n_windows, in);
        if (in[k] < n_windows) continue;
        for (uint32_t i = 0; i <= k; i++) { // on the ground, or on top of one of them
            if (i < k && in[i] < n_windows) continue;
            double at = i < k ? from[i] + blocks[i].bytes : 0, ceiling = 1e18;
            bool free = i == k || live_together(&blocks[i], &blocks[k]);
            for (uint32_t j = 0; j < k; j++) {
                if (in[j] < n_windows || !live_together(&blocks[j], &blocks[k])) continue;
                if (from[j] < at + blocks[k].bytes && at < from[j] + blocks[j].bytes) free = false;
                if (from[j] >= at && from[j] < ceiling) ceiling = from[j];
            }
            double gap = ceiling - at;
            if (free && (best < 0 || gap < best_gap || (gap == best_gap && at < best))) best = at, best_gap = gap;
        }
        from[k] = best;
        if (from[k] + blocks[k].bytes > high) high = from[k] + blocks[k].bytes;
    }
    return high;
}

static uint32_t next_number(uint32_t *seed) { return (*seed = *seed * 1664525 + 1013904223) >> 8; }

// Many blocks of few sizes, with one that is alive all the time and so large that it is never left out; some of them find
// room elsewhere.
static void packing_many(void) {
    uint32_t seed = 1;
    for (uint32_t round = 0; round < 20; round++) {
        HeapBlock blocks[MANY] = {{1e6, 0, 999, 0}};
        FreeWindow free_windows[MANY_WINDOWS];
        uint32_t n = round % 4 ? MANY / 2 : MANY, n_windows = round % 2 ? MANY_WINDOWS : 0, sizes = round % 3 ? 5 : 40;
        for (uint32_t i = 1; i < n; i++) {
            uint32_t start = next_number(&seed) % 1000, length = (seed >> 20) % (i % 3 ? 40 : 600);
            uint32_t size = 1 + i % sizes * (i % sizes);
            blocks[i] = (HeapBlock){size, start, start + length < 999 ? start + length : 999, i};
        }
        for (uint32_t i = 0; i < n_windows; i++) {
            uint32_t start = next_number(&seed) % 700, length = (seed >> 20) % 300;
            free_windows[i] = (FreeWindow){1 + i % 20, start, start + length};
        }
        double packed = pack_by_size(blocks, n, free_windows, n_windows, 0, &arena); // sorts both
        CHECK_INT(packed, best_fit(blocks, n, free_windows, n_windows));
    }
}

static void small_blocks_are_left_out(void) {
    HeapBlock blocks[] = {{100, 0, 99, 0}, {2, 50, 60, 1}, {80, 40, 99, 2}}, again[3];
    memcpy(again, blocks, sizeof blocks);
    CHECK_INT(pack_by_size(blocks, 3, NULL, 0, 1, &arena), 182);
    CHECK_INT(pack_by_size(again, 3, NULL, 0, 2, &arena), 180);
}

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(what_is_ready_runs);
    RUN(updates_run_at_once);
    RUN(dots_copy_operands);
    RUN(sums_are_combined);
    RUN(gathers_are_combined);
    RUN(windows_compute_what_they_read);
    RUN(library_reads_broadcasts_from_memory);
    RUN(library_kernels_grow);
    RUN(sums_inside_are_not_in_place);
    RUN(library_writes_in_place);
    RUN(first_quotient_has_its_own_broadcast);
    RUN(gathers_compute_what_they_read);
    RUN(residuals_are_kept);
    RUN(reshaped_products_are_not_written_over);
    RUN(products_of_bf16_are_of_f32);
    RUN(rounding_is_not_repeated);
    RUN(sums_of_bf16_read_memory);
    RUN(costly_is_not_repeated);
    RUN(reducing_nothing_is_free);
    RUN(products_with_comparisons_are_selections);
    RUN(rounding_is_in_place);
    RUN(invariants_are_hoisted);
    RUN(initial_values_are_copied_for_their_loop);
    RUN(barriers_are_removed);
    RUN(library_widens);
    RUN(slices_in_loops_are_of_f32);
    RUN(packing);
    RUN(packing_many);
    RUN(small_blocks_are_left_out);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
