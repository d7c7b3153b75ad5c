// Shardings: reads them from the text that the module keeps.
#include "core/annotation/sharding.h"

typedef struct ShardingText {
    Span rest;
    Arena *a;
} ShardingText;

typedef VEC(ShardingAxis) ShardingAxes;

static void stext_skip(ShardingText *c, size_t n) { c->rest = (Span){c->rest.at + n, c->rest.n - n}; }

static bool stext_take(ShardingText *c, const char *text) {
    while (c->rest.n > 0 && *c->rest.at == ' ') stext_skip(c, 1);
    size_t n = strlen(text);
    if (c->rest.n < n || memcmp(c->rest.at, text, n) != 0) return false;
    stext_skip(c, n);
    return true;
}

static bool stext_string(ShardingText *c, Span *out) {
    if (!stext_take(c, "\"")) return false;
    size_t n = 0;
    while (n < c->rest.n && c->rest.at[n] != '"') n++;
    *out = (Span){c->rest.at, n};
    if (n == c->rest.n) return false;
    stext_skip(c, n + 1);
    return true;
}

static bool stext_number(ShardingText *c, int64_t *out) {
    size_t n = 0;
    stext_take(c, "");
    for (*out = 0; n < c->rest.n && c->rest.at[n] >= '0' && c->rest.at[n] <= '9'; n++) {
        if (*out > INT64_MAX / 10 - 1) return false;
        *out = *out * 10 + (c->rest.at[n] - '0');
    }
    stext_skip(c, n);
    return n > 0;
}

// axis = string [ ":" "(" integer ")" integer ]
static bool sharding_axis(ShardingText *c, ShardingAxis *out) {
    int64_t number;
    *out = (ShardingAxis){0};
    if (!stext_string(c, &out->name)) return false;
    if (!stext_take(c, ":")) return true;
    out->part = true;
    return stext_take(c, "(") && stext_number(c, &number) && stext_take(c, ")") && stext_number(c, &number);
}

// axes = "{" [ ( axis | "?" ) { "," ( axis | "?" ) } ] "}"
static bool sharding_axis_list(ShardingText *c, uint32_t *n, const ShardingAxis **out, bool *open) {
    ShardingAxes axes = {0};
    *open = false;
    if (!stext_take(c, "{")) return false;
    if (!stext_take(c, "}")) {
        do {
            ShardingAxis axis;
            if (stext_take(c, "?")) {
                *open = true;
                continue;
            }
            if (!sharding_axis(c, &axis)) return false;
            vec_push(c->a, &axes, axis);
        } while (stext_take(c, ","));
        if (!stext_take(c, "}")) return false;
    }
    *n = axes.n;
    *out = axes.at;
    return true;
}

// What is in brackets of any kind, passed over.
static bool sharding_skip_brackets(ShardingText *c) {
    size_t depth = 0;
    for (size_t i = 0; i < c->rest.n; i++) {
        if (strchr("<[{(", c->rest.at[i])) depth++;
        if (!strchr(">]})", c->rest.at[i])) continue;
        if (--depth > 0) continue;
        stext_skip(c, i + 1);
        return true;
    }
    return false;
}

// mesh = "@" symbol | "mesh" "<" … ">"
static bool sharding_mesh_name(ShardingText *c, Span *out) {
    *out = (Span){"", 0};
    if (stext_take(c, "mesh")) return sharding_skip_brackets(c);
    if (!stext_take(c, "@")) return false;
    if (c->rest.n > 0 && *c->rest.at == '"') return stext_string(c, out);
    size_t n = 0;
    while (n < c->rest.n && !strchr(",> ", c->rest.at[n])) n++;
    *out = (Span){c->rest.at, n};
    stext_skip(c, n);
    return n > 0;
}

