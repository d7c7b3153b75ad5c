// The public API: what comes back when memory ends at any allocation, and that two contexts know nothing of each other.
#include "partir.h"
#include "counting_heap.h"
#include "test.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
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

static const char inlined[] =
    "module @m {\n"
    "  func.func public @main(%arg0: tensor<4x?xf32>, %arg1: tensor<i32>) -> (tensor<4x?xf32> {jax.result_info = \"result['y']\"}, tensor<i32>) {\n"
    "    %0 = stablehlo.add %arg0, %arg0 : tensor<4x?xf32>\n"
    "    %1 = stablehlo.add %0, %0 : tensor<4x?xf32>\n"
    "    return %1, %arg1 : tensor<4x?xf32>, tensor<i32>\n"
    "  }\n"
    "}\n";

static partir_module *read_program(partir_context *ctx, const char *text) {
    partir_module *m;
    partir_module_read_text(ctx, "p.mlir", text, strlen(text), &m);
    return m;
}

// Everything once; the first status that is not ok.
static partir_status use_everything(partir_context *ctx) {
    partir_module *m;
    partir_text *text = NULL;
    static const char names[] = "1\tstep\n0\tbatch['x']\n";
    partir_status status = partir_module_read_text(ctx, "p.mlir", program, sizeof program - 1, &m);
    if (status == PARTIR_OK) status = partir_module_set_argument_names(m, names, sizeof names - 1);
    if (status == PARTIR_OK) status = partir_module_inline(m);
    if (status == PARTIR_OK) status = partir_module_print(m, PARTIR_PRINT_PRETTY, &text);
    if (status == PARTIR_OK) CHECK_STR(partir_text_data(text), inlined);
    partir_text_destroy(text);
    partir_module_destroy(m);
    return status;
}

static void memory_may_end_anywhere(void) {
    size_t budget = 0;
    for (bool done = false; !done; budget++) {
        CountingHeap h;
        partir_context *ctx = counting_context(&h);
        h.calls = 0;
        h.budget = budget;
        partir_status status = use_everything(ctx);
        done = status == PARTIR_OK;
        CHECK(done || status == PARTIR_OUT_OF_MEMORY);
        CHECK_INT(h.errors, !done);
        if (!done) CHECK_STR(h.message, "out of memory");
        partir_context_destroy(ctx);
        CHECK_INT(h.alive, 0);
    }
    CHECK(budget > 5);
}

static void arguments_and_results_are_described(void) {
    CountingHeap h;
    partir_context *ctx = counting_context(&h);
    partir_module *m = read_program(ctx, program);
    CHECK(m != NULL);
    if (!m) return;
    CHECK_INT(partir_module_argument_count(m), 2);
    partir_value_info x = {.size = sizeof x}, y = {.size = sizeof y}, none = {.size = sizeof none};
    CHECK(partir_module_argument(m, 0, &x) == PARTIR_OK && partir_module_result(m, 0, &y) == PARTIR_OK);
    CHECK_STR(x.name, "arg0");
    CHECK_STR(y.name, "out/y");
    CHECK_STR(x.type, "f32");
    CHECK(x.rank == 2 && x.shape[0] == 4 && x.shape[1] == -1);
    CHECK(x.kind == PARTIR_VALUE_ARGUMENT && y.kind == PARTIR_VALUE_RESULT && x.index == 0 && x.count == 1);
    CHECK_INT(partir_module_argument(m, 7, &none), PARTIR_NOT_FOUND);
    CHECK_STR(h.message, "there is no argument 7: there are 2");
    CHECK_INT(partir_module_set_argument_names(m, "0\targ1\n", 7), PARTIR_INVALID);
    CHECK_STR(h.message, "arguments 0 and 1 are both named 'arg1'");
    CHECK(partir_module_argument(m, 0, &x) == PARTIR_OK);
    CHECK_STR(x.name, "arg0");
    CHECK_INT(partir_module_set_argument_names(m, "1\tstep\n", 7), PARTIR_OK);
    CHECK(partir_module_argument(m, 1, &x) == PARTIR_OK);
    CHECK_STR(x.name, "step");
    partir_op_count count = {.size = sizeof count};
    CHECK_INT(partir_module_op_kinds(m), 5);
    CHECK(partir_module_op_count(m, 0, &count) == PARTIR_OK);
    CHECK_STR(count.name, "func.call");
    CHECK_INT(count.count, 2);
    CHECK(partir_module_op_count(m, 1, &count) == PARTIR_OK);
    CHECK_STR(count.name, "func.func");
    CHECK_INT(partir_module_op_count(m, 5, &count), PARTIR_NOT_FOUND);
    partir_module_destroy(m);
    partir_context_destroy(ctx);
}

