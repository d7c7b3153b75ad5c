// Pending sums: three sweeps. The first, forward, finds where a sum can stay pending; the second, backward, where that saves
// something; the third, forward, decides.
#include "ir/analysis/zero.h"
#include "spmd/lower/pending.h"

typedef struct Analysis {
    Pending *p;
    const State *s;
    const Graph *g;
    const Module *m;
    AxisSet *possible;       // by value: axes on which it could be left pending
    AxisSet *could, *useful; // by node
    NodeId *accumulates;     // by node: the carried value that this add accumulates into, or NO_ID
    uint8_t *reached;        // by node: an operand of its own could be left pending
    VEC(NodeId) concerned;   // nodes that leave something pending, or could take it over, in their order
} Analysis;

static AxisSet nest_axes(const State *s, NodeId n) {
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    AxisSet axes = 0;
    for (uint32_t k = 0; k < len; k++) axes |= (AxisSet)1 << nest[k].axis;
    return axes;
}

// The one op that uses a value; NO_ID if there are several, or it is returned, carried or used in another region.
static NodeId single_consumer(const Analysis *x, ValueId v) {
    const Graph *g = x->g;
    uint32_t first = g->first_use[v], last = g->first_use[v + 1];
    if (first == last) return NO_ID;
    NodeId n = g->use_ports[first].node;
    for (uint32_t u = first + 1; u < last; u++)
        if (g->use_ports[u].node != n) return NO_ID;
    if (g->nodes[n].kind != NODE_OP) return NO_ID;
    return op_get(x->m, g->nodes[n].op)->parent == value_region(x->m, v) ? n : NO_ID;
}

static int64_t bytes_of_value(const Module *m, ValueId v) {
    int64_t n = 0;
    return type_bytes(value_tensor(m, v), &n) ? n : INT64_MAX;
}

static bool body_is_add(const Module *m, OpId op) {
    OpId first = m->regions.at[op_region(m, op, 0)].first;
    return op_kind(m, first) == OP_add && op_get(m, first)->next == region_terminator(m, op_region(m, op, 0));
}

// Which operands of a linear op may be pending while the rest is not; a bit for each operand. 0: not linear.
// ORDER linear ops
static uint32_t linear_operands(const Module *m, OpId op) {
    switch (op_kind(m, op)) {
    case OP_add:
    case OP_subtract:
    case OP_dynamic_update_slice: return 3;
    case OP_negate:
    case OP_transpose:
    case OP_reshape:
    case OP_slice: return 1;
    case OP_broadcast_in_dim:
        return bytes_of_value(m, op_result(m, op, 0)) == bytes_of_value(m, op_operand(m, op, 0))
                   ? 1
                   : 0; // new dimensions of size 1
    case OP_convert: {  // a narrowing conversion would round each part
        const Type *from = operand_type(m, op, 0), *to = result_type(m, op, 0);
        return elem_class((Elem)from->elem) == CLASS_FLOAT && elem_class((Elem)to->elem) == CLASS_FLOAT &&
                       elem_bits((Elem)to->elem) >= elem_bits((Elem)from->elem)
                   ? 1
                   : 0;
    }
    case OP_reduce:
        return op_get(m, op)->n_operands == 2 && body_is_add(m, op) && value_is_zero(m, op_operand(m, op, 1)) ? 1 : 0;
    case OP_multiply: return 3; // one of them
    case OP_divide: return elem_class((Elem)result_type(m, op, 0)->elem) >= CLASS_FLOAT ? 1 : 0;
    default: return 0;
    }
}

// Operands of `n` that could arrive pending on `axis`, as bits; 0 if the op cannot take them over.
static uint32_t absorbable(const Analysis *x, NodeId n, AxisId axis, AxisSet *const pending) {
    const Node *node = &x->g->nodes[n];
    const Op *o = op_get(x->m, node->op);
    uint32_t linear = o->n_results == 1 ? linear_operands(x->m, node->op) : 0;
    if (!linear) return 0;
    uint8_t f = state_factor(x->s, n, axis);
    if (f != NO_FACTOR && node->rule->factors[f].kind != FACTOR_PASS) return 0;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = op_operand(x->m, node->op, i);
        bool is_pending = pending[v] >> axis & 1;
        bool into_loop = x->accumulates[n] != NO_ID && v == node_value(x->g, x->accumulates[n], 2);
        if (into_loop || (is_pending && single_consumer(x, v) == n)) taken |= 1u << i;
        // Without the axis in its nest the op needs its other operands whole: only constants are so for free.
        else if (f != NO_FACTOR && rule_factor_dim(node->rule, f, i) >= 0 && !value_is_source(x->m, v))
            return 0;
    }
    if (!taken || (taken & ~linear)) return 0;
    OpKind kind = op_kind(x->m, node->op);
    if (kind == OP_add || kind == OP_subtract) return taken; // an operand that is not pending enters on one device
    if (kind == OP_dynamic_update_slice) return taken == 3 ? taken : 0;
    if (kind == OP_multiply) return taken != 3 ? taken : 0;
    return taken == 1 ? taken : 0;
}

