// Rebuild: passes that make a tidier module of the same meaning. Each builds another region tree in the same module arrays.
#ifndef PARTIR_IR_PASS_REBUILD_H
#define PARTIR_IR_PASS_REBUILD_H

#include "ir/module.h"

// Copies an op to the end of `into`, mapping operands through `map` (ValueId -> ValueId, NO_ID = unmapped, an assertion); of
// its regions the arguments alone. New results and region arguments are entered into `map`, which must have room for all
// values of the source.
OpId rebuild_shallow(Module *m, RegionId into, OpId op, ValueId *map);
// A map of that kind with nothing in it, for the values that there are now.
ValueId *rebuild_map(const Module *m, Arena *a);

// A walk over a region tree together with the copy that is being made of it.
typedef struct Cursor {
    OpId op;       // the op to copy next
    RegionId into; // where its copy belongs
} Cursor;
// On to the next op in program order: into the regions of c->op, whose copy is `made`, or past them if that is NO_ID.
// False at the end of region `top`.
bool cursor_step(const Module *m, Cursor *c, OpId made, RegionId top);
// A module of the copies that `copy` makes of each op, or does not, if it returns NO_ID; compacted. Until all are made the old
// body is whole, should memory end on the way.
typedef OpId CopyOp(void *arg, Cursor c, ValueId *map);
void rebuild_module(Module *m, CopyOp *copy, void *arg);

// @main with every func.call and stablehlo.composite replaced by the body it names; other functions are dropped, unless a
// custom call names them. False with a diagnostic for recursion, a missing callee, or a program that grows without measure.
bool pass_inline(Module *m);
// Ops without effect and without used results are dropped, in regions too; carried values of `while` that nothing reads as well.
bool pass_dead_code(Module *m);
// batch_norm_training and batch_norm_grad become the sums and elementwise ops that they stand for.
bool pass_decompose(Module *m);
// The transpose of a product that nothing else reads becomes a product; dead code is left.
void pass_fold(Module *m);
void pass_fold_slices(Module *m); // a dynamic_slice whose place is known is a slice
// Ops, values and regions renumbered in program order, garbage dropped: op ids then increase along the text.
void module_compact(Module *m);

#endif
