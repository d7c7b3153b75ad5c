// Problems: identifies a collective by the value it moves and the op it serves, a conflict by its node, an op by its nest.
#include "explain/problem.h"
#include "explain/why.h"
#include "ir/analysis/roots.h"
#include "sim/cost/cost.h"

static uint32_t find_member(const Problem *x, ValueId root, OpId user) {
    uint32_t hash = hash_u32(root, user);
    for (uint32_t p = hash, id; (id = idmap_probe(&x->members, hash, &p)) != IDMAP_END;)
        if (x->at.at[id].root == root && x->at.at[id].user == user) return id;
    return NO_ID;
}

static ValueId root_of(const Problem *x, const Attributed *c) { return c->source == NO_ID ? NO_ID : x->root[c->source]; }

static const char *collective_text(Partition *p, const Attributed *c, uint32_t number, Arena *a) {
    Buffer b;
    buf_init(&b, a);
    why_head(p, c, number, &b);
    while (b.n && b.at[b.n - 1] == '\n') b.n--;
    return buf_cstr(&b);
}

Problem problem_of_collective(Partition *p, const Attribution *all, uint32_t i, Arena *a) {
    const Attributed *c = &all->at[i];
    Problem x = {.kind = PROBLEM_COLLECTIVE,
                 .says = collective_text(p, c, i, a),
                 .axes = axes_named(p->lowered->mesh, c->axes),
                 .collective = c->kind,
                 .root = roots_find(p->m, a)};
    idmap_init(&x.members, a);
    const char *serves = x.serves = without_numbers(c->serves, NULL, a), *path = x.path = without_numbers(c->path, NULL, a);
    for (uint32_t k = 0; k < all->n; k++) {
        const Attributed *o = &all->at[k];
        if (o->kind != c->kind || o->axes != c->axes || o->tactic != c->tactic) continue;
        if (strcmp(without_numbers(o->serves, NULL, a), serves) || strcmp(without_numbers(o->path, NULL, a), path)) continue;
        x.n++;
        if (find_member(&x, root_of(&x, o), o->user) != NO_ID) continue;
        idmap_add(&x.members, hash_u32(root_of(&x, o), o->user), x.at.n);
        vec_push(a, &x.at, ((struct ProblemMember){root_of(&x, o), o->user}));
    }
    if (c->user != NO_ID && p->graph.op_node[c->user] != NO_ID) vec_push(a, &x.nodes, p->graph.op_node[c->user]);
    if (c->source != NO_ID && p->graph.producer[c->source].node != NO_ID)
        vec_push(a, &x.nodes, p->graph.producer[c->source].node);
    ValueId root = root_of(&x, c);
    if (root != NO_ID && p->graph.producer[root].node != NO_ID) vec_push(a, &x.nodes, p->graph.producer[root].node);
    return x;
}

Problem problem_of_conflict(const Partition *p, const Conflict *c, Arena *a) {
    Problem x = {.kind = PROBLEM_CONFLICT, .node = c->node, .race = c->race, .n = 1};
    x.axes = (AxisSet)1 << axis_named(&p->mesh, c->axis);
    Buffer b;
    buf_init(&b, a);
    buf_str(&b, c->race ? "a race at " : "a conflict at ");
    explain_node(p, c->node, &b);
    buf_format(&b, " on %.*s", (int)p->mesh.axes[c->axis].name.n, p->mesh.axes[c->axis].name.at);
    x.says = buf_cstr(&b);
    vec_push(a, &x.nodes, c->node);
    return x;
}

double problem_flops(const Module *m, OpId op) {
    Cost c = op_cost(m, op);
    return c.matrix + c.vector;
}

Problem problem_of_replicated(const Partition *p, OpId op, Arena *a) {
    Problem x = {.kind = PROBLEM_REPLICATED, .node = p->graph.op_node[op], .n = 1};
    for (uint32_t k = 0; k < p->mesh.n_axes; k++) x.axes |= (AxisSet)1 << k;
    Buffer b;
    buf_init(&b, a);
    buf_format(&b, "an op that every device runs whole, %.3g FLOP: ", problem_flops(p->m, op));
    explain_op(p->m, op, &b);
    x.says = buf_cstr(&b);
    vec_push(a, &x.nodes, x.node);
    return x;
}

static uint32_t collectives_left(const Problem *x, const State *s, const Lowered *l, Arena *a) {
    Attribution all = attribute(l, s, a);
    uint32_t n = 0;
    for (uint32_t i = 0; i < all.n; i++) {
        const Attributed *c = &all.at[i];
        if (c->kind != x->collective || !(axes_named(l->mesh, c->axes) & x->axes)) continue;
        n += find_member(x, root_of(x, c), c->user) != NO_ID || // or another that a user could not tell from it
             (strcmp(without_numbers(c->serves, NULL, a), x->serves) == 0 && strcmp(without_numbers(c->path, NULL, a), x->path) == 0);
    }
    return n;
}

uint32_t problem_remains(const Problem *x, const State *s, const Lowered *l, Arena *a) {
    uint32_t n = 0;
    switch (x->kind) {
    case PROBLEM_COLLECTIVE: return collectives_left(x, s, l, a);
    case PROBLEM_REPLICATED: return s->nest_n[x->node] == 0;
    case PROBLEM_CONFLICT:
        for (uint32_t i = 0; i < s->conflicts.n; i++) {
            const Conflict *c = &s->conflicts.at[i];
            n += c->node == x->node && (x->axes >> axis_named(s->mesh, c->axis) & 1);
        }
        return n;
    }
    return n;
}
