// Roots: one walk in program order, so that an operand's root is known before its users ask.
#include "ir/analysis/roots.h"

bool op_moves(OpKind kind) {
    switch (kind) {
    case OP_bitcast_convert:
    case OP_broadcast_in_dim:
    case OP_convert:
    case OP_dynamic_slice:
    case OP_partir_tag:
    case OP_reshape:
    case OP_sdy_sharding_constraint:
    case OP_slice:
    case OP_transpose: return true;
    default: return false;
    }
}

// A carried value that the body returns as it got it.
static void hand_on(const Module *m, OpId loop, ValueId *root) {
    RegionId condition = op_region(m, loop, 0), body = op_region(m, loop, 1);
    OpId next = region_terminator(m, body);
    for (uint32_t i = 0; i < op_get(m, loop)->n_operands; i++) {
        ValueId arg = m->regions.at[body].first_arg + i;
        if (op_operand(m, next, i) != arg) continue;
        ValueId init = root[op_operand(m, loop, i)];
        root[arg] = root[m->regions.at[condition].first_arg + i] = root[op_result(m, loop, i)] = init;
    }
}

const ValueId *roots_find(const Module *m, Arena *a) {
    ValueId *root = arena_new(a, ValueId, m->values.n);
    for (ValueId v = 0; v < m->values.n; v++) root[v] = v;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) {
        OpKind kind = op_kind(m, op);
        if (kind == OP_while)
            hand_on(m, op, root);
        else if (op_moves(kind))
            root[op_result(m, op, 0)] = root[op_operand(m, op, 0)];
        else if (kind == OP_optimization_barrier)
            for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++)
                root[op_result(m, op, i)] = root[op_operand(m, op, i)];
    }
    return root;
}
