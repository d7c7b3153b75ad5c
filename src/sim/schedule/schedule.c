// Orders of ops: one walk over @main. It counts the users of each value, then lists them value by value, from last to first.
#include "sim/schedule/schedule.h"

// Copies come on top of the ops: at most one for each operand.
OpSchedule op_schedule_new(const Module *m, Arena *a) {
    size_t n = m->ops.n;
    OpSchedule o = {.at = arena_new(a, OpId, n + m->operands.n),
                    .position = memset(arena_new(a, uint32_t, n), 0xff, n * sizeof *o.position),
                    .first = arena_new(a, uint32_t, n)};
    return o;
}

static void add_region(const Module *m, RegionId r, ProgramOrder *w) {
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        const Op *o = op_get(m, op);
        if (o->n_regions && runs_regions((OpKind)o->kind))
            for (uint32_t i = 0; i < o->n_regions; i++) add_region(m, op_region(m, op, i), w);
        w->count[o->kind]++;
        w->at[w->n++] = op;
    }
}

ProgramOrder program_order(const Module *m, Arena *a) {
    ProgramOrder w = {.at = arena_new(a, OpId, m->ops.n), .count = arena_zalloc(a, OP_COUNT * sizeof *w.count)};
    add_region(m, op_region(m, module_main(m), 0), &w);
    return w;
}

// An op that stands inside others uses a value for the one that stands in the value's region.
static void list_users(const Module *m, const ProgramOrder *written, Users *u) {
    const ValueId *operands = m->operands.at;
    uint32_t *first = u->first, *slots = u->slot;
    OpId *ops = u->op;
    RegionId main = op_region(m, module_main(m), 0);
    for (uint32_t p = written->n; p-- > 0;) {
        OpId op = written->at[p];
        uint32_t begin = op_get(m, op)->first_operand;
        bool inner = op_get(m, op)->parent != main;
        for (uint32_t k = begin + op_get(m, op)->n_operands; k-- > begin;) {
            uint32_t at = --first[operands[k]];
            slots[at] = k;
            ops[at] = inner ? op_within(m, op, value_region(m, operands[k])) : op;
        }
    }
}

Users users_build(const Module *m, const ProgramOrder *written, Arena *a) {
    Users u = {.first = arena_zalloc(a, ((size_t)m->values.n + 1) * sizeof *u.first)};
    uint32_t *first = u.first;
    for (uint32_t p = 0; p < written->n; p++) {
        const Op *o = op_get(m, written->at[p]);
        const ValueId *v = m->operands.at + o->first_operand;
        for (const ValueId *end = v + o->n_operands; v < end; v++) first[*v]++;
    }
    uint32_t total = 0;
    for (uint32_t v = 0, n = m->values.n; v <= n; v++)
        first[v] = total += first[v]; // where the list ends, until it is filled
    u.op = arena_new(a, OpId, total);
    u.slot = arena_new(a, uint32_t, total);
    list_users(m, written, &u);
    return u;
}

uint32_t *users_pending(const Module *m, const ProgramOrder *written, const Users *u, Arena *a) {
    uint32_t *pending = arena_zalloc(a, m->ops.n * sizeof *pending);
    if (has_nested(written))
        for (uint32_t k = 0, n = u->first[m->values.n]; k < n; k++) pending[u->op[k]]++;
    else
        for (uint32_t p = 0, n = written->n; p < n; p++)
            pending[written->at[p]] = op_get(m, written->at[p])->n_operands;
    return pending;
}
