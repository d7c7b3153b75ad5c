// Rebuild: passes that make a tidier module of the same meaning. Each builds a fresh region tree in the same module arrays.
#ifndef PARTIR_IR_REBUILD_H
#define PARTIR_IR_REBUILD_H

#include "ir/module.h"

// Copies an op (with its regions) to the end of `into`, mapping operands through `map` (ValueId -> ValueId, NO_ID = unmapped, an assertion).
// New results and region arguments are entered into `map`, which must have room for all values of the source.
OpId rebuild_clone(Module *m, RegionId into, OpId op, ValueId *map);

// @main with every func.call and stablehlo.composite replaced by the body it names; other functions are dropped.
// False with a diagnostic for recursion or a missing callee.
bool pass_inline(Module *m);
// Ops without effect and without used results are dropped, in regions too; carried values of `while` that nothing reads as well.
bool pass_dead_code(Module *m);
// A fresh constant or iota for each use.
bool pass_clone_constants(Module *m);
// Ops, values and regions renumbered in program order, garbage dropped: op ids then increase along the text.
void module_compact(Module *m);

#endif