// A caller that was built with an older header knows fewer fields; one with a newer header knows more.
static void structs_grow_at_their_ends(void) {
    CountingHeap h;
    partir_context *ctx = counting_context(&h);
    partir_module *m = read_program(ctx, program);
    struct {
        partir_value_info info;
        char beyond[16];
    } old = {.info = {.size = offsetof(partir_value_info, type), .type = "kept"}}, newer = {0};
    CHECK(partir_module_argument(m, 0, &old.info) == PARTIR_OK);
    CHECK_STR(old.info.name, "arg0");
    CHECK_STR(old.info.type, "kept");
    memset(newer.beyond, 'x', sizeof newer.beyond);
    newer.info.size = sizeof newer;
    CHECK(partir_module_argument(m, 0, &newer.info) == PARTIR_OK);
    CHECK(newer.info.size == sizeof newer && newer.info.rank == 2 && newer.beyond[0] == 'x');
    partir_value_info unset = {0};
    CHECK_INT(partir_module_argument(m, 0, &unset), PARTIR_MISUSE);
    CHECK_STR(h.message, "the size of a struct is not set: `x.size = sizeof x`");
    partir_module_destroy(m);
    partir_context_destroy(ctx);
}

static void nothing_to_read_is_an_error(void) {
    CountingHeap h;
    partir_context *ctx = counting_context(&h);
    partir_module *m;
    CHECK_INT(partir_module_read_file(ctx, "no/such/file.mlir", &m), PARTIR_NOT_FOUND);
    CHECK_STR(h.message, "cannot read 'no/such/file.mlir': no such file");
    CHECK_INT(partir_module_read_file(ctx, ".", &m), PARTIR_INVALID);
    CHECK_STR(h.message, "cannot read '.': is a directory");
    CHECK_INT(partir_module_read_text(ctx, "empty", NULL, 0, &m), PARTIR_OK); // a module without functions
    CHECK(m && partir_module_argument_count(m) == 0);
    if (m) CHECK_INT(partir_module_inline(m), PARTIR_INVALID);
    partir_module_destroy(m);
    partir_module_destroy(NULL);
    partir_text_destroy(NULL);
    partir_context_destroy(ctx);
    partir_context_destroy(NULL);
    CHECK_INT(h.alive, 0);
}

// Every call says so, none crashes.
static void null_is_misuse(void) {
    CountingHeap h;
    partir_context *ctx = counting_context(&h);
    partir_text *text;
    int errors = h.errors;
    CHECK_INT(partir_context_create(NULL, NULL), PARTIR_MISUSE);
    CHECK_INT(partir_module_read_file(ctx, "x", NULL), PARTIR_MISUSE);
    CHECK_INT(partir_module_read_text(ctx, NULL, "x", 1, &(partir_module *){NULL}), PARTIR_MISUSE);
    CHECK_INT(partir_schedule_read_file(ctx, NULL, &(partir_schedule *){NULL}), PARTIR_MISUSE);
    CHECK_INT(partir_devices(ctx, NULL, NULL), PARTIR_MISUSE);
    CHECK_INT(h.errors - errors, 4);
    CHECK_INT(partir_module_print(NULL, 0, &text), PARTIR_MISUSE);
    CHECK_INT(partir_module_inline(NULL), PARTIR_MISUSE);
    CHECK_INT(partir_schedule_print(NULL, &text), PARTIR_MISUSE);
    CHECK_INT(partir_run_execute(NULL), PARTIR_MISUSE);
    CHECK_INT(partir_partition_apply_next(NULL), PARTIR_MISUSE);
    CHECK_INT(partir_partition_emit(NULL, PARTIR_STAGE_HLO, 0, &text), PARTIR_MISUSE);
    CHECK_INT(partir_partition_end_tactic(NULL), PARTIR_MISUSE);
    CHECK_INT(partir_trials_rebase(NULL), PARTIR_MISUSE);
    CHECK_INT(partir_trials_commit(NULL, "x"), PARTIR_MISUSE);
    CHECK_INT(partir_module_argument_count(NULL) + partir_partition_applied(NULL) + partir_trials_mark(NULL), 0);
    for (int s = PARTIR_OK; s <= PARTIR_TOO_LARGE; s++) CHECK(strlen(partir_status_name((partir_status)s)) > 1);
    partir_context_destroy(ctx);
}

