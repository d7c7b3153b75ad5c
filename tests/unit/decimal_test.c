// Decimal text to double, against the C library (the test runs in the C locale), and the small float formats.
#include "ir/float_format.h"
#include "support/decimal.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

static double read(const char *text) {
    double v = -12345;
    CHECK(decimal_to_double(span_of(text), &v));
    return v;
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void agrees(const char *text) {
    if (!same_bits(read(text), strtod(text, NULL)))
        printf("%s reads as %a, expected %a\n", text, read(text), strtod(text, NULL));
    CHECK(same_bits(read(text), strtod(text, NULL)));
}

static void hard_cases_are_exact(void) {
    static const char *const cases[] = {"0",
                                        "-0.0",
                                        "1.",
                                        "+2.5",
                                        ".5",
                                        "1e22",
                                        "1e23",
                                        "8.5e22",
                                        "9007199254740993",
                                        "9007199254740993.0000000000000000000000001",
                                        "9007199254740992.9999999999999999",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.797693134862315807e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "1e-400",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "2.225073858507201136e-308",
                                        "6.631236846766476e-316",
                                        "0.1",
                                        "3.40282347E+38",
                                        "1.17549435E-38",
                                        "123456789012345678901234567890",
                                        "0.000000000000000000000000000000000000001e39",
                                        "7.2057594037927933e+16",
                                        "100000000000000016777215",
                                        "100000000000000016777216",
                                        "1e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "0e99999999999999999999"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) agrees(cases[i]);
}

static void long_ties_look_at_every_digit(void) {
    // 2^-1075, the midpoint of 0 and the least double, has 751 digits; one more digit far behind decides.
    char text[1400];
    int n = snprintf(text, sizeof text, "%.1075f", 0x1p-1074);
    agrees(text);
    // Half of it, by hand: the decimal expansion of 2^-1075.
    char half[1500] = "0.";
    int carry = 0, h = 2;
    for (int i = 2; i < n; i++) {
        int digit = carry * 10 + (text[i] - '0');
        half[h++] = (char)('0' + digit / 2);
        carry = digit % 2;
    }
    half[h++] = carry ? '5' : '0';
    half[h] = 0;
    CHECK(read(half) == 0);
    memset(half + h, '0', 100);
    strcpy(half + h + 100, "1");
    CHECK(read(half) == 0x1p-1074);
    agrees(half);
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void random_numbers_agree_with_the_c_library(void) {
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&state);
        double v;
        memcpy(&v, &bits, sizeof v);
        char text[64];
        if (!isfinite(v)) continue;
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.9e", v);
        agrees(text);
    }
}

static void what_is_no_number_is_refused(void) {
    static const char *const cases[] = {"",    "-",   ".",     "e5", "1e", "1e+", "1.5x",
                                        "nan", "inf", "0x1p3", "1 ", " 1", "1,5", "--1"};
    double v;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) CHECK(!decimal_to_double(span_of(cases[i]), &v));
}

static void every_pattern_of_every_small_format_round_trips(void) {
    for (int e = EL_F4E2M1FN; e <= EL_F16; e++) {
        uint64_t patterns = (uint64_t)1 << elem_bits((Elem)e);
        for (uint64_t bits = 0; bits < patterns; bits++) {
            double v = float_to_double((Elem)e, bits);
            uint64_t back = float_from_double((Elem)e, v);
            if (isnan(v))
                CHECK(isnan(float_to_double((Elem)e, back)));
            else
                CHECK_INT(back, bits);
        }
    }
}

// What LLVM's floats do, as MLIR shows them.
static void rounding_and_overflow_are_those_of_llvm(void) {
    static const struct {
        Elem elem;
        double v;
        uint64_t bits;
    } cases[] = {{EL_F8E4M3FN, 1.0625, 0x38},
                 {EL_F8E4M3FN, 464, 0x7e},
                 {EL_F8E4M3FN, 464.1, 0x7f},
                 {EL_F8E4M3FN, -500, 0xff},
                 {EL_F8E4M3FNUZ, -0.0, 0},
                 {EL_F8E4M3FNUZ, 1e6, 0x80},
                 {EL_F8E5M2, 1e6, 0x7c},
                 {EL_F8E5M2, 61439, 0x7b},
                 {EL_F8E5M2, 61440, 0x7c},
                 {EL_F8E5M2FNUZ, -1e6, 0x80},
                 {EL_F4E2M1FN, 100, 7},
                 {EL_F4E2M1FN, -100, 15},
                 {EL_F4E2M1FN, 0.25, 0},
                 {EL_F4E2M1FN, 0.3, 1},
                 {EL_F6E2M3FN, 100, 0x1f},
                 {EL_F8E8M0FNU, 1.5, 128},
                 {EL_F8E8M0FNU, 3, 129},
                 {EL_F8E8M0FNU, 0, 0},
                 {EL_F8E8M0FNU, -0.0, 0},
                 {EL_F8E8M0FNU, -1, 0xff},
                 {EL_F8E8M0FNU, 2.6e38, 0xff},
                 {EL_F8E8M0FNU, 8.8e-39, 0},
                 {EL_F8E8M0FNU, 9e-39, 1},
                 {EL_BF16, 1.00390625, 0x3f80},
                 {EL_BF16, 1.01171875, 0x3f82},
                 {EL_BF16, 3.4e38, 0x7f80},
                 {EL_F16, 65519, 0x7bff},
                 {EL_F16, 65520, 0x7c00},
                 {EL_F16, 0x1p-25, 0},
                 {EL_F16, 0x1.8p-25, 1},
                 {EL_F32, 0x1.000001p0, 0x3f800000},
                 {EL_F8E3M4, 15.75, 0x70},
                 {EL_F8E3M4, 15.74, 0x6f}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(float_from_double(cases[i].elem, cases[i].v), cases[i].bits);
}

int main(void) {
    RUN(hard_cases_are_exact);
    RUN(long_ties_look_at_every_digit);
    RUN(random_numbers_agree_with_the_c_library);
    RUN(what_is_no_number_is_refused);
    RUN(every_pattern_of_every_small_format_round_trips);
    RUN(rounding_and_overflow_are_those_of_llvm);
    return test_end();
}
