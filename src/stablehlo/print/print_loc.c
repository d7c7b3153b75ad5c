// Locations: every one gets a name, as MLIR gives them. Deeper ones follow those that they are made of, and among
// equals the one that is visited first comes first; those of arguments are defined before the module, all others after it.
//
//     #loc1 = loc("x")
//     module { … %0 = stablehlo.add %arg0, %arg0 : tensor<f32> loc(#loc3) … } loc(#loc)
//     #loc2 = loc("model.py":12:8)
//     #loc3 = loc("jit(f)/add"(#loc2))
#include "stablehlo/print/print_state.h"

// A location as the printer sees it: equal ones are one.
typedef struct LocNode {
    Loc loc;         // children are places in LocNames.nodes
    uint32_t depth;  // 1 + that of its deepest child
    uint32_t visited;    // 1 + when it was first visited, 0: not yet
    uint32_t number; // of its name: #loc, #loc1, …
    bool early;      // defined before the module
} LocNode;

struct LocNames {
    VEC(LocNode) nodes; // 0 is the unknown location
    IdMap map;
    uint32_t *of; // node of each LocId, NO_ID: not yet
    uint32_t n_visited;
    uint32_t *order; // nodes by number
};

static uint32_t n_children(const Loc *l) {
    switch ((LocKind)l->kind) {
    case LOC_NAME: return l->child != NO_ID;
    case LOC_CALLSITE: return 2;
    case LOC_FUSED: return l->n_children;
    case LOC_ALIAS: return 1;
    default: return 0;
    }
}

static uint32_t child_of(const Loc *l, uint32_t i) {
    return l->kind == LOC_FUSED ? l->children[i] : i ? l->other : l->child;
}

static uint32_t hash_loc(const Loc *l) {
    uint32_t h = hash_u32(l->kind, l->name);
    h = hash_u32(hash_u32(h, l->line), l->column);
    h = hash_u32(hash_u32(h, l->end_line), l->end_column);
    h = hash_u32(hash_u32(h, l->child), l->other);
    h = hash_u32(hash_u32(h, l->metadata), l->n_children);
    for (uint32_t i = 0; i < l->n_children; i++) h = hash_u32(h, l->children[i]);
    return h;
}

static bool equal_locs(const Loc *a, const Loc *b) {
    return a->kind == b->kind && a->name == b->name && a->line == b->line && a->column == b->column &&
           a->end_line == b->end_line && a->end_column == b->end_column && a->child == b->child &&
           a->other == b->other && a->metadata == b->metadata && a->n_children == b->n_children &&
           (!a->n_children || memcmp(a->children, b->children, a->n_children * sizeof *a->children) == 0);
}

// The node of a location whose children all have theirs.
static uint32_t make_node(Printer *p, const Loc *given) {
    LocNames *names = p->locs;
    if (given->kind == LOC_UNKNOWN) return 0;
    if (given->kind == LOC_ALIAS) return names->of[given->child];
    Loc l = {.kind = given->kind, .name = given->name, .child = NO_ID, .other = NO_ID, .metadata = NO_ID};
    uint32_t n = n_children(given), depth = 0;
    if (l.kind == LOC_FILE) {
        l.line = given->line;
        l.column = given->column;
        l.end_line = given->end_line;
        l.end_column = given->end_column;
    } else if (l.kind == LOC_FUSED) {
        LocId *children = arena_new(p->scratch, LocId, n);
        for (uint32_t i = 0; i < n; i++) children[i] = names->of[given->children[i]];
        l.children = children;
        l.n_children = n;
        l.metadata = given->metadata;
    } else {
        if (n > 0) l.child = names->of[given->child];
        if (n > 1) l.other = names->of[given->other];
        if (l.kind == LOC_NAME && l.child == 0) l.child = NO_ID; // "x"(unknown) is "x"
    }
    for (uint32_t i = 0; i < n_children(&l); i++) {
        uint32_t d = names->nodes.at[child_of(&l, i)].depth;
        if (d > depth) depth = d;
    }
    uint32_t hash = hash_loc(&l);
    for (uint32_t at = hash, i; (i = idmap_probe(&names->map, hash, &at)) != IDMAP_END;)
        if (equal_locs(&names->nodes.at[i].loc, &l)) return i;
    vec_push(p->scratch, &names->nodes, ((LocNode){.loc = l, .depth = depth + 1}));
    idmap_add(&names->map, hash, names->nodes.n - 1);
    return names->nodes.n - 1;
}