static const char two_layers[] =
    "func.func public @main(%arg0: tensor<64x32xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<64x32xf32>) -> tensor<64x32xf32> {\n"
    "  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<64x64xf32>\n"
    "  %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>\n"
    "  return %2 : tensor<64x32xf32>\n"
    "}\n";

typedef struct Work {
    CountingHeap h;
    partir_context *ctx;
    partir_module *m;
    partir_schedule *s;
    partir_partition *p;
    partir_value x, w1, w2, out;
} Work;

static const char schedule_text[] = "mesh batch=4, model=2\ndevice tpu_v5e\ntie arg0 -> out/0\n"
                                    "rule \"f\" : (i j, j k) -> (i k) reduction(j)\n"
                                    "tactic BP on batch { arg0 : 0 }\ntactic MP on model { arg1 : 1 }\n";

static bool open_work(Work *w, const char *schedule) {
    memset(w, 0, sizeof *w);
    w->ctx = counting_context(&w->h);
    w->m = read_program(w->ctx, two_layers);
    bool ok = partir_schedule_read_text(w->ctx, "p.schedule", schedule, strlen(schedule), &w->s) == PARTIR_OK &&
              partir_partition_create(w->m, w->s, NULL, &w->p) == PARTIR_OK &&
              partir_partition_find_value(w->p, "arg0", &w->x) == PARTIR_OK &&
              partir_partition_find_value(w->p, "arg1", &w->w1) == PARTIR_OK &&
              partir_partition_find_value(w->p, "arg2", &w->w2) == PARTIR_OK &&
              partir_partition_find_value(w->p, "out/0", &w->out) == PARTIR_OK;
    CHECK(ok);
    return ok;
}

static void close_work(Work *w) {
    partir_partition_destroy(w->p);
    partir_schedule_destroy(w->s);
    partir_module_destroy(w->m);
    partir_context_destroy(w->ctx);
    CHECK_INT(w->h.alive, 0);
}

static void a_schedule_is_told_piece_by_piece(void) {
    Work w;
    if (!open_work(&w, schedule_text)) return;
    partir_schedule_info info = {.size = sizeof info};
    partir_axis_info axis = {.size = sizeof axis};
    partir_tie_info tie = {.size = sizeof tie};
    partir_tactic_info tactic = {.size = sizeof tactic};
    const char *rule;
    CHECK(partir_schedule_describe(w.s, &info) == PARTIR_OK);
    CHECK(info.axes == 2 && info.ties == 1 && info.rules == 1 && info.tactics == 2);
    CHECK_STR(info.gathers, "per_use");
    CHECK_STR(info.device, "tpu_v5e");
    CHECK(partir_schedule_axis(w.s, 1, &axis) == PARTIR_OK && axis.devices == 2);
    CHECK_STR(axis.name, "model");
    CHECK(partir_schedule_tie(w.s, 0, &tie) == PARTIR_OK);
    CHECK_STR(tie.argument, "arg0");
    CHECK_STR(tie.result, "out/0");
    CHECK(partir_schedule_rule(w.s, 0, &rule) == PARTIR_OK);
    CHECK_STR(rule, "\"f\" : (i j, j k) -> (i k) reduction(j)");
    CHECK(partir_schedule_tactic(w.s, 1, &tactic) == PARTIR_OK && !tactic.automatic);
    CHECK_STR(tactic.name, "MP");
    CHECK_STR(tactic.axis, "model");
    CHECK_STR(tactic.text, "tactic MP on model {\n  arg1 : 1\n}\n");
    CHECK_INT(partir_schedule_tactic(w.s, 2, &tactic), PARTIR_NOT_FOUND);
    close_work(&w);
}

