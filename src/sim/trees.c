// Trees: found forwards. An op knows what its own branches read when it is met, and tells its reader.
#include "sim/trees.h"

// Ops of the program before it was partitioned: what is read later stays on its own, as it may be that something else waits
// for what it reads.
#define NEAR 8

// What can be part of a tree, and what a tree can end in. Not what hands on elements as they are: how these are kept may
// depend on who reads them.
enum { BRANCH = 1, END = 2 };
static const uint8_t parts[OP_COUNT] = {
    [OP_add] = BRANCH | END,
    [OP_subtract] = BRANCH | END,
    [OP_multiply] = BRANCH | END,
    [OP_divide] = BRANCH | END,
    [OP_negate] = BRANCH,
    [OP_sqrt] = END,
    [OP_rsqrt] = END,
    [OP_tanh] = END,
};

static void count_reads(TreeFinder *z, RegionId r) {
    const Module *m = z->m;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        const Op *o = op_get(m, op);
        for (const ValueId *v = m->operands.at + o->first_operand, *end = v + o->n_operands; v < end; v++) {
            z->uses[*v] |= (uint8_t)(z->uses[*v] + 1);
            z->reader[*v] = op;
        }
        for (uint32_t i = 0; i < o->n_regions; i++) count_reads(z, op_region(m, op, i));
    }
}

TreeFinder tree_finder(const Module *m, const OpId *origin, RegionId body, Arena *a) {
    TreeFinder z = {
        m, body, origin, arena_zalloc(a, m->values.n), arena_new(a, OpId, m->values.n), arena_zalloc(a, m->ops.n)};
    count_reads(&z, body);
    return z;
}

// Not what has rules of its own: sums with what is scattered, products with masks.
static bool is_plain(const Module *m, const Op *o) {
    for (const ValueId *v = m->operands.at + o->first_operand, *end = v + o->n_operands; v < end; v++) {
        const Value *val = &m->values.at[*v];
        if (val->is_arg) continue;
        OpKind kind = op_kind(m, val->owner);
        if (kind == OP_scatter || kind == OP_convert) return false;
    }
    return true;
}

static bool is_near(const TreeFinder *z, OpId op, OpId reader) {
    return (z->origin ? z->origin[reader] - z->origin[op] : reader - op) <= NEAR;
}

bool is_in_tree(TreeFinder *z, OpId op) {
    const Module *m = z->m;
    const Op *o = op_get(m, op);
    if (!(parts[o->kind] & BRANCH) || o->parent != z->body || z->uses[o->first_result] != 1) return false;
    OpId reader = z->reader[o->first_result];
    const Op *r = op_get(m, reader);
    if (!is_near(z, op, reader) || r->parent != z->body || !(parts[r->kind] & END) ||
        value_type(m, o->first_result) != value_type(m, r->first_result))
        return false;
    uint32_t reads = z->reads[op] + o->n_operands;
    if (z->reads[reader] + reads + r->n_operands > MOST_READ || !is_plain(m, o) || !is_plain(m, r)) return false;
    z->reads[reader] = (uint8_t)(z->reads[reader] + reads);
    return true;
}
