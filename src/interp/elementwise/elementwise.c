// Which loop an op runs, in which types; and the block-wise widening and narrowing around it.
#include "interp/elementwise/elementwise.h"
#include "interp/tensor/float.h"
#include <assert.h>

enum { BLOCK = 512, WIDEST = 16 };

static Elem plain(Elem e) { return e == EL_INDEX ? EL_I64 : e; }

Elem elem_compute(Elem e) { return elem_is_small_float(e) ? EL_F32 : plain(e); }

// ---- Finding -------------------------------------------------------------------------------------------------------

static void fill_loops(Elementwise *f, uint32_t n_in, const Elem *in, Elem as, Elem out, Elem out_as) {
    f->n_in = n_in;
    for (uint32_t i = 0; i < n_in; i++) {
        f->in[i] = plain(in[i]);
        f->in_as[i] = as;
    }
    f->out = plain(out);
    f->out_as = out_as;
}

// What the function yields, given the type that it computes in.
static Elem result_as(Elem as, Elem out) {
    if (elem_class(out) == CLASS_FLOAT) return as == EL_C64 ? EL_F32 : as == EL_C128 ? EL_F64 : as;
    if (elem_class(out) == CLASS_COMPLEX) return as == EL_F32 ? EL_C64 : as == EL_F64 ? EL_C128 : as;
    return plain(out);
}

// The neighbours of a number depend on its own format.
#define NEXT_AFTER(name, U, bits, infinity)                                                                            \
    static void name(void *o, const void *const *in, int64_t n) {                                                      \
        const U sign = (U)((U)1 << (bits - 1)), *a = in[0], *b = in[1];                                                \
        U *out = o;                                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            U x = a[i], y = b[i], ax = (U)(x & (U)~sign), ay = (U)(y & (U)~sign);                                      \
            if (ax > infinity || ay > infinity)                                                                        \
                out[i] = (U)(infinity | infinity >> 1); /* a quiet NaN */                                              \
            else if (x == y || (ax == 0 && ay == 0))                                                                   \
                out[i] = y;                                                                                            \
            else if (ax == 0)                                                                                          \
                out[i] = (U)((y & sign) | 1);                                                                          \
            else                                                                                                       \
                out[i] = (x & sign) != (y & sign) || ax > ay ? (U)(x - 1) : (U)(x + 1);                                \
        }                                                                                                              \
    }
NEXT_AFTER(next_after_bf16, uint16_t, 16, 0x7f80)
NEXT_AFTER(next_after_f16, uint16_t, 16, 0x7c00)
NEXT_AFTER(next_after_f32, uint32_t, 32, 0x7f800000u)
NEXT_AFTER(next_after_f64, uint64_t, 64, 0x7ff0000000000000u)

static bool find_next_after(Elem e, Elementwise *f) {
    f->fn = e == EL_BF16  ? next_after_bf16
            : e == EL_F16 ? next_after_f16
            : e == EL_F32 ? next_after_f32
            : e == EL_F64 ? next_after_f64
                          : NULL;
    fill_loops(f, 2, (Elem[]){e, e}, e, e, e);
    return f->fn;
}

// Select moves elements, whatever they mean: one loop for each size.
#define SELECT(name, T)                                                                                                \
    static void name(void *o, const void *const *in, int64_t n) {                                                      \
        const uint8_t *p = in[0];                                                                                      \
        const T *a = in[1], *b = in[2];                                                                                \
        T *out = o;                                                                                                    \
        for (int64_t i = 0; i < n; i++) out[i] = p[i] ? a[i] : b[i];                                                   \
    }
typedef struct Bytes16 {
    uint64_t part[2];
} Bytes16;
SELECT(select_1, uint8_t)
SELECT(select_2, uint16_t)
SELECT(select_4, uint32_t)
SELECT(select_8, uint64_t)
SELECT(select_16, Bytes16)

