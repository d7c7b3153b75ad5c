// Inner values: groups the values that have one colour in two dimensions by pattern and type. A group is used if its pattern
// names no other value.
#include "auto/inner.h"

// What means something else in a pattern, or cannot be shown.
static bool is_none_of_patterns(char c, bool printable) {
    return strchr("*{},\"", c) || (!printable && ((unsigned char)c < 0x20 || (unsigned char)c > 0x7e));
}

const char *path_pattern(const char *path, uint8_t numbers, Arena *a) {
    Buffer b;
    buf_init(&b, a);
    bool printable = text_is_printable(path, strlen(path), false);
    uint32_t k = 0; // numbers so far
    for (const char *p = path; *p;) {
        size_t digits = strspn(p, "0123456789");
        bool number = digits && numbers >> (k < 7 ? k : 7) & 1;
        k += digits > 0;
        size_t n = number || is_none_of_patterns(*p, printable) ? 0 : digits ? digits : 1;
        buf_put(&b, p, n);
        if (!n && (!b.n || b.at[b.n - 1] != '*')) buf_char(&b, '*');
        p += digits ? digits : 1;
    }
    return buf_cstr(&b);
}

typedef struct InnerGroup {
    const char *pattern;
    TypeId type;
    Inner inner;
    VEC(uint32_t) members;
} InnerGroup;

typedef struct InnerFinder {
    const Graph *g;
    const Colours *colours;
    const Targets *targets;
    Arena *a;
    VEC(InnerGroup) groups;
} InnerFinder;

// Two dimensions of one colour.
static bool has_twice(const InnerFinder *f, const Target *t, Inner *out) {
    const Type *type = type_get(f->g->m, t->type);
    if (type->kind != TYPE_TENSOR || type->rank > 16) return false;
    for (uint32_t i = 0; i < type->rank; i++)
        for (uint32_t k = i + 1; k < type->rank; k++) {
            uint32_t colour = colour_of(f->colours, t->value, i);
            if (type->dims[i] <= 1 || type->dims[k] <= 1 || colour_of(f->colours, t->value, k) != colour) continue;
            *out = (Inner){.colour = colour, .dims = {(int16_t)i, (int16_t)k}};
            return true;
        }
    return false;
}

// loc/decoder/up/dot_general, and not loc/dot_general, which is any of them; nothing that reads as a pattern.
static bool is_line_name(const char *name, bool location) {
    return !strpbrk(name, "*{},\"") && (!location || strchr(name + 4, '/'));
}

static void add_inner(InnerFinder *f, uint32_t target) {
    const Target *t = &f->targets->at[target];
    Inner inner;
    if (!is_line_name(t->name, target >= f->targets->n_without_locations) || !has_twice(f, t, &inner)) return;
    const char *pattern = path_pattern(t->name, PATH_NUMBERS, f->a);
    for (uint32_t i = f->groups.n; i-- > 0;) {
        InnerGroup *group = &f->groups.at[i];
        if (group->type != t->type || strcmp(group->pattern, pattern) != 0) continue;
        vec_push(f->a, &group->members, target);
        return;
    }
    InnerGroup group = {.pattern = pattern, .type = t->type, .inner = inner};
    vec_push(f->a, &group.members, target);
    vec_push(f->a, &f->groups, group);
}

static bool names_nothing_else(const InnerFinder *f, const InnerGroup *group) {
    bool location = group->members.at[0] >= f->targets->n_without_locations;
    uint32_t from = location ? f->targets->n_without_locations : 0, matched = 0;
    uint32_t to = location ? f->targets->n : f->targets->n_without_locations;
    for (uint32_t i = from; i < to && matched <= group->members.n; i++)
        matched += pattern_match(span_of(group->pattern), f->targets->at[i].name);
    return matched == group->members.n;
}

static bool is_product_target(const Graph *g, const Target *t) {
    return g->nodes[t->node].kind == NODE_OP && op_kind(g->m, g->nodes[t->node].op) == OP_dot_general;
}

Inners inners_find(const Graph *g, const Colours *colours, const Targets *targets, const bool *left_alone, Arena *a) {
    enum { MOST_INNERS = 4, MOST_LOOKED_AT = 64 };
    InnerFinder f = {.g = g, .colours = colours, .targets = targets, .a = a};
    uint32_t first = g->n_arguments + g->n_results, tags = targets->n_without_locations;
    for (uint32_t i = first; i < tags; i++)
        if (!left_alone[i]) add_inner(&f, i);
    for (int products = 1; products >= 0; products--) // what makes such values before what only passes them on
        for (uint32_t i = tags; i < targets->n; i++)
            if (!left_alone[i] && is_product_target(g, &targets->at[i]) == products) add_inner(&f, i);
    Inners found = {0};
    for (uint32_t i = 0; i < f.groups.n && i < MOST_LOOKED_AT && found.n < MOST_INNERS; i++) {
        InnerGroup *group = &f.groups.at[i];
        bool known = false;
        for (uint32_t k = 0; k < found.n && !known; k++)
            known = targets->at[found.at[k].targets[0]].type == group->type;
        if (known || !names_nothing_else(&f, group)) continue;
        group->inner.n = group->members.n;
        group->inner.targets = group->members.at;
        vec_push(a, &found, group->inner);
    }
    return found;
}
