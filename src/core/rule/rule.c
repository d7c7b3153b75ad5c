// RuleBook: builds the rule of each op once and shares it between equal ops: same kind, types and attributes, and the same
// rule_extra where a region or a producer decides. A transformer of a hundred layers has a few dozen rules.
#include "core/rule/rule.h"
#include "core/rule/rule_build.h"
#include "support/integer.h"

typedef struct KnownRule {
    const Rule *rule;
    OpId op; // one that has it
    uint32_t extra;
} KnownRule;

typedef struct KnownIdentity {
    const Rule *rule;
    TypeId type;
} KnownIdentity;

struct RuleBook {
    const Module *m;
    Arena *arena;
    VEC(const Rule *) of_op; // NULL until asked for
    VEC(KnownRule) known;
    VEC(KnownIdentity) identities;
    IdMap known_map, identity_map;
    RuleBuilder builder;
};

RuleBook *rulebook_new(const Module *m, Arena *a, const UserRule *user, uint32_t n_user) {
    RuleBook *b = arena_zalloc(a, sizeof *b);
    b->m = m;
    b->arena = a;
    idmap_init(&b->known_map, a);
    idmap_init(&b->identity_map, a);
    b->builder.m = m;
    b->builder.arena = a;
    b->builder.user = user;
    b->builder.n_user = n_user;
    b->builder.uses = arena_zalloc(a, n_user * sizeof *b->builder.uses);
    return b;
}

const UserRuleUse *rulebook_uses(const RuleBook *b) { return b->builder.uses; }

const char *const *rulebook_calls_without_rule(const RuleBook *b, uint32_t *n) {
    *n = b->builder.without_rule.n;
    return b->builder.without_rule.at;
}

void rulebook_trust(RuleBook *b) { b->builder.trust = true; }

static const RuleFunction rule_functions[OP_COUNT] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) [OP_##id] = rule_##rule,
#include "ir/ops.def"
};

// Rules that types alone decide. For all others, equal ops have equal attributes too.
static bool types_decide(OpKind kind) {
    return rule_functions[kind] == rule_elementwise || rule_functions[kind] == rule_source;
}

// ---- What a rule depends on beyond attributes and types ------------------------------------------------------------

// Where the value came from before a slice.
static ValueId before_slice(const Module *m, ValueId v) {
    const Value *value = &m->values.at[v];
    return !value->is_arg && op_kind(m, value->owner) == OP_slice ? op_operand(m, value->owner, 0) : v;
}

// Pieces of a concatenate line up if they are shifted pieces of what was sliced: all are slices, or all are one tensor
// and slices of it.
static bool pieces_line_up(const Module *m, OpId op) {
    uint32_t n = op_get(m, op)->n_operands, n_slices = 0, n_same = 0;
    for (uint32_t i = 0; i < n; i++) {
        ValueId v = op_operand(m, op, i);
        n_slices += before_slice(m, v) != v;
        n_same += before_slice(m, v) == before_slice(m, op_operand(m, op, 0));
    }
    return n_slices == n || (n_slices > 0 && n_same == n);
}

// The one dimension that a slice of stride 1 cuts; -1 if it is no such slice.
static int sliced_dim(const Module *m, OpId op) {
    const Type *from = operand_type(m, op, 0), *to = result_type(m, op, 0);
    uint32_t n;
    const int64_t *strides = op_attr_ints(m, op, A_strides, &n);
    int dim = -1;
    for (uint32_t d = 0; d < from->rank; d++) {
        if (d < n && strides[d] != 1) return -1;
        if (from->dims[d] == to->dims[d]) continue;
        if (dim >= 0) return -1;
        dim = (int)d;
    }
    return dim;
}

ValueId rule_unsliced_operand(const Module *m, OpId op, uint32_t operand) {
    ValueId v = op_operand(m, op, operand);
    OpKind kind = op_kind(m, op);
    if (kind == OP_pad && operand > 0) return v;
    ValueId source = before_slice(m, v);
    if (source == v || !type_is_static(value_tensor(m, source))) return v;
    int dim = sliced_dim(m, m->values.at[v].owner);
    if (dim < 0 || (kind == OP_concatenate && op_attr_int(m, op, A_dimension, 0) != dim)) return v;
    if (kind == OP_pad) {
        uint32_t n;
        const int64_t *low = op_attr_ints(m, op, A_edge_padding_low, &n);
        const int64_t *high = op_attr_ints(m, op, A_edge_padding_high, &n);
        const int64_t *inner = op_attr_ints(m, op, A_interior_padding, &n);
        if (!low || !high || !inner || inner[dim] != 0 || (low[dim] == 0 && high[dim] == 0)) return v;
    }
    int64_t size = result_type(m, op, 0)->dims[dim];
    return gcd(value_tensor(m, source)->dims[dim], size) > gcd(value_tensor(m, v)->dims[dim], size) ? source
                                                                                                                : v;
}

enum { EXTRA_NONE, EXTRA_LINES_UP, EXTRA_MONOID };

static uint32_t rule_extra(const Module *m, OpId op) {
    Monoid monoid;
    switch (op_kind(m, op)) {
    case OP_concatenate: return pieces_line_up(m, op) ? EXTRA_LINES_UP : EXTRA_NONE;
    case OP_reduce:
    case OP_scatter:
        return monoid_of_region(m, op_region(m, op, 0), &monoid) ? EXTRA_MONOID + (uint32_t)monoid : EXTRA_NONE;
    default: return EXTRA_NONE;
    }
}

