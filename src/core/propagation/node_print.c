// Prints nodes and source places by the names that the user wrote.
#include "core/propagation/node_print.h"

void place_print(const Module *m, OpId op, Buffer *out) {
    LocId loc = op_get(m, op)->loc;
    for (int depth = 0; loc != NO_ID && depth < 64; depth++) {
        const Loc *l = &m->locs.at[loc];
        if (l->kind == LOC_FILE) {
            buf_name(out, name_get(m, l->name));
            buf_format(out, ":%u", l->line);
            return;
        }
        loc = l->kind == LOC_FUSED ? (l->n_children ? l->children[0] : NO_ID)
              : l->kind == LOC_NAME || l->kind == LOC_CALLSITE || l->kind == LOC_ALIAS ? l->child
                                                                                       : NO_ID;
    }
    SourcePlace p = source_place(&m->source, op_get(m, op)->source);
    buf_name(out, span_of(m->source.name ? m->source.name : "module"));
    buf_format(out, ":%u", p.line);
}

void node_print(const Graph *g, NodeId n, Buffer *out) {
    const Node *node = &g->nodes[n];
    if (node->kind == NODE_ARGUMENT) {
        buf_format(out, "argument %s", g->m->argument_names[node->sub]);
    } else if (node->kind == NODE_RESULT) {
        buf_format(out, "result %s", g->m->result_names[node->sub]);
    } else {
        if (node->kind == NODE_SUM) buf_str(out, "the sum of ");
        if (node->kind == NODE_CARRY) buf_format(out, "carried value %u of ", node->sub);
        buf_format(out, "%s at ", op_info[op_kind(g->m, node->op)].name);
        place_print(g->m, node->op, out);
    }
}
