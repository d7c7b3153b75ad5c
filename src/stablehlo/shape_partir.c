// Shape rules of the collectives that name mesh axes. Whether sizes and axes agree is decided where the mesh is known,
// by the type checker of distributed programs; here a collective takes a tensor and gives one of the same element type
// and rank.
#include "stablehlo/shape.h"

bool shape_partir_collective(Check *c) {
    if (c->kind == OP_partir_axis_index) {
        Type t = {.kind = TYPE_TENSOR, .elem = EL_UI32, .encoding = NO_ID};
        return check_result(c, 0, &t);
    }
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS) || c->inferred) return false;
    const Type *x = in_type(c, 0), *y = out_type(c, 0);
    if (is_ranked(y) && y->rank == x->rank && check_like_elem(c, x, y)) return true;
    return check_fail(c, "a collective keeps element type and rank", "the result is %s, but operand is %s",
                      check_type_text(c, out_id(c, 0)), check_tensor_text(c, x));
}
