// Structure-aware and differential: a valid random program is read, its structure is changed (operands, kinds of ops), and what
// passes the checker is partitioned by a random schedule of several tactics. All levels must give the same results.
//
// The bytes of the input are the dice. Nearly all of the changed programs pass the checker, and most are lowered: text that is
// changed byte by byte hardly ever is.
#include "../unit/random_program.h"
#include "interp/verify/verify.h"
#include "ir/names.h"
#include "reports.h"
#include "stablehlo/check.h"
#include "stablehlo/print/printer.h"
#include "stablehlo/read/reader.h"

static uint64_t n_programs, n_changed, n_valid, n_lowered, n_tactics, n_verified;

static void say_what_was_tried(void) {
    fprintf(stderr,
            "fuzz_program: %" PRIu64 " programs, %" PRIu64 " with a changed structure, of these %" PRIu64
            " valid and %" PRIu64 " lowered (%.0f %%); %" PRIu64 " tactics applied, %" PRIu64 " programs verified\n",
            n_programs, n_changed, n_valid, n_lowered, n_changed ? 100. * (double)n_lowered / (double)n_changed : 0,
            n_tactics, n_verified);
}

typedef struct Trial {
    Context *ctx;
    Gen g;
    int64_t sizes[3];
    int n_axes;
    char schedule[4096];
    Reports reports;
} Trial;

// ---- Changing the structure ------------------------------------------------------------------------------------------

static const OpKind unary[] = {OP_abs,  OP_negate, OP_exponential, OP_tanh, OP_logistic, OP_sine,
                               OP_sign, OP_floor,  OP_ceil,        OP_sqrt, OP_rsqrt};
static const OpKind binary[] = {OP_add, OP_subtract, OP_multiply, OP_maximum, OP_minimum};

static bool is_among(OpKind kind, const OpKind *kinds, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (kinds[i] == kind) return true;
    return false;
}

// Another op of the same form.
static bool change_kind(Trial *t, Module *m, OpId op) {
    Op *o = op_get(m, op);
    enum { N_UNARY = sizeof unary / sizeof *unary, N_BINARY = sizeof binary / sizeof *binary };
    bool is_float = o->n_results == 1 && elem_class((Elem)result_type(m, op, 0)->elem) == CLASS_FLOAT;
    if (is_float && o->n_attrs == 0 && is_among(op_kind(m, op), unary, N_UNARY))
        o->kind = unary[gen_random(&t->g, N_UNARY)];
    else if (o->n_attrs == 0 && o->n_results == 1 && is_among(op_kind(m, op), binary, N_BINARY))
        o->kind = binary[gen_random(&t->g, N_BINARY)];
    else
        return false;
    t->g.exact = false;
    return true;
}

// An earlier value of the body that has the type of this one; the value itself if there is none.
static ValueId earlier_of_type(Trial *t, const Module *m, RegionId body, ValueId v, ValueId before) {
    ValueId found = v;
    uint32_t n = 0;
    for (ValueId other = 0; other < before; other++) {
        const Value *val = &m->values.at[other];
        RegionId home = val->is_arg ? val->owner : op_get(m, val->owner)->parent;
        if (home == body && value_type(m, other) == value_type(m, v) && gen_random(&t->g, ++n) == 0) found = other;
    }
    return found;
}

static bool change_operand(Trial *t, Module *m, RegionId body, OpId op) {
    Op *o = op_get(m, op);
    if (o->n_operands == 0 || o->parent != body) return false;
    uint32_t i = gen_random(&t->g, o->n_operands);
    ValueId v = op_operand(m, op, i), before = o->n_results ? o->first_result : m->values.n;
    ValueId other = earlier_of_type(t, m, body, v, before);
    m->operands.at[o->first_operand + i] = other;
    return other != v;
}

static bool change(Trial *t, Module *m) {
    OpId main = module_main(m);
    RegionId body = op_region(m, main, 0);
    bool changed = false;
    for (int n = 1 + (int)gen_random(&t->g, 5), tries = 0; n > 0 && tries < 100; tries++) {
        OpId op = gen_random(&t->g, m->ops.n);
        if (op == main || op_get(m, op)->parent == NO_ID) continue;
        bool did = gen_chance(&t->g, 2) ? change_kind(t, m, op) : change_operand(t, m, body, op);
        changed |= did;
        n -= did;
    }
    return changed;
}

// ---- Schedules -------------------------------------------------------------------------------------------------------

static void choose_mesh(Trial *t, char *text) {
    static const int64_t choices[] = {2, 3, 2, 4, 5, 6, 2, 8, 1};
    t->n_axes = gen_mesh(&t->g, choices, t->sizes, text);
    strcat(text, "\n");
}

