// Why: explains both sides of a redistribution, the history of a value, and the ops of a source line.
#include "explain/why.h"
#include "core/schedule/pattern.h"
#include "session/report.h"
#include "support/bytes.h"
#include "support/nearest.h"

// ---- One axis at one node -------------------------------------------------------------------------------------------

static void print_axis(const Partition *p, AxisId axis, Buffer *out) { buf_span(out, p->mesh.axes[axis].name); }

static const Conflict *find_conflict(const Partition *p, NodeId n, AxisId axis) {
    for (uint32_t i = 0; i < p->state.conflicts.n; i++)
        if (p->state.conflicts.at[i].node == n && p->state.conflicts.at[i].axis == axis) return &p->state.conflicts.at[i];
    return NULL;
}

static bool is_atomic(const Partition *p, NodeId n, AxisId axis) {
    const Rule *r = p->graph.nodes[n].rule;
    for (uint32_t t = 0; t < rule_tensors(r); t++)
        if (p->state.atomic[node_value(&p->graph, n, t)] >> axis & 1) return true;
    return false;
}

// Why a node does not have an axis.
static void why_without(const Partition *p, NodeId n, AxisId axis, int indent, Buffer *out) {
    const Conflict *c = find_conflict(p, n, axis);
    const char *stop = stop_reason(&p->state, n, axis);
    const Rule *r = p->graph.nodes[n].rule;
    if (c) {
        buf_str(out, "a conflict: it was offered factor ");
        for (int i = 0; i < 2; i++) {
            if (i) buf_format(out, "\n%*sand factor ", indent, "");
            explain_factor(r, c->factor[i], out);
            buf_str(out, " by ");
            if (c->cause[i].node == NO_ID)
                explain_tactic(p, c->cause[i].tactic, out);
            else {
                explain_node(p, c->cause[i].node, out);
                Chain from = chain_find(p, c->cause[i].node, axis, out->arena);
                buf_str(out, ", from ");
                chain_print(p, &from, false, indent, out);
            }
        }
    } else if (is_atomic(p, n, axis)) {
        buf_str(out, "it, or what it reads or gives, is `replicated` on ");
        print_axis(p, axis, out);
    } else if (stop) {
        buf_str(out, stop);
        if (r->note) buf_format(out, " (%s)", r->note);
    } else {
        buf_str(out, "none of its neighbours offers ");
        print_axis(p, axis, out);
    }
}

static void why_with(const Partition *p, NodeId n, AxisId axis, bool full, int indent, Buffer *out) {
    Chain c = chain_find(p, n, axis, out->arena);
    buf_str(out, " on factor ");
    explain_factor(p->graph.nodes[n].rule, state_factor(&p->state, n, axis), out);
    buf_str(out, " by ");
    chain_print(p, &c, full, indent, out);
}

// ---- A collective ---------------------------------------------------------------------------------------------------

static bool is_movement(const Partition *p, OpId op) {
    CollectiveKind kind;
    AxisSet axes;
    double bytes;
    return op_kind(p->lowered->m, op) == OP_partir_all_slice ||
           collective_of(p->lowered->m, p->lowered->mesh, op, &kind, &axes, &bytes);
}

// What the steps of a redistribution begin and end with.
static ValueId before_steps(const Partition *p, OpId op) {
    const Module *m = p->lowered->m;
    ValueId v = op_operand(m, op, 0);
    while (!m->values.at[v].is_arg && is_movement(p, m->values.at[v].owner)) v = op_operand(m, m->values.at[v].owner, 0);
    return v;
}

static ValueId after_steps(const Partition *p, OpId op) {
    const Module *m = p->lowered->m;
    ValueId v = op_result(m, op, 0);
    for (OpId next = op_get(m, op)->next; next != NO_ID && p->lowered->origin[next] == p->lowered->origin[op];
         next = op_get(m, next)->next)
        if (is_movement(p, next) && op_operand(m, next, 0) == v) v = op_result(m, next, 0);
    return v;
}

// The node of an op, as the user of a value: of several (a loop's carried values, what a region returns) the one that takes it.
static NodeId node_of_use(const Partition *p, OpId user, ValueId v) {
    if (user == NO_ID) return NO_ID;
    const Graph *g = &p->graph;
    for (uint32_t u = v == NO_ID ? 0 : g->first_use[v]; v != NO_ID && u < g->first_use[v + 1]; u++) {
        NodeId n = g->use_ports[u].node;
        if (g->nodes[n].op == user) return n;
        bool returns = op_is_terminator(op_kind(p->m, user));
        if (returns && (g->nodes[n].kind == NODE_RESULT || g->nodes[n].kind == NODE_ARGUMENT)) return n;
    }
    return g->op_node[user];
}

