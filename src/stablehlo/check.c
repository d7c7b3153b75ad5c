// The checker's walk: every op of every region once, in program order, with what may be used where.
//
// A value may be used after the op that defines it, in the same region or in one inside of it: so it is enough to know
// for each value the region that defined it, and for each region how deep it lies while it is open.
#include "stablehlo/check.h"
#include "stablehlo/shape/shape.h"

typedef bool ShapeRule(Check *c);
static ShapeRule *const shape_rules[OP_COUNT] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) [OP_##id] = shape_##shape,
#include "ir/ops.def"
};

enum { MAX_ERRORS = 20 };

typedef struct CheckFrame {
    RegionId region;
    OpId op;              // at hand
    uint32_t next_region; // of that op
    uint32_t hidden;      // depth above which values are out of reach: a function sees nothing outside of it
} CheckFrame;

typedef struct CheckWalk {
    Check c;
    Arena arena;
    uint32_t *region_of; // by value: 1 + the region that defined it; 0: not yet
    uint32_t *depth;     // by region: how deep it lies, from 1 on; 0: not open yet; CLOSED
    VEC(CheckFrame) stack;
} CheckWalk;

#define CLOSED UINT32_MAX

// ---- One op --------------------------------------------------------------------------------------------------------

static void look_at(Check *c, OpId id) {
    const Module *m = c->m;
    const Op *op = op_get(m, id);
    c->kind = (OpKind)op->kind;
    c->op = id;
    c->source = op->source;
    c->n_operands = op->n_operands;
    c->n_results = op->n_results;
    c->n_attrs = op->n_attrs;
    c->n_regions = op->n_regions;
    c->operands = m->operands.at + op->first_operand;
    c->attrs = m->op_attrs.at + op->first_attr;
    c->regions = m->op_regions.at + op->first_region;
    c->first_result = op->first_result;
    c->used = 0;
}

static bool check_count(Check *c, const char *what, uint32_t n, uint8_t want) {
    if (want == OP_VARIADIC || n == want) return true;
    return check_fail(c, NULL, "%u %s%s, expected %u", n, what, plural(n), want);
}

static bool check_arity(Check *c) {
    const OpInfo *info = &op_info[c->kind];
    return check_count(c, "operand", c->n_operands, info->operands) &&
           check_count(c, "result", c->n_results, info->results) &&
           check_count(c, "region", c->n_regions, info->regions);
}

static bool check_scope(CheckWalk *w, uint32_t hidden) {
    Check *c = &w->c;
    for (uint32_t i = 0; i < c->n_operands; i++) {
        ValueId v = c->operands[i];
        uint32_t region = v < c->m->values.n ? w->region_of[v] : 0;
        uint32_t depth = region ? w->depth[region - 1] : 0;
        if (depth > hidden && depth != CLOSED) continue;
        return check_fail(c, "a value may be used after its op, in the same region or one inside of it",
                          "%s is not defined here", check_operand_name(c, i));
    }
    return true;
}

static bool check_place(Check *c) {
    const Op *op = op_get(c->m, c->op);
    bool top = op->parent == 0, last = op->next == NO_ID;
    if ((c->kind == OP_func_func || c->kind == OP_sdy_mesh) != top)
        return check_fail(c, "functions and meshes stand at the top of the module, all other ops in functions", "%s",
                          top ? "not in a function" : "not at the top of the module");
    if (!top && op_is_terminator(c->kind) != last)
        return check_fail(c, "a region ends with its only return", "%s",
                          last ? "the last op of its region, which should be a return"
                               : "not the last op of its region");
    return true;
}

static bool check_op(CheckWalk *w, OpId op, uint32_t hidden) {
    Check *c = &w->c;
    look_at(c, op);
    if (!check_arity(c) || !check_scope(w, hidden) || !check_place(c)) return false;
    for (uint32_t i = 0; i < c->n_results; i++)
        if (!check_value_type(c, out_id(c, i), "result", i)) return false;
    if ((op_info[c->kind].n_attrs && !check_attributes(c))) return false;
    return shape_rules[c->kind](c);
}

// ---- The walk ------------------------------------------------------------------------------------------------------

static bool is_isolated(OpKind k) { return k == OP_func_func || k == OP_chlo_scan || k == OP_async_start; }

