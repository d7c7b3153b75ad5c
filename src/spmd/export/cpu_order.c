// The order of ops for XLA on CPU: among the ready ops, the last one of the program comes first.
//
//     %s = reduce %e                        %s = reduce %e
//     %l = log %s        the loss     =>    %d = divide %g, %s
//     %d = divide %g, %s the gradient       %l = log %s
//
// That compiler runs ops breadth first and breaks ties by the order in which the users of a value were created. Its
// rewrites often create the first users of the text last. Then the gradient runs before the loss, and both need the logits
// in memory. Of 33 training and serving steps (bench/evaluation, jaxlib 0.10.2), those of language models hold one copy of
// the logits less with this order, and the memory of the others does not change.
#include "spmd/export/cpu_order.h"
#include "support/sort.h"

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
    OpId *order = arena_new(a, OpId, m->ops.n), *out = order;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) *out++ = op;
    *n = (uint32_t)(out - order);
    return order;
}

// Who waits for what in a region. Places are those of its ops as they are written.
typedef struct Waiting {
    const Module *m;
    RegionId r;
    uint32_t *first; // by value: a use of it, as a place in Module.operands, or NO_ID
    uint32_t *next;  // by use: another of the same value, by the same op or by one further on
    uint32_t *user;  // by use: the place of the op, or of the one that it stands in
    uint32_t *needs; // by place: uses of what has not run
} Waiting;

static void wait_for_operands(const Waiting *w, const Op *o, uint32_t place) {
    const ValueId *operands = w->m->operands.at;
    const Value *values = w->m->values.at;
    const Op *ops = w->m->ops.at;
    uint32_t *first = w->first, *next = w->next, *user = w->user, needs = 0;
    for (uint32_t k = o->first_operand, end = k + o->n_operands; k < end; k++) {
        ValueId v = operands[k];
        if (values[v].is_arg || ops[values[v].owner].parent != w->r) continue;
        next[k] = first[v];
        first[v] = k;
        user[k] = place;
        needs++;
    }
    w->needs[place] += needs;
}

// From the last op to the first, so that uses follow one another as they are written. False if more than operands says who waits.
static bool find_waiting(const Waiting *w, const OpId *written, uint32_t n) {
    for (uint32_t place = n; place-- > 0;) {
        OpId op = written[place], in = op;
        bool nested = op_get(w->m, op)->n_regions;
        OpId end = nested ? op_walk_past(w->m, op) : NO_ID;
        do {
            if (needs_order(w->m, in)) return false;
            wait_for_operands(w, op_get(w->m, in), place);
        } while (nested && (in = op_walk(w->m, in)) != end);
    }
    return true;
}

static bool is_before(const uint32_t *x, const uint32_t *y) { return *x < *y; }
DEFINE_SORT(sort_places, uint32_t, is_before)

// Ready ops are a stack in the order of their places: what an op makes ready stands behind it, and it was the last of them.
OpId *cpu_order(const Module *m, RegionId r, bool reordered, Arena *a, uint32_t *n) {
    OpId *written = written_order(m, r, a, n);
    if (!reordered) return written;
    Waiting w = {.m = m,
                 .r = r,
                 .first = memset(arena_new(a, uint32_t, m->values.n), 0xff, m->values.n * sizeof *w.first),
                 .next = arena_new(a, uint32_t, m->operands.n),
                 .user = arena_new(a, uint32_t, m->operands.n),
                 .needs = arena_zalloc(a, *n * sizeof *w.needs)};
    if (!find_waiting(&w, written, *n)) return written;
    uint32_t *ready = arena_new(a, uint32_t, *n), n_ready = 0, end = *n - 1;
    OpId *order = arena_new(a, OpId, *n), *out = order;
    for (uint32_t place = 0; place < end; place++)
        if (!w.needs[place]) ready[n_ready++] = place;
    while (n_ready) {
        const Op *o = op_get(m, *out++ = written[ready[--n_ready]]);
        uint32_t before = n_ready;
        for (ValueId v = o->first_result, last = v + o->n_results; v < last; v++)
            for (uint32_t k = w.first[v], user; k != NO_ID; k = w.next[k])
                if (user = w.user[k], --w.needs[user] == 0 && user != end) ready[n_ready++] = user;
        if (o->n_results > 1) sort_places(ready + before, n_ready - before, a);
    }
    *out = written[end]; // what the region ends with
    return order;
}
