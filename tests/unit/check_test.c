// The checker on modules that no text can say: what passes build, rightly and wrongly.
#include "stablehlo/check.h"
#include "stablehlo/read/reader.h"
#include "test.h"

typedef struct Fixture {
    Context *ctx;
    Guard guard;
    Module *m;
    RegionId body;
    ValueId x, y; // tensor<4x8xf32>, tensor<8x4xf32>
    TypeId type_x, type_y, flag;
    int errors;
    char first[256];
} Fixture;

static void take_report(void *user, const partir_diagnostic *d) {
    Fixture *f = user;
    if (d->severity == PARTIR_ERROR && f->errors++ == 0) snprintf(f->first, sizeof f->first, "%s", d->message);
}

static OpId op(Fixture *f, RegionId into, OpKind kind, uint32_t n_operands, const ValueId *operands, TypeId result) {
    OpSpec spec = {.kind = kind,
                   .operands = operands,
                   .n_operands = n_operands,
                   .results = &result,
                   .n_results = result != NO_ID,
                   .loc = NO_ID};
    return op_new(f->m, into, &spec);
}

static void end(Fixture *f, RegionId region, OpKind kind, ValueId v) { op(f, region, kind, 1, &v, NO_ID); }

static ValueId truth(Fixture *f, RegionId into) {
    OpId constant = op(f, into, OP_constant, 0, NULL, f->flag);
    op_set_attr(f->m, constant, A_value, attr_dense_bytes(f->m, f->flag, "\1", 1));
    return op_result(f->m, constant, 0);
}

// @main(x, y) -> type of x, without a body's ops.
static void start(Fixture *f) {
    *f = (Fixture){0};
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .user = f, .diagnostic = take_report}, &f->ctx);
    guard_open_(f->ctx, &f->guard);
    Module *m = f->m = module_new(f->ctx);
    f->type_x = type_tensor(m, EL_F32, 2, (int64_t[]){4, 8});
    f->type_y = type_tensor(m, EL_F32, 2, (int64_t[]){8, 4});
    f->flag = type_tensor(m, EL_I1, 0, NULL);
    TypeId parts[] = {f->type_x, f->type_y, f->type_x};
    TypeId function =
        type_intern(m, &(Type){.kind = TYPE_FUNCTION, .rank = 3, .n_inputs = 2, .parts = parts, .encoding = NO_ID});
    NamedAttr attrs[] = {{A_sym_name, attr_string(m, SPAN("main"))}, {A_function_type, attr_type(m, function)}};
    OpId func =
        op_new(m, 0, &(OpSpec){.kind = OP_func_func, .attrs = attrs, .n_attrs = 2, .n_regions = 1, .loc = NO_ID});
    f->body = op_region(m, func, 0);
    f->x = region_add_argument(m, f->body, f->type_x);
    f->y = region_add_argument(m, f->body, f->type_y);
}

static void stop(Fixture *f) {
    module_free(f->m);
    guard_close(f->ctx, &f->guard);
    partir_context_destroy(f->ctx);
}

static void expect_first(Fixture *f, const char *message) {
    CHECK(!check_module(f->m));
    CHECK_STR(f->first, message);
    stop(f);
}

// ---- Modules that passes build -------------------------------------------------------------------------------------

static void accepts_a_program(void) {
    Fixture f;
    start(&f);
    OpId sum = op(&f, f.body, OP_add, 2, (ValueId[]){f.x, f.x}, f.type_x);
    end(&f, f.body, OP_func_return, op_result(f.m, sum, 0));
    CHECK(check_module(f.m));
    CHECK_INT(f.errors, 0);
    stop(&f);
}

static void rejects_a_use_before_its_definition(void) {
    Fixture f;
    start(&f);
    ValueId later = f.m->values.n + 1; // the result of the second op
    op(&f, f.body, OP_add, 2, (ValueId[]){f.x, later}, f.type_x);
    OpId second = op(&f, f.body, OP_negate, 1, &f.x, f.type_x);
    end(&f, f.body, OP_func_return, op_result(f.m, second, 0));
    expect_first(&f, "stablehlo.add: rhs is not defined here");
}

static void rejects_a_value_of_a_closed_region(void) {
    Fixture f;
    start(&f);
    ValueId flag = truth(&f, f.body);
    OpSpec spec = {.kind = OP_if,
                   .operands = &flag,
                   .n_operands = 1,
                   .results = &f.type_x,
                   .n_results = 1,
                   .n_regions = 2,
                   .loc = NO_ID};
    OpId branch = op_new(f.m, f.body, &spec);
    ValueId inner = NO_ID;
    for (uint32_t i = 0; i < 2; i++) {
        OpId twice = op(&f, op_region(f.m, branch, i), OP_add, 2, (ValueId[]){f.x, f.x}, f.type_x);
        inner = op_result(f.m, twice, 0);
        end(&f, op_region(f.m, branch, i), OP_return, inner);
    }
    end(&f, f.body, OP_func_return, inner);
    expect_first(&f, "func.return: operands[0] is not defined here");
}

