// What the tests of the compiler behind a TPU share: pieces of programs, and the memory that one takes.
#ifndef PARTIR_TESTS_TPU_PROGRAMS_H
#define PARTIR_TESTS_TPU_PROGRAMS_H

#include "program.h"
#include "sim/schedule/schedulers.h"
#include "sim/transform/transform.h"
#include "sim_passes.h"
#include <math.h>

#define T     "tensor<8x8xf32>"
#define STACK "tensor<4x8x8xf32>"
#define DOT(out, x, y)                                                                                                 \
    "  " out " = stablehlo.dot_general " x ", " y ", contracting_dims = [1] x [0] : (" T ", " T ") -> " T "\n"
#define COND                                                                                                           \
    "  cond {\n    %n = stablehlo.constant dense<4> : tensor<i32>\n"                                                   \
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"                               \
    "    stablehlo.return %p : tensor<i1>\n  } do {\n    %one = stablehlo.constant dense<1> : tensor<i32>\n"           \
    "    %z = stablehlo.constant dense<0> : tensor<i32>\n    %j = stablehlo.add %i, %one : tensor<i32>\n"

#define REDUCE(out, in)                                                                                                \
    "  " out " = stablehlo.reduce(" in " init: %f) applies stablehlo.add across dimensions = [0] : (" T                \
    ", tensor<f32>) -> tensor<8xf32>\n"

#define SUM_UP(next)                                                                                                   \
    "func.func @main(%x: " T ") -> " T " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"                        \
    "  %0:2 = stablehlo.while(%i = %c, %q = %x) : tensor<i32>, " T "\n" COND DOT("%d", "%x", "%x") next                \
        "    stablehlo.return %j, %n : tensor<i32>, " T "\n  }\n  return %0#1 : " T "\n}\n"

#define SUM(out, in, axis)                                                                                             \
    "  " out " = \"partir.all_reduce\"(" in ") {axes = [\"" axis "\"], monoid = \"add\"} : (" T ") -> " T "\n"

#define GATHER(out) "  " out " = \"partir.all_gather\"(%w) {axes = [[\"batch\"], []]} : (tensor<4x8xf32>) -> " T "\n"

static inline MemoryUse use_of(const char *text, const Backend *backend, double memory) {
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

static inline double peak(const char *text, const Backend *backend) { return use_of(text, backend, INFINITY).peak; }

#endif
