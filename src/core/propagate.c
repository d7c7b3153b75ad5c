// Propagation: the greedy fixed point within one tactic, in synchronous rounds, so that the result does not depend on
// the order of ops.
//
//     x tiled on batch at 0,  y = dot(x, w): ([i, k], [k, j])->([i, j])      offer (y, i)
//     y has one candidate: y gets (batch, i)
//     then each use of y is offered its factor at dimension 0, and so on
//
// Two different offers to one node are a conflict, which is left alone.
//
// Offers are pushed along edges, each edge once in each direction; only a node's first offer in a tactic makes it look
// at all its neighbours (for what earlier tactics left there). So the cost is linear in what changes.
#include "core/propagate.h"

static void record_conflict(State *s, NodeId n, AxisId axis, bool race, uint8_t f0, Cause c0, uint8_t f1, Cause c1) {
    Conflict c = {.node = n, .axis = axis, .race = race, .trail = s->trail.n, .factor = {f0, f1}, .cause = {c0, c1}};
    vec_push(s->arena, &s->conflicts, c);
}

static bool blocked(const State *s, ValueId v, AxisId axis) { return s->atomic[v] >> axis & 1; }

// One more factor offered to a node without this axis: the first becomes its candidate, a different one makes a
// conflict.
static void add_candidate(State *s, NodeId n, AxisId axis, uint32_t tensor, uint32_t dim, Cause cause) {
    struct Candidate *c = &s->candidates[n];
    if (c->conflict) return;
    uint8_t f = state_factor_at(s, n, tensor, dim);
    if (f == c->factor || state_legal(s, n, axis, f) != ACTION_OK) return;
    if (c->factor == NO_FACTOR) {
        c->factor = f;
        c->cause = cause;
        return;
    }
    c->conflict = true;
    record_conflict(s, n, axis, false, c->factor, c->cause, f, cause);
}

// All that the neighbours of a node say about an axis now.
static void gather_candidates(State *s, NodeId n, AxisId axis) {
    const Graph *g = s->g;
    const Rule *r = g->nodes[n].rule;
    for (uint32_t t = 0; t < rule_tensors(r); t++) {
        ValueId v = node_value(g, n, t);
        if (rule_rank(r, t) == 0 || blocked(s, v, axis)) continue;
        if (t < r->n_operands) {
            Port p = g->producer[v];
            int dim = p.node == NO_ID ? -1 : state_tiled_dim(s, p.node, p.tensor, axis);
            if (dim >= 0) add_candidate(s, n, axis, t, (uint32_t)dim, (Cause){p.node, s->tactic, 1});
        } else {
            for (uint32_t u = g->first_use[v]; u < g->first_use[v + 1]; u++) {
                Port p = g->use_ports[u];
                int dim = state_tiled_dim(s, p.node, p.tensor, axis);
                if (dim >= 0) add_candidate(s, n, axis, t, (uint32_t)dim, (Cause){p.node, s->tactic, 0});
            }
        }
    }
}

// A node that has the axis since this tactic, offered another legal factor: it was decided by graph distance.
static void check_race(State *s, NodeId n, AxisId axis, uint32_t tensor, uint32_t dim, Cause cause) {
    const Cause *own = state_cause(s, n, axis);
    struct Candidate *c = &s->candidates[n];
    if (own->tactic != s->tactic || (c->epoch == s->epoch && c->conflict)) return;
    uint8_t has = state_factor(s, n, axis);
    if (rule_factor_dim(s->g->nodes[n].rule, has, tensor) == (int)dim) return; // what it has, told back
    // What the offer would have been, and whether it was legal, before the node got this axis.
    uint32_t last = s->nest_n[n] - 1u;
    if (s->nest[(size_t)n * s->mesh->n_axes + last].axis != axis) return;
    s->nest_n[n]--;
    uint8_t f = state_factor_at(s, n, tensor, dim);
    bool legal = state_legal(s, n, axis, f) == ACTION_OK;
    s->nest_n[n]++;
    if (!legal || f == has) return;
    if (c->epoch != s->epoch) *c = (struct Candidate){.epoch = s->epoch, .factor = has};
    c->conflict = true; // report it once
    record_conflict(s, n, axis, true, has, *own, f, cause);
}