static void rejects_a_value_that_does_not_exist(void) {
    Fixture f;
    start(&f);
    OpId sum = op(&f, f.body, OP_add, 2, (ValueId[]){f.x, 1000000}, f.type_x);
    end(&f, f.body, OP_func_return, op_result(f.m, sum, 0));
    expect_first(&f, "stablehlo.add: rhs is not defined here");
}

static void rejects_a_wrong_number_of_operands(void) {
    Fixture f;
    start(&f);
    OpId sum = op(&f, f.body, OP_add, 1, &f.x, f.type_x);
    end(&f, f.body, OP_func_return, op_result(f.m, sum, 0));
    expect_first(&f, "stablehlo.add: 1 operand, expected 2");
}

static void rejects_a_missing_attribute(void) {
    Fixture f;
    start(&f);
    op(&f, f.body, OP_transpose, 1, &f.x, f.type_y);
    end(&f, f.body, OP_func_return, f.x);
    expect_first(&f, "stablehlo.transpose: attribute permutation is missing");
}

static void rejects_a_body_without_return(void) {
    Fixture f;
    start(&f);
    op(&f, f.body, OP_negate, 1, &f.x, f.type_x);
    expect_first(&f, "stablehlo.negate: the last op of its region, which should be a return");
}

static void rejects_ops_after_a_return(void) {
    Fixture f;
    start(&f);
    end(&f, f.body, OP_func_return, f.x);
    end(&f, f.body, OP_func_return, f.x);
    expect_first(&f, "func.return: not the last op of its region");
}

static void rejects_missing_and_empty_regions(void) {
    Fixture f;
    start(&f);
    OpSpec spec = {.kind = OP_while,
                   .operands = &f.x,
                   .n_operands = 1,
                   .results = &f.type_x,
                   .n_results = 1,
                   .n_regions = 2,
                   .loc = NO_ID};
    op_new(f.m, f.body, &spec);
    end(&f, f.body, OP_func_return, f.x);
    expect_first(&f, "stablehlo.while: region 0 takes 0 arguments, expected 1");

    start(&f);
    spec.operands = &f.x;
    spec.n_regions = 1;
    op_new(f.m, f.body, &spec);
    end(&f, f.body, OP_func_return, f.x);
    expect_first(&f, "stablehlo.while: 1 region, expected 2");

    start(&f);
    spec.n_regions = 2;
    OpId loop = op_new(f.m, f.body, &spec);
    for (uint32_t i = 0; i < 2; i++) region_add_argument(f.m, op_region(f.m, loop, i), f.type_x);
    end(&f, f.body, OP_func_return, f.x);
    expect_first(&f, "stablehlo.while: region 1 has no terminator");
}

static void stops_after_twenty_errors(void) {
    Fixture f;
    start(&f);
    for (int i = 0; i < 50; i++) op(&f, f.body, OP_add, 2, (ValueId[]){f.x, f.y}, f.type_x);
    end(&f, f.body, OP_func_return, f.x);
    CHECK(!check_module(f.m));
    CHECK_INT(f.errors, 20);
    stop(&f);
}

// Time must not depend on how a program is nested, nor the stack: a loop in a loop in a …
static void walks_deep_nests(void) {
    Fixture f;
    start(&f);
    RegionId region = f.body;
    ValueId x = f.x;
    enum { DEPTH = 100000 };
    RegionId *bodies = arena_new(&f.m->arena, RegionId, DEPTH + 1);
    ValueId *results = arena_new(&f.m->arena, ValueId, DEPTH + 1);
    for (int i = 0; i < DEPTH; i++) {
        bodies[i] = region;
        OpSpec spec = {.kind = OP_while,
                       .operands = &x,
                       .n_operands = 1,
                       .results = &f.type_x,
                       .n_results = 1,
                       .n_regions = 2,
                       .loc = NO_ID};
        OpId loop = op_new(f.m, region, &spec);
        results[i] = op_result(f.m, loop, 0);
        region_add_argument(f.m, op_region(f.m, loop, 0), f.type_x);
        end(&f, op_region(f.m, loop, 0), OP_return, truth(&f, op_region(f.m, loop, 0)));
        region = op_region(f.m, loop, 1);
        x = region_add_argument(f.m, region, f.type_x);
    }
    end(&f, region, OP_return, x);
    for (int i = DEPTH - 1; i > 0; i--) end(&f, bodies[i], OP_return, results[i]);
    end(&f, f.body, OP_func_return, results[0]);
    CHECK(check_module(f.m));
    CHECK_STR(f.first, "");
    stop(&f);
}

int main(void) {
    RUN(accepts_a_program);
    RUN(rejects_a_use_before_its_definition);
    RUN(rejects_a_value_of_a_closed_region);
    RUN(rejects_a_value_that_does_not_exist);
    RUN(rejects_a_wrong_number_of_operands);
    RUN(rejects_a_missing_attribute);
    RUN(rejects_a_body_without_return);
    RUN(rejects_ops_after_a_return);
    RUN(rejects_missing_and_empty_regions);
    RUN(stops_after_twenty_errors);
    RUN(walks_deep_nests);
    return test_end();
}
