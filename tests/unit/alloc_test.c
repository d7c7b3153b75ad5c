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

enum { PREFIX = 16, FAILURES = 150 }; // the size of a block stands before it

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
    partir_module *module;
    bool good = partir_module_read_text(ctx, "m.mlir", program, sizeof program - 1, &module) == PARTIR_OK &&
                partir_module_set_argument_names(module, names, sizeof names - 1) == PARTIR_OK;
    for (unsigned flags = 0; good && flags < 4; flags++) {
        partir_text *text;
        good = partir_module_print(module, flags, &text) == PARTIR_OK;
        partir_text_destroy(text);
    }
    good = good && partir_module_inline(module) == PARTIR_OK;
    partir_module_destroy(module);
    return good;
}

static bool read_wrong(partir_context *ctx) {
    partir_module *module;
    partir_status status = partir_module_read_text(ctx, "m.mlir", wrong_program, sizeof wrong_program - 1, &module);
    partir_module_destroy(module);
    return status == PARTIR_OK;
}

static const char schedule[] =
    "mesh batch=2, model=2\ndevice tpu_v5e\ntactic BP on batch { x : 0 }\ntactic MP on model { arg1 : 1 }\n";

// What failed is asked for once more: the partition must still be good.
static bool simulate(partir_partition *p, const char *device, partir_simulation_format format) {
    partir_text *text;
    bool good = partir_partition_simulate(p, device, format, &text) == PARTIR_OK;
    if (!good) partir_partition_simulate(p, device, format, &text);
    partir_text_destroy(text);
    return good;
}

static bool evaluate(partir_trials *t, partir_cost *out) {
    out->size = sizeof *out;
    bool good = partir_trials_evaluate(t, INFINITY, out) == PARTIR_OK;
    if (!good && partir_trials_evaluate(t, INFINITY, out) == PARTIR_OK) CHECK(out->complete && out->peak > 0);
    return good;
}

static bool try_out(partir_partition *p) {
    partir_trials *t;
    partir_cost before = {0}, tiled = {0}, after = {0};
    partir_value value;
    if (partir_partition_find_value(p, "arg1", &value) != PARTIR_OK || partir_trials_create(p, NULL, &t) != PARTIR_OK)
        return false;
    uint32_t mark = partir_trials_mark(t);
    bool good = evaluate(t, &before) && partir_trials_tile(t, value, 1, 1) == PARTIR_OK && evaluate(t, &tiled);
    partir_trials_undo(t, mark);
    good = evaluate(t, &after) && good && partir_trials_rebase(t) == PARTIR_OK && evaluate(t, &after);
    if (good) CHECK(before.peak == after.peak && before.seconds == after.seconds && tiled.peak < before.peak);
    partir_trials_destroy(t);
    return good;
}

// A commit that fails leaves what was tried.
static bool commit(partir_partition *p) {
    partir_trials *t;
    partir_value value;
    uint64_t before[2], after[2];
    if (partir_partition_find_value(p, "arg1", &value) != PARTIR_OK || partir_trials_create(p, NULL, &t) != PARTIR_OK)
        return false;
    bool good = partir_trials_tile(t, value, 1, 1) == PARTIR_OK;
    uint32_t applied = partir_partition_applied(p);
    partir_partition_state(p, before);
    bool done = good && partir_trials_commit(t, "MP") == PARTIR_OK;
    partir_partition_state(p, after);
    CHECK(before[0] == after[0] && before[1] == after[1]);
    CHECK_INT(partir_partition_applied(p), applied + done);
    partir_trials_destroy(t);
    return done;
}

