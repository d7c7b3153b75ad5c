// Alike: one walk in program order, which copies what was not met before. Arithmetic is left out: programs are traced, so
// that the same sum is hardly ever written twice, but to be computed again behind a barrier.
#include "sim/alike.h"
#include "sim/order.h"

typedef struct Repeats {
    const Module *from;
    Module *m;    // the copy
    ValueId *now; // by value of `from`: the one of `m` that stands for it
    OpId *was_op; // by op and value of `m`: those of `from`
    ValueId *was_value;
    IdMap seen;
    bool barriers;     // there are some, and they are removed
    TreeFinder finder; // if trees are found
    Trees *trees;      // of `m`, or NULL
} Repeats;

#define IN_TREE NO_ID // in `now`, of what is part of its reader

enum { MOVED = 1, WHOLE = 2 }; // gives elements in other places; may give its operand as it is
static const uint8_t traits[OP_COUNT] = {[OP_constant] = MOVED, [OP_iota] = MOVED,      [OP_broadcast_in_dim] = MOVED,
                                         [OP_reshape] = MOVED,  [OP_transpose] = MOVED, [OP_convert] = MOVED,
                                         [OP_slice] = WHOLE,    [OP_pad] = WHOLE};

static bool is_collective(OpKind k) {
    return k == OP_partir_all_gather || k == OP_partir_all_reduce || k == OP_partir_all_to_all ||
           k == OP_partir_collective_permute || k == OP_partir_reduce_scatter;
}

// What gives the same whenever it is computed; collectives are told apart.
static bool is_pure(const Module *m, const Op *o) {
    OpKind k = (OpKind)o->kind;
    if (o->n_results != 1 || k == OP_rng || k == OP_custom_call || runs_regions(k) || is_collective(k)) return false;
    if (o->n_regions == 0) return true;
    OpId by = m->regions.at[m->op_regions.at[o->first_region]].first;
    return o->n_regions == 1 && k == OP_reduce && op_is_terminator(op_kind(m, op_get(m, by)->next));
}

static uint32_t hash_op(const Repeats *z, const Op *o) {
    const Module *m = z->from;
    uint32_t h = hash_u32(o->kind + (value_type(m, o->first_result) << 8),
                          o->n_operands ? z->now[m->operands.at[o->first_operand]] : NO_ID);
    return o->n_attrs ? hash_u32(h, m->op_attrs.at[o->first_attr].value) : h;
}

// Of reductions by one op.
static bool regions_alike(const Module *m, const Op *x, const Op *y) {
    if (x->n_regions == 0) return true;
    return op_kind(m, m->regions.at[m->op_regions.at[x->first_region]].first) ==
           op_kind(m, m->regions.at[m->op_regions.at[y->first_region]].first);
}

// Whether an op of the program gives the same as one of the copy.
static bool is_alike(const Repeats *z, const Op *x, const Op *y) {
    const Module *from = z->from, *m = z->m;
    if (x->kind != y->kind || x->parent != y->parent || x->n_attrs != y->n_attrs ||
        value_type(from, x->first_result) != value_type(m, y->first_result) || x->n_operands != y->n_operands ||
        !regions_alike(from, x, y))
        return false;
    for (uint32_t i = 0; i < x->n_operands; i++)
        if (z->now[from->operands.at[x->first_operand + i]] != m->operands.at[y->first_operand + i]) return false;
    for (uint32_t i = 0; i < x->n_attrs; i++) {
        const NamedAttr *p = &m->op_attrs.at[x->first_attr + i], *q = &m->op_attrs.at[y->first_attr + i];
        if (p->name != q->name || p->value != q->value) return false;
    }
    return true;
}

// A slice of all, or a pad by nothing, as gradients of pooling have them.
static bool gives_its_operand(const Module *m, const Op *o) {
    if (value_type(m, o->first_result) != value_type(m, m->operands.at[o->first_operand])) return false;
    uint32_t n = 0;
    const int64_t *low = o->kind == OP_pad ? op_attr_ints(m, (OpId)(o - m->ops.at), A_edge_padding_low, &n) : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (low[i] != 0) return false;
    return true;
}

// Whether the op gives what is there already; if not, it will be the next of the copy.
static bool is_repeat(Repeats *z, const Op *o) {
    uint8_t trait = traits[o->kind];
    if (!trait && !z->barriers) return false; // as most
    if (z->barriers && o->kind == OP_optimization_barrier) {
        for (uint32_t i = 0; i < o->n_results; i++)
            z->now[o->first_result + i] = z->now[z->from->operands.at[o->first_operand + i]];
        return true;
    }
    if (trait == WHOLE && gives_its_operand(z->from, o)) {
        z->now[o->first_result] = z->now[z->from->operands.at[o->first_operand]];
        return true;
    }
    if (trait != MOVED && !(z->barriers && is_pure(z->from, o))) return false;
    uint32_t hash = hash_op(z, o), at = hash;
    OpId other;
    while ((other = idmap_probe(&z->seen, hash, &at)) != IDMAP_END && !is_alike(z, o, op_get(z->m, other))) continue;
    if (other == IDMAP_END)
        idmap_add(&z->seen, hash, z->m->ops.n);
    else
        z->now[o->first_result] = op_result(z->m, other, 0);
    return other != IDMAP_END;
}

