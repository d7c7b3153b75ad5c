// Cost of one op: FLOPs and bytes, from shapes alone.
//
//     dot_general 8x64 * 64x32: 2 * 8 * 32 * 64 FLOPs of the matrix unit, reads both, writes 8x32
#ifndef PARTIR_SIM_COST_OP_COST_H
#define PARTIR_SIM_COST_OP_COST_H

#include "ir/module.h"
#include "sim/device/device.h"

typedef struct Cost {
    double matrix;       // FLOPs of dots and convolutions, as XLA counts them: two for each multiply-add
    double vector;       // FLOPs of all else
    double read;         // bytes of the first operand: a slice reads only what it gives. Other operands are read whole
    double write;        // bytes of the results that are written: an update writes only what it changes
    double strided;      // elements that are read in another order than they lie, if nothing between does better
    double m, n, k;      // the matrix product behind `matrix`: rows, columns, depth
    bool transposed_lhs; // its left operand has the depth before the rows
} Cost;

Cost op_cost(const Module *m, OpId op);
// 0 for tokens.
static inline double value_bytes(const Module *m, ValueId v) { return value_tensor(m, v)->bytes; }

// The share of the matrix unit's peak that such a product can reach: its blocks are full only if the sizes are multiples of theirs.
double matrix_efficiency(const Device *d, const Cost *c);

#endif
