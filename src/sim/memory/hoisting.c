// Hoisting: buffers of loop-invariant values, which are computed before the loop.
#include "sim/memory/buffers.h"

// When a value is there that an op before all loops reads; of what is computed in a kernel that reads it, when its first
// operand is.
uint32_t ready_at(const Liveness *l, ValueId v) {
    const Module *m = l->m;
    while (m->values.at[v].is_arg || l->of[v].buffer == NO_ID) {
        const Value *val = &m->values.at[v];
        OpId op = val->is_arg ? m->regions.at[val->owner].parent : val->owner;
        if (val->is_arg && op_kind(m, op) != OP_while) return 0;
        if (op_get(m, op)->n_operands == 0) return 0;
        v = op_operand(m, op, val->is_arg ? val->index : 0);
    }
    return l->all.at[l->of[v].buffer].start;
}

// Whether a loop reads a value that was computed before it, or only others do that are computed there too.
static bool is_read_inside(const Liveness *l, ValueId v, uint32_t loops) {
    const Module *m = l->m;
    const Users *u = &l->f->users;
    for (uint32_t k = u->first[v]; k < u->first[v + 1]; k++) {
        OpId reader = l->f->kernel[u->op[k]];
        ValueId out = op_get(m, reader)->first_result;
        if (op_is_terminator(op_kind(m, reader)) || !op_is_worth_hoisting(op_kind(m, reader)) ||
            l->f->loops[out] < loops || l->f->place[out] != PLACE_BUFFER)
            return true;
    }
    return u->first[v] == u->first[v + 1];
}

// What is the same in each turn of some loops is there before the outermost of them, and kept while it runs. Outside of
// all loops it is there as soon as what it is made of.
static void hoist(Liveness *l, uint32_t buffer, uint32_t loops, uint32_t ready) {
    const Module *m = l->m;
    OpId outermost = NO_ID;
    uint32_t n = loops;
    for (OpId op = l->loop; op != NO_ID && n; op = m->regions.at[op_get(m, op)->parent].parent)
        if (op_kind(m, op) == OP_while) outermost = op, n--;
    if (outermost == NO_ID) return;
    uint32_t start = 2 * l->order->first[outermost];
    bool at_once = l->backend->bfs && op_kind(m, m->regions.at[op_get(m, outermost)->parent].parent) == OP_func_func;
    if (at_once || ready > start) start = ready;
    start |= l->all.at[buffer].start & 1; // in the place of what it was made of
    if (l->all.at[buffer].start > start) l->all.at[buffer].start = start;
    if (!is_read_inside(l, l->all.at[buffer].value, loops)) {
        l->all.at[buffer].end = l->all.at[buffer].start + 2;
        return;
    }
    l->all.at[buffer].hoisted = true;
    uint32_t end = 2 * l->order->position[outermost] - 1; // its results take the place of what it carries
    if (l->all.at[buffer].end < end) l->all.at[buffer].end = end;
}

// The buffer that an op before a loop converts to f32, so that the loop does not need it, or NO_ID. They run one after
// another.
static uint32_t converted_by(const Liveness *l, OpId op) {
    if (!is_converted_before_loop(l, op)) return NO_ID;
    ValueId v = op_operand(l->m, op, 0);
    const Value *val = &l->m->values.at[v];
    if (!val->is_arg || !is_copied_before_loop(l, l->m->regions.at[val->owner].parent, val->index)) return NO_ID;
    return l->of[v].buffer;
}

void hoist_results(Liveness *l, OpId op) {
    if (!l->f->loops || !op_is_worth_hoisting(op_kind(l->m, op)) || !op_get(l->m, op)->n_results) return;
    uint32_t ready = 0;
    for (uint32_t i = 0; i < op_get(l->m, op)->n_operands; i++) {
        ValueId v = op_operand(l->m, op, i);
        uint32_t at = ready_at(l, v) + (l->f->loops[v] && !l->m->values.at[v].is_arg ? 2 : 0); // one after another
        if (at > ready) ready = at;
    }
    uint32_t from = l->f->loops[op_result(l->m, op, 0)] ? converted_by(l, op) : NO_ID;
    if (from != NO_ID) ready += 2 * l->converted_before++;
    for (uint32_t i = 0; i < op_get(l->m, op)->n_results; i++) {
        ValueId v = op_result(l->m, op, i);
        if (l->f->loops[v] && l->f->place[v] == PLACE_BUFFER) hoist(l, l->of[v].buffer, l->f->loops[v], ready);
    }
    uint32_t start = from == NO_ID ? 0 : l->all.at[l->of[op_result(l->m, op, 0)].buffer].start;
    if (from != NO_ID && l->all.at[from].end < start) l->all.at[from].end = start;
}