// Everything that can be asked of it.
static bool ask(partir_partition *p) {
    uint32_t n;
    partir_value_info value = {.size = sizeof value};
    partir_distribution dist = {.size = sizeof dist};
    partir_op_info op = {.size = sizeof op};
    partir_collective_info collective = {.size = sizeof collective};
    partir_axis_info axis = {.size = sizeof axis};
    partir_tactic_info tactic = {.size = sizeof tactic};
    bool good = partir_partition_value_count(p, 1, &n) == PARTIR_OK && partir_partition_axis(p, 0, &axis) == PARTIR_OK &&
                partir_partition_tactic(p, 0, &tactic) == PARTIR_OK;
    for (uint32_t i = 0; good && i < n; i++)
        good = partir_partition_value(p, i, &value) == PARTIR_OK &&
               partir_partition_distribution(p, i, &dist) == PARTIR_OK;
    for (uint32_t i = 0; good && i < partir_partition_op_count(p); i++)
        good = partir_partition_op(p, i, &op) == PARTIR_OK;
    good = good && partir_partition_collective_count(p, &n) == PARTIR_OK;
    for (uint32_t i = 0; good && i < n; i++) good = partir_partition_collective(p, i, &collective) == PARTIR_OK;
    return good;
}

static bool begin_and_end(partir_partition *p) {
    partir_value value;
    bool begun = partir_partition_find_value(p, "x", &value) == PARTIR_OK &&
                 partir_partition_begin_tactic(p, "BP", "batch") == PARTIR_OK;
    bool good = begun && partir_partition_tile(p, value, 0) == PARTIR_OK;
    return begun && partir_partition_end_tactic(p) == PARTIR_OK && good;
}

static bool print_devices(partir_context *ctx, const char *name) {
    partir_text *text;
    partir_status status = partir_devices(ctx, name, &text);
    partir_text_destroy(text);
    return status == PARTIR_OK;
}

static bool partition_and_simulate(partir_context *ctx) {
    partir_module *module = NULL;
    partir_schedule *tactics = NULL;
    partir_partition *p = NULL, *by_calls = NULL;
    bool good =
        partir_module_read_text(ctx, "m.mlir", program, sizeof program - 1, &module) == PARTIR_OK &&
        partir_schedule_read_text(ctx, "m.schedule", schedule, sizeof schedule - 1, &tactics) == PARTIR_OK &&
        partir_partition_create(module, tactics, NULL, &p) == PARTIR_OK &&
        simulate(p, NULL, PARTIR_SIMULATION_TABLE) && try_out(p) && partir_partition_apply_next(p) == PARTIR_OK &&
        partir_partition_apply_next(p) == PARTIR_OK && simulate(p, NULL, PARTIR_SIMULATION_JSON) && ask(p) &&
        simulate(p, "h100", PARTIR_SIMULATION_TRACE) &&
        partir_partition_create(module, tactics, NULL, &by_calls) == PARTIR_OK && begin_and_end(by_calls) &&
        commit(by_calls) && print_devices(ctx, NULL) && print_devices(ctx, "host");
    partir_partition_destroy(by_calls);
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
    partir_module *m = NULL;
    partir_run *r = NULL;
    partir_text *results = NULL;
    bool good = partir_module_read_text(ctx, "local.mlir", partir_text_data(text), partir_text_size(text), &m) ==
                    PARTIR_OK &&
                partir_run_create(m, NULL, &r) == PARTIR_OK && partir_run_random_arguments(r, 1) == PARTIR_OK &&
                partir_run_execute(r) == PARTIR_OK && partir_run_print_results(r, &results) == PARTIR_OK;
    partir_text_destroy(results);
    partir_run_destroy(r);
    partir_module_destroy(m);
    return good;
}

