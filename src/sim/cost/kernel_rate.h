// Cost of a kernel: the sum of what its ops do, and how long the device takes for that.
//
//     fusion(dot 4096x1536x3072, gelu)    the matrix unit 0.19 ms, the vector unit 0.04 ms, memory 0.17 ms: 0.19 ms
#ifndef PARTIR_SIM_COST_KERNEL_RATE_H
#define PARTIR_SIM_COST_KERNEL_RATE_H

#include "sim/backend/backend.h"
#include "sim/cost/op_cost.h"

typedef struct KernelWork {
    double matrix_seconds; // of its products
    double vector, strided;
    double flops;
    double read_far, read_near; // bytes, as they lie in memory; near ones were touched a little while ago
    double written;
    bool reduces, moves; // it has a reduction; it moves elements to other places in their tiles
} KernelWork;

void add_kernel_work(KernelWork *to, const KernelWork *more);
// Seconds of a kernel, without its start. `bound_by_memory` says whether more memory bandwidth would make it faster.
double kernel_seconds(const Device *d, const KernelWork *work, bool *bound_by_memory);
// Bytes that a product reads of operands that lie far away: its result is made block by block, and each block reads rows and columns of its own.
double product_reads(const Device *d, const Cost *c, double lhs, double rhs);
// Products of a matrix and a vector are a multiplication and a reduction (XLA's DotStrengthReduction).
bool runs_on_vector_unit(const Device *d, const Cost *product);

#endif
