// Graph: one walk over @main and the regions of its loops and branches builds it.
#include "core/propagation/graph.h"

typedef struct Builder {
    const Module *m;
    RuleBook *book;
    Arena *a;
    VEC(Node) nodes;
    VEC(ValueId) tensors;
    uint32_t n_sums;
    NodeId *op_node, *value_sum;
} Builder;

bool value_is_source(const Module *m, ValueId v) {
    const Value *val = &m->values.at[v];
    if (val->is_arg) return false;
    OpKind kind = op_kind(m, val->owner);
    if (kind == OP_constant || kind == OP_iota || kind == OP_chlo_constant) return true;
    if (kind != OP_broadcast_in_dim || operand_type(m, val->owner, 0)->rank != 0) return false;
    ValueId scalar = op_operand(m, val->owner, 0);
    return !m->values.at[scalar].is_arg && (op_kind(m, m->values.at[scalar].owner) == OP_constant);
}

static NodeId add_node(Builder *b, NodeKind kind, OpId op, uint32_t sub, const Rule *rule) {
    Node n = {.kind = (uint8_t)kind,
              .op = op,
              .sub = sub,
              .rule = rule,
              .first = b->tensors.n,
              .tied_result = NO_ID};
    vec_push(b->a, &b->nodes, n);
    return b->nodes.n - 1;
}

static void add_tensor(Builder *b, ValueId v) { vec_push(b->a, &b->tensors, v); }

static bool has_reduction(const Rule *r) {
    for (uint32_t f = 0; f < r->n_factors; f++)
        if (r->factors[f].kind == FACTOR_REDUCE) return true;
    return false;
}

// An op that is one node, and the identities behind results that may be pending.
static void add_node_of(Builder *b, OpId op) {
    const Module *m = b->m;
    const Op *o = op_get(m, op);
    const Rule *rule = rulebook_rule(b->book, op);
    b->op_node[op] = add_node(b, NODE_OP, op, 0, rule);
    for (uint32_t i = 0; i < o->n_operands; i++) add_tensor(b, rule_operand(m, op, i));
    bool sums = has_reduction(rule);
    uint32_t first_sum = m->values.n + b->n_sums;
    for (uint32_t i = 0; i < o->n_results; i++) add_tensor(b, sums ? first_sum + i : op_result(m, op, i));
    if (!sums) return;
    for (uint32_t i = 0; i < o->n_results; i++) {
        ValueId v = op_result(m, op, i);
        b->value_sum[v] = add_node(b, NODE_SUM, op, i, rulebook_identity(b->book, value_type(m, v), 1, 1));
        add_tensor(b, first_sum + i);
        add_tensor(b, v);
    }
    b->n_sums += o->n_results;
}

static void add_while(Builder *b, OpId op) {
    const Module *m = b->m;
    const Op *o = op_get(m, op);
    const Region *cond = &m->regions.at[op_region(m, op, 0)], *body = &m->regions.at[op_region(m, op, 1)];
    OpId yield = body->last;
    b->op_node[op] = b->nodes.n;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId init = op_operand(m, op, i);
        add_node(b, NODE_CARRY, op, i, rulebook_identity(b->book, value_type(m, init), 2, 3));
        add_tensor(b, init);
        add_tensor(b, op_operand(m, yield, i));
        add_tensor(b, body->first_arg + i);
        add_tensor(b, cond->first_arg + i);
        add_tensor(b, op_result(m, op, i));
    }
}

static void add_branch(Builder *b, OpId op) {
    const Module *m = b->m;
    const Op *o = op_get(m, op);
    b->op_node[op] = o->n_results ? b->nodes.n : NO_ID;
    for (uint32_t i = 0; i < o->n_results; i++) {
        ValueId v = op_result(m, op, i);
        add_node(b, NODE_BRANCH, op, i, rulebook_identity(b->book, value_type(m, v), o->n_regions, 1));
        for (uint32_t r = 0; r < o->n_regions; r++)
            add_tensor(b, op_operand(m, region_terminator(m, op_region(m, op, r)), i));
        add_tensor(b, v);
    }
}

static void add_barrier(Builder *b, OpId op) {
    const Module *m = b->m;
    b->op_node[op] = b->nodes.n;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        ValueId v = op_operand(m, op, i);
        add_node(b, NODE_BARRIER, op, i, rulebook_identity(b->book, value_type(m, v), 1, 1));
        add_tensor(b, v);
        add_tensor(b, op_result(m, op, i));
    }
}

