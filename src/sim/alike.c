// Alike: one walk in program order with a table of what was met. Arithmetic is left out: programs are traced, so that
// the same sum is hardly ever written twice, but to be computed again behind a barrier.
#include "sim/alike.h"
#include "sim/order.h"

typedef struct Repeats {
    Module *m;
    ValueId *first; // by value: the one that stands for it
    IdMap seen;
    bool barriers; // there are some, and they are removed
} Repeats;

static bool is_moved(OpKind k) {
    return k == OP_constant || k == OP_iota || k == OP_broadcast_in_dim || k == OP_reshape || k == OP_transpose ||
           k == OP_convert;
}

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

static uint32_t hash_op(const Module *m, const Op *o) {
    uint32_t h = hash_u32(o->kind + (value_type(m, o->first_result) << 8),
                          o->n_operands ? m->operands.at[o->first_operand] : NO_ID);
    return o->n_attrs ? hash_u32(h, m->op_attrs.at[o->first_attr].value) : h;
}

// Of reductions by one op.
static bool regions_alike(const Module *m, const Op *x, const Op *y) {
    if (x->n_regions == 0) return true;
    return op_kind(m, m->regions.at[m->op_regions.at[x->first_region]].first) ==
           op_kind(m, m->regions.at[m->op_regions.at[y->first_region]].first);
}

static bool is_alike(const Module *m, const Op *x, const Op *y) {
    if (x->kind != y->kind || x->parent != y->parent || x->n_attrs != y->n_attrs ||
        value_type(m, x->first_result) != value_type(m, y->first_result) || x->n_operands != y->n_operands ||
        !regions_alike(m, x, y))
        return false;
    for (uint32_t i = 0; i < x->n_operands; i++)
        if (m->operands.at[x->first_operand + i] != m->operands.at[y->first_operand + i]) return false;
    for (uint32_t i = 0; i < x->n_attrs; i++) {
        const NamedAttr *p = &m->op_attrs.at[x->first_attr + i], *q = &m->op_attrs.at[y->first_attr + i];
        if (p->name != q->name || p->value != q->value) return false;
    }
    return true;
}

// Whether the op gives what is there already. Its operands stand for themselves.
static bool is_repeat(Repeats *z, OpId op) {
    Module *m = z->m;
    const Op *o = op_get(m, op);
    if (z->barriers && o->kind == OP_optimization_barrier) {
        for (uint32_t i = 0; i < o->n_results; i++)
            z->first[o->first_result + i] = m->operands.at[o->first_operand + i];
        return true;
    }
    if (!is_moved((OpKind)o->kind) && !(z->barriers && is_pure(m, o))) return false;
    uint32_t hash = hash_op(m, o), at = hash;
    OpId other;
    while ((other = idmap_probe(&z->seen, hash, &at)) != IDMAP_END && !is_alike(m, o, op_get(m, other))) continue;
    if (other == IDMAP_END)
        idmap_add(&z->seen, hash, op);
    else
        z->first[o->first_result] = op_result(m, other, 0);
    return other != IDMAP_END;
}

static void visit_region(Repeats *z, RegionId r) {
    Module *m = z->m;
    OpId *link = &m->regions.at[r].first; // to where the next op goes that stays
    for (OpId op = *link, next; op != NO_ID; op = next) {
        const Op *o = op_get(m, op);
        next = o->next;
        for (uint32_t k = o->first_operand, end = k + o->n_operands; k < end; k++)
            m->operands.at[k] = z->first[m->operands.at[k]];
        for (uint32_t i = 0; runs_regions((OpKind)o->kind) && i < o->n_regions; i++)
            visit_region(z, m->op_regions.at[o->first_region + i]);
        if (is_repeat(z, op)) continue;
        *link = op;
        link = &m->ops.at[op].next;
    }
}

static bool has_barriers(const Module *m) {
    for (OpId op = 0; op < m->ops.n; op++)
        if (op_kind(m, op) == OP_optimization_barrier) return true;
    return false;
}

static void *copied(const void *from, size_t bytes, Arena *a) { return memcpy(arena_alloc(a, bytes), from, bytes); }

const Module *without_repeats(const Module *m, bool barriers_removed, Arena *a) {
    Module *copy = copied(m, sizeof *m, a);
    copy->ops.at = copied(m->ops.at, m->ops.n * sizeof *m->ops.at, a);
    copy->operands.at = copied(m->operands.at, m->operands.n * sizeof *m->operands.at, a);
    copy->regions.at = copied(m->regions.at, m->regions.n * sizeof *m->regions.at, a);
    Repeats z = {
        .m = copy, .first = arena_new(a, ValueId, m->values.n), .barriers = barriers_removed && has_barriers(m)};
    for (ValueId v = 0; v < m->values.n; v++) z.first[v] = v;
    idmap_init(&z.seen, a);
    visit_region(&z, op_region(m, module_main(m), 0));
    return copy;
}
