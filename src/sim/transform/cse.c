// Common subexpression elimination: one walk in program order copies the first op of each value number.
#include "sim/transform/value_numbering.h"

typedef struct CseCopy {
    const Module *from;
    Module *m;    // the copy
    ValueId *now; // by value of `from`: the one of `m` that stands for it
    OpId *was_op; // by op and value of `m`: those of `from`
    ValueId *was_value;
    ValueNumbering numbering;
    TreeFinder finder;      // if trees are found
    ExpressionTrees *trees; // of `m`, or NULL
} CseCopy;

#define IN_TREE NO_ID // in `now`, of what is part of its reader

// What is there already stands for the results of the op. Not what is part of an expression tree: trees duplicate it.
static bool is_there(CseCopy *c, OpId op) {
    if (!is_redundant(&c->numbering, op)) return false;
    const Op *o = op_get(c->from, op);
    if (c->now[leader_of(&c->numbering, o->first_result)] == IN_TREE) return false;
    for (ValueId v = o->first_result, end = v + o->n_results; v < end; v++)
        c->now[v] = c->now[leader_of(&c->numbering, v)];
    return true;
}

static inline void copy_values(CseCopy *c, ValueId was, uint32_t n, uint32_t owner) {
    ValueId to = c->m->values.n;
    for (ValueId end = was + n; was < end; was++, to++) {
        Value *v = &c->m->values.at[to];
        *v = c->from->values.at[was];
        v->owner = owner;
        c->was_value[to] = was;
        c->now[was] = to;
    }
    c->m->values.n = to;
}

// Gives the number of operands of a tree: first come those of its last op, then those of the op that this reads last.
static uint32_t copy_tree(CseCopy *c, OpId was, OpId op, ValueId *to) {
    const Module *from = c->from;
    ExpressionTrees *t = c->trees;
    uint8_t *depths = t->depth + c->m->operands.n, depth_of[MOST_READ] = {0};
    OpId open[MOST_READ] = {was};
    uint32_t n = 0;
    for (uint32_t n_open = 1; n_open;) {
        const Op *o = op_get(from, open[--n_open]);
        uint8_t depth = depth_of[n_open];
        if (depth) t->flops[op] += value_tensor(from, o->first_result)->elements;
        for (const ValueId *v = from->operands.at + o->first_operand, *end = v + o->n_operands; v < end; v++) {
            if (c->now[*v] == IN_TREE) {
                open[n_open] = from->values.at[*v].owner;
                depth_of[n_open++] = (uint8_t)(depth + 1);
            } else {
                depths[n] = depth;
                to[n++] = c->now[*v];
            }
        }
    }
    return n;
}

// To the end of the copy's, not linked to others.
static OpId copy_op(CseCopy *c, OpId was) {
    Module *m = c->m;
    OpId op = m->ops.n++;
    Op *o = &m->ops.at[op];
    *o = c->from->ops.at[was];
    c->was_op[op] = was;
    uint32_t n = o->n_operands, n_results = o->n_results;
    ValueId first = o->first_result, *to = m->operands.at + m->operands.n;
    const ValueId *now = c->now, *from = c->from->operands.at + o->first_operand;
    double *tree_flops = c->trees ? c->trees->flops : NULL;
    if (tree_flops) tree_flops[op] = 0;
    if (tree_flops && c->finder.reads[was])
        o->n_operands = n = copy_tree(c, was, op, to);
    else
        for (uint32_t i = 0; i < n; i++) to[i] = now[from[i]];
    o->first_operand = m->operands.n;
    o->first_result = m->values.n;
    m->operands.n += n;
    copy_values(c, first, n_results, op);
    return op;
}

static void copy_region(CseCopy *c, RegionId r, OpId parent) {
    Module *m = c->m;
    Region *to = &m->regions.at[r];
    const Region *from = &c->from->regions.at[r];
    *to = *from;
    to->parent = parent;
    to->first_arg = m->values.n;
    copy_values(c, from->first_arg, from->n_args, r);
    OpId *link = &to->first; // to where the next op goes that stays
    for (OpId was = from->first; was != NO_ID; was = op_get(c->from, was)->next) {
        if (is_there(c, was)) continue;
        if (c->trees && is_in_tree(&c->finder, was)) {
            c->now[op_get(c->from, was)->first_result] = IN_TREE;
            continue;
        }
        OpId op = copy_op(c, was);
        *link = to->last = op;
        link = &m->ops.at[op].next;
        for (uint32_t i = 0; i < m->ops.at[op].n_regions; i++) copy_region(c, op_region(m, op, i), op);
    }
    *link = NO_ID;
}

SimProgram eliminate_common_subexpressions(const Module *m, const OpId *origin, const Backend *backend, Arena *a) {
    OpId main = module_main(m);
    RegionId body = op_region(m, main, 0);
    Module *copy = arena_alloc(a, sizeof *copy);
    *copy = *m;
    copy->ops.at = arena_new(a, Op, m->ops.n);
    copy->values.at = arena_new(a, Value, m->values.n);
    copy->operands.at = arena_new(a, ValueId, m->operands.n);
    copy->regions.at = arena_new(a, Region, m->regions.n);
    for (RegionId r = 0; r < m->regions.n; r++) // those of functions that no op of @main stands in stay empty
        copy->regions.at[r] = (Region){.parent = NO_ID, .first = NO_ID, .last = NO_ID};
    copy->ops.n = copy->values.n = copy->operands.n = 0;
    copy->ops.cap = m->ops.n, copy->values.cap = m->values.n, copy->operands.cap = m->operands.n;
    CseCopy *c = arena_alloc(a, sizeof *c);
    *c = (CseCopy){.from = m,
                   .m = copy,
                   .now = arena_new(a, ValueId, m->values.n),
                   .was_op = arena_new(a, OpId, m->ops.n),
                   .was_value = arena_new(a, ValueId, m->values.n),
                   .numbering = value_numbering_new(m, body, backend, a)};
    if (backend->duplicates_expensive) { // else it shows in memory which of the ops something waits for
        c->finder = (TreeFinder){m, body, origin, &c->numbering, arena_zalloc(a, m->ops.n)};
        c->trees = arena_new(a, ExpressionTrees, 1);
        *c->trees = (ExpressionTrees){arena_new(a, double, m->ops.n), arena_zalloc(a, m->operands.n)};
    }
    OpId func = copy->ops.n++;
    copy->ops.at[func] = *op_get(m, main);
    copy->ops.at[func].next = NO_ID;
    c->was_op[func] = main;
    copy->regions.at[0].first = copy->regions.at[0].last = func;
    idmap_init(&copy->function_map, a);
    idmap_add(&copy->function_map, span_hash(op_attr_text(m, main, A_sym_name)), func);
    copy_region(c, body, func);
    return (SimProgram){copy, c->was_op, c->was_value, c->trees};
}

void make_room(SimProgram *p, uint32_t n, Arena *a) {
    Module *m = p->m;
    uint32_t ops = m->ops.cap, values = m->values.cap;
    vec_reserve(a, &m->ops, (uint64_t)m->ops.n + n);
    vec_reserve(a, &m->values, (uint64_t)m->values.n + n);
    vec_reserve(a, &m->operands, (uint64_t)m->operands.n + n);
    if (m->ops.cap > ops) p->op = memcpy(arena_new(a, OpId, m->ops.cap), p->op, m->ops.n * sizeof *p->op);
    if (m->values.cap > values)
        p->value = memcpy(arena_new(a, ValueId, m->values.cap), p->value, m->values.n * sizeof *p->value);
}
