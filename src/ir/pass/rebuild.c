// Rebuild: copying ops and region trees, which is how every pass changes a program. Nothing here recurses.
#include "ir/pass/rebuild.h"
#include <assert.h>

ValueId *rebuild_map(const Module *m, Arena *a) {
    ValueId *map = arena_new(a, ValueId, m->values.n);
    if (m->values.n) memset(map, 0xff, m->values.n * sizeof *map); // NO_ID everywhere
    return map;
}

OpId rebuild_shallow(Module *m, RegionId into, OpId op, ValueId *map) {
    Op from = *op_get(m, op);
    OpSpec spec = {.kind = (OpKind)from.kind,
                   .operands = m->operands.at + from.first_operand,
                   .n_operands = from.n_operands,
                   .attrs = m->op_attrs.at + from.first_attr,
                   .n_attrs = from.n_attrs,
                   .n_regions = from.n_regions,
                   .loc = from.loc,
                   .source = from.source};
    OpId made = op_new(m, into, &spec);
    // Results come after the op is made: their types lie among the values, which grow.
    Op *to = op_get(m, made);
    to->n_results = from.n_results;
    to->first_result = m->values.n;
    Value *results = vec_extend(&m->arena, &m->values, from.n_results);
    for (uint32_t i = 0; i < from.n_results; i++) {
        results[i] = (Value){.type = value_type(m, from.first_result + i), .index = i & INT32_MAX, .owner = made};
        map[from.first_result + i] = to->first_result + i;
    }
    ValueId *operands = m->operands.at + to->first_operand;
    for (uint32_t i = 0; i < from.n_operands; i++) {
        operands[i] = map[operands[i]];
        assert(operands[i] != NO_ID);
    }
    for (uint32_t i = 0; i < from.n_regions; i++) {
        RegionId old = op_region(m, op, i), new = op_region(m, made, i);
        Region r = m->regions.at[old];
        for (uint32_t k = 0; k < r.n_args; k++)
            map[r.first_arg + k] = region_add_argument(m, new, value_type(m, r.first_arg + k));
        m->regions.at[new].arg_locs = r.arg_locs;
    }
    return made;
}

bool cursor_step(const Module *m, Cursor *c, OpId made, RegionId top) {
    const Op *op = op_get(m, c->op);
    if (made != NO_ID)
        for (uint32_t i = 0; i < op->n_regions; i++) {
            OpId first = m->regions.at[op_region(m, c->op, i)].first;
            if (first == NO_ID) continue;
            *c = (Cursor){first, op_region(m, made, i)};
            return true;
        }
    for (;;) {
        op = op_get(m, c->op);
        if (op->next != NO_ID) {
            c->op = op->next;
            return true;
        }
        if (op->parent == top) return false;
        OpId parent = m->regions.at[op->parent].parent, copy = m->regions.at[c->into].parent;
        for (uint32_t i = op_region_number(m, parent, op->parent) + 1; i < op_get(m, parent)->n_regions; i++) {
            OpId first = m->regions.at[op_region(m, parent, i)].first;
            if (first == NO_ID) continue;
            *c = (Cursor){first, op_region(m, copy, i)};
            return true;
        }
        *c = (Cursor){parent, op_get(m, copy)->parent};
    }
}

static void replace_body(Module *m, RegionId fresh) {
    Region *body = &m->regions.at[0], *from = &m->regions.at[fresh];
    for (OpId op = body->first; op != NO_ID; op = op_get(m, op)->next) op_get(m, op)->parent = NO_ID;
    for (OpId op = from->first; op != NO_ID; op = op_get(m, op)->next) op_get(m, op)->parent = 0;
    body->first = from->first;
    body->last = from->last;
    from->first = from->last = NO_ID;
}

void rebuild_module(Module *m, CopyOp *copy, void *arg) {
    Arena scratch;
    arena_init(&scratch, m->ctx);
    ValueId *map = rebuild_map(m, &scratch);
    RegionId body = region_new(m, NO_ID);
    Cursor c = {module_first(m), body};
    for (bool more = c.op != NO_ID; more;) {
        OpId made = copy(arg, c, map);
        more = cursor_step(m, &c, made, 0);
    }
    replace_body(m, body);
    arena_free(&scratch);
    module_compact(m);
}
