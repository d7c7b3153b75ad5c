// Colours: union-find over the dimensions of all values.
#include "auto/colour.h"

static uint32_t colour_root(uint32_t *parent, uint32_t x) {
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

static bool is_tileable(const Factor *f) { return f->kind == FACTOR_PASS || f->kind == FACTOR_REDUCE; }

// The factor through which a whole dimension would be tiled: its first one of more than one element.
static bool is_leading(const Rule *r, uint32_t factor, uint32_t tensor, uint32_t dim) {
    uint32_t n;
    const uint8_t *factors = rule_dim(r, tensor, dim, &n);
    for (uint32_t i = 0; i < n; i++)
        if (r->factors[factors[i]].size > 1) return factors[i] == factor;
    return false;
}

static bool has_no_node(const Graph *g, ValueId v) { return g->producer[v].node == NO_ID; }

static void join_node(const Graph *g, NodeId n, const uint32_t *first, uint32_t *parent) {
    const Rule *r = g->nodes[n].rule;
    for (uint32_t f = 0; f < r->n_factors; f++) {
        if (!is_tileable(&r->factors[f])) continue;
        uint32_t joined = NO_ID;
        for (uint32_t t = 0; t < rule_tensors(r); t++) {
            int dim = rule_factor_dim(r, f, t);
            ValueId v = node_value(g, n, t);
            if (dim < 0 || has_no_node(g, v) || !is_leading(r, f, t, (uint32_t)dim)) continue;
            uint32_t root = colour_root(parent, first[v] + (uint32_t)dim);
            if (joined != NO_ID) parent[root] = colour_root(parent, joined);
            joined = root;
        }
    }
}

// Dimensions of each value, from the tensors of the nodes that make or use it.
static uint32_t count_dimensions(const Graph *g, uint32_t *first) {
    for (NodeId n = 0; n < g->n_nodes; n++)
        for (uint32_t t = 0; t < rule_tensors(g->nodes[n].rule); t++)
            first[node_value(g, n, t)] = rule_rank(g->nodes[n].rule, t);
    uint32_t total = 0;
    for (ValueId v = 0; v < g->n_values; v++) {
        uint32_t rank = first[v];
        first[v] = total;
        total += rank;
    }
    return total;
}

Colours colours_find(const Graph *g, Arena *a) {
    Colours c = {.first = arena_zalloc(a, (g->n_values + 1) * sizeof *c.first)};
    uint32_t total = count_dimensions(g, c.first);
    uint32_t *parent = arena_new(a, uint32_t, total), *number = arena_new(a, uint32_t, total);
    for (uint32_t i = 0; i < total; i++) parent[i] = i, number[i] = NO_ID;
    for (NodeId n = 0; n < g->n_nodes; n++) join_node(g, n, c.first, parent);
    c.of = arena_new(a, uint32_t, total);
    for (uint32_t i = 0; i < total; i++) {
        uint32_t root = colour_root(parent, i);
        if (number[root] == NO_ID) number[root] = c.n++;
        c.of[i] = number[root];
    }
    return c;
}
