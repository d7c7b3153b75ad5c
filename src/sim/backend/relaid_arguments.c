// Turned arguments: the order of a scattered sum is passed on from op to op; a donated argument whose result has it is
// turned.
#include "sim/backend/relaid_arguments.h"

static bool turns(const Module *m, const Op *transpose) {
    const Value *val = &m->values.at[m->operands.at[transpose->first_operand]];
    return !val->is_arg && op_kind(m, val->owner) == OP_partir_reduce_scatter;
}

static bool reads_relaid(const Module *m, const Op *o, const uint8_t *relaid) {
    const ValueId *v = m->operands.at + o->first_operand, *end = v + o->n_operands;
    while (v < end && !relaid[*v]) v++;
    return v < end;
}

const uint8_t *find_relaid_arguments(const Module *m, const OpSchedule *order, const Fusion *f, Arena *a) {
    RegionId body = op_region(m, module_main(m), 0);
    uint32_t n = m->regions.at[body].n_args;
    OpId end = region_terminator(m, body);
    uint8_t *relaid = arena_zalloc(a, m->values.n), *arguments = arena_zalloc(a, n + 1);
    bool any = false;
    for (uint32_t p = 0; p < order->n; p++) {
        const Op *o = op_get(m, order->at[p]);
        bool is = o->kind == OP_transpose ? turns(m, o)
                                          : any && op_is_elementwise((OpKind)o->kind) && reads_relaid(m, o, relaid);
        if (is && o->n_results == 1) relaid[o->first_result] = any = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t to = f->donated[i];
        if (to >= 0 && to < op_get(m, end)->n_operands) arguments[i] = relaid[op_operand(m, end, (uint32_t)to)];
    }
    return arguments;
}
