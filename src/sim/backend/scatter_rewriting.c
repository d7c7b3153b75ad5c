// Scatter rewriting: decides from the scatter and its neighbours alone.
#include "ir/analysis/zero.h"
#include "sim/backend/rules.h"
#include "core/monoid.h"
#include "spmd/lower/pending.h"

bool scatter_selects(const Module *m, OpId scatter) {
    if (op_get(m, scatter)->n_operands != 3) return false;
    const Value *into = &m->values.at[op_operand(m, scatter, 0)];
    AttrId numbers = op_attr(m, scatter, A_scatter_dimension_numbers);
    uint32_t n_batch, n_window;
    const int64_t *batch = record_ints(m, numbers, RF_SCATTER_input_batching_dims, &n_batch);
    record_ints(m, numbers, RF_SCATTER_update_window_dims, &n_window);
    int64_t rows = 1, updates = 0;
    for (uint32_t i = 0; i < n_batch; i++) rows *= operand_type(m, scatter, 0)->dims[batch[i]];
    return !into->is_arg && op_kind(m, into->owner) == OP_broadcast_in_dim && n_window == 0 &&
           n_batch + 1 == operand_type(m, scatter, 0)->rank && type_elements(operand_type(m, scatter, 2), &updates) &&
           updates == rows;
}

// Zeros of either sign: where the sum of all devices' parts is meant, one of them starts from 0 and the others from -0.
static bool is_zero(const Module *m, ValueId v) {
    const Value *val = &m->values.at[v];
    if (val->is_arg || op_kind(m, val->owner) != OP_select) return value_is_zero(m, v);
    return value_is_zero(m, op_operand(m, val->owner, 1)) && value_is_zero(m, op_operand(m, val->owner, 2));
}

static OpId scatter_read_by_add(const Module *m, OpId add, const Users *u) {
    for (uint32_t i = 0; i < 2; i++) {
        ValueId v = op_operand(m, add, i);
        const Value *val = &m->values.at[v];
        Monoid monoid;
        if (val->is_arg || count_users(u, v) != 1 || op_kind(m, val->owner) != OP_scatter) continue;
        if (op_get(m, val->owner)->n_results == 1 && is_zero(m, op_operand(m, val->owner, 0)) &&
            monoid_of_region(m, op_region(m, val->owner, 0), &monoid) && monoid == MONOID_ADD)
            return val->owner;
    }
    return NO_ID;
}

uint8_t *find_scatter_adds(const Module *m, const ProgramOrder *written, const Users *u, Arena *a) {
    if (!written->count[OP_scatter]) return NULL;
    uint8_t *added = arena_zalloc(a, m->ops.n);
    for (uint32_t p = 0; p < written->n; p++) {
        if (op_kind(m, written->at[p]) != OP_add) continue;
        OpId scatter = scatter_read_by_add(m, written->at[p], u);
        if (scatter != NO_ID && !scatter_selects(m, scatter)) added[scatter] = added[written->at[p]] = 1;
    }
    return added;
}
