// The reader: the module around ops, types, attributes, locations, names of values; and each mistake gives the error it
// should. The forms of ops are in read_forms_test.c.
#include "stablehlo/print/printer.h"
#include "stablehlo/read/read.h"
#include "stablehlo/read/reader.h"
#include "test.h"
#include <stdlib.h>

// What was said while a text was read: the first message, its place and hint, the first note, and how many errors.
static struct {
    char message[1024], hint[256], note[256];
    uint32_t line, column, errors;
} said;

static void listen(void *user, const partir_diagnostic *d) {
    (void)user;
    if (d->severity == PARTIR_NOTE && !said.note[0])
        snprintf(said.note, sizeof said.note, "%u:%u: %s", d->line, d->column, d->message);
    if (d->severity != PARTIR_ERROR || said.errors++) return;
    snprintf(said.message, sizeof said.message, "%s", d->message);
    snprintf(said.hint, sizeof said.hint, "%s", d->hint ? d->hint : "");
    said.line = d->line;
    said.column = d->column;
}

// The module of the text that was read last.
static Context *ctx;
static Module *m;

static void forget(void) {
    module_free(m);
    m = NULL;
    if (ctx) partir_context_destroy(ctx);
    ctx = NULL;
}

static bool read_bytes(const char *text, size_t n) {
    forget();
    memset(&said, 0, sizeof said);
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = listen}, &ctx);
    Guard g;
    if (!GUARD(ctx, &g)) return false;
    m = module_new(ctx);
    source_from_memory(&m->source, "t.mlir", text, n);
    bool ok = read_module(m);
    guard_close(ctx, &g);
    return ok;
}

static bool reads(const char *text) {
    if (read_bytes(text, strlen(text))) return true;
    printf("%u:%u: %s\n", said.line, said.column, said.message);
    return false;
}

// The ops of a function with these arguments, on lines from 2 on.
static char text_of_body[1 << 16];
static const char *function(const char *arguments, const char *body) {
    snprintf(text_of_body, sizeof text_of_body, "func.func @f(%s) {\n%s\nreturn\n}\n", arguments, body);
    return text_of_body;
}

static bool reads_body(const char *arguments, const char *body) { return reads(function(arguments, body)); }

// "line:column: message" of the first error; "" if the text could be read.
static const char *error_of(const char *text) {
    static char all[1400];
    if (read_bytes(text, strlen(text))) return "";
    snprintf(all, sizeof all, "%u:%u: %s", said.line, said.column, said.message);
    return all;
}

static OpId find(OpKind kind) {
    for (OpId op = 0; m && op < m->ops.n; op++)
        if (op_kind(m, op) == kind) return op;
    return NO_ID;
}

static const Attr *attr_of(OpKind kind, const char *name) {
    static const Attr none = {.kind = ATTR_UNIT, .i = -1};
    OpId op = find(kind);
    AttrId a = op == NO_ID ? NO_ID : op_attr(m, op, name_intern(m, span_of(name)));
    return a == NO_ID ? &none : attr_get(m, a);
}

// ---- Modules --------------------------------------------------------------------------------------------------------

static void a_module(void) {
    CHECK(reads(
        "module @jit_f attributes {mhlo.num_partitions = 2 : i32, a.b} {\r\n"
        "  func.func public @main(%arg0: tensor<8xf32> {jax.x = \"a\"}, %arg1: tensor<4xf32>) -> (tensor<8xf32> {jax.result_info = \"\"}) {\r\n"
        "    return %arg0 : tensor<8xf32> // the end\r\n"
        "  }\r\n"
        "  func.func private @g(tensor<4xf32>) -> tensor<4xf32> attributes {no_inline}\n"
        "}\r\n"));
    CHECK_INT(m->n_module_attrs, 2);
    CHECK(span_is(name_get(m, m->module_attrs[0].name), "a.b"));
    CHECK(m->symbol != NO_ID && span_is(name_get(m, m->symbol), "jit_f"));
    CHECK_INT(m->regions.at[op_region(m, module_main(m), 0)].n_args, 2);
    CHECK_INT(attr_of(OP_func_func, "arg_attrs")->n, 2);
    CHECK_INT(attr_of(OP_func_func, "res_attrs")->n, 1);
    CHECK(span_is(attr_of(OP_func_func, "sym_visibility")->text, "public"));
    OpId g = module_find_function(m, SPAN("g"));
    CHECK(g != NO_ID && m->regions.at[op_region(m, g, 0)].first == NO_ID);
}

static void a_generic_module(void) {
    CHECK(reads("\"builtin.module\"() <{sym_name = \"jit_f\"}> ({\n"
                "^bb0:\n"
                "  \"func.func\"() <{function_type = () -> (), sym_name = \"main\"}> ({\n"
                "    \"func.return\"() : () -> ()\n"
                "  }) : () -> ()\n"
                "}) {mhlo.num_partitions = 1 : i32} : () -> ()\n"));
    CHECK(m->symbol != NO_ID && span_is(name_get(m, m->symbol), "jit_f"));
    CHECK_INT(m->n_module_attrs, 1);
    CHECK(module_find_function(m, SPAN("main")) != NO_ID);
}

