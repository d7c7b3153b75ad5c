// Verification raises no false alarm where a program looks at the bits of a sum that is taken in another order, and still compares
// all that can be.
#include "core/schedule/schedule.h"
#include "interp/verify/verify.h"
#include "ir/names.h"
#include "partir.h"
#include "stablehlo/check.h"
#include "stablehlo/read/reader.h"
#include "test.h"

static const char program[] =
    "func.func @main(%x: tensor<6x9x3xf32>, %s: tensor<3xf32>) -> (tensor<6x9x3xf32>, tensor<3x4xi8>, tensor<3x4xi8>) {\n"
    "  %o, %mean, %var = \"stablehlo.batch_norm_training\"(%x, %s, %s) <{epsilon = 1.0 : f32, feature_index = 2 : i64}> : "
    "(tensor<6x9x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<6x9x3xf32>, tensor<3xf32>, tensor<3xf32>)\n"
    "  %b = stablehlo.bitcast_convert %var : (tensor<3xf32>) -> tensor<3x4xi8>\n"
    "  %c = stablehlo.bitcast_convert %s : (tensor<3xf32>) -> tensor<3x4xi8>\n"
    "  return %o, %b, %c : tensor<6x9x3xf32>, tensor<3x4xi8>, tensor<3x4xi8>\n"
    "}\n";
static const char schedule[] = "mesh a=3, b=3\ntactic T on a { arg0 : 0 }\ntactic U on b { arg0 : 1 }\n";

typedef struct Said {
    int warnings;
    char last[300];
} Said;

static void hear(void *user, const partir_diagnostic *d) {
    Said *said = user;
    said->warnings += d->severity == PARTIR_WARNING;
    snprintf(said->last, sizeof said->last, "%s", d->message);
}

// Of three results the bits of the second cannot be compared.
static void bits_of_sums_are_no_defect(void) {
    Said said = {0};
    partir_options options = {.size = sizeof options, .user = &said, .diagnostic = hear};
    partir_context *ctx;
    partir_module *m;
    partir_schedule *s;
    partir_partition *p;
    partir_context_create(&options, &ctx);
    partir_module_read_text(ctx, "m", program, sizeof program - 1, &m);
    partir_schedule_read_text(ctx, "s", schedule, sizeof schedule - 1, &s);
    CHECK(partir_partition_create(m, s, NULL, &p) == PARTIR_OK);
    CHECK(partir_partition_apply_next(p) == PARTIR_OK && partir_partition_apply_next(p) == PARTIR_OK);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        int equal = 0;
        CHECK(partir_partition_verify(p, seed, &equal) == PARTIR_OK && equal);
    }
    CHECK_INT(said.warnings, 40); // and each time it says what it left out
    CHECK(strstr(said.last, "skipped 1 of 3 results, out/1 first") != NULL);
    partir_partition_destroy(p);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    partir_context_destroy(ctx);
}

// What internal calls verify of a program: the last seed's status; it stops at one that is not equal.
static VerifyStatus verify_text(const char *text, const char *tiling_text, VerifyOptions options, uint64_t seeds, Said *said) {
    partir_options reporting = {.size = sizeof reporting, .user = said, .diagnostic = hear};
    partir_context *ctx;
    partir_context_create(&reporting, &ctx);
    Module *m = module_new(ctx);
    source_from_memory(&m->source, "m", text, strlen(text));
    CHECK(read_module(m) && check_module(m) && names_from_module(m));
    Arena arena;
    Source source;
    Schedule tiling;
    Partition p = {0};
    arena_init(&arena, ctx);
    source_from_memory(&source, "s", tiling_text, strlen(tiling_text));
    CHECK(schedule_read(ctx, &arena, &source, &tiling) && partition_init(&p, m, &tiling, NULL));
    arena_init(&p.scratch, ctx);
    VerifyStatus status = VERIFY_EQUAL;
    for (options.seed = 1; options.seed <= seeds && status == VERIFY_EQUAL; options.seed++)
        status = verify_partition(&p, &options, NULL);
    partition_free(&p);
    arena_free(&p.scratch);
    arena_free(&arena);
    module_free(m);
    partir_context_destroy(ctx);
    return status;
}

// A zero that is taken at a place, or put there, has the sign that it had: the bits of all results are compared.
static void verify_bits(const char *text, const char *tiling, ExportTarget target) {
    Said said = {0};
    CHECK_INT(verify_text(text, tiling, (VerifyOptions){.target = target}, 100, &said), VERIFY_EQUAL);
    CHECK_INT(said.warnings, 0);
}

// A table that lies in chunks of its rows is looked up by masked sums.
static void lookups_in_chunks_keep_signs(void) {
    verify_bits(
        "func.func @main(%t: tensor<4x2xf32>, %i: tensor<2x1xi32>) -> tensor<2x2xi32> {\n"
        "  %n = stablehlo.negate %t : tensor<4x2xf32>\n"
        "  %g = \"stablehlo.gather\"(%n, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
        "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : "
        "(tensor<4x2xf32>, tensor<2x1xi32>) -> tensor<2x2xf32>\n"
        "  %b = stablehlo.bitcast_convert %g : (tensor<2x2xf32>) -> tensor<2x2xi32>\n  return %b : tensor<2x2xi32>\n}\n",
        "mesh a=2, b=2\ntactic T on a { arg0 : 0 }\ntactic U on b { arg0 : 1 }\n", EXPORT_FOR_ANY);
}

