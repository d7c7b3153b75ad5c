// The compiler behind a TPU: buffers, heap packing, VMEM and rematerialization, each rule on a program small enough to work out by hand.
#include "sim/memory/buffers.h"
#include "sim/packing/heap_packing.h"
#include "tpu_programs.h"

// The argument, the result and %1 are 256 each; the sine is written over %1 if that is a sum.
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

// What is brought to VMEM before the program starts stays there to its end, unless it is used in its first part alone.
static void prefetched_arguments_come_first(void) {
    static const double elapsed[] = {0, 10, 20, 30, 130, 140, 150, 160};
    static const uint8_t waits[] = {1, 1, 0, 0, 1, 1, 0};
    for (uint32_t last_use = 0; last_use < 5; last_use += 4) {
        MemorySpace c = {.bytes = 10, .bandwidth = 1, .elapsed = elapsed, .waits = waits, .n_positions = 6, .a = &arena};
        memory_space_begin(&c, 2);
        c.candidates[0] = (VmemCandidate){6, 0, 12, .kept = true, .used = NO_ID};
        c.candidates[1] = (VmemCandidate){6, 2, 6, .used = NO_ID};
        memory_space_prefetch(&c, 0, last_use);
        memory_space_use(&c, 1, 1), memory_space_use(&c, 1, 3);
        CHECK_INT(memory_space_assign(&c, 2), 6);
        CHECK(!c.candidates[0].lives && c.candidates[1].lives == (last_use == 0));
    }
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

// Of 4 + 3 + 2 bytes at moment 4 not more than 6 may be there: the largest that lives on is given up, the last cannot be.
static void too_much_is_rematerialized(void) {
    HeapBlock blocks[] = {{3, 1, 9, 0}, {4, 0, 8, 1}, {2, 4, 5, 2}};
    CHECK_INT(choose_rematerialized(blocks, 2, 3, 10, 6, &arena), 1);
    CHECK_INT(blocks[0].tie, 1);
    CHECK_INT(blocks[0].end, 0);
    HeapBlock fits[] = {{3, 1, 9, 0}, {4, 0, 8, 1}, {2, 4, 5, 2}};
    CHECK_INT(choose_rematerialized(fits, 2, 3, 10, 9, &arena), 0);
}

// %1 and %2 are kept for the end. If memory is short, %1 is made again of %x; if it was summed up over devices, %2 of %1.
static void what_does_not_fit_is_rematerialized(void) {
#define KEPT(first)                                                                                                    \
    "func.func @main(%x: " T ") -> " T " {\n" first DOT("%2", "%1", "%x") DOT("%3", "%2", "%x")                        \
        DOT("%4", "%3", "%x") "  %5 = stablehlo.add %4, %2 : " T "\n  %6 = stablehlo.add %5, %1 : " T                  \
                              "\n" DOT("%7", "%6", "%6") "  return %7 : " T "\n}\n"
    static const Backend again = {.remat_fill = 1, .remat_min_bytes = 1, .all_reduces_in_place = true};
    MemoryUse all = use_of(KEPT(DOT("%1", "%x", "%x")), &again, INFINITY);
    CHECK_INT(all.rematerialized.n, 0);
    MemoryUse some = use_of(KEPT(DOT("%1", "%x", "%x")), &again, all.peak - 1);
    CHECK_INT(some.rematerialized.n, 1);
    CHECK_INT(some.rematerialized.bytes, 256);
    CHECK_INT(some.rematerialized.flops, 2 * 8 * 8 * 8);
    CHECK(some.peak < all.peak);
    CHECK(op_is_rematerializable(OP_concatenate) && !op_is_rematerializable(OP_gather)); // kernels read it in parts
    const char *summed = KEPT(DOT("%0", "%x", "%x") SUM("%1", "%0", "batch"));
    double most = peak(summed, &again);
    CHECK_INT(use_of(summed, &again, most - 1).rematerialized.n, 1);
    CHECK_INT(
        use_of(summed, &(Backend){.remat_fill = 1, .remat_min_bytes = 257, .all_reduces_in_place = true}, most - 1)
            .rematerialized.n,
        0);
    CHECK_INT(use_of(summed, &(Backend){.all_reduces_in_place = true}, most - 1).rematerialized.n, 0);
}

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(kernels_write_over_sums);
    RUN(carried_values_are_written_over);
    RUN(carried_values_keep_their_place);
    RUN(places_as_they_come);
    RUN(gaps_are_filled_tightly);
    RUN(results_have_room);
    RUN(short_memory_is_packed_by_size);
    RUN(near_uses_stay_in_vmem);
    RUN(the_most_saved_is_in_vmem);
    RUN(prefetched_arguments_come_first);
    RUN(constants_lie_in_memory);
    RUN(too_much_is_rematerialized);
    RUN(what_does_not_fit_is_rematerialized);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
