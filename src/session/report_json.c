// Report as JSON, "version": 1.
#include "session/report.h"
#include "support/json.h"

void report_json_axes(const Mesh *mesh, AxisSet axes, Buffer *out) {
    AxisId list[MESH_MAX_AXES];
    mesh_json_axes(mesh, list, axes_of_set(mesh, axes, list), out);
}

static void json_dist(const Dist *d, const Mesh *mesh, uint32_t rank, Buffer *out) {
    buf_char(out, '[');
    for (uint32_t dim = 0; dim < rank; dim++) {
        AxisId axes[MESH_MAX_AXES];
        if (dim) buf_str(out, ", ");
        mesh_json_axes(mesh, axes, dist_axes(d, dim, axes), out);
    }
    buf_char(out, ']');
}

static void json_node(Partition *p, NodeId n, Buffer *out) {
    Buffer text;
    buf_init(&text, &p->scratch);
    node_print(&p->graph, n, &text);
    buf_json_string(out, (Span){text.at, text.n});
}

static void json_conflicts(Partition *p, const Applied *a, Buffer *out) {
    buf_str(out, "\"conflicts\": [");
    for (uint32_t i = 0; i < a->counts.n_conflicts; i++) {
        const Conflict *c = &p->state.conflicts.at[a->counts.first_conflict + i];
        buf_str(out, i ? ", {\"op\": " : "{\"op\": ");
        json_node(p, c->node, out);
        buf_str(out, ", \"axis\": ");
        buf_json_string(out, p->mesh.axes[c->axis].name);
        buf_format(out, ", \"race\": %s, \"candidates\": [", c->race ? "true" : "false");
        for (int k = 0; k < 2; k++) {
            buf_format(out, "%s{\"factor\": %u, \"from\": ", k ? ", " : "", c->factor[k]);
            if (c->cause[k].node == NO_ID)
                buf_json_string(out, a->name);
            else
                json_node(p, c->cause[k].node, out);
            buf_char(out, '}');
        }
        buf_str(out, "]}");
    }
    buf_char(out, ']');
}

static void json_tactic(Partition *p, const Applied *a, Buffer *out) {
    buf_str(out, "    {\"name\": ");
    buf_json_string(out, a->name);
    buf_str(out, ", \"axes\": [");
    for (uint32_t k = 0; k < a->n_axes; k++) {
        if (k) buf_str(out, ", ");
        buf_json_string(out, p->mesh.axes[a->axes[k]].name);
    }
    buf_format(
        out,
        "], \"tiled\": %u, \"atomic\": %u, \"propagated\": %u, \"already_tiled\": %u, \"nothing_divides\": %u,\n     \"collectives\": [",
        a->counts.tiled, a->counts.atomic, a->counts.propagated, a->counts.already, a->counts.nothing_divides);
    for (uint32_t i = 0; i < a->summary.n; i++) {
        const CollectiveRow *r = &a->summary.rows[i];
        buf_format(out, "%s{\"kind\": \"%s\", \"axes\": ", i ? ", " : "", collective_names[r->kind]);
        buf_span(out, r->axes_json);
        buf_format(out, ", \"ops\": %u, \"runs\": %.0f, \"bytes\": %.0f}", r->ops, r->runs, r->bytes);
    }
    buf_str(out, "],\n     \"totals\": {");
    for (int k = 0; k < COLLECTIVE_COUNT; k++)
        buf_format(out, "%s\"%s\": %.0f", k ? ", " : "", collective_names[k], a->summary.runs[k]);
    buf_format(
        out,
        "}, \"bytes_sent\": %.0f, \"argument_bytes\": %lld, \"result_bytes\": %lld, \"unknown_trip_counts\": %u,\n     \"not_tiled\": [",
        a->summary.bytes, (long long)a->summary.argument_bytes, (long long)a->summary.result_bytes,
        a->summary.unknown_trips);
    for (uint32_t i = 0; i < a->stops.n; i++) {
        buf_format(out, "%s{\"why\": \"%s\", \"axis\": ", i ? ", " : "", a->stops.at[i].why);
        buf_json_string(out, p->mesh.axes[a->stops.at[i].axis].name);
        buf_format(out, ", \"ops\": %u, \"first\": ", a->stops.at[i].count);
        json_node(p, a->stops.at[i].first, out);
        buf_char(out, '}');
    }
    buf_str(out, "],\n     ");
    json_conflicts(p, a, out);
    buf_char(out, '}');
}

