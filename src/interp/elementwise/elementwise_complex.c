// Complex loops: arithmetic in both widths, the rest in complex128 alone.
#include "interp/elementwise/elementwise.h"
#include "interp/tensor/complex.h"
#include <complex.h>
#include <math.h>

#define LOOP1(name, id, C, R, expr)                                                                                    \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        R *out = o;                                                                                                    \
        const C *a = in[0];                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            C x = a[i];                                                                                                \
            out[i] = expr;                                                                                             \
        }                                                                                                              \
    }
#define LOOP2(name, id, C, expr)                                                                                       \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        C *out = o;                                                                                                    \
        const C *a = in[0], *b = in[1];                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            C x = a[i], y = b[i];                                                                                      \
            out[i] = expr;                                                                                             \
        }                                                                                                              \
    }

#define LESS(x, y) ((x).re == (y).re ? (x).im < (y).im : (x).re < (y).re)

#define DEFINE(id, C, T)                                                                                               \
    LOOP2(add, id, C, ((C){x.re + y.re, x.im + y.im}))                                                                 \
    LOOP2(subtract, id, C, ((C){x.re - y.re, x.im - y.im}))                                                            \
    LOOP2(multiply, id, C, ((C){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}))                                \
    LOOP2(maximum, id, C, LESS(y, x) ? x : y)                                                                          \
    LOOP2(minimum, id, C, LESS(x, y) ? x : y)                                                                          \
    LOOP1(negate, id, C, C, ((C){-x.re, -x.im}))                                                                       \
    LOOP1(chlo_conj, id, C, C, ((C){x.re, -x.im}))                                                                     \
    LOOP1(chlo_square, id, C, C, ((C){x.re * x.re - x.im * x.im, 2 * x.re * x.im}))                                    \
    LOOP1(real, id, C, T, x.re)                                                                                        \
    LOOP1(imag, id, C, T, x.im)
DEFINE(C64, Complex64, float)
DEFINE(C128, Complex128, double)

#define BOTH(name)                                                                                                     \
    {                                                                                                                  \
        OP_##name, { name##_C64, name##_C128 }                                                                         \
    }
static const struct Both {
    OpKind kind;
    ElemFn fn[2]; // complex64, complex128
} both[] = {BOTH(add),    BOTH(imag), BOTH(maximum),  BOTH(minimum),   BOTH(multiply),
            BOTH(negate), BOTH(real), BOTH(subtract), BOTH(chlo_conj), BOTH(chlo_square)};

ElemFn elementwise_complex_fn(OpKind kind, Elem as) {
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        if (both[i].kind == kind) return both[i].fn[as == EL_C128];
    return NULL;
}

// ---- In complex128 -------------------------------------------------------------------------------------------------

static double complex make_complex(double re, double im) {
    union {
        double part[2];
        double complex z;
    } u = {.part = {re, im}};
    return u.z;
}

static double complex expm1_complex(double complex z) {
    double x = creal(z), y = cimag(z), s = sin(y / 2);
    if (y == 0) return make_complex(expm1(x), y);
    return make_complex(expm1(x) * cos(y) - 2 * s * s, exp(x) * sin(y));
}

static double complex log1p_complex(double complex z) {
    double x = creal(z), y = cimag(z), im = atan2(y, 1 + x);
    bool small = fabs(x) < 0.5 && fabs(y) < 0.5;
    return make_complex(small ? 0.5 * log1p(x * (2 + x) + y * y) : log(hypot(1 + x, y)), im);
}

static double complex power_complex(double complex x, double complex y) {
    if (creal(y) == 0 && cimag(y) == 0) return 1;
    if (creal(x) == 0 && cimag(x) == 0 && creal(y) > 0) return 0;
    return cpow(x, y);
}

static double complex cbrt_complex(double complex z) {
    double theta = carg(z) / 3, r = cbrt(cabs(z));
    return make_complex(r * cos(theta), r * sin(theta));
}

static double complex sign_complex(double complex z) {
    double r = cabs(z);
    if (r != r) return make_complex((double)NAN, (double)NAN);
    return r == 0 ? 0 : make_complex(creal(z) / r, cimag(z) / r);
}

// -i log((x + iy) / sqrt(x^2 + y^2))
static double complex atan2_complex(double complex y, double complex x) {
    double complex w = clog((x + make_complex(-cimag(y), creal(y))) / csqrt(x * x + y * y));
    return make_complex(cimag(w), -creal(w));
}