// The op whose reduction left a sum over the axis open: the value's own, or one that it was handed on from.
static NodeId node_of_sum(const Partition *p, ValueId v, AxisId axis, Arena *a) {
    const Lowered *l = p->lowered;
    uint8_t *seen = arena_zalloc(a, l->m->values.n);
    VEC(ValueId) work = {0};
    vec_push(a, &work, v);
    while (work.n) {
        v = work.at[--work.n];
        const Value *val = &l->m->values.at[v];
        if (seen[v]++ || val->is_arg) continue;
        OpId origin = l->origin[val->owner];
        NodeId n = origin == NO_ID ? NO_ID : p->graph.op_node[origin];
        uint8_t f = n == NO_ID ? NO_FACTOR : state_factor(&p->state, n, axis);
        if (f != NO_FACTOR && p->graph.nodes[n].rule->factors[f].kind == FACTOR_REDUCE) return n;
        if (op_kind(l->m, val->owner) == OP_while)
            vec_push(a, &work, op_operand(l->m, region_terminator(l->m, op_region(l->m, val->owner, 1)), val->index));
        for (uint32_t i = op_get(l->m, val->owner)->n_operands; i-- > 0;) {
            ValueId operand = op_operand(l->m, val->owner, i);
            if (l->dist[operand] && (axes_named(l->mesh, l->dist[operand]->pending) >> axis & 1)) vec_push(a, &work, operand);
        }
    }
    return NO_ID;
}

static void print_dist(const Partition *p, ValueId v, Buffer *out) {
    const Dist *d = p->lowered->dist[v];
    if (d)
        dist_print(d, p->lowered->mesh, value_tensor(p->lowered->m, v)->rank, out);
    else
        buf_str(out, "a helper value");
}

enum { INDENT = 3, DEEPER = 6 };

static void why_made(Partition *p, const Attributed *c, ValueId v, AxisId axis, bool full, Buffer *out) {
    const Dist *d = p->lowered->dist[v];
    Arena *a = out->arena;
    if (!d) return;
    NodeId n = c->source == NO_ID ? NO_ID : p->graph.producer[c->source].node;
    bool open = axes_named(p->lowered->mesh, d->pending) >> axis & 1;
    if (open) n = node_of_sum(p, v, axis, a);
    if (n == NO_ID || state_factor(&p->state, n, axis) == NO_FACTOR) return;
    buf_format(out, "\n%*s", DEEPER, "");
    if (open) {
        explain_node(p, n, out);
        buf_str(out, " sums over ");
    }
    print_axis(p, axis, out);
    why_with(p, n, axis, full, DEEPER + 2, out);
}

static void why_needed(Partition *p, const Attributed *c, AxisId axis, bool full, Buffer *out) {
    const Value *source = c->source == NO_ID ? NULL : &p->m->values.at[c->source];
    bool stores = source && !source->is_arg && source->owner == c->user; // where it is made, not for one of its uses
    NodeId n = stores ? p->graph.producer[c->source].node : node_of_use(p, c->user, c->source);
    if (n == NO_ID) return;
    buf_format(out, "\n%*s", DEEPER, "");
    uint8_t f = state_factor(&p->state, n, axis);
    if (f != NO_FACTOR) {
        if (!stores) buf_str(out, "it has ");
        print_axis(p, axis, out);
        why_with(p, n, axis, full, DEEPER + 2, out);
    } else {
        buf_str(out, stores ? "whole on " : "not on ");
        print_axis(p, axis, out);
        buf_str(out, ": ");
        why_without(p, n, axis, DEEPER + 2, out);
    }
}

void why_head(const Partition *p, const Attributed *c, uint32_t number, Buffer *out) {
    buf_format(out, "#%u %s on ", number, collective_names[c->kind]);
    AxisId axes[MESH_MAX_AXES];
    mesh_print_axes(p->lowered->mesh, axes, axes_of_set(p->lowered->mesh, c->axes, axes), out);
    buf_format(out, " of %s, ", *c->serves ? c->serves : "a helper value");
    buf_bytes(out, c->bytes, 1);
    buf_format(out, " in %.0f run%s, by ", c->runs, plural((int64_t)c->runs));
    explain_tactic(p, c->tactic, out);
    buf_char(out, '\n');
}

