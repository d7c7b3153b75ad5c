// State: nests, legality, the two seeding actions and the trail.
#include "core/propagation/propagate.h"

// An axis alone, or the most parts it can have.
static uint32_t most_parts(int64_t size) {
    uint32_t n = 0;
    for (int64_t p = 2; p * p <= size; p++)
        for (; size % p == 0; size /= p) n++;
    n += size > 1;
    return n ? n : 1;
}

void state_init(State *s, const Graph *g, Mesh *mesh, Arena *a) {
    *s = (State){.g = g, .mesh = mesh, .arena = a};
    for (uint32_t i = 0; i < mesh->n_axes; i++) s->depth += most_parts(mesh->axes[i].size);
    size_t slots = (size_t)g->n_nodes * s->depth;
    s->nest = arena_zalloc(a, slots * sizeof *s->nest);
    s->cause = arena_zalloc(a, slots * sizeof *s->cause);
    s->nest_n = arena_zalloc(a, g->n_nodes);
    s->atomic = arena_zalloc(a, g->n_values * sizeof *s->atomic);
    s->uses = arena_zalloc(a, MESH_MAX_AXES * sizeof *s->uses);
    s->candidates = arena_zalloc(a, g->n_nodes * sizeof *s->candidates);
}

uint8_t state_factor(const State *s, NodeId n, AxisId axis) {
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    for (uint32_t k = 0; k < len; k++)
        if (s->mesh->axes[axis].overlaps >> nest[k].axis & 1) return nest[k].factor;
    return NO_FACTOR;
}

const Cause *state_cause(const State *s, NodeId n, AxisId axis) {
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    for (uint32_t k = 0; k < len; k++)
        if (s->mesh->axes[axis].overlaps >> nest[k].axis & 1) return &s->cause[(size_t)n * s->depth + k];
    return NULL;
}

int state_tiled_dim(const State *s, NodeId n, uint32_t tensor, AxisId axis) {
    uint8_t f = state_factor(s, n, axis);
    return f == NO_FACTOR ? -1 : rule_factor_dim(s->g->nodes[n].rule, f, tensor);
}

int64_t state_local_size(const State *s, NodeId n, uint8_t factor) {
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    int64_t size = factor_chunks(&s->g->nodes[n].rule->factors[factor]);
    for (uint32_t k = 0; k < len; k++)
        if (nest[k].factor == factor) size /= s->mesh->axes[nest[k].axis].size;
    return size;
}