// The part that asin and acos share: with a + ib = asin(z) it is cos(a) cosh(b) + i|b|.
static double complex asin_acos_kernel(double complex z) {
    double complex w = casin(z);
    return make_complex(cos(creal(w)) * cosh(cimag(w)), fabs(cimag(w)));
}

static double complex logistic_complex(double complex z) { return 1 / (1 + cexp(-z)); }
static double complex rsqrt_complex(double complex z) { return 1 / csqrt(z); }

#define IN_C128_1(name, expr)                                                                                          \
    static void name##_in_c128(void *o, const void *const *in, int64_t n) {                                            \
        const Complex128 *a = in[0];                                                                                   \
        Complex128 *out = o;                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            double complex z = make_complex(a[i].re, a[i].im), r = expr;                                               \
            out[i] = (Complex128){creal(r), cimag(r)};                                                                 \
        }                                                                                                              \
    }
#define IN_C128_2(name, expr)                                                                                          \
    static void name##_in_c128(void *o, const void *const *in, int64_t n) {                                            \
        const Complex128 *a = in[0], *b = in[1];                                                                       \
        Complex128 *out = o;                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            double complex z = make_complex(a[i].re, a[i].im), w = make_complex(b[i].re, b[i].im), r = expr;           \
            out[i] = (Complex128){creal(r), cimag(r)};                                                                 \
        }                                                                                                              \
    }

static void abs_in_c128(void *o, const void *const *in, int64_t n) {
    const Complex128 *a = in[0];
    for (int64_t i = 0; i < n; i++) ((double *)o)[i] = hypot(a[i].re, a[i].im);
}
IN_C128_1(cbrt, cbrt_complex(z))
IN_C128_1(cosine, ccos(z))
IN_C128_1(exponential, cexp(z))
IN_C128_1(exponential_minus_one, expm1_complex(z))
IN_C128_1(log, clog(z))
IN_C128_1(log_plus_one, log1p_complex(z))
IN_C128_1(logistic, logistic_complex(z))
IN_C128_1(rsqrt, rsqrt_complex(z))
IN_C128_1(sign, sign_complex(z))
IN_C128_1(sine, csin(z))
IN_C128_1(sqrt, csqrt(z))
IN_C128_1(tan, ctan(z))
IN_C128_1(tanh, ctanh(z))
IN_C128_2(atan2, atan2_complex(z, w))
IN_C128_2(divide, z / w)
IN_C128_2(power, power_complex(z, w))
IN_C128_1(chlo_acos, cacos(z))
IN_C128_1(chlo_acosh, cacosh(z))
IN_C128_1(chlo_asin, casin(z))
IN_C128_1(chlo_asinh, casinh(z))
IN_C128_1(chlo_atan, catan(z))
IN_C128_1(chlo_atanh, catanh(z))
IN_C128_1(chlo__asin_acos_kernel, asin_acos_kernel(z))
IN_C128_1(chlo_cosh, ccosh(z))
IN_C128_1(chlo_sinh, csinh(z))

#define IN_C128(name)                                                                                                  \
    { OP_##name, name##_in_c128 }
static const struct InC128 {
    OpKind kind;
    ElemFn fn;
} in_c128[] = {
    IN_C128(abs),
    IN_C128(atan2),
    IN_C128(cbrt),
    IN_C128(cosine),
    IN_C128(divide),
    IN_C128(exponential),
    IN_C128(exponential_minus_one),
    IN_C128(log),
    IN_C128(log_plus_one),
    IN_C128(logistic),
    IN_C128(power),
    IN_C128(rsqrt),
    IN_C128(sign),
    IN_C128(sine),
    IN_C128(sqrt),
    IN_C128(tan),
    IN_C128(tanh),
    IN_C128(chlo_acos),
    IN_C128(chlo_acosh),
    IN_C128(chlo_asin),
    IN_C128(chlo_asinh),
    IN_C128(chlo_atan),
    IN_C128(chlo_atanh),
    IN_C128(chlo_cosh),
    IN_C128(chlo_sinh),
    IN_C128(chlo__asin_acos_kernel),
    {OP_chlo_tan, tan_in_c128},
};

ElemFn elementwise_c128_fn(OpKind kind) {
    for (size_t i = 0; i < sizeof in_c128 / sizeof *in_c128; i++)
        if (in_c128[i].kind == kind) return in_c128[i].fn;
    return NULL;
}