static void check_lists(partir_partition *p, partir_value v, const char *want) {
    partir_distribution d = {.size = sizeof d};
    char text[100] = "", *at = text;
    CHECK(partir_partition_distribution(p, v, &d) == PARTIR_OK);
    for (uint32_t i = 0; i < d.rank; i++) {
        at += sprintf(at, "[");
        for (uint32_t k = d.first[i]; k < d.first[i + 1]; k++) at += sprintf(at, "%s", d.axes[k]);
        at += sprintf(at, "]");
    }
    CHECK_STR(text, want);
}

// The same tactics by text and by calls give the same program, told by numbers.
static void tactics_by_calls_are_those_by_text(void) {
    Work w;
    if (!open_work(&w, schedule_text)) return;
    partir_partition *other;
    uint64_t by_text[2], by_calls[2];
    CHECK(partir_partition_create(w.m, w.s, NULL, &other) == PARTIR_OK);
    CHECK(partir_partition_apply_next(other) == PARTIR_OK && partir_partition_apply_next(other) == PARTIR_OK);
    CHECK_INT(partir_partition_apply_next(other), PARTIR_NOT_FOUND);
    CHECK_INT(partir_partition_tile(w.p, w.x, 0), PARTIR_MISUSE);
    CHECK_INT(partir_partition_end_tactic(w.p), PARTIR_MISUSE);
    CHECK(partir_partition_begin_tactic(w.p, "BP", "batch") == PARTIR_OK);
    CHECK_INT(partir_partition_begin_tactic(w.p, "BP", "batch"), PARTIR_MISUSE);
    CHECK_INT(partir_partition_apply_next(w.p), PARTIR_MISUSE);
    CHECK_INT(partir_partition_tile(w.p, 99, 0), PARTIR_NOT_FOUND);
    CHECK(partir_partition_tile(w.p, w.x, 1) == PARTIR_OK);
    CHECK(partir_partition_tile(w.p, w.x, 0) == PARTIR_OK); // the last one counts
    CHECK(partir_partition_end_tactic(w.p) == PARTIR_OK);
    CHECK(partir_partition_begin_tactic(w.p, "MP", "model") == PARTIR_OK);
    CHECK(partir_partition_tile(w.p, w.w1, 1) == PARTIR_OK && partir_partition_end_tactic(w.p) == PARTIR_OK);
    partir_partition_state(other, by_text);
    partir_partition_state(w.p, by_calls);
    CHECK(by_text[0] == by_calls[0] && by_text[1] == by_calls[1]);
    check_lists(w.p, w.x, "[batch][]");
    check_lists(w.p, w.w1, "[][model]");
    check_lists(w.p, w.out, "[batch][]");
    partir_tactic_info tactic = {.size = sizeof tactic};
    CHECK(partir_partition_tactic(w.p, 1, &tactic) == PARTIR_OK);
    CHECK_STR(tactic.text, "tactic MP on model {\n  arg1 : 1\n}\n");
    // Nothing changes when a tactic cannot be applied, and it is over then.
    CHECK(partir_partition_begin_tactic(w.p, "Z", "batch") == PARTIR_OK);
    CHECK(partir_partition_tile(w.p, w.w1, 0) == PARTIR_OK && partir_partition_tile(w.p, w.x, 1) == PARTIR_OK);
    CHECK_INT(partir_partition_end_tactic(w.p), PARTIR_ILLEGAL);
    CHECK(partir_partition_begin_tactic(w.p, "Z", "pod") == PARTIR_OK);
    CHECK_INT(partir_partition_end_tactic(w.p), PARTIR_NOT_FOUND);
    partir_partition_state(w.p, by_calls);
    CHECK(by_text[0] == by_calls[0] && partir_partition_applied(w.p) == 2);
    partir_partition_destroy(other);
    close_work(&w);
}