// Makes nodes bottom-up with a stack of its own: chains of call sites can be long. One that contains itself counts as
// unknown.
static uint32_t node_of(Printer *p, LocId root) {
    const uint32_t OPEN = NO_ID - 1;
    uint32_t *of = p->locs->of;
    if (root == NO_ID) return 0;
    if (of[root] != NO_ID) return of[root];
    VEC(LocId) open = {0};
    vec_push(p->scratch, &open, root);
    while (open.n) {
        LocId id = open.at[open.n - 1];
        const Loc *l = &p->m->locs.at[id];
        bool first_visit = of[id] == NO_ID, ready = true;
        if (of[id] != NO_ID && of[id] != OPEN) { // reached twice before its turn
            open.n--;
            continue;
        }
        of[id] = OPEN;
        for (uint32_t i = 0; i < n_children(l); i++) {
            LocId child = child_of(l, i);
            if (of[child] == OPEN && first_visit) of[child] = 0;
            if (of[child] != NO_ID) continue;
            vec_push(p->scratch, &open, child);
            ready = false;
        }
        if (!ready) continue;
        of[id] = make_node(p, l);
        open.n--;
    }
    return of[root];
}

// ---- Visited in the order of printing -------------------------------------------------------------------------------

static void visit_loc(Printer *p, LocId id, bool early) {
    LocNames *names = p->locs;
    VEC(uint32_t) open = {0};
    uint32_t root = node_of(p, id);
    if (names->nodes.at[root].visited && (!early || names->nodes.at[root].early)) return;
    vec_push(p->scratch, &open, root);
    while (open.n) {
        LocNode *node = &names->nodes.at[open.at[--open.n]];
        bool known = node->visited && (!early || node->early);
        if (!node->visited) node->visited = ++names->n_visited;
        node->early |= early;
        if (known) continue;
        for (uint32_t i = n_children(&node->loc); i-- > 0;) vec_push(p->scratch, &open, child_of(&node->loc, i));
    }
}

static LocId argument_loc(const Module *m, RegionId r, uint32_t i) {
    return m->regions.at[r].arg_locs ? m->regions.at[r].arg_locs[i] : NO_ID;
}

static void visit_argument_locs(Printer *p, RegionId r) {
    for (uint32_t i = 0; i < p->m->regions.at[r].n_args; i++) visit_loc(p, argument_loc(p->m, r, i), true);
}

// The long form of a reduce pairs its arguments: first with first, second with second.
static void visit_reducer_locs(Printer *p, RegionId r) {
    uint32_t half = p->m->regions.at[r].n_args / 2;
    for (uint32_t i = 0; i < half; i++) {
        visit_loc(p, argument_loc(p->m, r, i), true);
        visit_loc(p, argument_loc(p->m, r, i + half), true);
    }
}

static void visit_region_locs(Printer *p, RegionId r);

static void visit_op_locs(Printer *p, OpId op) {
    const Module *m = p->m;
    visit_loc(p, m->ops.at[op].loc, false);
    OpKind kind = op_kind(m, op);
    bool pretty = !p->generic && op_fits_form(m, op);
    if (pretty && kind == OP_reduce && reduce_is_short(m, op)) return;
    for (uint32_t i = 0; i < m->ops.at[op].n_regions; i++) {
        RegionId r = op_region(m, op, i);
        if (pretty && kind == OP_reduce)
            visit_reducer_locs(p, r);
        else if (!pretty || kind != OP_while)
            visit_argument_locs(p, r);
        visit_region_locs(p, r);
    }
}

static void visit_region_locs(Printer *p, RegionId r) {
    for (OpId op = p->m->regions.at[r].first; op != NO_ID; op = p->m->ops.at[op].next) visit_op_locs(p, op);
}

// Numbers by depth, then by first visit: a counting sort by depth over the nodes in the order of visits.
static void number_nodes(Printer *p) {
    LocNames *names = p->locs;
    uint32_t n = names->nodes.n, max_depth = 0;
    uint32_t *by_visit = arena_new(p->scratch, uint32_t, names->n_visited + 1);
    for (uint32_t i = 0; i < n; i++) {
        const LocNode *node = &names->nodes.at[i];
        if (!node->visited) continue;
        by_visit[node->visited - 1] = i;
        if (node->depth > max_depth) max_depth = node->depth;
    }
    uint32_t *start = arena_zalloc(p->scratch, (max_depth + 2) * sizeof *start);
    for (uint32_t i = 0; i < names->n_visited; i++) start[names->nodes.at[by_visit[i]].depth + 1]++;
    for (uint32_t d = 1; d <= max_depth + 1; d++) start[d] += start[d - 1];
    names->order = arena_new(p->scratch, uint32_t, names->n_visited + 1);
    for (uint32_t i = 0; i < names->n_visited; i++) {
        LocNode *node = &names->nodes.at[by_visit[i]];
        node->number = start[node->depth]++;
        names->order[node->number] = by_visit[i];
    }
}