static bool all_of(partir_context *ctx, const char *text) {
    partir_module *m = NULL;
    partir_schedule *s = NULL;
    partir_partition *p = NULL;
    partir_text *report = NULL, *local = NULL;
    int equal = 0;
    bool good = partir_module_read_text(ctx, "m.mlir", text, strlen(text), &m) == PARTIR_OK &&
                partir_schedule_read_text(ctx, "m.schedule", two_tactics, sizeof two_tactics - 1, &s) == PARTIR_OK &&
                partir_partition_create(m, s, NULL, &p) == PARTIR_OK && partir_partition_apply_next(p) == PARTIR_OK &&
                partir_partition_apply_next(p) == PARTIR_OK && simulate(p, NULL, PARTIR_SIMULATION_JSON) &&
                partir_partition_verify(p, 1, &equal) == PARTIR_OK && equal &&
                partir_partition_report(p, PARTIR_REPORT_JSON, &report) == PARTIR_OK &&
                partir_partition_emit(p, PARTIR_STAGE_STABLEHLO, 0, &local) == PARTIR_OK && run_local(ctx, local);
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

// ---- Search, and ask why ---------------------------------------------------------------------------------------------

static const char search[] =
    "mesh batch=2, model=2\ndevice tpu_v5e\ntactic BP on batch { x : 0 }\nauto Rest on model { budget 6 }\n";

static bool texts_about(partir_context *ctx, partir_partition *p) {
    partir_why_query why = {.size = sizeof why, .collective = PARTIR_NONE, .value = "x", .full = 1};
    partir_fix_query fix = {.size = sizeof fix, .collective = PARTIR_NONE, .tries = 4, .json = 1};
    partir_text *texts[5] = {NULL};
    int differs;
    bool good = partir_partition_schedule(p, &texts[0]) == PARTIR_OK && partir_partition_pareto(p, NULL, 1, &texts[1]) == PARTIR_OK &&
                partir_partition_why(p, &why, &texts[2]) == PARTIR_OK && partir_partition_fixes(p, &fix, &texts[3]) == PARTIR_OK &&
                partir_partition_report(p, PARTIR_REPORT_JSON, &texts[4]) == PARTIR_OK &&
                partir_partition_demand(p, "expect all_to_all 0") == PARTIR_OK &&
                partir_partition_expect(p, "r", partir_text_data(texts[4])) == PARTIR_OK;
    partir_text *diff = NULL;
    if (good) {
        const char *report = partir_text_data(texts[4]);
        good = partir_report_diff(ctx, "a", report, "b", report, &differs, &diff) == PARTIR_OK && !differs;
    }
    partir_text_destroy(diff);
    for (int i = 0; i < 5; i++) partir_text_destroy(texts[i]);
    return good;
}

static bool search_and_explain(partir_context *ctx) {
    partir_module *m = NULL;
    partir_schedule *s = NULL;
    partir_partition *p = NULL;
    bool good = partir_module_read_text(ctx, "m.mlir", program, sizeof program - 1, &m) == PARTIR_OK &&
                partir_schedule_read_text(ctx, "m.schedule", search, sizeof search - 1, &s) == PARTIR_OK &&
                partir_partition_create(m, s, NULL, &p) == PARTIR_OK && partir_partition_apply_next(p) == PARTIR_OK &&
                partir_partition_apply_next(p) == PARTIR_OK && texts_about(ctx, p);
    partir_partition_destroy(p);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    return good;
}

static void attempt(Memory *memory, bool (*work)(partir_context *)) {
    partir_options options = {.size = sizeof options, .user = memory, .reallocate = reallocate, .diagnostic = count_error};
    partir_context *ctx;
    partir_context_create(&options, &ctx);
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
    // Under sanitizers each small piece is an allocation of its own: then a hundred or two stand for all, or ALLOC_FAILURES.
    const char *more = getenv("ALLOC_FAILURES");
    long step = 1 + whole.needed / (more && atol(more) > 0 ? atol(more) : FAILURES);
    for (long n = 1; n <= whole.needed && !test_bad; n += step) {
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

static void one_fails_in_search(void) { fail_each(search_and_explain, false); }
static void all_fail_in_search(void) { fail_each(search_and_explain, true); }

int main(void) {
    RUN(one_allocation_fails);
    RUN(all_allocations_fail);
    RUN(one_fails_in_simulation);
    RUN(all_fail_in_simulation);
    RUN(one_fails_anywhere);
    RUN(all_fail_anywhere);
    RUN(one_fails_in_search);
    RUN(all_fail_in_search);
    RUN(one_fails_in_wrong_program);
    RUN(all_fail_in_wrong_program);
    return test_end();
}
