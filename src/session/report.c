// Report: the table, and the pieces that the JSON form shares with it.
#include "session/report.h"
#include "support/bytes.h"
#include <stdio.h>

static void cell(Buffer *out, const char *text, int width, bool left) {
    buf_format(out, left ? "%-*s  " : "%*s  ", width, text);
}

static void number_cell(Buffer *out, double v, int width) {
    char text[32];
    snprintf(text, sizeof text, "%.0f", v);
    cell(out, text, width, false);
}

void trips_note(uint32_t n, Buffer *out) {
    buf_format(out, "\n%u loop%s without a known trip count, counted as if run once\n", n, plural(n));
}

static void bytes_cell(Partition *p, Buffer *out, double v, int width) {
    Buffer b;
    buf_init(&b, &p->scratch);
    buf_bytes(&b, v, 1);
    cell(out, buf_cstr(&b), width, false);
}

static void span_cell(Buffer *out, Span s, int width) { buf_format(out, "%-*.*s  ", width, (int)s.n, s.at); }

static Span axes_text(Partition *p, const Applied *a) {
    Buffer b;
    buf_init(&b, &p->scratch);
    for (uint32_t k = 0; k < a->n_axes; k++) {
        if (k) buf_char(&b, ',');
        buf_span(&b, p->mesh.axes[a->axes[k]].name);
    }
    return (Span){buf_cstr(&b), b.n};
}

// Wide enough for all of the column's names.
static int widen_for(int width, Span text) { return text.n > (size_t)width && text.n < 40 ? (int)text.n : width; }

static void print_conflict(Partition *p, const Conflict *c, Buffer *out) {
    buf_str(out, c->race ? "  race: " : "  conflict: ");
    node_print(&p->graph, c->node, out);
    buf_format(out, " on axis %.*s\n    ", (int)p->mesh.axes[c->axis].name.n, p->mesh.axes[c->axis].name.at);
    rule_print(p->graph.nodes[c->node].rule, out);
    for (int i = 0; i < 2; i++) {
        buf_str(out, "\n    factor ");
        rule_factor_name(c->factor[i], out);
        buf_str(out, i && c->race ? " offered by " : " from ");
        if (c->cause[i].node == NO_ID)
            buf_str(out, "the tactic itself");
        else
            node_print(&p->graph, c->cause[i].node, out);
    }
    buf_str(out, c->race ? "\n    hint: split the tactic in two, the wanted tiling first\n"
                         : "\n    hint: decide it by an earlier tactic, `replicated`, or a tile on a tagged value\n");
}

#define MAX_SHOWN 5

static void print_details(Partition *p, const Applied *a, Buffer *out) {
    for (uint32_t i = 0; i < a->counts.n_conflicts && i < MAX_SHOWN; i++)
        print_conflict(p, &p->state.conflicts.at[a->counts.first_conflict + i], out);
    if (a->counts.n_conflicts > MAX_SHOWN)
        buf_format(out, "  and %u more conflict%s\n", a->counts.n_conflicts - MAX_SHOWN,
                   plural(a->counts.n_conflicts - MAX_SHOWN));
    if (a->counts.nothing_divides)
        buf_format(out, "  %u value%s without a dimension that divides: left as before\n", a->counts.nothing_divides,
                   plural(a->counts.nothing_divides));
    for (uint32_t i = 0; i < a->stops.n; i++) {
        const Stop *s = &a->stops.at[i];
        buf_format(out, "  %u op%s not tiled on %.*s: %s, first ", s->count, plural(s->count),
                   (int)p->mesh.axes[s->axis].name.n, p->mesh.axes[s->axis].name.at, s->why);
        node_print(&p->graph, s->first, out);
        if (p->graph.nodes[s->first].rule->note) buf_format(out, " (%s)", p->graph.nodes[s->first].rule->note);
        buf_char(out, '\n');
    }
}

static void axes_print(const Mesh *mesh, AxisSet axes, Buffer *out) {
    AxisId list[MESH_MAX_AXES];
    mesh_print_axes(mesh, list, axes_of_set(mesh, axes, list), out);
}