// sharding = "<" mesh "," "[" dims "]" { "," ( "replicated" | "unreduced" ) "=" axes } ">"
static bool sharding_body(ShardingText *c, Sharding *out) {
    VEC(ShardingDim) dims = {0};
    *out = (Sharding){0};
    if (!stext_take(c, "<") || !sharding_mesh_name(c, &out->mesh) || !stext_take(c, ",") || !stext_take(c, "[")) return false;
    if (!stext_take(c, "]")) {
        do {
            ShardingDim dim;
            int64_t priority;
            if (!sharding_axis_list(c, &dim.n, &dim.axes, &dim.open)) return false;
            if (c->rest.n > 0 && *c->rest.at == 'p' && stext_take(c, "p") && !stext_number(c, &priority)) return false;
            vec_push(c->a, &dims, dim);
        } while (stext_take(c, ","));
        if (!stext_take(c, "]")) return false;
    }
    out->rank = dims.n;
    out->dims = dims.at;
    while (stext_take(c, ",")) {
        bool open, replicated = stext_take(c, "replicated");
        uint32_t n;
        const ShardingAxis *axes;
        if (!replicated && !stext_take(c, "unreduced")) return false;
        if (!stext_take(c, "=") || !sharding_axis_list(c, &n, &axes, &open)) return false;
        if (replicated) out->n_replicated = n, out->replicated = axes;
    }
    return stext_take(c, ">");
}

bool sharding_read(Span text, Arena *a, Sharding *out) {
    ShardingText c = {text, a};
    return stext_take(&c, "#sdy.sharding") && sharding_body(&c, out) && c.rest.n == 0;
}

bool shardings_read(Span text, Arena *a, uint32_t *n, const Sharding **out) {
    ShardingText c = {text, a};
    VEC(Sharding) all = {0};
    if (!stext_take(&c, "#sdy.sharding_per_value<") || !stext_take(&c, "[")) return false;
    if (!stext_take(&c, "]")) {
        do {
            Sharding s;
            if (!sharding_body(&c, &s)) return false;
            vec_push(a, &all, s);
        } while (stext_take(&c, ","));
        if (!stext_take(&c, "]")) return false;
    }
    *n = all.n;
    *out = all.at;
    return stext_take(&c, ">");
}

bool sharding_axes_read(Span text, Arena *a, uint32_t *n, const ShardingAxis **out) {
    ShardingText c = {text, a};
    bool open;
    return stext_take(&c, "#sdy<manual_axes") && sharding_axis_list(&c, n, out, &open) && !open && stext_take(&c, ">");
}

// mesh = "#sdy.mesh" "<" "[" [ string "=" integer { "," string "=" integer } ] "]" [ "," "device_ids" … ] ">"
static bool sharding_mesh_axes(Span text, Arena *a, ShardingMesh *out) {
    ShardingText c = {text, a};
    VEC(Span) names = {0};
    VEC(int64_t) sizes = {0};
    if (!stext_take(&c, "#sdy.mesh") || !stext_take(&c, "<") || !stext_take(&c, "[")) return false;
    if (!stext_take(&c, "]")) {
        do {
            Span name;
            int64_t size;
            if (!stext_string(&c, &name) || !stext_take(&c, "=") || !stext_number(&c, &size)) return false;
            vec_push(a, &names, name);
            vec_push(a, &sizes, size);
        } while (stext_take(&c, ","));
        if (!stext_take(&c, "]")) return false;
    }
    *out = (ShardingMesh){names.n, names.at, sizes.at, stext_take(&c, ",")};
    return out->permuted || stext_take(&c, ">");
}

bool sharding_mesh_read(const Module *m, Span symbol, Arena *a, ShardingMesh *out) {
    for (OpId op = m->regions.at[0].first; op != NO_ID; op = op_get(m, op)->next)
        if (op_kind(m, op) == OP_sdy_mesh && span_eq(op_attr_text(m, op, A_sym_name), symbol)) {
            AttrId mesh = op_attr(m, op, A_mesh);
            return mesh != NO_ID && sharding_mesh_axes(attr_get(m, mesh)->text, a, out);
        }
    return false;
}
