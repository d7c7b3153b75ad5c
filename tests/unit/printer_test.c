// The printer on modules built by hand: what passes make, which no text has gone before. Texts are what MLIR prints.
#include "stablehlo/print/print_state.h"
#include "test.h"

static Context *ctx;
static Arena arena;

static const char *text_of(Buffer *b) { return buf_cstr(b); }

static void check_float(Elem e, uint64_t bits, const char *expected) {
    Buffer b;
    buf_init(&b, &arena);
    print_float(e, bits, &b);
    CHECK_STR(text_of(&b), expected);
}

static void floats_read_back(void) {
    check_float(EL_F32, 0x3f800000, "1.000000e+00");
    check_float(EL_F32, 0x80000000, "-0.000000e+00");
    check_float(EL_F32, 0x3dcccccd, "1.000000e-01");
    check_float(EL_F32, 0x40490fdb, "3.14159274");    // more than six digits
    check_float(EL_F32, 0x374f2049, "1.23456784E-5"); // and far from the point
    check_float(EL_F32, 0x4b800000, "0x4B800000");    // 16777216: no decimal point
    check_float(EL_F32, 0x49742408, "1000000.5");
    check_float(EL_F32, 0xff800000, "0xFF800000");
    check_float(EL_F32, 0x7fc00001, "0x7FC00001");
    check_float(EL_F64, 0x3ff0000000000000, "1.000000e+00");
    check_float(EL_F64, 1, "4.940660e-324");
    check_float(EL_F64, 0x7fefffffffffffff, "1.7976931348623157E+308");
    check_float(EL_BF16, 0x3dcd, "1.000980e-01");
    check_float(EL_F16, 0x7bff, "6.550400e+04");
    check_float(EL_F8E4M3FN, 0x7e, "4.480000e+02");
    check_float(EL_F8E4M3FN, 0x7f, "0x7F");
    check_float(EL_F8E8M0FNU, 0x7f, "1.000000e+00");
    check_float(EL_F4E2M1FN, 0x7, "6.000000e+00");
}

static void check_bytes(Module *m, TypeId type, const void *bytes, size_t n, const char *expected) {
    Buffer b;
    buf_init(&b, &arena);
    print_attr(m, attr_dense_bytes(m, type, bytes, n), &b);
    CHECK_STR(text_of(&b), expected);
}

static void bytes_become_lists(void) {
    Module *m = module_new(ctx);
    int64_t four = 4, two_by_two[] = {2, 2}, none[] = {3, 0}, many = 128, huge = INT64_C(1) << 40;
    check_bytes(m, type_tensor(m, EL_I32, 1, &four), (int32_t[]){1, -2, 3, 4}, 16,
                "dense<[1, -2, 3, 4]> : tensor<4xi32>");
    check_bytes(m, type_tensor(m, EL_I32, 1, &four), (int32_t[]){7, 7, 7, 7}, 16, "dense<7> : tensor<4xi32>");
    check_bytes(m, type_tensor(m, EL_I32, 1, &huge), (int32_t[]){7}, 4, "dense<7> : tensor<1099511627776xi32>");
    check_bytes(m, type_tensor(m, EL_I1, 2, two_by_two), (char[]){1, 0, 0, 1}, 4,
                "dense<[[true, false], [false, true]]> : tensor<2x2xi1>");
    check_bytes(m, type_tensor(m, EL_UI8, 2, two_by_two), (uint8_t[]){255, 0, 1, 2}, 4,
                "dense<[[255, 0], [1, 2]]> : tensor<2x2xui8>");
    check_bytes(m, type_tensor(m, EL_I4, 1, &four), (int8_t[]){-8, 7, 0, 1}, 4, "dense<[-8, 7, 0, 1]> : tensor<4xi4>");
    check_bytes(m, type_tensor(m, EL_C64, 0, NULL), (float[]){1, -2.5f}, 8,
                "dense<(1.000000e+00,-2.500000e+00)> : tensor<complex<f32>>");
    check_bytes(m, type_tensor(m, EL_F32, 2, none), "", 0, "dense<> : tensor<3x0xf32>");
    int64_t one_by_two[] = {1, 2, 1};
    check_bytes(m, type_tensor(m, EL_I64, 3, one_by_two), (int64_t[]){INT64_MIN, 5}, 16,
                "dense<[[[-9223372036854775808], [5]]]> : tensor<1x2x1xi64>");
    uint8_t bytes[128] = {0x0a};
    char expected[400] = "dense<\"0x0A";
    for (int i = 1; i < 128; i++) strcat(expected, "00");
    strcat(expected, "\"> : tensor<128xui8>");
    check_bytes(m, type_tensor(m, EL_UI8, 1, &many), bytes, 128, expected);
    module_free(m);
}

