// The public API: what comes back when memory ends at any allocation, and that two contexts know nothing of each other.
#include "partir.h"
#include "test.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const char program[] =
    "module @m {\n"
    "  func.func public @main(%arg0: tensor<4x?xf32>, %arg1: tensor<i32>) -> (tensor<4x?xf32> {jax.result_info = \"result['y']\"}, tensor<i32>) {\n"
    "    %0 = call @twice(%arg0) : (tensor<4x?xf32>) -> tensor<4x?xf32>\n"
    "    %1 = call @twice(%0) : (tensor<4x?xf32>) -> tensor<4x?xf32>\n"
    "    %2 = stablehlo.negate %arg1 : tensor<i32>\n"
    "    return %1, %arg1 : tensor<4x?xf32>, tensor<i32>\n"
    "  }\n"
    "  func.func private @twice(%arg0: tensor<4x?xf32>) -> tensor<4x?xf32> {\n"
    "    %0 = stablehlo.add %arg0, %arg0 : tensor<4x?xf32>\n"
    "    return %0 : tensor<4x?xf32>\n"
    "  }\n"
    "}\n";

typedef struct Heap {
    size_t alive, calls, budget;
    int errors;
    char message[256];
} Heap;

static void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
    Heap *h = user;
    if (new_size && h->calls++ >= h->budget) return NULL;
    h->alive += new_size - old_size;
    if (new_size) return realloc(old, new_size);
    free(old);
    return NULL;
}

static void diagnostic(void *user, const partir_diagnostic *d) {
    Heap *h = user;
    h->errors += d->severity == PARTIR_ERROR;
    snprintf(h->message, sizeof h->message, "%s", d->message);
}

static partir_context *make_context(Heap *h) {
    *h = (Heap){.budget = SIZE_MAX};
    return partir_context_create(&(partir_options){.user = h, .reallocate = reallocate, .diagnostic = diagnostic});
}

static const char inlined[] =
    "module @m {\n"
    "  func.func public @main(%arg0: tensor<4x?xf32>, %arg1: tensor<i32>) -> (tensor<4x?xf32> {jax.result_info = \"result['y']\"}, tensor<i32>) {\n"
    "    %0 = stablehlo.add %arg0, %arg0 : tensor<4x?xf32>\n"
    "    %1 = stablehlo.add %0, %0 : tensor<4x?xf32>\n"
    "    return %1, %arg1 : tensor<4x?xf32>, tensor<i32>\n"
    "  }\n"
    "}\n";

// Everything once; false as soon as a call fails.
static bool use_everything(partir_context *ctx) {
    partir_module *m = partir_module_read_text(ctx, "p.mlir", program, sizeof program - 1);
    if (!m) return false;
    static const char names[] = "1\tstep\n0\tbatch['x']\n";
    bool ok = partir_module_set_argument_names(m, names, sizeof names - 1) && partir_module_inline(m);
    partir_text *text = ok ? partir_module_print(m, PARTIR_PRINT_PRETTY) : NULL;
    if (text) CHECK_STR(partir_text_data(text), inlined);
    partir_text_destroy(text);
    partir_module_destroy(m);
    return text != NULL;
}

static void memory_may_end_anywhere(void) {
    size_t budget = 0;
    for (bool done = false; !done; budget++) {
        Heap h;
        partir_context *ctx = make_context(&h);
        h.calls = 0;
        h.budget = budget;
        done = use_everything(ctx);
        CHECK_INT(h.errors, !done);
        if (!done) CHECK_STR(h.message, "out of memory");
        partir_context_destroy(ctx);
        CHECK_INT(h.alive, 0);
    }
    CHECK(budget > 5);
}

static void arguments_and_results_are_described(void) {
    Heap h;
    partir_context *ctx = make_context(&h);
    partir_module *m = partir_module_read_text(ctx, "p.mlir", program, sizeof program - 1);
    CHECK(m != NULL);
    if (!m) return;
    CHECK_INT(partir_module_argument_count(m), 2);
    partir_value_info x = partir_module_argument(m, 0), y = partir_module_result(m, 0);
    CHECK_STR(x.name, "arg0");
    CHECK_STR(y.name, "out/y");
    CHECK_STR(x.type, "f32");
    CHECK(x.rank == 2 && x.shape[0] == 4 && x.shape[1] == -1);
    CHECK_STR(partir_module_argument(m, 7).name, "");
    CHECK(!partir_module_set_argument_names(m, "0\targ1\n", 7));
    CHECK_STR(h.message, "arguments 0 and 1 are both named 'arg1'");
    CHECK_STR(partir_module_argument(m, 0).name, "arg0");
    CHECK(partir_module_set_argument_names(m, "1\tstep\n", 7));
    CHECK_STR(partir_module_argument(m, 1).name, "step");
    partir_op_count counts[2];
    CHECK_INT(partir_module_op_counts(m, counts, 2), 5);
    CHECK_STR(counts[0].name, "func.call");
    CHECK_INT(counts[0].count, 2);
    CHECK_STR(counts[1].name, "func.func");
    partir_module_destroy(m);
    partir_context_destroy(ctx);
}

