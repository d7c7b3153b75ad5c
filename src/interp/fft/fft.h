// Fast Fourier transforms of many lines, in the precision of their elements.
#ifndef PARTIR_INTERP_FFT_FFT_H
#define PARTIR_INTERP_FFT_FFT_H

#include "interp/exec.h"

typedef enum FftKind {
    FFT_FORWARD,     // n complex numbers to n: sums with exp(-2 pi i j k / n)
    FFT_INVERSE,     // the other sign; dividing by n is left to `scale`
    FFT_REAL,        // n real numbers to n / 2 + 1 complex ones; the rest of them would be conjugates of these
    FFT_REAL_INVERSE // back
} FftKind;

// The smallest number other than 1 that divides n.
int64_t fft_smallest_factor(int64_t n);
// `outer` x `inner` lines; element k of a line is `inner` elements behind element k - 1. f32 if `single`, otherwise f64.
// What comes out is multiplied by `scale`, but for FFT_REAL.
// `in` and `out` may be the same if complex numbers become complex numbers.
void fft_lines(Exec *e, FftKind kind, bool single, int64_t outer, int64_t n, int64_t inner, double scale,
               const void *in, void *out);

#endif
