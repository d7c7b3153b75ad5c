// The order of kernels on a TPU: each of the three ways, and which of them is taken.
#include "sim/schedule/schedulers.h"
#include "program.h"
#include "sim_passes.h"

#define T "tensor<8x8xf32>" // 256 bytes
#define DOT(out, x, y)                                                                                                 \
    "  " out " = stablehlo.dot_general " x ", " y ", contracting_dims = [1] x [0] : (" T ", " T ") -> " T "\n"

typedef struct Program {
    Module *m;
    Fusion f;
    KernelGraph k;
    double *bytes;
} Program;

static Program kernels_of(const char *text) {
    Program p = {.m = read(text)};
    if (!p.m) return p;
    ProgramOrder written = program_order(p.m, &arena);
    p.f = fused(p.m, NULL, &(Backend){.fuses_dot_producers = true, .duplicates_expensive = true}, &arena);
    OpId *ring = memset(arena_new(&arena, OpId, p.m->ops.n), 0xff, p.m->ops.n * sizeof *ring);
    p.k = kernel_graph_build(p.m, &written, &p.f, ring, &arena);
    p.bytes = arena_zalloc(&arena, p.m->values.n * sizeof *p.bytes);
    for (ValueId v = 0; v < p.m->values.n; v++)
        if (p.f.place[v] == PLACE_BUFFER) p.bytes[v] = kept_bytes(p.m, &p.f, v);
    return p;
}

static bool reads(const Program *p, OpId reader, OpId op) {
    uint32_t k = p->k.of_op[reader];
    for (uint32_t i = p->k.first_read[k]; i < p->k.first_read[k + 1]; i++)
        if (p->m->values.at[p->k.read[i].value].owner == op) return true;
    return false;
}

// The sine is computed inside the second product, the barrier holds back the third though it passes on an argument, and the
// loop reads what its body captures.
static void kernels_read_memory(void) {
    Program p = kernels_of("func.func @main(%x: " T ") -> (" T ", " T ") {\n" DOT(
        "%0", "%x",
        "%x") "  %1 = stablehlo.sine %0 : " T
              "\n" DOT("%2", "%1", "%x") "  %3:2 = stablehlo.optimization_barrier %x, %2 : " T ", " T "\n" DOT(
                  "%4", "%3#0",
                  "%3#0") "  %c = stablehlo.constant dense<0> : tensor<i32>\n"
                          "  %5 = stablehlo.while(%i = %c) : tensor<i32>\n  cond {\n"
                          "    %p = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                          "    stablehlo.return %p : tensor<i1>\n  } do {\n" DOT(
                              "%7", "%4", "%4") "    %8 = stablehlo.slice %7 [0:1, 0:1] : (" T ") -> tensor<1x1xf32>\n"
                                                "    %9 = stablehlo.reshape %8 : (tensor<1x1xf32>) -> tensor<f32>\n"
                                                "    %10 = stablehlo.convert %9 : (tensor<f32>) -> tensor<i32>\n"
                                                "    stablehlo.return %10 : tensor<i32>\n  }\n  return %2, %4 : " T
                                                ", " T "\n}\n");
    if (!p.m) return;
    OpId first = find(p.m, OP_dot_general, 0), second = find(p.m, OP_dot_general, 1),
         third = find(p.m, OP_dot_general, 2), barrier = find(p.m, OP_optimization_barrier, 0);
    CHECK_INT(p.k.of_op[find(p.m, OP_sine, 0)], NO_ID);
    CHECK(reads(&p, second, first) && !reads(&p, third, first));
    CHECK(reads(&p, barrier, second) && reads(&p, third, barrier) && !reads(&p, third, second));
    CHECK(reads(&p, find(p.m, OP_while, 0), third));
    CHECK_INT(p.k.n_readers[op_result(p.m, second, 0)], 2); // the barrier and the end
    module_free(p.m);
}

