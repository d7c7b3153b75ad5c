// Dense constants: from what the text says to elements in memory.
//
//     dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>        a list with the shape of the type
//     dense<1.5> : tensor<8xbf16>                       a splat: one element for all
//     dense<"0x0000803F"> : tensor<2xf32>               raw bytes; those of one element are a splat
//     dense<0x7F800000> : tensor<f32>                   the bits of a float
//
// Numbers mean what they mean to MLIR: a decimal is read as the nearest double and then rounded to the element type.
#include "ir/float_format.h"
#include "ir/module.h"
#include "support/decimal.h"

#if defined(__BYTE_ORDER__)
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements in memory and in hex text are both little-endian");
#endif

// ---- One number -----------------------------------------------------------------------------------------------------

typedef struct DenseReader {
    const char *p, *end;
    Elem elem;
} DenseReader;

static void skip_dense_space(DenseReader *r) {
    for (; r->p < r->end; r->p++) {
        char c = *r->p;
        if (c == '/' && r->end - r->p >= 2 && r->p[1] == '/') {
            while (r->p < r->end && *r->p != '\n') r->p++;
            if (r->p == r->end) return;
        } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            return;
        }
    }
}

static bool dense_eat(DenseReader *r, char c) {
    skip_dense_space(r);
    if (r->p == r->end || *r->p != c) return false;
    r->p++;
    return true;
}

static bool is_word_char(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '.' || c == '$'; }

// The next literal without its sign: digits, letters, dots, and the sign of an exponent.
static Span take_literal(DenseReader *r) {
    const char *start = r->p;
    bool hex = r->end - r->p > 1 && r->p[0] == '0' && (r->p[1] == 'x' || r->p[1] == 'X');
    for (; r->p < r->end; r->p++) {
        bool exponent_sign =
            !hex && r->p > start && (r->p[-1] == 'e' || r->p[-1] == 'E') && (*r->p == '-' || *r->p == '+');
        if (!is_word_char(*r->p) && !exponent_sign) break;
    }
    return (Span){start, (size_t)(r->p - start)};
}

static bool is_hex(Span s) { return s.n > 2 && s.at[0] == '0' && s.at[1] == 'x'; }

static bool parse_magnitude(Span s, uint64_t *out) {
    uint64_t v = 0, base = is_hex(s) ? 16 : 10;
    size_t i = base == 16 ? 2 : 0;
    if (i == s.n) return false;
    for (; i < s.n; i++) {
        int digit = hex_digit(s.at[i]);
        if (digit < 0 || (uint64_t)digit >= base || v > (UINT64_MAX - (uint64_t)digit) / base) return false;
        v = v * base + (uint64_t)digit;
    }
    *out = v;
    return true;
}

static uint64_t low_bits(uint32_t n) { return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1; }

// An integer in the type's range; types without a sign of their own (i8) take it as signed or as unsigned: -1 or 255.
static bool parse_int(Span s, bool negative, Elem elem, uint64_t *out) {
    uint32_t bits = elem_bits(elem);
    uint64_t v;
    if (elem == EL_I1 && !negative && (span_is(s, "true") || span_is(s, "false"))) {
        *out = s.at[0] == 't';
        return true;
    }
    if (!parse_magnitude(s, &v)) return false;
    if (negative ? elem_class(elem) == CLASS_UINT || v > (uint64_t)1 << (bits - 1) : v > low_bits(bits)) return false;
    if (negative) v = 0 - v;
    *out = elem == EL_I1 ? v & 1 : v;
    return true;
}

static bool parse_float(Span s, bool negative, Elem elem, uint64_t *out) {
    if (is_hex(s)) return !negative && parse_magnitude(s, out) && *out <= low_bits(elem_bits(elem));
    double v;
    if (!memchr(s.at, '.', s.n) || s.at[0] == '.' || !decimal_to_double(s, &v)) return false;
    *out = float_from_double(elem, negative ? -v : v);
    return true;
}

// Sub-byte integers fill their byte: with their sign, or with zeros.
static void store(char *out, Elem elem, uint64_t bits) {
    uint32_t n = elem_bits(elem);
    if (n < 8) {
        bits &= low_bits(n);
        if (elem_class(elem) == CLASS_SINT && bits >> (n - 1)) bits |= ~low_bits(n);
    }
    memcpy(out, &bits, elem_bytes(elem));
}

