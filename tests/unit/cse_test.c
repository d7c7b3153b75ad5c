// What is computed twice is computed once.
#include "sim/transform/transform.h"
#include "sim/schedule/schedule.h"
#include "program.h"
#include <stdlib.h>

#define T                  "tensor<1024xf32>"
#define OP1(out, op, x)    "  " out " = stablehlo." op " " x " : " T "\n"
#define OP2(out, op, x, y) "  " out " = stablehlo." op " " x ", " y " : " T "\n"
#define RETURN(a, b)       "  return " a ", " b " : " T ", " T "\n}\n"
#define MAIN               "func.func @main(%x: " T ", %y: " T ") -> (" T ", " T ") {\n"

static Module *whole; // of the last program

typedef struct Left {
    SimProgram d;
    ProgramOrder w;
} Left;

static uint32_t count(const Left *l, OpKind kind) { return l->w.count[kind]; }

static Left left_by(const Backend *backend, const char *text) {
    Left l;
    if (whole) module_free(whole);
    whole = read(text);
    if (!whole) exit(test_end());
    l.d = eliminate_common_subexpressions(whole, NULL, backend, &arena);
    l.w = program_order(l.d.m, &arena);
    return l;
}

static Left left(const char *text) { return left_by(device_backend(device_find(SPAN("tpu_v5e"))), text); }

// Also what is made of it, though the first of it was read by one op alone when it was met.
static void arithmetic_is_there_once(void) {
    static const char twice[] = MAIN OP2("%0", "maximum", "%x", "%y") OP1("%1", "tanh", "%0") OP1("%2", "sine", "%1")
        OP2("%3", "maximum", "%x", "%y") OP1("%4", "tanh", "%3") OP1("%5", "sine", "%4") OP1("%6", "cosine", "%4")
            RETURN("%5", "%6");
    Left l = left(twice);
    CHECK_INT(count(&l, OP_maximum), 1);
    CHECK_INT(count(&l, OP_tanh), 1);
    OpId cosine = find(l.d.m, OP_cosine, 0);
    CHECK_INT(op_operand(l.d.m, cosine, 0), op_result(l.d.m, find(l.d.m, OP_tanh, 0), 0));
    CHECK_INT(count(&l, OP_sine), 1);
    CHECK_INT(count(&l, OP_cosine), 1);
    l = left_by(device_backend(device_find(SPAN("host"))), twice);
    CHECK_INT(count(&l, OP_tanh), 2);
    l = left(MAIN OP2("%0", "atan2", "%x", "%y") OP2("%1", "atan2", "%y", "%x") RETURN("%0", "%1"));
    CHECK_INT(count(&l, OP_atan2), 2); // not the same
}

// Both products are parts of the first sum. The second sum is the same, the difference is not, and computes them again.
static void trees_are_there_once(void) {
#define TREE(p, q, out, op) OP2(p, "multiply", "%x", "%x") OP2(q, "multiply", "%x", "%y") OP2(out, op, p, q)
    Left l = left(MAIN TREE("%0", "%1", "%2", "add") TREE("%3", "%4", "%5", "add") TREE("%6", "%7", "%8", "subtract")
                      OP2("%9", "maximum", "%5", "%8") RETURN("%2", "%9"));
    CHECK_INT(count(&l, OP_multiply), 0);
    CHECK_INT(count(&l, OP_add), 1);
    CHECK_INT(count(&l, OP_subtract), 1);
    CHECK_INT(l.w.n, 4);
}

#define LOOP(out, x, step)                                                                                             \
    "  " out ":2 = stablehlo.while(%i = %c, %q = " x ") : tensor<i32>, " T "\n  cond {\n"                              \
    "    %p = stablehlo.compare LT, %i, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"                               \
    "    stablehlo.return %p : tensor<i1>\n  } do {\n    %n = stablehlo.add %i, %d : tensor<i32>\n" OP1(               \
        "%s", step, "%q") "    stablehlo.return %n, %s : tensor<i32>, " T "\n  }\n"
#define COUNT "  %c = stablehlo.constant dense<0> : tensor<i32>\n  %d = stablehlo.constant dense<3> : tensor<i32>\n"

// Those that do the same in each step. One that does not is walked as if it had not been compared: its sines are its own.
static void loops_are_there_once(void) {
    Left l = left(MAIN COUNT LOOP("%0", "%x", "tanh") LOOP("%1", "%x", "tanh") OP1("%2", "sine", "%0#1")
                      OP1("%3", "cosine", "%1#1") RETURN("%2", "%3"));
    CHECK_INT(count(&l, OP_while), 1);
    CHECK_INT(count(&l, OP_tanh), 1);
    l = left(MAIN COUNT LOOP("%0", "%x", "tanh") LOOP("%1", "%x", "sine") RETURN("%0#1", "%1#1"));
    CHECK_INT(count(&l, OP_while), 2);
    CHECK_INT(count(&l, OP_compare), 2);
    CHECK_INT(count(&l, OP_sine), 1);
}

