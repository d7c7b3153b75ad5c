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

// A loop without end is stopped, with an error: not verified, and no difference either.
static void endless_loops_are_stopped(void) {
    static const char endless[] = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                                  "  %0 = stablehlo.while(%i = %x) : tensor<8xf32>\n  cond {\n"
                                  "    %t = stablehlo.constant dense<true> : tensor<i1>\n    stablehlo.return %t : tensor<i1>\n"
                                  "  } do {\n    stablehlo.return %i : tensor<8xf32>\n  }\n  return %0 : tensor<8xf32>\n}\n";
    static const char halves[] = "mesh a=2\ntactic T on a { arg0 : 0 }\n";
    Said said = {0};
    partir_options options = {.size = sizeof options, .user = &said, .diagnostic = hear};
    partir_context *ctx;
    partir_context_create(&options, &ctx);
    Module *m = module_new(ctx);
    source_from_memory(&m->source, "m", endless, sizeof endless - 1);
    CHECK(read_module(m) && check_module(m) && names_from_module(m));
    Arena arena;
    Source source;
    Schedule tiling;
    Partition p = {0};
    arena_init(&arena, ctx);
    source_from_memory(&source, "s", halves, sizeof halves - 1);
    CHECK(schedule_read(ctx, &arena, &source, &tiling) && partition_init(&p, m, &tiling, NULL));
    arena_init(&p.scratch, ctx);
    CHECK_INT(verify_partition(&p, &(VerifyOptions){.seed = 1, .max_steps = 1000}, NULL), VERIFY_ERROR);
    CHECK(strstr(said.last, "has not ended after 1000 steps") != NULL);
    CHECK(VERIFY_MAX_STEPS < 100 * 1000 * 1000); // if nothing is said: a few seconds
    partition_free(&p);
    arena_free(&p.scratch);
    arena_free(&arena);
    module_free(m);
    partir_context_destroy(ctx);
}

int main(void) {
    RUN(bits_of_sums_are_no_defect);
    RUN(endless_loops_are_stopped);
    return test_end();
}
