// The exponential inside erfc: found from reader to reader, each of which reads nothing else.
#include "sim/fusion/erfc_expansion.h"

typedef struct ErfcSearch {
    const Module *m;
    const Users *u;
} ErfcSearch;

static bool is_square(const ErfcSearch *s, OpId op) {
    OpKind k = op_kind(s->m, op);
    return k == OP_chlo_square || (k == OP_multiply && op_operand(s->m, op, 0) == op_operand(s->m, op, 1));
}

static bool is_step(const ErfcSearch *s, OpId op, uint32_t step) {
    if (step == 0) return is_square(s, op);
    return op_kind(s->m, op) == (step == 1 ? OP_negate : OP_exponential);
}

// The first reader of the value that takes this step to the exponential.
static ValueId step_on(const ErfcSearch *s, ValueId v, uint32_t step) {
    for (uint32_t k = s->u->first[v]; k < s->u->first[v + 1]; k++)
        if (is_step(s, s->u->op[k], step)) return op_result(s->m, s->u->op[k], 0);
    return NO_ID;
}

ValueId exponential_of_erfc(const Module *m, OpId erfc, const Users *u) {
    ErfcSearch s = {m, u};
    ValueId v = op_operand(m, erfc, 0);
    for (uint32_t step = 0; step < 3 && v != NO_ID; step++) v = step_on(&s, v, step);
    return v;
}