static Elem complex_part(Elem elem) { return elem == EL_C64 ? EL_F32 : elem == EL_C128 ? EL_F64 : elem; }

static bool read_scalar(DenseReader *r, Elem elem, char *out) {
    bool negative = dense_eat(r, '-');
    Span s = take_literal(r);
    uint64_t bits;
    bool ok = elem_class(elem) == CLASS_FLOAT ? s.n && parse_float(s, negative, elem, &bits)
                                              : s.n && parse_int(s, negative, elem, &bits);
    if (ok) store(out, elem, bits);
    return ok;
}

static bool read_dense_element(DenseReader *r, char *out) {
    Elem part = complex_part(r->elem);
    skip_dense_space(r);
    if (part == r->elem) return read_scalar(r, part, out);
    return dense_eat(r, '(') && read_scalar(r, part, out) && dense_eat(r, ',') &&
           read_scalar(r, part, out + elem_bytes(part)) && dense_eat(r, ')');
}

// ---- Lists ----------------------------------------------------------------------------------------------------------

enum { SMALL_RANK = 16 };

// Reads [[…], …] with the dimensions of the type. `seen` has a counter for each open bracket. Without `out` it only looks.
static bool read_dense_list(DenseReader *r, const Type *t, int64_t *seen, char *out, size_t out_bytes) {
    size_t size = elem_bytes(r->elem), at = 0;
    char unused[16];
    uint32_t depth = 0;
    do {
        // Down to the next element or empty list.
        while (depth < t->rank) {
            if (!dense_eat(r, '[')) return false;
            seen[depth++] = 0;
            if (t->dims[depth - 1] == 0) break;
        }
        if (depth == t->rank && (depth == 0 || t->dims[depth - 1] != 0)) {
            if (out_bytes - at < size || !read_dense_element(r, out ? out + at : unused)) return false;
            at += size;
            if (depth) seen[depth - 1]++;
        }
        // Up through every list that is full.
        while (depth && seen[depth - 1] == t->dims[depth - 1]) {
            if (!dense_eat(r, ']')) return false;
            if (--depth) seen[depth - 1]++;
        }
        if (depth && seen[depth - 1] && !dense_eat(r, ',')) return false;
    } while (depth);
    skip_dense_space(r);
    return r->p == r->end && at == out_bytes;
}

static void repeat(char *out, size_t size, size_t out_bytes) {
    for (size_t done = size; done < out_bytes;) {
        size_t n = done < out_bytes - done ? done : out_bytes - done;
        memcpy(out + done, out, n);
        done += n;
    }
}

static bool decode_text(const Module *m, Span text, const Type *t, Elem elem, char *out, size_t out_bytes) {
    DenseReader r = {text.at, text.at + text.n, elem};
    skip_dense_space(&r);
    if (r.p == r.end) return out_bytes == 0;
    if (*r.p != '[') {
        char element[16];
        if (!read_dense_element(&r, element)) return false;
        skip_dense_space(&r);
        if (r.p != r.end) return false;
        if (!out || !out_bytes) return true;
        memcpy(out, element, elem_bytes(elem));
        repeat(out, elem_bytes(elem), out_bytes);
        return true;
    }
    if (t->rank == 0) return false;
    if (t->rank <= SMALL_RANK) return read_dense_list(&r, t, (int64_t[SMALL_RANK]){0}, out, out_bytes);
    Arena scratch;
    arena_init(&scratch, m->ctx);
    bool ok = read_dense_list(&r, t, arena_new(&scratch, int64_t, t->rank), out, out_bytes);
    arena_free(&scratch);
    return ok;
}

// ---- Raw bytes ------------------------------------------------------------------------------------------------------

