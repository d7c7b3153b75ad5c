// Complex elements as they lie in memory.
#ifndef PARTIR_INTERP_TENSOR_COMPLEX_H
#define PARTIR_INTERP_TENSOR_COMPLEX_H

typedef struct Complex64 {
    float re, im;
} Complex64;
typedef struct Complex128 {
    double re, im;
} Complex128;

#endif
