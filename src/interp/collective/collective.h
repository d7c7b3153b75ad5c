// Collectives on simulated devices: what a group of devices makes of its operands.
#ifndef PARTIR_INTERP_COLLECTIVE_COLLECTIVE_H
#define PARTIR_INTERP_COLLECTIVE_COLLECTIVE_H

#include "interp/exec.h"

// False with a diagnostic if only some of the group's devices execute the op; *present says whether any does.
bool collective_arrived(Exec *e, OpId op, Devices group, bool *present);

// All results are owned by the caller. `operand` is a value that each device of the group has.
// Element by element, the body (NO_ID: addition) over all devices in the group's order.
Tensor *collective_combine(Exec *e, OpId op, RegionId body, Devices group, ValueId operand);
// The operands one after the other along a dimension.
Tensor *collective_concatenate(Exec *e, OpId op, Devices group, ValueId operand, int64_t dim);
// The i-th of n equal parts along a dimension.
Tensor *collective_part(Exec *e, OpId op, Tensor *t, int64_t dim, int64_t i, int64_t n);

#endif
