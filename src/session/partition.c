// Partition: tactics one after the other, and the lowering of what they left, made when asked for and kept until the
// next tactic.
#include "session/partition.h"
#include "core/prepare.h"
#include "spmd/export/to_stablehlo.h"
#include "spmd/type_check.h"
#include "stablehlo/check.h"
#include "support/nearest.h"

// The first few of the ops that cannot be partitioned are named, and how many more there are.
static bool check_refusals(const Graph *g) {
    enum { MOST = 5 };
    const Module *m = g->m;
    uint32_t refused = 0;
    for (NodeId n = 0; n < g->n_nodes; n++) {
        const Node *node = &g->nodes[n];
        if (node->kind != NODE_OP || !node->rule->refuse || ++refused > MOST) continue;
        diag_error(m->ctx, &m->source, op_get(m, node->op)->source, NULL, "%s cannot be partitioned: %s",
                   op_info[op_kind(m, node->op)].name,
                   node->rule->note ? node->rule->note : "its meaning depends on the device");
    }
    if (refused > MOST) diag_note(m->ctx, &m->source, NO_OFFSET, NULL, "and %u more", refused - MOST);
    return refused == 0;
}

static bool names_locations(const Schedule *s) {
    for (uint32_t t = 0; t < s->n_tactics; t++)
        if (tactic_names_locations(&s->tactics[t])) return true;
    return false;
}

void partition_name_locations(Partition *p) {
    if (p->locations) return;
    p->targets = targets_build(&p->graph, true, &p->arena);
    p->locations = true;
}

// Rules of the schedule that no call of the program takes are mistakes of whoever wrote them, though harmless.
static void check_rules(const Schedule *s, const RuleBook *book, Context *ctx, Arena *a) {
    uint32_t n;
    const char *const *calls = rulebook_calls_without_rule(book, &n);
    for (uint32_t i = 0; i < s->n_rules; i++) {
        const UserRule *rule = &s->rules[i];
        const UserRuleUse *use = &rulebook_uses(book)[i];
        Span target = rule->target;
        if (target.n > 200) target.n = 200;
        if (use->problem)
            diag_warning(ctx, s->source, rule->offset, "the call runs whole on every device",
                         "the rule for \"%.*s\" does not fit a call: %s", (int)target.n, target.at, use->problem);
        if (use->called) continue;
        Buffer hint;
        buf_init(&hint, a);
        const char *near = nearest_name(target, calls, n);
        if (near) buf_format(&hint, "did you mean %s? ", near);
        if (n == 0) buf_str(&hint, "no custom call of the program is without a rule");
        for (uint32_t k = 0; k < n && k < 8; k++)
            buf_format(&hint, "%s%s%s", k ? ", " : "calls without a rule: ", calls[k], k == 7 && n > 8 ? ", …" : "");
        diag_warning(ctx, s->source, rule->offset, buf_cstr(&hint), "the program has no call \"%.*s\"", (int)target.n,
                     target.at);
    }
}

bool partition_init(Partition *p, Module *m, const Schedule *s, const char *mesh) {
    *p = (Partition){
        .ctx = m->ctx, .m = m, .schedule = s, .gathers = s->gathers, .gathers_decided = s->gathers_given};
    arena_init(&p->arena, m->ctx);
    if (mesh) {
        if (!mesh_parse(&p->mesh, m->ctx, &p->arena, span_of(mesh), NULL, NO_OFFSET)) return false;
    } else if (s->n_axes) {
        Axis *axes = arena_new(&p->arena, Axis, s->n_axes);
        for (uint32_t i = 0; i < s->n_axes; i++) axes[i] = (Axis){.name = s->axes[i].name.text, .size = s->axes[i].size};
        if (!mesh_make(&p->mesh, m->ctx, &p->arena, axes, s->n_axes, s->source, s->axes[0].name.offset)) return false;
    } else {
        return diag_error(m->ctx, s->source, NO_OFFSET, "write `mesh batch=4, model=2` in the schedule or give --mesh",
                          "the schedule names no mesh");
    }
    if (!prepare_module(m) || !manual_flatten(m, &p->mesh, &p->arena, &p->manual)) return false;
    if (p->manual.m) {
        p->m = m = p->manual.m;
        if (!check_module(m)) return false;
    }
    const TiedPair *ties;
    uint32_t n_ties;
    if (!ties_resolve(m, s, &p->arena, &ties, &n_ties)) return false;
    RuleBook *book = rulebook_new(m, &p->arena, s->rules, s->n_rules);
    if (s->trust_rules) rulebook_trust(book);
    graph_build(&p->graph, m, book, ties, n_ties, &p->arena);
    if (!check_refusals(&p->graph)) return false;
    check_rules(s, book, m->ctx, &p->arena);
    state_init(&p->state, &p->graph, &p->mesh, &p->arena);
    manual_close(&p->state, &p->manual);
    p->locations = names_locations(s);
    p->targets = targets_build(&p->graph, p->locations, &p->arena);
    return true;
}