static void names_of_functions(void) {
    CHECK(reads(
        "func.func @\"a b\\22c\"() { return }\nfunc.func @x.y-z$1() { call @\"a b\\22c\"() : () -> () return }\n"));
    CHECK(module_find_function(m, SPAN("a b\"c")) != NO_ID);
    CHECK(module_find_function(m, SPAN("x.y-z$1")) != NO_ID);
    CHECK(span_is(attr_of(OP_func_call, "callee")->text, "a b\"c"));
    CHECK_STR(error_of("func.func @f() { return }\nfunc.func @f() { return }"), "2:1: @f is already defined");
    CHECK_STR(said.note, "1:1: the first definition is this");
}

static void resources(void) {
    CHECK(reads("func.func @f() {\n"
                "  %0 = stablehlo.constant dense_resource<blob1> : tensor<2xi8>\n"
                "  return\n"
                "}\n"
                "{-#\n"
                "  dialect_resources: { builtin: { blob1: \"0x080000000102\", \"b 2\": \"0x04000000FF\" } },\n"
                "  external_resources: { mlir_reproducer: { verify_each: true } }\n"
                "#-}\n"));
    CHECK_INT(m->n_resources, 2);
    CHECK(span_is(name_get(m, m->resources[1].key), "b 2"));
    CHECK(span_is(m->resources[0].hex, "080000000102"));
    CHECK_INT(attr_of(OP_constant, "value")->kind, ATTR_RESOURCE);
}

// What `read` takes must be the whole text.
static uint32_t read_alone(const char *text, uint32_t (*read)(Reader *r)) {
    read_bytes("", 0);
    Source source;
    source_from_memory(&source, "t.mlir", text, strlen(text));
    Reader r;
    reader_init(&r, m, &source);
    uint32_t id = read(&r);
    if (id != NO_ID && (lex_skip(&r.lex), r.lex.at < r.lex.end)) read_expected(&r, "nothing more");
    if (r.n_errors) id = NO_ID;
    arena_free(&r.scratch);
    return id;
}

// ---- Types ----------------------------------------------------------------------------------------------------------

static const Type *type_of(const char *text) {
    static const Type none = {.kind = 99};
    TypeId t = read_alone(text, read_type);
    return t == NO_ID ? &none : type_get(m, t);
}

static void types(void) {
    static const char *const kept[] = {
        "tensor<f32>",
        "tensor<4x?x0xbf16>",
        "tensor<3xcomplex<f64>>",
        "tensor<*xi1>",
        "tensor<2xui4>",
        "tensor<2xf8E4M3B11FNUZ>",
        "tensor<2xf4E2M1FN>",
        "tensor<2xi2>",
        "!stablehlo.token",
        "tuple<tensor<f32>, tuple<>, !stablehlo.token>",
        "(tensor<f32>, i32) -> (f64, none)",
        "() -> ()",
        "tensor<4x?xf32, #stablehlo.bounds<?, 8>>",
        "!stablehlo.future<tensor<2xf32>>",
        "memref<4xf32>",
        "tensor<2x!quant.uniform<i8:f32, 5.000000e-01:-3>>",
        "tensor<2x3x!quant.uniform<u8<1:200>:f32:1, {5.000000e-01:3,2.500000e-01,1.000000e+00:-1}>>",
        "tf32",
        "i17"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        TypeId t = read_alone(kept[i], read_type);
        CHECK(t != NO_ID);
        if (t == NO_ID) continue;
        Buffer b;
        buf_init(&b, &m->arena);
        print_type(m, t, &b);
        CHECK_STR(buf_cstr(&b), kept[i]);
    }
    const Type *q = type_of("tensor<2x3x!quant.uniform<u8<1:200>:f32:1, {0.5:3, 0.25, 1.0:-1}>>");
    CHECK_INT(q->elem, EL_QUANT);
    const Quant *quant = &m->quants.at[q->quant];
    CHECK(quant->storage == EL_UI8 && quant->axis == 1 && quant->n == 3 && quant->storage_min == 1 &&
          quant->storage_max == 200);
    CHECK(quant->scales[1] == 0.25 && quant->zeros[0] == 3 && quant->zeros[2] == -1);
    const Type *bounded = type_of("tensor<4x?xf32, #stablehlo.type_extensions<bounds = [?, 8]>>");
    uint32_t n;
    const int64_t *bounds = record_ints(m, bounded->encoding, RF_BOUNDS_bounds, &n);
    CHECK(n == 2 && bounds && bounds[0] == DIM_DYNAMIC && bounds[1] == 8);
}