// acc' = add(acc, g) in a loop body, acc from zero and not looked at otherwise: the sum of g can wait for the end of
// the loop. So can that of a stack that a scan fills from zero, one slot after the other.
static void find_accumulators(Analysis *x) {
    const Graph *g = x->g;
    for (NodeId n = 0; n < g->n_nodes; n++) {
        const Node *node = &g->nodes[n];
        if (node->kind != NODE_CARRY || !value_is_zero(x->m, node_value(g, n, 0))) continue;
        ValueId next = node_value(g, n, 1), acc = node_value(g, n, 2), in_condition = node_value(g, n, 3);
        if (g->first_use[in_condition] != g->first_use[in_condition + 1]) continue;
        NodeId add = single_consumer(x, acc);
        if (add == NO_ID) continue;
        OpId op = g->nodes[add].op;
        bool fills = op_kind(x->m, op) == OP_dynamic_update_slice && op_operand(x->m, op, 0) == acc;
        if ((op_kind(x->m, op) != OP_add && !fills) || op_result(x->m, op, 0) != next) continue;
        if (g->first_use[next + 1] - g->first_use[next] != 1 || op_operand(x->m, op, 0) == op_operand(x->m, op, 1))
            continue;
        if (x->m->values.at[acc].owner != op_get(x->m, op)->parent) continue;
        x->accumulates[add] = n;
    }
}

// Axes that the reduction factors of an op's nest leave pending.
static AxisSet natural_axes(const State *s, NodeId n) {
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    AxisSet axes = 0;
    for (uint32_t k = 0; k < len; k++)
        if (s->mesh->axes[nest[k].axis].size > 1 && s->g->nodes[n].rule->factors[nest[k].factor].kind == FACTOR_REDUCE)
            axes |= (AxisSet)1 << nest[k].axis;
    return axes;
}

// The value may be left pending on more axes.
static void reach_value(Analysis *x, ValueId v, AxisSet axes) {
    if (!axes) return;
    x->possible[v] |= axes;
    NodeId next = single_consumer(x, v);
    if (next != NO_ID) x->reached[next] = 1;
}

// Most ops neither sum nor meet a sum.
static bool is_concerned(const Analysis *x, NodeId n) {
    const Node *node = &x->g->nodes[n];
    if (node->kind != NODE_OP) return false;
    if (x->reached[n] || x->accumulates[n] != NO_ID) return true;
    const Op *o = op_get(x->m, node->op);
    return x->s->nest_n[n] && o->n_results && x->g->value_sum[o->first_result] != NO_ID;
}

static void sweep_possible(Analysis *x, Arena *a) {
    const Graph *g = x->g;
    for (NodeId n = 0; n < g->n_nodes; n++) {
        if (!is_concerned(x, n)) continue;
        vec_push(a, &x->concerned, n);
        const Node *node = &g->nodes[n];
        const Op *o = op_get(x->m, node->op);
        AxisSet natural = natural_axes(x->s, n);
        for (uint32_t i = 0; i < o->n_results; i++) x->p->natural[o->first_result + i] = natural;
        if (o->n_results != 1) continue;
        ValueId v = o->first_result;
        if (node->rule->monoid == MONOID_ADD) reach_value(x, v, natural);
        AxisSet arrive = x->accumulates[n] == NO_ID ? 0 : ~(AxisSet)0; // axes on which an operand may be pending
        for (uint32_t i = 0; i < o->n_operands; i++) arrive |= x->possible[op_operand(x->m, node->op, i)];
        for (uint32_t axis = 0; arrive && axis < x->s->mesh->n_axes; axis++)
            if ((arrive & ~natural) >> axis & 1 && absorbable(x, n, (AxisId)axis, x->possible))
                x->could[n] |= (AxisSet)1 << axis;
        reach_value(x, v, x->could[n]);
        NodeId carry = x->accumulates[n];
        if (carry != NO_ID) reach_value(x, node_value(g, carry, 4), x->could[n]);
    }
}

