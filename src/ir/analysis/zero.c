// Values that are known to be zero.
#include "ir/analysis/zero.h"

// A zero is a constant, or one that was broadcast a few times: a longer way is not followed, so that asking for many
// values stays cheap.
enum { MAX_BROADCASTS = 16 };

bool value_is_zero(const Module *m, ValueId v) {
    for (int i = 0; i <= MAX_BROADCASTS && !m->values.at[v].is_arg; i++) {
        OpId op = m->values.at[v].owner;
        double d;
        if (op_kind(m, op) == OP_constant)
            return attr_splat_double(m, attr_get(m, op_attr(m, op, A_value)), &d) && d == 0;
        if (op_kind(m, op) != OP_broadcast_in_dim) return false;
        v = op_operand(m, op, 0);
    }
    return false;
}
