// Scatters of one element to each row of zeros, and gathers of one element from each row.
#ifndef PARTIR_SPMD_EXPORT_ONE_HOT_H
#define PARTIR_SPMD_EXPORT_ONE_HOT_H

#include "ir/module.h"

// Whether a scatter adds one element to each row of zeros, so that comparing the rows' indices with an iota gives the same.
bool is_one_hot(const Module *m, OpId scatter);
// Whether a gather takes one element of each row of an operand that is computed element by element.
bool reads_one_hot(const Module *m, OpId gather);

// Build this select, or this sum, in `out` from the operands there. `op` is an op of `m`, whose types are those of `out`.
ValueId one_hot_select(Module *out, RegionId into, const ValueId operands[3], const Module *m, OpId op, LocId loc);
ValueId one_hot_sum(Module *out, RegionId into, const ValueId operands[2], const Module *m, OpId op, LocId loc);

#endif
