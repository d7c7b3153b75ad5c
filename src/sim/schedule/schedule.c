// Schedule: one walk over @main.
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