static void bad_types(void) {
    static const struct {
        const char *type, *message;
    } rows[] = {
        {"tensor<4xf33>", "1:10: 'f33' is no element type of StableHLO"},
        {"tensor<4x>", "1:10: expected an element type, found '>'"},
        {"tensor<4 f32>", "1:10: expected 'x' after a dimension, found 'f32'"},
        {"tensor<99999999999999999999xf32>", "1:8: this dimension is too large"},
        {"tensor<4294967296x4294967296xf32>", "1:8: this tensor has more than 2^63 - 1 elements"},
        {"tensor<-1xf32>", "1:8: expected an element type, found '-'"},
        {"tensor<", "1:8: expected an element type, but the text ends here"},
        {"tensor<4xcomplex<i8>>", "1:10: 'complex<i8>' is no element type of StableHLO"},
        {"tensor<4x!quant.uniform<f32:f32, 1.0>>",
         "1:25: expected a storage type of a quantized type, such as i8 or u8"},
        {"tuple<tensor<f32>", "1:18: expected '>', but the text ends here"},
        {"foo", "1:1: expected a type, found 'foo'"},
        {"!foo", "1:1: type alias !foo is not defined"},
        {"tensor<f32> x", "1:13: expected nothing more, found 'x'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(type_of(rows[i].type)->kind, 99);
        char got[1400];
        snprintf(got, sizeof got, "%u:%u: %s", said.line, said.column, said.message);
        CHECK_STR(got, rows[i].message);
        CHECK_INT(said.errors, 1);
    }
}

// ---- Attributes -----------------------------------------------------------------------------------------------------

static const Attr *attr_in(const char *text) {
    static const Attr none = {.kind = 99};
    AttrId a = read_alone(text, read_attr);
    return a == NO_ID ? &none : attr_get(m, a);
}

static void attributes(void) {
    const Attr *a = attr_in("-7 : i32");
    CHECK(a->kind == ATTR_INT && a->i == -7 && type_get(m, a->type)->elem == EL_I32);
    a = attr_in("18446744073709551615 : ui64");
    CHECK(a->kind == ATTR_INT && a->i == -1);
    a = attr_in("0x7FC00000 : f32");
    CHECK(a->kind == ATTR_FLOAT && a->f != a->f);
    a = attr_in("2.5e-1");
    CHECK(a->kind == ATTR_FLOAT && a->f == 0.25 && type_get(m, a->type)->elem == EL_F64);
    a = attr_in("\"a\\n\\22\\C3\\A9\"");
    CHECK(a->kind == ATTR_STRING && span_is(a->text, "a\n\"\xC3\xA9"));
    a = attr_in("@a::@\"b\"");
    CHECK(a->kind == ATTR_SYMBOL && span_is(a->text, "a::@\"b\""));
    CHECK_INT(attr_in("unit")->kind, ATTR_UNIT);
    CHECK(attr_in("true")->kind == ATTR_BOOL && attr_in("true")->i == 1);
    CHECK_INT(attr_in("[1, \"x\", [], {a, b = 2}]")->n, 4);
    a = attr_in("{z = 1, \"a b\" = 2, dimension}");
    CHECK(a->kind == ATTR_DICT && a->n == 3 && span_is(name_get(m, a->entries[0].name), "a b") &&
          a->entries[1].name == A_dimension);
    a = attr_in("array<i64: 1, -2>");
    CHECK(a->kind == ATTR_INTS && a->n == 2 && a->ints[1] == -2 && a->sub == EL_I64);
    a = attr_in("array<i1: true, false>");
    CHECK(a->kind == ATTR_INTS && a->n == 2 && a->ints[0] == 1 && a->sub == EL_I1);
    CHECK(attr_in("array<i64>")->kind == ATTR_INTS && attr_in("array<i64>")->n == 0);
    CHECK(span_is(attr_in("array<f32: 1.5, 2>")->text, "1.5, 2"));
    CHECK_INT(attr_in("(tensor<f32>) -> i32")->kind, ATTR_TYPE);
    CHECK(span_is(attr_in("#sdy.sharding<@mesh, [{\"x>\"}, {?}], a->b>")->text,
                  "#sdy.sharding<@mesh, [{\"x>\"}, {?}], a->b>"));
    CHECK_INT(attr_in("#tf.foo")->kind, ATTR_OPAQUE);
    CHECK_INT(attr_in("affine_map<(d0) -> (d0)>")->kind, ATTR_OPAQUE);
    CHECK_INT(attr_in("loc(\"a\":1:2)")->kind, ATTR_OPAQUE);
    CHECK_INT(attr_in("distinct[0]<unit>")->kind, ATTR_OPAQUE);
}

static void constants(void) {
    const Attr *a = attr_in("dense<\"0x0000803F00000040\"> : tensor<2xf32>");
    CHECK(a->kind == ATTR_DENSE && a->sub == DENSE_HEX && span_is(a->text, "0000803F00000040"));
    a = attr_in("dense<[[1, 2],\n [3, 4]] > : tensor<2x2xi8>");
    CHECK(a->sub == DENSE_TEXT && span_is(a->text, "[[1, 2],\n [3, 4]]"));
    a = attr_in("dense<> : tensor<0x2xi8>");
    CHECK(a->kind == ATTR_DENSE && a->text.n == 0);
    a = attr_in("dense_resource<__elided__> : tensor<2xi8>");
    CHECK(a->kind == ATTR_RESOURCE && span_is(a->text, "__elided__"));
    // Neither decoded nor copied: the text is that of the source.
    const char *text = function("", "%0 = stablehlo.constant dense<\"0x01020304\"> : tensor<4xi8>");
    CHECK(reads(text));
    CHECK(attr_of(OP_constant, "value")->text.at == strstr(text, "01020304"));
}

static void records(void) {
    const Attr *a = attr_in("#stablehlo<comparison_direction EQ>");
    CHECK(a->kind == ATTR_ENUM && a->sub == ENUM_COMPARISON_DIRECTION && span_is(a->text, "EQ"));
    a = attr_in("#stablehlo.result_accuracy_mode<HIGHEST>");
    CHECK(a->kind == ATTR_ENUM && a->sub == ENUM_RESULT_ACCURACY_MODE);
    a = attr_in("#chlo<precision HIGH>");
    CHECK(a->kind == ATTR_ENUM && a->sub == ENUM_CHLO_PRECISION);
    a = attr_in("#stablehlo.gather<index_vector_dim = 1, offset_dims = [1, 2], collapsed_slice_dims = [],>");
    CHECK(a->kind == ATTR_RECORD && a->n == 2 && a->fields[0].field == RF_GATHER_offset_dims &&
          a->fields[0].ints[1] == 2);
    a = attr_in("#stablehlo.channel_handle<handle = 0, type = 1>");
    CHECK(a->kind == ATTR_RECORD && a->n == 2);
    a = attr_in("#stablehlo.conv<[b, 1, 0, f]x[0, 1, i, o]->[f, 0, b, 1]>");
    CHECK(a->kind == ATTR_RECORD && a->n == 9);
    CHECK(a->fields[2].ints[0] == 2 && a->fields[2].ints[1] == 1 && a->fields[6].i == 2 && a->fields[7].i == 0);
    a = attr_in("#stablehlo.conv<raw input_batch_dimension = 3>");
    CHECK(a->kind == ATTR_RECORD && a->n == 1 && a->fields[0].i == 3);
}

static void bad_attributes(void) {
    static const struct {
        const char *attr, *message;
    } rows[] = {
        {"", "1:1: expected an attribute, but the text ends here"},
        {"\"abc", "1:1: this string does not end before its line does"},
        {"\"a\\q\"", "1:1: this string has an unknown escape"},
        {"300 : i8", "1:1: this integer does not fit i8"},
        {"99999999999999999999", "1:1: this integer does not fit 64 bits"},
        {"[1, 2", "1:6: expected ']', but the text ends here"},
        {"{a = 1, a = 2}", "1:15: attribute 'a' is given twice"},
        {"{= 1}", "1:2: expected the name of an attribute, found '='"},
        {"dense<\"0x012\"> : tensor<i8>", "1:10: this constant has an odd number of hex digits"},
        {"dense<\"0x01G2\"> : tensor<i8>", "1:12: expected a hex digit or '\"', found 'G2'"},
        {"dense<1", "1:1: this constant does not end"},
        {"dense<1> : i8", "1:1: a constant must be a tensor, not i8"},
        {"#stablehlo<comparison_direction XX>", "1:33: 'XX' is no comparison_direction"},
        {"#stablehlo.dot<foo = [1]>", "1:16: #stablehlo.dot has no field 'foo'"},
        {"#stablehlo.gather<index_vector_dim = 1, index_vector_dim = 1>",
         "1:41: #stablehlo.gather: field 'index_vector_dim' is given twice"},
        {"#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0]>", "1:38: 'b' and 'f' must be here"},
        {"#stablehlo.conv<[b, 1, f]x[0, i, o]->[b, 0, f]>", "1:17: spatial dimension 0 is missing"},
        {"#sdy.sharding<@mesh, [{]}>", "1:1: this attribute does not end"},
        {"#foo", "1:1: attribute alias #foo is not defined"},
        {"array<f99: 1>", "1:7: an array has integers or floats, not 'f99'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(attr_in(rows[i].attr)->kind, 99);
        char got[1400];
        snprintf(got, sizeof got, "%u:%u: %s", said.line, said.column, said.message);
        CHECK_STR(got, rows[i].message);
    }
}

static void aliases(void) {
    CHECK(reads("#map = [1, 2]\n!t = tensor<4xf32>\n!q = !quant.uniform<i8:f32, 1.0>\n"
                "func.func @f(%a: !t {x.y = #map}, %b: tensor<2x!q>) { return }\n"));
    CHECK_INT(type_get(m, m->values.at[0].type)->rank, 1);
    CHECK_INT(type_get(m, m->values.at[1].type)->elem, EL_QUANT);
    CHECK_STR(error_of("#a = 1\n#a = 2\n"), "2:1: #a is already defined");
}

static void attribute_names_are_sorted(void) {
    read_bytes("", 0);
    for (NameId i = 1; i < A_COUNT; i++) CHECK(strcmp(name_get(m, i - 1).at, name_get(m, i).at) < 0);
}

// ---- Locations ------------------------------------------------------------------------------------------------------

static void locations(void) {
    CHECK(reads(
        "#loc = loc(unknown)\n"
        "module {\n"
        "  func.func @f(%a: tensor<f32> loc(\"a\"), %b: tensor<f32>) {\n"
        "    %0 = stablehlo.add %a, %b : tensor<f32> loc(#loc2)\n"
        "    %1 = stablehlo.reduce(%0 init: %a) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32> loc(callsite(#loc1 at \"x\"))\n"
        "    return loc(fused<\"m\">[#loc1, #loc3])\n"
        "  } loc(#loc)\n"
        "} loc(#loc1)\n"
        "#loc1 = loc(\"f.py\":3:4 to 5:6)\n"
        "#loc2 = loc(\"jit(f)/add\"(#loc1))\n"
        "#loc3 = loc(#loc2)\n"));
    const Loc *add = &m->locs.at[op_get(m, find(OP_add))->loc];
    CHECK(add->kind == LOC_NAME && span_is(name_get(m, add->name), "jit(f)/add"));
    const Loc *file = &m->locs.at[add->child];
    CHECK(file->kind == LOC_FILE && file->line == 3 && file->column == 4 && file->end_line == 5 &&
          file->end_column == 6);
    CHECK_INT(m->locs.at[m->loc].kind, LOC_FILE);
    OpId reduce = find(OP_reduce);
    CHECK_INT(m->locs.at[op_get(m, reduce)->loc].kind, LOC_CALLSITE);
    CHECK_INT(op_get(m, m->regions.at[op_region(m, reduce, 0)].first)->loc, op_get(m, reduce)->loc);
    const Loc *fused = &m->locs.at[op_get(m, find(OP_func_return))->loc];
    CHECK(fused->kind == LOC_FUSED && fused->n_children == 2 && fused->metadata != NO_ID);
    CHECK_INT(m->locs.at[fused->children[1]].kind, LOC_NAME);
    const Region *body = &m->regions.at[op_region(m, find(OP_func_func), 0)];
    CHECK(body->arg_locs && m->locs.at[body->arg_locs[0]].kind == LOC_NAME && body->arg_locs[1] == NO_ID);
}

static void bad_locations(void) {
    CHECK_STR(error_of("func.func @f() { return loc(#loc7)\n}"), "1:29: location #loc7 is not defined");
    CHECK_STR(error_of("#loc1 = loc(#loc2)\nfunc.func @f() { return loc(#loc1)\n}"),
              "1:13: location #loc2 is not defined");
    CHECK_STR(error_of("#loc1 = loc(#loc2)\n#loc2 = loc(#loc1)\n"), "1:1: location #loc1 is defined by itself");
    CHECK_STR(error_of("#loc1 = loc(\"f\":1:99999999999)\n"), "1:17: a line or column is out of range");
    CHECK_STR(error_of("#loc1 = loc(foo)\n"), "1:13: expected a location, found 'foo'");
    CHECK_STR(error_of("#loc1 = loc(unknown)\n#loc1 = loc(unknown)\n"), "2:1: #loc1 is already defined");
}

// ---- Values ---------------------------------------------------------------------------------------------------------

static void scopes(void) {
    // Sibling regions may use a name twice, and see what is around them; far numbers and zeros before a number are
    // names too.
    CHECK(reads_body("%arg0: tensor<i32>, %-x.y$: tensor<i32>",
                     "%0:2 = \"stablehlo.case\"(%arg0) ({\n"
                     "  %1 = stablehlo.add %arg0, %arg0 : tensor<i32>\n"
                     "  stablehlo.return %1, %1 : tensor<i32>, tensor<i32>\n"
                     "}, {\n"
                     "  %1 = stablehlo.negate %-x.y$ : tensor<i32>\n"
                     "  stablehlo.return %1, %arg0 : tensor<i32>, tensor<i32>\n"
                     "}) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)\n"
                     "%1 = stablehlo.add %0#1, %0 : tensor<i32>\n"
                     "%4000000000 = stablehlo.abs %1 : tensor<i32>\n"
                     "%90000 = stablehlo.abs %4000000000 : tensor<i32>\n"
                     "%01 = stablehlo.abs %90000 : tensor<i32>\n"
                     "%2 = stablehlo.multiply %01, %1 : tensor<i32>\n"));
    OpId add = NO_ID, case_op = find(OP_case);
    for (OpId op = 0; op < m->ops.n; op++)
        if (op_kind(m, op) == OP_add) add = op;
    CHECK_INT(op_operand(m, add, 0), op_result(m, case_op, 1));
    CHECK_INT(op_operand(m, add, 1), op_result(m, case_op, 0));
    OpId multiply = find(OP_multiply);
    CHECK(op_operand(m, multiply, 0) != op_operand(m, multiply, 1));
    // Op ids follow the text, also around regions.
    for (OpId op = 1; op < m->ops.n; op++) CHECK(op_get(m, op)->source > op_get(m, op - 1)->source);
}

static void bad_values(void) {
    CHECK_STR(error_of(function("%arg0: tensor<f32>", "%0 = stablehlo.abs %arg1 : tensor<f32>")),
              "2:20: %arg1 is not defined");
    CHECK_STR(said.hint, "did you mean %arg0?");
    CHECK_INT(said.errors, 1);
    CHECK_STR(error_of(function("%a: tensor<f32>",
                                "%0 = stablehlo.abs %1 : tensor<f32>\n%1 = stablehlo.abs %a : tensor<f32>")),
              "2:20: %1 is used before its definition");
    CHECK_STR(said.note, "3:1: it is defined here");
    CHECK_STR(error_of(function("%a: tensor<f32>",
                                "%0 = stablehlo.abs %a : tensor<f32>\n%0 = stablehlo.abs %a : tensor<f32>")),
              "3:1: %0 is already defined");
    CHECK_STR(said.note, "2:6: the first definition is this");
    CHECK_STR(error_of(function("%a: tensor<f32>, %a: tensor<f32>", "")), "1:31: %a is already defined");
    CHECK_STR(error_of(function("%a: tensor<f32>", "%0 = stablehlo.abs %a#1 : tensor<f32>")),
              "2:23: %a has 1 result, there is no #1");
    CHECK_STR(error_of(function("%a: tensor<f32>", "%0:2 = stablehlo.abs %a : tensor<f32>")),
              "2:1: stablehlo.abs has 1 result, but 2 are named");
    CHECK_STR(
        error_of(function("%a: tensor<f32>", "%0 = stablehlo.optimization_barrier %a, %a : tensor<f32>, tensor<f32>")),
        "2:1: stablehlo.optimization_barrier has 2 results, but 1 is named");
    CHECK_STR(error_of(function("%a: tensor<f32>", "%0:0 = stablehlo.abs %a : tensor<f32>")),
              "2:1: a name stands for one result or more");
    // What a region defines ends with it; what a function defines ends with it.
    CHECK_STR(
        error_of(function(
            "%a: tensor<i1>",
            "%0 = \"stablehlo.case\"(%a) ({\n%1 = stablehlo.not %a : tensor<i1>\nstablehlo.return %1 : tensor<i1>\n}) : (tensor<i1>) -> tensor<i1>\n"
            "%2 = stablehlo.not %1 : tensor<i1>")),
        "6:20: %1 is not defined");
    CHECK_STR(error_of("func.func @f(%a: tensor<f32>) { return }\nfunc.func @g() {\nreturn %a : tensor<f32>\n}"),
              "3:8: %a is not defined");
}

static void bad_operand_types(void) {
    CHECK_STR(error_of(function("%a: tensor<4xf32>", "%0 = stablehlo.abs %a : tensor<8xf32>")),
              "2:25: operand 0 is of type tensor<4xf32>, not tensor<8xf32>");
    CHECK_STR(error_of(function("%a: tensor<4xf32>, %p: tensor<4xi1>",
                                "%0 = stablehlo.select %p, %a, %p : tensor<4xi1>, tensor<4xf32>")),
              "2:50: operand 2 is of type tensor<4xi1>, not tensor<4xf32>");
    CHECK_STR(error_of(function("%a: tensor<4xf32>",
                                "%0 = stablehlo.reshape %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x2xf32>")),
              "2:29: 1 operands, but 2 operand types");
    CHECK_STR(error_of(function("%a: tensor<4xf32>", "return %a : tensor<4xf64>")),
              "2:13: operand 0 is of type tensor<4xf32>, not tensor<4xf64>");
    CHECK_STR(error_of(function("%a: tensor<4xf32>", "%0 = stablehlo.complex %a, %a : tensor<4xcomplex<f64>>")),
              "2:33: operand 0 is of type tensor<4xf32>, not tensor<4xf64>");
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

static void bad_ops(void) {
    CHECK_STR(error_of(function("%a: tensor<f32>", "%0 = stablehlo.ad %a, %a : tensor<f32>")),
              "2:6: unknown op 'stablehlo.ad'");
    CHECK_STR(said.hint, "did you mean stablehlo.add?");
    CHECK_STR(error_of(function("%a: tensor<f32>", "%0 = stablehlo.gather %a : tensor<f32>")),
              "2:6: stablehlo.gather has no pretty form");
    CHECK_STR(error_of(function("", "%0 = \"tf.Const\"() : () -> tensor<f32>")), "2:7: unknown op 'tf.Const'");
    CHECK_STR(error_of(function("", "cf.br ^bb1\n^bb1:")), "2:1: unknown op 'cf.br'");
    CHECK_STR(error_of(function("", "return\n^bb1:")), "3:1: a region has one block; this is a second one");
    CHECK_STR(error_of("%0 = stablehlo.iota dim = 0 : tensor<4xi32>"),
              "1:6: stablehlo.iota stands inside a function, not at the top of the module");
    CHECK_STR(error_of(function("", "func.func @g() { return }")),
              "2:1: func.func stands at the top of the module, not inside an op");
    CHECK_STR(error_of("module { module { } }"), "1:10: a module inside a module is not supported");
    CHECK_STR(error_of("module { }\nmodule { }"), "2:1: a file holds one module");
    CHECK_STR(error_of("module { }\nfunc.func @f() { return }"),
              "2:1: only aliases and resources may follow the module");
    CHECK_STR(error_of(function("%a: tensor<f32>",
                                "%0 = stablehlo.compare XX, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>")),
              "2:24: 'XX' is no comparison_direction");
    CHECK_STR(said.hint, "one of: EQ NE GE GT LE LT");
    CHECK_STR(error_of(function("%a: tensor<f32>", "%0 = stablehlo.reduce_precision %a, format = e5x1 : tensor<f32>")),
              "2:46: expected a format such as e5m10");
    CHECK_STR(
        error_of(function("%a: tensor<f32>", "%0 = stablehlo.transpose %a, dim = [0] : (tensor<f32>) -> tensor<f32>")),
        "2:30: expected 'dims', found 'dim'");
    CHECK_STR(error_of(function("", "%0 = stablehlo.constant 5 : i32")),
              "2:25: expected a constant, dense<…> or dense_resource<…>");
    CHECK_STR(
        error_of(function(
            "%a: tensor<f32>",
            "%0 = stablehlo.reduce(%a init: %a) applies stablehlo.abs across dimensions = [0] : (tensor<f32>, tensor<f32>) -> tensor<f32>")),
        "2:44: 'stablehlo.abs' is no commutative op of two operands");
}

static void errors_go_on(void) {
    // Three mistakes are three errors; what they would have defined is no fourth. A region that cannot be read is
    // skipped whole.
    CHECK_STR(error_of(function("%a: tensor<f32>", "%0 = stablehlo.foo %a : tensor<f32>\n"
                                                   "%1 = stablehlo.add %0, %a : tensor<f32>\n"
                                                   "%2 = stablehlo.while(%i = %1) tensor<f32> cond {\n"
                                                   "  %9 = stablehlo.bar %a : tensor<f32>\n"
                                                   "} do {\n"
                                                   "  %9 = stablehlo.bar %a : tensor<f32>\n"
                                                   "}\n"
                                                   "%3 = stablehlo.add %2, %1 : tensor<f32>\n"
                                                   "%4 = stablehlo.constant dense<\n"
                                                   "  [1]\n"
                                                   "> : tensor<1xf31>\n"
                                                   "%5 = stablehlo.abs %4 : tensor<f32>\n")),
              "2:6: unknown op 'stablehlo.foo'");
    CHECK_INT(said.errors, 3);
    char *many = malloc(100 * 64 + 100), *p = many;
    p += sprintf(p, "func.func @f(%%a: tensor<f32>) {\n");
    for (int i = 0; i < 100; i++) p += sprintf(p, "%%%d = stablehlo.foo %%a : tensor<f32>\n", i);
    sprintf(p, "return\n}\n");
    error_of(many);
    CHECK_INT(said.errors, READ_MAX_ERRORS);
    CHECK_STR(said.note, "0:0: more than 19 errors: reading stops here");
    free(many);
}

static void broken_text(void) {
    CHECK(!read_bytes("func.func @f() {\n  re\0turn\n}", 28));
    CHECK_STR(said.message, "unknown op 're'");
    CHECK(!read_bytes("\0", 1));
    CHECK_STR(said.message, "expected an op, found the byte 0x00");
    CHECK_STR(error_of("func.func @f("), "1:14: expected a type, but the text ends here");
    CHECK_STR(error_of("func.func @f() {\n"), "2:1: expected '}', but the text ends here");
    CHECK_STR(error_of("}"), "1:1: this '}' belongs to nothing");
    CHECK_STR(error_of("func.func @f() { return }\n}"), "2:1: this '}' belongs to nothing");
    CHECK_STR(error_of("func.func @\"f"), "1:12: this string does not end before its line does");
    CHECK_STR(error_of("{-# dialect_resources: { builtin: { a: \"0x01\" } } #-}"),
              "1:43: a resource has 4 bytes of alignment and then its bytes");
    CHECK(read_bytes("", 0));
    CHECK(read_bytes("// nothing", 10));
    // Each beginning of a good text is an error or a module, and ends.
    static const char whole[] =
        "#m = 1\nmodule @m attributes {a.b = #m} {\nfunc.func @f(%a: tensor<4xf32> loc(\"a\")) -> tensor<f32> {\n"
        "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = stablehlo.reduce(%a init: %z) across dimensions = [0] : "
        "(tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer(%x: tensor<f32>, %y: tensor<f32>) {\n"
        "stablehlo.return %x : tensor<f32> loc(#loc1)\n}\nreturn %0 : tensor<f32>\n}\n}\n#loc1 = loc(\"f\":1:2)\n";
    for (size_t n = 0; n < sizeof whole; n++) {
        char *exact = malloc(n ? n : 1); // no byte behind it: a read past the end is caught
        memcpy(exact, whole, n);
        bool ok = read_bytes(exact, n);
        CHECK(ok == (said.errors == 0));
        forget();
        free(exact);
    }
    CHECK(reads(whole));
}

static void deep_nesting(void) {
    static const char *const openings[] = {"[", "{a = ", "tuple<", "(", "#stablehlo.bounds<"};
    enum { DEEP = 100000 };
    for (size_t k = 0; k < sizeof openings / sizeof *openings; k++) {
        size_t n = strlen(openings[k]);
        char *text = malloc(DEEP * n + 100), *p = text + sprintf(text, "#a = ");
        for (int i = 0; i < DEEP; i++, p += n) memcpy(p, openings[k], n);
        *p = 0;
        error_of(text);
        CHECK(said.errors > 0);
        if (k < 4) CHECK_STR(said.message, "nested more than 256 deep");
        free(text);
    }
    char *text = malloc(DEEP * 40 + 100), *p = text + sprintf(text, "func.func @f(%%a: tensor<i32>) {\n");
    for (int i = 0; i < DEEP; i++) p += sprintf(p, "\"stablehlo.case\"(%%a) ({\n");
    error_of(text);
    CHECK_STR(said.message, "nested more than 256 deep");
    free(text);
}

static void long_lines(void) {
    enum { MANY = 1 << 20 };
    char *text = malloc(MANY * 10 + 200),
         *p = text + sprintf(text, "func.func @f() {\n%%0 = stablehlo.constant dense<[");
    for (int i = 0; i < MANY; i++) p += sprintf(p, "%d, ", i);
    sprintf(p, "0]> : tensor<%dxi32>\n%%1 = stablehlo.abs %%x : tensor<f32>\nreturn\n}\n", MANY + 1);
    CHECK_STR(error_of(text), "3:20: %x is not defined");
    CHECK_INT(m->ops.n, 4);
    free(text);
}

// ---- The caller -----------------------------------------------------------------------------------------------------

// A small text with something of everything that allocates.
static const char all_kinds[] =
    "#m = [1, {a = \"x\\22\"}]\n!t = tensor<4x!quant.uniform<i8:f32, 1.0:2>>\n"
    "module @m attributes {a.b = #m} {\nfunc.func @f(%a: tensor<4xf32> {x.y = 1 : i32} loc(\"a\"), %q: !t) -> tensor<f32> {\n"
    "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%0:2 = stablehlo.reduce(%a init: %z), (%a init: %z) across dimensions = [0] : "
    "(tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) reducer(%x: tensor<f32>, %y: tensor<f32>) "
    "(%v: tensor<f32>, %w: tensor<f32>) {\nstablehlo.return %x, %v : tensor<f32>, tensor<f32> loc(fused[#loc1, unknown])\n}\n"
    "%1 = stablehlo.slice %a [0:4:2] : (tensor<4xf32>) -> tensor<2xf32>\n"
    "%2 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], precision = [HIGH, HIGH] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>\n"
    "%3 = sdy.sharding_constraint %a <@mesh, [{\"x\"}]> : tensor<4xf32>\n"
    "return %0#0 : tensor<f32>\n}\n}\n#loc1 = loc(\"f\":1:2)\n{-# dialect_resources: { builtin: { k: \"0x0400000001\" } } #-}\n";

typedef struct Memory {
    size_t live, fail_at, n;
} Memory;

static void *count_memory(void *user, void *old, size_t old_size, size_t new_size) {
    Memory *mem = user;
    if (new_size > old_size && ++mem->n == mem->fail_at) return NULL;
    void *p = new_size ? realloc(old, new_size) : NULL;
    if (!new_size) free(old);
    mem->live += new_size - old_size;
    return p;
}

// Reads with the k-th allocation failing. True if there was no k-th one, and so a module.
static bool reads_with(Memory *mem) {
    Context *c;
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .user = mem, .reallocate = count_memory}, &c);
    if (!c) return false;
    volatile bool done = false;
    Guard g;
    if (GUARD(c, &g)) {
        Module *made = module_new(c);
        source_from_memory(&made->source, "t", all_kinds, sizeof all_kinds - 1);
        CHECK(read_module(made));
        module_free(made);
        guard_close(c, &g);
        done = mem->n < mem->fail_at;
    }
    partir_context_destroy(c);
    return done;
}

// Every allocation may be the one that fails: reading ends, and nothing stays behind.
static void memory_may_end(void) {
    bool done = false;
    for (size_t k = 1; !done && k < 10000; k++) {
        Memory mem = {.fail_at = k};
        done = reads_with(&mem);
        CHECK_INT(mem.live, 0);
    }
    CHECK(done);
}

static int stop(void *user, const char *what, uint64_t n, uint64_t total) {
    return (void)user, (void)what, (void)n, (void)total, 0;
}

static void the_caller_may_stop(void) {
    Context *c;
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = listen, .progress = stop}, &c);
    Guard g;
    memset(&said, 0, sizeof said);
    if (GUARD(c, &g)) {
        Module *made = module_new(c);
        source_from_memory(&made->source, "t", all_kinds, sizeof all_kinds - 1);
        CHECK(!read_module(made));
        CHECK_STR(said.message, "cancelled");
        CHECK_INT(said.errors, 1);
        module_free(made);
        guard_close(c, &g);
    }
    partir_context_destroy(c);
}

int main(void) {
    RUN(a_module);
    RUN(a_generic_module);
    RUN(names_of_functions);
    RUN(resources);
    RUN(types);
    RUN(bad_types);
    RUN(attributes);
    RUN(constants);
    RUN(records);
    RUN(bad_attributes);
    RUN(aliases);
    RUN(attribute_names_are_sorted);
    RUN(locations);
    RUN(bad_locations);
    RUN(scopes);
    RUN(bad_values);
    RUN(bad_operand_types);
    RUN(bad_ops);
    RUN(errors_go_on);
    RUN(broken_text);
    RUN(deep_nesting);
    RUN(long_lines);
    RUN(memory_may_end);
    RUN(the_caller_may_stop);
    forget();
    return test_end();
}
