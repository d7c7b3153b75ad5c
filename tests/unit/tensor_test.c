// Tensors, their memory, strided copies and the conversion of elements.
#include "interp/elementwise/elementwise.h"
#include "interp/tensor/copy.h"
#include "interp/tensor/float.h"
#include "interp/tensor/tensor.h"
#include "test.h"
#include <math.h>

static Context *ctx;
static Heap heap;

static void memory_is_bounded_and_given_back(void) {
    int64_t dims[] = {1000, 1000};
    Tensor *a = tensor_new(&heap, EL_F32, 2, dims);
    CHECK(a != NULL);
    CHECK_INT(a->n, 1000000);
    uint64_t with_a = heap.live;
    CHECK(with_a >= 4000000);
    Tensor *view = tensor_view(&heap, a, 1, (int64_t[]){1000000});
    tensor_release(&heap, a);
    CHECK(heap.live >= 4000000); // the view keeps the elements
    CHECK(tensor_is_unshared(view));
    tensor_release(&heap, view);
    CHECK_INT(heap.live, 0);
    CHECK(tensor_new(&heap, EL_F64, 2, (int64_t[]){1 << 20, 1 << 20}) == NULL);
    CHECK(tensor_new(&heap, EL_F64, 2, (int64_t[]){INT64_MAX, INT64_MAX}) == NULL);
    CHECK_INT(shape_elements(3, (int64_t[]){1 << 20, 0, 1 << 20}), 0);
    CHECK_INT(shape_elements(3, (int64_t[]){INT64_MAX, 0, INT64_MAX}), -1);
    CHECK_INT(shape_elements(1, (int64_t[]){-1}), -1);
}

static void many_small_ones_reuse_memory(void) {
    Tensor *keep[100];
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 100; i++) keep[i] = tensor_new(&heap, EL_I8, 1, (int64_t[]){i * 13});
        for (int i = 0; i < 100; i++) tensor_release(&heap, keep[i]);
    }
    CHECK_INT(heap.live, 0);
    CHECK(heap.peak < 5000000);
}

static void tuples_hold_their_parts(void) {
    Tensor *x = tensor_new(&heap, EL_I32, 0, NULL), *pair = tensor_tuple(&heap, 2, (Tensor *[]){x, x});
    tensor_release(&heap, x);
    CHECK_INT(x->refs, 2);
    tensor_release(&heap, pair);
    CHECK_INT(heap.live, 0);
}

static void copies_follow_strides(void) {
    int32_t from[24], to[24];
    for (int i = 0; i < 24; i++) from[i] = i;
    // [2, 3, 4] transposed to [4, 2, 3]
    copy_into_dense(4, 3, (int64_t[]){4, 2, 3}, to, from, (int64_t[]){1, 12, 4});
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 3; k++) CHECK_INT(to[(i * 2 + j) * 3 + k], j * 12 + k * 4 + i);
    // reversed
    copy_into_dense(4, 1, (int64_t[]){24}, to, from + 23, (int64_t[]){-1});
    CHECK_INT(to[0], 23);
    CHECK_INT(to[23], 0);
    // one row repeated
    copy_into_dense(4, 2, (int64_t[]){3, 4}, to, from + 5, (int64_t[]){0, 1});
    CHECK_INT(to[11], 8);
    // nothing, however large the other dimension
    copy_into_dense(4, 2, (int64_t[]){0, INT64_MAX}, NULL, NULL, (int64_t[]){1, 1});
}

static void large_transposes_are_right(void) {
    enum { N = 70, M = 45 };
    static double from[N * M], to[N * M];
    for (int i = 0; i < N * M; i++) from[i] = i;
    copy_into_dense(8, 2, (int64_t[]){M, N}, to, from, (int64_t[]){1, M});
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) CHECK_INT(to[i * N + j], j * M + i);
}

