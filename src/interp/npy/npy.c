// .npy files.
#include "interp/npy/npy.h"
#include "interp/tensor/copy.h"
#include "interp/tensor/float.h"
#include <inttypes.h>

// ---- Header --------------------------------------------------------------------------------------------------------

typedef struct NpyCursor {
    const char *p, *end;
} NpyCursor;

static void skip_npy_space(NpyCursor *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t')) c->p++;
}

static bool npy_eat(NpyCursor *c, const char *token) {
    skip_npy_space(c);
    size_t n = strlen(token);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, token, n) != 0) return false;
    c->p += n;
    return true;
}

static bool read_npy_string(NpyCursor *c, Span *s) {
    skip_npy_space(c);
    if (c->p == c->end || (*c->p != '\'' && *c->p != '"')) return false;
    char quote = *c->p++;
    s->at = c->p;
    while (c->p < c->end && *c->p != quote) c->p++;
    s->n = (size_t)(c->p - s->at);
    return c->p++ < c->end;
}

static bool read_shape(NpyCursor *c, NpyArray *a) {
    if (!npy_eat(c, "(")) return false;
    for (a->rank = 0; !npy_eat(c, ")");) {
        int64_t n = 0;
        skip_npy_space(c);
        if (a->rank == MAX_RANK || c->p == c->end || *c->p < '0' || *c->p > '9') return false;
        for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
            if (n > (INT64_MAX - 9) / 10) return false;
            n = n * 10 + (*c->p - '0');
        }
        npy_eat(c, "L");
        a->dims[a->rank++] = n;
        if (!npy_eat(c, ",") && !(npy_eat(c, ")") && (c->p--, true))) return false;
    }
    return true;
}

static bool read_dict(NpyCursor *c, NpyArray *a) {
    bool have_descr = false, have_order = false, have_shape = false;
    if (!npy_eat(c, "{")) return false;
    while (!npy_eat(c, "}")) {
        Span key;
        if (!read_npy_string(c, &key) || !npy_eat(c, ":")) return false;
        if (span_is(key, "descr")) {
            have_descr = read_npy_string(c, &a->descr);
            if (!have_descr) return false;
        } else if (span_is(key, "fortran_order")) {
            a->fortran = npy_eat(c, "True");
            if (!a->fortran && !npy_eat(c, "False")) return false;
            have_order = true;
        } else if (span_is(key, "shape")) {
            have_shape = read_shape(c, a);
            if (!have_shape) return false;
        } else {
            return false;
        }
        npy_eat(c, ",");
    }
    return have_descr && have_order && have_shape;
}

// Names that ml_dtypes gives to types of ours.
static const struct Named {
    const char *name;
    Elem elem;
} named[] = {{"bfloat16", EL_BF16},
             {"float4_e2m1fn", EL_F4E2M1FN},
             {"float6_e2m3fn", EL_F6E2M3FN},
             {"float6_e3m2fn", EL_F6E3M2FN},
             {"float8_e3m4", EL_F8E3M4},
             {"float8_e4m3", EL_F8E4M3},
             {"float8_e4m3b11fnuz", EL_F8E4M3B11FNUZ},
             {"float8_e4m3fn", EL_F8E4M3FN},
             {"float8_e4m3fnuz", EL_F8E4M3FNUZ},
             {"float8_e5m2", EL_F8E5M2},
             {"float8_e5m2fnuz", EL_F8E5M2FNUZ},
             {"float8_e8m0fnu", EL_F8E8M0FNU},
             {"int2", EL_I2},
             {"int4", EL_I4},
             {"uint2", EL_UI2},
             {"uint4", EL_UI4}};

static bool read_descr(NpyArray *a) {
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (span_is(a->descr, named[i].name)) {
            a->size = elem_bytes(named[i].elem);
            return true;
        }
    const char *p = a->descr.at, *end = p + a->descr.n;
    if (p < end && (*p == '<' || *p == '>' || *p == '|' || *p == '=')) a->swapped = *p++ == '>';
    if (p == end || !strchr("biufcV", *p)) return false;
    a->kind = *p++;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9' || a->size > 16) return false;
        a->size = a->size * 10 + (uint32_t)(*p - '0');
    }
    return a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8 || a->size == 16;
}

bool npy_parse(NpyArray *a, Context *ctx, const char *name, Span bytes, uint64_t n_bytes) {
    *a = (NpyArray){0};
    const unsigned char *u = (const unsigned char *)bytes.at;
    if (bytes.n < 10 || memcmp(bytes.at, "\x93NUMPY", 6) != 0)
        return diag_error(ctx, NULL, NO_OFFSET, "numpy.save writes them", "%s is no .npy file", name);
    size_t start = u[6] == 1 ? 10 : 12, length = (size_t)u[8] | (size_t)u[9] << 8;
    if (u[6] != 1 && bytes.n >= 12) length |= (size_t)u[10] << 16 | (size_t)u[11] << 24;
    if (bytes.n < start || bytes.n - start < length)
        return bytes.n < n_bytes ? diag_error(ctx, NULL, NO_OFFSET, NULL, "%s has a header that is too long", name)
                                 : diag_error(ctx, NULL, NO_OFFSET, NULL, "%s ends within its header", name);
    NpyCursor c = {bytes.at + start, bytes.at + start + length};
    if (!read_dict(&c, a))
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "%s has a header that is not understood", name);
    if (!read_descr(a))
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "%s holds elements of type '%.*s', which no tensor has", name,
                          (int)a->descr.n, a->descr.at);
    a->start = start + length;
    int64_t n = shape_elements(a->rank, a->dims);
    uint64_t rest = n_bytes - a->start;
    if (n < 0 || (uint64_t)n > rest / a->size)
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "%s is shorter than its shape", name);
    if ((uint64_t)n * a->size != rest)
        return diag_error(ctx, NULL, NO_OFFSET, NULL, "%s has %llu bytes beyond its array", name,
                          (unsigned long long)(rest - (uint64_t)n * a->size));
    return true;
}

