// Zip archives. Sizes above 4 GiB are in zip64 fields, which NumPy writes for large arrays.
#include "interp/npy/zip.h"
#include "interp/npy/inflate.h"
#include "support/diag.h"
#include "support/sort.h"

enum { LOCAL = 30, CENTRAL = 46, END = 22, END64 = 56, LOCATOR64 = 20, MAX_COMMENT = 65535 };

static uint64_t get(const char *p, int n) {
    uint64_t v = 0;
    for (int i = 0; i < n; i++) v |= (uint64_t)(unsigned char)p[i] << (8 * i);
    return v;
}

static bool bad(const Zip *z) {
    return diag_error(z->file->ctx, NULL, NO_OFFSET, "numpy.savez writes them", "%s is no .npz file, or is damaged",
                      z->file->name);
}

static bool bad_member(const Zip *z, const ZipMember *m, const char *what) {
    return diag_error(z->file->ctx, NULL, NO_OFFSET, "numpy.savez writes them", "%s: the member '%.*s' %s",
                      z->file->name, (int)m->name.n, m->name.at, what);
}

// CRC-32, eight bits at a time.
static uint32_t crc32_of(Span s) {
    uint32_t table[256], c = ~0u;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    for (size_t i = 0; i < s.n; i++) c = c >> 8 ^ table[(c ^ (unsigned char)s.at[i]) & 255];
    return ~c;
}

// ---- Reading -------------------------------------------------------------------------------------------------------

static char *take_bytes(const Zip *z, uint64_t n) {
    char *p = heap_alloc(z->heap, n ? n : 1);
    if (!p)
        diag_error(z->file->ctx, NULL, NO_OFFSET, "raise the cap (--max-memory)",
                   "%s: %llu more bytes would pass the memory cap of %llu", z->file->name, (unsigned long long)n,
                   (unsigned long long)z->heap->cap);
    return p;
}

// So many bytes at a place, on the heap; the archive says both.
static char *take_part(const Zip *z, uint64_t at, uint64_t n) {
    if (at > z->file->n || n > z->file->n - at) {
        bad(z);
        return NULL;
    }
    char *p = take_bytes(z, n);
    if (!p || file_read(z->file, at, p, (size_t)n)) return p;
    heap_release(z->heap, p);
    return NULL;
}

typedef struct Directory {
    uint64_t members, at, n;
} Directory;