static void nothing_to_read_is_an_error(void) {
    Heap h;
    partir_context *ctx = make_context(&h);
    CHECK(!partir_module_read_file(ctx, "no/such/file.mlir"));
    CHECK_STR(h.message, "cannot read 'no/such/file.mlir': no such file");
    CHECK(!partir_module_read_file(ctx, "."));
    CHECK_STR(h.message, "cannot read '.': is a directory");
    partir_module *m = partir_module_read_text(ctx, "empty", NULL, 0); // a module without functions
    CHECK(m && partir_module_argument_count(m) == 0);
    if (m) CHECK(!partir_module_inline(m));
    partir_module_destroy(m);
    partir_module_destroy(NULL);
    partir_text_destroy(NULL);
    partir_context_destroy(ctx);
    partir_context_destroy(NULL);
    CHECK_INT(h.alive, 0);
}

static const char two_layers[] =
    "func.func public @main(%arg0: tensor<64x32xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<64x32xf32>) -> tensor<64x32xf32> {\n"
    "  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<64x64xf32>\n"
    "  %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>\n"
    "  return %2 : tensor<64x32xf32>\n"
    "}\n";

// The first number of that name in the report.
static double reported(const char *json, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(json, key);
    return at ? strtod(at + strlen(key), NULL) : -1;
}

static void trials_say_what_the_simulation_says(void) {
    Heap h;
    partir_context *ctx = make_context(&h);
    static const char mesh[] = "mesh batch=4, model=2\n";
    partir_module *m = partir_module_read_text(ctx, "p.mlir", two_layers, sizeof two_layers - 1);
    partir_schedule *s = partir_schedule_read_text(ctx, "p.schedule", mesh, sizeof mesh - 1);
    partir_partition *p = m && s ? partir_partition_create(m, s, NULL) : NULL;
    CHECK(p != NULL);
    if (!p) return;
    CHECK(!partir_trials_create(p, "no_such_device"));
    partir_trials *t = partir_trials_create(p, "tpu_v5e");
    partir_outcome whole, tiled, bounded;
    CHECK(t && partir_trials_look(t, HUGE_VAL, &whole) && whole.complete);
    uint32_t mark = partir_trials_mark(t);
    CHECK(!partir_trials_tile(t, "arg9", 0, "batch"));
    CHECK_STR(h.message, "there is no value 'arg9'");
    CHECK(!partir_trials_tile(t, "arg0", 0, "pod"));
    CHECK_STR(h.message, "the mesh has no axis 'pod'");
    CHECK(!partir_trials_tile(t, "arg0", 2, "batch"));
    CHECK(partir_trials_mark(t) == mark);
    CHECK(partir_trials_tile(t, "arg0", 0, "batch"));
    CHECK(!partir_trials_tile(t, "arg0", 1, "batch")); // it has the axis already
    CHECK(partir_trials_tile(t, "arg1", 1, "model"));
    CHECK(partir_trials_look(t, 0, &bounded) && !bounded.complete);
    CHECK(partir_trials_look(t, HUGE_VAL, &tiled) && tiled.complete && tiled.peak < whole.peak);
    CHECK(tiled.communication > 0 && bounded.seconds <= tiled.seconds);
    partir_trials_destroy(t); // and the program is whole again
    CHECK(partir_partition_apply_text(p, "tactic BP on batch { arg0 : 0 }"));
    CHECK(partir_partition_apply_text(p, "tactic MP on model { arg1 : 1 }"));
    partir_text *text = partir_partition_simulate(p, "tpu_v5e", PARTIR_SIMULATION_JSON);
    const char *json = text ? partir_text_data(text) : "";
    CHECK(reported(json, "peak_memory") == tiled.peak);
    CHECK(fabs(reported(json, "seconds") - tiled.seconds) < 1e-8 * tiled.seconds);
    partir_text_destroy(text);
    partir_partition_destroy(p);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    partir_context_destroy(ctx);
    CHECK_INT(h.alive, 0);
}

int main(void) {
    RUN(memory_may_end_anywhere);
    RUN(arguments_and_results_are_described);
    RUN(nothing_to_read_is_an_error);
    RUN(trials_say_what_the_simulation_says);
    return test_end();
}
