// Float loops. Exact operations are done in f32 and in f64; all others in f64 alone, and rounded once by the caller.
#include "interp/elementwise/elementwise.h"
#include "interp/elementwise/special.h"
#include "interp/tensor/float.h"
#include <math.h>

#define LOOP1(name, id, T, R, expr)                                                                                    \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        R *out = o;                                                                                                    \
        const T *a = in[0];                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T x = a[i];                                                                                                \
            out[i] = (expr);                                                                                           \
        }                                                                                                              \
    }
#define LOOP2(name, id, T, R, expr)                                                                                    \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        R *out = o;                                                                                                    \
        const T *a = in[0], *b = in[1];                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T x = a[i], y = b[i];                                                                                      \
            out[i] = (expr);                                                                                           \
        }                                                                                                              \
    }

#define LOOP3(name, id, T, R, expr)                                                                                    \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        R *out = o;                                                                                                    \
        const T *a = in[0], *b = in[1], *c = in[2];                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T x = a[i], y = b[i], z = c[i];                                                                            \
            out[i] = (expr);                                                                                           \
        }                                                                                                              \
    }

// ---- Exact ---------------------------------------------------------------------------------------------------------

// cosh and sinh are no exact operations, but XLA has them as sums of rounded exponentials, and follows from that how
// they err.
static const double LOG_HALF = -0.69314718055994530942;