bool extra_monoid(const RuleBuilder *b, Monoid *out) {
    if (b->extra < EXTRA_MONOID) return false;
    *out = (Monoid)(b->extra - EXTRA_MONOID);
    return true;
}

static uint32_t op_hash(const Module *m, OpId id, uint32_t extra) {
    const Op *op = op_get(m, id);
    uint32_t h = hash_u32(op->kind, extra);
    for (uint32_t i = 0; i < op->n_operands; i++) h = hash_u32(h, value_type(m, rule_operand(m, id, i)));
    for (uint32_t i = 0; i < op->n_results; i++) h = hash_u32(h, value_type(m, op_result(m, id, i)));
    if (types_decide((OpKind)op->kind)) return h;
    for (uint32_t i = 0; i < op->n_attrs; i++) h = hash_u32(h, m->op_attrs.at[op->first_attr + i].value);
    return h;
}

static bool ops_equal(const Module *m, OpId a, OpId b) {
    const Op *x = op_get(m, a), *y = op_get(m, b);
    if (x->kind != y->kind || x->n_operands != y->n_operands || x->n_results != y->n_results) return false;
    for (uint32_t i = 0; i < x->n_operands; i++)
        if (value_type(m, rule_operand(m, a, i)) != value_type(m, rule_operand(m, b, i))) return false;
    for (uint32_t i = 0; i < x->n_results; i++)
        if (value_type(m, op_result(m, a, i)) != value_type(m, op_result(m, b, i))) return false;
    if (types_decide((OpKind)x->kind)) return true;
    if (x->n_attrs != y->n_attrs) return false;
    for (uint32_t i = 0; i < x->n_attrs; i++) {
        const NamedAttr *p = &m->op_attrs.at[x->first_attr + i], *q = &m->op_attrs.at[y->first_attr + i];
        if (p->name != q->name || p->value != q->value) return false;
    }
    return true;
}

// ---- Building -------------------------------------------------------------------------------------------------------

static bool has_dynamic_shape(const RuleBuilder *b) {
    for (uint32_t t = 0; t < tensors_of(b); t++) {
        const Type *type = type_of(b, t);
        if (type->kind == TYPE_UNRANKED || (type->kind == TYPE_TENSOR && !type_is_static(type))) return true;
    }
    return false;
}

static const Rule *rule_build(RuleBook *book, OpId id, uint32_t extra) {
    const Module *m = book->m;
    const Op *op = op_get(m, id);
    RuleBuilder *b = &book->builder;
    TypeId *types = arena_new(book->arena, TypeId, (uint64_t)op->n_operands + op->n_results);
    for (uint32_t i = 0; i < op->n_operands; i++) types[i] = value_type(m, rule_operand(m, id, i));
    for (uint32_t i = 0; i < op->n_results; i++) types[op->n_operands + i] = value_type(m, op_result(m, id, i));
    b->op = id;
    b->extra = extra;
    rule_begin(b, types, op->n_operands, op->n_results);
    if (has_dynamic_shape(b))
        rule_give_refusal(b, "a size is known only at run time");
    else
        rule_functions[op->kind](b);
    return rule_finish(b);
}

const Rule *rulebook_rule(RuleBook *b, OpId op) {
    while (b->of_op.n <= op) vec_push(b->arena, &b->of_op, NULL);
    if (b->of_op.at[op]) return b->of_op.at[op];

    uint32_t extra = rule_extra(b->m, op), hash = op_hash(b->m, op, extra);
    for (uint32_t p = hash, id; (id = idmap_probe(&b->known_map, hash, &p)) != IDMAP_END;) {
        const KnownRule *k = &b->known.at[id];
        if (k->extra == extra && ops_equal(b->m, k->op, op)) return b->of_op.at[op] = k->rule;
    }
    KnownRule k = {rule_build(b, op, extra), op, extra};
    idmap_add(&b->known_map, hash, b->known.n);
    vec_push(b->arena, &b->known, k);
    return b->of_op.at[op] = k.rule;
}

const Rule *rulebook_identity(RuleBook *b, TypeId type, uint32_t n_operands, uint32_t n_results) {
    uint32_t hash = hash_u32(hash_u32(type, n_operands), n_results);
    for (uint32_t p = hash, id; (id = idmap_probe(&b->identity_map, hash, &p)) != IDMAP_END;) {
        const KnownIdentity *k = &b->identities.at[id];
        if (k->type == type && k->rule->n_operands == n_operands && k->rule->n_results == n_results) return k->rule;
    }
    TypeId *types = arena_new(b->arena, TypeId, (uint64_t)n_operands + n_results);
    for (uint32_t t = 0; t < n_operands + n_results; t++) types[t] = type;
    rule_begin(&b->builder, types, n_operands, n_results);
    for (uint32_t d = 0; n_operands + n_results > 0 && d < rank_of(&b->builder, 0); d++)
        factor_across(&b->builder, FACTOR_PASS, 0, d);
    KnownIdentity k = {rule_finish(&b->builder), type};
    idmap_add(&b->identity_map, hash, b->identities.n);
    vec_push(b->arena, &b->identities, k);
    return k.rule;
}