void locations_name(Printer *p) {
    p->locs = arena_zalloc(p->scratch, sizeof *p->locs);
    idmap_init(&p->locs->map, p->scratch);
    p->locs->of = arena_new(p->scratch, uint32_t, p->m->locs.n + 1);
    for (uint32_t i = 0; i < p->m->locs.n; i++) p->locs->of[i] = NO_ID;
    vec_push(p->scratch, &p->locs->nodes, ((LocNode){.loc = {.kind = LOC_UNKNOWN}, .depth = 1}));
    visit_loc(p, p->m->loc, false);
    visit_region_locs(p, 0);
    number_nodes(p);
}

// ---- Text -----------------------------------------------------------------------------------------------------------

static void put_loc_name(Printer *p, uint32_t node) {
    PUT(p, "#loc");
    uint32_t number = p->locs->nodes.at[node].number;
    if (number) buf_uint(p->out, number);
}

// One level: `"name"(` child `)`, where print_child says how a child is written.
typedef void PrintChild(void *state, uint32_t child);
static void print_level(const Module *m, const Loc *l, PrintChild *print_child, void *state, Buffer *out) {
    switch ((LocKind)l->kind) {
    case LOC_UNKNOWN: buf_str(out, "unknown"); break;
    case LOC_FILE:
        print_string(name_get(m, l->name), out);
        buf_char(out, ':');
        buf_uint(out, l->line);
        buf_char(out, ':');
        buf_uint(out, l->column);
        if (l->end_line == l->line && l->end_column == l->column) break;
        buf_str(out, " to ");
        if (l->end_line != l->line) buf_uint(out, l->end_line);
        buf_char(out, ':');
        buf_uint(out, l->end_column);
        break;
    case LOC_NAME:
        print_string(name_get(m, l->name), out);
        if (l->child == NO_ID) break;
        buf_char(out, '(');
        print_child(state, l->child);
        buf_char(out, ')');
        break;
    case LOC_CALLSITE:
        buf_str(out, "callsite(");
        print_child(state, l->child);
        buf_str(out, " at ");
        print_child(state, l->other);
        buf_char(out, ')');
        break;
    case LOC_FUSED:
        buf_str(out, "fused");
        if (l->metadata != NO_ID) {
            buf_char(out, '<');
            print_attr(m, l->metadata, out);
            buf_char(out, '>');
        }
        buf_char(out, '[');
        for (uint32_t i = 0; i < l->n_children; i++) {
            if (i) buf_str(out, ", ");
            print_child(state, l->children[i]);
        }
        buf_char(out, ']');
        break;
    case LOC_ALIAS: print_child(state, l->child); break;
    case LOC_OPAQUE: buf_span(out, name_get(m, l->name)); break;
    }
}

static void put_child_name(void *p, uint32_t node) { put_loc_name(p, node); }

static void put_node(Printer *p, uint32_t node) {
    PUT(p, "loc(");
    print_level(p->m, &p->locs->nodes.at[node].loc, put_child_name, p, p->out);
    PUT(p, ")");
}

void locations_define(Printer *p, bool at_end) {
    for (uint32_t i = 0; i < p->locs->n_visited; i++) {
        uint32_t node = p->locs->order[i];
        if (p->locs->nodes.at[node].early == at_end) continue;
        put_loc_name(p, node);
        PUT(p, " = ");
        put_node(p, node);
        PUT(p, "\n");
    }
}

void put_op_loc(Printer *p, LocId l) {
    if (!p->locations) return;
    PUT(p, " loc(");
    put_loc_name(p, node_of(p, l));
    PUT(p, ")");
}

void put_argument_loc(Printer *p, RegionId r, uint32_t index) {
    if (!p->locations) return;
    PUT(p, " ");
    put_node(p, node_of(p, argument_loc(p->m, r, index)));
}
