// Strided copies: the one loop behind transpose, broadcast, slice, pad, concatenate, reverse and the like. A tensor is
// moved by saying, for each dimension of the result, how far apart neighbours lie in the source and in the destination.
//
//     transpose [1, 0] of 2x3:   dims {3, 2}, source strides {1, 3}, destination strides {2, 1}
//     broadcast along a dim:     source stride 0              reverse: a negative stride from the last element
#ifndef PARTIR_INTERP_TENSOR_COPY_H
#define PARTIR_INTERP_TENSOR_COPY_H

#include <stddef.h>
#include <stdint.h>

// Strides count elements of `size` bytes (1, 2, 4, 8 or 16); they may be zero or negative. `from` may lie at any address,
// `to` where its elements may.
void copy_strided(size_t size, uint32_t rank, const int64_t *dims, void *to, const int64_t *to_strides,
                  const void *from, const int64_t *from_strides);
// Into dense row-major elements of shape `dims`.
void copy_into_dense(size_t size, uint32_t rank, const int64_t *dims, void *to, const void *from,
                     const int64_t *from_strides);
// n copies of one element.
void copy_splat(size_t size, void *to, const void *one, int64_t n);

#endif
