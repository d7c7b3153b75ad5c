// NumPy files and zip archives: what is written reads back, what NumPy writes is read, and damage is an error.
#include "interp/inflate.h"
#include "interp/npy.h"
#include "interp/zip.h"
#include "test.h"

static Context *ctx;
static Arena arena;
static Heap heap;
static int n_errors;

static void count_error(void *user, const partir_diagnostic *d) {
    (void)user, (void)d;
    n_errors++;
}

static void arrays_go_out_and_in(void) {
    Tensor *t = tensor_new(&heap, EL_BF16, 2, (int64_t[]){2, 3});
    for (int i = 0; i < 6; i++) ((uint16_t *)(void *)t->data)[i] = (uint16_t)(i * 1000);
    Buffer out;
    buf_init(&out, &arena);
    npy_write(&out, EL_BF16, 2, t->dims, (const Tensor *[]){t}, 1);
    CHECK_INT((out.n - 12) % 64, 0); // elements are aligned
    NpyArray a;
    CHECK(npy_parse(&a, ctx, "x.npy", (Span){out.at, out.n}));
    CHECK(npy_is(&a, EL_BF16) && !npy_is(&a, EL_F16) && !npy_is(&a, EL_F32));
    CHECK_INT(a.rank, 2);
    Tensor *back = tensor_new(&heap, EL_BF16, 2, t->dims);
    npy_copy(&a, 0, back);
    CHECK(memcmp(t->data, back->data, 12) == 0);
    tensor_release(&heap, t);
    tensor_release(&heap, back);
}

// One header as NumPy writes it, with elements after it.
static Span file_of(const char *dict, const void *data, size_t n) {
    Buffer out;
    buf_init(&out, &arena);
    size_t length = strlen(dict);
    buf_put(&out, "\x93NUMPY\x01\x00", 8);
    buf_char(&out, (char)length);
    buf_char(&out, (char)(length >> 8));
    buf_str(&out, dict);
    buf_put(&out, data, n);
    return (Span){out.at, out.n};
}

static void orders_and_byte_orders_are_understood(void) {
    static const unsigned char big[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    NpyArray a;
    CHECK(npy_parse(&a, ctx, "x", file_of("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", big, 12)));
    CHECK(npy_is(&a, EL_I16) && a.swapped && a.fortran);
    Tensor *t = tensor_new(&heap, EL_I16, 2, (int64_t[]){2, 3});
    npy_copy(&a, 0, t);
    const int16_t *v = (const int16_t *)(const void *)t->data;
    CHECK(v[0] == 1 && v[1] == 3 && v[2] == 5 && v[3] == 2 && v[4] == 4 && v[5] == 6);
    Tensor *row = tensor_new(&heap, EL_I16, 1, (int64_t[]){3}); // the second slice of the first dimension
    npy_copy(&a, 3, row);
    CHECK_INT(((int16_t *)(void *)row->data)[0], 2);
    CHECK_INT(((int16_t *)(void *)row->data)[2], 6);
    tensor_release(&heap, t);
    tensor_release(&heap, row);
    CHECK(npy_parse(&a, ctx, "x", file_of("{'descr': 'bfloat16', 'fortran_order': False, 'shape': (), }", big, 2)));
    CHECK(npy_is(&a, EL_BF16) && a.rank == 0);
    CHECK(npy_parse(&a, ctx, "x", file_of("{'descr': '<V1', 'fortran_order': False, 'shape': (3,), }", big, 3)));
    CHECK(npy_is(&a, EL_F8E4M3FN) && npy_is(&a, EL_I4) && !npy_is(&a, EL_I8) && !npy_is(&a, EL_I1));
}

static void damaged_arrays_are_errors(void) {
    static const char *const dicts[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", // too few bytes
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999), }",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<O8', 'fortran_order': False, 'shape': (0,), }",
        "{'descr': '<f3', 'fortran_order': False, 'shape': (0,), }",
        "{",
        "",
    };
    NpyArray a;
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        n_errors = 0;
        CHECK(!npy_parse(&a, ctx, "x", file_of(dicts[i], "12345678", 8)));
        CHECK_INT(n_errors, 1);
    }
    Span good = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "12345678", 8);
    CHECK(npy_parse(&a, ctx, "x", good));
    for (size_t n = 0; n < good.n; n++) CHECK(!npy_parse(&a, ctx, "x", (Span){good.at, n}));
}

