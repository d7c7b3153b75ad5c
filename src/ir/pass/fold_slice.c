// Fold: a dynamic_slice whose place is known is a slice.
//
//     %0 = dynamic_slice %x, %c2, sizes = [4] : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>       => slice %x [2:6]
//
// Places are clamped, as the op does. A slice of one element stays a dynamic_slice, because the rule of that keeps the dimension tiled.
#include "ir/pass/rebuild.h"

static bool known_index(const Module *m, ValueId v, int64_t *index) {
    const Value *value = &m->values.at[v];
    double d;
    if (value->is_arg || op_kind(m, value->owner) != OP_constant) return false;
    if (!attr_splat_double(m, attr_get(m, op_attr(m, value->owner, A_value)), &d)) return false;
    *index = d < 0 ? 0 : d > 9e15 ? INT64_MAX : (int64_t)d;
    return true;
}

static void fold_at(Module *m, OpId op) {
    const Type *from = operand_type(m, op, 0), *to = result_type(m, op, 0);
    uint32_t rank = from->rank;
    int64_t start[MAX_RANK], limit[MAX_RANK], stride[MAX_RANK];
    if (rank > MAX_RANK || !type_is_static(from) || op_get(m, op)->n_operands != rank + 1) return;
    for (uint32_t d = 0; d < rank; d++) {
        if (!known_index(m, op_operand(m, op, d + 1), &start[d])) return;
        if (to->dims[d] == 1 && from->dims[d] != 1) return;
        if (start[d] > from->dims[d] - to->dims[d]) start[d] = from->dims[d] - to->dims[d];
        limit[d] = start[d] + to->dims[d];
        stride[d] = 1;
    }
    Op *o = op_get(m, op);
    o->kind = OP_slice;
    o->n_operands = 1;
    o->n_attrs = 0;
    op_set_attr(m, op, A_start_indices, attr_ints(m, start, rank));
    op_set_attr(m, op, A_limit_indices, attr_ints(m, limit, rank));
    op_set_attr(m, op, A_strides, attr_ints(m, stride, rank));
}

void pass_fold_slices(Module *m) {
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        if (op_kind(m, op) == OP_dynamic_slice) fold_at(m, op);
}
