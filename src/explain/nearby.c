// Nearby: a breadth-first search along values from some nodes. It collects the targets of each node that it reaches.
#include "explain/nearby.h"
#include "spmd/summary/attribution.h"

enum { MOST_NODES = 2000, NEAR = 2 }; // nodes to look at; how far away a location is still offered

typedef struct NearbyWalk {
    const Graph *g;
    const Targets *t;
    Arena *a;
    uint32_t *first, *next; // by node: its first target; by target: the next one of its node
    VEC(NodeId) queue;
    uint8_t *distance; // by node; 0: not met
    VEC(NamedValue) found;
} NearbyWalk;

static void index_targets(NearbyWalk *w) {
    w->first = arena_new(w->a, uint32_t, w->g->n_nodes);
    w->next = arena_new(w->a, uint32_t, w->t->n);
    memset(w->first, 0xff, w->g->n_nodes * sizeof *w->first);
    for (uint32_t i = w->t->n; i-- > 0;) {
        w->next[i] = w->first[w->t->at[i].node];
        w->first[w->t->at[i].node] = i;
    }
}

// The name with its layers together, if all that it then means have the same rank; otherwise as it is.
static const char *pattern_for(NearbyWalk *w, uint32_t target) {
    const Target *of = &w->t->at[target];
    const Module *m = w->g->m;
    const char *tail = of->name; // which result it is stays
    if (strncmp(tail, "out/", 4) == 0) tail += 4 + strcspn(tail + 4, "/");
    Buffer text;
    buf_init(&text, w->a);
    buf_put(&text, of->name, (size_t)(tail - of->name));
    buf_str(&text, without_numbers(tail, NULL, w->a));
    const char *pattern = buf_cstr(&text);
    if (strcmp(pattern, of->name) == 0) return of->name;
    bool location = target >= w->t->n_without_locations;
    for (uint32_t i = location ? w->t->n_without_locations : 0; i < w->t->n; i++) {
        if (!location && i >= w->t->n_without_locations) break;
        if (pattern_match(span_of(pattern), w->t->at[i].name) &&
            type_get(m, w->t->at[i].type)->rank != type_get(m, of->type)->rank)
            return of->name;
    }
    return pattern;
}

static bool reads_as_pattern(const char *name) { return strpbrk(name, "*{},\"") != NULL; }

// loc/decoder/up/dot_general, and not loc/dot_general, which is any of them.
static bool has_scope(const char *location) { return strchr(location + 4, '/') != NULL; }

static void add_target(NearbyWalk *w, uint32_t target) {
    const Target *t = &w->t->at[target];
    const Type *type = type_get(w->g->m, t->type);
    if (type->kind != TYPE_TENSOR || type->rank == 0 || reads_as_pattern(t->name)) return;
    if (target >= w->t->n_without_locations && !has_scope(t->name)) return;
    const char *pattern = pattern_for(w, target);
    for (uint32_t i = 0; i < w->found.n; i++)
        if (strcmp(w->found.at[i].pattern, pattern) == 0) return;
    vec_push(w->a, &w->found, ((NamedValue){pattern, t->name, type, target >= w->t->n_without_locations}));
}

static void visit_node(NearbyWalk *w, NodeId n, uint32_t distance) {
    if (n == NO_ID || w->distance[n] || w->queue.n >= MOST_NODES) return;
    w->distance[n] = (uint8_t)(distance > 254 ? 255 : distance + 1);
    vec_push(w->a, &w->queue, n);
}

Nearby nearby_find(const Graph *g, const Targets *t, const NodeId *from, uint32_t n, uint32_t most, Arena *a) {
    NearbyWalk w = {.g = g, .t = t, .a = a};
    index_targets(&w);
    w.distance = arena_zalloc(a, g->n_nodes);
    for (uint32_t i = 0; i < n; i++) visit_node(&w, from[i], 0);
    for (uint32_t k = 0; k < w.queue.n && w.found.n < most; k++) {
        NodeId node = w.queue.at[k];
        uint32_t distance = w.distance[node];
        for (uint32_t i = w.first[node]; i != NO_ID && w.found.n < most; i = w.next[i])
            if (i < t->n_without_locations || distance <= NEAR + 1) add_target(&w, i);
        for (uint32_t tensor = 0; tensor < rule_tensors(g->nodes[node].rule); tensor++) {
            ValueId v = node_value(g, node, tensor);
            visit_node(&w, g->producer[v].node, distance);
            for (uint32_t u = g->first_use[v]; u < g->first_use[v + 1]; u++) visit_node(&w, g->use_ports[u].node, distance);
        }
    }
    return (Nearby){w.found.n, w.found.at};
}