void why_collective(Partition *p, const Attributed *c, uint32_t number, bool full, Buffer *out) {
    why_head(p, c, number, out);
    if (c->user != NO_ID) {
        buf_format(out, "%*sfor ", INDENT, "");
        explain_op(p->m, c->user, out);
        buf_char(out, '\n');
    }
    ValueId from = before_steps(p, c->op), to = after_steps(p, c->op);
    AxisSet named = axes_named(p->lowered->mesh, c->axes);
    buf_format(out, "%*smade as ", INDENT, "");
    print_dist(p, from, out);
    for (uint32_t a = 0; a < p->mesh.n_axes; a++)
        if (named >> a & 1) why_made(p, c, from, (AxisId)a, full, out);
    buf_format(out, "\n%*sneeded as ", INDENT, "");
    print_dist(p, to, out);
    for (uint32_t a = 0; a < p->mesh.n_axes; a++)
        if (named >> a & 1) why_needed(p, c, (AxisId)a, full, out);
    buf_char(out, '\n');
}

// ---- A value --------------------------------------------------------------------------------------------------------

// How the value lies after the first `tactics` tactics: later ones only add to its nest.
static void print_after(const Partition *p, const Target *t, uint32_t tactics, Buffer *out) {
    uint32_t len, rank = type_get(p->m, t->type)->rank;
    const NestEntry *nest = state_nest(&p->state, t->node, &len);
    buf_char(out, '[');
    for (uint32_t dim = 0; dim < rank; dim++) {
        bool first = true;
        buf_str(out, dim ? ", {" : "{");
        for (uint32_t k = 0; k < len; k++) {
            if (rule_factor_dim(p->graph.nodes[t->node].rule, nest[k].factor, t->tensor) != (int)dim) continue;
            if (state_cause(&p->state, t->node, nest[k].axis)->tactic >= tactics) continue;
            if (!first) buf_char(out, ',');
            print_axis(p, nest[k].axis, out);
            first = false;
        }
        buf_char(out, '}');
    }
    buf_char(out, ']');
}

static void why_target(Partition *p, const Target *t, const Attribution *all, bool full, Buffer *out) {
    const Type *type = type_get(p->m, t->type);
    uint32_t len;
    const NestEntry *nest = state_nest(&p->state, t->node, &len);
    buf_format(out, "%s (", t->name);
    for (uint32_t d = 0; d < type->rank; d++) buf_format(out, "%lldx", (long long)type->dims[d]);
    buf_format(out, "%s)\n", elem_text((Elem)type->elem));
    for (uint32_t k = 0; k < p->applied.n; k++) {
        buf_format(out, "%*safter %.*s ", INDENT, "", (int)p->applied.at[k].name.n, p->applied.at[k].name.at);
        print_after(p, t, k + 1, out);
        for (uint32_t i = 0; i < len; i++) {
            if (state_cause(&p->state, t->node, nest[i].axis)->tactic != k) continue;
            buf_format(out, "\n%*s", DEEPER, "");
            print_axis(p, nest[i].axis, out);
            why_with(p, t->node, nest[i].axis, full, DEEPER + 2, out);
        }
        const Applied *by = &p->applied.at[k];
        for (uint32_t i = 0; i < by->n_axes; i++) {
            if (state_factor(&p->state, t->node, by->axes[i]) != NO_FACTOR) continue;
            buf_format(out, "\n%*snot on ", DEEPER, "");
            print_axis(p, by->axes[i], out);
            buf_str(out, ": ");
            why_without(p, t->node, by->axes[i], DEEPER + 2, out);
        }
        buf_char(out, '\n');
    }
    for (uint32_t i = 0; i < all->n; i++)
        if (strcmp(all->at[i].serves, t->name) == 0) buf_format(out, "%*s", INDENT, ""), why_head(p, &all->at[i], i, out);
}

static bool why_value(Partition *p, const WhyQuery *q, const Attribution *all, Buffer *out) {
    Targets targets = p->targets;
    if (strncmp(q->value, "loc/", 4) == 0) targets = targets_build(&p->graph, true, &p->scratch);
    uint32_t found = 0;
    for (uint32_t i = 0; i < targets.n; i++) {
        if (!pattern_match(span_of(q->value), targets.at[i].name)) continue;
        if (++found <= 10 || q->full) why_target(p, &targets.at[i], all, q->full, out);
    }
    if (found > 10 && !q->full) buf_format(out, "and %u more: --full shows them\n", found - 10);
    if (found) return true;
    const char **names = arena_new(&p->scratch, const char *, targets.n);
    for (uint32_t i = 0; i < targets.n; i++) names[i] = targets.at[i].name;
    const char *near = nearest_name(span_of(q->value), names, targets.n);
    Buffer hint;
    buf_init(&hint, &p->scratch);
    if (near) buf_format(&hint, "the nearest name is %s", near);
    return diag_error(p->ctx, NULL, NO_OFFSET, near ? buf_cstr(&hint) : NULL,
                      "'%s' names no argument, result, tag or location of the program", q->value);
}

