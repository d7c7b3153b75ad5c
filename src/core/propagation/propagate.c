// Propagation: the greedy fixed point within one tactic, in synchronous rounds, so that the result does not depend on
// the order of ops.
//
//     x tiled on batch at 0,  y = dot(x, w): ([i, k], [k, j])->([i, j])      offer (y, i)
//     y has one candidate: y gets (batch, i)
//     then each use of y is offered its factor at dimension 0, and so on
//
// Two different offers to one node are a conflict, which is left alone.
//
// If an axis does not divide a factor, the node takes the largest major part of the axis that does: of model=8, a factor of
// size 2 takes model:(1)2, and model:(2)4 goes on to the next factor of the same dimension if there is one. A node that has
// a part may get the rest later. So if one of two offers is a prefix of the other, the longer one wins.
//
// Offers are pushed along edges, each edge once in each direction. A node looks at all its neighbours only on its first
// offer in a tactic, to find what earlier tactics left there. So the cost is linear in the number of changes.
#include "core/propagation/propagate.h"
#include "support/integer.h"

static void record_conflict(State *s, NodeId n, AxisId axis, bool race, uint8_t f0, Cause c0, uint8_t f1, Cause c1) {
    Conflict c = {.node = n, .axis = axis, .race = race, .trail = s->trail.n, .factor = {f0, f1}, .cause = {c0, c1}};
    vec_push(s->arena, &s->conflicts, c);
}

static bool blocked(const State *s, ValueId v, AxisId axis) {
    return (s->atomic[v] & s->mesh->axes[axis].overlaps) != 0;
}

// ---- Candidates: what a node is about to get, behind its nest -------------------------------------------------------

static void drop_candidates(State *s, NodeId n, uint32_t keep) {
    struct Candidate *c = &s->candidates[n];
    size_t at = (size_t)n * s->depth + s->nest_n[n];
    for (; c->n > keep; c->n--) {
        memset(&s->nest[at + c->n - 1], 0, sizeof *s->nest);
        memset(&s->cause[at + c->n - 1], 0, sizeof *s->cause);
    }
}

static void push_candidate(State *s, NodeId n, AxisId axis, uint8_t factor, Cause cause) {
    struct Candidate *c = &s->candidates[n];
    size_t at = (size_t)n * s->depth + s->nest_n[n] + c->n++;
    s->nest[at] = (NestEntry){axis, factor};
    s->cause[at] = cause;
}

// What a node would take, with its nest as it is, of the digits of an axis from `from` up to `to` that are offered for a
// dimension: the major part that divides the dimension's factor. NO_AXIS: nothing.
static AxisId part_to_take(State *s, NodeId n, uint32_t tensor, uint32_t dim, AxisId axis, int64_t from, int64_t to,
                           uint8_t *factor) {
    *factor = state_factor_at(s, n, tensor, dim);
    if (*factor == NO_FACTOR) return NO_AXIS;
    int64_t size = gcd(to / from, state_local_size(s, n, *factor));
    if (size == 1 && to > from) return NO_AXIS;
    const Axis *offered = &s->mesh->axes[axis];
    if (from != offered->before || size != offered->size) axis = mesh_part(s->mesh, axis, from, size);
    return axis != NO_AXIS && state_legal(s, n, axis, *factor) == ACTION_OK ? axis : NO_AXIS;
}

