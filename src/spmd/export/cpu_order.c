// The order of ops for XLA on CPU: of the ops that are ready, the last one of the program comes first.
//
//     %s = reduce %e                        %s = reduce %e
//     %l = log %s        the loss     =>    %d = divide %g, %s
//     %d = divide %g, %s the gradient       %l = log %s
//
// That compiler runs ops breadth first and breaks ties by the order in which the users of a value were made. Its rewrites
// often make the first users of a text last, so that the gradient runs before the loss and both hold the logits. Of 33
// training and serving steps (bench/evaluation, jaxlib 0.10.2) those of language models hold one copy of the logits less
// with this order, and the others what they held.
#include "spmd/export/cpu_order.h"
#include "support/heap.h"

static bool is_later(const uint32_t *x, const uint32_t *y) { return *x > *y; }
DEFINE_HEAP(latest, uint32_t, is_later)

// Whatever is not said by operands alone: no order but the written one is known to be right.
static bool needs_order(const Module *m, OpId op) {
    switch (op_kind(m, op)) {
    case OP_custom_call: return op_attr_bool(m, op, A_has_side_effect, false);
    case OP_send:
    case OP_recv:
    case OP_infeed:
    case OP_outfeed:
    case OP_async_start:
    case OP_async_done: return true;
    default: return op_get(m, op)->n_results == 0 && !op_is_terminator(op_kind(m, op));
    }
}

static OpId *written_order(const Module *m, RegionId r, Arena *a, uint32_t *n) {
    *n = 0;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) ++*n;
    OpId *order = arena_new(a, OpId, *n), *out = order;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) *out++ = op;
    return order;
}

// By op of the region: how many uses of its other ops' results there are in it and inside it.
static uint32_t *count_needs(const Module *m, const Uses *uses, const OpId *ops, uint32_t n, RegionId r, Arena *a) {
    uint32_t *needs = arena_new(a, uint32_t, m->ops.n);
    memset(needs, 0, m->ops.n * sizeof *needs);
    for (uint32_t i = 0; i < n; i++) {
        const Op *o = op_get(m, ops[i]);
        if (!o->n_results) continue;
        for (uint32_t k = uses->first[o->first_result]; k < uses->first[o->first_result + o->n_results]; k++)
            needs[op_within(m, uses->at[k].op, r)]++;
    }
    return needs;
}

OpId *cpu_order(const Module *m, RegionId r, bool reordered, Arena *a, uint32_t *n) {
    OpId *written = written_order(m, r, a, n);
    if (!reordered) return written;
    for (OpId op = 0; op < m->ops.n; op++)
        if (needs_order(m, op) && op_within(m, op, r) != NO_ID) return written;
    Uses uses = uses_build(m, a);
    uint32_t *needs = count_needs(m, &uses, written, *n, r, a), *place = arena_new(a, uint32_t, m->ops.n);
    uint32_t *ready = arena_new(a, uint32_t, *n), n_ready = 0, end = *n - 1;
    OpId *order = arena_new(a, OpId, *n), *out = order;
    for (uint32_t i = 0; i < end; i++) {
        place[written[i]] = i;
        if (!needs[written[i]]) latest_push(ready, &n_ready, i);
    }
    while (n_ready) {
        OpId op = *out++ = written[latest_pop(ready, &n_ready)];
        const Op *o = op_get(m, op);
        if (!o->n_results) continue;
        for (uint32_t k = uses.first[o->first_result]; k < uses.first[o->first_result + o->n_results]; k++) {
            OpId user = op_within(m, uses.at[k].op, r);
            if (--needs[user] == 0 && user != written[end]) latest_push(ready, &n_ready, place[user]);
        }
    }
    *out = written[end]; // what the region ends with
    return order;
}