// Every f16 and bf16 goes to f32 and back unchanged; halfway cases go to even.
static void small_floats_round_to_even(void) {
    for (uint32_t u = 0; u < 65536; u++) {
        uint16_t h = (uint16_t)u, back;
        float wide;
        for (int k = 0; k < 2; k++) {
            Elem e = k ? EL_BF16 : EL_F16;
            floats_widen(e, EL_F32, &h, &wide, 1);
            double direct = elem_read_float(e, &h);
            CHECK(wide == (float)direct || (wide != wide && direct != direct));
            floats_narrow(EL_F32, e, &wide, &back, 1);
            if (wide == wide) CHECK_INT(back, h);
            if (wide != wide) CHECK(elem_read_float(e, &back) != elem_read_float(e, &back));
        }
    }
    static const struct {
        Elem elem;
        double x;
        uint64_t bits;
    } rounded[] = {
        {EL_F16, 65519.99, 0x7bff}, {EL_F16, 65520, 0x7c00},       {EL_F16, 0x1p-25, 0},
        {EL_F16, 0x1.8p-24, 2},     {EL_BF16, 1.00390625, 0x3f80}, {EL_BF16, 1.01171875, 0x3f82},
        {EL_F8E4M3FN, 464, 0x7e},   {EL_F8E4M3FN, 465, 0x7f},      {EL_F8E5M2, 61440, 0x7c},
        {EL_F4E2M1FN, 100, 0x7},    {EL_F8E4M3FNUZ, -0.0, 0},      {EL_F8E8M0FNU, 3, 0x81},
    };
    for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++) {
        uint64_t bits = 0;
        elem_write_float(rounded[i].elem, &bits, rounded[i].x);
        CHECK_INT(bits, rounded[i].bits);
        float narrow = (float)rounded[i].x;
        if ((double)narrow == rounded[i].x) {
            bits = 0;
            floats_narrow(EL_F32, rounded[i].elem, &narrow, &bits, 1);
            CHECK_INT(bits, rounded[i].bits);
        }
    }
}

static void conversions_saturate_and_wrap(void) {
    float f[] = {NAN, INFINITY, -INFINITY, 300, -1.9f, 1e30f};
    int8_t i8[6];
    uint8_t u8[6];
    int64_t i64[6];
    elements_convert(EL_F32, EL_I8, f, i8, 6);
    elements_convert(EL_F32, EL_UI8, f, u8, 6);
    elements_convert(EL_F32, EL_I64, f, i64, 6);
    CHECK(i8[0] == 0 && i8[1] == 127 && i8[2] == -128 && i8[3] == 127 && i8[4] == -1);
    CHECK(u8[0] == 0 && u8[1] == 255 && u8[2] == 0 && u8[3] == 255 && u8[4] == 0);
    CHECK(i64[5] == INT64_MAX && i64[2] == INT64_MIN);
    int32_t wide[] = {7, 8, -9, 15};
    int8_t i4[4];
    elements_convert(EL_I32, EL_I4, wide, i4, 4);
    CHECK(i4[0] == 7 && i4[1] == -8 && i4[2] == 7 && i4[3] == -1);
}

static void integers_divide_and_shift_by_anything(void) {
    int32_t a[] = {7, INT32_MIN, 5, -7}, b[] = {0, -1, 40, 2}, out[4];
    const void *in[] = {a, b};
    static const struct {
        OpKind kind;
        int32_t expected[4];
    } cases[] = {
        {OP_divide, {-1, INT32_MIN, 0, -3}},
        {OP_remainder, {7, 0, 5, -1}},
        {OP_shift_left, {7, 0, 0, -28}},
        {OP_shift_right_arithmetic, {7, -1, 0, -2}},
        {OP_shift_right_logical, {7, 0, 0, 0x3ffffffe}},
        {OP_power, {1, 0, -1, 49}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Elementwise f;
        CHECK(elementwise_find_kind(cases[i].kind, 2, (Elem[]){EL_I32, EL_I32}, EL_I32, &f));
        if (cases[i].kind == OP_power) b[2] = 3, a[2] = -1;
        elementwise_apply(&f, out, in, 4);
        for (int k = 0; k < 4; k++)
            if (cases[i].kind != OP_power || k != 1) CHECK_INT(out[k], cases[i].expected[k]);
    }
}

static void maximum_knows_nan_and_signed_zero(void) {
    float a[] = {NAN, 1, -0.0f, 0.0f}, b[] = {1, NAN, 0.0f, -0.0f}, out[4];
    Elementwise f;
    CHECK(elementwise_find_kind(OP_maximum, 2, (Elem[]){EL_F32, EL_F32}, EL_F32, &f));
    elementwise_apply(&f, out, (const void *[]){a, b}, 4);
    CHECK(out[0] != out[0] && out[1] != out[1]);
    CHECK(!signbit(out[2]) && !signbit(out[3]));
    CHECK(elementwise_find_kind(OP_minimum, 2, (Elem[]){EL_F32, EL_F32}, EL_F32, &f));
    elementwise_apply(&f, out, (const void *[]){a, b}, 4);
    CHECK(signbit(out[2]) && signbit(out[3]));
}

int main(void) {
    partir_context_create(NULL, &ctx);
    heap_init(&heap, ctx, 100 << 20);
    RUN(memory_is_bounded_and_given_back);
    RUN(many_small_ones_reuse_memory);
    RUN(tuples_hold_their_parts);
    RUN(copies_follow_strides);
    RUN(large_transposes_are_right);
    RUN(small_floats_round_to_even);
    RUN(conversions_saturate_and_wrap);
    RUN(integers_divide_and_shift_by_anything);
    RUN(maximum_knows_nan_and_signed_zero);
    heap_free(&heap);
    partir_context_destroy(ctx);
    return test_end();
}
