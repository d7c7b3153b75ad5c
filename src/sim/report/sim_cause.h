// Causes: why something of the device-local program is there, in the words of the schedule.
//
//     argument params/w, 8 MiB                                   could be split by batch on dimension 0
#ifndef PARTIR_SIM_REPORT_SIM_CAUSE_H
#define PARTIR_SIM_REPORT_SIM_CAUSE_H

#include "session/partition.h"

// Whether a further tactic could split a value of the device-local program: the axis that would cut most off, and its
// dimension.
bool value_could_split(const Partition *p, ValueId v, AxisId *axis, uint32_t *dim);

#endif
