// Stops: visits every node that does not have the axis although a neighbour has it.
#include "core/propagation/stops.h"

static const char *reason(ActionStatus status) {
    switch (status) {
    case ACTION_NOT_DIVISIBLE: return "the size does not divide";
    case ACTION_WHOLE: return "the op needs the dimension whole";
    case ACTION_SHIFT: return "the dimension needs its neighbours' edges";
    case ACTION_INNER: return "a reshape splits the dimension elsewhere";
    default: return NULL;
    }
}

const char *stop_reason(const State *s, NodeId n, AxisId axis) {
    const Graph *g = s->g;
    const Rule *r = g->nodes[n].rule;
    for (uint32_t t = 0; t < rule_tensors(r); t++) {
        ValueId v = node_value(g, n, t);
        if (rule_rank(r, t) == 0 || (s->atomic[v] >> axis & 1)) continue;
        bool operand = t < r->n_operands;
        uint32_t first = operand ? 0 : g->first_use[v], last = operand ? 1 : g->first_use[v + 1];
        for (uint32_t u = first; u < last; u++) {
            Port p = operand ? g->producer[v] : g->use_ports[u];
            int dim = p.node == NO_ID ? -1 : state_tiled_dim(s, p.node, p.tensor, axis);
            if (dim < 0) continue;
            const char *why = reason(state_legal(s, n, axis, state_factor_at(s, n, t, (uint32_t)dim)));
            if (why) return why;
        }
    }
    return NULL;
}

static void find_on(const State *s, AxisId axis, Stops *stops) {
    uint32_t first = stops->n;
    for (NodeId n = 0; n < s->g->n_nodes; n++) {
        if (s->g->nodes[n].kind != NODE_OP || state_factor(s, n, axis) != NO_FACTOR) continue;
        const char *why = stop_reason(s, n, axis);
        if (!why) continue;
        uint32_t i = first;
        while (i < stops->n && strcmp(stops->at[i].why, why) != 0) i++;
        if (i == stops->n) stops->at[stops->n++] = (Stop){why, axis, 0, n};
        stops->at[i].count++;
    }
}

Stops stops_find(const State *s, const AxisId *axes, uint32_t n, Arena *a) {
    enum { REASONS = 8 }; // no fewer than reason() knows
    Stops stops = {0, arena_new(a, Stop, (uint64_t)n * REASONS)};
    for (uint32_t k = 0; k < n; k++) find_on(s, axes[k], &stops);
    return stops;
}