// ---- Elements ------------------------------------------------------------------------------------------------------

bool npy_is(const NpyArray *a, Elem e) {
    if (a->size != elem_bytes(e)) return false;
    bool is_void = e == EL_BF16 || (elem_bytes(e) == 1 && (elem_class(e) == CLASS_FLOAT || elem_bits(e) < 8));
    switch (a->kind) {
    case 0:
        for (size_t i = 0; i < sizeof named / sizeof *named; i++)
            if (named[i].elem == e) return span_is(a->descr, named[i].name);
        return false;
    case 'b': return e == EL_I1;
    case 'i': return elem_class(e) == CLASS_SINT && elem_bits(e) >= 8;
    case 'u': return elem_class(e) == CLASS_UINT && elem_bits(e) >= 8;
    case 'f': return elem_class(e) == CLASS_FLOAT && (!is_void || a->size == 1); // ml_dtypes has float8_e5m2 as '<f1'
    case 'c': return elem_class(e) == CLASS_COMPLEX;
    default: return is_void && e != EL_I1;
    }
}

static void swap_bytes(char *p, size_t part, size_t n) {
    for (size_t i = 0; i < n; i++, p += part)
        for (size_t k = 0; k < part / 2; k++) {
            char t = p[k];
            p[k] = p[part - 1 - k];
            p[part - 1 - k] = t;
        }
}

void npy_copy(const NpyArray *a, int64_t first, Tensor *t) {
    size_t size = a->size;
    if (a->fortran && a->rank > 1) {
        // The tensor may be one slice along the first dimension: the others follow its shape.
        int64_t strides[MAX_RANK], stride = 1, inner = 1;
        for (uint32_t i = 0; i < a->rank; i++) {
            strides[i] = stride;
            stride *= a->dims[i];
        }
        for (uint32_t i = 1; i < a->rank; i++) inner *= a->dims[i];
        uint32_t skip = t->rank < a->rank ? 1 : 0;
        const char *from = a->data + (skip && inner ? (size_t)(first / inner) * size : 0);
        if (t->n) copy_into_dense(size, t->rank, t->dims, t->data, from, strides + skip);
    } else if (t->n) {
        memcpy(t->data, a->data + (size_t)first * size, (size_t)t->n * size);
    }
    Elem e = (Elem)t->elem;
    if (a->swapped)
        swap_bytes(t->data, elem_class(e) == CLASS_COMPLEX ? size / 2 : size,
                   (size_t)t->n * (elem_class(e) == CLASS_COMPLEX ? 2 : 1));
    if (elem_bits(e) < 8 && elem_class(e) != CLASS_FLOAT)
        for (int64_t i = 0; i < t->n; i++) elem_write_int(e, t->data + i, t->data[i]);
}

// ---- Writing -------------------------------------------------------------------------------------------------------

static void put_descr(Buffer *b, Elem e) {
    uint32_t size = elem_bytes(e);
    switch (elem_class(e)) {
    case CLASS_BOOL: buf_str(b, "|b1"); return;
    case CLASS_SINT: buf_format(b, elem_bits(e) < 8 ? "<V1" : size == 1 ? "|i1" : "<i%u", size); return;
    case CLASS_UINT: buf_format(b, elem_bits(e) < 8 ? "<V1" : size == 1 ? "|u1" : "<u%u", size); return;
    case CLASS_COMPLEX: buf_format(b, "<c%u", size); return;
    default: buf_format(b, e == EL_F16 || size > 2 ? "<f%u" : "<V%u", size); return;
    }
}

void npy_write(Buffer *out, Elem elem, uint32_t rank, const int64_t *dims, const Tensor *const *parts,
               uint32_t n_parts) {
    size_t start = out->n;
    buf_put(out, "\x93NUMPY\x01\x00\x00\x00", 10);
    buf_str(out, "{'descr': '");
    put_descr(out, elem);
    buf_str(out, "', 'fortran_order': False, 'shape': (");
    for (uint32_t i = 0; i < rank; i++)
        buf_format(out, i + 1 < rank ? "%" PRId64 ", " : rank == 1 ? "%" PRId64 "," : "%" PRId64, dims[i]);
    buf_str(out, "), }");
    while ((out->n - start + 1) % 64) buf_char(out, ' ');
    buf_char(out, '\n');
    size_t length = out->n - start - 10;
    out->at[start + 8] = (char)(length & 255);
    out->at[start + 9] = (char)(length >> 8);
    for (uint32_t i = 0; i < n_parts; i++) buf_put(out, parts[i]->data, tensor_bytes(parts[i]));
}
