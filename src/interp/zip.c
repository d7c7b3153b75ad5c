// Zip archives. Sizes above 4 GiB are in zip64 fields, which NumPy writes for large arrays.
#include "interp/zip.h"
#include "interp/inflate.h"

enum { LOCAL = 30, CENTRAL = 46, END = 22, END64 = 56, LOCATOR64 = 20 };

static uint64_t get(const char *p, int n) {
    uint64_t v = 0;
    for (int i = 0; i < n; i++) v |= (uint64_t)(unsigned char)p[i] << (8 * i);
    return v;
}

static bool bad(Context *ctx, const char *name) {
    return diag_error(ctx, NULL, NO_OFFSET, "numpy.savez writes them", "%s is no .npz file, or is damaged", name);
}

// ---- Reading -------------------------------------------------------------------------------------------------------

// The end record is the last thing in the file but for a comment of at most 64 KiB.
static const char *find_end(Span bytes) {
    if (bytes.n < END) return NULL;
    size_t most = bytes.n - END < 65535 ? bytes.n - END : 65535;
    for (size_t back = 0; back <= most; back++) {
        const char *p = bytes.at + bytes.n - END - back;
        if (memcmp(p, "PK\5\6", 4) == 0) return p;
    }
    return NULL;
}

// Fields of 0xffffffff in a directory entry stand in its zip64 extra field instead, in this order.
static void read_zip64(const char *extra, size_t n, uint64_t *size, uint64_t *packed, uint64_t *offset) {
    while (n >= 4) {
        size_t length = get(extra + 2, 2);
        if (length > n - 4) return;
        if (get(extra, 2) == 1) {
            const char *p = extra + 4, *end = p + length;
            uint64_t *const fields[] = {size, packed, offset};
            for (int i = 0; i < 3; i++)
                if (*fields[i] == 0xffffffffu && end - p >= 8) {
                    *fields[i] = get(p, 8);
                    p += 8;
                }
            return;
        }
        extra += 4 + length;
        n -= 4 + length;
    }
}

static bool read_member(Zip *z, Arena *a, Span bytes, uint64_t *at) {
    if (*at > bytes.n || bytes.n - *at < CENTRAL || memcmp(bytes.at + *at, "PK\1\2", 4) != 0) return false;
    const char *p = bytes.at + *at;
    size_t name = get(p + 28, 2), extra = get(p + 30, 2), comment = get(p + 32, 2),
           all = CENTRAL + name + extra + comment;
    if (all > bytes.n - *at) return false;
    uint64_t packed = get(p + 20, 4), size = get(p + 24, 4), offset = get(p + 42, 4);
    read_zip64(p + CENTRAL + name, extra, &size, &packed, &offset);
    *at += all;
    // The name and extra field of the member itself may differ in length.
    if (offset > bytes.n || bytes.n - offset < LOCAL || memcmp(bytes.at + offset, "PK\3\4", 4) != 0) return false;
    uint64_t data = offset + LOCAL + get(bytes.at + offset + 26, 2) + get(bytes.at + offset + 28, 2);
    if (data > bytes.n || packed > bytes.n - data) return false;
    ZipMember m = {.name = {p + CENTRAL, name},
                   .packed = {bytes.at + data, (size_t)packed},
                   .size = size,
                   .method = (uint16_t)get(p + 10, 2)};
    vec_push(a, &z->members, m);
    return true;
}

bool zip_open(Zip *z, Arena *a, const char *name, Span bytes) {
    *z = (Zip){0};
    const char *end = find_end(bytes);
    if (!end) return bad(a->ctx, name);
    uint64_t n = get(end + 10, 2), at = get(end + 16, 4);
    size_t before = (size_t)(end - bytes.at);
    if (before >= LOCATOR64 && memcmp(end - LOCATOR64, "PK\6\7", 4) == 0) {
        uint64_t end64 = get(end - LOCATOR64 + 8, 8);
        if (end64 > bytes.n || bytes.n - end64 < END64 || memcmp(bytes.at + end64, "PK\6\6", 4) != 0)
            return bad(a->ctx, name);
        n = get(bytes.at + end64 + 32, 8);
        at = get(bytes.at + end64 + 48, 8);
    }
    for (uint64_t i = 0; i < n; i++)
        if (!read_member(z, a, bytes, &at)) return bad(a->ctx, name);
    return true;
}