static void archives_go_out_and_in(void) {
    Buffer out;
    buf_init(&out, &arena);
    ZipWriter w;
    zip_begin(&w, &out, &arena);
    zip_add(&w, SPAN("a.npy"), SPAN("first"));
    zip_add(&w, SPAN("deep/b.npy"), SPAN(""));
    zip_end(&w);
    Zip z;
    Span bytes;
    CHECK(zip_open(&z, &arena, "x.npz", (Span){out.at, out.n}));
    CHECK_INT(z.members.n, 2);
    CHECK(span_is(z.members.at[1].name, "deep/b.npy"));
    CHECK(zip_extract(&z.members.at[0], &arena, "x.npz", &bytes) && span_is(bytes, "first"));
    for (size_t n = 0; n < out.n; n++) CHECK(!zip_open(&z, &arena, "x.npz", (Span){out.at, n}));
    // No single wrong byte makes it read outside of the archive.
    for (size_t i = 0; i < out.n; i++) {
        char was = out.at[i];
        out.at[i] = (char)(was ^ 0x55);
        if (zip_open(&z, &arena, "x.npz", (Span){out.at, out.n}))
            for (uint32_t k = 0; k < z.members.n; k++) zip_extract(&z.members.at[k], &arena, "x.npz", &bytes);
        out.at[i] = was;
    }
}

// zlib's raw deflate of a line three times (fixed codes), and of the 400 bytes i % 4 ? i * i % 7 + 97 : 48 (dynamic
// codes).
static const unsigned char fixed_codes[] = {0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40,
                                            0x27, 0xb9, 0x32, 0x48, 0x14, 0x07, 0x00};
static const unsigned char dynamic_codes[] = {0xed, 0xc9, 0x31, 0x11, 0x00, 0x30, 0x10, 0xc3, 0x30, 0x4a, 0xa6,
                                              0x14, 0xe7, 0xc2, 0x9f, 0x42, 0x59, 0x74, 0x7a, 0xad, 0xc2, 0x95,
                                              0x19, 0xd6, 0x62, 0xa4, 0x1d, 0x71, 0x74, 0x72, 0xf7, 0xfd, 0x1e};

static void deflated_bytes_come_back(void) {
    unsigned char out[512];
    const char *line = "hello hello hello hello\n";
    CHECK(inflate_bytes(fixed_codes, sizeof fixed_codes, out, 72));
    for (int i = 0; i < 3; i++) CHECK(memcmp(out + 24 * i, line, 24) == 0);
    CHECK(!inflate_bytes(fixed_codes, sizeof fixed_codes, out, 71)); // more bytes than announced
    CHECK(!inflate_bytes(fixed_codes, sizeof fixed_codes, out, 73)); // fewer
    for (size_t n = 0; n < sizeof fixed_codes - 1; n++) CHECK(!inflate_bytes(fixed_codes, n, out, 72));
    CHECK(inflate_bytes(dynamic_codes, sizeof dynamic_codes, out, 400));
    for (int i = 0; i < 400; i++) CHECK_INT(out[i], i % 4 ? i * i % 7 + 97 : 48);
    // Any bytes: an answer or an error, never a read or write outside.
    uint32_t state = 1;
    for (int round = 0; round < 20000; round++) {
        unsigned char in[40];
        for (size_t i = 0; i < sizeof in; i++) in[i] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
        in[0] = (unsigned char)((in[0] & ~7) | (round % 3 + 0) << 1 | 1);
        inflate_bytes(in, sizeof in, out, sizeof out);
    }
}

int main(void) {
    ctx = partir_context_create(&(partir_options){.diagnostic = count_error});
    arena_init(&arena, ctx);
    heap_init(&heap, ctx, 1 << 20);
    RUN(arrays_go_out_and_in);
    RUN(orders_and_byte_orders_are_understood);
    RUN(damaged_arrays_are_errors);
    RUN(archives_go_out_and_in);
    RUN(deflated_bytes_come_back);
    heap_free(&heap);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
