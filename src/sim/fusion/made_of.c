// Which values a value is computed from, through ops that can be fused: forward walks.
#include "sim/fusion/fusion.h"

uint16_t *find_fused_sizes(const Module *m, const ProgramOrder *written, const uint8_t *class_of, Arena *a) {
    uint16_t *sizes = arena_zalloc(a, m->values.n * sizeof *sizes);
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        const Op *o = op_get(m, op);
        if (class_of[op] == FUSE_NEVER || o->n_results != 1) continue;
        uint32_t size = 1;
        for (uint32_t i = 0; i < o->n_operands && size < UINT16_MAX; i++) size += sizes[op_operand(m, op, i)];
        sizes[o->first_result] = (uint16_t)(size < UINT16_MAX ? size : UINT16_MAX);
    }
    return sizes;
}

uint8_t *find_after_products(const Module *m, const ProgramOrder *written, const uint8_t *class_of, Arena *a) {
    uint8_t *after = arena_zalloc(a, m->values.n);
    for (uint32_t p = 0; p < written->n; p++) {
        const Op *o = op_get(m, written->at[p]);
        const ValueId *v = m->operands.at + o->first_operand, *end = v + o->n_operands;
        bool found = IS_PRODUCT(o->kind);
        if (!found && class_of[written->at[p]] == FUSE_NEVER) continue;
        while (v < end && !found) found = after[*v++];
        for (ValueId out = o->first_result; out < o->first_result + o->n_results; out++) after[out] = found;
    }
    return after;
}

uint16_t *find_kernel_depths(const Module *m, const ProgramOrder *written, const uint8_t *class_of, Arena *a) {
    uint16_t *depths = arena_zalloc(a, m->values.n * sizeof *depths);
    for (uint32_t p = 0; p < written->n; p++) {
        const Op *o = op_get(m, written->at[p]);
        uint32_t depth = 0;
        for (const ValueId *v = m->operands.at + o->first_operand, *end = v + o->n_operands; v < end; v++)
            if (depths[*v] > depth) depth = depths[*v];
        depth += depth < UINT16_MAX && (class_of[written->at[p]] == FUSE_NEVER || o->kind == OP_reduce);
        for (ValueId out = o->first_result; out < o->first_result + o->n_results; out++) depths[out] = (uint16_t)depth;
    }
    return depths;
}
