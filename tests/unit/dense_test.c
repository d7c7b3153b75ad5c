// Constants: each form, each element type, and what must be refused. Expectations are those of MLIR's own parser.
#include "ir/module.h"
#include "test.h"

static Context *ctx;
static Module *m;

static Attr dense(DenseForm form, const char *text, Elem elem, uint32_t rank, const int64_t *dims) {
    return (Attr){
        .kind = ATTR_DENSE, .sub = (uint8_t)form, .type = type_tensor(m, elem, rank, dims), .text = span_of(text)};
}

// Decodes into hex text, so that one string says what came out; "refused" if nothing did.
static const char *decode(Attr a) {
    static char out[512];
    unsigned char bytes[128];
    int64_t count = 0;
    const Type *t = type_get(m, a.type);
    type_elements(t, &count);
    size_t n = (size_t)count * elem_bytes((Elem)t->elem);
    if (!attr_dense_decode(m, &a, bytes, n)) return "refused";
    for (size_t i = 0; i < n; i++) sprintf(out + 2 * i, "%02x", bytes[i]);
    out[2 * n] = 0;
    return out;
}

#define DIMS(...)                                                                                                      \
    (uint32_t)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]) { __VA_ARGS__ }
#define TEXT(text, elem, ...) decode(dense(DENSE_TEXT, text, elem, DIMS(__VA_ARGS__)))
#define HEX(text, elem, ...)  decode(dense(DENSE_HEX, text, elem, DIMS(__VA_ARGS__)))