// Ops in program order, into the regions of loops and branches.
static void add_region_nodes(Builder *b, RegionId body) {
    const Module *m = b->m;
    VEC(OpId) next = {0}; // to visit, by region, the innermost last
    vec_push(b->a, &next, m->regions.at[body].first);
    while (next.n) {
        OpId op = next.at[next.n - 1];
        if (op == NO_ID) {
            next.n--;
            continue;
        }
        next.at[next.n - 1] = op_get(m, op)->next;
        OpKind kind = op_kind(m, op);
        if (kind == OP_return || kind == OP_func_return) continue;
        if (op_get(m, op)->n_results == 1 && value_is_source(m, op_result(m, op, 0))) continue;
        if (kind == OP_optimization_barrier) {
            add_barrier(b, op);
        } else if (kind == OP_while || kind == OP_case || kind == OP_if) {
            if (kind == OP_while)
                add_while(b, op);
            else
                add_branch(b, op);
            for (uint32_t r = op_get(m, op)->n_regions; r-- > 0;) // the first region is visited first
                vec_push(b->a, &next, m->regions.at[op_region(m, op, r)].first);
        } else {
            add_node_of(b, op);
        }
    }
}

// For each value who makes it and who uses it.
static void connect(Graph *g, Arena *a) {
    g->producer = arena_new(a, Port, g->n_values);
    g->first_use = arena_zalloc(a, (g->n_values + 1) * sizeof *g->first_use);
    for (uint32_t v = 0; v < g->n_values; v++) g->producer[v] = (Port){NO_ID, 0};
    uint32_t n_uses = 0;
    for (NodeId n = 0; n < g->n_nodes; n++) {
        const Node *node = &g->nodes[n];
        for (uint32_t t = 0; t < rule_tensors(node->rule); t++) {
            ValueId v = g->tensors[node->first + t];
            if (t >= node->rule->n_operands)
                g->producer[v] = (Port){n, t};
            else
                g->first_use[v + 1]++, n_uses++;
        }
    }
    for (uint32_t v = 0; v < g->n_values; v++) g->first_use[v + 1] += g->first_use[v];
    g->use_ports = arena_new(a, Port, n_uses);
    uint32_t *fill = arena_new(a, uint32_t, g->n_values);
    memcpy(fill, g->first_use, g->n_values * sizeof *fill);
    for (NodeId n = 0; n < g->n_nodes; n++)
        for (uint32_t t = 0; t < g->nodes[n].rule->n_operands; t++)
            g->use_ports[fill[g->tensors[g->nodes[n].first + t]]++] = (Port){n, t};
}

void graph_build(Graph *g, const Module *m, RuleBook *book, const TiedPair *ties, uint32_t n_ties, Arena *a) {
    Builder b = {.m = m, .book = book, .a = a};
    b.op_node = arena_new(a, NodeId, m->ops.n);
    b.value_sum = arena_new(a, NodeId, m->values.n);
    memset(b.op_node, 0xff, m->ops.n * sizeof *b.op_node);
    memset(b.value_sum, 0xff, m->values.n * sizeof *b.value_sum);
    OpId main = module_main(m);
    *g = (Graph){.m = m, .body = op_region(m, main, 0)};
    const Region *body = &m->regions.at[g->body];
    OpId ret = body->last;
    g->n_arguments = body->n_args;
    g->n_results = op_get(m, ret)->n_operands;
    g->argument_node = arena_new(a, NodeId, g->n_arguments);
    g->result_node = arena_new(a, NodeId, g->n_results);
    uint32_t *tied = arena_new(a, uint32_t, g->n_arguments);
    memset(tied, 0xff, g->n_arguments * sizeof *tied);
    memset(g->result_node, 0xff, g->n_results * sizeof *g->result_node);
    for (uint32_t i = 0; i < n_ties; i++) tied[ties[i].argument] = ties[i].result;
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        ValueId v = body->first_arg + i;
        bool is_tied = tied[i] != NO_ID;
        NodeId n = add_node(&b, NODE_ARGUMENT, NO_ID, i, rulebook_identity(book, value_type(m, v), is_tied, 1));
        if (is_tied) {
            b.nodes.at[n].tied_result = tied[i];
            g->result_node[tied[i]] = n;
            add_tensor(&b, op_operand(m, ret, tied[i]));
        }
        add_tensor(&b, v);
        g->argument_node[i] = n;
    }
    add_region_nodes(&b, g->body);
    for (uint32_t i = 0; i < g->n_results; i++) {
        if (g->result_node[i] != NO_ID) continue;
        ValueId v = op_operand(m, ret, i);
        g->result_node[i] = add_node(&b, NODE_RESULT, NO_ID, i, rulebook_identity(book, value_type(m, v), 1, 0));
        add_tensor(&b, v);
    }
    g->n_nodes = b.nodes.n;
    g->nodes = b.nodes.at;
    g->tensors = b.tensors.at;
    g->n_values = m->values.n + b.n_sums;
    g->op_node = b.op_node;
    g->value_sum = b.value_sum;
    connect(g, a);
}
