// Chains: walks from an entry of a nest back along its causes. A cause is always older than its effect, so the walk ends.
#include "explain/chain.h"

// The line of a tactic that decides the target at a node; the last one that matches wins.
static const TacticLine *deciding_line(const Partition *p, NodeId n, int tactic) {
    if (tactic < 0 || (uint32_t)tactic >= p->applied.n || !p->applied.at[tactic].tactic) return NULL;
    const Tactic *t = p->applied.at[tactic].tactic;
    for (uint32_t i = 0; i < p->targets.n; i++) {
        const Target *target = &p->targets.at[i];
        if (target->node != n) continue;
        for (uint32_t k = t->n_lines; k-- > 0;)
            if (line_accepts(&t->lines[k], target->name, type_get(p->m, target->type))) return &t->lines[k];
    }
    return NULL;
}

Chain chain_find(const Partition *p, NodeId n, AxisId axis, Arena *a) {
    Chain c = {.axis = axis, .tactic = -1};
    VEC(NodeId) nodes = {0};
    while (n != NO_ID && state_factor(&p->state, n, axis) != NO_FACTOR) {
        const Cause *cause = state_cause(&p->state, n, axis);
        vec_push(a, &nodes, n);
        c.tactic = cause->tactic;
        if (cause->node == NO_ID) c.line = deciding_line(p, n, cause->tactic);
        n = cause->node;
    }
    c.n = nodes.n;
    c.nodes = nodes.at;
    return c;
}

void explain_op(const Module *m, OpId op, Buffer *out) {
    const char *name = op_info[op_kind(m, op)].name, *dot = strchr(name, '.');
    const char *path = location_path(m, op, out->arena);
    if (op_kind(m, op) == OP_partir_tag) {
        buf_str(out, "tag ");
        buf_name(out, op_attr_text(m, op, A_name));
        return;
    }
    buf_str(out, path ? path : dot ? dot + 1 : name);
    buf_str(out, " at ");
    frame_print(m, op, out);
}

void explain_node(const Partition *p, NodeId n, Buffer *out) {
    const Node *node = &p->graph.nodes[n];
    if (node->kind == NODE_ARGUMENT) {
        buf_str(out, p->m->argument_names[node->sub]);
    } else if (node->kind == NODE_RESULT) {
        buf_str(out, p->m->result_names[node->sub]);
    } else {
        if (node->kind == NODE_SUM) buf_str(out, "the sum of ");
        if (node->kind == NODE_CARRY) buf_format(out, "carried value %u of ", node->sub);
        explain_op(p->m, node->op, out);
    }
}

void explain_factor(const Rule *r, uint8_t factor, Buffer *out) {
    rule_factor_name(factor, out);
    buf_format(out, " (%lld)", (long long)r->factors[factor].size);
}

void explain_tactic(const Partition *p, int tactic, Buffer *out) {
    if (tactic >= 0 && (uint32_t)tactic < p->state.tactic_names.n)
        buf_span(out, p->state.tactic_names.at[tactic]);
    else
        buf_str(out, "no tactic");
}

static void print_indent(int indent, Buffer *out) { buf_format(out, "%*s", indent, ""); }

static void print_steps(const Partition *p, const Chain *c, int indent, Buffer *out) {
    for (uint32_t i = c->n; i-- > 0;) {
        NodeId n = c->nodes[i];
        const Rule *r = p->graph.nodes[n].rule;
        buf_char(out, '\n');
        print_indent(indent, out);
        buf_str(out, i + 1 == c->n ? "tiled:     " : state_cause(&p->state, n, c->axis)->forward ? "its use:   " : "its input: ");
        explain_node(p, n, out);
        buf_str(out, ", factor ");
        explain_factor(r, state_factor(&p->state, n, c->axis), out);
        if (p->graph.nodes[n].kind == NODE_OP) buf_str(out, " of "), rule_print(r, out);
    }
}

void chain_print(const Partition *p, const Chain *c, bool full, int indent, Buffer *out) {
    explain_tactic(p, c->tactic, out);
    if (c->line) {
        buf_str(out, " (");
        line_print(c->line, out);
        buf_char(out, ')');
    }
    if (full) {
        print_steps(p, c, indent, out);
        return;
    }
    if (c->n < 2) return;
    buf_format(out, ", %u step%s from ", c->n - 1, plural(c->n - 1));
    explain_node(p, c->nodes[c->n - 1], out);
}
