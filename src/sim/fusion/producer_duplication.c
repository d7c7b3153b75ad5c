// Sources: one walk forwards. Masks and what a broadcast makes larger are small and do not count. What has many sources is
// kept, and is the source of what is made of it, if it has many readers.
#include "sim/fusion/producer_duplication.h"
#include "sim/cost/op_cost.h"

static bool has_many_users(const Users *u, ValueId v) { return u->first[v + 1] > u->first[v] + 1; }

static bool has_source(const Sources *z, OpId op) { return op_get(z->m, op)->n_results == 1 && z->fused[op]; }

static ValueId source_of(const Sources *z, OpId op) {
    const Module *m = z->m;
    const Op *o = op_get(m, op);
    ValueId found = NO_SOURCE;
    uint32_t rank = value_tensor(m, o->first_result)->rank;
    if (o->kind == OP_broadcast_in_dim && value_bytes(m, op_operand(m, op, 0)) < value_bytes(m, o->first_result))
        rank = UINT32_MAX; // all are smaller
    const ValueId *operand = m->operands.at + o->first_operand, *end = operand + o->n_operands;
    for (; operand < end && found != MANY_SOURCES; operand++) {
        ValueId from = z->of[*operand];
        const Type *t = value_tensor(m, *operand);
        if (from == NO_SOURCE || t->rank < rank || t->elem == EL_I1) continue;
        if (from == MANY_SOURCES && has_many_users(z->users, *operand)) from = *operand;
        found = found == NO_SOURCE || found == from ? from : MANY_SOURCES;
    }
    bool reads = found == MANY_SOURCES && o->kind == OP_concatenate; // what it has
    return reads ? o->first_result : found;
}

void find_sources(const Sources *z, const Written *written) {
    for (ValueId v = 0, n = z->m->values.n; v < n; v++) z->of[v] = v;
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (has_source(z, op)) z->of[op_result(z->m, op, 0)] = source_of(z, op);
    }
}

static void open_users(const Sources *z, ValueId v, uint8_t *open) {
    for (uint32_t k = z->users->first[v]; k < z->users->first[v + 1]; k++) open[z->users->op[k]] = 1;
}

void find_sources_again(const Sources *z, const Written *written, const Edits *e, uint8_t *changed, Arena *a) {
    const Module *m = z->m;
    uint8_t *open = arena_zalloc(a, m->ops.n);
    for (uint32_t i = 0; i < e->n_read; i++) // which may be a source now, or no longer
        if (z->of[e->read[i]] == MANY_SOURCES) open_users(z, e->read[i], open);
    for (uint32_t i = 0; i < e->n_made; i++) {
        const Op *o = op_get(m, e->made[i]);
        open[e->made[i]] = 1;
        for (ValueId v = o->first_result; v < o->first_result + o->n_results; v++) {
            journal_set(e->journal, z->of[v], v);
            open_users(z, v, open);
        }
    }
    for (uint32_t i = 0; i < e->n_reread; i++) open[e->reread[i]] = 1;
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        if (!open[op] || !has_source(z, op)) continue;
        ValueId v = op_result(m, op, 0), found = source_of(z, op);
        if (found == z->of[v]) continue;
        journal_set(e->journal, z->of[v], found);
        changed[op] = 1;
        open_users(z, v, open);
    }
}