static void ops_and_collectives_say_why(void) {
    Work w;
    if (!open_work(&w, schedule_text)) return;
    CHECK(partir_partition_apply_next(w.p) == PARTIR_OK && partir_partition_apply_next(w.p) == PARTIR_OK);
    uint32_t n, tactics[2] = {0}, seeds = 0, sums = 0;
    for (uint32_t i = 0; i < partir_partition_op_count(w.p); i++) {
        partir_op_info op = {.size = sizeof op};
        CHECK(partir_partition_op(w.p, i, &op) == PARTIR_OK && op.place && op.rule);
        for (uint32_t k = 0; k < op.loops; k++) {
            partir_loop_info loop = {.size = sizeof loop};
            CHECK(partir_partition_loop(w.p, i, k, &loop) == PARTIR_OK && loop.tactic < 2);
            tactics[loop.tactic % 2]++;
            seeds += loop.from == PARTIR_NONE;
            sums += loop.sum != 0;
            if (loop.sum) CHECK_STR(loop.axis, "model");
            if (loop.sum) CHECK(loop.dimensions[0] == 1 && loop.dimensions[2] == PARTIR_NONE);
        }
    }
    CHECK(tactics[0] > 3 && tactics[1] > 2);
    CHECK_INT(seeds, 2);
    CHECK_INT(sums, 1);
    partir_collective_info c = {.size = sizeof c};
    CHECK(partir_partition_collective_count(w.p, &n) == PARTIR_OK);
    CHECK_INT(n, 1);
    CHECK(partir_partition_collective(w.p, 0, &c) == PARTIR_OK && c.axis_count == 1 && c.runs == 1);
    CHECK_STR(c.axes[0], "model");
    CHECK_STR(c.kind, "all_reduce");
    CHECK_STR(c.tactic, "MP");
    CHECK(c.serves && c.place);
    CHECK(c.bytes == 16 * 32 * 4); // 2 (n - 1) / n of the part of a device
    CHECK_INT(partir_partition_collective(w.p, 1, &c), PARTIR_NOT_FOUND);
    close_work(&w);
}

static partir_text *simulated(partir_partition *p, const char *device, partir_simulation_format format) {
    partir_text *text;
    CHECK(partir_partition_simulate(p, device, format, &text) == PARTIR_OK);
    return text;
}

// Rows are those of the tactics, whenever and on whatever it was simulated before.
static void simulation_has_no_memory(void) {
    Work w;
    if (!open_work(&w, schedule_text)) return;
    partir_partition *other;
    CHECK(partir_partition_create(w.m, w.s, NULL, &other) == PARTIR_OK);
    partir_text_destroy(simulated(other, NULL, PARTIR_SIMULATION_TABLE));
    CHECK(partir_partition_apply_next(w.p) == PARTIR_OK && partir_partition_apply_next(other) == PARTIR_OK);
    partir_text_destroy(simulated(other, "h100", PARTIR_SIMULATION_TRACE));
    CHECK(partir_partition_apply_next(w.p) == PARTIR_OK && partir_partition_apply_next(other) == PARTIR_OK);
    partir_text *late = simulated(w.p, "tpu_v5e", PARTIR_SIMULATION_JSON);
    partir_text *often = simulated(other, NULL, PARTIR_SIMULATION_JSON);
    CHECK_STR(partir_text_data(late), partir_text_data(often));
    CHECK(strstr(partir_text_data(late), "\"tactic\": \"BP\""));
    partir_text_destroy(late);
    partir_text_destroy(often);
    partir_partition_destroy(other);
    close_work(&w);
}

// The number of that name in the row of a tactic.
static double reported(const char *json, const char *tactic, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"tactic\": \"%s\"", tactic);
    const char *row = strstr(json, key);
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = row ? strstr(row, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : -1;
}