static void offer(State *s, Port to, AxisId axis, uint32_t dim, Cause cause) {
    if (state_factor(s, to.node, axis) != NO_FACTOR) {
        check_race(s, to.node, axis, to.tensor, dim, cause);
        return;
    }
    struct Candidate *c = &s->candidates[to.node];
    if (c->epoch != s->epoch) {
        *c = (struct Candidate){.epoch = s->epoch, .factor = NO_FACTOR};
        gather_candidates(s, to.node, axis);
    } else {
        add_candidate(s, to.node, axis, to.tensor, dim, cause);
    }
    if (!c->queued) {
        c->queued = true;
        vec_push(s->arena, &s->touched, to.node);
    }
}

// A node that got the axis tells its neighbours.
static void tell_neighbours(State *s, NodeId n, AxisId axis) {
    const Graph *g = s->g;
    const Rule *r = g->nodes[n].rule;
    uint8_t f = state_factor(s, n, axis);
    for (uint32_t t = 0; t < rule_tensors(r); t++) {
        int dim = rule_factor_dim(r, f, t);
        ValueId v = node_value(g, n, t);
        if (dim < 0 || blocked(s, v, axis)) continue;
        if (t < r->n_operands) {
            if (g->producer[v].node != NO_ID) offer(s, g->producer[v], axis, (uint32_t)dim, (Cause){n, s->tactic, 0});
        } else {
            for (uint32_t u = g->first_use[v]; u < g->first_use[v + 1]; u++)
                offer(s, g->use_ports[u], axis, (uint32_t)dim, (Cause){n, s->tactic, 1});
        }
    }
}

// An atomic value no longer passes the axis: its neighbours may have lost one of two candidates.
static void touch_around(State *s, ValueId v, AxisId axis) {
    const Graph *g = s->g;
    if (v >= g->m->values.n) return;
    for (uint32_t u = g->first_use[v]; u <= g->first_use[v + 1]; u++) {
        Port p = u < g->first_use[v + 1] ? g->use_ports[u] : g->producer[v];
        if (p.node == NO_ID || state_factor(s, p.node, axis) != NO_FACTOR) continue;
        struct Candidate *c = &s->candidates[p.node];
        if (c->epoch == s->epoch) continue;
        *c = (struct Candidate){.epoch = s->epoch, .factor = NO_FACTOR, .queued = true};
        gather_candidates(s, p.node, axis);
        vec_push(s->arena, &s->touched, p.node);
    }
}

void propagate(State *s, uint32_t mark, AxisId axis) {
    s->epoch++;
    s->frontier.n = s->touched.n = 0;
    for (uint32_t i = mark; i < s->trail.n; i++) {
        struct TrailEntry e = s->trail.at[i];
        if (e.axis != axis) continue;
        if (e.atomic)
            touch_around(s, e.id, axis);
        else
            vec_push(s->arena, &s->frontier, e.id);
    }
    while (s->frontier.n || s->touched.n) {
        for (uint32_t i = 0; i < s->frontier.n; i++) tell_neighbours(s, s->frontier.at[i], axis);
        // The state changes only here, after every offer of the round was read.
        s->frontier.n = 0;
        for (uint32_t i = 0; i < s->touched.n; i++) {
            NodeId n = s->touched.at[i];
            struct Candidate *c = &s->candidates[n];
            c->queued = false;
            if (c->conflict || c->factor == NO_FACTOR) continue;
            state_set(s, n, axis, c->factor, c->cause);
            vec_push(s->arena, &s->frontier, n);
        }
        s->touched.n = 0;
    }
}
