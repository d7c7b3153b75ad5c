// Comparison loops. FLOAT follows IEEE (NaN is unequal to all); TOTALORDER puts -NaN < -inf < … < -0 < +0 < … < +NaN.
#include "interp/elementwise/elementwise.h"
#include "interp/tensor/float.h"

#define LOOP(name, id, T, key, op)                                                                                     \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        uint8_t *out = o;                                                                                              \
        const T *a = in[0], *b = in[1];                                                                                \
        for (int64_t i = 0; i < n; i++) out[i] = key(a[i]) op key(b[i]);                                               \
    }

#define SAME(x) (x)
// A float's bits as an integer that grows with it.
static inline int32_t order_f32(float x) {
    int32_t s = (int32_t)f32_bits(x);
    return s ^ (int32_t)((uint32_t)(s >> 31) >> 1);
}
static inline int64_t order_f64(double x) {
    int64_t s = (int64_t)f64_bits(x);
    return s ^ (int64_t)((uint64_t)(s >> 63) >> 1);
}

#define DIRECTIONS(id, T, key)                                                                                         \
    LOOP(eq, id, T, key, ==)                                                                                           \
    LOOP(ne, id, T, key, !=)                                                                                           \
    LOOP(ge, id, T, key, >=)                                                                                           \
    LOOP(gt, id, T, key, >)                                                                                            \
    LOOP(le, id, T, key, <=)                                                                                           \
    LOOP(lt, id, T, key, <)

DIRECTIONS(I8, int8_t, SAME)
DIRECTIONS(I16, int16_t, SAME)
DIRECTIONS(I32, int32_t, SAME)
DIRECTIONS(I64, int64_t, SAME)
DIRECTIONS(UI8, uint8_t, SAME)
DIRECTIONS(UI16, uint16_t, SAME)
DIRECTIONS(UI32, uint32_t, SAME)
DIRECTIONS(UI64, uint64_t, SAME)
DIRECTIONS(F32, float, SAME)
DIRECTIONS(F64, double, SAME)
DIRECTIONS(TOTAL_F32, float, order_f32)
DIRECTIONS(TOTAL_F64, double, order_f64)

#define COMPLEX(name, id, T, expr)                                                                                     \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        uint8_t *out = o;                                                                                              \
        const T *a = in[0], *b = in[1];                                                                                \
        for (int64_t i = 0; i < 2 * n; i += 2) out[i / 2] = expr;                                                      \
    }
COMPLEX(eq, C64, float, a[i] == b[i] && a[i + 1] == b[i + 1])
COMPLEX(ne, C64, float, a[i] != b[i] || a[i + 1] != b[i + 1])
COMPLEX(eq, C128, double, a[i] == b[i] && a[i + 1] == b[i + 1])
COMPLEX(ne, C128, double, a[i] != b[i] || a[i + 1] != b[i + 1])

#define ROW(id)                                                                                                        \
    { eq_##id, ne_##id, ge_##id, gt_##id, le_##id, lt_##id }
static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
static const ElemFn compare_fns[EL_COUNT][6] = {
    [EL_I1] = ROW(UI8),
    [EL_I2] = ROW(I8),
    [EL_I4] = ROW(I8),
    [EL_I8] = ROW(I8),
    [EL_I16] = ROW(I16),
    [EL_I32] = ROW(I32),
    [EL_I64] = ROW(I64),
    [EL_UI2] = ROW(UI8),
    [EL_UI4] = ROW(UI8),
    [EL_UI8] = ROW(UI8),
    [EL_UI16] = ROW(UI16),
    [EL_UI32] = ROW(UI32),
    [EL_UI64] = ROW(UI64),
    [EL_F32] = ROW(F32),
    [EL_F64] = ROW(F64),
    [EL_C64] = {eq_C64, ne_C64},
    [EL_C128] = {eq_C128, ne_C128},
};
static const ElemFn total_f32[] = ROW(TOTAL_F32), total_f64[] = ROW(TOTAL_F64);

bool elementwise_find_compare(Span direction, Span type, Elem in, Elementwise *f) {
    if (in == EL_INDEX) in = EL_I64;
    Elem as = elem_compute(in);
    *f = (Elementwise){.n_in = 2, .in = {in, in}, .in_as = {as, as}, .out = EL_I1, .out_as = EL_I1};
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        if (span_is(direction, directions[i])) {
            const ElemFn *row = compare_fns[as];
            if (span_is(type, "TOTALORDER") && elem_class(as) == CLASS_FLOAT)
                row = as == EL_F32 ? total_f32 : total_f64;
            f->fn = row[i];
        }
    return f->fn;
}
