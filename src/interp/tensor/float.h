// Elements: single ones of any type as C numbers, and arrays of small floats widened and rounded.
#ifndef PARTIR_INTERP_TENSOR_FLOAT_H
#define PARTIR_INTERP_TENSOR_FLOAT_H

#include "ir/type.h"

// One element in memory. The integer of an unsigned type is its bits; of a signed one sign-extended; of i1 0 or 1.
int64_t elem_read_int(Elem e, const void *p);
void elem_write_int(Elem e, void *p, int64_t v); // wraps around
double elem_read_float(Elem e, const void *p);
void elem_write_float(Elem e, void *p, double v);

// Whether a float type is narrower than f32, and computed in it.
static inline bool elem_is_small_float(Elem e) { return e >= EL_F4E2M1FN && e <= EL_F16; }
// Arrays of a small float type to and from f32 or f64 (`wide`).
void floats_widen(Elem small, Elem wide, const void *from, void *to, int64_t n);
void floats_narrow(Elem wide, Elem small, const void *from, void *to, int64_t n);

static inline uint32_t f32_bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline float f32_from_bits(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static inline uint64_t f64_bits(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline double f64_from_bits(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#endif
