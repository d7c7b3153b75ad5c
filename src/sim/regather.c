// Gathers that are one: heights are found on a walk backwards, the first gather of each value on one forwards.
#include "sim/regather.h"

typedef struct Heights {
    uint32_t *of_op;    // the longest path from it to the end
    uint32_t *of_value; // the longest path from a reader of it
    uint32_t *lowest;   // by value: the shortest of the longest paths from its readers
} Heights;

static Heights find_heights(const Module *m, const Written *written, Arena *a) {
    Heights h = {.of_op = arena_zalloc(a, m->ops.n * sizeof *h.of_op),
                 .of_value = arena_zalloc(a, m->values.n * sizeof *h.of_value),
                 .lowest = arena_alloc(a, m->values.n * sizeof *h.lowest)};
    memset(h.lowest, 0xff, m->values.n * sizeof *h.lowest);
    for (uint32_t p = written->n; p-- > 0;) {
        OpId op = written->at[p];
        uint32_t height = 0;
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) {
            uint32_t reader = h.of_value[op_result(m, op, i)] + 1;
            if (reader > height) height = reader;
        }
        h.of_op[op] = height;
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
            ValueId v = op_operand(m, op, i);
            if (height > h.of_value[v]) h.of_value[v] = height;
            if (height < h.lowest[v]) h.lowest[v] = height;
        }
    }
    return h;
}

const OpId *merged_gathers(const Module *m, const Written *written, uint32_t distance, Arena *a) {
    OpId *merged = arena_new(a, OpId, m->ops.n), *first = arena_new(a, OpId, m->values.n);
    memset(merged, 0xff, m->ops.n * sizeof *merged);
    memset(first, 0xff, m->values.n * sizeof *first);
    Heights h = find_heights(m, written, a);
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (op_kind(m, op) != OP_partir_all_gather) continue;
        ValueId from = op_operand(m, op, 0);
        OpId earlier = first[from];
        if (earlier == NO_ID) {
            first[from] = op;
            continue;
        }
        bool same = op_get(m, earlier)->parent == op_get(m, op)->parent &&
                    op_attr(m, earlier, A_axes) == op_attr(m, op, A_axes);
        if (same && h.lowest[op_result(m, earlier, 0)] <= h.of_op[op] + distance) merged[op] = earlier;
    }
    return merged;
}
