// Roles: ties, or results that are updated arguments, show what the state is. A walk from the last op to the first finds the
// values that reach other ops than elementwise ones.
#include "auto/role.h"
#include "sim/memory/donation.h"

// Values from which something other than elementwise ops is computed within the step. Scalars do not count.
static uint8_t *find_computed_with(const Graph *g, Arena *a) {
    uint8_t *reaches = arena_zalloc(a, g->n_values);
    for (NodeId n = g->n_nodes; n-- > 0;) {
        const Node *node = &g->nodes[n];
        if (node->kind == NODE_ARGUMENT || node->kind == NODE_RESULT) continue;
        const Rule *r = node->rule;
        bool all = !r->elementwise;
        for (uint32_t t = r->n_operands; t < rule_tensors(r); t++)
            all |= rule_rank(r, t) > 0 && reaches[node_value(g, n, t)];
        for (uint32_t t = 0; all && t < r->n_operands; t++) reaches[node_value(g, n, t)] = 1;
    }
    return reaches;
}

// Values of which a result of the same dimensions is an update: p in `p - rate * gradient`, in whatever precision, or a
// loop's initial value if each turn updates it. A cache is none, into which a slice is written.
enum { CARRY_RESULT = 4 }; // the tensor of a carried value that the loop returns; 0 and 1 are what it begins with and what a turn yields
static uint8_t *find_updated(const Graph *g, Arena *a) {
    uint8_t *updated = arena_zalloc(a, g->n_values);
    VEC(ValueId) next = {0};
    for (uint32_t i = 0; i < g->n_results; i++) vec_push(a, &next, node_value(g, g->result_node[i], 0));
    while (next.n) {
        ValueId v = next.at[--next.n];
        Port made = g->producer[v];
        if (updated[v]) continue;
        updated[v] = 1;
        if (made.node == NO_ID || g->nodes[made.node].kind == NODE_ARGUMENT) continue;
        const Rule *r = g->nodes[made.node].rule;
        uint32_t first = 0, end = r->elementwise ? r->n_operands : 0;
        if (g->nodes[made.node].kind == NODE_CARRY) // the loop's result is that of its last turn, whose argument began as `init`
            first = made.tensor == CARRY_RESULT, end = first + 1;
        for (uint32_t i = first; i < end; i++) vec_push(a, &next, node_value(g, made.node, i));
    }
    return updated;
}

static bool is_float(const Type *t) { return t->kind == TYPE_TENSOR && elem_class((Elem)t->elem) == CLASS_FLOAT; }

// What is known of arguments before they get roles.
typedef struct Updates {
    const uint8_t *updated; // by value; NULL if too little is
    bool trained;           // what is tied is mostly updated; otherwise it is a cache
    uint32_t n_tied;
} Updates;

static Updates find_updates(const Graph *g, Arena *a) {
    double bytes = 0, updated_bytes = 0, tied_bytes = 0, tied_updated_bytes = 0;
    Updates u = {.updated = find_updated(g, a)};
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        ValueId v = g->m->regions.at[g->body].first_arg + i;
        double own = (double)value_tensor(g->m, v)->bytes;
        bool tied = g->nodes[g->argument_node[i]].tied_result != NO_ID;
        bytes += own;
        u.n_tied += tied;
        if (tied) tied_bytes += own;
        if (u.updated[v]) updated_bytes += own;
        if (tied && u.updated[v]) tied_updated_bytes += own;
    }
    u.trained = 2 * tied_updated_bytes >= tied_bytes;
    if (2 * updated_bytes < bytes) u.updated = NULL; // a residual alone goes through, as in a program that infers
    return u;
}

const uint8_t *roles_find(const Graph *g, Arena *a) {
    const Module *m = g->m;
    ValueId first = m->regions.at[g->body].first_arg;
    uint8_t *roles = arena_zalloc(a, g->n_arguments), *reaches = find_computed_with(g, a);
    Updates u = find_updates(g, a);
    uint32_t n_state = 0, n_others = 0;
    double bytes = 0; // of the others
    // Where some of the state is tied, what else the caller gives up is state too: ties are found by names, and miss some.
    const int64_t *donated = find_donated(m, g->body, a);
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        bool tied = g->nodes[g->argument_node[i]].tied_result != NO_ID || (u.n_tied && donated[i] != NOT_DONATED);
        bool state = u.n_tied ? tied && u.trained : u.updated && u.updated[first + i];
        if (!tied) bytes += value_tensor(m, first + i)->bytes, n_others++;
        if (!state) continue;
        bool counts = value_tensor(m, first + i)->rank > 0 && reaches[first + i]; // a step counter does not
        roles[i] = counts ? ROLE_WEIGHT : ROLE_OPTIMIZER;
        n_state++;
    }
    // Nothing is updated: floats that are as large as the others are, on the whole, hold what was learnt; what is tied is a cache.
    for (uint32_t i = 0; !n_state && i < g->n_arguments; i++) {
        const Type *type = value_tensor(m, first + i);
        bool tied = g->nodes[g->argument_node[i]].tied_result != NO_ID || (u.n_tied && donated[i] != NOT_DONATED);
        if (!tied && is_float(type) && type->bytes * n_others >= bytes) roles[i] = ROLE_WEIGHT;
    }
    return roles;
}
