// The reader: each text form gives the op it should, pretty and generic alike, and each mistake the error it should.
#include "stablehlo/reader.h"
#include "test.h"
#include <stdio.h>

// The first message of a read, or "" if there was none.
static char first_message[512];
static uint32_t first_line, first_column, n_messages;

static void take_message(void *user, const partir_diagnostic *d) {
    (void)user;
    if (n_messages++) return;
    snprintf(first_message, sizeof first_message, "%s", d->message);
    first_line = d->line;
    first_column = d->column;
}

// A test reads one text at a time; its module lives until the next.
static Context *ctx;
static Module *m;

static void forget(void) {
    module_free(m);
    m = NULL;
    partir_context_destroy(ctx);
}

static bool read_bytes(const char *text, size_t n) {
    if (m) forget();
    first_message[0] = 0;
    n_messages = 0;
    ctx = partir_context_create(&(partir_options){.diagnostic = take_message});
    Guard g;
    if (!GUARD(ctx, &g)) return false;
    m = module_new(ctx);
    source_from_memory(&m->source, "t.mlir", text, n);
    bool ok = read_module(m);
    guard_close(ctx, &g);
    return ok;
}

static bool read_text(const char *text) {
    bool ok = read_bytes(text, strlen(text));
    if (!ok) printf("%u:%u: %s\n", first_line, first_column, first_message);
    return ok;
}

// A function @f with these arguments and this body.
static char body_text[1 << 16];
static bool read_body(const char *args, const char *body) {
    snprintf(body_text, sizeof body_text, "func.func @f(%s) {\n%s\nreturn\n}\n", args, body);
    return read_text(body_text);
}

static OpId find(OpKind kind) {
    for (OpId op = 0; m && op < m->ops.n; op++)
        if (op_kind(m, op) == kind) return op;
    return NO_ID;
}

static const Attr *attr_of(OpKind kind, NameId name) {
    static const Attr none = {.kind = ATTR_UNIT, .i = -1};
    OpId op = find(kind);
    AttrId a = op == NO_ID ? NO_ID : op_attr(m, op, name);
    return a == NO_ID ? &none : attr_get(m, a);
}

static void two_matmuls(void) {
    CHECK(read_text(
        "module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n"
        "  func.func public @main(%arg0: tensor<8x4xf32> {jax.x = \"a\"}, %arg1: tensor<4x16xf32>) -> (tensor<8x16xf32> {jax.result_info = \"\"}) {\n"
        "    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>\n"
        "    return %0 : tensor<8x16xf32>\n"
        "  }\n"
        "}\n"));
    CHECK_INT(m->ops.n, 3);
    CHECK_INT(m->n_module_attrs, 1);
    CHECK(m->symbol != NO_ID && span_is(name_get(m, m->symbol), "jit_f"));
    OpId f = module_main(m);
    CHECK(f != NO_ID);
    CHECK_INT(m->regions.at[op_region(m, f, 0)].n_args, 2);
    CHECK_INT(attr_of(OP_func_func, A_arg_attrs)->n, 2);
    CHECK_INT(attr_of(OP_func_func, A_res_attrs)->n, 1);
    CHECK_INT(attr_of(OP_dot_general, A_precision_config)->n, 2);
    uint32_t n;
    const int64_t *dims = record_ints(m, op_attr(m, find(OP_dot_general), A_dot_dimension_numbers),
                                      RF_DOT_lhs_contracting_dimensions, &n);
    CHECK(n == 1 && dims && dims[0] == 1);
}

static void forms_without_regions(void) {
    CHECK(read_body(
        "%a: tensor<4x8xf32>, %p: tensor<4x8xi1>, %z: tensor<f32>, %i: tensor<i32>",
        "%0 = stablehlo.add %a, %a : tensor<4x8xf32>\n"
        "%1 = stablehlo.select %p, %a, %0 : tensor<4x8xi1>, tensor<4x8xf32>\n"
        "%2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>\n"
        "%3 = stablehlo.slice %2 [0:8:2, 1:3] : (tensor<8x4xf32>) -> tensor<4x2xf32>\n"
        "%4 = stablehlo.compare  LT, %a, %a,  FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>\n"));
    uint32_t n;
    const int64_t *v = op_attr_ints(m, find(OP_slice), A_strides, &n);
    CHECK(n == 2 && v && v[0] == 2 && v[1] == 1);
    v = op_attr_ints(m, find(OP_transpose), A_permutation, &n);
    CHECK(n == 2 && v && v[0] == 1 && v[1] == 0);
    CHECK(span_is(attr_of(OP_compare, A_comparison_direction)->text, "LT"));
}

int main(void) {
    RUN(two_matmuls);
    RUN(forms_without_regions);
    if (m) forget();
    return test_end();
}
