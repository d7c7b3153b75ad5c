// Scatters of one element to each row of zeros.
#ifndef PARTIR_SPMD_EXPORT_ONE_HOT_H
#define PARTIR_SPMD_EXPORT_ONE_HOT_H

#include "ir/module.h"

// Whether a scatter adds one element to each row of zeros, so that comparing the rows' indices with an iota says the same.
bool is_one_hot(const Module *m, OpId scatter);

// That, of the operands of the scatter in `out`. `scatter` is an op of `m`, whose types are those of `out`.
ValueId one_hot_select(Module *out, RegionId into, const ValueId operands[3], const Module *m, OpId scatter, LocId loc);

#endif
