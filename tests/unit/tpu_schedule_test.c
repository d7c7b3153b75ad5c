// The compiler behind a TPU: combined collectives, sibling kernels, gathers, each on a program small enough to work out by hand.
#include "sim/schedule/schedulers.h"
#include "sim/transform/transform.h"
#include "tpu_programs.h"

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

// The second gather is the first, so that it does not read %w once more, which %2 has written over by then.
static void a_merged_gather_reads_nothing(void) {
    Module *m = read("func.func @main(%w: tensor<4x8xf32> {tf.aliasing_output = 0 : i32}, %x: " T ") -> (tensor<4x8xf32>, " T
                     ") {\n" GATHER("%0") DOT("%1", "%x", "%0") "  %s = stablehlo.slice %1 [0:4, 0:8] : (" T ") -> tensor<4x8xf32>\n"
                     "  %2 = stablehlo.add %w, %s : tensor<4x8xf32>\n" GATHER("%3") "  %c = stablehlo.concatenate %2, %2, dim = 0 : (tensor<4x8xf32>, "
                     "tensor<4x8xf32>) -> " T "\n" DOT("%4", "%c", "%3") "  return %2, %4 : tensor<4x8xf32>, " T "\n}\n");
    if (!m) return;
    static const Backend cse = {.gather_cse_distance = 4};
    ProgramOrder written = program_order(m, &arena);
    Fusion f = fused(m, NULL, &cse, &arena);
    OpSchedule order = min_memory(m, &written, &f, &cse, NULL, &arena);
    CHECK(order.position[find(m, OP_add, 0)] < order.position[find(m, OP_partir_all_gather, 1)]);
    CHECK_INT(memory_use(m, &order, &f, &cse, INFINITY, &arena).peak, 128 + 4 * 256); // %w, %x, %0, %c and %4
    module_free(m);
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

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(sums_in_groups);
    RUN(sums_of_one_level_are_combined);
    RUN(sums_are_combined_as_they_are_read);
    RUN(near_gathers_are_one);
    RUN(a_merged_gather_reads_nothing);
    RUN(gathers_stay_in_loops);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
