// Roles: ties tell the state; a walk against the program's order tells which values reach more than elementwise ops.
#include "auto/role.h"

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

static bool is_float(const Type *t) { return t->kind == TYPE_TENSOR && elem_class((Elem)t->elem) == CLASS_FLOAT; }

const uint8_t *roles_find(const Graph *g, Arena *a) {
    const Module *m = g->m;
    ValueId first = m->regions.at[g->body].first_arg;
    uint8_t *roles = arena_zalloc(a, g->n_arguments), *reaches = find_computed_with(g, a);
    uint32_t n_state = 0;
    double bytes = 0;
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        bytes += value_tensor(m, first + i)->bytes;
        if (g->nodes[g->argument_node[i]].tied_result == NO_ID) continue;
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
