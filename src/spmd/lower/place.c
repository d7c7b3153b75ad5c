// Where a redistribution is placed: at the form of the value for which it sends the fewest bytes. Only movement is placed so; a pending
// sum stays where it is, because a sum in fewer bits has another value. Ops that only move elements, or change each element by itself,
// are repeated on the other side of the redistribution:
//
//     %1 = convert %0 : bf16 -> f32, stored [{batch}], used [{}]       gather %0, then convert
//     %2 = reshape %1, the same                                        gather %0, then convert and reshape
//     %1 = slice %0 of a half, %0 has another distribution             slice %0 as it is, redistribute %1
//
// It is placed before such ops where their operand is smaller than their result, and after them where the result is smaller.
#include "spmd/lower/lowering.h"

bool only_moves(OpKind kind) {
    return kind == OP_convert || kind == OP_broadcast_in_dim || kind == OP_reshape || kind == OP_transpose || kind == OP_slice;
}

// The op that made a value of what it only moves; NO_ID if none did.
static OpId moved_by(const Module *m, ValueId v) {
    const Value *val = &m->values.at[v];
    return !val->is_arg && only_moves(op_kind(m, val->owner)) ? val->owner : NO_ID;
}

static double form_bytes(const Module *m, ValueId v) { return type_get(m, value_type(m, v))->bytes; }

uint32_t smaller_forms(const Module *m, ValueId v, ValueId *forms) {
    uint32_t n = 0;
    ValueId x = v;
    OpId op;
    for (uint32_t i = 0; i < MOST_FORMS && (op = moved_by(m, x)) != NO_ID; i++) {
        x = op_operand(m, op, 0);
        if (form_bytes(m, x) < form_bytes(m, v)) forms[n++] = x;
    }
    return n;
}

// ---- Distributions across an op -------------------------------------------------------------------------------------

// The factor that each axis splits, of those that pass; false if one splits another.
static bool split_factors(const Lowering *l, const Rule *r, uint32_t tensor, const Dist *d, uint8_t *factor) {
    const uint8_t *factors = NULL;
    uint32_t count = 0, k = 0;
    int64_t left = 1;
    for (uint32_t i = 0; i < d->n; i++) {
        int64_t size = l->mesh->axes[d->at[i].axis].size;
        if (i == 0 || d->at[i].dim != d->at[i - 1].dim) {
            factors = rule_dim(r, tensor, d->at[i].dim, &count), k = 0;
            if (count == 0) return false;
            left = r->factors[factors[0]].size;
        }
        while (left == 1 && k + 1 < count) left = r->factors[factors[++k]].size;
        if (r->factors[factors[k]].kind != FACTOR_PASS || left % size != 0) return false;
        left /= size;
        factor[i] = factors[k];
    }
    return true;
}

// The distribution of a tensor whose factors are split so; NULL if a chunk of it would not be in one piece: behind a factor that is
// not split to its end, no other may be.
static const Dist *join_factors(Lowering *l, const Rule *r, uint32_t tensor, const Dist *d, const uint8_t *factor) {
    DistEntry at[MESH_MAX_AXES];
    uint32_t n = 0, count;
    for (uint32_t dim = 0; dim < rule_rank(r, tensor); dim++) {
        const uint8_t *factors = rule_dim(r, tensor, dim, &count);
        int64_t left = 1; // of the factors so far
        for (uint32_t k = 0; k < count; k++) {
            int64_t before = left;
            left *= r->factors[factors[k]].size;
            for (uint32_t i = 0; i < d->n; i++) {
                if (factor[i] != factors[k]) continue;
                if (before != 1) return NULL;
                at[n++] = (DistEntry){d->at[i].axis, (uint8_t)dim};
                left /= l->mesh->axes[d->at[i].axis].size;
            }
        }
    }
    return dist_intern(l->dists, at, n, 0, MONOID_ADD);
}

static const Dist *across(Lowering *l, OpId op, uint32_t from, uint32_t to, const Dist *d) {
    const Rule *r = l->g->nodes[l->g->op_node[op]].rule;
    uint8_t factor[MESH_MAX_AXES];
    return split_factors(l, r, from, d, factor) ? join_factors(l, r, to, d, factor) : NULL;
}

// The distribution of the operand with which the result comes out as `d`: what splits a broadcast dimension alone, the operand has not.
static const Dist *before_op(Lowering *l, OpId op, const Dist *d) { return across(l, op, 1, 0, d); }
static const Dist *after_op(Lowering *l, OpId op, const Dist *d) { return across(l, op, 0, 1, d); }

static TypeId global_type_of(Lowering *l, ValueId v) { return import_type(&l->im, value_type(l->src, v)); }

// The op of what stands for its operand now, with a result as `d`.
static ValueId emit_moved(Lowering *l, OpId op, ValueId x, const Dist *d) {
    const Op *src = op_get(l->src, op);
    OpId user = l->origin;
    NamedAttr *attrs = arena_new(l->a, NamedAttr, src->n_attrs);
    import_attrs(&l->im, op, attrs);
    if (src->kind == OP_slice) { // what is split it has whole
        const Type *global = operand_type(l->src, op, 0), *local = type_get(l->out, lowered_type(l, x));
        uint32_t n;
        const int64_t *limits = op_attr_ints(l->src, op, A_limit_indices, &n);
        int64_t now[MAX_RANK];
        for (uint32_t i = 0; i < n; i++) now[i] = local->dims[i] < global->dims[i] ? local->dims[i] : limits[i];
        for (uint32_t i = 0; i < src->n_attrs; i++)
            if (attrs[i].name == (NameId)A_limit_indices) attrs[i].value = attr_ints(l->out, now, n);
    }
    l->origin = op;
    TypeId type = local_type(l, d, global_type_of(l, src->first_result));
    ValueId v = emit(l, (OpKind)src->kind, &x, 1, type, attrs, src->n_attrs, d);
    l->out_image.at[l->out->values.at[v].owner] = true;
    l->origin = user;
    return v;
}

