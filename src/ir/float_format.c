// Float formats as a table: how many bits of exponent and mantissa, the bias, and what the odd bit patterns mean.
#include "ir/float_format.h"
#include <math.h>

typedef enum Specials {
    IEEE,   // the highest exponent is infinity and NaN
    FN,     // no infinity; NaN is all ones
    FNUZ,   // no infinity, no negative zero: its pattern is NaN
    FINITE, // every pattern is a number
    SCALE   // only an exponent: no sign, no zero; all ones is NaN
} Specials;

typedef struct Format {
    uint8_t exponent, mantissa;
    int16_t bias;
    uint8_t specials;
} Format;

static const Format formats[EL_COUNT] = {
    [EL_F4E2M1FN] = {2, 1, 1, FINITE},  [EL_F6E2M3FN] = {2, 3, 1, FINITE},   [EL_F6E3M2FN] = {3, 2, 3, FINITE},
    [EL_F8E3M4] = {3, 4, 3, IEEE},      [EL_F8E4M3] = {4, 3, 7, IEEE},       [EL_F8E4M3B11FNUZ] = {4, 3, 11, FNUZ},
    [EL_F8E4M3FN] = {4, 3, 7, FN},      [EL_F8E4M3FNUZ] = {4, 3, 8, FNUZ},   [EL_F8E5M2] = {5, 2, 15, IEEE},
    [EL_F8E5M2FNUZ] = {5, 2, 16, FNUZ}, [EL_F8E8M0FNU] = {8, 0, 127, SCALE}, [EL_BF16] = {8, 7, 127, IEEE},
    [EL_F16] = {5, 10, 15, IEEE},       [EL_F32] = {8, 23, 127, IEEE},       [EL_F64] = {11, 52, 1023, IEEE},
};

static uint64_t sign_bit(const Format *f) { return (uint64_t)1 << (f->exponent + f->mantissa); }

static uint64_t nan_bits(const Format *f, uint64_t sign) {
    switch ((Specials)f->specials) {
    case IEEE: return sign | (((uint64_t)1 << f->exponent) - 1) << f->mantissa | (uint64_t)1 << (f->mantissa - 1);
    case FN: return sign | (sign_bit(f) - 1);
    case FNUZ: return sign_bit(f);
    case FINITE: return sign_bit(f); // there is none: negative zero, as LLVM does
    case SCALE: return 0xff;
    }
    return 0;
}

// The largest pattern, without sign, that is a finite number.
static uint64_t largest_finite(const Format *f) {
    switch ((Specials)f->specials) {
    case IEEE: return ((((uint64_t)1 << f->exponent) - 1) << f->mantissa) - 1;
    case FN: return sign_bit(f) - 2;
    case FNUZ:
    case FINITE: return sign_bit(f) - 1;
    case SCALE: return 0xfe;
    }
    return 0;
}

static uint64_t overflow_bits(const Format *f, uint64_t sign) {
    if (f->specials == IEEE) return sign | (largest_finite(f) + 1);
    return f->specials == FINITE ? sign | largest_finite(f) : nan_bits(f, sign);
}

// The magnitude m * 2^e, m below 2^53, to the nearest pattern. Patterns count up with the values they stand for, so a
// carry out of the mantissa moves to the next exponent by itself.
static uint64_t round_magnitude(const Format *f, uint64_t m, int e) {
    int top = 0; // exponent of the leading bit
    while (m >> top > 1) top++;
    int exponent = e + top, lowest = f->specials == SCALE ? -f->bias : 1 - f->bias;
    if (exponent < lowest) exponent = lowest;
    int drop = exponent - f->mantissa - e; // bits of m below the last one kept
    uint64_t kept = 0;
    if (drop <= 0) {
        kept = m << -drop;
    } else if (drop < 63) {
        kept = m >> drop;
        uint64_t rest = m & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1);
        if (rest > half || (rest == half && (kept & 1))) kept++;
    }
    if (f->specials == SCALE) return (uint64_t)(exponent + f->bias) + (kept > 1);
    // A normal number has its leading bit at `mantissa`; that bit is added into the exponent.
    return ((uint64_t)(exponent - lowest) << f->mantissa) + kept;
}

uint64_t float_from_double(Elem elem, double v) {
    const Format *f = &formats[elem];
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (elem == EL_F64) return bits;
    if (elem == EL_F32) {
        float narrow = (float)v;
        uint32_t bits32;
        memcpy(&bits32, &narrow, sizeof bits32);
        return bits32;
    }
    uint64_t sign = bits >> 63 ? sign_bit(f) : 0;
    if (f->specials == SCALE && sign && v != 0) return nan_bits(f, 0);
    if (isnan(v)) return nan_bits(f, sign);
    if (f->specials == SCALE) sign = 0;
    if (isinf(v)) return overflow_bits(f, sign);
    int e = (int)(bits >> 52 & 0x7ff);
    uint64_t m = bits & (((uint64_t)1 << 52) - 1);
    if (e) m |= (uint64_t)1 << 52;
    uint64_t magnitude = v == 0 ? 0 : round_magnitude(f, m, (e ? e : 1) - 1075);
    if (magnitude > largest_finite(f)) return overflow_bits(f, sign);
    if (magnitude == 0 && f->specials == FNUZ) return 0;
    return sign | magnitude;
}

double float_to_double(Elem elem, uint64_t bits) {
    const Format *f = &formats[elem];
    double v;
    if (elem == EL_F64) {
        memcpy(&v, &bits, sizeof v);
        return v;
    }
    bool negative = f->specials != SCALE && (bits & sign_bit(f));
    uint64_t magnitude = f->specials == SCALE ? bits & 0xff : bits & (sign_bit(f) - 1);
    if (f->specials == FNUZ && negative && !magnitude) return NAN;
    if (magnitude > largest_finite(f)) {
        bool infinite = f->specials == IEEE && magnitude == largest_finite(f) + 1;
        v = infinite ? INFINITY : NAN;
        return negative ? -v : v;
    }
    int e = (int)(magnitude >> f->mantissa);
    uint64_t m = magnitude & (((uint64_t)1 << f->mantissa) - 1);
    if (f->specials == SCALE) return ldexp(1, e - f->bias);
    if (e) m |= (uint64_t)1 << f->mantissa;
    v = ldexp((double)m, (e ? e : 1) - f->bias - f->mantissa);
    return negative ? -v : v;
}