uint8_t state_factor_at(const State *s, NodeId n, uint32_t tensor, uint32_t dim) {
    uint32_t count;
    const uint8_t *factors = rule_dim(s->g->nodes[n].rule, tensor, dim, &count);
    for (uint32_t i = 0; count > 1 && i < count; i++)
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

static ActionStatus part_legal(const State *s, NodeId n, AxisId axis, uint8_t factor) {
    const Axis *part = &s->mesh->axes[axis];
    for (uint32_t a = s->mesh->n_axes; a < s->mesh->n_ids; a++)
        if (s->uses[a] && !axis_parts_fit(&s->mesh->axes[a], part)) return ACTION_PARTS;
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    for (uint32_t k = 0; k < len; k++) {
        const Axis *x = &s->mesh->axes[nest[k].axis];
        if (nest[k].factor == factor && x->whole == part->whole && x->before > part->before) return ACTION_ORDER;
    }
    return ACTION_OK;
}

ActionStatus state_legal(const State *s, NodeId n, AxisId axis, uint8_t factor) {
    if (factor == NO_FACTOR) return ACTION_NO_FACTOR;
    const Node *node = &s->g->nodes[n];
    const Rule *r = node->rule;
    if (r->factors[factor].kind == FACTOR_WHOLE) return ACTION_WHOLE;
    if (r->factors[factor].kind == FACTOR_SHIFT) return ACTION_SHIFT;
    int64_t size = state_local_size(s, n, factor); // nothing is not worth dividing
    if (size == 0 || size % s->mesh->axes[axis].size != 0) return ACTION_NOT_DIVISIBLE;
    if (r->compound && !outer_used_up(s, n, factor)) return ACTION_INNER;
    if (axis >= s->mesh->n_axes) {
        ActionStatus status = part_legal(s, n, axis, factor);
        if (status != ACTION_OK) return status;
    }
    for (uint32_t t = r->n_operands; t < rule_tensors(r); t++)
        if ((s->atomic[node_value(s->g, n, t)] & s->mesh->axes[axis].overlaps) && rule_factor_dim(r, factor, t) >= 0)
            return ACTION_ATOMIC;
    return ACTION_OK;
}

static uint64_t mix_state(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// What an entry adds to a hash, or takes from it.
static void hash_entry(StateHash *h, uint32_t id, uint32_t what, bool add) {
    uint64_t x = ((uint64_t)id << 32 | what) + 1;
    uint64_t a = mix_state(x * 0x9e3779b97f4a7c15u), b = mix_state(x * 0xc2b2ae3d27d4eb4fu);
    h->a = add ? h->a + a : h->a - a;
    h->b = add ? h->b + b : h->b - b;
}

// By the place in the nest, too: the order of axes counts.
static void hash_nest(State *s, NodeId n, uint32_t place, bool add) {
    NestEntry e = s->nest[(size_t)n * s->depth + place];
    hash_entry(&s->nests, n, place << 16 | (uint32_t)e.axis << 8 | e.factor, add);
}

static void trail_push(State *s, uint32_t id, AxisId axis, bool atomic) {
    vec_push(s->arena, &s->trail, ((struct TrailEntry){id, axis, atomic}));
}

void state_set(State *s, NodeId n, AxisId axis, uint8_t factor, Cause cause) {
    vec_reserve(s->arena, &s->trail, (uint64_t)s->trail.n + 1); // so that running out of memory leaves the state whole
    size_t at = (size_t)n * s->depth + s->nest_n[n]++;
    s->nest[at] = (NestEntry){axis, factor};
    s->cause[at] = cause;
    if (axis >= s->mesh->n_axes) s->uses[axis]++;
    hash_nest(s, n, s->nest_n[n] - 1u, true);
    trail_push(s, n, axis, false);
}

AxisSet state_parts(const State *s) {
    AxisSet parts = 0;
    for (uint32_t a = s->mesh->n_axes; a < s->mesh->n_ids; a++) parts |= (AxisSet)(s->uses[a] > 0) << a;
    return parts;
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
    hash_entry(&s->atomics, v, axis, true);
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
            hash_entry(&s->atomics, e.id, e.axis, false);
            continue;
        }
        size_t at = (size_t)e.id * s->depth + --s->nest_n[e.id];
        hash_nest(s, e.id, s->nest_n[e.id], false);
        if (e.axis >= s->mesh->n_axes) s->uses[e.axis]--;
        memset(&s->nest[at], 0, sizeof s->nest[at]);
        memset(&s->cause[at], 0, sizeof s->cause[at]);
    }
    while (s->conflicts.n && s->conflicts.at[s->conflicts.n - 1].trail > mark) s->conflicts.n--;
}

static void *copy_bytes(const void *from, size_t size, Arena *a) {
    void *to = arena_alloc(a, size);
    if (size) memcpy(to, from, size);
    return to;
}

State state_copy(const State *s, Arena *a) {
    State copy = {.g = s->g,
                  .mesh = s->mesh,
                  .arena = a,
                  .tactic = s->tactic,
                  .depth = s->depth,
                  .nests = s->nests,
                  .atomics = s->atomics};
    size_t slots = (size_t)s->g->n_nodes * s->depth;
    copy.nest = copy_bytes(s->nest, slots * sizeof *s->nest, a);
    copy.cause = copy_bytes(s->cause, slots * sizeof *s->cause, a);
    copy.nest_n = copy_bytes(s->nest_n, s->g->n_nodes, a);
    copy.atomic = copy_bytes(s->atomic, s->g->n_values * sizeof *s->atomic, a);
    copy.uses = copy_bytes(s->uses, MESH_MAX_AXES * sizeof *s->uses, a);
    copy.candidates = arena_zalloc(a, s->g->n_nodes * sizeof *s->candidates);
    for (uint32_t i = 0; i < s->tactic_names.n; i++) vec_push(a, &copy.tactic_names, s->tactic_names.at[i]);
    for (uint32_t i = 0; i < s->trail.n; i++) vec_push(a, &copy.trail, s->trail.at[i]);
    for (uint32_t i = 0; i < s->conflicts.n; i++) vec_push(a, &copy.conflicts, s->conflicts.at[i]);
    return copy;
}

State state_after(const State *s, uint32_t tactics, Arena *a) {
    State then = *s;
    then.nest_n = arena_new(a, uint8_t, s->g->n_nodes);
    then.uses = arena_zalloc(a, MESH_MAX_AXES * sizeof *then.uses);
    for (NodeId n = 0; n < s->g->n_nodes; n++) { // later tactics only add to a nest
        size_t at = (size_t)n * s->depth;
        uint8_t k = 0;
        for (; k < s->nest_n[n] && s->cause[at + k].tactic < tactics; k++)
            if (s->nest[at + k].axis >= s->mesh->n_axes) then.uses[s->nest[at + k].axis]++;
        then.nest_n[n] = k;
    }
    return then;
}
