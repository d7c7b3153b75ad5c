// Culprits: groups the values alive at the peak by name without numbers, and by distribution.
#include "core/propagation/node_print.h"
#include "core/tactic/value_names.h"
#include "sim/report/sim_report.h"
#include "spmd/summary/summary.h"
#include "support/bytes.h"
#include "support/hash.h"
#include "support/json.h"
#include "support/sort.h"

// ---- Causes ---------------------------------------------------------------------------------------------------------

// The array program's value that `v` is, is another distribution of, or was made for; NO_ID if there is none.
static ValueId source_value(const Partition *p, ValueId v) {
    const Lowered *l = p->lowered;
    for (;;) {
        const Value *val = &l->m->values.at[v];
        if (val->is_arg) {
            bool of_main = l->m->regions.at[val->owner].parent == module_main(l->m);
            return of_main ? p->m->regions.at[p->graph.body].first_arg + val->index : NO_ID;
        }
        CollectiveKind kind;
        AxisSet axes;
        double sent;
        if (op_kind(l->m, val->owner) != OP_partir_all_slice &&
            !collective_of(l->m, l->mesh, val->owner, &kind, &axes, &sent)) {
            OpId origin = l->origin[val->owner];
            bool has = origin != NO_ID && val->index < op_get(p->m, origin)->n_results;
            return has ? op_result(p->m, origin, val->index) : NO_ID;
        }
        v = op_operand(l->m, val->owner, 0);
    }
}

// Whether a further tactic could split a value of the device-local program: the axis that would cut most off, and its
// dimension.
static bool value_could_split(const Partition *p, ValueId v, AxisId *axis, uint32_t *dim) {
    const Value *val = &p->lowered->m->values.at[v];
    ValueId source = val->is_arg || p->lowered->image[val->owner] ? source_value(p, v) : NO_ID;
    Port port = source == NO_ID ? (Port){NO_ID, 0} : p->graph.producer[source];
    const Dist *d = p->lowered->dist[v];
    int64_t most = 1;
    for (uint32_t a = 0; port.node != NO_ID && a < p->mesh.n_axes; a++) {
        bool used = state_factor(&p->state, port.node, (AxisId)a) != NO_FACTOR ||
                    (d && axes_named(p->lowered->mesh, d->pending) >> a & 1);
        if (used || p->mesh.axes[a].size <= most) continue;
        uint32_t rank = rule_rank(p->graph.nodes[port.node].rule, port.tensor);
        for (uint32_t i = 0; i < rank; i++) {
            uint8_t factor = state_factor_at(&p->state, port.node, port.tensor, i);
            if (state_legal(&p->state, port.node, (AxisId)a, factor) != ACTION_OK) continue;
            most = p->mesh.axes[a].size, *axis = (AxisId)a, *dim = i;
            break;
        }
    }
    return most > 1;
}

// ---- Names -----------------------------------------------------------------------------------------------------------

static void print_resident_kind(const Partition *p, ValueId v, Buffer *out) {
    const Module *m = p->lowered->m;
    const Value *val = &m->values.at[v];
    if (!val->is_arg)
        buf_str(out, op_info[op_kind(m, val->owner)].name);
    else if (m->regions.at[val->owner].parent == module_main(m))
        buf_format(out, "argument %s", p->m->argument_names[val->index]);
    else
        buf_format(out, "carried value %u", val->index);
}

// " at model.py:12", of what an op of the array program computes.
static void print_resident_place(const Partition *p, ValueId v, Buffer *out) {
    const Value *val = &p->lowered->m->values.at[v];
    OpId origin = val->is_arg ? NO_ID : p->lowered->origin[val->owner];
    if (origin == NO_ID) return;
    buf_str(out, " at ");
    place_print(p->m, origin, out);
}

void resident_print(const Partition *p, ValueId v, Buffer *out) {
    print_resident_kind(p, v, out);
    print_resident_place(p, v, out);
}

// Of what a loop does not change, what it was given.
static ValueId unchanged_value(const Module *m, ValueId v) {
    for (;;) {
        const Value *val = &m->values.at[v];
        OpId loop = val->is_arg ? m->regions.at[val->owner].parent : NO_ID;
        if (loop == NO_ID || op_kind(m, loop) != OP_while) return v;
        RegionId body = op_region(m, loop, 1);
        if (op_operand(m, region_terminator(m, body), val->index) != m->regions.at[body].first_arg + val->index) return v;
        v = op_operand(m, loop, val->index);
    }
}

// By argument, tag or result, or by the path of its location if that says more than the op; NULL if it has none of these.
static const char *user_name(const Partition *p, const ValueNames *names, ValueId v) {
    const Value *val = &p->lowered->m->values.at[v];
    if (val->is_arg && p->lowered->m->regions.at[val->owner].parent == module_main(p->lowered->m)) return NULL;
    ValueId source = source_value(p, unchanged_value(p->lowered->m, v));
    if (source == NO_ID) return NULL;
    ValueRole role;
    const char *name = value_name(names, source, &role);
    return role != ROLE_ACTIVATION || (strncmp(name, "loc/", 4) == 0 && strchr(name + 4, '/')) ? name : NULL;
}

// ---- Groups ----------------------------------------------------------------------------------------------------------

typedef struct Culprit {
    ValueId value;    // the first of them
    const char *what;  // "argument params/*/w", "stablehlo.dot_general of loc/layers/*/attn"
    const char *place; // " at model.py:41"; empty if they have several
    uint32_t n;
    double bytes, unpadded;
    bool hoisted;
} Culprit;