static void choose_schedule(Trial *t, const Module *m) {
    OpId main = module_main(m);
    uint32_t n_args = m->regions.at[op_region(m, main, 0)].n_args;
    char *p = t->schedule + strlen(t->schedule);
    for (uint32_t k = 1 + gen_random(&t->g, 4), i = 0; i < k; i++) {
        p += sprintf(p, "tactic T%u on a%u {", i, gen_random(&t->g, (uint32_t)t->n_axes));
        for (uint32_t lines = 1 + gen_random(&t->g, 4); lines-- > 0;) {
            if (gen_chance(&t->g, 6))
                p += sprintf(p, " **");
            else
                p += sprintf(p, gen_chance(&t->g, 5) ? " out/%u" : " arg%u", gen_random(&t->g, n_args ? n_args : 1));
            if (gen_chance(&t->g, 4)) p += sprintf(p, " if rank >= %u", gen_random(&t->g, 3));
            uint32_t what = gen_random(&t->g, 8);
            if (what == 0)
                p += sprintf(p, " : replicated\n");
            else if (what < 5)
                p += sprintf(p, " : first_divisible\n");
            else
                p += sprintf(p, " : %u\n", gen_random(&t->g, 3));
        }
        p += sprintf(p, "}\n");
    }
}

// ---- One trial -------------------------------------------------------------------------------------------------------

static Module *read_text(Trial *t, const char *text) {
    Module *m = module_new(t->ctx);
    source_from_memory(&m->source, "random.mlir", text, strlen(text));
    if (read_module(m) && check_module(m) && names_from_module(m)) return m;
    module_free(m);
    return NULL;
}

static void wrong(Trial *t, const char *what, const char *program) {
    fprintf(stderr, "%s\n%s\n%s----\n%s", what, t->reports.last, program, t->schedule);
    abort();
}

static void partition_program(Trial *t, const char *program, bool changed) {
    Module *m = read_text(t, program);
    if (!m) wrong(t, "what was printed does not read", program);
    choose_schedule(t, m);
    Schedule schedule;
    Source source;
    Partition p = {0};
    source_from_memory(&source, "random.schedule", t->schedule, strlen(t->schedule));
    Arena arena;
    arena_init(&arena, t->ctx);
    if (!schedule_read(t->ctx, &arena, &source, &schedule)) wrong(t, "the schedule does not read", program);
    if (!partition_init(&p, m, &schedule, NULL)) wrong(t, "the program cannot be prepared", program);
    for (uint32_t i = 0; i < schedule.n_tactics; i++) {
        arena_init(&p.scratch, t->ctx);
        n_tactics += partition_apply(&p, &schedule.tactics[i], &source);
        partition_forget(&p);
        arena_free(&p.scratch);
    }
    arena_init(&p.scratch, t->ctx);
    ExportTarget target = (ExportTarget)gen_random(&t->g, EXPORT_TARGETS);
    if (!partition_lowered(&p) || !partition_stablehlo(&p, target)) wrong(t, "the program cannot be lowered", program);
    n_lowered += changed;
    VerifyOptions options = {.seed = t->g.state, .exact = t->g.exact, .target = target, .max_memory = 1 << 28, .max_steps = 200000};
    VerifyStatus status = verify_partition(&p, &options, NULL);
    if (status == VERIFY_DIFFERENT) wrong(t, "a level gives another result", program);
    n_verified += status == VERIFY_EQUAL;
    partition_free(&p);
    arena_free(&p.scratch);
    arena_free(&arena);
    module_free(m);
}

static void run_trial(Trial *t) {
    choose_mesh(t, t->schedule);
    uint64_t dice = t->g.state;
    gen_init(&t->g, dice, t->sizes, t->n_axes);
    gen_long_program(&t->g);
    Module *m = read_text(t, t->g.text);
    if (!m) wrong(t, "a random program does not read", t->g.text);
    n_programs++;
    bool changed = change(t, m);
    n_changed += changed;
    bool valid = check_module(m);
    Arena arena;
    arena_init(&arena, t->ctx);
    Buffer text;
    buf_init(&text, &arena);
    if (valid) print_module(m, 0, &text);
    n_valid += valid && changed;
    if (valid) partition_program(t, buf_cstr(&text), changed);
    arena_free(&arena);
    module_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Trial t;
    memset(&t, 0, sizeof t);
    partir_options options = {.size = sizeof options, .user = &t.reports, .diagnostic = count_report};
    partir_context_create(&options, &t.ctx);
    if (!t.ctx) return 0;
    t.g.state = 1469598103934665603u;
    for (size_t i = 0; i < size; i++) t.g.state = (t.g.state ^ data[i]) * 1099511628211u;
    if (n_programs == 0) atexit(say_what_was_tried);
    Guard g;
    if (GUARD(t.ctx, &g)) {
        run_trial(&t);
        guard_close(t.ctx, &g);
    }
    partir_context_destroy(t.ctx);
    return 0;
}
