// What the products (dot, convolution, einsum) share.
#ifndef PARTIR_INTERP_PRODUCT_DOT_H
#define PARTIR_INTERP_PRODUCT_DOT_H

#include "interp/exec.h"

// The type in which products of a and b are summed: f32 for small floats, i32 or i64 for integers.
Elem dot_compute(Elem a, Elem b, Elem out);
// The operand's elements in that type; its own if it has that type.
const char *dot_operand(Exec *e, const Tensor *x, Elem as);
// Sums to the result's type, rounded once; a sum of i1 products is true if any product is.
void dot_store(Elem as, Elem out, const void *from, void *to, int64_t n);

#endif