static void add_value(Repeats *z, ValueId was, uint32_t owner) {
    Value *v = &z->m->values.at[z->m->values.n];
    *v = z->from->values.at[was];
    v->owner = owner;
    z->was_value[z->m->values.n] = was;
    z->now[was] = z->m->values.n++;
}

// Gives the number of operands of a tree: first come those of its last op, then those of the op that this reads last.
static uint32_t add_tree(Repeats *z, OpId was, OpId op, ValueId *to) {
    const Module *from = z->from;
    Trees *t = z->trees;
    uint8_t *depths = t->depth + z->m->operands.n, depth_of[MOST_READ] = {0};
    OpId open[MOST_READ] = {was};
    uint32_t n = 0;
    for (uint32_t n_open = 1; n_open;) {
        const Op *o = op_get(from, open[--n_open]);
        uint8_t depth = depth_of[n_open];
        if (depth) t->flops[op] += value_tensor(from, o->first_result)->elements;
        for (const ValueId *v = from->operands.at + o->first_operand, *end = v + o->n_operands; v < end; v++) {
            if (z->now[*v] == IN_TREE) {
                open[n_open] = from->values.at[*v].owner;
                depth_of[n_open++] = (uint8_t)(depth + 1);
            } else {
                depths[n] = depth;
                to[n++] = z->now[*v];
            }
        }
    }
    return n;
}

static OpId add_op(Repeats *z, OpId was) {
    Module *m = z->m;
    OpId op = m->ops.n++;
    Op *o = &m->ops.at[op];
    *o = z->from->ops.at[was];
    z->was_op[op] = was;
    uint32_t n = o->n_operands, n_results = o->n_results;
    ValueId first = o->first_result, *to = m->operands.at + m->operands.n;
    const ValueId *now = z->now, *from = z->from->operands.at + o->first_operand;
    if (z->trees) z->trees->flops[op] = 0;
    if (z->trees && z->finder.reads[was])
        o->n_operands = n = add_tree(z, was, op, to);
    else
        for (uint32_t i = 0; i < n; i++) to[i] = now[from[i]];
    o->first_operand = m->operands.n;
    o->first_result = m->values.n;
    m->operands.n += n;
    for (uint32_t i = 0; i < n_results; i++) add_value(z, first + i, op);
    return op;
}

static void copy_region(Repeats *z, RegionId r, OpId parent) {
    Module *m = z->m;
    Region *to = &m->regions.at[r];
    const Region *from = &z->from->regions.at[r];
    *to = *from;
    to->parent = parent;
    to->first_arg = m->values.n;
    for (uint32_t i = 0; i < from->n_args; i++) add_value(z, from->first_arg + i, r);
    OpId *link = &to->first; // to where the next op goes that stays
    for (OpId was = from->first; was != NO_ID; was = op_get(z->from, was)->next) {
        if (is_repeat(z, op_get(z->from, was))) continue;
        if (z->trees && is_in_tree(&z->finder, was)) {
            z->now[op_get(z->from, was)->first_result] = IN_TREE;
            continue;
        }
        OpId op = add_op(z, was);
        *link = to->last = op;
        link = &m->ops.at[op].next;
        for (uint32_t i = 0; i < m->ops.at[op].n_regions; i++) copy_region(z, op_region(m, op, i), op);
    }
    *link = NO_ID;
}

static bool has_barriers(const Module *m) {
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        if (op_kind(m, op) == OP_optimization_barrier) return true;
    return false;
}

Distinct without_repeats(const Module *m, const OpId *origin, const Compiler *compiler, Arena *a) {
    Module *copy = arena_alloc(a, sizeof *copy);
    *copy = *m;
    copy->ops.at = arena_new(a, Op, m->ops.n);
    copy->values.at = arena_new(a, Value, m->values.n);
    copy->operands.at = arena_new(a, ValueId, m->operands.n);
    copy->regions.at = arena_new(a, Region, m->regions.n);
    for (RegionId r = 0; r < m->regions.n; r++) // those of functions that no op of @main stands in stay empty
        copy->regions.at[r] = (Region){.parent = NO_ID, .first = NO_ID, .last = NO_ID};
    copy->ops.n = copy->values.n = copy->operands.n = 0;
    Repeats z = {.from = m,
                 .m = copy,
                 .now = arena_new(a, ValueId, m->values.n),
                 .was_op = arena_new(a, OpId, m->ops.n),
                 .was_value = arena_new(a, ValueId, m->values.n),
                 .barriers = compiler->barriers_removed && has_barriers(m)};
    idmap_init(&z.seen, a);
    OpId main = module_main(m);
    if (compiler->costly_again) { // else it shows in memory which of the ops something waits for
        z.finder = tree_finder(m, origin, op_region(m, main, 0), a);
        z.trees = arena_new(a, Trees, 1);
        *z.trees = (Trees){arena_new(a, double, m->ops.n), arena_zalloc(a, m->operands.n)};
    }
    OpId func = add_op(&z, main);
    copy->ops.at[func].next = NO_ID;
    copy->regions.at[0].first = copy->regions.at[0].last = func;
    idmap_init(&copy->function_map, a);
    idmap_add(&copy->function_map, span_hash(op_attr_text(m, main, A_sym_name)), func);
    copy_region(&z, op_region(m, main, 0), func);
    return (Distinct){copy, z.was_op, z.was_value, z.trees};
}
