// Sibling fusion: from each reduction forwards, element by element, up to where several ops read the same.
#include "sim/fusion/sibling_fusion.h"

#define MAX_DEPTH    3  // of what is made of arguments, as scales
#define MAX_OPERANDS 3  // of what is element by element
#define MAX_SIBLING_STEPS 4  // from a reduction
#define MAX_UPDATE   16 // ops that make a result of that

// Not by what is combined with others, which may need anything.
static bool is_made_of_arguments(const Module *m, const OpId *ring, ValueId v, uint32_t depth) {
    const Value *val = &m->values.at[v];
    if (val->is_arg) return true;
    const Op *o = op_get(m, val->owner);
    if (depth == MAX_DEPTH || o->n_regions || o->n_operands > MAX_OPERANDS || ring[val->owner] != NO_ID) return false;
    for (uint32_t i = 0; i < o->n_operands; i++)
        if (!is_made_of_arguments(m, ring, m->operands.at[o->first_operand + i], depth + 1)) return false;
    return true;
}

static uint32_t count_users(const Users *u, ValueId v) { return u->first[v + 1] - u->first[v]; }

// Whether an op that reads a value makes something alike of it, element by element.
static bool is_like(const Module *m, OpId op, ValueId v) {
    return op_is_elementwise(op_kind(m, op)) && value_type(m, op_result(m, op, 0)) == value_type(m, v);
}

// The last op of those that make a result of a value, of which this is the first; NO_ID if there is no such result.
static OpId ends_in_result(const Module *m, const Users *u, OpId op, ValueId v) {
    for (uint32_t n = 0; n < MAX_UPDATE && is_like(m, op, v); n++) {
        v = op_result(m, op, 0);
        if (count_users(u, v) != 1) return NO_ID;
        OpId next = u->op[u->first[v]];
        if (op_is_terminator(op_kind(m, next))) return op;
        op = next;
    }
    return NO_ID;
}

// Whether these ops need nothing but the value and arguments.
static bool need_nothing_else(const Module *m, const Users *u, const OpId *ring, OpId op, OpId end, ValueId v) {
    for (;; op = u->op[u->first[v]]) {
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++)
            if (op_operand(m, op, i) != v && !is_made_of_arguments(m, ring, op_operand(m, op, i), 0)) return false;
        if (op == end) return true;
        v = op_result(m, op, 0);
    }
}

// Of a value that several ops read, of which the first that gives such a result runs before the first that does not.
static OpId *order_siblings_of(const Module *m, const Fusion *f, const OpId *ring, ValueId v, OpId *after, Arena *a) {
    const Users *u = &f->users;
    OpId end = NO_ID, other = NO_ID;
    if (count_users(u, v) < 2) return after;
    for (uint32_t i = u->first[v]; i < u->first[v + 1]; i++) {
        OpId one = end == NO_ID ? ends_in_result(m, u, u->op[i], v) : NO_ID;
        if (one != NO_ID && need_nothing_else(m, u, ring, u->op[i], one, v))
            end = one;
        else if (other == NO_ID && !op_is_terminator(op_kind(m, u->op[i])))
            other = f->kernel[u->op[i]];
    }
    if (end == NO_ID || other == NO_ID || ring[other] != NO_ID) return after;
    if (!after) after = memset(arena_new(a, OpId, m->ops.n), 0xff, m->ops.n * sizeof *after);
    if (after[other] == NO_ID) after[other] = end;
    return after;
}

OpId *order_siblings(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *ring, OpId *after,
                     Arena *a) {
    const Users *u = &f->users;
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (op_kind(m, op) != OP_reduce || op_get(m, op)->n_results != 1) continue;
        ValueId v = op_result(m, op, 0);
        for (uint32_t n = 0; n < MAX_SIBLING_STEPS && count_users(u, v) == 1 && is_like(m, u->op[u->first[v]], v); n++)
            v = op_result(m, u->op[u->first[v]], 0);
        after = order_siblings_of(m, f, ring, v, after, a);
        bool mixed = false;
        for (uint32_t i = u->first[v]; i < u->first[v + 1]; i++) mixed |= !is_like(m, u->op[i], v);
        for (uint32_t i = u->first[v]; mixed && i < u->first[v + 1]; i++) // as a mean, where the sum is read for more
            if (is_like(m, u->op[i], v)) after = order_siblings_of(m, f, ring, op_result(m, u->op[i], 0), after, a);
    }
    return after;
}
