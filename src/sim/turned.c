// Turned arguments: the order of a scattered sum is passed on from op to op; a donated argument whose result has it is
// turned.
#include "sim/turned.h"
#include "sim/donation.h"
#include "sim/fuse.h"

static bool is_turned(const Module *m, OpId op, const uint8_t *turned) {
    const Op *o = op_get(m, op);
    const ValueId *v = m->operands.at + o->first_operand, *end = v + o->n_operands;
    if (o->kind == OP_transpose) {
        const Value *val = &m->values.at[*v];
        return !val->is_arg && op_kind(m, val->owner) == OP_partir_reduce_scatter;
    }
    if (!op_is_elementwise((OpKind)o->kind)) return false;
    while (v < end && !turned[*v]) v++;
    return v < end;
}

const uint8_t *turned_arguments(const Module *m, const Order *order, Arena *a) {
    RegionId body = op_region(m, module_main(m), 0);
    uint32_t n = m->regions.at[body].n_args;
    OpId end = region_terminator(m, body);
    uint8_t *turned = arena_zalloc(a, m->values.n), *arguments = arena_zalloc(a, n + 1);
    for (uint32_t p = 0; p < order->n; p++) {
        OpId op = order->at[p];
        if (op_get(m, op)->n_results == 1) turned[op_result(m, op, 0)] = is_turned(m, op, turned);
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t to = donated_to(m, body, i);
        if (to >= 0 && to < op_get(m, end)->n_operands) arguments[i] = turned[op_operand(m, end, (uint32_t)to)];
    }
    return arguments;
}
