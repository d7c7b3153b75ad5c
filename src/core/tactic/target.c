// Targets: lists the named values of a program, and the dimensions of them that the program indexes dynamically (the layer
// dimension of scanned parameters).
#include "core/tactic/tactic.h"
#include "core/tactic/value_names.h"

static ValueId find_root(ValueId *parent, ValueId v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

// Dimensions that a dynamic slice or update takes a part of, as bits. Values that elementwise ops and identities
// connect count as one: an optimizer's moments must be tiled as the scanned parameters they belong to.
static void mark_indexed(const Graph *g, ValueId *parent, uint64_t *marks) {
    const Module *m = g->m;
    for (NodeId n = 0; n < g->n_nodes; n++) {
        const Node *node = &g->nodes[n];
        if (!node->rule->elementwise) continue;
        ValueId first = NO_ID;
        for (uint32_t t = 0; t < rule_tensors(node->rule); t++) {
            if (rule_rank(node->rule, t) == 0) continue;
            ValueId root = find_root(parent, node_value(g, n, t));
            if (first == NO_ID)
                first = root;
            else
                parent[root] = find_root(parent, first);
        }
    }
    for (NodeId n = 0; n < g->n_nodes; n++) {
        const Node *node = &g->nodes[n];
        if (node->kind != NODE_OP) continue;
        OpKind kind = op_kind(m, node->op);
        if (kind != OP_dynamic_slice && kind != OP_dynamic_update_slice) continue;
        const Type *whole = operand_type(m, node->op, 0);
        const Type *part = kind == OP_dynamic_slice ? result_type(m, node->op, 0) : operand_type(m, node->op, 1);
        uint64_t bits = 0;
        for (uint32_t d = 0; d < whole->rank && d < 64; d++)
            if (part->dims[d] != whole->dims[d]) bits |= (uint64_t)1 << d;
        marks[find_root(parent, node_value(g, n, 0))] |= bits;
        if (kind == OP_dynamic_update_slice) marks[find_root(parent, node_value(g, n, node->rule->n_operands))] |= bits;
    }
}

static uint32_t path_hash(const char *path) {
    uint32_t h = 0;
    for (; *path; path++) h = hash_u32(h, (unsigned char)*path);
    return h;
}

// Groups targets by their names, but for the first ones, arguments and results, which are one of a kind.
static void find_paths(Targets *t, uint32_t n_single, Arena *a) {
    IdMap map;
    idmap_init(&map, a);
    uint32_t *path = arena_new(a, uint32_t, t->n), *representative = arena_new(a, uint32_t, t->n);
    uint32_t *first = arena_zalloc(a, ((size_t)t->n + 1) * sizeof *first);
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t hash = path_hash(t->at[i].name), id = IDMAP_END;
        for (uint32_t p = hash; i >= n_single && (id = idmap_probe(&map, hash, &p)) != IDMAP_END;)
            if (strcmp(t->at[representative[id]].name, t->at[i].name) == 0) break;
        if (id == IDMAP_END) {
            id = t->n_paths++;
            representative[id] = i;
            if (i >= n_single) idmap_add(&map, hash, id);
            if (i < t->n_without_locations) t->n_paths_without_locations = t->n_paths;
        }
        path[i] = id;
        first[id + 1]++;
    }
    for (uint32_t i = 0; i < t->n_paths; i++) first[i + 1] += first[i];
    uint32_t *members = arena_new(a, uint32_t, t->n), *next = representative;
    memcpy(next, first, t->n_paths * sizeof *next);
    for (uint32_t i = 0; i < t->n; i++) members[next[path[i]]++] = i;
    t->first_member = first;
    t->members = members;
}

uint32_t targets_find(const Targets *t, const char *path) {
    for (uint32_t i = 0; i < t->n_paths; i++)
        if (strcmp(path_target(t, i)->name, path) == 0) return i;
    return NO_ID;
}

