// Memory may end at any allocation: an error comes back, nothing leaks, and the same work succeeds afterwards.
//
// The allocator hook fails the n-th allocation, for n = 1, 2, … until the work no longer reaches it; once for that
// allocation alone and once for all from there on.
#include "partir.h"
#include "test.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    long count, fail_at; // the number of allocations so far; the one that fails
    long needed;         // the number of allocations that the first run of the work made
    bool for_good;       // so do all after it
    long live;           // bytes
    long wrong_sizes;    // old sizes that were not what had been asked for
    int errors;
} Memory;

enum { PREFIX = 16 }; // the size of a block stands before it

static void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
    Memory *memory = user;
    char *block = old ? (char *)old - PREFIX : NULL;
    size_t known = 0;
    if (block) memcpy(&known, block, sizeof known);
    if (known != old_size) memory->wrong_sizes++;
    if (!new_size) {
        memory->live -= (long)known;
        free(block);
        return NULL;
    }
    memory->count++;
    if (memory->count == memory->fail_at || (memory->for_good && memory->count > memory->fail_at && memory->fail_at))
        return NULL;
    block = realloc(block, new_size + PREFIX);
    if (!block) return NULL;
    memory->live += (long)new_size - (long)known;
    memcpy(block, &new_size, sizeof new_size);
    return block + PREFIX;
}

static void count_error(void *user, const partir_diagnostic *d) {
    if (d->severity == PARTIR_ERROR) ((Memory *)user)->errors++;
}

static const char program[] =
    "#loc1 = loc(\"x\")\n"
    "module @m attributes {mhlo.num_partitions = 1 : i32} {\n"
    "  func.func public @main(%arg0: tensor<4x8xf32> loc(\"x\"), %arg1: tensor<8x4xf32> {jax.buffer_donor = true}) -> "
    "(tensor<4x4xf32> {jax.result_info = \"result\"}) {\n"
    "    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : "
    "(tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32> loc(#loc1)\n"
    "    %cst = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>\n"
    "    %1 = stablehlo.broadcast_in_dim %cst, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>\n"
    "    %2 = call @relu(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "    %3 = stablehlo.add %1, %2 : tensor<4x4xf32>\n"
    "    return %3 : tensor<4x4xf32>\n"
    "  }\n"
    "  func.func private @relu(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
    "    %cst = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>\n"
    "    %1 = stablehlo.maximum %arg0, %0 : tensor<4x4xf32>\n"
    "    return %1 : tensor<4x4xf32>\n"
    "  }\n"
    "}\n";

static const char wrong_program[] = "func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
                                    "  %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>\n"
                                    "  %1 = stablehlo.abs %arg0 : (tensor<4xf32>) -> tensor<5xf32>\n"
                                    "  return %2 : tensor<4xf32>\n"
                                    "}\n";

static const char names[] = "0\tparams['layers'][0].kernel\n1\tx\n";

// Each returns true when all of it succeeded.
static bool read_print_inline(partir_context *ctx) {
    partir_module *module = partir_module_read_text(ctx, "m.mlir", program, sizeof program - 1);
    bool good = module && partir_module_set_argument_names(module, names, sizeof names - 1);
    for (unsigned flags = 0; good && flags < 4; flags++) {
        partir_text *text = partir_module_print(module, flags);
        good = text != NULL;
        partir_text_destroy(text);
    }
    good = good && partir_module_inline(module);
    partir_module_destroy(module);
    return good;
}

static bool read_wrong(partir_context *ctx) {
    partir_module *module = partir_module_read_text(ctx, "m.mlir", wrong_program, sizeof wrong_program - 1);
    partir_module_destroy(module);
    return module != NULL;
}

static const char schedule[] =
    "mesh batch=2, model=2\ndevice tpu_v5e\ntactic BP on batch { x : 0 }\ntactic MP on model { arg1 : 1 }\n";

// What failed is asked for once more: the partition must still be good.
static bool simulate(partir_partition *p, const char *device, partir_simulation_format format) {
    partir_text *text = partir_partition_simulate(p, device, format);
    bool good = text != NULL;
    if (!good) text = partir_partition_simulate(p, device, format);
    partir_text_destroy(text);
    return good;
}

static bool look(partir_trials *t, partir_outcome *out) {
    bool good = partir_trials_look(t, INFINITY, out);
    if (!good && partir_trials_look(t, INFINITY, out)) CHECK(out->complete && out->peak > 0);
    return good;
}

static bool try_out(partir_partition *p) {
    partir_trials *t = partir_trials_create(p, "tpu_v5e");
    if (!t) return false;
    partir_outcome before, tiled, after;
    uint32_t mark = partir_trials_mark(t);
    bool good = look(t, &before) && partir_trials_tile(t, "arg1", 1, "model") && look(t, &tiled);
    partir_trials_undo(t, mark);
    good = look(t, &after) && good && partir_trials_keep(t) && look(t, &after);
    if (good) CHECK(before.peak == after.peak && before.seconds == after.seconds && tiled.peak < before.peak);
    partir_trials_destroy(t);
    return good;
}

static bool partition_and_simulate(partir_context *ctx) {
    partir_module *module = partir_module_read_text(ctx, "m.mlir", program, sizeof program - 1);
    partir_schedule *tactics =
        module ? partir_schedule_read_text(ctx, "m.schedule", schedule, sizeof schedule - 1) : NULL;
    partir_partition *p = tactics ? partir_partition_create(module, tactics, NULL) : NULL;
    bool good = p && simulate(p, NULL, PARTIR_SIMULATION_TABLE) && try_out(p) && partir_partition_apply_next(p) &&
                partir_partition_apply_next(p) && simulate(p, NULL, PARTIR_SIMULATION_JSON) &&
                simulate(p, "h100", PARTIR_SIMULATION_TRACE);
    partir_text *devices = good ? partir_devices(ctx, NULL) : NULL,
                *device = devices ? partir_devices(ctx, "host") : NULL;
    good = good && device;
    partir_text_destroy(devices);
    partir_text_destroy(device);
    partir_partition_destroy(p);
    partir_schedule_destroy(tactics);
    partir_module_destroy(module);
    return good;
}