static void open_region(CheckWalk *w, RegionId region, uint32_t hidden) {
    Check *c = &w->c;
    if (w->depth[region]) {
        check_fail(c, NULL, "a region belongs to two ops");
        return;
    }
    Region *r = &c->m->regions.at[region];
    for (uint32_t i = 0; i < r->n_args; i++) {
        w->region_of[r->first_arg + i] = region + 1;
        check_value_type(c, value_type(c->m, r->first_arg + i), "argument", i);
    }
    w->depth[region] = w->stack.n + 1;
    if (r->first == NO_ID) {
        w->depth[region] = CLOSED;
        return;
    }
    vec_push(&w->arena, &w->stack, ((CheckFrame){.region = region, .op = NO_ID, .hidden = hidden}));
}

static void check_walk(CheckWalk *w) {
    Check *c = &w->c;
    open_region(w, 0, 0);
    while (w->stack.n && c->n_errors < MAX_ERRORS) {
        CheckFrame *f = &w->stack.at[w->stack.n - 1];
        if (f->op != NO_ID) {
            const Op *op = op_get(c->m, f->op);
            if (f->next_region < op->n_regions) {
                RegionId region = c->m->op_regions.at[op->first_region + f->next_region++];
                look_at(c, f->op);
                open_region(w, region, is_isolated((OpKind)op->kind) ? w->stack.n : f->hidden);
                continue;
            }
            for (uint32_t i = 0; i < op->n_results; i++) w->region_of[op->first_result + i] = f->region + 1;
        }
        f->op = f->op == NO_ID ? c->m->regions.at[f->region].first : op_get(c->m, f->op)->next;
        f->next_region = 0;
        if (f->op == NO_ID) {
            w->depth[f->region] = CLOSED;
            w->stack.n--;
            continue;
        }
        check_op(w, f->op, f->hidden);
    }
    if (c->n_errors >= MAX_ERRORS) diag_note(c->m->ctx, NULL, NO_OFFSET, NULL, "stopped after %d errors", MAX_ERRORS);
}

// ---- The module ----------------------------------------------------------------------------------------------------

OpId check_function(const Check *c, Span name) {
    uint32_t hash = span_hash(name);
    for (uint32_t p = hash, id; (id = idmap_probe(c->functions, hash, &p)) != IDMAP_END;)
        if (span_eq(op_attr_text(c->m, id, A_sym_name), name)) return id;
    return NO_ID;
}

bool check_symbol(const Check *c, Span name) {
    for (OpId op = c->m->regions.at[0].first; op != NO_ID; op = c->m->ops.at[op].next)
        if (span_eq(op_attr_text(c->m, op, A_sym_name), name)) return true;
    return false;
}

static void find_functions(CheckWalk *w, IdMap *functions) {
    Check *c = &w->c;
    Module *m = c->m;
    idmap_init(functions, &w->arena);
    c->functions = functions;
    for (OpId op = m->regions.at[0].first; op != NO_ID; op = m->ops.at[op].next) {
        if (op_kind(m, op) != OP_func_func || op_attr(m, op, A_sym_name) == NO_ID) continue;
        Span name = op_attr_text(m, op, A_sym_name);
        if (check_function(c, name) == NO_ID) {
            idmap_add(functions, span_hash(name), op);
            continue;
        }
        look_at(c, op);
        check_fail(c, "rename one of them", "there are two functions @%.*s", (int)name.n, name.at);
    }
}

static void find_sets(CheckWalk *w) {
    Check *c = &w->c;
    TypeSet *sets = arena_new(&w->arena, TypeSet, c->m->types.n + 1);
    c->sets = sets;
    for (uint32_t t = 0; t < c->m->types.n; t++) {
        TypeSet set = check_type_set(c, t);
        sets[t] = set;
        c->n_sets = t + 1;
    }
}

static uint32_t *zeros(Arena *a, uint32_t n) { return arena_zalloc(a, ((size_t)n + 1) * sizeof(uint32_t)); }

bool check_module(Module *m) {
    CheckWalk w = {.c = {.m = m}};
    IdMap functions;
    arena_init(&w.arena, m->ctx);
    w.c.arena = &w.arena;
    w.region_of = zeros(&w.arena, m->values.n);
    w.depth = zeros(&w.arena, m->regions.n);
    w.c.n_groups = m->attrs.n;
    w.c.groups = arena_zalloc(&w.arena, (size_t)m->attrs.n + 1);
    find_sets(&w);
    find_functions(&w, &functions);
    check_walk(&w);
    arena_free(&w.arena);
    return w.c.n_errors == 0;
}
