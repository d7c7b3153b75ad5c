// Aliases: device groups that are long and stand at several collectives are written once, at the top.
//
//     #groups0 = dense<[[0, 1, 2, …]]> : tensor<8x1024xi64>
//     … "stablehlo.all_reduce"(%0) <{replica_groups = #groups0}> …
#include "stablehlo/print/print_state.h"

enum { SHORT = 64 }; // characters: what is no longer is repeated

typedef struct AliasGroup {
    AttrId first;
    uint32_t uses;
    uint32_t alias; // 1 + number, 0 before it has one
} AliasGroup;

typedef struct AliasGroups {
    VEC(AliasGroup) at;
    IdMap map;
    uint32_t *of; // 1 + group of each attribute, 0: none
} AliasGroups;

static size_t length_of(const Attr *a) {
    return a->sub == DENSE_BYTES ? a->text.n / 8 * 3 : a->text.n; // 64-bit numbers, of few digits each
}

// Long constants are not interned, so equal groups may have several ids.
static uint32_t find_alias_group(Printer *p, AliasGroups *g, AttrId id) {
    const Attr *a = attr_get(p->m, id);
    uint32_t hash = hash_u32(span_hash(a->text), a->type);
    for (uint32_t at = hash, i; (i = idmap_probe(&g->map, hash, &at)) != IDMAP_END;) {
        const Attr *b = attr_get(p->m, g->at.at[i].first);
        if (a->type == b->type && a->sub == b->sub && span_eq(a->text, b->text)) return i;
    }
    vec_push(p->scratch, &g->at, ((AliasGroup){.first = id}));
    idmap_add(&g->map, hash, g->at.n - 1);
    return g->at.n - 1;
}

static void count_use(Printer *p, AliasGroups *g, AttrId id) {
    const Attr *a = id == NO_ID ? NULL : attr_get(p->m, id);
    if (!a || a->kind != ATTR_DENSE || length_of(a) <= SHORT) return;
    if (!g->of) {
        g->of = arena_zalloc(p->scratch, p->m->attrs.n * sizeof *g->of);
        idmap_init(&g->map, p->scratch);
    }
    if (!g->of[id]) g->of[id] = 1 + find_alias_group(p, g, id);
    g->at.at[g->of[id] - 1].uses++;
}

void aliases_find(Printer *p) {
    const Module *m = p->m;
    AliasGroups g = {0};
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        if (m->ops.at[op].n_attrs) count_use(p, &g, op_attr(m, op, A_replica_groups));
    uint32_t n = 0;
    for (uint32_t i = 0; i < g.at.n; i++)
        if (g.at.at[i].uses > 1) g.at.at[i].alias = ++n;
    if (!n) return;
    for (uint32_t i = 0; i < g.at.n; i++) {
        if (!g.at.at[i].alias) continue;
        PUT(p, "#groups");
        buf_uint(p->out, g.at.at[i].alias - 1);
        PUT(p, " = ");
        print_attr(m, g.at.at[i].first, p->out);
        PUT(p, "\n");
    }
    for (uint32_t i = 0; i < m->attrs.n; i++)
        if (g.of[i]) g.of[i] = g.at.at[g.of[i] - 1].alias;
    p->attr_alias = g.of;
}
