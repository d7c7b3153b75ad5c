// Roles: what is trained is state, by ties, donation or updates; a cache is not.
#include "auto/role.h"
#include "ir/names.h"
#include "session/partition.h"
#include "stablehlo/check.h"
#include "stablehlo/read/reader.h"
#include "test.h"

// A step whose ties, which names tell, miss some of the state: here the moment, which has no name in common with a result.
static const char partly_tied[] =
    "func.func @main(%w: tensor<64x32xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<64xf32> {tf.aliasing_output = 1 : i32},"
    " %x: tensor<128x64xf32>) -> (tensor<64x32xf32>, tensor<64xf32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<128x64xf32>, tensor<64x32xf32>) -> tensor<128x32xf32>\n"
    "  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<128x64xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>\n"
    "  %s = stablehlo.reduce(%g init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>\n"
    "  %n = stablehlo.add %v, %s : tensor<64xf32>\n"
    "  %b = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<64xf32>) -> tensor<64x32xf32>\n"
    "  %d = stablehlo.divide %g, %b : tensor<64x32xf32>\n"
    "  %u = stablehlo.subtract %w, %d : tensor<64x32xf32>\n"
    "  return %u, %n : tensor<64x32xf32>, tensor<64xf32>\n"
    "}\n";

// A program that infers: what is tied is a cache, written to in a loop; what is large of the rest was learnt.
static const char with_cache[] =
    "func.func @main(%w: tensor<64x64xf32>, %cache: tensor<128x64xf32>, %x: tensor<1x64xf32>) -> (tensor<128x64xf32>, tensor<1x64xf32>) {\n"
    "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<128> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %r:3 = stablehlo.while(%k = %i, %c = %cache, %h = %x) : tensor<i32>, tensor<128x64xf32>, tensor<1x64xf32>\n"
    "  cond {\n"
    "    %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %d = stablehlo.dynamic_update_slice %c, %h, %k, %i : (tensor<128x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<128x64xf32>\n"
    "    %y = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>\n"
    "    %s = stablehlo.dot_general %y, %d, contracting_dims = [1] x [1] : (tensor<1x64xf32>, tensor<128x64xf32>) -> tensor<1x128xf32>\n"
    "    %o = stablehlo.dot_general %s, %d, contracting_dims = [1] x [0] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>\n"
    "    %m = stablehlo.add %k, %one : tensor<i32>\n"
    "    stablehlo.return %m, %d, %o : tensor<i32>, tensor<128x64xf32>, tensor<1x64xf32>\n"
    "  }\n"
    "  return %r#1, %r#2 : tensor<128x64xf32>, tensor<1x64xf32>\n"
    "}\n";

// The same update of a weight, in each turn of a loop and in another precision.
static const char trained_in_a_loop[] =
    "func.func @main(%w: tensor<64x64xbf16>, %x: tensor<32x64xbf16>) -> tensor<64x64xbf16> {\n"
    "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<4> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %r:2 = stablehlo.while(%k = %i, %v = %w) : tensor<i32>, tensor<64x64xbf16>\n"
    "  cond {\n"
    "    %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %y = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xf32>\n"
    "    %z = stablehlo.convert %x : (tensor<32x64xbf16>) -> tensor<32x64xf32>\n"
    "    %g = stablehlo.dot_general %z, %y, contracting_dims = [0] x [0] : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>\n"
    "    %f = stablehlo.convert %v : (tensor<64x64xbf16>) -> tensor<64x64xf32>\n"
    "    %d = stablehlo.subtract %f, %g : tensor<64x64xf32>\n"
    "    %u = stablehlo.convert %d : (tensor<64x64xf32>) -> tensor<64x64xbf16>\n"
    "    %m = stablehlo.add %k, %one : tensor<i32>\n"
    "    stablehlo.return %m, %u : tensor<i32>, tensor<64x64xbf16>\n"
    "  }\n"
    "  return %r#1 : tensor<64x64xbf16>\n"
    "}\n";

// `expected`: w or d, weight or data, for each argument.
static void check_roles(const char *program, const char *scheduled, const char *expected) {
    Context *ctx;
    partir_context_create(NULL, &ctx);
    Guard guard;
    if (GUARD(ctx, &guard)) {
        Module *m = module_new(ctx);
        Source source;
        Schedule schedule;
        Partition p;
        source_from_memory(&m->source, "m.mlir", program, strlen(program));
        source_from_memory(&source, "s", scheduled, strlen(scheduled));
        bool ok = read_module(m) && check_module(m) && names_from_module(m) &&
                  schedule_read(ctx, &m->arena, &source, &schedule) && partition_init(&p, m, &schedule, NULL);
        CHECK(ok);
        if (ok) {
            arena_init(&p.scratch, ctx);
            const uint8_t *roles = roles_find(&p.graph, &p.scratch);
            for (uint32_t i = 0; expected[i]; i++)
                CHECK_INT(roles[i], expected[i] == 'w' ? ROLE_WEIGHT : ROLE_DATA);
            arena_free(&p.scratch);
            partition_free(&p);
        }
        module_free(m);
        guard_close(ctx, &guard);
    }
    partir_context_destroy(ctx);
}

static void what_is_given_up_is_state(void) { check_roles(partly_tied, "mesh a=2 tie arg0 -> out/0", "wwd"); }

static void a_cache_is_no_weight(void) { check_roles(with_cache, "mesh a=2 tie arg1 -> out/0", "wdd"); }

static void updates_are_found_in_loops(void) {
    check_roles(trained_in_a_loop, "mesh a=2 tie arg0 -> out/0", "wd");
    check_roles(trained_in_a_loop, "mesh a=2", "wd");
}

int main(void) {
    RUN(what_is_given_up_is_state);
    RUN(a_cache_is_no_weight);
    RUN(updates_are_found_in_loops);
    return test_end();
}
