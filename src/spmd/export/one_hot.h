// Scatters of one element to each row of zeros, and gathers of one element from each row.
#ifndef PARTIR_SPMD_EXPORT_ONE_HOT_H
#define PARTIR_SPMD_EXPORT_ONE_HOT_H

#include "ir/module.h"

// Whether a scatter adds one element to each row of zeros, so that comparing the rows' indices with an iota says the same.
bool is_one_hot(const Module *m, OpId scatter);
// Whether a gather takes one element of each row of what is computed element by element.
bool reads_one_hot(const Module *m, OpId gather);

// That select, and that sum, of the operands of the op in `out`. `op` is one of `m`, whose types are those of `out`.
ValueId one_hot_select(Module *out, RegionId into, const ValueId operands[3], const Module *m, OpId op, LocId loc);
ValueId one_hot_sum(Module *out, RegionId into, const ValueId operands[2], const Module *m, OpId op, LocId loc);

#endif