static int hex_byte(Span hex, size_t i) {
    int high = hex_digit(hex.at[2 * i]), low = hex_digit(hex.at[2 * i + 1]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

// Older MLIR packs i1, the first element in the lowest bit.
static bool decode_packed_bits(Span hex, char *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int byte = hex_byte(hex, i / 8);
        if (byte < 0) return false;
        out[i] = (char)(byte >> (i % 8) & 1);
    }
    return true;
}

static void tidy_elements(char *out, size_t n, Elem elem) {
    if (elem == EL_I1)
        for (size_t i = 0; i < n; i++) out[i] = out[i] != 0;
    else if (elem_bits(elem) < 8)
        for (size_t i = 0; i < n; i++) store(out + i, elem, (uint8_t)out[i]);
}

static bool decode_hex(Span hex, Elem elem, char *out, size_t out_bytes) {
    size_t n = hex.n / 2, size = elem_bytes(elem), count = out_bytes / size;
    if (hex.n % 2) return false;
    bool splat = n == size && n != out_bytes;
    if (elem == EL_I1 && !splat && n != count && n == count / 8 + (count % 8 != 0))
        return decode_packed_bits(hex, out, count);
    if (!splat && n != out_bytes) return false;
    char element[16];
    char *to = splat ? element : out;
    for (size_t i = 0; i < n; i++) {
        int byte = hex_byte(hex, i);
        if (byte < 0) return false;
        to[i] = (char)byte;
    }
    tidy_elements(to, n, elem);
    if (splat && out_bytes) {
        memcpy(out, element, size);
        repeat(out, size, out_bytes);
    }
    return true;
}

static bool decode_bytes(Span bytes, Elem elem, char *out, size_t out_bytes) {
    size_t size = elem_bytes(elem);
    bool splat = bytes.n == size && bytes.n != out_bytes;
    if (!splat && bytes.n != out_bytes) return false;
    if (!out_bytes) return true;
    memcpy(out, bytes.at, bytes.n);
    repeat(out, bytes.n, out_bytes);
    return true;
}

static bool find_resource(const Module *m, Span key, Span *hex) {
    for (uint32_t i = 0; i < m->n_resources; i++)
        if (span_eq(name_get(m, m->resources[i].key), key)) {
            *hex = m->resources[i].hex;
            if (hex->n < 8) return false;
            hex->at += 8; // the alignment
            hex->n -= 8;
            return true;
        }
    return false;
}

// ---- The interface --------------------------------------------------------------------------------------------------

static Elem storage_of(const Module *m, const Type *t) {
    return t->elem == EL_QUANT ? m->quants.at[t->quant].storage : (Elem)t->elem;
}

bool attr_is_splat(const Module *m, const Attr *a) {
    int64_t count;
    if (a->kind != ATTR_DENSE || a->type == NO_ID || !type_elements(type_get(m, a->type), &count)) return false;
    if (count == 1) return true;
    size_t size = elem_bytes(storage_of(m, type_get(m, a->type)));
    switch ((DenseForm)a->sub) {
    case DENSE_TEXT: {
        DenseReader r = {a->text.at, a->text.at + a->text.n, EL_I1};
        skip_dense_space(&r);
        return r.p < r.end && *r.p != '[';
    }
    case DENSE_HEX: return a->text.n == 2 * size;
    case DENSE_BYTES: return a->text.n == size;
    }
    return false;
}

bool attr_dense_decode(const Module *m, const Attr *a, void *out, size_t out_bytes) {
    if ((a->kind != ATTR_DENSE && a->kind != ATTR_RESOURCE) || a->type == NO_ID) return false;
    const Type *t = type_get(m, a->type);
    Elem elem = storage_of(m, t);
    int64_t count;
    if (t->kind != TYPE_TENSOR || !type_elements(t, &count)) return false;
    if ((uint64_t)count > SIZE_MAX / elem_bytes(elem) || out_bytes != (size_t)count * elem_bytes(elem)) return false;
    if (a->kind == ATTR_RESOURCE) {
        Span hex;
        return find_resource(m, a->text, &hex) && decode_hex(hex, elem, out, out_bytes);
    }
    switch ((DenseForm)a->sub) {
    case DENSE_TEXT: return decode_text(m, a->text, t, elem, out, out_bytes);
    case DENSE_HEX: return decode_hex(a->text, elem, out, out_bytes);
    case DENSE_BYTES: return decode_bytes(a->text, elem, out, out_bytes);
    }
    return false;
}

bool attr_dense_fits(const Module *m, const Attr *a) {
    const Type *t = type_get(m, a->type);
    Elem elem = storage_of(m, t);
    size_t size = elem_bytes(elem);
    int64_t count;
    if (t->kind != TYPE_TENSOR || !type_elements(t, &count)) return false;
    bool listable = (uint64_t)count <= SIZE_MAX / size; // a splat may have more elements than memory
    if (a->sub == DENSE_TEXT) return decode_text(m, a->text, t, elem, NULL, listable ? (size_t)count * size : SIZE_MAX);
    uint64_t n = a->text.n / 2, packed = (uint64_t)count / 8 + (count % 8 != 0);
    return n == size || (listable && n == (uint64_t)count * size) || (elem == EL_I1 && n == packed);
}

static bool load_int(Elem elem, const char *at, int64_t *out) {
    uint64_t bits = 0;
    uint32_t n = elem_bytes(elem) * 8;
    memcpy(&bits, at, elem_bytes(elem));
    switch (elem_class(elem)) {
    case CLASS_BOOL: *out = bits != 0; return true;
    case CLASS_UINT: *out = (int64_t)bits; return bits <= INT64_MAX;
    case CLASS_SINT:
        if (bits >> (n - 1)) bits |= ~low_bits(n);
        *out = (int64_t)bits;
        return true;
    default: return false;
    }
}

const int64_t *attr_to_ints(Module *m, AttrId id, uint32_t *n) {
    const Attr *a = attr_get(m, id);
    *n = 0;
    if (a->kind == ATTR_INTS) {
        *n = a->n;
        return a->n ? a->ints : arena_new(&m->arena, int64_t, 1);
    }
    int64_t count;
    if ((a->kind != ATTR_DENSE && a->kind != ATTR_RESOURCE) || a->type == NO_ID) return NULL;
    const Type *t = type_get(m, a->type);
    if (t->kind != TYPE_TENSOR || !type_elements(t, &count) || count > INT32_MAX) return NULL;
    Elem elem = (Elem)t->elem;
    if (elem_class(elem) > CLASS_UINT) return NULL;
    // A splat may claim any number of elements: only as many as a list could hold are written out.
    if (attr_is_splat(m, a) && count > 1 << 20) return NULL;
    size_t size = elem_bytes(elem), bytes = (size_t)count * size;
    char *raw = arena_alloc(&m->arena, bytes + 1);
    int64_t *ints = arena_new(&m->arena, int64_t, count + 1);
    if (!attr_dense_decode(m, a, raw, bytes)) return NULL;
    for (int64_t i = 0; i < count; i++)
        if (!load_int(elem, raw + (size_t)i * size, &ints[i])) return NULL;
    *n = (uint32_t)count;
    return ints;
}

// The one element of a splat, decoded as a constant of one element.
static bool decode_one(const Module *m, const Attr *a, Elem *elem, char out[16]) {
    if (!attr_is_splat(m, a)) return false;
    const Type *t = type_get(m, a->type);
    *elem = storage_of(m, t);
    size_t size = elem_bytes(*elem);
    int64_t count;
    type_elements(t, &count);
    if (count == 1) return attr_dense_decode(m, a, out, size);
    switch ((DenseForm)a->sub) {
    case DENSE_TEXT: return decode_text(m, a->text, &(Type){.kind = TYPE_TENSOR}, *elem, out, size);
    case DENSE_HEX: return decode_hex(a->text, *elem, out, size);
    case DENSE_BYTES: return decode_bytes(a->text, *elem, out, size);
    }
    return false;
}

bool attr_splat_int(const Module *m, const Attr *a, int64_t *out) {
    char element[16];
    Elem elem;
    return decode_one(m, a, &elem, element) && load_int(elem, element, out);
}

bool attr_splat_double(const Module *m, const Attr *a, double *out) {
    char element[16];
    Elem elem;
    if (!decode_one(m, a, &elem, element)) return false;
    if (elem_class(elem) == CLASS_FLOAT) {
        uint64_t bits = 0;
        memcpy(&bits, element, elem_bytes(elem));
        *out = float_to_double(elem, bits);
        return true;
    }
    uint64_t large = 0;
    int64_t v;
    if (elem == EL_UI64) {
        memcpy(&large, element, sizeof large);
        *out = (double)large;
        return true;
    }
    if (!load_int(elem, element, &v)) return false;
    *out = (double)v;
    return true;
}
