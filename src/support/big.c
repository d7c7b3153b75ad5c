// Big integers: limbs of 32 bits with carries of 64.
#include "support/big.h"
#include <string.h>

void big_set(Big *b, uint64_t value) {
    b->limbs[0] = (uint32_t)value;
    b->limbs[1] = (uint32_t)(value >> 32);
    b->n = b->limbs[1] ? 2 : value ? 1 : 0;
}

void big_multiply_add(Big *b, uint32_t factor, uint32_t add) {
    uint64_t carry = add;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limbs[i] * factor;
        b->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b->limbs[b->n++] = (uint32_t)carry;
}

void big_multiply_power_of_5(Big *b, int64_t power) {
    for (; power >= 13; power -= 13) big_multiply_add(b, 1220703125, 0);
    for (; power > 0; power--) big_multiply_add(b, 5, 0);
}

void big_shift_left(Big *b, int64_t bits) {
    int words = (int)(bits / 32);
    big_multiply_add(b, (uint32_t)1 << (bits % 32), 0);
    if (!words || !b->n) return;
    memmove(b->limbs + words, b->limbs, (size_t)b->n * sizeof *b->limbs);
    memset(b->limbs, 0, (size_t)words * sizeof *b->limbs);
    b->n += words;
}

uint32_t big_divide(Big *b, uint32_t divisor) {
    uint64_t rest = 0;
    for (int i = b->n - 1; i >= 0; i--) {
        rest = rest << 32 | b->limbs[i];
        b->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (b->n && !b->limbs[b->n - 1]) b->n--;
    return (uint32_t)rest;
}

int big_compare(const Big *a, const Big *b) {
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

int big_bits(const Big *b) {
    int bits = 32 * b->n;
    for (uint32_t top = b->limbs[b->n - 1]; !(top >> 31); top <<= 1) bits--;
    return bits;
}
