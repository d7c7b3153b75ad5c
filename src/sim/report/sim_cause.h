// Causes: why something of the device-local program is there, in the words of the schedule.
//
//     argument params/w, 8 MiB                                   could be split by batch on dimension 0
#ifndef PARTIR_SIM_REPORT_SIM_CAUSE_H
#define PARTIR_SIM_REPORT_SIM_CAUSE_H

#include "session/partition.h"

// The array program's value that `v` is, is another distribution of, or was made for; NO_ID if there is none.
ValueId source_value(const Partition *p, ValueId v);
// Whether a further tactic could split a value of the device-local program: the axis that would cut most off, and its
// dimension.
bool value_could_split(const Partition *p, ValueId v, AxisId *axis, uint32_t *dim);

#endif
