// Elementwise functions on arrays: the loops behind unary, binary, compare, select, clamp and convert, and behind the
// bodies of reduce, scatter and sort (interp/reduce/body.h).
//
//     Elementwise f;
//     if (elementwise_find(m, op, (Elem[]){EL_BF16, EL_BF16}, EL_BF16, &f))        // stablehlo.add on bf16
//         elementwise_apply(&f, out, (const void *[]){a, b}, n);                    // widens to f32, adds, rounds
//
// A loop is written once for each type that it computes in: i1, the integers of 8 to 64 bits, f32, f64, complex64,
// complex128. Narrower elements are widened block by block and rounded (or wrapped) once. Functions without an exact
// answer (exp, tanh, …) are computed in f64 for every float type.
#ifndef PARTIR_INTERP_ELEMENTWISE_ELEMENTWISE_H
#define PARTIR_INTERP_ELEMENTWISE_ELEMENTWISE_H

#include "ir/module.h"

typedef void (*ElemFn)(void *out, const void *const *in, int64_t n);

typedef struct Elementwise {
    ElemFn fn;
    uint32_t n_in;
    Elem in[3], in_as[3]; // stored as, computed as
    Elem out, out_as;
} Elementwise;

// The function of an elementwise op for these element types. False if the op is not elementwise, or not for these
// types.
bool elementwise_find(const Module *m, OpId op, const Elem *in, Elem out, Elementwise *f);
// The same by kind, for ops whose attributes do not matter.
bool elementwise_find_kind(OpKind kind, uint32_t n_in, const Elem *in, Elem out, Elementwise *f);
bool elementwise_find_convert(Elem from, Elem to, Elementwise *f);
bool elementwise_find_compare(Span direction, Span type, Elem in, Elementwise *f);

// out[i] = fn(in[0][i], …); operands marked in `scalar` are one element for all i. `out` overlaps no operand.
void elementwise_apply_scalars(const Elementwise *f, void *out, const void *const *in, unsigned scalar, int64_t n);
static inline void elementwise_apply(const Elementwise *f, void *out, const void *const *in, int64_t n) {
    elementwise_apply_scalars(f, out, in, 0, n);
}

// The type in which arithmetic on `e` is done.
Elem elem_compute(Elem e);
// Array conversion with the meaning of stablehlo.convert.
void elements_convert(Elem from, Elem to, const void *in, void *out, int64_t n);

// Tables by family: the function of `kind` computed in `as`, or NULL.
ElemFn elementwise_int_fn(OpKind kind, Elem as);     // i1 and integers
ElemFn elementwise_float_fn(OpKind kind, Elem as);   // f32, f64: exact operations
ElemFn elementwise_f64_fn(OpKind kind);              // transcendental functions, in f64 alone
ElemFn elementwise_complex_fn(OpKind kind, Elem as); // complex64, complex128: arithmetic
ElemFn elementwise_c128_fn(OpKind kind);             // transcendental functions, in complex128 alone
ElemFn elementwise_convert_fn(Elem from, Elem to);   // between computed types

#endif