static void sweep_useful(Analysis *x) {
    const Graph *g = x->g;
    for (uint32_t i = x->concerned.n; i-- > 0;) {
        NodeId n = x->concerned.at[i];
        if (!x->could[n]) continue;
        OpId op = g->nodes[n].op;
        OpKind kind = op_kind(x->m, op);
        ValueId v = op_result(x->m, op, 0);
        if ((kind == OP_add || kind == OP_subtract) &&
            op_operand(x->m, op, 0) != op_operand(x->m, op, 1)) { // two sums become one
            for (uint32_t axis = 0; axis < x->s->mesh->n_axes; axis++)
                if ((x->could[n] >> axis & 1) && absorbable(x, n, (AxisId)axis, x->possible) == 3)
                    x->useful[n] |= (AxisSet)1 << axis;
        }
        if (x->accumulates[n] != NO_ID) { // a stack kept whole costs memory: only where an outer loop accumulates it
            NodeId outer = single_consumer(x, node_value(g, x->accumulates[n], 4));
            if (outer != NO_ID) x->useful[n] |= x->could[n] & x->useful[outer];
            continue;
        }
        NodeId next = single_consumer(x, v);
        if (next != NO_ID) x->useful[n] |= x->could[n] & x->useful[next];
        // A smaller result is cheaper to reduce, unless the op would then run unsliced.
        if (bytes_of_value(x->m, v) < bytes_of_value(x->m, op_operand(x->m, op, 0)))
            x->useful[n] |= x->could[n] & ~nest_axes(x->s, n);
    }
}

static void sweep_commit(Analysis *x) {
    const Graph *g = x->g;
    AxisSet *pending = x->possible; // from here on: what really is pending
    for (uint32_t k = 0; k < x->concerned.n; k++) {
        NodeId n = x->concerned.at[k];
        const Node *node = &g->nodes[n];
        if (op_get(x->m, node->op)->n_results != 1) continue;
        ValueId v = op_result(x->m, node->op, 0);
        pending[v] = node->rule->monoid == MONOID_ADD ? x->p->natural[v] : 0;
        for (uint32_t axis = 0; x->useful[n] && axis < x->s->mesh->n_axes; axis++) {
            AxisSet bit = (AxisSet)1 << axis;
            uint32_t taken = x->useful[n] & bit ? absorbable(x, n, (AxisId)axis, pending) : 0;
            if (!taken) continue;
            x->p->absorbed[n] |= bit;
            pending[v] |= bit;
            for (uint32_t i = 0; i < op_get(x->m, node->op)->n_operands; i++)
                if (taken >> i & 1) x->p->deferred[op_operand(x->m, node->op, i)] |= bit;
        }
        NodeId carry = x->accumulates[n];
        if (carry == NO_ID) continue;
        x->p->deferred[v] |= x->p->absorbed[n];
        x->p->absorbed[carry] |= x->p->absorbed[n];
        pending[node_value(g, carry, 4)] = x->p->absorbed[n];
        x->p->natural[node_value(g, carry, 4)] = x->p->absorbed[n];
    }
}

void pending_analyse(Pending *p, const State *s, Arena *a) {
    const Graph *g = s->g;
    uint32_t n_values = g->m->values.n;
    p->natural = arena_zalloc(a, n_values * sizeof(AxisSet));
    p->deferred = arena_zalloc(a, n_values * sizeof(AxisSet));
    p->absorbed = arena_zalloc(a, g->n_nodes * sizeof(AxisSet));
    Analysis x = {.p = p, .s = s, .g = g, .m = g->m};
    x.possible = arena_zalloc(a, n_values * sizeof(AxisSet));
    x.could = arena_zalloc(a, g->n_nodes * sizeof(AxisSet));
    x.useful = arena_zalloc(a, g->n_nodes * sizeof(AxisSet));
    x.accumulates = arena_new(a, NodeId, g->n_nodes);
    memset(x.accumulates, 0xff, g->n_nodes * sizeof(NodeId));
    x.reached = arena_zalloc(a, g->n_nodes);
    vec_reserve(a, &x.concerned, g->n_nodes);
    find_accumulators(&x);
    sweep_possible(&x, a);
    sweep_useful(&x);
    sweep_commit(&x);
}