// One element of each row is emitted as a masked sum for TPU.
static void one_hot_gathers_keep_signs(void) {
    verify_bits("func.func @main(%t: tensor<2xf32>, %i: tensor<1xui32>) -> tensor<i32> {\n"
                "  %n = stablehlo.negate %t : tensor<2xf32>\n"
                "  %g = \"stablehlo.gather\"(%n, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
                "start_index_map = [0]>, slice_sizes = array<i64: 1>}> : (tensor<2xf32>, tensor<1xui32>) -> tensor<f32>\n"
                "  %b = stablehlo.bitcast_convert %g : (tensor<f32>) -> tensor<i32>\n  return %b : tensor<i32>\n}\n",
                "mesh a=2\ntactic T on a { arg0 : replicated }\n", EXPORT_FOR_TPU);
}

// The least of its numbers is what f8E8M0FNU has nearest to a zero: a sum of many is another number.
static void types_without_zero_are_not_summed(void) {
    verify_bits("func.func @main(%t: tensor<2x6xf8E8M0FNU>, %i: tensor<2x1xi32>) -> tensor<2xui8> {\n"
                "  %least = stablehlo.constant dense<0x00> : tensor<2x6xf8E8M0FNU>\n"
                "  %n = stablehlo.minimum %t, %least : tensor<2x6xf8E8M0FNU>\n"
                "  %g = \"stablehlo.gather\"(%n, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], "
                "operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, "
                "slice_sizes = array<i64: 1, 1>}> : (tensor<2x6xf8E8M0FNU>, tensor<2x1xi32>) -> tensor<2xf8E8M0FNU>\n"
                "  %b = stablehlo.bitcast_convert %g : (tensor<2xf8E8M0FNU>) -> tensor<2xui8>\n  return %b : tensor<2xui8>\n}\n",
                "mesh a=2\ntactic T on a { arg0 : 0 }\n", EXPORT_FOR_TPU);
}

// One element in each row of zeros is emitted as a select for CPU.
static void one_hot_scatters_keep_signs(void) {
    for (int negative = 0; negative <= 1; negative++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "func.func @main(%%u: tensor<1xf32>, %%i: tensor<1xi32>) -> tensor<4xi32> {\n"
                 "  %%z = stablehlo.constant dense<%s> : tensor<4xf32>\n  %%n = stablehlo.negate %%u : tensor<1xf32>\n"
                 "  %%r = stablehlo.reshape %%n : (tensor<1xf32>) -> tensor<f32>\n"
                 "  %%s = \"stablehlo.scatter\"(%%z, %%i, %%r) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
                 "scatter_dims_to_operand_dims = [0]>}> ({\n  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n"
                 "    %%c = stablehlo.add %%a, %%b : tensor<f32>\n    stablehlo.return %%c : tensor<f32>\n"
                 "  }) : (tensor<4xf32>, tensor<1xi32>, tensor<f32>) -> tensor<4xf32>\n"
                 "  %%b = stablehlo.bitcast_convert %%s : (tensor<4xf32>) -> tensor<4xi32>\n  return %%b : tensor<4xi32>\n}\n",
                 negative ? "-0.0" : "0.0");
        verify_bits(text, "mesh a=2\ntactic T on a { arg0 : replicated }\n", EXPORT_FOR_CPU);
    }
}

// A loop without end is stopped, with an error: not verified, and no difference either.
static void endless_loops_are_stopped(void) {
    static const char endless[] = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                                  "  %0 = stablehlo.while(%i = %x) : tensor<8xf32>\n  cond {\n"
                                  "    %t = stablehlo.constant dense<true> : tensor<i1>\n    stablehlo.return %t : tensor<i1>\n"
                                  "  } do {\n    stablehlo.return %i : tensor<8xf32>\n  }\n  return %0 : tensor<8xf32>\n}\n";
    Said said = {0};
    CHECK_INT(verify_text(endless, "mesh a=2\ntactic T on a { arg0 : 0 }\n", (VerifyOptions){.max_steps = 1000}, 1, &said), VERIFY_ERROR);
    CHECK(strstr(said.last, "has not ended after 1000 steps") != NULL);
    CHECK(VERIFY_MAX_STEPS < 100 * 1000 * 1000); // if nothing is said: a few seconds
}

int main(void) {
    RUN(bits_of_sums_are_no_defect);
    RUN(lookups_in_chunks_keep_signs);
    RUN(one_hot_gathers_keep_signs);
    RUN(types_without_zero_are_not_summed);
    RUN(one_hot_scatters_keep_signs);
    RUN(endless_loops_are_stopped);
    return test_end();
}
