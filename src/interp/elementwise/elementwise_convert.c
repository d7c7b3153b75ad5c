// Conversion between the types that are computed in. Floats to integers drop the fraction, NaN is 0 and what is out of
// range is the nearest integer in range; integers wrap around; anything but zero is true; a complex number gives its
// real part.
#include "interp/elementwise/elementwise.h"
#include "interp/tensor/complex.h"

// Columns: element type, C type, smallest and largest value.
#define INTS(X, ...)                                                                                                   \
    X(I2, int8_t, -2, 1, __VA_ARGS__)                                                                                  \
    X(I4, int8_t, -8, 7, __VA_ARGS__)                                                                                  \
    X(I8, int8_t, INT8_MIN, INT8_MAX, __VA_ARGS__)                                                                     \
    X(I16, int16_t, INT16_MIN, INT16_MAX, __VA_ARGS__)                                                                 \
    X(I32, int32_t, INT32_MIN, INT32_MAX, __VA_ARGS__)                                                                 \
    X(I64, int64_t, INT64_MIN, INT64_MAX, __VA_ARGS__)                                                                 \
    X(UI2, uint8_t, 0, 3, __VA_ARGS__)                                                                                 \
    X(UI4, uint8_t, 0, 15, __VA_ARGS__)                                                                                \
    X(UI8, uint8_t, 0, UINT8_MAX, __VA_ARGS__)                                                                         \
    X(UI16, uint16_t, 0, UINT16_MAX, __VA_ARGS__)                                                                      \
    X(UI32, uint32_t, 0, UINT32_MAX, __VA_ARGS__)                                                                      \
    X(UI64, uint64_t, 0, UINT64_MAX, __VA_ARGS__)

#define LOOP(from, S, to, D, expr)                                                                                     \
    static void from##_to_##to(void *o, const void *const *in, int64_t n) {                                            \
        const S *a = in[0];                                                                                            \
        D *out = o;                                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            S x = a[i];                                                                                                \
            out[i] = expr;                                                                                             \
        }                                                                                                              \
    }

// The bounds as doubles are exact, or (for 64 bits) one above the largest value.
#define FLOAT_TO_INT(x, D, lo, hi)                                                                                     \
    ((x) != (x) ? (D)0 : (double)(x) <= (double)(lo) ? (D)(lo) : (double)(x) >= (double)(hi) ? (D)(hi) : (D)(x))

#define TO_INT_FROM_INT(to, D, lo, hi, from, S)     LOOP(from, S, to, D, (D)x)
#define TO_INT_FROM_FLOAT(to, D, lo, hi, from, S)   LOOP(from, S, to, D, FLOAT_TO_INT(x, D, lo, hi))
#define TO_INT_FROM_COMPLEX(to, D, lo, hi, from, S) LOOP(from, S, to, D, FLOAT_TO_INT(x.re, D, lo, hi))

#define FROM_REAL(to_int, from, S)                                                                                     \
    INTS(to_int, from, S)                                                                                              \
    LOOP(from, S, I1, uint8_t, x != 0)                                                                                 \
    LOOP(from, S, F32, float, (float)x)                                                                                \
    LOOP(from, S, F64, double, (double)x)                                                                              \
    LOOP(from, S, C64, Complex64, ((Complex64){(float)x, 0}))                                                          \
    LOOP(from, S, C128, Complex128, ((Complex128){(double)x, 0}))
#define FROM_INT(from, S)   FROM_REAL(TO_INT_FROM_INT, from, S)
#define FROM_FLOAT(from, S) FROM_REAL(TO_INT_FROM_FLOAT, from, S)
#define FROM_COMPLEX(from, S)                                                                                          \
    INTS(TO_INT_FROM_COMPLEX, from, S)                                                                                 \
    LOOP(from, S, I1, uint8_t, x.re != 0 || x.im != 0)                                                                 \
    LOOP(from, S, F32, float, (float)x.re)                                                                             \
    LOOP(from, S, F64, double, (double)x.re)                                                                           \
    LOOP(from, S, C64, Complex64, ((Complex64){(float)x.re, (float)x.im}))                                             \
    LOOP(from, S, C128, Complex128, ((Complex128){(double)x.re, (double)x.im}))

FROM_INT(I1, uint8_t)
FROM_INT(I8, int8_t)
FROM_INT(I16, int16_t)
FROM_INT(I32, int32_t)
FROM_INT(I64, int64_t)
FROM_INT(UI8, uint8_t)
FROM_INT(UI16, uint16_t)
FROM_INT(UI32, uint32_t)
FROM_INT(UI64, uint64_t)
FROM_FLOAT(F32, float)
FROM_FLOAT(F64, double)
FROM_COMPLEX(C64, Complex64)
FROM_COMPLEX(C128, Complex128)

#define TO(from, to) [EL_##to] = from##_to_##to
#define ROW(from)                                                                                                      \
    {                                                                                                                  \
        TO(from, I1), TO(from, I2), TO(from, I4), TO(from, I8), TO(from, I16), TO(from, I32), TO(from, I64),           \
            TO(from, UI2), TO(from, UI4), TO(from, UI8), TO(from, UI16), TO(from, UI32), TO(from, UI64),               \
            TO(from, F32), TO(from, F64), TO(from, C64), TO(from, C128)                                                \
    }

// Sub-byte integers lie in memory as bytes of the same value.
static const ElemFn convert_fns[EL_COUNT][EL_COUNT] = {
    [EL_I1] = ROW(I1),     [EL_I2] = ROW(I8),     [EL_I4] = ROW(I8),     [EL_I8] = ROW(I8),   [EL_I16] = ROW(I16),
    [EL_I32] = ROW(I32),   [EL_I64] = ROW(I64),   [EL_UI2] = ROW(UI8),   [EL_UI4] = ROW(UI8), [EL_UI8] = ROW(UI8),
    [EL_UI16] = ROW(UI16), [EL_UI32] = ROW(UI32), [EL_UI64] = ROW(UI64), [EL_F32] = ROW(F32), [EL_F64] = ROW(F64),
    [EL_C64] = ROW(C64),   [EL_C128] = ROW(C128),
};

ElemFn elementwise_convert_fn(Elem from, Elem to) { return convert_fns[from][to]; }