static void json_value(Partition *p, const char *name, TypeId type, const Dist *d, Buffer *out) {
    const Type *t = type_get(p->m, type);
    buf_str(out, "    {\"name\": ");
    buf_json_string(out, span_of(name));
    buf_format(out, ", \"type\": \"%s\", \"shape\": [", t->kind == TYPE_TENSOR ? elem_text((Elem)t->elem) : "token");
    for (uint32_t i = 0; i < t->rank; i++) buf_format(out, "%s%lld", i ? ", " : "", (long long)t->dims[i]);
    buf_str(out, "], \"distribution\": ");
    json_dist(d, p->lowered->mesh, t->rank, out);
    buf_char(out, '}');
}

void report_json_values(Partition *p, Buffer *out) {
    buf_str(out, "  \"arguments\": [\n");
    const Lowered *l = partition_lowered(p);
    const Module *m = p->m;
    OpId ret = region_terminator(m, p->graph.body);
    for (uint32_t i = 0; l && i < p->graph.n_arguments; i++) {
        if (i) buf_str(out, ",\n");
        json_value(p, m->argument_names[i], value_type(m, m->regions.at[p->graph.body].first_arg + i),
                   l->argument_dist[i], out);
    }
    buf_str(out, "\n  ],\n  \"results\": [\n");
    for (uint32_t i = 0; l && i < p->graph.n_results; i++) {
        if (i) buf_str(out, ",\n");
        json_value(p, m->result_names[i], value_type(m, op_operand(m, ret, i)), l->result_dist[i], out);
    }
    buf_str(out, "\n  ]");
}

void report_json_served(const Partition *p, const Attributed *c, Buffer *out) {
    buf_str(out, "\"tactic\": ");
    if (c->tactic >= 0)
        buf_json_string(out, p->state.tactic_names.at[c->tactic]);
    else
        buf_str(out, "null");
    buf_format(out, ", \"what\": \"%s\", \"serves\": ", role_names[c->what]);
    buf_json_string(out, span_of(c->serves));
    if (c->spares) buf_str(out, ", \"instead_of\": "), buf_json_string(out, span_of(c->spares));
    buf_str(out, ", \"path\": ");
    buf_json_string(out, span_of(c->path));
    buf_str(out, ", \"place\": ");
    buf_json_string(out, span_of(c->place));
}

static void json_groups(Partition *p, const Attribution *all, Buffer *out) {
    AttributedGroups groups = attribution_groups(all, &p->scratch);
    buf_str(out, "  \"groups\": [");
    for (uint32_t i = 0; i < groups.n; i++) {
        const AttributedGroup *g = &groups.at[i];
        Attributed c = *g->first;
        c.serves = g->serves;
        c.path = g->path;
        buf_format(out, "%s\n    {\"kind\": \"%s\", \"axes\": ", i ? "," : "", collective_names[c.kind]);
        report_json_axes(p->lowered->mesh, c.axes, out);
        buf_format(out, ", \"collectives\": %u, \"values\": %u, \"runs\": %.0f, \"bytes\": %.0f, ", g->n, g->n_served, g->runs,
                   g->bytes);
        report_json_served(p, &c, out);
        buf_char(out, '}');
    }
    buf_str(out, "\n  ]");
}

static void json_tactic_collectives(Partition *p, Buffer *out) {
    const Lowered *l = partition_lowered(p);
    Attribution all = l ? attribute(l, &p->state, &p->scratch) : (Attribution){0};
    buf_str(out, "  \"collectives\": [");
    for (uint32_t i = 0; i < all.n; i++) {
        const Attributed *c = &all.at[i];
        buf_format(out, "%s\n    {\"kind\": \"%s\", \"axes\": ", i ? "," : "", collective_names[c->kind]);
        report_json_axes(p->lowered->mesh, c->axes, out);
        buf_format(out, ", \"runs\": %.0f, \"bytes\": %.0f, ", c->runs, c->bytes);
        report_json_served(p, c, out);
        buf_char(out, '}');
    }
    buf_str(out, "\n  ],\n");
    json_groups(p, &all, out);
}

void report_json(Partition *p, Span more, Buffer *out) {
    buf_str(out, "{\n  \"version\": 1,\n  \"mesh\": {");
    for (uint32_t i = 0; i < p->mesh.n_axes; i++) {
        if (i) buf_str(out, ", ");
        buf_json_string(out, p->mesh.axes[i].name);
        buf_format(out, ": %lld", (long long)p->mesh.axes[i].size);
    }
    buf_format(out, "},\n  \"devices\": %lld,\n  \"tactics\": [\n", (long long)p->mesh.n_devices);
    for (uint32_t k = 0; k < p->applied.n; k++) {
        if (k) buf_str(out, ",\n");
        json_tactic(p, &p->applied.at[k], out);
    }
    buf_str(out, "\n  ],\n");
    json_tactic_collectives(p, out);
    buf_str(out, ",\n");
    report_json_values(p, out);
    buf_span(out, more);
    buf_str(out, "\n}\n");
}
