// Expression trees: one forward walk. When it reaches an op, it knows what the op's subtrees read, and adds this to the op's reader.
#include "sim/transform/value_numbering.h"

// Ops of the program before it was partitioned: what is read later stays on its own, as it may be that something else waits
// for what it reads.
#define NEAR 8

const uint8_t tree_parts[OP_COUNT] = {
    [OP_add] = TREE_BRANCH | TREE_END,
    [OP_subtract] = TREE_BRANCH | TREE_END,
    [OP_multiply] = TREE_BRANCH | TREE_END,
    [OP_divide] = TREE_BRANCH | TREE_END,
    [OP_negate] = TREE_BRANCH,
    [OP_sqrt] = TREE_END,
    [OP_rsqrt] = TREE_END,
    [OP_tanh] = TREE_END,
};

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

static bool is_near(const TreeFinder *f, OpId op, OpId reader) {
    return (f->origin ? f->origin[reader] - f->origin[op] : reader - op) <= NEAR;
}

bool fuses_into_tree(TreeFinder *f, OpId op) {
    const Module *m = f->m;
    const Op *o = op_get(m, op);
    if (o->parent != f->body) return false;
    OpId reader = f->numbering->reader[o->first_result];
    const Op *r = op_get(m, reader);
    if (!is_near(f, op, reader) || r->parent != f->body || !(tree_parts[r->kind] & TREE_END) ||
        value_type(m, o->first_result) != value_type(m, r->first_result))
        return false;
    uint32_t reads = f->reads[op] + o->n_operands;
    if (f->reads[reader] + reads + r->n_operands > MOST_READ || !is_plain(m, o)) return false;
    if (!f->reads[reader] && !is_plain(m, r)) return false; // one that has a part is
    f->reads[reader] = (uint8_t)(f->reads[reader] + reads);
    return true;
}
