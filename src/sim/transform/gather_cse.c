// Gather CSE: a backward walk finds heights, a forward walk the first gather of each value.
#include "sim/transform/transform.h"

typedef struct Height { // of those that read a value: the longest paths from them to the end
    uint32_t longest, shortest;
} Height;

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

// By value; and by op, the longest path from it.
static const Height *find_heights(const Module *m, const ProgramOrder *written, const ExpressionTrees *trees,
                                  uint32_t *of_op, Arena *a) {
    Height *heights = arena_new(a, Height, m->values.n);
    for (ValueId v = 0, n = m->values.n; v < n; v++) heights[v] = (Height){0, UINT32_MAX};
    for (uint32_t p = written->n; p-- > 0;) {
        const Op *o = op_get(m, written->at[p]);
        uint32_t height = 0;
        for (uint32_t i = 0; i < o->n_results; i++) height = larger(height, heights[o->first_result + i].longest + 1);
        of_op[written->at[p]] = height;
        for (uint32_t k = o->first_operand, end = k + o->n_operands; k < end; k++) {
            Height *h = &heights[m->operands.at[k]];
            uint32_t reader = height + (trees ? trees->depth[k] : 0);
            *h = (Height){larger(h->longest, reader), smaller(h->shortest, reader)};
        }
    }
    return heights;
}

const OpId *find_gather_cse(const Module *m, const ProgramOrder *written, const ExpressionTrees *trees,
                            uint32_t distance, Arena *a) {
    OpId *merged = memset(arena_new(a, OpId, m->ops.n), 0xff, m->ops.n * sizeof *merged);
    OpId *first = memset(arena_new(a, OpId, m->values.n), 0xff, m->values.n * sizeof *first);
    uint32_t *height = arena_new(a, uint32_t, m->ops.n);
    const Height *readers = NULL; // found when there are two of one value
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
        if (same && !readers) readers = find_heights(m, written, trees, height, a);
        if (same && readers[op_result(m, earlier, 0)].shortest <= height[op] + distance) merged[op] = earlier;
    }
    return merged;
}
