// Shape rules of PartIR:Core's loops and slices, and of the collectives that name mesh axes. Whether sizes and axes
// agree is decided where the mesh is known, by the type checker of distributed programs; here a collective takes a
// tensor and gives one of the same element type and rank.
#include "stablehlo/shape/shape.h"

bool shape_partir_collective(Check *c) {
    if (c->kind == OP_partir_axis_index) {
        Type t = {.kind = TYPE_TENSOR, .elem = EL_I64, .encoding = NO_ID};
        return check_result(c, 0, &t);
    }
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS)) return false;
    if (c->kind == OP_partir_collective_permute) {
        bool chunks = check_attr(c, A_axes) != NO_ID && check_attr(c, A_source_target_pairs) != NO_ID;
        bool values = check_attr(c, A_from) != NO_ID && check_attr(c, A_to) != NO_ID;
        if (chunks == values) return check_fail(c, "write from and to, or axes and source_target_pairs", "what moves where?");
    }
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    if (is_ranked(y) && y->rank == x->rank && check_like_elem(c, x, y)) return true;
    return check_fail(c, "a collective keeps element type and rank", "the result is %s, but operand is %s",
                      check_type_text(c, out_id(c, 0)), check_tensor_text(c, x));
}

// What a loop does with the values of its iterations: the dimension it puts them together on, or -1 if it combines
// them.
static bool check_action(Check *c, AttrId action, int64_t *dim) {
    static const char *const combines[] = {"any", "#sum", "#product", "#max", "#min", "#and", "#or", "#xor"};
    Span text = attr_get(c->m, action)->text;
    *dim = -1;
    for (size_t i = 0; i < sizeof combines / sizeof *combines; i++)
        if (span_is(text, combines[i])) return true;
    if (text.n < 8 || text.n > 10 || memcmp(text.at, "#tile<", 6) != 0 || text.at[text.n - 1] != '>') return false;
    *dim = 0;
    for (size_t i = 6; i + 1 < text.n; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return false;
        *dim = *dim * 10 + (text.at[i] - '0');
    }
    return true;
}

bool shape_loop(Check *c) {
    if (!check_region_arguments(c, 0, 1)) return false;
    const Attr *actions = attr_get(c->m, check_attr(c, A_actions));
    int64_t size = check_int(c, A_size, 0);
    const ValueId *yields;
    uint32_t n;
    if (!check_returns(c, 0, &yields, &n) || !check_result_count(c, n)) return false;
    if (size < 1) return check_fail(c, "a range has one element or more", "the range has %lld", (long long)size);
    if (actions->n != n)
        return check_fail(c, "one action for each result", "%u actions, but %u results", actions->n, n);
    Type index = {.kind = TYPE_TENSOR, .elem = EL_I64, .encoding = NO_ID};
    if (!check_compatible(c, value_tensor(c->m, region_argument(c, 0, 0)), &index))
        return check_fail(c, NULL, "the loop variable is no tensor<i64>");
    for (uint32_t i = 0; i < n; i++) {
        int64_t dim, *dims;
        if (attr_get(c->m, actions->items[i])->kind != ATTR_STRING || !check_action(c, actions->items[i], &dim))
            return check_fail(c, "#tile<0>, #sum, #max, …, or any", "action %u is none that a loop knows", i);
        const Type *x = value_tensor(c->m, yields[i]);
        if (!is_ranked(x) || dim >= x->rank)
            return check_fail(c, NULL, "action %u does not fit a value of type %s", i,
                              check_type_text(c, value_type(c->m, yields[i])));
        Type t = check_copy(c, x, &dims);
        if (dim >= 0 && dims[dim] != DIM_DYNAMIC && __builtin_mul_overflow(dims[dim], size, &dims[dim]))
            return check_fail(c, NULL, "the result is too large");
        if (!check_result(c, i, &t)) return false;
    }
    return true;
}

bool shape_loop_slice(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS) || !check_operand_in(c, 1, IS_INT)) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    int64_t dim = check_int(c, A_dimension, 0);
    if (!is_ranked(x) || !check_dim(c, "dimension", dim, x->rank, "operand")) return false;
    bool same = is_ranked(y) && y->rank == x->rank && check_like_elem(c, x, y);
    for (uint32_t d = 0; same && d < x->rank; d++)
        same = d == dim ? (y->dims[d] == x->dims[d] || (y->dims[d] > 0 && x->dims[d] % y->dims[d] == 0))
                        : y->dims[d] == x->dims[d];
    return same ||
           check_fail(c, "a slice is one of equal parts of one dimension", "the result is %s, but operand is %s",
                      check_type_text(c, out_id(c, 0)), check_tensor_text(c, x));
}