// What is random, and what devices do together.
static void some_runs_each_time(void) {
    Left l = left(MAIN "  %a = stablehlo.constant dense<0.0> : tensor<f32>\n"
                       "  %b = stablehlo.constant dense<1.0> : tensor<f32>\n"
                       "  %s = stablehlo.constant dense<1024> : tensor<1xi64>\n"
                       "  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, "
                       "tensor<1xi64>) -> " T "\n"
                       "  %1 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, "
                       "tensor<1xi64>) -> " T
                       "\n" OP2("%2", "maximum", "%0",
                                "%1") "  %3 = \"partir.all_reduce\"(%x) {axes = [\"batch\"], monoid = \"add\"} : (" T
                                      ") -> " T
                                      "\n  %4 = \"partir.all_reduce\"(%x) {axes = [\"batch\"], monoid = \"add\"} : (" T
                                      ") -> " T "\n" OP2("%5", "maximum", "%3", "%4") RETURN("%2", "%5"));
    CHECK_INT(count(&l, OP_rng), 2);
    CHECK_INT(count(&l, OP_partir_all_reduce), 2);
}

#define FOLD(out, by)                                                                                                  \
    "  " out " = stablehlo.reduce(%x init: %z) applies stablehlo." by " across dimensions = [0] : (" T                 \
    ", tensor<f32>) -> tensor<f32>\n"

static void reductions_are_told_apart(void) {
    Left l = left(
        "func.func @main(%x: " T ", %z: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {\n" FOLD("%0", "add")
            FOLD("%1", "maximum") FOLD("%2", "add") "  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>\n}\n");
    CHECK_INT(count(&l, OP_reduce), 2);
}

// What sorts the same without the places of its elements is the sort with them, if nobody reads it before.
static void stable_sorts_are_there_once(void) {
#define SORT1(out, cmp)                                                                                                \
    "  " out " = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"     \
    "    %p = stablehlo.compare " cmp ", %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n"       \
    "  }) : (" T ") -> " T "\n"
#define SORT2(with, stable)                                                                                            \
    "  %i = stablehlo.iota dim = 0 : tensor<1024xi32>\n  %5:2 = \"stablehlo.sort\"(%x, " with                          \
    ") <{dimension = 0 : i64, is_stable = " stable                                                                     \
    "}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):\n"                              \
    "    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n"            \
    "  }) : (" T ", tensor<1024xi32>) -> (" T ", tensor<1024xi32>)\n"
#define SORTS(first, between, second, last, out)                                                                       \
    "func.func @main(%x: " T ", %y: tensor<1024xi32>) -> (" T ", " T ", tensor<1024xi32>) {\n" first between second last \
    "  return %0, " out ", %5#1 : " T ", " T ", tensor<1024xi32>\n}\n"
    static const struct {
        const char *text;
        uint32_t sorts;
    } cases[] = {
        {SORTS(SORT1("%0", "LT"), "", SORT2("%i", "true"), "", "%x"), 1},
        {SORTS("", "", SORT2("%i", "true"), SORT1("%0", "LT"), "%5#0"), 1},
        {SORTS(SORT1("%0", "GT"), "", SORT2("%i", "true"), "", "%x"), 2},                       // another order
        {SORTS(SORT1("%0", "LT"), "", SORT2("%y", "true"), "", "%x"), 2},                       // no places
        {SORTS(SORT1("%0", "LT"), "", SORT2("%i", "false"), "", "%x"), 2},                      // equal ones as they come
        {SORTS(SORT1("%0", "LT"), OP1("%1", "tanh", "%0"), SORT2("%i", "true"), "", "%1"), 2}}; // read before
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Left l = left(cases[k].text);
        CHECK_INT(count(&l, OP_sort), 2);
        merge_stable_sorts(&l.d, &arena);
        CHECK_INT(program_order(l.d.m, &arena).count[OP_sort], cases[k].sorts);
        if (cases[k].sorts > 1) continue;
        OpId sort = find(l.d.m, OP_sort, 0), ret = find(l.d.m, OP_func_return, 0);
        if (op_get(l.d.m, sort)->n_results == 1) sort = find(l.d.m, OP_sort, 1);
        CHECK_INT(op_operand(l.d.m, ret, 0), op_result(l.d.m, sort, 0));
    }
}

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(arithmetic_is_there_once);
    RUN(trees_are_there_once);
    RUN(loops_are_there_once);
    RUN(some_runs_each_time);
    RUN(reductions_are_told_apart);
    RUN(stable_sorts_are_there_once);
    module_free(whole);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
