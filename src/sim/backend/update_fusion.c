// Updated: a walk forwards finds the last gather that each value needs. An update that needs none at or behind a gather
// of its weight can run with it; one that needs sums which run together with others cannot, as these may need the
// gather.
#include "sim/backend/update_fusion.h"

#define ROWS 8 // of a tile

// The result that the argument becomes, or NO_ID. Where rows do not fill tiles, gradients lie in another order than
// their weights, and are no part of such a kernel.
static ValueId update_of(const Module *m, RegionId body, const int64_t *donated, ValueId arg) {
    const Value *val = &m->values.at[arg];
    if (!val->is_arg || val->owner != body) return NO_ID;
    int64_t to = donated[val->index];
    const Type *t = value_tensor(m, arg);
    OpId end = region_terminator(m, body);
    if (to < 0 || to >= op_get(m, end)->n_operands || t->rank < 2 || t->dims[t->rank - 2] % ROWS) return NO_ID;
    return op_operand(m, end, (uint32_t)to);
}

// From the first gather that is asked for, and from the first of the sums: what is before makes no difference.
static void find_last_gathers(const Module *m, const ProgramOrder *written, const OpId *ring, uint32_t first,
                              uint32_t *last) {
    uint32_t p = 0;
    while (p < first && ring[written->at[p]] == NO_ID) p++;
    for (; p < written->n; p++) {
        OpId op = written->at[p];
        const Op *o = op_get(m, op);
        uint32_t latest = o->kind == OP_partir_all_gather ? p + 1 : 0;
        for (const ValueId *v = op_operands(m, op), *end = v + o->n_operands; v < end; v++)
            if (last[*v] > latest) latest = last[*v];
        if (o->n_regions && runs_regions((OpKind)o->kind)) latest = p + 1; // what is inside may gather
        if (ring[op] != NO_ID) latest = written->n;
        for (ValueId v = o->first_result, end = v + o->n_results; v < end; v++) last[v] = latest;
    }
}

OpId *find_update_fusions(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *ring, Arena *a) {
    if (written->count[OP_partir_all_gather] < 2) return NULL;
    RegionId body = op_region(m, module_main(m), 0);
    uint8_t *gathered = arena_zalloc(a, m->values.n);
    uint32_t *last = NULL;
    OpId *updates = NULL;
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (op_kind(m, op) != OP_partir_all_gather || op_get(m, op)->parent != body) continue;
        ValueId arg = op_operand(m, op, 0), result;
        bool again = gathered[arg] && !(f->merged && f->merged[op] != NO_ID) && f->stored_bf16[op_result(m, op, 0)];
        gathered[arg] = 1;
        if (!again || (result = update_of(m, body, f->donated, arg)) == NO_ID || m->values.at[result].is_arg) continue;
        OpId update = m->values.at[result].owner;
        if (!last) {
            last = arena_zalloc(a, m->values.n * sizeof *last);
            find_last_gathers(m, written, ring, p, last);
            updates = memset(arena_new(a, OpId, m->ops.n), 0xff, m->ops.n * sizeof *updates);
        }
        if (last[result] <= p && ring[update] == NO_ID) updates[op] = update;
    }
    return updates;
}
