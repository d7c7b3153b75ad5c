// The type checker of PartIR:HLO: the safety net under the lowering. An ill-typed program is never emitted.
#ifndef PARTIR_SPMD_TYPE_CHECK_H
#define PARTIR_SPMD_TYPE_CHECK_H

#include "spmd/lower/lower.h"

// False with a diagnostic that names the op and both distributions.
bool type_check(const Lowered *l, const State *s, Arena *a);
// The same for some of the ops: the others were checked before.
bool type_check_ranges(const Lowered *l, const State *s, const OpRange *ranges, uint32_t n, Arena *a);

#endif