void partition_forget(Partition *p) {
    for (int i = 0; i < EXPORT_TARGETS; i++) {
        if (p->stablehlo[i]) module_free(p->stablehlo[i]);
        p->stablehlo[i] = NULL;
    }
    lowered_free(p->lowered);
    p->lowered = NULL;
}

void partition_free(Partition *p) {
    partition_forget(p);
    if (p->manual.m) module_free(p->manual.m);
    arena_free(&p->arena);
}

// A tactic begins: what was lowered no longer holds, and what is done now is done in its name.
static void begin_tactic(Partition *p, Span name) {
    partition_forget(p);
    p->state.tactic = (uint16_t)p->applied.n;
    p->state.tactic_names.n = p->applied.n;
    vec_push(&p->arena, &p->state.tactic_names, name);
}

// It is kept if what it left can be lowered.
static bool end_tactic(Partition *p, Applied *a, uint32_t mark) {
    if (!partition_lowered(p)) {
        state_undo(&p->state, mark);
        return false;
    }
    a->mark = mark;
    a->summary = summarise(p->lowered, &p->arena);
    a->stops = stops_find(&p->state, a->axes, a->n_axes, &p->arena);
    vec_push(&p->arena, &p->applied, *a);
    return true;
}

bool partition_annotate(Partition *p) {
    Annotations found;
    if (p->manual.n_axes) {
        Applied a = {.name = SPAN("shard_map"), .n_axes = p->manual.n_axes, .axes = p->manual.axes};
        uint32_t mark = state_mark(&p->state);
        begin_tactic(p, a.name);
        manual_apply(&p->state, &p->manual, &a.counts);
        if (!end_tactic(p, &a, mark)) return false;
    }
    if (!annotations_find(&p->graph, &p->mesh, p->schedule->annotations, &p->arena, &found)) return false;
    for (uint32_t k = 0; k < found.n_axes; k++) {
        Applied a = {.name = SPAN("annotations"), .n_axes = 1, .axes = &found.axes[k]};
        uint32_t mark = state_mark(&p->state);
        begin_tactic(p, a.name);
        annotations_apply(&p->state, &found, found.axes[k], &a.counts);
        if (!end_tactic(p, &a, mark)) return false;
    }
    p->n_annotations = p->applied.n;
    return true;
}

bool partition_apply(Partition *p, const Tactic *t, const Source *source) {
    begin_tactic(p, t->name.text);
    AxisId *axes = arena_new(&p->arena, AxisId, t->n_axes);
    Applied a = {.name = t->name.text, .tactic = t, .n_axes = t->n_axes, .axes = axes};
    uint32_t mark = state_mark(&p->state);
    if (tactic_names_locations(t)) partition_name_locations(p);
    return tactic_axes(&p->mesh, t, source, p->ctx, &p->arena, axes) &&
           tactic_apply(&p->state, &p->targets, t, source, &p->arena, &a.counts) && end_tactic(p, &a, mark);
}

bool partition_order(uint32_t n, uint32_t k, AxisId *order) {
    if (n < 2 || n > 4 || k >= (n == 2 ? 2u : n == 3 ? 6u : 24u)) return false;
    AxisId left[4] = {0, 1, 2, 3};
    for (uint32_t i = 0; i < n; i++) { // the k-th permutation
        uint32_t pick = k % (n - i);
        k /= n - i;
        order[left[pick]] = (AxisId)i;
        for (uint32_t j = pick; j + 1 < n - i; j++) left[j] = left[j + 1];
    }
    return true;
}

// Another order of the axes within dimensions, for all values alike, when the nest's own order would need permutes.
static Lowered *try_orders(const State *s, GatherPolicy gathers, Lowered *best, Arena *a) {
    AxisId order[MESH_MAX_AXES];
    for (uint32_t k = 0; best->n_permutes && partition_order(best->n_ordered, k, order); k++) {
        Lowered *other = lower(s, &(LowerOptions){.gathers = gathers, .axis_order = order}, a);
        if (other && other->n_permutes < best->n_permutes) {
            lowered_free(best);
            best = other;
        } else {
            lowered_free(other);
        }
    }
    return best;
}

Lowered *lower_state(const State *s, GatherPolicy gathers, Arena *a) {
    Lowered *l = lower(s, &(LowerOptions){.gathers = gathers}, a);
    if (l && l->n_permutes) l = try_orders(s, gathers, l, a);
    if (!l || type_check(l, s, a)) return l;
    lowered_free(l);
    return NULL;
}

Lowered *partition_lowered(Partition *p) {
    if (!p->lowered) p->lowered = lower_state(&p->state, p->gathers, &p->scratch);
    return p->lowered;
}

Lowered *partition_lowered_after(Partition *p, uint32_t tactics) {
    State then = state_after(&p->state, tactics, &p->scratch);
    return lower_state(&then, p->gathers, &p->scratch);
}

Module *partition_stablehlo(Partition *p, ExportTarget target) {
    if (p->stablehlo[target] || !partition_lowered(p)) return p->stablehlo[target];
    Module *m = to_stablehlo(p->lowered, target, &p->scratch);
    if (!check_module(m)) {
        module_free(m);
        return NULL;
    }
    return p->stablehlo[target] = m;
}