static bool find_select(Elem e, Elementwise *f) {
    uint32_t bytes = elem_bytes(e);
    f->fn = bytes == 1 ? select_1 : bytes == 2 ? select_2 : bytes == 4 ? select_4 : bytes == 8 ? select_8 : select_16;
    fill_loops(f, 3, (Elem[]){e, e, e}, e, e, e);
    f->in[0] = f->in_as[0] = EL_I1;
    return true;
}

bool elementwise_find_kind(OpKind kind, uint32_t n_in, const Elem *in, Elem out, Elementwise *f) {
    if (n_in == 0 || n_in > 3) return false;
    Elem e = plain(in[0]), as = elem_compute(e);
    if (kind == OP_chlo_next_after) return find_next_after(e, f);
    if (kind == OP_select || kind == OP_chlo_broadcast_select) return n_in == 3 && find_select(plain(in[1]), f);
    switch (elem_class(e)) {
    case CLASS_BOOL:
    case CLASS_SINT:
    case CLASS_UINT: f->fn = elementwise_int_fn(kind, e); break;
    case CLASS_FLOAT:
        f->fn = elementwise_float_fn(kind, as);
        if (!f->fn) {
            f->fn = elementwise_f64_fn(kind);
            as = EL_F64;
        }
        break;
    case CLASS_COMPLEX:
        f->fn = elementwise_complex_fn(kind, as);
        if (!f->fn) {
            f->fn = elementwise_c128_fn(kind);
            as = EL_C128;
        }
        break;
    default: return false;
    }
    if (!f->fn) return false;
    fill_loops(f, n_in, in, as, out, result_as(as, out));
    return true;
}

bool elementwise_find_convert(Elem from, Elem to, Elementwise *f) {
    from = plain(from), to = plain(to);
    Elem from_as = elem_compute(from), to_as = elem_compute(to);
    // Into a small float: exactly to a type that holds the source, and from there with the only rounding.
    if (elem_is_small_float(to) && from_as != EL_F32 && from_as != EL_C64) to_as = EL_F64;
    f->fn = elementwise_convert_fn(from_as, to_as);
    fill_loops(f, 1, &from, from_as, to, to_as);
    return f->fn;
}

// i64 to double, rounded to odd: a later rounding to fewer bits is then as if it were the first.
static double i64_to_odd(bool negative, uint64_t magnitude) {
    uint64_t high = magnitude & ~(uint64_t)0x7ff;
    if (magnitude >> 53 && magnitude != high) high |= 0x800;
    double x = (double)(magnitude >> 53 ? high : magnitude);
    return negative ? -x : x;
}

static void i64_to_f64_odd(void *o, const void *const *in, int64_t n) {
    const int64_t *a = in[0];
    for (int64_t i = 0; i < n; i++)
        ((double *)o)[i] = i64_to_odd(a[i] < 0, a[i] < 0 ? (uint64_t)0 - (uint64_t)a[i] : (uint64_t)a[i]);
}

static void u64_to_f64_odd(void *o, const void *const *in, int64_t n) {
    const uint64_t *a = in[0];
    for (int64_t i = 0; i < n; i++) ((double *)o)[i] = i64_to_odd(false, a[i]);
}

bool elementwise_find(const Module *m, OpId op, const Elem *in, Elem out, Elementwise *f) {
    OpKind kind = op_kind(m, op);
    uint32_t n_in = op_get(m, op)->n_operands;
    switch (kind) {
    case OP_convert:
        if (!elementwise_find_convert(in[0], out, f)) return false;
        if (elem_is_small_float(f->out) && f->in_as[0] == EL_I64) f->fn = i64_to_f64_odd;
        if (elem_is_small_float(f->out) && f->in_as[0] == EL_UI64) f->fn = u64_to_f64_odd;
        return true;
    case OP_compare:
    case OP_chlo_broadcast_compare:
        return elementwise_find_compare(op_attr_text(m, op, A_comparison_direction),
                                        op_attr_text(m, op, A_compare_type), in[0], f);
    default: return elementwise_find_kind(kind, n_in, in, out, f);
    }
}

// ---- Applying ------------------------------------------------------------------------------------------------------