void report_group(const Partition *p, const AttributedGroup *g, Buffer *out) {
    buf_format(out, "%s on ", collective_names[g->first->kind]);
    axes_print(p->lowered->mesh, g->first->axes, out);
    buf_format(out, " of %s", *g->serves ? g->serves : "nothing that has a name");
    if (g->n_served > 1) buf_format(out, " ×%u", g->n_served);
    if (g->first->tactic >= 0) {
        Span tactic = p->state.tactic_names.at[g->first->tactic];
        buf_format(out, ", by %.*s", (int)tactic.n, tactic.at);
    }
    if (*g->path && g->first->what != ROLE_ACTIVATION) buf_format(out, ", for %s", g->path);
    if (*g->first->place) buf_format(out, " at %s", g->first->place);
    if (g->first->spares) buf_format(out, ", instead of %s", g->first->spares);
    buf_char(out, '\n');
}

// What sends most, and what it serves: " 12.0 MiB      48  all_gather on batch   params/layers/*/up/kernel ×24 by Z3".
static void print_collectives(Partition *p, Buffer *out) {
    const Lowered *l = partition_lowered(p);
    if (!l) return;
    Attribution all = attribute(l, &p->state, &p->scratch);
    AttributedGroups groups = attribution_groups(&all, &p->scratch);
    if (groups.n == 0) return;
    buf_format(out, "\n%11s  %6s  collectives and what they serve, most bytes first\n", "sent/device", "runs");
    double rest = 0, runs = 0;
    for (uint32_t i = 0; i < groups.n; i++) {
        const AttributedGroup *g = &groups.at[i];
        if (i >= MAX_GROUPS_SHOWN) {
            rest += g->bytes, runs += g->runs;
            continue;
        }
        bytes_cell(p, out, g->bytes, 11);
        number_cell(out, g->runs, 6);
        report_group(p, g, out);
    }
    if (groups.n <= MAX_GROUPS_SHOWN) return;
    bytes_cell(p, out, rest, 11);
    number_cell(out, runs, 6);
    buf_format(out, "in %u more group%s: --json has them all\n", groups.n - MAX_GROUPS_SHOWN,
               plural(groups.n - MAX_GROUPS_SHOWN));
}

void report_table(Partition *p, Buffer *out) {
    // ORDER CollectiveKind
    static const char *const heads[] = {"all_gather", "all_reduce", "reduce_scatter", "all_to_all", "permute"};
    static const int widths[] = {10, 10, 14, 10, 7};
    buf_str(out, "mesh ");
    mesh_print(&p->mesh, out);
    buf_format(out, " (%lld device%s), collectives in one step\n\n", (long long)p->mesh.n_devices, plural(p->mesh.n_devices));
    int name_width = 8, axes_width = 8;
    for (uint32_t k = 0; k < p->applied.n; k++) {
        name_width = widen_for(name_width, p->applied.at[k].name);
        axes_width = widen_for(axes_width, axes_text(p, &p->applied.at[k]));
    }
    cell(out, "tactic", name_width, true);
    cell(out, "axis", axes_width, true);
    cell(out, "tiled", 6, false);
    cell(out, "spread", 6, false);
    for (int i = 0; i < COLLECTIVE_COUNT; i++) cell(out, heads[i], widths[i], false);
    cell(out, "sent/device", 11, false);
    buf_str(out, "arguments/device\n");
    for (uint32_t k = 0; k < p->applied.n; k++) {
        const Applied *a = &p->applied.at[k];
        span_cell(out, a->name, name_width);
        span_cell(out, axes_text(p, a), axes_width);
        number_cell(out, a->counts.tiled + a->counts.atomic, 6);
        number_cell(out, a->counts.propagated, 6);
        for (int i = 0; i < COLLECTIVE_COUNT; i++) number_cell(out, a->summary.runs[i], widths[i]);
        bytes_cell(p, out, a->summary.bytes, 11);
        char arguments[32];
        bytes_text((double)a->summary.argument_bytes, 1, arguments);
        buf_format(out, "%16s\n", arguments);
    }
    if (p->applied.n)
        buf_str(out, "\ntiled: values that the tactic itself decides; spread: ops that propagation tiled from there; collectives: how "
                     "often they run;\nsent/device: what a device sends in one step; arguments/device: what it stores of the arguments\n");
    for (uint32_t k = 0; k < p->applied.n; k++) {
        const Applied *a = &p->applied.at[k];
        Buffer details;
        buf_init(&details, &p->scratch);
        print_details(p, a, &details);
        if (details.n) buf_format(out, "\n%.*s:\n", (int)a->name.n, a->name.at), buf_put(out, details.at, details.n);
    }
    print_collectives(p, out);
    if (p->applied.n && p->applied.at[p->applied.n - 1].summary.unknown_trips)
        trips_note(p->applied.at[p->applied.n - 1].summary.unknown_trips, out);
}