// A node has, or is about to get, these digits of the axis on another factor than it is offered now. If it could have taken
// the offer instead: a conflict, or a race where the state has changed already. Earlier tactics win.
static void disagree(State *s, NodeId n, uint32_t tensor, uint32_t dim, AxisId axis, uint32_t entry, Cause cause) {
    struct Candidate *c = &s->candidates[n];
    NestEntry *nest = s->nest + (size_t)n * s->depth;
    const Cause own = s->cause[(size_t)n * s->depth + entry];
    uint8_t has = nest[entry].factor, f, len = s->nest_n[n];
    if (own.tactic != s->tactic) return;
    bool race = entry < len;
    uint32_t first = entry; // what it has of this axis since this tactic is the end of its nest
    while (first > 0 && s->cause[(size_t)n * s->depth + first - 1].tactic == s->tactic &&
           s->mesh->axes[nest[first - 1].axis].whole == s->mesh->axes[axis].whole)
        first--;
    if (race && s->mesh->axes[nest[len - 1].axis].whole != s->mesh->axes[axis].whole) return;
    s->nest_n[n] = (uint8_t)first;
    AxisId would = part_to_take(s, n, tensor, dim, axis, s->mesh->axes[axis].before, axis_end(&s->mesh->axes[axis]), &f);
    s->nest_n[n] = len;
    if (would == NO_AXIS || f == has) return;
    c->conflict = true; // reported once
    record_conflict(s, n, axis, race, has, own, f, cause);
    drop_candidates(s, n, 0);
}

// An offer for a dimension of a node. What divides is taken by its first factor that is not used up, the rest by the next
// one if that factor then is; digits that the node has there already are passed over.
static void add_candidate(State *s, NodeId n, AxisId axis, uint32_t tensor, uint32_t dim, Cause cause) {
    struct Candidate *c = &s->candidates[n];
    const Rule *r = s->g->nodes[n].rule;
    const NestEntry *nest = s->nest + (size_t)n * s->depth;
    int64_t from = s->mesh->axes[axis].before, to = axis_end(&s->mesh->axes[axis]);
    const Axis *whole = s->mesh->axes[axis].whole;
    uint8_t len = s->nest_n[n], factor;
    bool more = !c->conflict;
    if (more && c->n == 1 && nest[len].axis == axis && rule_factor_dim(r, nest[len].factor, tensor) == (int)dim)
        return; // as others have offered it
    while (more) {
        uint32_t has = len + c->n, at = has;
        int64_t limit = to;
        for (uint32_t k = 0; k < has; k++) {
            const Axis *x = &s->mesh->axes[nest[k].axis];
            if (x->whole != whole) continue;
            if (x->before <= from && (from < axis_end(x) || from == to)) at = k;
            if (x->before > from && x->before < limit) limit = x->before;
        }
        if (at < has) {
            if (rule_factor_dim(r, nest[at].factor, tensor) != (int)dim) {
                disagree(s, n, tensor, dim, axis, at, cause);
                return;
            }
            from = axis_end(&s->mesh->axes[nest[at].axis]);
            more = from < to;
            continue;
        }
        s->nest_n[n] = (uint8_t)has;
        AxisId taken = part_to_take(s, n, tensor, dim, axis, from, limit, &factor);
        if (taken != NO_AXIS) {
            from = axis_end(&s->mesh->axes[taken]);
            more = from < to && state_local_size(s, n, factor) == s->mesh->axes[taken].size;
        }
        s->nest_n[n] = len;
        if (taken == NO_AXIS) return;
        push_candidate(s, n, taken, factor, cause);
    }
}

// ---- Offers ---------------------------------------------------------------------------------------------------------

// A run of a node's nest that tiles one dimension of one of its tensors by digits of the axis, one behind the other: from
// entry *k on, which is moved past it. NO_AXIS: there is no more.
static AxisId next_offer(State *s, Port p, AxisId axis, uint32_t *k, int *dim) {
    const Rule *r = s->g->nodes[p.node].rule;
    uint32_t len;
    const NestEntry *nest = state_nest(s, p.node, &len);
    const Axis *axes = s->mesh->axes;
    for (; *k < len; ++*k) {
        if (!(axes[axis].overlaps >> nest[*k].axis & 1)) continue;
        *dim = rule_factor_dim(r, nest[*k].factor, p.tensor);
        if (*dim >= 0) break;
    }
    if (*k == len) return NO_AXIS;
    AxisId first = nest[(*k)++].axis;
    if (first == axis) return first;
    int64_t from = axes[first].before, to = axis_end(&axes[first]);
    for (; *k < len; ++*k) {
        const Axis *x = &axes[nest[*k].axis];
        if (x->whole != axes[axis].whole || x->before != to) break;
        if (rule_factor_dim(r, nest[*k].factor, p.tensor) != *dim) break;
        to = axis_end(x);
    }
    // A tactic on a part of an axis offers no more than that.
    if (from < axes[axis].before) from = axes[axis].before;
    if (to > axis_end(&axes[axis])) to = axis_end(&axes[axis]);
    return mesh_part(s->mesh, axis, from, to / from);
}