static void check_attr(const Module *m, AttrId a, const char *expected) {
    Buffer b;
    buf_init(&b, &arena);
    print_attr(m, a, &b);
    CHECK_STR(text_of(&b), expected);
}

static void attributes_as_mlir_writes_them(void) {
    Module *m = module_new(ctx);
    check_attr(m, attr_int(m, -1, EL_I64), "-1 : i64");
    check_attr(m, attr_int(m, -1, EL_UI64), "18446744073709551615 : ui64");
    check_attr(m, attr_int(m, 1, EL_I1), "true");
    AttrId float32 = attr_intern(m, &(Attr){.kind = ATTR_FLOAT, .type = type_scalar(m, EL_F32), .f = 0.5});
    AttrId items[] = {attr_int(m, 1, EL_I64), attr_int(m, 2, EL_I32), float32, attr_bool(m, false)};
    check_attr(m, attr_array(m, items, 4), "[1, 2 : i32, 5.000000e-01 : f32, false]");
    check_attr(m, attr_string(m, SPAN("a\"b\\c\n\x7f é")), "\"a\\22b\\\\c\\0A\\7F \\C3\\A9\"");
    check_attr(m, attr_symbol(m, SPAN("main")), "@main");
    check_attr(m, attr_symbol(m, SPAN("odd name")), "@\"odd name\"");
    check_attr(m, attr_symbol(m, SPAN("a::@b")), "@a::@b");
    NamedAttr entries[] = {{name_intern(m, SPAN("b")), attr_unit(m)},
                           {name_intern(m, SPAN("a.c")), attr_int(m, 1, EL_I8)},
                           {name_intern(m, SPAN("1")), attr_bool(m, true)}};
    check_attr(m, attr_dict(m, entries, 3), "{\"1\" = true, a.c = 1 : i8, b}");
    check_attr(m, attr_ints(m, NULL, 0), "array<i64>");
    check_attr(m, attr_ints(m, (int64_t[]){3, -1}, 2), "array<i64: 3, -1>");
    check_attr(m, attr_enum(m, ENUM_PRECISION, "HIGH"), "#stablehlo<precision HIGH>");
    check_attr(m, attr_enum(m, ENUM_RESULT_ACCURACY_MODE, "DEFAULT"), "#stablehlo.result_accuracy_mode<DEFAULT>");
    int64_t one = 1;
    FieldValue gather[] = {{.field = RF_GATHER_offset_dims, .n = 1, .ints = &one},
                           {.field = RF_GATHER_collapsed_slice_dims, .n = 0},
                           {.field = RF_GATHER_index_vector_dim, .i = 0}};
    check_attr(m, attr_record(m, RECORD_GATHER, gather, 3), "#stablehlo.gather<offset_dims = [1]>");
    FieldValue channel[] = {{.field = RF_CHANNEL_HANDLE_handle, .i = 0}, {.field = RF_CHANNEL_HANDLE_type, .i = 1}};
    check_attr(m, attr_record(m, RECORD_CHANNEL_HANDLE, channel, 2), "#stablehlo.channel_handle<handle = 0, type = 1>");
    module_free(m);
}

// ---- Whole modules --------------------------------------------------------------------------------------------------

static OpId function(Module *m, const char *name, const TypeId *parts, uint32_t n_inputs, uint32_t n_results) {
    Type t = {.kind = TYPE_FUNCTION, .rank = n_inputs + n_results, .n_inputs = n_inputs, .parts = parts};
    NamedAttr attrs[] = {{A_function_type, attr_type(m, type_intern(m, &t))},
                         {A_sym_name, attr_string(m, span_of(name))}};
    OpId f = op_new(m, 0, &(OpSpec){.kind = OP_func_func, .attrs = attrs, .n_attrs = 2, .n_regions = 1, .loc = NO_ID});
    for (uint32_t i = 0; i < n_inputs; i++) region_add_argument(m, op_region(m, f, 0), parts[i]);
    return f;
}

static OpId emit(Module *m, RegionId into, OpKind kind, const ValueId *operands, uint32_t n_operands,
                 const TypeId *results, uint32_t n_results, uint32_t n_regions) {
    return op_new(m, into,
                  &(OpSpec){.kind = kind,
                            .operands = operands,
                            .n_operands = n_operands,
                            .results = results,
                            .n_results = n_results,
                            .n_regions = n_regions,
                            .loc = NO_ID});
}

static OpId constant(Module *m, RegionId into, TypeId t, AttrId value) {
    OpId op = emit(m, into, OP_constant, NULL, 0, &t, 1, 0);
    op_set_attr(m, op, A_value, value);
    return op;
}

