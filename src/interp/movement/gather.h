// What gather and scatter share: from a place among the indices to a start in the operand.
#ifndef PARTIR_INTERP_MOVEMENT_GATHER_H
#define PARTIR_INTERP_MOVEMENT_GATHER_H

#include "interp/tensor/tensor.h"

typedef struct GatherIndex {
    int64_t vector_dim; // the dimension of the indices along which one start index lies
    const int64_t *map; // operand dimension of each of its components
    uint32_t n_map;
    const int64_t *operand_batching, *indices_batching;
    uint32_t n_batching;
} GatherIndex;

// The start that the indices name at `place` (without the vector dimension); entries of `start` that nothing names
// stay.
void gather_start(const Tensor *indices, const GatherIndex *g, const int64_t *place, int64_t *start);
// The numbers below `rank` in neither list, ascending; returns how many.
uint32_t gather_others(uint32_t rank, const int64_t *a, uint32_t n_a, const int64_t *b, uint32_t n_b, int64_t *others);

#endif
