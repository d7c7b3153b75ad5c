// Constants: dense<[[1, 2], [3, 4]]>. What was read is printed as it stood; bytes that a pass made become a splat, a
// list, or a hex string above 100 elements, as MLIR would write them.
#include "stablehlo/print/print_state.h"

enum { LIST_LIMIT = 100 };

static void print_element(Elem e, const char *at, Buffer *out) {
    uint64_t bits = 0;
    uint32_t size = elem_bytes(e);
    if (size <= sizeof bits) memcpy(&bits, at, size);
    switch (elem_class(e)) {
    case CLASS_BOOL: buf_str(out, bits ? "true" : "false"); break;
    case CLASS_SINT: {
        uint32_t unused = 64 - 8 * size;
        buf_int(out, (int64_t)(bits << unused) >> unused);
        break;
    }
    case CLASS_UINT: buf_uint(out, bits); break;
    case CLASS_FLOAT: print_float(e, bits, out); break;
    case CLASS_COMPLEX: {
        Elem part = e == EL_C64 ? EL_F32 : EL_F64;
        buf_char(out, '(');
        print_element(part, at, out);
        buf_char(out, ',');
        print_element(part, at + size / 2, out);
        buf_char(out, ')');
        break;
    }
    case CLASS_QUANT: break; // stored as integers
    }
}

static bool is_splat(Span bytes, size_t size) {
    return bytes.n >= size && memcmp(bytes.at, bytes.at + size, bytes.n - size) == 0;
}

static void print_hex(Span bytes, Buffer *out) {
    buf_str(out, "\"0x");
    for (size_t done = 0; done < bytes.n;) {
        char digits[256];
        size_t n = 0;
        for (; n < sizeof digits && done < bytes.n; done++) {
            unsigned char byte = (unsigned char)bytes.at[done];
            digits[n++] = "0123456789ABCDEF"[byte >> 4];
            digits[n++] = "0123456789ABCDEF"[byte & 15];
        }
        buf_put(out, digits, n);
    }
    buf_char(out, '"');
}

static void print_list(Span bytes, Elem e, const Type *t, Buffer *out) {
    size_t size = elem_bytes(e), count = bytes.n / size;
    for (size_t i = 0; i < count; i++) {
        if (i) buf_str(out, ", ");
        size_t block = 1;
        uint32_t opens = 0, closes = 0;
        for (uint32_t d = t->rank; d-- > 0;) { // lists that begin or end at this element
            block *= (size_t)t->dims[d];
            opens += i % block == 0;
            closes += (i + 1) % block == 0;
        }
        for (; opens; opens--) buf_char(out, '[');
        print_element(e, bytes.at + i * size, out);
        for (; closes; closes--) buf_char(out, ']');
    }
}

static void print_dense_bytes(const Module *m, const Attr *a, Buffer *out) {
    const Type *t = type_get(m, a->type);
    Elem e = t->elem == EL_QUANT ? m->quants.at[t->quant].storage : (Elem)t->elem;
    size_t size = elem_bytes(e);
    int64_t count = 0;
    if (!type_elements(t, &count) || count == 0) return;
    if (is_splat(a->text, size))
        print_element(e, a->text.at, out);
    else if (count > LIST_LIMIT)
        print_hex(a->text, out);
    else
        print_list(a->text, e, t, out);
}

void print_dense(const Module *m, const Attr *a, Buffer *out) {
    buf_str(out, "dense<");
    if (a->sub == DENSE_TEXT) {
        buf_span(out, a->text);
    } else if (a->sub == DENSE_HEX) {
        buf_str(out, "\"0x");
        buf_span(out, a->text);
        buf_char(out, '"');
    } else {
        print_dense_bytes(m, a, out);
    }
    buf_char(out, '>');
}