static void trials_say_what_the_simulation_says(void) {
    Work w;
    static const char mesh[] = "mesh batch=4, model=2\n";
    if (!open_work(&w, mesh)) return;
    partir_trials *t, *second;
    uint32_t batch, model;
    CHECK_INT(partir_trials_create(w.p, "no_such_device", &t), PARTIR_NOT_FOUND);
    CHECK_INT(partir_trials_create(w.p, NULL, &t), PARTIR_NOT_FOUND);
    CHECK(partir_trials_create(w.p, "tpu_v5e", &t) == PARTIR_OK);
    CHECK_INT(partir_trials_create(w.p, "tpu_v5e", &second), PARTIR_MISUSE);
    CHECK(partir_partition_find_axis(w.p, "batch", &batch) == PARTIR_OK);
    CHECK(partir_partition_find_axis(w.p, "model", &model) == PARTIR_OK);
    partir_cost whole = {.size = sizeof whole}, tiled = whole, bounded = whole;
    CHECK(partir_trials_evaluate(t, HUGE_VAL, &whole) == PARTIR_OK && whole.complete);
    uint32_t mark = partir_trials_mark(t), none;
    CHECK_INT(partir_partition_find_value(w.p, "arg9", &none), PARTIR_NOT_FOUND);
    CHECK_STR(w.h.message, "there is no value 'arg9'");
    CHECK_INT(partir_partition_find_axis(w.p, "pod", &none), PARTIR_NOT_FOUND);
    CHECK_STR(w.h.message, "the mesh has no axis \"pod\"");
    CHECK_INT(partir_trials_tile(t, w.x, 2, batch), PARTIR_ILLEGAL);
    CHECK_STR(w.h.message, "dimension 2 of arg0 cannot be tiled by batch: there is no such dimension");
    CHECK_INT(partir_trials_tile(t, w.x, 0, 7), PARTIR_NOT_FOUND);
    CHECK(partir_trials_mark(t) == mark);
    CHECK(partir_trials_tile(t, w.x, 0, batch) == PARTIR_OK);
    CHECK(partir_trials_tile(t, w.x, 0, batch) == PARTIR_OK); // as it is
    CHECK_INT(partir_trials_tile(t, w.x, 1, batch), PARTIR_ILLEGAL);
    partir_legality legal;
    CHECK(partir_partition_legality(w.p, w.x, 1, batch, &legal) == PARTIR_OK && legal == PARTIR_AXIS_USED);
    CHECK(partir_partition_legality(w.p, w.x, 0, batch, &legal) == PARTIR_OK && legal == PARTIR_TILED_ALREADY);
    CHECK(partir_partition_legality(w.p, w.w1, 1, model, &legal) == PARTIR_OK && legal == PARTIR_LEGAL);
    CHECK(partir_trials_tile(t, w.w1, 1, model) == PARTIR_OK);
    CHECK_INT(partir_partition_apply_text(w.p, "tactic BP on batch { arg0 : 0 }"), PARTIR_MISUSE);
    CHECK(partir_trials_evaluate(t, 0, &bounded) == PARTIR_OK && !bounded.complete);
    CHECK(partir_trials_evaluate(t, HUGE_VAL, &tiled) == PARTIR_OK && tiled.complete && tiled.peak < whole.peak);
    CHECK(tiled.communication > 0 && bounded.seconds <= tiled.seconds);
    partir_trials_destroy(t); // and the program is whole again
    CHECK(partir_partition_apply_text(w.p, "tactic BP on batch { arg0 : 0 }") == PARTIR_OK);
    CHECK(partir_partition_apply_text(w.p, "tactic MP on model { arg1 : 1 }") == PARTIR_OK);
    partir_text *text = simulated(w.p, "tpu_v5e", PARTIR_SIMULATION_JSON);
    CHECK(reported(partir_text_data(text), "MP", "peak_memory") == tiled.peak);
    CHECK(fabs(reported(partir_text_data(text), "MP", "seconds") - tiled.seconds) < 1e-8 * tiled.seconds);
    partir_text_destroy(text);
    close_work(&w);
}

