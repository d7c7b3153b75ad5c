// Demands: compares each one with the attributed collectives, the conflicts, or the ops without a loop.
#include "explain/demands.h"
#include "core/schedule/pattern.h"
#include "sim/cost/cost.h"

typedef struct Checking {
    Partition *p;
    const Source *source;
    const Demand *d;
    AxisSet axes; // of the lowered mesh
    const Attribution *all;
    Arena *a;
} Checking;

// `dot_general with params/up/kernel` is meant by patterns of the parameter too.
static bool serves_matching(const Attributed *c, Span pattern) {
    const char *with = strstr(c->serves, " with ");
    return pattern_match(pattern, c->path) || pattern_match(pattern, c->serves) || (with && pattern_match(pattern, with + strlen(" with ")));
}

static bool demand_means(const Checking *x, const Attributed *c) {
    const Demand *d = x->d;
    if (!span_is(d->collective.text, "collective") && !span_is(d->collective.text, collective_names[c->kind])) return false;
    if ((c->axes & x->axes) != x->axes) return false;
    if (d->in.text.n && !serves_matching(c, d->in.text)) return false;
    return !d->above || c->bytes > (double)d->above;
}

static bool violated(const Checking *x, const char *why, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool violated(const Checking *x, const char *why, const char *format, ...) {
    Buffer demand;
    buf_init(&demand, x->a);
    demand_print(x->d, &demand);
    va_list arguments;
    va_start(arguments, format);
    const char *what = text_vformat(x->a, format, arguments);
    va_end(arguments);
    return diag_error(x->p->ctx, x->source, x->d->offset, why, "`%s` does not hold: %s", buf_cstr(&demand), what);
}

static const char *why_text(const Checking *x, uint32_t i) {
    Buffer why;
    buf_init(&why, x->a);
    why_collective(x->p, &x->all->at[i], i, false, &why);
    while (why.n && why.at[why.n - 1] == '\n') why.n--;
    return buf_cstr(&why);
}

static bool check_collectives(const Checking *x) {
    uint32_t first = NO_ID, n = 0;
    double runs = 0;
    for (uint32_t i = 0; i < x->all->n; i++) {
        if (!demand_means(x, &x->all->at[i])) continue;
        if (first == NO_ID) first = i;
        n++;
        runs += x->all->at[i].runs;
    }
    bool expected = x->d->kind == EXPECT_COLLECTIVE;
    if (expected ? runs == (double)x->d->count : n == 0) return true;
    if (n == 0) return violated(x, NULL, "there are 0");
    const Attributed *c = &x->all->at[first];
    if (expected) return violated(x, why_text(x, first), "there are %.0f; the first is of %s at %s", runs, c->serves, c->place);
    return violated(x, why_text(x, first), "%u of them; the first is of %s at %s", n, c->serves, c->place);
}

static bool check_conflicts(const Checking *x) {
    const State *s = &x->p->state;
    if (s->conflicts.n == 0) return true;
    const Conflict *c = &s->conflicts.at[0];
    Buffer at;
    buf_init(&at, x->a);
    explain_node(x->p, c->node, &at);
    return violated(x, "`partir why --line` shows both offers", "%u conflict%s; the first at %s on %.*s", s->conflicts.n,
                    plural(s->conflicts.n),
                    buf_cstr(&at), (int)s->mesh->axes[c->axis].name.n, s->mesh->axes[c->axis].name.at);
}

static bool check_replicated(const Checking *x) {
    const Partition *p = x->p;
    OpId worst = NO_ID;
    uint32_t n = 0;
    double most = 0;
    for (OpId op = 0; op < p->m->ops.n; op++) {
        NodeId node = p->graph.op_node[op];
        if (node == NO_ID || p->graph.nodes[node].kind != NODE_OP || p->state.nest_n[node]) continue;
        Cost cost = op_cost(p->m, op);
        double flops = cost.matrix + cost.vector;
        if (flops <= (double)x->d->above) continue;
        n++;
        if (flops > most) most = flops, worst = op;
    }
    if (n == 0) return true;
    Buffer at;
    buf_init(&at, x->a);
    explain_op(p->m, worst, &at);
    return violated(x, "`partir why --line` says why no axis is there", "every device runs %u op%s whole; the largest, of %.3g FLOP, is %s",
                    n, plural(n), most, buf_cstr(&at));
}

static bool find_demand_axes(Checking *x) {
    const Demand *d = x->d;
    const Mesh *mesh = x->p->lowered->mesh;
    x->axes = 0;
    for (uint32_t i = 0; i < d->n_axes; i++) {
        AxisId axes[MESH_MAX_AXES];
        uint32_t n = mesh_axes_of(mesh, d->axes[i].text, axes);
        if (n == 0 && mesh_find(&x->p->mesh, d->axes[i].text) == NO_AXIS) {
            Buffer hint;
            buf_init(&hint, x->a);
            buf_str(&hint, "the mesh is ");
            mesh_print(&x->p->mesh, &hint);
            return diag_error(x->p->ctx, x->source, d->axes[i].offset, buf_cstr(&hint), "the mesh has no axis \"%.*s\"",
                              (int)d->axes[i].text.n, d->axes[i].text.at);
        }
        for (uint32_t k = 0; k < n; k++) x->axes |= (AxisSet)1 << axes[k];
    }
    return true;
}

bool demands_check(Partition *p, const Demand *demands, uint32_t n, const Source *source) {
    if (n == 0) return true;
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    source_index(&p->m->source, &p->m->arena);
    Attribution all = attribute(l, &p->state, &p->scratch);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        Checking x = {.p = p, .source = source, .d = &demands[i], .all = &all, .a = &p->scratch};
        switch (demands[i].kind) {
        case DENY_COLLECTIVE:
        case EXPECT_COLLECTIVE: ok &= find_demand_axes(&x) && check_collectives(&x); break;
        case DENY_CONFLICT: ok &= check_conflicts(&x); break;
        case DENY_REPLICATED: ok &= check_replicated(&x); break;
        }
    }
    return ok;
}
