// Gather CSE: two gathers of one value that lie close to each other become one, whose result is kept.
//
//     %0 = all_gather %w     for the forward pass
//     …
//     %1 = all_gather %w     for the backward pass: the same, unless more than some ops in a row lie between
#ifndef PARTIR_SIM_TRANSFORM_GATHER_CSE_H
#define PARTIR_SIM_TRANSFORM_GATHER_CSE_H

#include "sim/schedule/schedule.h"
#include "sim/transform/expression_trees.h"

// By op: the earlier gather that stands for it, or NO_ID. The distance is that of their longest paths to the end of the
// region, from the first gather's last reader to the second.
const OpId *find_gather_cse(const Module *m, const ProgramOrder *written, const ExpressionTrees *trees,
                            uint32_t distance, Arena *a);

#endif
