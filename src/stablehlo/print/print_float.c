// Floats as MLIR writes them, in the first of three forms that reads back to the same bits:
//
//     1.000000e-01      six significant digits
//     3.14159274        all digits that the type can tell apart, with a decimal point
//     0x7F800000        the bits: infinities, NaNs and whole numbers too large for the first form
#include "ir/float_format.h"
#include "stablehlo/print/print_state.h"
#include "support/big.h"
#include "support/decimal.h"
#include <math.h>

enum {
    MAX_DIGITS = 1200 // of the largest number here, 2^53 * 5^1074
};

// |value| = digits * 10^exponent, without trailing zeros. `digits` are characters, the most significant first.
typedef struct DecimalDigits {
    char digits[MAX_DIGITS];
    int n;
    int exponent;
} DecimalDigits;

// The integer of MLIR's conversion: the odd part of the significand times 2^e, or times 5^-e for a negative e.
static void to_odd_integer(double magnitude, Big *b, int *exponent) {
    int e;
    double fraction = frexp(magnitude, &e);
    uint64_t m = (uint64_t)ldexp(fraction, 53);
    e -= 53;
    for (; !(m & 1); m >>= 1) e++;
    big_set(b, m);
    *exponent = e < 0 ? e : 0;
    if (e > 0)
        big_shift_left(b, e);
    else
        big_multiply_power_of_5(b, -e);
}

static void drop_trailing_zeros(DecimalDigits *d) {
    for (; d->n > 1 && d->digits[d->n - 1] == '0'; d->n--) d->exponent++;
}

// Rounds half up to `precision` digits.
static void round_digits(DecimalDigits *d, int precision) {
    if (d->n > precision) {
        bool up = d->digits[precision] >= '5';
        d->exponent += d->n - precision;
        d->n = precision;
        if (up) {
            for (; d->n && d->digits[d->n - 1] == '9'; d->n--) d->exponent++;
            if (d->n)
                d->digits[d->n - 1]++;
            else
                d->digits[d->n++] = '1';
        }
    }
    drop_trailing_zeros(d);
}

// At most `precision` significant digits. Surplus digits of the exact value are cut off before the last ones are
// rounded away, as many as surely do not count: so a last digit may be cut where rounding would have raised it.
static void shorten(double magnitude, int precision, DecimalDigits *d) {
    Big b;
    to_odd_integer(magnitude, &b, &d->exponent);
    int surplus_bits = big_bits(&b) - (precision * 196 + 58) / 59; // log2(10) is near 196/59
    int cut = surplus_bits > 0 ? surplus_bits * 59 / 196 : 0;
    char reversed[MAX_DIGITS];
    int n = 0;
    while (b.n) {
        uint32_t nine = big_divide(&b, 1000000000);
        for (int i = 0; i < 9; i++, nine /= 10) reversed[n++] = (char)('0' + nine % 10);
    }
    while (n > 1 && reversed[n - 1] == '0') n--;
    d->exponent += cut;
    d->n = n - cut;
    for (int i = 0; i < d->n; i++) d->digits[i] = reversed[n - 1 - i];
    round_digits(d, precision);
}

typedef struct FloatText {
    char at[MAX_DIGITS];
    size_t n;
} FloatText;

static void add(FloatText *t, const char *s, size_t n) {
    memcpy(t->at + t->n, s, n);
    t->n += n;
}

static void add_zeros(FloatText *t, int n) {
    for (int i = 0; i < n; i++) t->at[t->n++] = '0';
}

static void add_exponent(FloatText *t, char letter, int exponent, int width) {
    char digits[8];
    size_t k = sizeof digits;
    add(t, (char[]){letter, exponent < 0 ? '-' : '+'}, 2);
    for (int v = exponent < 0 ? -exponent : exponent; v || width > 0; v /= 10, width--)
        digits[--k] = (char)('0' + v % 10);
    add(t, digits + k, sizeof digits - k);
}

// 1.234560e+05
static void scientific(double v, FloatText *t) {
    DecimalDigits d;
    t->n = 0;
    if (signbit(v)) add(t, "-", 1);
    if (v == 0) {
        add(t, "0.000000e+00", 12);
        return;
    }
    shorten(fabs(v), 6, &d);
    add(t, d.digits, 1);
    add(t, ".", 1);
    add(t, d.digits + 1, (size_t)d.n - 1);
    add_zeros(t, 6 - (d.n - 1));
    add_exponent(t, 'e', d.exponent + d.n - 1, 2);
}

// 3.14159274, 0.00123, 1.23E-10; a whole number has no decimal point.
static void natural(double v, int precision, FloatText *t) {
    DecimalDigits d;
    t->n = 0;
    if (signbit(v)) add(t, "-", 1);
    shorten(fabs(v), precision, &d);
    int leading = d.exponent + d.n - 1; // power of ten of the first digit
    bool far = d.exponent >= 0 ? d.exponent > 3 || d.n + d.exponent > precision : leading < -3;
    if (far) {
        add(t, d.digits, 1);
        add(t, ".", 1);
        if (d.n == 1)
            add(t, "0", 1);
        else
            add(t, d.digits + 1, (size_t)d.n - 1);
        add_exponent(t, 'E', leading, 1);
    } else if (d.exponent >= 0) {
        add(t, d.digits, (size_t)d.n);
        add_zeros(t, d.exponent);
    } else if (leading >= 0) {
        add(t, d.digits, (size_t)leading + 1);
        add(t, ".", 1);
        add(t, d.digits + leading + 1, (size_t)(d.n - leading - 1));
    } else {
        add(t, "0.", 2);
        add_zeros(t, -leading - 1);
        add(t, d.digits, (size_t)d.n);
    }
}

// Bits of the significand with the one that is not stored.
static int significand_bits(Elem e) {
    switch (e) {
    case EL_F64: return 53;
    case EL_F32: return 24;
    case EL_F16: return 11;
    case EL_BF16: return 8;
    case EL_F8E3M4: return 5;
    case EL_F8E4M3:
    case EL_F8E4M3B11FNUZ:
    case EL_F8E4M3FN:
    case EL_F8E4M3FNUZ:
    case EL_F6E2M3FN: return 4;
    case EL_F8E5M2:
    case EL_F8E5M2FNUZ:
    case EL_F6E3M2FN: return 3;
    case EL_F4E2M1FN: return 2;
    default: return 1; // f8E8M0FNU
    }
}

static bool reads_back(const FloatText *t, Elem e, uint64_t bits) {
    double v;
    return decimal_to_double((Span){t->at, t->n}, &v) && float_from_double(e, v) == bits;
}

void print_float(Elem e, uint64_t bits, Buffer *out) {
    double v = float_to_double(e, bits);
    if (isfinite(v)) {
        FloatText t;
        scientific(v, &t);
        if (!reads_back(&t, e, bits)) natural(v, 2 + significand_bits(e) * 59 / 196, &t);
        if (memchr(t.at, '.', t.n)) {
            buf_put(out, t.at, t.n);
            return;
        }
    }
    char hex[18];
    size_t k = sizeof hex;
    do hex[--k] = "0123456789ABCDEF"[bits & 15];
    while (bits >>= 4);
    hex[--k] = 'x';
    hex[--k] = '0';
    buf_put(out, hex + k, sizeof hex - k);
}