// ---- Before ops that enlarge it -------------------------------------------------------------------------------------

ValueId redistribute_smaller(Lowering *l, ValueId v, const Dist *want, TypeId global) {
    if (moved_by(l->src, v) == NO_ID || want->pending || l->dist[v]->pending) return NO_ID;
    const Dist *dists[MOST_FORMS + 1] = {want};
    OpId ops[MOST_FORMS];
    double least = redistribution_bytes(l, l->dist[v], want, global);
    uint32_t best = 0;
    ValueId x = v, from = v;
    for (uint32_t i = 0; i < MOST_FORMS && (ops[i] = moved_by(l->src, x)) != NO_ID; i++) {
        x = op_operand(l->src, ops[i], 0);
        if (value_is_source(l->src, x) || !(dists[i + 1] = before_op(l, ops[i], dists[i]))) break;
        if (form_bytes(l->src, x) >= form_bytes(l->src, v) || l->value[x] == NO_ID || l->dist[x]->pending) continue;
        double sent = redistribution_bytes(l, l->dist[x], dists[i + 1], global_type_of(l, x));
        if (sent < least) least = sent, best = i + 1, from = x;
    }
    if (best == 0) return NO_ID;
    ValueId made = emit_steps(l, l->value[from], l->dist[from], dists[best], global_type_of(l, from));
    for (uint32_t i = best; i-- > 0;) made = emit_moved(l, ops[i], made, dists[i]);
    return made;
}

// ---- After ops that make it smaller ---------------------------------------------------------------------------------

// Ops that only move, one after the other, each the only reader of the one before it.
typedef struct MoveChain {
    uint32_t n;
    const Dist *lies[MOST_FORMS + 1];   // the first one's operand, then their results, if nothing is redistributed
    double sent[MOST_FORMS];            // for the operand of each, if it is stored as its nest says
    const Dist *want[MOST_FORMS + 1];   // of their operands; behind the last, of its result
    TypeId type[MOST_FORMS + 1];        // beside `lies`
} MoveChain;

static OpId next_mover(const Lowering *l, OpId op) {
    ValueId v = op_result(l->src, op, 0);
    const Graph *g = l->g;
    if (g->first_use[v + 1] - g->first_use[v] != 1) return NO_ID;
    const Node *node = &g->nodes[g->use_ports[g->first_use[v]].node];
    if (node->kind != NODE_OP || !only_moves(op_kind(l->src, node->op))) return NO_ID;
    bool reads = op_operand(l->src, node->op, 0) == v && op_get(l->src, node->op)->parent == op_get(l->src, op)->parent;
    return reads ? node->op : NO_ID;
}

static bool sums_nothing(const Lowering *l, OpId op) {
    ValueId v = op_result(l->src, op, 0);
    return !l->pending.absorbed[l->g->op_node[op]] && !l->pending.natural[v] && !l->pending.deferred[v] && l->g->value_sum[v] == NO_ID;
}

static void follow_chain(Lowering *l, OpId op, MoveChain *c) {
    *c = (MoveChain){.lies = {l->dist[op_operand(l->src, op, 0)]}};
    const Dist *stored = c->lies[0];
    for (; c->n < MOST_FORMS && op != NO_ID && sums_nothing(l, op); op = next_mover(l, op)) {
        uint32_t i = c->n;
        NodeId n = l->g->op_node[op];
        const Dist *lies = after_op(l, op, c->lies[i]);
        if (!lies) break;
        c->type[i] = global_type_of(l, op_operand(l->src, op, 0));
        c->type[i + 1] = global_type_of(l, op_result(l->src, op, 0));
        c->want[i] = node_dist(l, n, 0, 0, 0, MONOID_ADD);
        c->sent[i] = redistribution_bytes(l, stored, c->want[i], c->type[i]);
        c->want[i + 1] = stored = node_dist(l, n, 1, 0, 0, MONOID_ADD);
        c->lies[++c->n] = lies;
    }
}

// Before which op of a chain a redistribution sends the fewest bytes in all; the number of ops: behind the last.
static uint32_t find_least_place(Lowering *l, const MoveChain *c) {
    double least = 0, later = 0; // later: what the ops behind it ask for
    uint32_t best = c->n;
    for (uint32_t i = c->n + 1; i-- > 0;) {
        double sent = redistribution_bytes(l, c->lies[i], c->want[i], c->type[i]) + later;
        if (i == c->n || sent <= least) least = sent, best = i;
        if (i < c->n) later += c->sent[i];
    }
    return best;
}

bool lower_as_it_lies(Lowering *l, OpId op, NodeId n) {
    ValueId x = op_operand(l->src, op, 0), v = op_result(l->src, op, 0);
    if (value_is_source(l->src, x) || is_shared(l, x)) return false;
    const Dist *lies = l->dist[x], *want = node_dist(l, n, 0, 0, 0, MONOID_ADD);
    if (lies == want || lies->pending || redistribution_bytes(l, lies, want, global_type_of(l, x)) == 0) return false;
    MoveChain c;
    follow_chain(l, op, &c);
    uint32_t place = c.n ? find_least_place(l, &c) : 0;
    if (place == 0) return false;
    ValueId moved = emit_moved(l, op, l->value[x], c.lies[1]);
    bool here = place == 1 && c.n == 1;
    l->value[v] = here ? emit_steps(l, moved, c.lies[1], c.want[1], c.type[1]) : moved;
    l->dist[v] = here ? c.want[1] : c.lies[1];
    return true;
}