static void widen(Elem from, Elem to, const void *in, void *out, int64_t n) {
    if (elem_is_small_float(from)) {
        floats_widen(from, to, in, out, n);
    } else if (from == EL_F32 && to == EL_F64) {
        for (int64_t i = 0; i < n; i++) ((double *)out)[i] = (double)((const float *)in)[i];
    } else {
        assert(from == EL_C64 && to == EL_C128);
        for (int64_t i = 0; i < 2 * n; i++) ((double *)out)[i] = (double)((const float *)in)[i];
    }
}

static void narrow(Elem from, Elem to, const void *in, void *out, int64_t n) {
    if (elem_is_small_float(to)) {
        floats_narrow(from, to, in, out, n);
    } else if (from == EL_F64 && to == EL_F32) {
        for (int64_t i = 0; i < n; i++) ((float *)out)[i] = (float)((const double *)in)[i];
    } else {
        assert(from == EL_C128 && to == EL_C64);
        for (int64_t i = 0; i < 2 * n; i++) ((float *)out)[i] = (float)((const double *)in)[i];
    }
}

// Brings the elements of a sub-byte type back into its range.
static void wrap(Elem e, void *p, int64_t n) {
    uint32_t bits = elem_bits(e);
    uint8_t mask = (uint8_t)((1u << bits) - 1), sign = (uint8_t)(1u << (bits - 1)), *u = p;
    if (elem_class(e) == CLASS_UINT)
        for (int64_t i = 0; i < n; i++) u[i] &= mask;
    else
        for (int64_t i = 0; i < n; i++) u[i] = (uint8_t)(((u[i] & mask) ^ sign) - sign);
}

static void splat(const void *value, size_t size, void *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) memcpy((char *)out + (size_t)i * size, value, size);
}

void elementwise_apply_scalars(const Elementwise *f, void *out, const void *const *in, unsigned scalar, int64_t n) {
    bool direct = f->out == f->out_as && !scalar;
    for (uint32_t k = 0; k < f->n_in; k++) direct = direct && f->in[k] == f->in_as[k];
    size_t out_size = elem_bytes(f->out);
    if (direct) {
        f->fn(out, in, n);
    } else {
        _Alignas(64) char wide_in[3][BLOCK * WIDEST], wide_out[BLOCK * WIDEST];
        const void *arg[3];
        for (uint32_t k = 0; k < f->n_in; k++)
            if (scalar >> k & 1) {
                char one[WIDEST];
                size_t size = elem_bytes(f->in_as[k]);
                if (f->in[k] != f->in_as[k])
                    widen(f->in[k], f->in_as[k], in[k], one, 1);
                else
                    memcpy(one, in[k], size);
                splat(one, size, wide_in[k], n < BLOCK ? n : BLOCK);
                arg[k] = wide_in[k];
            }
        for (int64_t at = 0; at < n; at += BLOCK) {
            int64_t now = n - at < BLOCK ? n - at : BLOCK;
            for (uint32_t k = 0; k < f->n_in; k++) {
                if (scalar >> k & 1) continue;
                const char *from = (const char *)in[k] + (size_t)at * elem_bytes(f->in[k]);
                arg[k] = f->in[k] == f->in_as[k] ? (const void *)from : wide_in[k];
                if (arg[k] != from) widen(f->in[k], f->in_as[k], from, wide_in[k], now);
            }
            char *to = (char *)out + (size_t)at * out_size;
            f->fn(f->out == f->out_as ? to : wide_out, arg, now);
            if (f->out != f->out_as) narrow(f->out_as, f->out, wide_out, to, now);
        }
    }
    if (elem_bits(f->out) < 8 && f->out != EL_I1 && elem_class(f->out) != CLASS_FLOAT) wrap(f->out, out, n);
}

void elements_convert(Elem from, Elem to, const void *in, void *out, int64_t n) {
    Elementwise f;
    if (from == to) {
        memcpy(out, in, (size_t)n * elem_bytes(from));
    } else {
        bool found = elementwise_find_convert(from, to, &f);
        assert(found);
        if (found) elementwise_apply(&f, out, &in, n);
    }
}
