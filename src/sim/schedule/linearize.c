// Linearization: the order of ops, kernel by kernel; the ops fused into a kernel come before it.
#include "sim/schedule/schedulers.h"

typedef struct Linearizer {
    const Module *m;
    const Fusion *f;
    RegionId main;
    KernelGraph *k; // at last also by op that is computed on the way: the first of its kernels
    const uint32_t *order;
    const OpId *ring; // by op: of combined sums, the next
    OpSchedule *out;
    OpId *asked;    // ops that somebody waits for, a stack
    uint32_t n_ops; // that run
} Linearizer;

static void emit_region(Linearizer *s, RegionId r);

// The op, and before it what is computed in its kernel.
static void emit_kernel(Linearizer *s, OpId root, RegionId r) {
    const Module *m = s->m;
    const Value *values = m->values.at;
    OpSchedule *out = s->out;
    const uint8_t *made = s->k->made;
    bool nested = s->f->nested, inside = r != s->main;
    uint32_t *of_op = s->k->of_op, kernel = of_op[root] == NO_ID ? 0 : of_op[root];
    OpId *top = s->asked;
    of_op[root] = NO_ID;
    for (*top++ = root; top > s->asked;) {
        OpId op = top[-1], *before = top;
        const Op *o = op_get(m, op);
        if (of_op[op] == NO_ID) {
            of_op[op] = kernel;
            for (const ValueId *v = op_operands(m, op), *end = v + o->n_operands; v < end; v++) {
                if (made[*v]) continue;
                OpId owner = values[*v].owner;
                if (of_op[owner] != NO_ID) continue;
                if (!inside || op_get(m, owner)->parent == r) *top++ = owner;
            }
            if (top > before) continue;
        }
        top--;
        if (out->position[op] != NO_ID) continue; // asked for twice
        if (nested && runs_regions((OpKind)o->kind)) {
            out->first[op] = out->n;
            for (uint32_t i = 0; i < o->n_regions; i++) emit_region(s, op_region(m, op, i));
        }
        op_schedule_add(out, op);
    }
}

// What nobody needs. Outside of loops it is known whether there is something left beside the end.
static void emit_unused(Linearizer *s, RegionId r) {
    const Module *m = s->m;
    OpId end = region_terminator(m, r);
    if (!s->f->nested && s->out->n + 1 == s->n_ops) return;
    for (OpId op = m->regions.at[r].first; op != end; op = op_get(m, op)->next)
        if (s->out->position[op] == NO_ID) emit_kernel(s, op, r);
}

static void emit_region(Linearizer *s, RegionId r) {
    const Module *m = s->m;
    const KernelGraph *k = s->k;
    const uint32_t *order = s->order + k->from[r];
    OpId end = region_terminator(m, r);
    for (uint32_t p = 0; p < k->count[r]; p++) {
        OpId op = k->op[order[p]];
        if (op == end) emit_unused(s, r);
        do emit_kernel(s, op, r);
        while ((op = s->ring[op]) != NO_ID && op != k->op[order[p]]);
    }
}

OpSchedule linearize_kernels(const Module *m, const ProgramOrder *written, const Fusion *f, KernelGraph *k,
                             const OpId *combined, const uint32_t *order, Arena *a) {
    OpSchedule out = op_schedule_new(m, a);
    Linearizer s = {.m = m,
                    .f = f,
                    .main = op_region(m, module_main(m), 0),
                    .k = k,
                    .order = order,
                    .ring = combined,
                    .out = &out,
                    .asked = arena_new(a, OpId, m->ops.n + m->operands.n),
                    .n_ops = written->n};
    emit_region(&s, s.main);
    return out;
}
