// Arithmetic on integers that C lacks.
#ifndef PARTIR_SUPPORT_INTEGER_H
#define PARTIR_SUPPORT_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

// The greatest common divisor; the other one if one is 0.
static inline int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

static inline bool has_integer(const int64_t *list, uint32_t n, int64_t x) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == x) return true;
    return false;
}

#endif