// @main(f32) loops once over (i32, f32); the names of its constants collide on purpose.
static Module *loop(void) {
    Module *m = module_new(ctx);
    TypeId f = type_tensor(m, EL_F32, 0, NULL), i = type_tensor(m, EL_I32, 0, NULL), p = type_tensor(m, EL_I1, 0, NULL);
    TypeId pair[] = {i, f};
    OpId fn = function(m, "main", (TypeId[]){f, f}, 1, 1);
    RegionId r = op_region(m, fn, 0);
    static const int32_t zero = 0;
    static const float half = 0.5f;
    static const char yes = 1;
    ValueId c = op_result(m, constant(m, r, i, attr_dense_bytes(m, i, &zero, 4)), 0);
    constant(m, r, f, attr_dense_bytes(m, f, &half, 4));
    constant(m, r, i, attr_dense_bytes(m, i, &zero, 4));
    OpId w = emit(m, r, OP_while, (ValueId[]){c, m->regions.at[r].first_arg}, 2, pair, 2, 2);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t a = 0; a < 2; a++) region_add_argument(m, op_region(m, w, k), pair[a]);
    RegionId cond = op_region(m, w, 0), body = op_region(m, w, 1);
    ValueId t = op_result(m, constant(m, cond, p, attr_dense_bytes(m, p, &yes, 1)), 0);
    emit(m, cond, OP_return, &t, 1, NULL, 0, 0);
    ValueId x = m->regions.at[body].first_arg + 1;
    ValueId sum = op_result(m, emit(m, body, OP_add, (ValueId[]){x, x}, 2, &f, 1, 0), 0);
    emit(m, body, OP_return, (ValueId[]){m->regions.at[body].first_arg, sum}, 2, NULL, 0, 0);
    emit(m, r, OP_func_return, (ValueId[]){op_result(m, w, 1)}, 1, NULL, 0, 0);
    return m;
}

static void check_module(const Module *m, unsigned flags, const char *expected) {
    Buffer b;
    buf_init(&b, &arena);
    print_module(m, flags, &b);
    CHECK_STR(text_of(&b), expected);
}

static void names_follow_regions(void) {
    Module *m = loop();
    check_module(m, 0,
                 "module {\n"
                 "  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {\n"
                 "    %c = stablehlo.constant dense<0> : tensor<i32>\n"
                 "    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>\n"
                 "    %c_0 = stablehlo.constant dense<0> : tensor<i32>\n"
                 "    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0) : tensor<i32>, tensor<f32>\n"
                 "    cond {\n"
                 "      %c_2 = stablehlo.constant dense<true> : tensor<i1>\n"
                 "      stablehlo.return %c_2 : tensor<i1>\n"
                 "    } do {\n"
                 "      %1 = stablehlo.add %iterArg_1, %iterArg_1 : tensor<f32>\n"
                 "      stablehlo.return %iterArg, %1 : tensor<i32>, tensor<f32>\n"
                 "    }\n"
                 "    return %0#1 : tensor<f32>\n"
                 "  }\n"
                 "}\n");
    check_module(m, PARTIR_PRINT_GENERIC,
                 "\"builtin.module\"() ({\n"
                 "  \"func.func\"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = \"main\"}> ({\n"
                 "  ^bb0(%arg0: tensor<f32>):\n"
                 "    %0 = \"stablehlo.constant\"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>\n"
                 "    %1 = \"stablehlo.constant\"() <{value = dense<5.000000e-01> : tensor<f32>}> : () -> tensor<f32>\n"
                 "    %2 = \"stablehlo.constant\"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>\n"
                 "    %3:2 = \"stablehlo.while\"(%0, %arg0) ({\n"
                 "    ^bb0(%arg3: tensor<i32>, %arg4: tensor<f32>):\n"
                 "      %5 = \"stablehlo.constant\"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>\n"
                 "      \"stablehlo.return\"(%5) : (tensor<i1>) -> ()\n"
                 "    }, {\n"
                 "    ^bb0(%arg1: tensor<i32>, %arg2: tensor<f32>):\n"
                 "      %4 = \"stablehlo.add\"(%arg2, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
                 "      \"stablehlo.return\"(%arg1, %4) : (tensor<i32>, tensor<f32>) -> ()\n"
                 "    }) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)\n"
                 "    \"func.return\"(%3#1) : (tensor<f32>) -> ()\n"
                 "  }) : () -> ()\n"
                 "}) : () -> ()\n");
    module_free(m);
}

static LocId loc_file(Module *m, const char *file, uint32_t line) {
    Loc l = {.kind = LOC_FILE,
             .name = name_intern(m, span_of(file)),
             .line = line,
             .column = 2,
             .end_line = line,
             .end_column = 9,
             .child = NO_ID,
             .other = NO_ID,
             .metadata = NO_ID};
    return loc_add(m, &l);
}