// `tail` is the end of the file. The end record is the last thing in it but for a comment.
static bool find_directory(const Zip *z, const char *tail, size_t n, Directory *d) {
    for (size_t back = END; back <= n; back++) {
        const char *p = tail + n - back;
        if (memcmp(p, "PK\5\6", 4) != 0) continue;
        *d = (Directory){get(p + 10, 2), get(p + 16, 4), get(p + 12, 4)};
        if (p - tail < LOCATOR64 || memcmp(p - LOCATOR64, "PK\6\7", 4) != 0) return true;
        uint64_t end64 = get(p - LOCATOR64 + 8, 8);
        char record[END64];
        if (end64 > z->file->n || z->file->n - end64 < END64) return bad(z);
        if (!file_read(z->file, end64, record, END64)) return false;
        if (memcmp(record, "PK\6\6", 4) != 0) return bad(z);
        *d = (Directory){get(record + 32, 8), get(record + 48, 8), get(record + 40, 8)};
        return true;
    }
    return bad(z);
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

static bool read_zip_entry(Zip *z, Arena *a, const Directory *d, uint64_t *at) {
    if (d->n - *at < CENTRAL || memcmp(z->directory + *at, "PK\1\2", 4) != 0) return bad(z);
    const char *p = z->directory + *at;
    size_t name = get(p + 28, 2), extra = get(p + 30, 2), comment = get(p + 32, 2),
           all = CENTRAL + name + extra + comment;
    if (all > d->n - *at) return bad(z);
    ZipMember m = {.name = {p + CENTRAL, name},
                   .at = get(p + 42, 4),
                   .packed = get(p + 20, 4),
                   .size = get(p + 24, 4),
                   .sum = (uint32_t)get(p + 16, 4),
                   .method = (uint16_t)get(p + 10, 2)};
    read_zip64(p + CENTRAL + name, extra, &m.size, &m.packed, &m.at);
    if (get(p + 8, 2) & 1) return bad_member(z, &m, "is encrypted");
    if (m.method != 0 && m.method != 8) return bad_member(z, &m, "is packed in a way that is not known");
    // Deflate makes at most 1032 bytes of one.
    if (m.method == 0 ? m.size != m.packed : m.size / 1032 > m.packed)
        return bad_member(z, &m, "has a size that its bytes cannot have");
    vec_push(a, &z->members, m);
    *at += all;
    return true;
}

typedef struct PlacedMember {
    uint64_t at;
    uint32_t member;
} PlacedMember;

static bool is_placed_before(const PlacedMember *x, const PlacedMember *y) { return x->at < y->at; }
DEFINE_SORT(sort_placed, PlacedMember, is_placed_before)

// Members lie one after the other, before the directory: many entries that share one would make much of little.
static bool lie_apart(Zip *z, Arena *a, uint64_t directory) {
    PlacedMember *order = arena_new(a, PlacedMember, z->members.n);
    for (uint32_t i = 0; i < z->members.n; i++) order[i] = (PlacedMember){z->members.at[i].at, i};
    sort_placed(order, z->members.n, a);
    for (uint32_t i = 0; i < z->members.n; i++) {
        ZipMember *m = &z->members.at[order[i].member];
        m->end = i + 1 < z->members.n ? order[i + 1].at : directory;
        if (m->at > m->end || m->end - m->at < LOCAL || m->packed > m->end - m->at - LOCAL)
            return bad_member(z, m, "overlaps another one, or the directory");
    }
    return true;
}

bool zip_open(Zip *z, Arena *a, Heap *heap, const FileBytes *file) {
    *z = (Zip){.file = file, .heap = heap};
    size_t most = END + LOCATOR64 + MAX_COMMENT, n = file->n < most ? (size_t)file->n : most;
    char *tail = take_part(z, file->n - n, n);
    if (!tail) return false;
    Directory d = {0};
    bool found = find_directory(z, tail, n, &d);
    heap_release(heap, tail);
    if (!found || !(z->directory = take_part(z, d.at, d.n))) return false;
    for (uint64_t i = 0, at = 0; i < d.members; i++)
        if (!read_zip_entry(z, a, &d, &at)) return false;
    return lie_apart(z, a, d.at);
}

void zip_close(Zip *z) {
    if (z->directory) heap_release(z->heap, z->directory);
    z->directory = NULL;
}

// Where the packed bytes begin: the name and extra field of the member itself may differ in length from the directory's.
static bool find_packed(const Zip *z, const ZipMember *m, uint64_t *at) {
    char local[LOCAL];
    if (!file_read(z->file, m->at, local, LOCAL)) return false;
    *at = m->at + LOCAL + get(local + 26, 2) + get(local + 28, 2);
    if (memcmp(local, "PK\3\4", 4) != 0 || *at > m->end || m->packed > m->end - *at)
        return bad_member(z, m, "is not where the directory says");
    return true;
}

bool zip_peek(const Zip *z, const ZipMember *m, char *to, size_t n, size_t *got) {
    uint64_t at;
    if (!find_packed(z, m, &at)) return false;
    *got = n < m->size ? n : (size_t)m->size;
    if (m->method == 0) return file_read(z->file, at, to, *got);
    // What does not pack well is a little longer than it was.
    uint64_t some = n + n / 8 + 1024;
    if (some > m->packed) some = m->packed;
    char *packed = take_part(z, at, some);
    if (!packed) return false;
    *got = inflate_first((const unsigned char *)packed, (size_t)some, (unsigned char *)to, *got);
    heap_release(z->heap, packed);
    return true;
}

static char *inflate_member(const Zip *z, const ZipMember *m, char *packed) {
    char *bytes = packed ? take_bytes(z, m->size) : NULL;
    bool good = bytes && inflate_bytes((const unsigned char *)packed, (size_t)m->packed, (unsigned char *)bytes,
                                       (size_t)m->size);
    if (packed) heap_release(z->heap, packed);
    if (good || !bytes) return bytes;
    bad_member(z, m, "cannot be inflated");
    heap_release(z->heap, bytes);
    return NULL;
}

char *zip_extract(const Zip *z, const ZipMember *m) {
    uint64_t at;
    if (!find_packed(z, m, &at)) return NULL;
    char *bytes = take_part(z, at, m->packed);
    if (m->method == 8) bytes = inflate_member(z, m, bytes);
    if (!bytes || crc32_of((Span){bytes, (size_t)m->size}) == m->sum) return bytes;
    bad_member(z, m, "is damaged: its bytes do not have the sum (CRC-32) that was written with them");
    heap_release(z->heap, bytes);
    return NULL;
}

// ---- Writing -------------------------------------------------------------------------------------------------------

static void put_number(Buffer *b, uint64_t v, int n) { // n <= 8
    for (int i = 0; i < n; i++) buf_char(b, (char)(v >> (8 * i) & 255));
}

void zip_begin(ZipWriter *w, Buffer *out, Arena *a) {
    *w = (ZipWriter){.out = out, .start = out->n};
    buf_init(&w->directory, a);
}

// Every member carries zip64 sizes, so that none is too large.
static void put_header(Buffer *b, bool central, uint32_t sum, Span name, uint64_t size, uint64_t offset) {
    buf_put(b, central ? "PK\1\2" : "PK\3\4", 4);
    if (central) put_number(b, 45, 2); // made by version 4.5
    put_number(b, 45, 2);
    put_number(b, 0, 2);           // flags
    put_number(b, 0, 2);           // stored
    put_number(b, 0x00210000u, 4); // 1980-01-01
    put_number(b, sum, 4);
    put_number(b, 0xffffffffu, 4);
    put_number(b, 0xffffffffu, 4);
    put_number(b, name.n, 2);
    put_number(b, central ? 28 : 20, 2);
    if (central) {
        for (int i = 0; i < 10; i++) buf_char(b, 0); // comment, disk, attributes
        put_number(b, 0xffffffffu, 4);
    }
    buf_span(b, name);
    put_number(b, 1, 2);
    put_number(b, central ? 24 : 16, 2);
    put_number(b, size, 8);
    put_number(b, size, 8);
    if (central) put_number(b, offset, 8);
}

void zip_add(ZipWriter *w, Span name, Span bytes) {
    uint64_t offset = w->out->n - w->start;
    uint32_t sum = crc32_of(bytes);
    put_header(w->out, false, sum, name, bytes.n, offset);
    buf_span(w->out, bytes);
    put_header(&w->directory, true, sum, name, bytes.n, offset);
    w->n++;
}

void zip_end(ZipWriter *w) {
    uint64_t directory = w->out->n - w->start, end64 = directory + w->directory.n;
    buf_put(w->out, w->directory.at, w->directory.n);
    buf_put(w->out, "PK\6\6", 4);
    put_number(w->out, END64 - 12, 8);
    put_number(w->out, 45, 2);
    put_number(w->out, 45, 2);
    put_number(w->out, 0, 8); // disks
    put_number(w->out, w->n, 8);
    put_number(w->out, w->n, 8);
    put_number(w->out, w->directory.n, 8);
    put_number(w->out, directory, 8);
    buf_put(w->out, "PK\6\7", 4);
    put_number(w->out, 0, 4);
    put_number(w->out, end64, 8);
    put_number(w->out, 1, 4);
    buf_put(w->out, "PK\5\6", 4);
    put_number(w->out, 0, 4);
    put_number(w->out, 0xffff, 2);
    put_number(w->out, 0xffff, 2);
    put_number(w->out, 0xffffffffu, 4);
    put_number(w->out, 0xffffffffu, 4);
    put_number(w->out, 0, 2);
}