bool zip_extract(const ZipMember *m, Arena *a, const char *name, Span *bytes) {
    if (m->method == 0 && m->size == m->packed.n) {
        *bytes = m->packed;
        return true;
    }
    // Deflate makes at most 1032 bytes of one.
    if (m->method != 8 || m->size / 1032 > m->packed.n || m->size > SIZE_MAX / 2) return bad(a->ctx, name);
    char *out = arena_alloc(a, (size_t)m->size + 1);
    if (!inflate_bytes((const unsigned char *)m->packed.at, m->packed.n, (unsigned char *)out, (size_t)m->size))
        return bad(a->ctx, name);
    *bytes = (Span){out, (size_t)m->size};
    return true;
}

// ---- Writing -------------------------------------------------------------------------------------------------------

static void put(Buffer *b, uint64_t v, int n) { // n <= 8
    for (int i = 0; i < n; i++) buf_char(b, (char)(v >> (8 * i) & 255));
}

static uint32_t crc(Span s) {
    static const uint32_t table[16] = {0,          0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t c = ~0u;
    for (size_t i = 0; i < s.n; i++) {
        c ^= (unsigned char)s.at[i];
        c = c >> 4 ^ table[c & 15];
        c = c >> 4 ^ table[c & 15];
    }
    return ~c;
}

void zip_begin(ZipWriter *w, Buffer *out, Arena *a) {
    *w = (ZipWriter){.out = out, .start = out->n};
    buf_init(&w->directory, a);
}

// Every member carries zip64 sizes, so that none is too large.
static void put_header(Buffer *b, bool central, uint32_t sum, Span name, uint64_t size, uint64_t offset) {
    buf_put(b, central ? "PK\1\2" : "PK\3\4", 4);
    if (central) put(b, 45, 2); // made by version 4.5
    put(b, 45, 2);
    put(b, 0, 2);           // flags
    put(b, 0, 2);           // stored
    put(b, 0x00210000u, 4); // 1980-01-01
    put(b, sum, 4);
    put(b, 0xffffffffu, 4);
    put(b, 0xffffffffu, 4);
    put(b, name.n, 2);
    put(b, central ? 28 : 20, 2);
    if (central) {
        for (int i = 0; i < 10; i++) buf_char(b, 0); // comment, disk, attributes
        put(b, 0xffffffffu, 4);
    }
    buf_span(b, name);
    put(b, 1, 2);
    put(b, central ? 24 : 16, 2);
    put(b, size, 8);
    put(b, size, 8);
    if (central) put(b, offset, 8);
}

void zip_add(ZipWriter *w, Span name, Span bytes) {
    uint64_t offset = w->out->n - w->start;
    uint32_t sum = crc(bytes);
    put_header(w->out, false, sum, name, bytes.n, offset);
    buf_span(w->out, bytes);
    put_header(&w->directory, true, sum, name, bytes.n, offset);
    w->n++;
}

void zip_end(ZipWriter *w) {
    uint64_t directory = w->out->n - w->start, end64 = directory + w->directory.n;
    buf_put(w->out, w->directory.at, w->directory.n);
    buf_put(w->out, "PK\6\6", 4);
    put(w->out, END64 - 12, 8);
    put(w->out, 45, 2);
    put(w->out, 45, 2);
    put(w->out, 0, 8); // disks
    put(w->out, w->n, 8);
    put(w->out, w->n, 8);
    put(w->out, w->directory.n, 8);
    put(w->out, directory, 8);
    buf_put(w->out, "PK\6\7", 4);
    put(w->out, 0, 4);
    put(w->out, end64, 8);
    put(w->out, 1, 4);
    buf_put(w->out, "PK\5\6", 4);
    put(w->out, 0, 4);
    put(w->out, 0xffff, 2);
    put(w->out, 0xffff, 2);
    put(w->out, 0xffffffffu, 4);
    put(w->out, 0xffffffffu, 4);
    put(w->out, 0, 2);
}
