// NumPy files and zip archives: what is written reads back, what NumPy writes is read, and damage is an error.
#include "interp/npy/array_names.h"
#include "interp/npy/inflate.h"
#include "interp/npy/npy.h"
#include "interp/tensor/float.h"
#include "interp/npy/zip.h"
#include "test.h"

static Context *ctx;
static Arena arena;
static Heap heap;
static int n_errors;
static char last_error[400];

static void count_error(void *user, const partir_diagnostic *d) {
    (void)user;
    snprintf(last_error, sizeof last_error, "%s", d->message);
    n_errors++;
}

// The header of a whole file, and its elements behind it.
static bool parse(NpyArray *a, Span bytes) {
    if (!npy_parse(a, ctx, "x.npy", bytes, bytes.n)) return false;
    a->data = bytes.at + a->start;
    return true;
}

static void arrays_go_out_and_in(void) {
    Tensor *t = tensor_new(&heap, EL_BF16, 2, (int64_t[]){2, 3});
    for (int i = 0; i < 6; i++) ((uint16_t *)(void *)t->data)[i] = (uint16_t)(i * 1000);
    Buffer out;
    buf_init(&out, &arena);
    npy_write(&out, EL_BF16, 2, t->dims, (const Tensor *[]){t}, 1);
    CHECK_INT((out.n - 12) % 64, 0); // elements are aligned
    NpyArray a;
    CHECK(parse(&a, (Span){out.at, out.n}));
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
    CHECK(parse(&a, file_of("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", big, 12)));
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
    CHECK(parse(&a, file_of("{'descr': 'bfloat16', 'fortran_order': False, 'shape': (), }", big, 2)));
    CHECK(npy_is(&a, EL_BF16) && a.rank == 0);
    CHECK(parse(&a, file_of("{'descr': '<V1', 'fortran_order': False, 'shape': (3,), }", big, 3)));
    CHECK(npy_is(&a, EL_F8E4M3FN) && npy_is(&a, EL_I4) && !npy_is(&a, EL_I8) && !npy_is(&a, EL_I1));
}

static void damaged_arrays_are_errors(void) {
    static const char *const dicts[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", // too few bytes
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", // too many
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
        CHECK(!parse(&a, file_of(dicts[i], "12345678", 8)));
        CHECK_INT(n_errors, 1);
    }
    Span good = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "12345678", 8);
    CHECK(parse(&a, good));
    for (size_t n = 0; n < good.n; n++) CHECK(!parse(&a, (Span){good.at, n}));
}

// Every element type in either order at every alignment, against elements that are moved one by one.
static void any_type_order_and_alignment(void) {
    static const Elem elems[] = {EL_I1,  EL_I4,  EL_UI2, EL_I8,  EL_UI16, EL_I32,         EL_UI64,
                                 EL_F16, EL_BF16, EL_F32, EL_F64, EL_C64,  EL_C128, EL_F8E4M3FN};
    static const int64_t dims[] = {3, 5, 2};
    for (size_t k = 0; k < sizeof elems / sizeof *elems; k++)
        for (uint32_t shift = 0; shift < 16; shift++)
            for (int fortran = 0; fortran < 2; fortran++) {
                Elem e = elems[k];
                size_t size = elem_bytes(e);
                char bytes[30 * 16 + 16];
                for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(e == EL_I1 ? i & 1 : i * 37 + i / 64);
                NpyArray a = {.size = (uint32_t)size, .fortran = fortran, .rank = 3, .data = bytes + shift};
                memcpy(a.dims, dims, sizeof dims);
                Tensor *t = tensor_new(&heap, e, 3, dims);
                npy_copy(&a, 0, t);
                for (int64_t i = 0, at = 0; i < 3; i++)
                    for (int64_t j = 0; j < 5; j++)
                        for (int64_t l = 0; l < 2; l++, at++) {
                            char want[16];
                            memcpy(want, bytes + shift + (size_t)(fortran ? i + 3 * (j + 5 * l) : at) * size, size);
                            if (elem_bits(e) < 8) elem_write_int(e, want, want[0]);
                            CHECK(memcmp(want, t->data + (size_t)at * size, size) == 0);
                        }
                tensor_release(&heap, t);
            }
}

// ---- Archives ------------------------------------------------------------------------------------------------------

static Zip zip;
static FileBytes file;

static bool open_archive(Span bytes) {
    file = (FileBytes){.ctx = ctx, .name = "x.npz", .n = bytes.n, .memory = bytes.at};
    zip_close(&zip);
    return zip_open(&zip, &arena, &heap, &file);
}

// All members of an archive come out, and they are this one.
static bool holds_only(Span want) {
    for (uint32_t i = 0; i < zip.members.n; i++) {
        char *bytes = zip_extract(&zip, &zip.members.at[i]);
        if (!bytes) return false;
        bool good = zip.members.at[i].size == want.n && memcmp(bytes, want.at, want.n) == 0;
        heap_release(&heap, bytes);
        if (!good) return false;
    }
    return true;
}

