// Groups collectives that are equal except for numbers in the names of what they serve and of their places.
//
//     params/layers/0/up/kernel, params/layers/1/up/kernel, …        params/layers/*/up/kernel, 24 of them
#include "spmd/summary/attribution.h"
#include "support/sort.h"

// The end of the number at `c` that stands for itself in a path: `3` in layers/3/up and layers_3, not in fp8 or in a place.
// NULL if there is none.
static const char *number_end(const char *text, const char *c, const char *place) {
    if (!is_digit(*c) || (place && c >= place)) return NULL;
    if (c > text && !strchr("/_[", c[-1])) return NULL;
    while (is_digit(*c)) c++;
    return !*c || strchr("/_] ", *c) ? c : NULL;
}

const char *without_numbers(const char *text, const char *like, Arena *a) {
    Buffer b;
    buf_init(&b, a);
    const char *place = strstr(text, " at ");
    for (const char *c = text, *l = like; *c;) {
        const char *end = number_end(text, c, place), *other = l;
        if (!end) {
            buf_char(&b, *c++);
            if (l) l++;
            continue;
        }
        if (l && *l == '*')
            other++;
        else
            while (l && is_digit(*other)) other++;
        if (l && end - c == other - l && memcmp(c, l, (size_t)(end - c)) == 0)
            buf_put(&b, c, (size_t)(end - c));
        else
            buf_char(&b, '*');
        c = end;
        if (l) l = other;
    }
    return buf_cstr(&b);
}

static uint32_t hash_text(uint32_t h, const char *text) {
    for (; *text; text++) h = hash_u32(h, (unsigned char)*text);
    return h;
}

static bool more_bytes(const AttributedGroup *a, const AttributedGroup *b) {
    if (a->bytes != b->bytes) return a->bytes > b->bytes;
    return a->first->op < b->first->op;
}

DEFINE_SORT(sort_groups, AttributedGroup, more_bytes)

typedef struct GroupKey { // without any numbers
    const char *serves;
    const char *path;
} GroupKey;

typedef struct Grouping {
    Arena *a;
    IdMap map, served;
    VEC(AttributedGroup) groups;
    VEC(GroupKey) keys;
} Grouping;

static uint32_t find_summary_group(Grouping *g, const Attributed *c) {
    const char *serves = without_numbers(c->serves, NULL, g->a), *path = without_numbers(c->path, NULL, g->a);
    uint32_t hash = hash_text(hash_text(hash_u32(c->kind, (uint32_t)c->tactic), serves), path);
    hash = hash_u32(hash, (uint32_t)c->axes);
    for (uint32_t p = hash, id; (id = idmap_probe(&g->map, hash, &p)) != IDMAP_END;) {
        const AttributedGroup *x = &g->groups.at[id];
        if (x->first->kind == c->kind && x->first->axes == c->axes && x->first->tactic == c->tactic &&
            x->first->what == c->what && strcmp(g->keys.at[id].serves, serves) == 0 &&
            strcmp(g->keys.at[id].path, path) == 0)
            return id;
    }
    idmap_add(&g->map, hash, g->groups.n);
    vec_push(g->a, &g->groups, ((AttributedGroup){.first = c, .serves = c->serves, .path = c->path}));
    vec_push(g->a, &g->keys, ((GroupKey){serves, path}));
    return g->groups.n - 1;
}

// Whether a group meets what a collective serves for the first time.
static bool is_new(Grouping *g, const Attribution *x, const uint32_t *group, uint32_t i) {
    uint32_t hash = hash_text(group[i], x->at[i].serves);
    for (uint32_t p = hash, id; (id = idmap_probe(&g->served, hash, &p)) != IDMAP_END;)
        if (group[id] == group[i] && strcmp(x->at[id].serves, x->at[i].serves) == 0) return false;
    idmap_add(&g->served, hash, i);
    return true;
}

AttributedGroups attribution_groups(const Attribution *x, Arena *a) {
    Grouping g = {.a = a};
    idmap_init(&g.map, a);
    idmap_init(&g.served, a);
    uint32_t *group = arena_new(a, uint32_t, x->n);
    for (uint32_t i = 0; i < x->n; i++) {
        const Attributed *c = &x->at[i];
        group[i] = find_summary_group(&g, c);
        AttributedGroup *k = &g.groups.at[group[i]];
        k->n++;
        k->runs += c->runs;
        k->bytes += c->bytes;
        k->seconds += c->seconds;
        k->exposed += c->exposed;
        if (!is_new(&g, x, group, i)) continue;
        k->n_served++;
        k->serves = without_numbers(c->serves, k->serves, a);
        k->path = without_numbers(c->path, k->path, a);
    }
    sort_groups(g.groups.at, g.groups.n, a);
    return (AttributedGroups){g.groups.n, g.groups.at};
}
