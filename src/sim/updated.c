// Updated: a walk forwards finds the last gather that each value needs. An update that needs none at or behind a gather
// of its weight can run with it; one that needs sums which run together with others cannot, as these may need the
// gather.
#include "sim/updated.h"
#include "sim/donation.h"

#define ROWS 8 // of a tile

// The result that the argument becomes, or NO_ID. Where rows do not fill tiles, gradients lie in another order than
// their weights, and are no part of such a kernel.
static ValueId update_of(const Module *m, RegionId body, ValueId arg) {
    const Value *val = &m->values.at[arg];
    if (!val->is_arg || val->owner != body) return NO_ID;
    int64_t to = donated_to(m, body, val->index);
    const Type *t = value_tensor(m, arg);
    OpId end = region_terminator(m, body);
    if (to < 0 || to >= op_get(m, end)->n_operands || t->rank < 2 || t->dims[t->rank - 2] % ROWS) return NO_ID;
    return op_operand(m, end, (uint32_t)to);
}

static void find_last_gathers(const Module *m, const Written *written, const OpId *ring, uint32_t *last) {
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        uint32_t latest = op_kind(m, op) == OP_partir_all_gather ? p + 1 : 0;
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
            uint32_t one = last[op_operand(m, op, i)];
            if (one > latest) latest = one;
        }
        if (runs_regions(op_kind(m, op))) latest = p + 1; // what is inside may gather
        if (ring[op] != NO_ID) latest = written->n;
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) last[op_result(m, op, i)] = latest;
    }
}

const OpId *find_updates(const Module *m, const Written *written, const Fusion *f, const OpId *ring, Arena *a) {
    if (written->count[OP_partir_all_gather] < 2) return NULL;
    RegionId body = op_region(m, module_main(m), 0);
    uint8_t *gathered = arena_zalloc(a, m->values.n);
    uint32_t *last = NULL;
    OpId *updates = NULL;
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (op_kind(m, op) != OP_partir_all_gather || op_get(m, op)->parent != body) continue;
        ValueId arg = op_operand(m, op, 0), result;
        bool again = gathered[arg] && !(f->merged && f->merged[op] != NO_ID) && f->narrow[op_result(m, op, 0)];
        gathered[arg] = 1;
        if (!again || (result = update_of(m, body, arg)) == NO_ID || m->values.at[result].is_arg) continue;
        OpId update = m->values.at[result].owner;
        if (!last) {
            last = arena_zalloc(a, m->values.n * sizeof *last);
            find_last_gathers(m, written, ring, last);
            updates = memset(arena_new(a, OpId, m->ops.n), 0xff, m->ops.n * sizeof *updates);
        }
        if (last[result] <= p && ring[update] == NO_ID) updates[op] = update;
    }
    return updates;
}
