// State: nests, legality, the two seeding actions and the trail.
#include "core/propagate.h"

void state_init(State *s, const Graph *g, const Mesh *mesh, Arena *a) {
    *s = (State){.g = g, .mesh = mesh, .arena = a};
    size_t slots = (size_t)g->n_nodes * mesh->n_axes;
    s->nest = arena_zalloc(a, slots * sizeof *s->nest);
    s->cause = arena_zalloc(a, slots * sizeof *s->cause);
    s->nest_n = arena_zalloc(a, g->n_nodes);
    s->atomic = arena_zalloc(a, g->n_values * sizeof *s->atomic);
    s->candidates = arena_zalloc(a, g->n_nodes * sizeof *s->candidates);
}

uint8_t state_factor(const State *s, NodeId n, AxisId axis) {
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    for (uint32_t k = 0; k < len; k++)
        if (nest[k].axis == axis) return nest[k].factor;
    return NO_FACTOR;
}

const Cause *state_cause(const State *s, NodeId n, AxisId axis) {
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    for (uint32_t k = 0; k < len; k++)
        if (nest[k].axis == axis) return &s->cause[(size_t)n * s->mesh->n_axes + k];
    return NULL;
}

int state_tiled_dim(const State *s, NodeId n, uint32_t tensor, AxisId axis) {
    uint8_t f = state_factor(s, n, axis);
    return f == NO_FACTOR ? -1 : rule_factor_dim(s->g->nodes[n].rule, f, tensor);
}

int64_t state_local_size(const State *s, NodeId n, uint8_t factor) {
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    int64_t size = s->g->nodes[n].rule->factors[factor].size;
    for (uint32_t k = 0; k < len; k++)
        if (nest[k].factor == factor) size /= s->mesh->axes[nest[k].axis].size;
    return size;
}

uint8_t state_factor_at(const State *s, NodeId n, uint32_t tensor, uint32_t dim) {
    uint32_t count;
    const uint8_t *factors = rule_dim(s->g->nodes[n].rule, tensor, dim, &count);
    for (uint32_t i = 0; i < count; i++)
        if (state_local_size(s, n, factors[i]) > 1) return factors[i];
    return count ? factors[0] : NO_FACTOR;
}

// In every dimension made of several factors, those before `factor` must be used up: one axis is never split between
// factors.
static bool outer_used_up(const State *s, NodeId n, uint8_t factor) {
    const Rule *r = s->g->nodes[n].rule;
    for (uint32_t t = 0; t < rule_tensors(r); t++) {
        int dim = rule_factor_dim(r, factor, t);
        if (dim < 0) continue;
        uint32_t count;
        const uint8_t *factors = rule_dim(r, t, (uint32_t)dim, &count);
        for (uint32_t i = 0; i < count && factors[i] != factor; i++)
            if (state_local_size(s, n, factors[i]) > 1) return false;
    }
    return true;
}

ActionStatus state_legal(const State *s, NodeId n, AxisId axis, uint8_t factor) {
    if (factor == NO_FACTOR) return ACTION_NO_FACTOR;
    const Node *node = &s->g->nodes[n];
    const Rule *r = node->rule;
    if (r->factors[factor].kind == FACTOR_WHOLE) return ACTION_WHOLE;
    if (r->factors[factor].kind == FACTOR_SHIFT) return ACTION_SHIFT;
    int64_t size = state_local_size(s, n, factor); // nothing is not worth dividing
    if (size == 0 || size % s->mesh->axes[axis].size != 0) return ACTION_NOT_DIVISIBLE;
    if (!outer_used_up(s, n, factor)) return ACTION_INNER;
    for (uint32_t t = r->n_operands; t < rule_tensors(r); t++)
        if ((s->atomic[node_value(s->g, n, t)] >> axis & 1) && rule_factor_dim(r, factor, t) >= 0) return ACTION_ATOMIC;
    return ACTION_OK;
}

static void trail_push(State *s, uint32_t id, AxisId axis, bool atomic) {
    vec_push(s->arena, &s->trail, ((struct TrailEntry){id, axis, atomic}));
}

void state_set(State *s, NodeId n, AxisId axis, uint8_t factor, Cause cause) {
    vec_reserve(s->arena, &s->trail, (uint64_t)s->trail.n + 1); // so that running out of memory leaves the state whole
    size_t at = (size_t)n * s->mesh->n_axes + s->nest_n[n]++;
    s->nest[at] = (NestEntry){axis, factor};
    s->cause[at] = cause;
    trail_push(s, n, axis, false);
}

ActionStatus action_tile(State *s, NodeId n, uint32_t tensor, uint32_t dim, AxisId axis) {
    if (state_factor(s, n, axis) != NO_FACTOR) return ACTION_AXIS_USED;
    uint8_t f = state_factor_at(s, n, tensor, dim);
    ActionStatus status = state_legal(s, n, axis, f);
    if (status == ACTION_OK) state_set(s, n, axis, f, (Cause){NO_ID, s->tactic, 0});
    return status;
}

void action_atomic(State *s, ValueId v, AxisId axis) {
    if (s->atomic[v] >> axis & 1) return;
    vec_reserve(s->arena, &s->trail, (uint64_t)s->trail.n + 1);
    s->atomic[v] |= (AxisSet)1 << axis;
    trail_push(s, v, axis, true);
    // The pending side of a sum is the same value: it may not be tiled either.
    Port p = s->g->producer[v];
    if (p.node != NO_ID && s->g->nodes[p.node].kind == NODE_SUM) action_atomic(s, node_value(s->g, p.node, 0), axis);
}

void state_undo(State *s, uint32_t mark) {
    while (s->trail.n > mark) {
        struct TrailEntry e = s->trail.at[--s->trail.n];
        if (e.atomic) {
            s->atomic[e.id] &= ~((AxisSet)1 << e.axis);
            continue;
        }
        size_t at = (size_t)e.id * s->mesh->n_axes + --s->nest_n[e.id];
        memset(&s->nest[at], 0, sizeof s->nest[at]);
        memset(&s->cause[at], 0, sizeof s->cause[at]);
    }
    while (s->conflicts.n && s->conflicts.at[s->conflicts.n - 1].trail > mark) s->conflicts.n--;
}
