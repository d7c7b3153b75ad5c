// Roles: ties tell the state, or results that are updated arguments; a walk against the program's order tells which
// values reach more than elementwise ops.
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

// Values of which a result of the same type is an update: p in `p - rate * gradient`. A step whose caller donates nothing
// has no ties, and is a training step all the same.
static uint8_t *find_updated(const Graph *g, Arena *a) {
    const Module *m = g->m;
    uint8_t *updated = arena_zalloc(a, g->n_values);
    for (NodeId n = g->n_nodes; n-- > 0;) {
        const Node *node = &g->nodes[n];
        const Rule *r = node->rule;
        if (node->kind == NODE_ARGUMENT) continue;
        if (node->kind == NODE_RESULT) {
            updated[node_value(g, n, 0)] = 1;
            continue;
        }
        for (uint32_t t = r->n_operands; r->elementwise && t < rule_tensors(r); t++) {
            ValueId result = node_value(g, n, t);
            for (uint32_t i = 0; updated[result] && i < r->n_operands; i++)
                updated[node_value(g, n, i)] |= m->values.at[node_value(g, n, i)].type == m->values.at[result].type;
        }
    }
    return updated;
}

static bool is_float(const Type *t) { return t->kind == TYPE_TENSOR && elem_class((Elem)t->elem) == CLASS_FLOAT; }

const uint8_t *roles_find(const Graph *g, Arena *a) {
    const Module *m = g->m;
    ValueId first = m->regions.at[g->body].first_arg;
    uint8_t *roles = arena_zalloc(a, g->n_arguments), *reaches = find_computed_with(g, a), *updated = NULL;
    uint32_t n_state = 0, n_tied = 0;
    double bytes = 0, updated_bytes = 0;
    for (uint32_t i = 0; i < g->n_arguments; i++) n_tied += g->nodes[g->argument_node[i]].tied_result != NO_ID;
    if (!n_tied) updated = find_updated(g, a);
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        bytes += value_tensor(m, first + i)->bytes;
        if (updated && updated[first + i]) updated_bytes += value_tensor(m, first + i)->bytes;
    }
    if (2 * updated_bytes < bytes) updated = NULL; // a residual alone goes through, as in a program that infers
    // Where some of the state is tied, what else the caller gives up is state too: ties are found by names, and miss some.
    const int64_t *donated = find_donated(m, g->body, a);
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        bool tied = g->nodes[g->argument_node[i]].tied_result != NO_ID || (n_tied && donated[i] != NOT_DONATED);
        if (n_tied ? !tied : !updated || !updated[first + i]) continue;
        bool counts = value_tensor(m, first + i)->rank > 0 && reaches[first + i]; // a step counter does not
        roles[i] = counts ? ROLE_WEIGHT : ROLE_OPTIMIZER;
        n_state++;
    }
    // Nothing is updated: floats that are as large as the others are, on the whole, hold what was learnt.
    for (uint32_t i = 0; !n_state && i < g->n_arguments; i++)
        if (is_float(value_tensor(m, first + i)) && value_tensor(m, first + i)->bytes * g->n_arguments >= bytes)
            roles[i] = ROLE_WEIGHT;
    return roles;
}
