// Big integers, large enough for the exact value of any double: 2^53 * 5^1074, and the digits it is compared with.
#ifndef PARTIR_SUPPORT_BIG_H
#define PARTIR_SUPPORT_BIG_H

#include <stdint.h>

#define BIG_LIMBS 192

typedef struct Big {
    uint32_t limbs[BIG_LIMBS]; // least significant first; the last of the n is not 0
    int n;
} Big;

void big_set(Big *b, uint64_t value);
void big_multiply_add(Big *b, uint32_t factor, uint32_t add);
void big_multiply_power_of_5(Big *b, int64_t power);
void big_shift_left(Big *b, int64_t bits);
uint32_t big_divide(Big *b, uint32_t divisor); // gives the remainder
int big_compare(const Big *a, const Big *b);   // -1, 0, 1
int big_bits(const Big *b);                    // of a number above 0

#endif