// What one neighbour says of a tensor.
static void candidates_from(State *s, Port from, NodeId n, uint32_t tensor, AxisId axis, Cause cause) {
    uint32_t len, k = 0;
    int dim;
    const NestEntry *nest = state_nest(s, from.node, &len);
    for (uint32_t i = 0; i < len; i++)
        if (nest[i].axis == axis) { // all of it, as a rule
            dim = rule_factor_dim(s->g->nodes[from.node].rule, nest[i].factor, from.tensor);
            if (dim >= 0) add_candidate(s, n, axis, tensor, (uint32_t)dim, cause);
            return;
        }
    if (s->mesh->n_ids == s->mesh->n_axes) return;
    for (AxisId part; (part = next_offer(s, from, axis, &k, &dim)) != NO_AXIS;)
        add_candidate(s, n, part, tensor, (uint32_t)dim, cause);
}

// All that the neighbours of a node say about an axis now.
static void gather_candidates(State *s, NodeId n, AxisId axis) {
    const Graph *g = s->g;
    const AxisSet overlaps = s->mesh->axes[axis].overlaps;
    const Rule *r = g->nodes[n].rule;
    for (uint32_t t = 0; t < rule_tensors(r); t++) {
        ValueId v = node_value(g, n, t);
        if (rule_rank(r, t) == 0 || (s->atomic[v] & overlaps)) continue;
        bool operand = t < r->n_operands;
        uint32_t first = operand ? 0 : g->first_use[v], last = operand ? 1 : g->first_use[v + 1];
        for (uint32_t u = first; u < last; u++) {
            Port p = operand ? g->producer[v] : g->use_ports[u];
            if (p.node != NO_ID && s->nest_n[p.node])
                candidates_from(s, p, n, t, axis, (Cause){p.node, s->tactic, operand});
        }
    }
}

static void offer(State *s, Port to, AxisId axis, AxisId part, uint32_t dim, Cause cause) {
    struct Candidate *c = &s->candidates[to.node];
    uint8_t has = state_factor(s, to.node, part);
    const NestEntry *nest = s->nest + (size_t)to.node * s->depth;
    uint32_t last = s->nest_n[to.node];
    if (has != NO_FACTOR && nest[last - 1].axis == part &&
        rule_factor_dim(s->g->nodes[to.node].rule, has, to.tensor) == (int)dim)
        return;
    bool first = c->epoch != s->epoch;
    if (first) *c = (struct Candidate){.epoch = s->epoch};
    if (first && has == NO_FACTOR)
        gather_candidates(s, to.node, axis);
    else
        add_candidate(s, to.node, part, to.tensor, dim, cause);
    if (!c->queued && c->n) {
        c->queued = true;
        vec_push(s->arena, &s->touched, to.node);
    }
}

// What a node has, told back: the usual case. Of a mesh without parts of axes, as `offer` would find it out too.
static inline bool is_told_back(const State *s, Port to, AxisId axis, uint32_t dim) {
    uint32_t len = s->nest_n[to.node];
    if (len == 0 || s->mesh->n_ids > s->mesh->n_axes) return false;
    NestEntry last = s->nest[(size_t)to.node * s->depth + len - 1];
    return last.axis == axis && rule_factor_dim(s->g->nodes[to.node].rule, last.factor, to.tensor) == (int)dim;
}

static void tell_port(State *s, NodeId n, uint32_t tensor, AxisId axis, AxisId part, uint32_t dim) {
    const Graph *g = s->g;
    ValueId v = node_value(g, n, tensor);
    bool operand = tensor < g->nodes[n].rule->n_operands;
    const Port *to = operand ? &g->producer[v] : g->use_ports + g->first_use[v];
    const Port *end = operand ? to + (to->node != NO_ID) : g->use_ports + g->first_use[v + 1];
    for (; to < end; to++)
        if (!is_told_back(s, *to, part, dim)) offer(s, *to, axis, part, dim, (Cause){n, s->tactic, !operand});
}