static bool has_more_bytes(const Culprit *x, const Culprit *y) {
    return x->bytes != y->bytes ? x->bytes > y->bytes : x->value < y->value;
}
DEFINE_SORT(sort_culprits, Culprit, has_more_bytes)

typedef struct CulpritGroups {
    IdMap map;
    VEC(Culprit) all;
    VEC(const char *) keys; // of each: without any number, with how it lies; the place of what has no name
} CulpritGroups;

static void print_resident_dist(const Partition *p, ValueId v, Buffer *out) {
    const Lowered *l = p->lowered;
    if (!l->dist[v]) return;
    buf_char(out, ' ');
    dist_print(l->dist[v], l->mesh, value_tensor(l->m, v)->rank, out);
}

static void add_resident(CulpritGroups *g, const Partition *p, const Resident *r, const char *name, Arena *a) {
    Buffer key, text, at_place;
    buf_init(&key, a), buf_init(&text, a), buf_init(&at_place, a);
    print_resident_kind(p, r->value, &text);
    if (name) buf_format(&text, " of %s", name);
    print_resident_place(p, r->value, &at_place);
    const char *what = buf_cstr(&text), *place = buf_cstr(&at_place);
    buf_format(&key, "%s%s", without_numbers(what, NULL, a), name ? "" : place);
    print_resident_dist(p, r->value, &key);
    if (r->hoisted) buf_str(&key, " hoisted");
    uint32_t hash = span_hash((Span){key.at, key.n}), id;
    for (uint32_t at = hash; (id = idmap_probe(&g->map, hash, &at)) != IDMAP_END;)
        if (strcmp(g->keys.at[id], buf_cstr(&key)) == 0) break;
    if (id == IDMAP_END) {
        id = g->all.n;
        idmap_add(&g->map, hash, id);
        vec_push(a, &g->keys, buf_cstr(&key));
        vec_push(a, &g->all, ((Culprit){.value = r->value, .what = what, .place = place, .hoisted = r->hoisted}));
    }
    Culprit *c = &g->all.at[id];
    if (strcmp(c->place, place)) c->place = "";
    c->what = without_numbers(what, c->what, a);
    c->n++;
    c->bytes += r->bytes;
    c->unpadded += r->unpadded;
}

// The most bytes first.
static CulpritGroups find_culprits(const Partition *p, const MemoryUse *use, Arena *a) {
    ValueNames names = name_values(p->m, a);
    CulpritGroups g = {0};
    idmap_init(&g.map, a);
    for (uint32_t i = 0; i < use->n_residents; i++)
        add_resident(&g, p, &use->residents[i], user_name(p, &names, use->residents[i].value), a);
    sort_culprits(g.all.at, g.all.n, a);
    return g;
}

// ---- Table and JSON --------------------------------------------------------------------------------------------------

#define MAX_CULPRITS 12

// Padding that is worth a word.
static bool is_padded(const Culprit *c) { return c->bytes > 1.01 * c->unpadded; }

void culprits_table(const Partition *p, const MemoryUse *use, Arena *a, Buffer *out) {
    CulpritGroups g = find_culprits(p, use, a);
    double rest = 0;
    uint32_t n_rest = 0;
    char text[32];
    for (uint32_t i = 0; i < g.all.n; i++) {
        const Culprit *c = &g.all.at[i];
        if (i >= MAX_CULPRITS) {
            rest += c->bytes, n_rest += c->n;
            continue;
        }
        bytes_text(c->bytes, 2, text);
        buf_format(out, "  %11s  ", text);
        if (c->n > 1) buf_format(out, "%u × ", c->n);
        buf_format(out, "%s%s", c->what, c->place);
        print_resident_dist(p, c->value, out);
        if (is_padded(c)) bytes_text(c->unpadded, 2, text), buf_format(out, ", %s before padding", text);
        if (c->hoisted) buf_str(out, ", hoisted out of its loop");
        AxisId axis;
        uint32_t dim;
        if (value_could_split(p, c->value, &axis, &dim))
            buf_format(out, "  (%.*s could split dimension %u)", (int)p->mesh.axes[axis].name.n,
                       p->mesh.axes[axis].name.at, dim);
        buf_char(out, '\n');
    }
    if (rest > 0) bytes_text(rest, 2, text), buf_format(out, "  %11s  %u more\n", text, n_rest);
}

void could_split_json(const Partition *p, ValueId v, Buffer *out) {
    AxisId axis;
    uint32_t dim;
    if (!value_could_split(p, v, &axis, &dim)) return;
    buf_str(out, ", \"could_split\": {\"axis\": ");
    buf_json_string(out, p->mesh.axes[axis].name);
    buf_format(out, ", \"dimension\": %u}", dim);
}

void culprits_json(const Partition *p, const MemoryUse *use, Arena *a, Buffer *out) {
    CulpritGroups g = find_culprits(p, use, a);
    buf_str(out, "  \"culprits\": [");
    for (uint32_t i = 0; i < g.all.n; i++) {
        const Culprit *c = &g.all.at[i];
        buf_format(out, "%s\n    {\"count\": %u, \"bytes\": %.0f, \"unpadded\": %.0f, \"hoisted\": %s, \"what\": ", i ? "," : "",
                   c->n, c->bytes, c->unpadded, c->hoisted ? "true" : "false");
        Buffer what;
        buf_init(&what, a);
        buf_format(&what, "%s%s", c->what, c->place);
        buf_json_string(out, (Span){what.at, what.n});
        could_split_json(p, c->value, out);
        buf_char(out, '}');
    }
    buf_str(out, "\n  ]");
}