static LocId loc_name(Module *m, const char *name, LocId child) {
    Loc l = {
        .kind = LOC_NAME, .name = name_intern(m, span_of(name)), .child = child, .other = NO_ID, .metadata = NO_ID};
    return loc_add(m, &l);
}

// Deeper locations after those they are made of, arguments' first, equal ones once.
static void locations_are_named(void) {
    Module *m = module_new(ctx);
    TypeId f = type_tensor(m, EL_F32, 0, NULL);
    OpId fn = function(m, "main", (TypeId[]){f, f}, 1, 1);
    RegionId r = op_region(m, fn, 0);
    LocId *arg_loc = arena_new(&m->arena, LocId, 1);
    arg_loc[0] = loc_name(m, "x", NO_ID);
    m->regions.at[r].arg_locs = arg_loc;
    ValueId x = m->regions.at[r].first_arg;
    OpId first = emit(m, r, OP_add, (ValueId[]){x, x}, 2, &f, 1, 0);
    op_get(m, first)->loc = loc_name(m, "add", loc_file(m, "a.py", 7));
    OpId second = emit(m, r, OP_negate, (ValueId[]){op_result(m, first, 0)}, 1, &f, 1, 0);
    op_get(m, second)->loc = loc_file(m, "a.py", 7);
    emit(m, r, OP_func_return, (ValueId[]){op_result(m, second, 0)}, 1, NULL, 0, 0);
    check_module(m, PARTIR_PRINT_LOCATIONS,
                 "#loc1 = loc(\"x\")\n"
                 "module {\n"
                 "  func.func @main(%arg0: tensor<f32> loc(\"x\")) -> tensor<f32> {\n"
                 "    %0 = stablehlo.add %arg0, %arg0 : tensor<f32> loc(#loc3)\n"
                 "    %1 = stablehlo.negate %0 : tensor<f32> loc(#loc2)\n"
                 "    return %1 : tensor<f32> loc(#loc)\n"
                 "  } loc(#loc)\n"
                 "} loc(#loc)\n"
                 "#loc = loc(unknown)\n"
                 "#loc2 = loc(\"a.py\":7:2 to :9)\n"
                 "#loc3 = loc(\"add\"(#loc2))\n");
    module_free(m);
}

// An op that its pretty form cannot express is quoted, so that nothing is lost.
static void odd_ops_are_quoted(void) {
    Module *m = module_new(ctx);
    TypeId f = type_tensor(m, EL_F32, 0, NULL);
    OpId fn = function(m, "main", NULL, 0, 0);
    RegionId r = op_region(m, fn, 0);
    emit(m, r, OP_iota, NULL, 0, &f, 1, 0);
    emit(m, r, OP_func_return, NULL, 0, NULL, 0, 0);
    check_module(m, 0,
                 "module {\n"
                 "  func.func @main() {\n"
                 "    %0 = \"stablehlo.iota\"() : () -> tensor<f32>\n"
                 "    return\n"
                 "  }\n"
                 "}\n");
    module_free(m);
}

// Groups that are long and stand twice are written once.
static void groups_are_shared(void) {
    Module *m = module_new(ctx);
    TypeId f = type_tensor(m, EL_F32, 0, NULL);
    OpId fn = function(m, "main", (TypeId[]){f}, 1, 0);
    RegionId r = op_region(m, fn, 0);
    ValueId x = m->regions.at[r].first_arg;
    int64_t dims[] = {2, 16};
    static int64_t ids[32];
    for (int64_t i = 0; i < 32; i++) ids[i] = i;
    for (int k = 0; k < 2; k++) {
        OpId op = emit(m, r, OP_cross_replica_sum, &x, 1, &f, 1, 0);
        op_set_attr(m, op, A_replica_groups, attr_dense_i64(m, 2, dims, ids));
    }
    emit(m, r, OP_func_return, NULL, 0, NULL, 0, 0);
    check_module(
        m, 0,
        "#groups0 = dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "
        "[16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]]> : tensor<2x16xi64>\n"
        "module {\n"
        "  func.func @main(%arg0: tensor<f32>) {\n"
        "    %0 = \"stablehlo.cross-replica-sum\"(%arg0) <{replica_groups = #groups0}> : (tensor<f32>) -> tensor<f32>\n"
        "    %1 = \"stablehlo.cross-replica-sum\"(%arg0) <{replica_groups = #groups0}> : (tensor<f32>) -> tensor<f32>\n"
        "    return\n"
        "  }\n"
        "}\n");
    module_free(m);
}

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(floats_read_back);
    RUN(bytes_become_lists);
    RUN(attributes_as_mlir_writes_them);
    RUN(names_follow_regions);
    RUN(locations_are_named);
    RUN(odd_ops_are_quoted);
    RUN(groups_are_shared);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