// A set is done whole or not at all, and what was done becomes tactics that can be read.
static void trials_become_tactics(void) {
    Work w;
    if (!open_work(&w, "mesh batch=4, model=2\n")) return;
    partir_trials *t;
    uint64_t start[2], tried[2], done[2];
    partir_partition_state(w.p, start);
    CHECK(partir_trials_create(w.p, "tpu_v5e", &t) == PARTIR_OK);
    partir_value set[] = {w.w1, w.w2};
    CHECK_INT(partir_trials_tile_set(t, set, (uint32_t[]){1, 5}, 2, 1), PARTIR_ILLEGAL);
    partir_partition_state(w.p, tried);
    CHECK(tried[0] == start[0] && tried[1] == start[1]);
    CHECK(partir_trials_tile_set(t, set, (uint32_t[]){1, 0}, 2, 1) == PARTIR_OK);
    uint32_t mark = partir_trials_mark(t);
    CHECK(partir_trials_atomic(t, w.w2, 0) == PARTIR_OK);
    partir_trials_undo(t, mark);
    CHECK(partir_trials_tile(t, w.x, 0, 0) == PARTIR_OK);
    partir_partition_state(w.p, tried);
    CHECK(partir_trials_commit(t, "Found") == PARTIR_OK);
    partir_partition_state(w.p, done);
    CHECK(tried[0] == done[0] && tried[1] == done[1]);
    CHECK_INT(partir_partition_applied(w.p), 2);
    partir_tactic_info tactic = {.size = sizeof tactic};
    CHECK(partir_partition_tactic(w.p, 0, &tactic) == PARTIR_OK);
    CHECK_STR(tactic.text, "tactic Found on model {\n  arg1 : 1\n  arg2 : 0\n}\n");
    CHECK(partir_partition_tactic(w.p, 1, &tactic) == PARTIR_OK);
    CHECK_STR(tactic.text, "tactic Found_2 on batch {\n  arg0 : 0\n}\n");
    partir_cost from_base = {.size = sizeof from_base}, anew = from_base;
    CHECK(partir_trials_evaluate(t, HUGE_VAL, &from_base) == PARTIR_OK);
    partir_trials_destroy(t);
    partir_partition_state(w.p, done);
    CHECK(tried[0] == done[0]); // what was committed stays
    CHECK(partir_partition_cost(w.p, "tpu_v5e", &anew) == PARTIR_OK);
    CHECK(anew.seconds == from_base.seconds && anew.peak == from_base.peak);
    close_work(&w);
}

static void devices_are_listed(void) {
    CountingHeap h;
    partir_context *ctx = counting_context(&h);
    partir_device_info d = {.size = sizeof d};
    bool v5e = false;
    for (uint32_t i = 0; i < partir_device_count(); i++) {
        CHECK(partir_device(ctx, i, &d) == PARTIR_OK && d.memory > 0 && d.bandwidth > 0);
        v5e |= strcmp(d.name, "tpu_v5e") == 0 && d.peak == 197e12;
    }
    CHECK(v5e);
    CHECK_INT(partir_device(ctx, partir_device_count(), &d), PARTIR_NOT_FOUND);
    partir_context_destroy(ctx);
}

static void verification_answers_or_says_why_not(void) {
    Work w;
    int equal = 0;
    if (!open_work(&w, schedule_text)) return;
    CHECK(partir_partition_apply_next(w.p) == PARTIR_OK);
    CHECK(partir_partition_verify(w.p, 1, &equal) == PARTIR_OK && equal);
    close_work(&w);
    partir_module *m = NULL;
    partir_partition *p = NULL;
    partir_context *ctx = counting_context(&w.h);
    static const char large[] = "func.func @main(%arg0: tensor<1000000x100000xf32>) -> tensor<1000000x100000xf32> {\n"
                                "  %0 = stablehlo.tanh %arg0 : tensor<1000000x100000xf32>\n"
                                "  return %0 : tensor<1000000x100000xf32>\n}\n";
    CHECK(partir_module_read_text(ctx, "m", large, sizeof large - 1, &m) == PARTIR_OK);
    CHECK(partir_schedule_read_text(ctx, "s", "mesh a=2", 8, &w.s) == PARTIR_OK);
    CHECK(partir_partition_create(m, w.s, NULL, &p) == PARTIR_OK);
    equal = 1;
    CHECK_INT(partir_partition_verify(p, 1, &equal), PARTIR_TOO_LARGE);
    CHECK(!equal);
    partir_partition_destroy(p);
    partir_schedule_destroy(w.s);
    partir_module_destroy(m);
    partir_context_destroy(ctx);
}

int main(void) {
    RUN(memory_may_end_anywhere);
    RUN(arguments_and_results_are_described);
    RUN(structs_grow_at_their_ends);
    RUN(nothing_to_read_is_an_error);
    RUN(null_is_misuse);
    RUN(a_schedule_is_told_piece_by_piece);
    RUN(tactics_by_calls_are_those_by_text);
    RUN(ops_and_collectives_say_why);
    RUN(simulation_has_no_memory);
    RUN(trials_say_what_the_simulation_says);
    RUN(trials_become_tactics);
    RUN(devices_are_listed);
    RUN(verification_answers_or_says_why_not);
    return test_end();
}
