// Last uses: one backward walk over the schedule, through fused and aliased values.
#include "sim/memory/buffers.h"

// NO_ID, which is -1, is before all positions.
static void raise_position(uint32_t *at, uint32_t position) {
    if ((int32_t)*at < (int32_t)position) *at = position;
}

bool is_converted_before_loop(const Liveness *l, OpId op) {
    ValueId v = op_get(l->m, op)->first_result;
    return op_kind(l->m, op) == OP_convert && l->f->loops[v] && l->f->place[v] == PLACE_BUFFER;
}

// Carried unchanged by a loop that only reads it as f32, to which it is converted before the loop.
bool is_copied_before_loop(const Liveness *l, OpId loop, uint32_t i) {
    const Module *m = l->m;
    if (!l->backend->normalizes_bf16 || !l->f->loops || operand_type(m, loop, i)->elem != EL_BF16) return false;
    RegionId body = op_region(m, loop, 1);
    ValueId arg = m->regions.at[body].first_arg + i;
    const Users *u = &l->f->users;
    bool copied = false;
    for (uint32_t k = u->first[arg]; k < u->first[arg + 1]; k++) {
        bool next = op_is_terminator(op_kind(m, u->op[k])), as_f32 = is_converted_before_loop(l, u->op[k]);
        if (!as_f32 && !(next && op_operand(m, u->op[k], i) == arg)) return false;
        copied |= as_f32;
    }
    return copied;
}

// A loop runs many times: what it captures lives to its end. False if the op reads what is made in its own region.
static bool is_captured(const Liveness *l, OpId op, uint32_t operand, uint32_t *at) {
    const Module *m = l->m;
    const Op *o = op_get(m, op);
    RegionId r = value_region(m, m->operands.at[o->first_operand + operand]);
    if (o->kind == OP_while && is_copied_before_loop(l, op, operand)) return *at = NO_ID, true;
    if (o->parent == r) return false;
    OpId holder = op_within(m, op, r);
    if (holder == NO_ID)
        *at = NO_ID;
    else if (*at == NO_ID)
        *at = l->order->position[holder];
    return true;
}

// When an operand is needed for the last time by an op that reads its operands up to there.
static uint32_t last_need(const Liveness *l, OpId op, uint32_t operand, uint32_t read) {
    const Op *o = op_get(l->m, op);
    if (o->kind == OP_func_return && is_relaid(l, op_operand(l->m, op, operand))) return NO_ID; // its copy is
    uint32_t at = l->order->copied ? l->order->copied[o->first_operand + operand] : NO_ID;
    if ((l->f->nested && is_captured(l, op, operand, &at)) || at != NO_ID) return at;
    if (operand < o->n_results && l->f->place[o->first_result + operand] == PLACE_ALIAS)
        raise_position(&read, l->of[o->first_result + operand].last);
    return read;
}

static void read_until(ValueLife *of, ValueId v, bool fusible, uint32_t position) {
    raise_position(fusible ? &of[v].last_duplicate : &of[v].last, position);
}

void find_last_uses(Liveness *l) {
    const Module *m = l->m;
    const OpSchedule *order = l->order;
    const Fusion *f = l->f;
    ValueLife *of = l->of;
    RegionId main = op_region(m, module_main(m), 0);
    for (uint32_t p = order->n; p-- > 0;) {
        OpId op = order->at[p];
        const Op *o = op_get(m, op);
        bool merged = f->merged && f->merged[op] != NO_ID; // the gather that it is the same as has read it
        if (is_operand_copy(order, p) || merged) continue;
        // The last position at which it, or a kernel that it is computed in, reads its operands; one whose buffer a result
        // shares is read longer.
        uint32_t read = order->until && order->until[op] != NO_ID ? order->until[op] : p;
        bool plain = !(order->copied && op_copies_operands((OpKind)o->kind)) &&
                     (!f->nested || (o->parent == main && !o->n_regions)) && o->kind != OP_func_return;
        for (ValueId out = o->first_result, end = out + o->n_results; out < end; out++) {
            if (f->place[out] == PLACE_FUSED) raise_position(&read, of[out].last);
            if (f->place[out] == PLACE_ALIAS) plain = false;
            raise_position(&read, of[out].last_duplicate);
        }
        const ValueId *v = op_operands(m, op), *end = v + o->n_operands;
        const uint8_t *fusible = f->fusible + o->first_operand, *duplicated = f->duplicated;
        if (plain)
            for (; v < end; v++, fusible++) read_until(of, *v, duplicated[*v] && *fusible, read);
        for (uint32_t i = 0; v < end; i++, v++, fusible++)
            read_until(of, *v, duplicated[*v] && *fusible, last_need(l, op, i, read));
    }
}
