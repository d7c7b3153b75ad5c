// Causes: why something of the device-local program is there, in the words of the schedule.
//
//     all_gather of params/w for dot_general at model.py:12      tactic Z3: it stores the weight in parts
//     argument params/w, 8 MiB                                   could be split by batch on dimension 0
#ifndef PARTIR_SIM_REPORT_SIM_CAUSE_H
#define PARTIR_SIM_REPORT_SIM_CAUSE_H

#include "spmd/partition.h"

// The tactic that a collective is there for: the last one that had a say in how its axes lie on what it takes and on
// the op that it is for. Empty if no tactic had.
Span collective_tactic(const Partition *p, OpId collective);

// Whether a further tactic could split a value of the device-local program: the axis that would cut most off, and its
// dimension.
bool value_could_split(const Partition *p, ValueId v, AxisId *axis, uint32_t *dim);

#endif