// A reduction of each link of a long chain: each of them computes all links before it on the way, and reads the product that the
// chain begins with. The last ones do not walk through them again.
static void long_chains_are_walked_once(void) {
    enum { LINKS = 500 };
    Buffer text;
    buf_init(&text, &arena);
    buf_str(&text, "func.func @main(%x: " T ") -> tensor<8xf32> {\n" DOT("%0", "%x", "%x"));
    buf_str(&text, "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n");
    for (int i = 0; i < LINKS; i++)
        buf_format(&text,
                   "  %%%d = stablehlo.negate %%%d : " T
                   "\n  %%r%d = stablehlo.reduce(%%%d init: %%z) applies stablehlo.add across dimensions = [1] : (" T
                   ", tensor<f32>) -> tensor<8xf32>\n",
                   i + 1, i, i, i + 1);
    buf_format(&text, "  return %%r%d : tensor<8xf32>\n}\n", LINKS - 1);
    Program p = kernels_of(buf_cstr(&text));
    if (!p.m) return;
    OpId product = find(p.m, OP_dot_general, 0);
    CHECK_INT(p.k.n_readers[op_result(p.m, product, 0)], LINKS);
    CHECK_INT(p.k.first_read[p.k.n], LINKS + 1);
    CHECK(reads(&p, find(p.m, OP_reduce, 0), product) && reads(&p, find(p.m, OP_reduce, LINKS - 1), product));
    module_free(p.m);
}

static uint32_t place_of(const Program *p, const uint32_t *order, OpId op) {
    for (uint32_t i = 0; i < p->k.n; i++)
        if (order[i] == p->k.of_op[op]) return i;
    return NO_ID;
}

// %s reads %a before %b, but more is made of %b. The reduction of %b runs at once, though its result is asked for last.
static void walks_start_at_the_results(void) {
    Program p = kernels_of(
        "func.func @main(%x: " T ") -> (" T ", " T ", tensor<8xf32>) {\n" DOT("%b", "%x", "%x") DOT("%a", "%x", "%x")
            DOT("%s", "%a", "%b")
                DOT("%t", "%b",
                    "%x") "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
                          "  %r = stablehlo.reduce(%b init: %f) applies stablehlo.add across dimensions = [0] : (" T
                          ", tensor<f32>) -> tensor<8xf32>\n  return %s, %t, %r : " T ", " T ", tensor<8xf32>\n}\n");
    if (!p.m) return;
    OpId b = find(p.m, OP_dot_general, 0), a = find(p.m, OP_dot_general, 1), reduce = find(p.m, OP_reduce, 0);
    RegionId body = op_region(p.m, module_main(p.m), 0);
    uint32_t order[8];
    CHECK_INT(p.k.n, 6);
    PostorderDfs walk = postorder_dfs_new(p.m, &p.k, p.bytes, &arena);
    schedule_postorder(&walk, body, order);
    CHECK(place_of(&p, order, a) < place_of(&p, order, b));
    CHECK_INT(place_of(&p, order, reduce), place_of(&p, order, b) + 1);
    CHECK_INT(walk.shared[op_result(p.m, b, 0)], 2);
    CHECK_INT(walk.shared[op_result(p.m, find(p.m, OP_dot_general, 2), 0)], 2);
    CHECK_INT(walk.total[op_result(p.m, find(p.m, OP_dot_general, 2), 0)], 3 * 256);
    schedule_dfs(&walk, body, order);
    CHECK(place_of(&p, order, b) < place_of(&p, order, a));
    CHECK_INT(place_of(&p, order, reduce), place_of(&p, order, b) + 1);
    module_free(p.m);
}

// Three products are ready at first. That of %s alone makes another ready that gives back what it takes.
static void list_scheduler_frees_first(void) {
    Program p = kernels_of(
        "func.func @main(%x: " T
        ", %w: tensor<8x2xf32>) -> (tensor<16x8xf32>, tensor<8x2xf32>) {\n" DOT("%a", "%x", "%x") DOT("%b", "%x", "%x")
            DOT("%s", "%x", "%x") "  %c = stablehlo.concatenate %a, %b, dim = 0 : (" T ", " T ") -> tensor<16x8xf32>\n"
                                  "  %d = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (" T
                                  ", tensor<8x2xf32>) -> tensor<8x2xf32>\n"
                                  "  return %c, %d : tensor<16x8xf32>, tensor<8x2xf32>\n}\n");
    if (!p.m) return;
    uint32_t order[8];
    ListScheduler *list = list_scheduler_new(p.m, &p.k, p.bytes, p.bytes, &arena);
    RegionId body = op_region(p.m, module_main(p.m), 0);
    CHECK(schedule_list(list, body, 1088, order)); // %a, %b, %c and %d
    OpId s = find(p.m, OP_dot_general, 2), d = find(p.m, OP_dot_general, 3);
    CHECK_INT(place_of(&p, order, s), 0); // of equal kernels, the one written last
    CHECK_INT(place_of(&p, order, d), 1);
    CHECK_INT(place_of(&p, order, find(p.m, OP_concatenate, 0)), 4);
    CHECK(!schedule_list(list, body, 1087, order));
    module_free(p.m);
}