static Span two_members(const char *first, const char *second) {
    static Buffer out;
    buf_init(&out, &arena);
    ZipWriter w;
    zip_begin(&w, &out, &arena);
    zip_add(&w, SPAN("a.npy"), span_of(first));
    zip_add(&w, SPAN("deep/b.npy"), span_of(second));
    zip_end(&w);
    return (Span){out.at, out.n};
}

static void archives_go_out_and_in(void) {
    Span all = two_members("first", "first");
    CHECK(open_archive(all));
    CHECK_INT(zip.members.n, 2);
    CHECK(span_is(zip.members.at[1].name, "deep/b.npy"));
    CHECK(holds_only(SPAN("first")));
    char head[3];
    size_t got;
    CHECK(zip_peek(&zip, &zip.members.at[0], head, 3, &got) && got == 3 && memcmp(head, "fir", 3) == 0);
    for (size_t n = 0; n < all.n; n++) CHECK(!open_archive((Span){all.at, n}));
    CHECK(open_archive(two_members("first", "")));
    CHECK(!holds_only(SPAN("first")));
}

// No single wrong byte makes it read outside of the archive, and none makes another array of it.
static void a_wrong_byte_is_an_error_or_harmless(void) {
    Span all = two_members("first", "first");
    char *at = (char *)(uintptr_t)all.at;
    const char *data = memchr(at, 'f', all.n);
    CHECK(data != NULL);
    for (size_t i = 0; i < all.n; i++) {
        at[i] = (char)(at[i] ^ 0x55);
        n_errors = 0;
        bool good = open_archive(all) && (zip.members.n != 2 || holds_only(SPAN("first")));
        CHECK(good || n_errors > 0);
        at[i] = (char)(at[i] ^ 0x55);
    }
    size_t place = (size_t)(data - at);
    at[place] = 'F';
    CHECK(open_archive(all) && !holds_only(SPAN("first")));
    CHECK(strstr(last_error, "'a.npy'") && strstr(last_error, "CRC-32"));
    at[place] = 'f';
}

// Many entries that point at one member would make gigabytes of kilobytes.
static void members_do_not_overlap(void) {
    Span all = two_members("first", "first");
    char *at = (char *)(uintptr_t)all.at;
    CHECK(open_archive(all));
    uint64_t first = zip.members.at[0].at;
    for (size_t i = all.n - 200; i + 8 < all.n; i++) // the second entry's offset, in its zip64 field
        if (memcmp(at + i, &zip.members.at[1].at, 8) == 0 && zip.members.at[1].at != zip.members.at[1].size) {
            memcpy(at + i, &first, 8);
            break;
        }
    CHECK(!open_archive(all));
    CHECK(strstr(last_error, "overlaps") != NULL);
}

// What is taken of the heap comes back, and what would pass its cap is an error.
static void the_cap_covers_members(void) {
    char *text = arena_alloc(&arena, 300001);
    memset(text, 'x', 300000);
    text[300000] = 0;
    Span all = two_members(text, text);
    zip_close(&zip);
    uint64_t cap = heap.cap, before = heap.live;
    heap.cap = before + 200000;
    CHECK(open_archive(all));
    n_errors = 0;
    CHECK(!zip_extract(&zip, &zip.members.at[0]) && n_errors == 1);
    heap.cap = before + 400000;
    CHECK(holds_only((Span){text, 300000}));
    zip_close(&zip);
    CHECK_INT(heap.live, before);
    heap.cap = cap;
}

static void check_names(const char *name, const char *as_file, const char *as_member) {
    Buffer out;
    buf_init(&out, &arena);
    array_file_name(&out, span_of(name));
    CHECK_STR(buf_cstr(&out), as_file);
    out.n = 0;
    array_member_name(&out, span_of(name));
    CHECK_STR(buf_cstr(&out), as_member);
    CHECK(span_is(array_of_member(&arena, (Span){out.at, out.n}), name));
}

static void names_stay_apart_and_inside(void) {
    check_names("out/0", "out.0", "out/0");
    check_names("out/a.b", "out.a%2Eb", "out/a.b");
    check_names("../x", "%2E%2E.x", "%2E./x");
    check_names("a/../b", "a.%2E%2E.b", "a/%2E./b");
    check_names("/etc/x", "%2Fetc.x", "%2Fetc/x");
    check_names("a//b/", "a..b.", "a/%2Fb%2F");
    check_names("c:\\x\x1b%2", "c%3A%5Cx%1B%252", "c%3A%5Cx%1B%252");
    check_names("...", "%2E%2E%2E", "...");
    check_names(".", "%2E", "%2E");
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
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = count_error}, &ctx);
    arena_init(&arena, ctx);
    heap_init(&heap, ctx, 1 << 20);
    RUN(arrays_go_out_and_in);
    RUN(orders_and_byte_orders_are_understood);
    RUN(damaged_arrays_are_errors);
    RUN(any_type_order_and_alignment);
    RUN(archives_go_out_and_in);
    RUN(a_wrong_byte_is_an_error_or_harmless);
    RUN(members_do_not_overlap);
    RUN(the_cap_covers_members);
    RUN(names_stay_apart_and_inside);
    RUN(deflated_bytes_come_back);
    zip_close(&zip);
    heap_free(&heap);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