// Equal numbers differ in bits only as +0 and -0: `and` prefers +0, `or` -0. A NaN on either side is the result.
#define DEFINE_EXACT(id, T, f, bits_of, from_bits)                                                                     \
    static inline T max_##id(T x, T y) {                                                                               \
        return x == y ? from_bits(bits_of(x) & bits_of(y)) : x > y || x != x ? x : y;                                  \
    }                                                                                                                  \
    static inline T min_##id(T x, T y) {                                                                               \
        return x == y ? from_bits(bits_of(x) | bits_of(y)) : x < y || x != x ? x : y;                                  \
    }                                                                                                                  \
    static inline T small_sinh_##id(T x) {                                                                             \
        T m = (T)expm1((double)x);                                                                                     \
        return (m + m / (m + 1)) / 2;                                                                                  \
    }                                                                                                                  \
    LOOP2(add, id, T, T, x + y)                                                                                        \
    LOOP2(subtract, id, T, T, x - y)                                                                                   \
    LOOP2(multiply, id, T, T, x *y)                                                                                    \
    LOOP2(divide, id, T, T, x / y)                                                                                     \
    LOOP2(remainder, id, T, T, fmod##f(x, y))                                                                          \
    LOOP2(maximum, id, T, T, max_##id(x, y))                                                                           \
    LOOP2(minimum, id, T, T, min_##id(x, y))                                                                           \
    LOOP3(clamp, id, T, T, min_##id(max_##id(y, x), z))                                                                \
    LOOP1(negate, id, T, T, -x)                                                                                        \
    LOOP1(abs, id, T, T, fabs##f(x))                                                                                   \
    LOOP1(sign, id, T, T, x > 0 ? (T)1 : x < 0 ? (T)-1 : x)                                                            \
    LOOP1(floor, id, T, T, floor##f(x))                                                                                \
    LOOP1(ceil, id, T, T, ceil##f(x))                                                                                  \
    LOOP1(round_nearest_afz, id, T, T, round##f(x))                                                                    \
    LOOP1(round_nearest_even, id, T, T, rint##f(x))                                                                    \
    LOOP1(sqrt, id, T, T, sqrt##f(x))                                                                                  \
    LOOP1(chlo_square, id, T, T, x *x)                                                                                 \
    LOOP1(real, id, T, T, x)                                                                                           \
    static void imag_##id(void *o, const void *const *in, int64_t n) {                                                 \
        (void)in;                                                                                                      \
        memset(o, 0, (size_t)n * sizeof(T));                                                                           \
    }                                                                                                                  \
    LOOP1(is_finite, id, T, uint8_t, x - x == 0)                                                                       \
    LOOP1(chlo_is_inf, id, T, uint8_t, isinf(x) != 0)                                                                  \
    LOOP1(chlo_is_pos_inf, id, T, uint8_t, isinf(x) && x > 0)                                                          \
    LOOP1(chlo_is_neg_inf, id, T, uint8_t, isinf(x) && x < 0)                                                          \
    LOOP1(chlo_cosh, id, T, T, (T)exp((double)(x + (T)LOG_HALF)) + (T)exp((double)((T)LOG_HALF - x)))                  \
    LOOP1(chlo_sinh, id, T, T,                                                                                         \
          fabs##f(x) < 1 ? small_sinh_##id(x) : (T)exp((double)(x + (T)LOG_HALF)) - (T)exp((double)((T)LOG_HALF - x))) \
    static void complex_##id(void *o, const void *const *in, int64_t n) {                                              \
        const T *a = in[0], *b = in[1];                                                                                \
        T *out = o;                                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            out[2 * i] = a[i];                                                                                         \
            out[2 * i + 1] = b[i];                                                                                     \
        }                                                                                                              \
    }
DEFINE_EXACT(F32, float, f, f32_bits, f32_from_bits)
DEFINE_EXACT(F64, double, , f64_bits, f64_from_bits)

#define EXACT(name, fn)                                                                                                \
    {                                                                                                                  \
        OP_##name, { fn##_F32, fn##_F64 }                                                                              \
    }
static const struct Exact {
    OpKind kind;
    ElemFn fn[2]; // f32, f64
} exact[] = {
    EXACT(abs, abs),
    EXACT(add, add),
    EXACT(ceil, ceil),
    EXACT(clamp, clamp),
    EXACT(complex, complex),
    EXACT(divide, divide),
    EXACT(floor, floor),
    EXACT(imag, imag),
    EXACT(is_finite, is_finite),
    EXACT(maximum, maximum),
    EXACT(minimum, minimum),
    EXACT(multiply, multiply),
    EXACT(negate, negate),
    EXACT(real, real),
    EXACT(remainder, remainder),
    EXACT(round_nearest_afz, round_nearest_afz),
    EXACT(round_nearest_even, round_nearest_even),
    EXACT(sign, sign),
    EXACT(sqrt, sqrt),
    EXACT(subtract, subtract),
    EXACT(chlo_conj, real),
    EXACT(chlo_cosh, chlo_cosh),
    EXACT(chlo_is_inf, chlo_is_inf),
    EXACT(chlo_is_neg_inf, chlo_is_neg_inf),
    EXACT(chlo_is_pos_inf, chlo_is_pos_inf),
    EXACT(chlo_sinh, chlo_sinh),
    EXACT(chlo_square, chlo_square),
};

ElemFn elementwise_float_fn(OpKind kind, Elem as) {
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (exact[i].kind == kind) return exact[i].fn[as == EL_F64];
    return NULL;
}

// ---- In f64 --------------------------------------------------------------------------------------------------------

#define UNARY(name, expr)  LOOP1(name, F64, double, double, expr)
#define BINARY(name, expr) LOOP2(name, F64, double, double, expr)

UNARY(cbrt, cbrt(x))
UNARY(cosine, cos(x))
UNARY(exponential, exp(x))
UNARY(exponential_minus_one, expm1(x))
UNARY(log, log(x))
UNARY(log_plus_one, log1p(x))
UNARY(logistic, 1 / (1 + exp(-x)))
UNARY(rsqrt, 1 / sqrt(x))
UNARY(sine, sin(x))
UNARY(tan, tan(x))
UNARY(tanh, tanh(x))
BINARY(atan2, atan2(x, y))
BINARY(power, pow(x, y))
UNARY(chlo_acos, acos(x))
UNARY(chlo_acosh, acosh(x))
UNARY(chlo_asin, asin(x))
UNARY(chlo_asinh, asinh(x))
UNARY(chlo_atan, atan(x))
UNARY(chlo_atanh, atanh(x))
UNARY(chlo_bessel_i1e, special_bessel_i1e(x))
UNARY(chlo_digamma, special_digamma(x))
UNARY(chlo_erf, erf(x))
UNARY(chlo_erf_inv, special_erf_inv(x))
UNARY(chlo_erfc, erfc(x))
UNARY(chlo_lgamma, special_lgamma(x))
BINARY(chlo_polygamma, special_polygamma(x, y))
BINARY(chlo_zeta, special_zeta(x, y))

#define IN_F64(name)                                                                                                   \
    { OP_##name, name##_F64 }
static const struct InF64 {
    OpKind kind;
    ElemFn fn;
} in_f64[] = {
    IN_F64(atan2),
    IN_F64(cbrt),
    IN_F64(cosine),
    IN_F64(exponential),
    IN_F64(exponential_minus_one),
    IN_F64(log),
    IN_F64(log_plus_one),
    IN_F64(logistic),
    IN_F64(power),
    IN_F64(rsqrt),
    IN_F64(sine),
    IN_F64(tan),
    IN_F64(tanh),
    IN_F64(chlo_acos),
    IN_F64(chlo_acosh),
    IN_F64(chlo_asin),
    IN_F64(chlo_asinh),
    IN_F64(chlo_atan),
    IN_F64(chlo_atanh),
    IN_F64(chlo_bessel_i1e),
    IN_F64(chlo_digamma),
    IN_F64(chlo_erf),
    IN_F64(chlo_erf_inv),
    IN_F64(chlo_erfc),
    IN_F64(chlo_lgamma),
    IN_F64(chlo_polygamma),
    IN_F64(chlo_zeta),
    {OP_chlo_tan, tan_F64},
};

ElemFn elementwise_f64_fn(OpKind kind) {
    for (size_t i = 0; i < sizeof in_f64 / sizeof *in_f64; i++)
        if (in_f64[i].kind == kind) return in_f64[i].fn;
    return NULL;
}