// The loop gives its 260 bytes where it found them.
static void list_scheduler_runs_loops_in_place(void) {
    Program p = kernels_of("func.func @main(%x: " T ") -> " T " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n" DOT(
        "%0", "%x", "%x") "  %1:2 = stablehlo.while(%i = %c, %q = %0) : tensor<i32>, " T "\n  cond {\n"
                          "    %p = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                          "    stablehlo.return %p : tensor<i1>\n  } do {\n" DOT(
                              "%d", "%q", "%q") "    stablehlo.return %i, %d : tensor<i32>, " T "\n  }\n  return %1#1 : " T "\n}\n");
    if (!p.m) return;
    uint32_t order[16];
    ListScheduler *list = list_scheduler_new(p.m, &p.k, p.bytes, p.bytes, &arena);
    CHECK(schedule_list(list, op_region(p.m, module_main(p.m), 0), 260, order));
    CHECK(!schedule_list(list, op_region(p.m, module_main(p.m), 0), 255, order));
    module_free(p.m);
}

#define ROWS "tensor<64x8xf32>" // 2048 bytes
#define LARGE(out, x)                                                                                                  \
    "  " out " = stablehlo.dot_general %w, " x ", contracting_dims = [1] x [0] : (" ROWS ", " T ") -> " ROWS "\n"
#define SMALL(out, x)                                                                                                  \
    "  " out " = stablehlo.dot_general " x ", " x ", contracting_dims = [0] x [0] : (" ROWS ", " ROWS ") -> " T "\n"
#define ADD(out, x, y) "  " out " = stablehlo.add " x ", " y " : " T "\n"

// Each of four results is made of something large. Results after one another need it one at a time; the list scheduler would
// take all that is small first, and so does the same where it is ready. Updated in place, a result needs nothing at all.
static void the_least_is_taken(void) {
    Module *m = read("func.func @main(%w: " ROWS ", %x: " T ") -> (" T ", " T ") {\n" LARGE("%0", "%x")
                         LARGE("%1", "%x") SMALL("%2", "%0") SMALL("%3", "%1") "  return %2, %3 : " T ", " T "\n}\n");
    if (!m) return;
    ProgramOrder written = program_order(m, &arena);
    Backend tpu = {.fuses_dot_producers = true, .duplicates_expensive = true};
    Fusion f = fused(m, NULL, &tpu, &arena);
    OpSchedule o = min_memory(m, &written, &f, &tpu, NULL, &arena);
    uint32_t at[4];
    for (uint32_t i = 0; i < 4; i++) at[i] = o.position[find(m, OP_dot_general, i)];
    CHECK(at[0] + 1 == at[2] || at[1] + 1 == at[3]);
    CHECK((at[0] < at[1] ? at[2] < at[1] : at[3] < at[0])); // one after the other
    CHECK_INT(o.n, 5);
    module_free(m);
}

#define GATHER(out, w)                                                                                                 \
    "  " out " = \"partir.all_gather\"(" w ") {axes = [[\"batch\"], []]} : (tensor<4x8xf32>) -> " T "\n"

