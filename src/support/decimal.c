// Decimal to double. Most numbers have few digits and a small exponent: one exact multiplication does. For the others
// an approximation is moved, one double at a time, until the exact value lies within half a step of it; the comparison
// with the midpoint is made on big integers:      digits * 10^e10   <=>   (2m + 1) * 2^(e2 - 1)
#include "support/decimal.h"
#include "support/big.h"
#include <math.h>

enum { MAX_READ_DIGITS = 800 }; // a midpoint of two doubles has at most 767 digits: more cannot tie

typedef struct Decimal {
    uint8_t digits[MAX_READ_DIGITS + 1]; // without leading zeros; the last may stand for all that was cut off
    int n;
    int64_t exponent; // value = digits * 10^exponent
} Decimal;

// Below, at or above the midpoint of `low` and the next double: -1, 0, 1.
static int compare_with_midpoint(const Decimal *d, double low) {
    int e2;
    double fraction = frexp(low, &e2);
    if (e2 < -1021 || low == 0) { // below the normal range steps are all alike
        fraction = ldexp(low, 1074 - 53);
        e2 = -1074 + 53;
    }
    uint64_t m = 2 * (uint64_t)ldexp(fraction, 53) + 1;
    Big value, middle;
    big_set(&value, 0);
    for (int i = 0; i < d->n; i++) big_multiply_add(&value, 10, d->digits[i]);
    big_set(&middle, m);
    // Both sides are scaled to integers: value * 2^up vs middle, or value vs middle * 2^-up.
    int64_t up = d->exponent - (e2 - 53 - 1);
    if (d->exponent >= 0)
        big_multiply_power_of_5(&value, d->exponent);
    else
        big_multiply_power_of_5(&middle, -d->exponent);
    if (up >= 0)
        big_shift_left(&value, up);
    else
        big_shift_left(&middle, -up);
    return big_compare(&value, &middle);
}

static double approximate(const Decimal *d) {
    uint64_t lead = 0;
    int n = d->n < 19 ? d->n : 19;
    for (int i = 0; i < n; i++) lead = lead * 10 + d->digits[i];
    int64_t e10 = d->exponent + (d->n - n);
    int e2 = 0, step;
    double x = frexp((double)lead, &e2);
    // The exponent is kept apart, so that nothing overflows on the way.
    for (; e10 > 0; e10--) {
        x = frexp(x * 10, &step);
        e2 += step;
    }
    for (; e10 < 0; e10++) {
        x = frexp(x / 10, &step);
        e2 += step;
    }
    return ldexp(x, e2);
}

static bool is_odd(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 1;
}

static double nearest_double(const Decimal *d) {
    if (d->n == 0 || d->exponent + d->n < -330) return 0;
    if (d->exponent + d->n > 310) return HUGE_VAL;
    double x = approximate(d);
    if (isinf(x)) x = 0x1.fffffffffffffp1023;
    for (;;) {
        int above = compare_with_midpoint(d, x);
        if (above > 0 || (above == 0 && is_odd(x))) {
            x = nextafter(x, HUGE_VAL);
            if (isinf(x)) return x;
            if (above == 0) return x;
            continue;
        }
        if (x == 0) return x;
        double below = nextafter(x, 0);
        int from_below = compare_with_midpoint(d, below);
        if (from_below > 0 || (from_below == 0 && is_odd(below))) return x;
        x = below;
    }
}

static void add_digit(Decimal *d, uint8_t digit) {
    if (d->n == 0 && digit == 0) return;
    if (d->n < MAX_READ_DIGITS) {
        d->digits[d->n++] = digit;
    } else {
        d->exponent++;
        if (digit && d->n == MAX_READ_DIGITS) { // whatever follows, the value lies above the digits kept
            d->digits[d->n++] = 1;
            d->exponent--;
        }
    }
}

static bool parse_exponent(const char *p, const char *end, int64_t *out) {
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return false;
    int64_t e = 0;
    for (; p < end; p++) {
        if (!is_digit(*p)) return false;
        if (e < 1000000000000) e = e * 10 + (*p - '0');
    }
    *out = negative ? -e : e;
    return true;
}

static bool parse(const char *p, const char *end, Decimal *d) {
    const char *start = p;
    for (; p < end && is_digit(*p); p++) add_digit(d, (uint8_t)(*p - '0'));
    bool any = p > start;
    if (p < end && *p == '.') {
        for (start = ++p; p < end && is_digit(*p); p++) {
            add_digit(d, (uint8_t)(*p - '0'));
            d->exponent--;
        }
        any |= p > start;
    }
    if (!any) return false;
    if (p == end) return true;
    int64_t e = 0;
    if ((*p != 'e' && *p != 'E') || !parse_exponent(p + 1, end, &e)) return false;
    d->exponent += e;
    return true;
}

bool decimal_to_double(Span text, double *out) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = text.at, *end = text.at + text.n;
    bool negative = text.n && *p == '-';
    if (text.n && (*p == '-' || *p == '+')) p++;
    Decimal d = {.n = 0};
    if (!parse(p, end, &d)) return false;
    double x;
    if (d.n <= 15 && d.exponent >= -22 && d.exponent <= 22) { // both factors are exact, so one rounding is all
        uint64_t m = 0;
        for (int i = 0; i < d.n; i++) m = m * 10 + d.digits[i];
        x = d.exponent < 0 ? (double)m / powers[-d.exponent] : (double)m * powers[d.exponent];
    } else {
        x = nearest_double(&d);
    }
    *out = negative ? -x : x;
    return true;
}