static void lists_have_the_shape_of_the_type(void) {
    CHECK_STR(TEXT("[[1, -2], [3, 4]]", EL_I8, 2, 2), "01fe0304");
    CHECK_STR(TEXT(" [ [1],\n// why\n[2] ] ", EL_I16, 2, 1), "01000200");
    CHECK_STR(TEXT("7", EL_I8, 2, 3), "070707070707");
    CHECK_STR(TEXT("[]", EL_I8, 0), "");
    CHECK_STR(TEXT("", EL_I8, 0), "");
    CHECK_STR(TEXT("[[], []]", EL_I8, 2, 0), "");
    CHECK_STR(TEXT("[]", EL_I8, 0, 2), "");
    CHECK_STR(TEXT("5", EL_I8, 0), "");
    static const char *const bad[] = {"[1, 2]",    "[[1, 2]]",    "[[1], [2], [3]]", "[[1], 2]",  "[[1], [2]",
                                      "[[1] [2]]", "[[1], [2]],", "[[1], [2]] 3",    "[[1], []]", "",
                                      "[",         "[[1],, [2]]", "[[1,], [2]]",     "(1, 2)",    "1 2",
                                      "1]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK_STR(TEXT(bad[i], EL_I8, 2, 1), "refused");
    CHECK_STR(decode(dense(DENSE_TEXT, "[1]", EL_I8, 0, NULL)), "refused");
    CHECK_STR(decode(dense(DENSE_TEXT, "1", EL_I8, 0, NULL)), "01");
    CHECK_STR(TEXT("[[[[[[[[[[[[[[[[[[[[5]]]]]]]]]]]]]]]]]]]]", EL_I8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                   1, 1, 1, 1),
              "05");
}

static void integers_stay_in_range(void) {
    CHECK_STR(TEXT("[true, false, 1, 0, -1]", EL_I1, 5), "0100010001");
    CHECK_STR(TEXT("2", EL_I1, 1), "refused");
    CHECK_STR(TEXT("true", EL_I8, 1), "refused");
    CHECK_STR(TEXT("1.0", EL_I8, 1), "refused");
    CHECK_STR(TEXT("[255, -128, 0xFF, -0xF]", EL_I8, 4), "ff80fff1");
    CHECK_STR(TEXT("256", EL_I8, 1), "refused");
    CHECK_STR(TEXT("-129", EL_I8, 1), "refused");
    CHECK_STR(TEXT("255", EL_UI8, 1), "ff");
    CHECK_STR(TEXT("-1", EL_UI8, 1), "refused");
    CHECK_STR(TEXT("[7, -8, 15]", EL_I4, 3), "07f8ff");
    CHECK_STR(TEXT("15", EL_UI4, 1), "0f");
    CHECK_STR(TEXT("16", EL_I4, 1), "refused");
    CHECK_STR(TEXT("[1, -2]", EL_I2, 2), "01fe");
    CHECK_STR(TEXT("18446744073709551615", EL_I64, 1), "ffffffffffffffff");
    CHECK_STR(TEXT("18446744073709551616", EL_I64, 1), "refused");
    CHECK_STR(TEXT("-9223372036854775808", EL_I64, 1), "0000000000000080");
    CHECK_STR(TEXT("-9223372036854775809", EL_I64, 1), "refused");
    CHECK_STR(TEXT("01", EL_INDEX, 1), "0100000000000000");
}

static void floats_are_rounded_once(void) {
    CHECK_STR(TEXT("[1.0, -2., 1.0e+5, 0x7F800000]", EL_F32, 4), "0000803f000000c00050c3470000807f");
    CHECK_STR(TEXT("0x7FC0", EL_BF16, 1), "c07f");
    CHECK_STR(TEXT("0x7F800000", EL_BF16, 1), "refused");
    CHECK_STR(TEXT("-0x1", EL_F32, 1), "refused");
    CHECK_STR(TEXT("1", EL_F32, 1), "refused");
    CHECK_STR(TEXT("1e5", EL_F32, 1), "refused");
    CHECK_STR(TEXT("nan", EL_F32, 1), "refused");
    CHECK_STR(TEXT("1.0e400", EL_F64, 1), "000000000000f07f");
    CHECK_STR(TEXT("0.1", EL_F64, 1), "9a9999999999b93f");
    CHECK_STR(TEXT("1.00390625", EL_BF16, 1), "803f");
    CHECK_STR(TEXT("-0.0", EL_F16, 1), "0080");
    CHECK_STR(TEXT("[(1.0, -2.0), (0x7F800000, 3.0)]", EL_C64, 2), "0000803f000000c00000807f00004040");
    CHECK_STR(TEXT("(1.0, 2.0)", EL_C64, 1), "0000803f00000040");
    CHECK_STR(TEXT("(1.0, 2.0)", EL_F32, 1), "refused");
    CHECK_STR(TEXT("1.0", EL_C64, 1), "refused");
}

static void hex_is_raw_bytes(void) {
    CHECK_STR(HEX("0000803F00000040", EL_F32, 2), "0000803f00000040");
    CHECK_STR(HEX("0000803F", EL_F32, 3), "0000803f0000803f0000803f");
    CHECK_STR(HEX("0000803F0000", EL_F32, 2), "refused");
    CHECK_STR(HEX("0g00803F", EL_F32, 1), "refused");
    CHECK_STR(HEX("1", EL_I8, 1), "refused");
    CHECK_STR(HEX("", EL_I8, 0), "");
    CHECK_STR(HEX("0100", EL_I1, 2), "0100");
    CHECK_STR(HEX("FF", EL_I1, 2), "0101");
    CHECK_STR(HEX("02", EL_I1, 9), "010101010101010101");
    CHECK_STR(HEX("8101", EL_I1, 9), "010000000000000101");
    CHECK_STR(HEX("0101", EL_I1, 17), "refused");
    CHECK_STR(HEX("3C0B", EL_I4, 2), "fcfb");
    CHECK_STR(HEX("3C", EL_UI4, 2), "0c0c");
}

static void splats_are_seen_without_decoding(void) {
    int64_t i;
    double d;
    Attr a = dense(DENSE_TEXT, " -3", EL_I32, DIMS(1 << 30, 1 << 30));
    CHECK(attr_is_splat(m, &a) && attr_splat_int(m, &a, &i) && i == -3);
    a = dense(DENSE_TEXT, "2.5", EL_BF16, DIMS(8));
    CHECK(attr_is_splat(m, &a) && attr_splat_double(m, &a, &d) && d == 2.5 && !attr_splat_int(m, &a, &i));
    a = dense(DENSE_TEXT, "[[7]]", EL_I8, DIMS(1, 1));
    CHECK(attr_is_splat(m, &a) && attr_splat_double(m, &a, &d) && d == 7);
    a = dense(DENSE_TEXT, "[1, 1]", EL_I8, DIMS(2));
    CHECK(!attr_is_splat(m, &a) && !attr_splat_int(m, &a, &i));
    a = dense(DENSE_HEX, "FF", EL_I8, DIMS(4));
    CHECK(attr_is_splat(m, &a) && attr_splat_int(m, &a, &i) && i == -1);
    a = dense(DENSE_TEXT, "(1.0, 2.0)", EL_C64, DIMS(4));
    CHECK(attr_is_splat(m, &a) && !attr_splat_double(m, &a, &d));
}

static void small_attributes_are_lists_of_integers(void) {
    uint32_t n;
    const int64_t *v = attr_to_ints(m, attr_dense_i64(m, DIMS(2, 2), (int64_t[]){0, 1, 2, -3}), &n);
    CHECK(v && n == 4 && v[3] == -3);
    v = attr_to_ints(m, attr_ints(m, (int64_t[]){4, 5}, 2), &n);
    CHECK(v && n == 2 && v[1] == 5);
    v = attr_to_ints(m, attr_ints(m, NULL, 0), &n);
    CHECK(v && n == 0);
    Attr a = dense(DENSE_TEXT, "0", EL_I64, DIMS(2, 2));
    v = attr_to_ints(m, attr_intern(m, &a), &n);
    CHECK(v && n == 4 && v[3] == 0);
    a = dense(DENSE_TEXT, "0.5", EL_F32, DIMS(2));
    CHECK(!attr_to_ints(m, attr_intern(m, &a), &n));
    CHECK(!attr_to_ints(m, attr_unit(m), &n));
}

static void resources_hold_their_alignment_first(void) {
    struct Resource r = {.dialect = name_intern(m, SPAN("builtin")),
                         .key = name_intern(m, SPAN("blob")),
                         .hex = SPAN("0400000001020304")};
    m->resources = &r;
    m->n_resources = 1;
    Attr a = dense(DENSE_TEXT, "blob", EL_I16, DIMS(2));
    a.kind = ATTR_RESOURCE;
    CHECK_STR(decode(a), "01020304");
    a.text = SPAN("bulb");
    CHECK_STR(decode(a), "refused");
    m->n_resources = 0;
}

int main(void) {
    partir_context_create(NULL, &ctx);
    m = module_new(ctx);
    RUN(lists_have_the_shape_of_the_type);
    RUN(integers_stay_in_range);
    RUN(floats_are_rounded_once);
    RUN(hex_is_raw_bytes);
    RUN(splats_are_seen_without_decoding);
    RUN(small_attributes_are_lists_of_integers);
    RUN(resources_hold_their_alignment_first);
    module_free(m);
    partir_context_destroy(ctx);
    return test_end();
}
