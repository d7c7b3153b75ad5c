// Library fusion: grows kernels around reductions, from the last reduction to the first, as XLA's library rewriter with YNNPACK does.
#include "sim/backend/rules.h"

#define MIN_ELEMENTS 4096 // of a result or an operand, for arithmetic to be worth the call

typedef struct Library {
    const Module *m;
    const uint32_t *copied;
    const Users *users;
    OpId *end; // by op: the op whose result its kernel writes, or NO_ID; while it grows, the reduction it began with
    uint32_t *readers; // by value: ops that read it; 0 if they have not been counted
    OpId *counted;     // by value: the reduction for whose kernel `inside` counts
    uint32_t *inside;  // by value: of its readers, those in that kernel
    OpId *members;     // of the kernel under way
    uint32_t n_members;
} Library;

// ---- What the library can do ---------------------------------------------------------------------------------------

static bool is_real(const Type *t) { return t->elem == EL_F32 || t->elem == EL_F64 || t->elem == EL_BF16; }

static bool is_large(const Module *m, OpId op) {
    bool large = result_type(m, op, 0)->elements >= MIN_ELEMENTS;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands && !large; i++)
        large = operand_type(m, op, i)->elements >= MIN_ELEMENTS;
    return large;
}

bool reduces_nothing(const Module *m, OpId op) {
    return op_get(m, op)->n_results == 1 && operand_type(m, op, 0)->elements == result_type(m, op, 0)->elements;
}

bool sums_bf16(const Module *m, OpId op) {
    OpId by = m->regions.at[op_region(m, op, 0)].first;
    return op_kind(m, by) == OP_add && result_type(m, by, 0)->elem == EL_BF16;
}

// Of one operand, by one addition, maximum or minimum.
bool library_reduces(const Module *m, OpId op) {
    OpId by = m->regions.at[op_region(m, op, 0)].first;
    OpKind k = op_kind(m, by);
    return op_get(m, op)->n_results == 1 && (k == OP_add || k == OP_maximum || k == OP_minimum) && !sums_bf16(m, op) &&
           !reduces_nothing(m, op) && op_is_terminator(op_kind(m, op_get(m, by)->next)) &&
           is_real(result_type(m, op, 0)) && is_large(m, op);
}

static bool can_compute(const Module *m, OpId op) {
    switch (op_kind(m, op)) {
    case OP_constant:
    case OP_broadcast_in_dim:
    case OP_partir_tag:
    case OP_reshape: return true;
    case OP_reduce: return library_reduces(m, op) || reduces_nothing(m, op);
    case OP_dot_general: return is_real(result_type(m, op, 0));
    case OP_abs:
    case OP_add:
    case OP_ceil:
    case OP_convert:
    case OP_cosine:
    case OP_divide:
    case OP_exponential:
    case OP_exponential_minus_one:
    case OP_floor:
    case OP_log:
    case OP_log_plus_one:
    case OP_logistic:
    case OP_maximum:
    case OP_minimum:
    case OP_multiply:
    case OP_negate:
    case OP_power:
    case OP_round_nearest_even:
    case OP_rsqrt:
    case OP_sign:
    case OP_sine:
    case OP_sqrt:
    case OP_subtract:
    case OP_tan:
    case OP_tanh:
        return is_real(result_type(m, op, 0)) && is_real(operand_type(m, op, 0)) && is_large(m, op);
    default: return false;
    }
}

// ---- Growing -------------------------------------------------------------------------------------------------------

static bool can_fuse_into_library(const Library *l, OpId op, OpId start) {
    return l->end[op] == NO_ID && op_get(l->m, op)->parent == op_get(l->m, start)->parent && can_compute(l->m, op);
}

// XLA divides by a broadcast by multiplying with a broadcast of the reciprocal, but only where nothing else reads what is broadcast: the
// first quotient is no reader beside others.
static bool has_own_broadcast(const Module *m, OpId reader, ValueId v) {
    return op_kind(m, m->values.at[v].owner) == OP_broadcast_in_dim && op_kind(m, reader) == OP_divide && op_operand(m, reader, 1) == v;
}

static uint32_t count_readers(Library *l, ValueId v) {
    const Users *u = l->users;
    if (l->readers[v]) return l->readers[v];
    for (uint32_t k = u->first[v]; k < u->first[v + 1]; k++)
        l->readers[v] += k == u->first[v] || u->op[k] != u->op[k - 1]; // those of one op are next to each other
    if (l->readers[v] > 1 && has_own_broadcast(l->m, u->op[u->first[v]], v)) l->readers[v]--;
    return l->readers[v];
}

static void take_in(Library *l, OpId op, OpId start) {
    l->end[op] = start;
    l->members[l->n_members++] = op;
}

// Counts the op as a reader of its operands. An operand without other readers is fused; the others wait for their last reader.
static void look_up(Library *l, OpId op, OpId start) {
    const Module *m = l->m;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        ValueId v = op_operand(m, op, i);
        bool seen = false;
        for (uint32_t k = 0; k < i; k++) seen |= op_operand(m, op, k) == v;
        bool copied = l->copied && l->copied[op_get(m, op)->first_operand + i];
        if (seen || m->values.at[v].is_arg || copied) continue;
        if (l->counted[v] != start) l->counted[v] = start, l->inside[v] = 0;
        OpId from = m->values.at[v].owner;
        if (++l->inside[v] == count_readers(l, v) && can_fuse_into_library(l, from, start)) take_in(l, from, start);
    }
}

static OpId only_reader(Library *l, OpId op) {
    ValueId v = op_result(l->m, op, 0);
    return count_readers(l, v) == 1 ? l->users->op[l->users->first[v]] : NO_ID;
}

static void grow(Library *l, OpId start) {
    OpId end = start;
    l->n_members = 0;
    take_in(l, start, start);
    for (uint32_t k = 0; k < l->n_members; k++) {
        look_up(l, l->members[k], start);
        if (k + 1 < l->n_members) continue;
        OpId reader = only_reader(l, end);
        if (reader == NO_ID || !can_fuse_into_library(l, reader, start)) continue;
        take_in(l, end = reader, start);
    }
    for (uint32_t k = 0; k < l->n_members; k++) l->end[l->members[k]] = end;
}

OpId *find_library_fusions(const Module *m, const ProgramOrder *written, const Users *users, const uint32_t *copied,
                           Arena *a) {
    size_t by_op = m->ops.n * sizeof(OpId), by_value = m->values.n * sizeof(uint32_t);
    Library l = {.m = m,
                 .copied = copied,
                 .users = users,
                 .end = arena_alloc(a, by_op),
                 .readers = arena_zalloc(a, by_value),
                 .counted = arena_alloc(a, by_value),
                 .inside = arena_alloc(a, by_value),
                 .members = arena_alloc(a, by_op)};
    memset(l.end, 0xff, by_op);
    memset(l.counted, 0xff, by_value);
    for (uint32_t p = written->n; p-- > 0;)
        if (op_kind(m, written->at[p]) == OP_reduce && l.end[written->at[p]] == NO_ID &&
            library_reduces(m, written->at[p]))
            grow(&l, written->at[p]);
    return l.end;
}
