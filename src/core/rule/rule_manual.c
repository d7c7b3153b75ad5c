// Rules of flattened manual computations (core/annotation/manual.h): their borders, and collectives along their manual axes.
//
//     enter: ([ab, c])->([b, c])       a is what a manual axis splits, as a reshape would: inside it is not to be seen
//     leave: ([b, c])->([ab, c])
//     all_gather along dimension 0: ([i, k])->([j, k]) need_replication={i, j}
//
// Local: the op itself; groups name the manual axes, whatever else is tiled.
#include "core/rule/rule_build.h"

// `outer` has what the manual axes split, major first, before what is inside.
static void border_factors(RuleBuilder *b, uint32_t outer, uint32_t inner) {
    const Attr *axes = attr_get(b->m, op_attr(b->m, b->op, A_axes));
    Ints sizes = attr_list(b, A_axis_sizes);
    uint32_t next = 0;
    for (uint32_t d = 0; d < rank_of(b, outer) && !b->gave_up; d++) {
        uint32_t n = d < axes->n ? attr_get(b->m, axes->items[d])->n : 0;
        for (uint32_t i = 0; i < n; i++)
            dim_has(b, outer, d, factor_new(b, ints_or(sizes, next++, 1), FACTOR_PASS));
        uint8_t f = factor_new(b, size_of(b, inner, d), FACTOR_PASS);
        dim_has(b, outer, d, f);
        dim_has(b, inner, d, f);
    }
}

// Dimensions that the collective takes apart or puts together are whole, the others pass.
static void collective_factors(RuleBuilder *b, uint64_t whole) {
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) {
        if (d < 64 && (whole >> d & 1)) {
            factor_at(b, FACTOR_WHOLE, 0, d);
            factor_at(b, FACTOR_WHOLE, 1, d);
        } else {
            factor_across(b, FACTOR_PASS, 0, d);
        }
    }
}

static uint64_t dims_with_axes(const RuleBuilder *b) {
    const Attr *axes = attr_get(b->m, op_attr(b->m, b->op, A_axes));
    uint64_t dims = 0;
    for (uint32_t d = 0; d < axes->n && d < 64; d++)
        if (attr_get(b->m, axes->items[d])->n > 0) dims |= (uint64_t)1 << d;
    return dims;
}

void rule_give_manual(RuleBuilder *b) {
    Span role = op_attr_text(b->m, b->op, A_manual);
    switch (op_kind(b->m, b->op)) {
    case OP_partir_axis_index: break;
    case OP_partir_all_slice: border_factors(b, 0, 1); break;
    case OP_partir_all_gather:
        if (span_is(role, "leave"))
            border_factors(b, 1, 0);
        else
            collective_factors(b, dims_with_axes(b));
        break;
    case OP_partir_reduce_scatter: collective_factors(b, dims_with_axes(b)); break;
    case OP_partir_all_to_all: {
        int64_t split = op_attr_int(b->m, b->op, A_split_dimension, 0),
                concat = op_attr_int(b->m, b->op, A_concat_dimension, 0);
        collective_factors(b, (uint64_t)1 << (split & 63) | (uint64_t)1 << (concat & 63));
        break;
    }
    default: collective_factors(b, 0); break;
    }
}
