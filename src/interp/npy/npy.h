// NumPy files: .npy, one array, and .npz, a zip archive of them.
//
//     \x93NUMPY 1 0 <length> {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n <elements>
//
// Element types that NumPy does not know are void there, as ml_dtypes has them: bf16 is '<V2', f8 and 4-bit types are
// '<V1', a byte each. A reader names them by the type that is wanted.
#ifndef PARTIR_INTERP_NPY_NPY_H
#define PARTIR_INTERP_NPY_NPY_H

#include "interp/tensor/tensor.h"
#include "support/diag.h"

typedef struct NpyArray {
    Span descr; // <f4, |b1, <V2, bfloat16
    char kind;  // b, i, u, f, c or V; 0 for a type by name
    uint32_t size;
    bool swapped, fortran; // big-endian; first dimension fastest
    uint32_t rank;
    int64_t dims[MAX_RANK];
    size_t start;     // of the elements in the file
    const char *data; // the elements, at any alignment
} NpyArray;

// Longer headers are refused.
enum { NPY_MAX_HEADER = 64 * 1024 };

// Reads the header from the first bytes of a file of n bytes, which must be its elements and nothing else; `name` is for
// diagnostics. `descr` points into `first`; `data` is for the caller to set.
bool npy_parse(NpyArray *a, Context *ctx, const char *name, Span first, uint64_t n);
// Whether the array's elements are of this type.
bool npy_is(const NpyArray *a, Elem elem);
// Elements [first, first + t->n) of the array, in row-major order, into the tensor, whose type npy_is.
void npy_copy(const NpyArray *a, int64_t first, Tensor *t);

// The file of an array of this shape, whose elements are the given tensors' one after the other.
void npy_write(Buffer *out, Elem elem, uint32_t rank, const int64_t *dims, const Tensor *const *parts,
               uint32_t n_parts);

#endif