// A node that got digits of the axis tells its neighbours.
static void tell_neighbours(State *s, NodeId n, AxisId axis) {
    const Rule *r = s->g->nodes[n].rule;
    NestEntry last = s->nest[(size_t)n * s->depth + s->nest_n[n] - 1];
    int dim;
    for (uint32_t t = 0; t < rule_tensors(r); t++) {
        if (last.axis == axis && rule_factor_dim(r, last.factor, t) < 0) continue;
        if (rule_rank(r, t) == 0 || blocked(s, node_value(s->g, n, t), axis)) continue;
        uint32_t k = 0;
        if (last.axis == axis) // all of it, as a rule
            tell_port(s, n, t, axis, axis, (uint32_t)rule_factor_dim(r, last.factor, t));
        else
            for (AxisId part; (part = next_offer(s, (Port){n, t}, axis, &k, &dim)) != NO_AXIS;)
                tell_port(s, n, t, axis, part, (uint32_t)dim);
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
        *c = (struct Candidate){.epoch = s->epoch, .queued = true};
        gather_candidates(s, p.node, axis);
        vec_push(s->arena, &s->touched, p.node);
    }
}

// ---- Rounds ---------------------------------------------------------------------------------------------------------

// Parts that are about to be used and do not fit each other (2 of 6 devices here, 3 there): the larger ones are, whatever
// the order of the nodes. Gives those that must wait.
static AxisSet parts_that_do_not_fit(State *s) {
    AxisSet wanted = 0, refused = 0, kept = state_parts(s);
    for (uint32_t i = 0; i < s->touched.n; i++) {
        NodeId n = s->touched.at[i];
        const NestEntry *nest = s->nest + (size_t)n * s->depth + s->nest_n[n];
        for (uint32_t k = 0; k < s->candidates[n].n; k++) wanted |= (AxisSet)1 << nest[k].axis;
    }
    wanted &= ~kept;
    for (wanted >>= s->mesh->n_axes, wanted <<= s->mesh->n_axes; wanted;) {
        uint32_t largest = MESH_MAX_AXES;
        for (uint32_t a = s->mesh->n_axes; a < s->mesh->n_ids; a++) {
            const Axis *x = &s->mesh->axes[a], *y = &s->mesh->axes[largest % MESH_MAX_AXES];
            if (!(wanted >> a & 1)) continue;
            if (largest == MESH_MAX_AXES || x->size > y->size || (x->size == y->size && x->before < y->before)) largest = a;
        }
        bool fits = true;
        for (uint32_t a = s->mesh->n_axes; a < s->mesh->n_ids; a++)
            if (kept >> a & 1) fits &= axis_parts_fit(&s->mesh->axes[a], &s->mesh->axes[largest]);
        *(fits ? &kept : &refused) |= (AxisSet)1 << largest;
        wanted &= ~((AxisSet)1 << largest);
    }
    return refused;
}

static void take_candidates(State *s, NodeId n, AxisSet refused) {
    struct Candidate *c = &s->candidates[n];
    size_t at = (size_t)n * s->depth + s->nest_n[n];
    uint32_t fit = 0;
    while (fit < c->n && !(refused >> s->nest[at + fit].axis & 1)) fit++;
    drop_candidates(s, n, fit);
    c->n = 0;
    for (uint32_t k = 0; k < fit; k++) {
        NestEntry e = s->nest[at + k];
        state_set(s, n, e.axis, e.factor, s->cause[at + k]);
    }
    if (fit) vec_push(s->arena, &s->frontier, n);
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
        AxisSet refused = s->mesh->n_ids > s->mesh->n_axes ? parts_that_do_not_fit(s) : 0;
        for (uint32_t i = 0; i < s->touched.n; i++) {
            NodeId n = s->touched.at[i];
            s->candidates[n].queued = false;
            take_candidates(s, n, refused);
        }
        s->touched.n = 0;
    }
}
