// What the files of local ops share: the op of the source program, and what is known while its local op is built.
#ifndef PARTIR_SPMD_LOCAL_LOCAL_H
#define PARTIR_SPMD_LOCAL_LOCAL_H

#include "spmd/lower/lowering.h"

typedef struct LocalOp {
    Lowering *l;
    OpId op;
    NodeId n;
    const Rule *rule;
    ValueId *operands; // may be replaced
    uint32_t n_operands;
    TypeId *types;    // local result types
    NamedAttr *attrs; // may be replaced
    uint32_t n_attrs;
    const Dist *const *dists;
} LocalOp;

void local_drop_attr(LocalOp *o, AttrName name);
// Sizes in an attribute of whole dimensions of an operand shrink with them.
void local_shrink_sizes(LocalOp *o, AttrName name, uint32_t operand);
static inline const Type *local_operand_type(const LocalOp *o, uint32_t operand) {
    return type_get(o->l->out, lowered_type(o->l, o->operands[operand]));
}
AxisSet local_tiled_reductions(const LocalOp *o);
// A starting value that each device would otherwise add again: the first device keeps it, the others start from the
// neutral element.
void local_enter_once(LocalOp *o, uint32_t operand, AxisSet axes);

// ---- local_index.c: gather, scatter, dynamic_slice and their kin. The first three give a mask over the result (NO_ID:
// none): outside of it the device holds nothing of the operand, and its part of the sum is zero.
ValueId local_gather(LocalOp *o);
ValueId local_torch_index_select(LocalOp *o);
ValueId local_dynamic_slice(LocalOp *o);
void local_scatter(LocalOp *o);
// Emits the whole op; NO_ID if it needs nothing special.
ValueId local_dynamic_update_slice(LocalOp *o);

// ---- local_move.c: slice, pad, reverse and concatenate of dimensions that are tiled. Emits the whole op.
ValueId local_move(LocalOp *o);
// Slices the operands whose slice is part of the op (rule_operand), where the sliced dimension is not tiled.
void local_slice_operands(LocalOp *o);

#endif
