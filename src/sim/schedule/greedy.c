// Greedy scheduling: a walk over the ops as written; after each op, those that became ready are tried.
//
// A buffer is freed when its last reader has run, unless a reader is fused or shares a buffer.
#include "sim/schedule/schedulers.h"
#include "sim/cost/cost.h"
#include "sim/memory/donation.h"

#define SMALL 4096 // bytes that nobody saves by waiting

typedef struct Greedy {
    const Module *m;
    const Fusion *f;
    OpSchedule *out;
    Users u;
    uint32_t *pending; // by op: users_pending
    uint32_t *readers; // by value: uses that have not run yet
    OpId *ready;       // a stack
    uint32_t n_ready;
    const OpId *combined; // by op: of gathers that are one, the next in a ring; NO_ID for all else
} Greedy;

static void arrived(Greedy *e, OpId op) {
    if (--e->pending[op] == 0) e->ready[e->n_ready++] = op;
}

static void greedy_release(Greedy *e, ValueId v) {
    for (uint32_t k = e->u.first[v]; k < e->u.first[v + 1]; k++) arrived(e, e->u.op[k]);
}

static double allocated_bytes(const Greedy *e, OpId op) {
    double bytes = 0;
    for (uint32_t i = 0; i < op_get(e->m, op)->n_results; i++) {
        ValueId v = op_result(e->m, op, i);
        if (e->f->place[v] == PLACE_BUFFER) bytes += value_bytes(e->m, v);
    }
    return bytes;
}

// What the op gives back by reading its operands.
static double give_back(Greedy *e, OpId op) {
    double bytes = 0;
    for (uint32_t i = 0; i < op_get(e->m, op)->n_operands; i++) {
        ValueId v = op_operand(e->m, op, i);
        if (--e->readers[v] == 0 && e->f->place[v] == PLACE_BUFFER) bytes += value_bytes(e->m, v);
    }
    return bytes;
}

static void greedy_region(Greedy *e, RegionId r);

static void greedy_add(Greedy *e, OpId op) {
    const Module *m = e->m;
    if (runs_regions(op_kind(m, op))) {
        e->out->first[op] = e->out->n;
        uint32_t n_ready = e->n_ready;
        for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++) greedy_region(e, op_region(m, op, i));
        e->n_ready = n_ready;
    }
    op_schedule_add(e->out, op);
    for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) greedy_release(e, op_result(m, op, i));
}

// Gathers that are one run with the first of them, if what they gather is there.
static void add_combined(Greedy *e, OpId op) {
    greedy_add(e, op);
    for (OpId one = e->combined[op]; one != NO_ID && one != op; one = e->combined[one])
        if (e->pending[one] == 0 && e->out->position[one] == NO_ID) greedy_add(e, one);
}

static void run_ready(Greedy *e, uint32_t bottom) {
    while (e->n_ready > bottom) {
        OpId op = e->ready[--e->n_ready];
        if (op_is_terminator(op_kind(e->m, op)) || e->out->position[op] != NO_ID) continue;
        if (!is_inside_kernels(e->m, e->f, op) && allocated_bytes(e, op) > give_back(e, op) + SMALL) {
            for (uint32_t i = 0; i < op_get(e->m, op)->n_operands; i++) e->readers[op_operand(e->m, op, i)]++;
            continue;
        }
        greedy_add(e, op);
    }
}

static void greedy_region(Greedy *e, RegionId r) {
    const Module *m = e->m;
    uint32_t bottom = e->n_ready;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) // what needs nothing of this region
        if (e->pending[op] == 0) e->pending[op] = 1, arrived(e, op);
    for (uint32_t i = 0; i < m->regions.at[r].n_args; i++) greedy_release(e, m->regions.at[r].first_arg + i);
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        run_ready(e, bottom);
        if (e->out->position[op] != NO_ID) continue;
        if (!is_inside_kernels(e->m, e->f, op)) give_back(e, op);
        add_combined(e, op);
    }
    e->n_ready = bottom;
}

OpSchedule schedule_greedy(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *combined,
                           Arena *a) {
    OpSchedule out = op_schedule_new(m, a);
    Greedy e = {.m = m,
                .f = f,
                .out = &out,
                .u = f->users,
                .pending = users_pending(m, written, &f->users, a),
                .readers = arena_alloc(a, m->values.n * sizeof(uint32_t)),
                .ready = arena_new(a, OpId, m->ops.n),
                .combined = combined};
    RegionId body = op_region(m, module_main(m), 0);
    for (ValueId v = 0; v < m->values.n; v++) e.readers[v] = count_users(&e.u, v);
    for (uint32_t i = 0; i < m->regions.at[body].n_args; i++)
        if (f->donated[i] == NOT_DONATED) e.readers[m->regions.at[body].first_arg + i]++; // the caller
    greedy_region(&e, body);
    return out;
}
