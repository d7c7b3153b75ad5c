// Clone constants: a constant or iota of its own for each use, right before it, so that no two ops are coupled by a
// value that costs nothing to make again.
//
//     %c = constant 0.0                          %c1 = constant 0.0
//     %a = maximum %x, %c             =>         %a = maximum %x, %c1
//     %b = add %y, %c                            %c2 = constant 0.0
//                                                %b = add %y, %c2
#include "ir/rebuild.h"

static bool is_cloned(OpKind k) { return k == OP_constant || k == OP_iota || k == OP_chlo_constant; }

static OpId maker_if_cloned(const Module *m, ValueId v) {
    Value value = m->values.at[v];
    return !value.is_arg && is_cloned(op_kind(m, value.owner)) ? value.owner : NO_ID;
}

// Makes the clones that the op needs; its operands are then made from `operands`.
static OpId rebuild_with_clones(Module *m, Cursor c, ValueId *map, ValueId *operands) {
    uint32_t n = op_get(m, c.op)->n_operands;
    for (uint32_t i = 0; i < n; i++) {
        ValueId v = op_operand(m, c.op, i);
        OpId maker = maker_if_cloned(m, v);
        if (maker != NO_ID) rebuild_shallow(m, c.into, maker, map);
        operands[i] = map[v];
    }
    OpId made = rebuild_shallow(m, c.into, c.op, map);
    if (n) memcpy(m->operands.at + op_get(m, made)->first_operand, operands, n * sizeof *operands);
    return made;
}

bool pass_clone_constants(Module *m) {
    Arena scratch;
    arena_init(&scratch, m->ctx);
    ValueId *map = rebuild_map(m, &scratch);
    VEC(ValueId) operands = {0};
    RegionId body = region_new(m, NO_ID);
    Cursor c = {module_first(m), body};
    for (bool more = c.op != NO_ID; more;) {
        OpId made = NO_ID;
        if (!is_cloned(op_kind(m, c.op))) {
            vec_reserve(&scratch, &operands, op_get(m, c.op)->n_operands);
            made = rebuild_with_clones(m, c, map, operands.at);
        }
        more = cursor_step(m, &c, made, 0);
    }
    rebuild_replace_body(m, body);
    arena_free(&scratch);
    module_compact(m);
    return true;
}