// The second gather begins as soon as the first has given the links free. Where there is no memory for what is gathered ahead,
// that is no other order either: one at a time is always under way.
static void gathers_begin_early(void) {
    Module *m = read("func.func @main(%x: " T ", %v: tensor<4x8xf32>, %w: tensor<4x8xf32>) -> " T " {\n" //
                     GATHER("%0", "%v") DOT("%1", "%x", "%0") DOT("%2", "%1", "%x") DOT("%3", "%2", "%x")
                         DOT("%4", "%3", "%x") GATHER("%5", "%w") DOT("%6", "%4", "%5") "  return %6 : " T "\n}\n");
    if (!m) return;
    ProgramOrder written = program_order(m, &arena);
    Backend tpu = {.fuses_dot_producers = true, .duplicates_expensive = true};
    Fusion f = fused(m, NULL, &tpu, &arena);
    double *seconds = arena_zalloc(&arena, m->ops.n * sizeof *seconds);
    uint8_t *gathers = arena_zalloc(&arena, m->ops.n);
    for (uint32_t i = 0; i < 5; i++) seconds[find(m, OP_dot_general, i)] = 1;
    OpId first = find(m, OP_partir_all_gather, 0), second = find(m, OP_partir_all_gather, 1);
    gathers[first] = gathers[second] = 1;
    seconds[first] = 9, seconds[second] = 2;
    AsyncGathers beside = {seconds, gathers, 1e9}, tight = {seconds, gathers, 0};
    OpSchedule apart = min_memory(m, &written, &f, &tpu, NULL, &arena);
    OpSchedule early = min_memory(m, &written, &f, &tpu, &beside, &arena);
    CHECK_INT(apart.position[second] + 1, apart.position[find(m, OP_dot_general, 4)]);
    CHECK_INT(early.position[second] + 1, early.position[find(m, OP_dot_general, 0)]);
    CHECK_INT(early.position[first], 0);
    OpSchedule least = min_memory(m, &written, &f, &tpu, &tight, &arena);
    CHECK_INT(least.position[second], early.position[second]);
    module_free(m);
}

// Both could run beside the gather. The product is the one that does, though it is written first.
static void products_run_beside_gathers(void) {
    Module *m = read("func.func @main(%x: " T ", %y: " T ", %w: tensor<4x8xf32>) -> (" T ", " T ", " T ") {\n" //
                     DOT("%0", "%x", "%x") "  %1 = stablehlo.cholesky %y, lower = true : " T
                                           "\n" GATHER("%2", "%w") "  return %0, %1, %2 : " T ", " T ", " T "\n}\n");
    if (!m) return;
    ProgramOrder written = program_order(m, &arena);
    Fusion f = fused(m, NULL, &(Backend){.fuses_dot_producers = true}, &arena);
    double *seconds = arena_zalloc(&arena, m->ops.n * sizeof *seconds);
    uint8_t *gathers = arena_zalloc(&arena, m->ops.n);
    OpId product = find(m, OP_dot_general, 0), other = find(m, OP_cholesky, 0);
    seconds[product] = seconds[other] = 1;
    gathers[find(m, OP_partir_all_gather, 0)] = 1;
    OpSchedule order =
        min_memory(m, &written, &f, &(Backend){0}, &(AsyncGathers){seconds, gathers, 1e9}, &arena);
    CHECK(order.position[other] < order.position[product]);
    module_free(m);
}

static void run_in_loops(void) {
    Module *m = read("func.func @main(%x: " T ") -> " T " {\n  %c = stablehlo.constant dense<0> : tensor<i32>\n"
                     "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "  %e = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> " T
                     "\n  %0:2 = stablehlo.while(%i = %c, %q = %e) : tensor<i32>, " T "\n  cond {\n"
                     "    %p = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                     "    stablehlo.return %p : tensor<i1>\n  } do {\n" DOT("%d", "%q", "%x")
                         ADD("%n", "%d", "%q") "    stablehlo.return %i, %n : tensor<i32>, " T
                                               "\n  }\n  return %0#1 : " T "\n}\n");
    if (!m) return;
    ProgramOrder written = program_order(m, &arena);
    Backend tpu = {.fuses_dot_producers = true, .duplicates_expensive = true};
    Fusion f = fused(m, NULL, &tpu, &arena);
    OpSchedule o = min_memory(m, &written, &f, &tpu, NULL, &arena);
    OpId loop = find(m, OP_while, 0), product = find(m, OP_dot_general, 0);
    CHECK_INT(o.n, written.n);
    CHECK(o.position[find(m, OP_broadcast_in_dim, 0)] < o.first[loop]);
    CHECK(o.first[loop] < o.position[product] && o.position[product] < o.position[loop]);
    module_free(m);
}

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(kernels_read_memory);
    RUN(long_chains_are_walked_once);
    RUN(walks_start_at_the_results);
    RUN(list_scheduler_frees_first);
    RUN(list_scheduler_runs_loops_in_place);
    RUN(the_least_is_taken);
    RUN(gathers_begin_early);
    RUN(products_run_beside_gathers);
    RUN(run_in_loops);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