typedef VEC(Span) SeenTexts;

// ---- A line ---------------------------------------------------------------------------------------------------------

// The place is the one asked for, or ends with it after a slash.
static bool is_at(const char *place, const char *line) {
    size_t n = strlen(place), k = strlen(line);
    return n >= k && strcmp(place + n - k, line) == 0 && (n == k || place[n - k - 1] == '/');
}

bool why_is_at(Partition *p, OpId op, const char *line) {
    Buffer place;
    buf_init(&place, &p->scratch);
    frame_print(p->m, op, &place);
    return is_at(buf_cstr(&place), line);
}

static void why_op(Partition *p, OpId op, bool full, Buffer *out) {
    NodeId n = p->graph.op_node[op];
    explain_op(p->m, op, out);
    buf_str(out, ": ");
    rule_print(p->graph.nodes[n].rule, out);
    buf_char(out, '\n');
    for (uint32_t a = 0; a < p->mesh.n_axes; a++) {
        bool has = state_factor(&p->state, n, (AxisId)a) != NO_FACTOR;
        buf_format(out, "%*s%s", INDENT, "", has ? "" : "not on ");
        print_axis(p, (AxisId)a, out);
        if (has)
            why_with(p, n, (AxisId)a, full, DEEPER, out);
        else
            buf_str(out, ": "), why_without(p, n, (AxisId)a, DEEPER, out);
        buf_char(out, '\n');
    }
}

enum { MOST_SHOWN = 4 }; // of ops with different answers, and of collectives

// An op's answer, unless another one at the line had the same, as the ops of a function that is called in each layer have.
static bool why_op_once(Partition *p, OpId op, SeenTexts *seen, Buffer *out) {
    Buffer text;
    buf_init(&text, &p->scratch);
    why_op(p, op, false, &text);
    for (uint32_t i = 0; i < seen->n; i++)
        if (span_eq(seen->at[i], (Span){text.at, text.n})) return false;
    vec_push(&p->scratch, seen, ((Span){text.at, text.n}));
    if (seen->n > MOST_SHOWN) return false;
    buf_put(out, text.at, text.n);
    return true;
}

static bool why_line(Partition *p, const WhyQuery *q, const Attribution *all, Buffer *out) {
    uint32_t found = 0, shown = 0, collectives = 0;
    SeenTexts seen = {0};
    for (OpId op = 0; op < p->m->ops.n; op++) {
        if (p->graph.op_node[op] == NO_ID || p->graph.nodes[p->graph.op_node[op]].kind != NODE_OP) continue;
        if (!why_is_at(p, op, q->line)) continue;
        found++;
        if (q->full)
            why_op(p, op, true, out);
        else
            shown += why_op_once(p, op, &seen, out);
    }
    bool one_answer = seen.n <= MOST_SHOWN;
    if (found > shown && !q->full)
        buf_format(out, "and %u more op%s%s: --full shows %s\n", found - shown, plural(found - shown), one_answer ? " with the same answer" : "", found - shown == 1 ? "it" : "them");
    for (uint32_t i = 0; i < all->n; i++) {
        if (!is_at(all->at[i].place, q->line)) continue;
        if (++collectives <= MOST_SHOWN || q->full) why_collective(p, &all->at[i], i, q->full, out);
    }
    if (collectives > MOST_SHOWN && !q->full)
        buf_format(out, "and %u more collective%s: --full shows %s\n", collectives - MOST_SHOWN, plural(collectives - MOST_SHOWN), collectives - MOST_SHOWN == 1 ? "it" : "them");
    if (found || collectives) return true;
    return diag_error(p->ctx, NULL, NO_OFFSET, "a place is FILE:LINE as the report prints it",
                      "no op of the program is at '%s'", q->line);
}

static void list_collectives(Partition *p, const Attribution *all, Buffer *out) {
    for (uint32_t i = 0; i < all->n; i++) why_head(p, &all->at[i], i, out);
    if (all->n == 0) buf_str(out, "there are no collectives\n");
}

bool why_print(Partition *p, const WhyQuery *q, Buffer *out) {
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    Attribution all = attribute(l, &p->state, &p->scratch);
    if (q->value) return why_value(p, q, &all, out);
    if (q->line) return why_line(p, q, &all, out);
    if (q->collective == NO_ID) return list_collectives(p, &all, out), true;
    if (q->collective >= all.n)
        return diag_error(p->ctx, NULL, NO_OFFSET, "they count from 0, in the order of the report", 
                          "there is no collective %u; the program has %u", q->collective, all.n);
    why_collective(p, &all.at[q->collective], q->collective, q->full, out);
    return true;
}