// ---- Partition, simulate, verify and run three programs ----------------------------------------------------------------

static const char loop[] =
    "func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
    "  %n = stablehlo.constant dense<3> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %r:2 = stablehlo.while(%i = %zero, %acc = %x) : tensor<i32>, tensor<4x4xf32>\n"
    "   cond {\n"
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %d = stablehlo.dot_general %acc, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "    %j = stablehlo.add %i, %one : tensor<i32>\n"
    "    stablehlo.return %j, %d : tensor<i32>, tensor<4x4xf32>\n"
    "  }\n"
    "  return %r#1 : tensor<4x4xf32>\n"
    "}\n";

static const char moving[] =
    "func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  %1 = stablehlo.concatenate %x, %0, dim = 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>\n"
    "  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "  return %2, %1 : tensor<4xf32>, tensor<8x4xf32>\n"
    "}\n";

static const char two_tactics[] =
    "mesh batch=2, model=2\ndevice tpu_v5e\ntactic BP on batch { {arg0,x} : 0 }\ntactic MP on model { arg1 : 1 }\n";

static bool run_local(partir_context *ctx, const partir_text *text) {
    partir_module *m = partir_module_read_text(ctx, "local.mlir", partir_text_data(text), partir_text_size(text));
    partir_run *r = m ? partir_run_create(m, NULL) : NULL;
    bool good = r && partir_run_random_arguments(r, 1) && partir_run_execute(r);
    partir_text *results = good ? partir_run_print_results(r) : NULL;
    good = results != NULL;
    partir_text_destroy(results);
    partir_run_destroy(r);
    partir_module_destroy(m);
    return good;
}

static bool all_of(partir_context *ctx, const char *text) {
    partir_module *m = partir_module_read_text(ctx, "m.mlir", text, strlen(text));
    partir_schedule *s =
        m ? partir_schedule_read_text(ctx, "m.schedule", two_tactics, sizeof two_tactics - 1) : NULL;
    partir_partition *p = s ? partir_partition_create(m, s, NULL) : NULL;
    bool good = p && partir_partition_apply_next(p) && partir_partition_apply_next(p) &&
                simulate(p, NULL, PARTIR_SIMULATION_JSON) && partir_partition_verify(p, 1);
    partir_text *report = good ? partir_partition_report(p, PARTIR_REPORT_JSON) : NULL;
    partir_text *local = report ? partir_partition_emit(p, PARTIR_STAGE_STABLEHLO, 0) : NULL;
    good = local && run_local(ctx, local);
    partir_text_destroy(report);
    partir_text_destroy(local);
    partir_partition_destroy(p);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    return good;
}

static bool all_of_products(partir_context *ctx) { return all_of(ctx, program); }
static bool all_of_loop(partir_context *ctx) { return all_of(ctx, loop); }
static bool all_of_moving(partir_context *ctx) { return all_of(ctx, moving); }

static void attempt(Memory *memory, bool (*work)(partir_context *)) {
    partir_options options = {.user = memory, .reallocate = reallocate, .diagnostic = count_error};
    partir_context *ctx = partir_context_create(&options);
    if (!ctx) return;
    bool good = work(ctx);
    CHECK(good || memory->errors > 0);
    memory->needed = memory->count;
    // Memory is back: the context must still be good for the same work.
    memory->fail_at = 0;
    CHECK(work(ctx) == (work != read_wrong));
    partir_context_destroy(ctx);
}

static void fail_each(bool (*work)(partir_context *), bool for_good) {
    Memory whole = {0};
    attempt(&whole, work);
    CHECK(whole.needed > 0);
    CHECK_INT(whole.live, 0);
    // Under sanitizers each small piece is an allocation of its own: then a few hundred of them stand for all.
    for (long n = 1; n <= whole.needed && !test_bad; n += 1 + whole.needed / 500) {
        Memory memory = {.fail_at = n, .for_good = for_good};
        attempt(&memory, work);
        CHECK_INT(memory.live, 0);
        CHECK_INT(memory.wrong_sizes, 0);
        if (test_bad) printf("with allocation %ld of %ld failing\n", n, whole.needed);
    }
}

static void one_allocation_fails(void) { fail_each(read_print_inline, false); }
static void all_allocations_fail(void) { fail_each(read_print_inline, true); }
static void one_fails_in_simulation(void) { fail_each(partition_and_simulate, false); }
static void all_fail_in_simulation(void) { fail_each(partition_and_simulate, true); }
static void one_fails_in_wrong_program(void) { fail_each(read_wrong, false); }
static void all_fail_in_wrong_program(void) { fail_each(read_wrong, true); }

static void one_fails_anywhere(void) {
    fail_each(all_of_products, false);
    fail_each(all_of_loop, false);
    fail_each(all_of_moving, false);
}
static void all_fail_anywhere(void) {
    fail_each(all_of_products, true);
    fail_each(all_of_loop, true);
    fail_each(all_of_moving, true);
}

int main(void) {
    RUN(one_allocation_fails);
    RUN(all_allocations_fail);
    RUN(one_fails_in_simulation);
    RUN(all_fail_in_simulation);
    RUN(one_fails_anywhere);
    RUN(all_fail_anywhere);
    RUN(one_fails_in_wrong_program);
    RUN(all_fail_in_wrong_program);
    return test_end();
}