Targets targets_build(const Graph *g, bool locations, Arena *a) {
    const Module *m = g->m;
    VEC(Target) all = {0};
    RegionId body = g->body;
    OpId ret = region_terminator(m, body);
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        NodeId n = g->argument_node[i];
        ValueId v = m->regions.at[body].first_arg + i;
        vec_push(a, &all, ((Target){m->argument_names[i], n, g->nodes[n].rule->n_operands, v, value_type(m, v)}));
    }
    for (uint32_t i = 0; i < g->n_results; i++) {
        ValueId v = op_operand(m, ret, i);
        vec_push(a, &all, ((Target){m->result_names[i], g->result_node[i], 0, v, value_type(m, v)}));
    }
    for (NodeId n = 0; n < g->n_nodes; n++) {
        if (g->nodes[n].kind != NODE_OP || op_kind(m, g->nodes[n].op) != OP_partir_tag) continue;
        Buffer name;
        buf_init(&name, a);
        buf_name(&name, op_attr_text(m, g->nodes[n].op, A_name));
        ValueId v = op_result(m, g->nodes[n].op, 0);
        vec_push(a, &all, ((Target){buf_cstr(&name), n, 1, v, value_type(m, v)}));
    }
    uint32_t n_without_locations = all.n;
    for (NodeId n = 0; locations && n < g->n_nodes; n++) {
        const Node *node = &g->nodes[n];
        bool is_sum = node->kind == NODE_SUM;
        if (!is_sum &&
            (node->kind != NODE_OP || op_kind(m, node->op) == OP_partir_tag || op_get(m, node->op)->n_results != 1))
            continue;
        ValueId v = op_result(m, node->op, is_sum ? node->sub : 0);
        if (!is_sum && g->value_sum[v] != NO_ID) continue; // named through its sum
        const char *path = location_path(m, node->op, a);
        if (path) vec_push(a, &all, ((Target){path, n, node->rule->n_operands, v, value_type(m, v)}));
    }
    ValueId *parent = arena_new(a, ValueId, g->n_values);
    for (ValueId v = 0; v < g->n_values; v++) parent[v] = v;
    uint64_t *marks = arena_zalloc(a, g->n_values * sizeof *marks);
    mark_indexed(g, parent, marks);
    Targets t = {.n = all.n,
                 .n_without_locations = n_without_locations,
                 .at = all.at,
                 .indexed = arena_new(a, uint64_t, all.n)};
    for (uint32_t i = 0; i < t.n; i++) t.indexed[i] = marks[find_root(parent, t.at[i].value)];
    find_paths(&t, g->n_arguments + g->n_results, a);
    return t;
}

// A path that is `prefix` or lies below it: what follows the prefix, or NULL.
static const char *below(const char *path, Span prefix) {
    if (strncmp(path, prefix.at, prefix.n) != 0) return NULL;
    const char *rest = path + prefix.n;
    return *rest == 0 || *rest == '/' ? rest : NULL;
}

bool ties_resolve(const Module *m, const Schedule *s, Arena *a, const TiedPair **ties, uint32_t *n) {
    const Region *body = &m->regions.at[op_region(m, module_main(m), 0)];
    OpId ret = body->last;
    uint32_t n_results = op_get(m, ret)->n_operands;
    VEC(TiedPair) all = {0};
    bool *arg_used = arena_zalloc(a, body->n_args), *result_used = arena_zalloc(a, n_results);
    for (uint32_t k = 0; k < s->n_ties; k++) {
        uint32_t before = all.n, r = 0;
        for (uint32_t i = 0; i < body->n_args; i++) {
            const char *tail = below(m->argument_names[i], s->ties[k].from.text);
            if (!tail || arg_used[i]) continue;
            // Both sides are usually in the same order: look from where the last one was found.
            for (uint32_t step = 0; step < n_results; step++, r = (r + 1) % n_results) {
                const char *other = below(m->result_names[r], s->ties[k].to.text);
                if (!other || result_used[r] || strcmp(tail, other) != 0) continue;
                if (value_type(m, op_operand(m, ret, r)) != value_type(m, body->first_arg + i)) continue;
                vec_push(a, &all, ((TiedPair){i, r}));
                arg_used[i] = result_used[r] = true;
                break;
            }
        }
        if (all.n == before) {
            Span from = s->ties[k].from.text, to = s->ties[k].to.text;
            return diag_error(m->ctx, s->source, s->ties[k].from.offset,
                              LISTS_NAMES,
                              "the tie %.*s -> %.*s joins no argument with a result of the same path tail and type",
                              (int)from.n, from.at, (int)to.n, to.at);
        }
    }
    *ties = all.at;
    *n = all.n;
    return true;
}
