// The type checker of PartIR:HLO. It looks only at distributions and rules, not at the work of the lowering:
//
//   - a factor is split over the same axes, in the same order, in every operand and result that has it;
//   - a factor that the op needs whole is not split;
//   - a split reduction leaves the result pending on its axes, with the rule's monoid;
//   - pending operands go only into linear ops, which hand the pending axes on;
//   - a collective changes the distribution by exactly the axes it names;
//   - carried values keep one distribution, and local shapes are the global ones divided.
#include "spmd/type_check.h"
#include "spmd/summary/summary.h"

typedef struct Checker {
    const Lowered *l;
    const State *s;
    const Module *m, *src;
    Arena *a;
    IdMap seen; // array ops that were checked, no two of them equal
} Checker;

static const Dist *dist_of(const Checker *c, ValueId v) { return c->l->dist[v]; }

static bool ill_typed(const Checker *c, OpId op, const char *what, const Dist *a, const Dist *b) {
    Buffer text;
    buf_init(&text, c->a);
    uint32_t rank = 0;
    const Op *o = op_get(c->m, op);
    if (o->n_operands) rank = operand_type(c->m, op, 0)->rank;
    if (o->n_results && result_type(c->m, op, 0)->rank > rank) rank = result_type(c->m, op, 0)->rank;
    if (a) dist_print(a, c->l->mesh, rank, &text);
    if (b) buf_str(&text, " and "), dist_print(b, c->l->mesh, rank, &text);
    OpId origin = c->l->origin[op];
    return diag_error(c->m->ctx, &c->src->source, origin == NO_ID ? NO_OFFSET : op_get(c->src, origin)->source,
                      "this is a defect of the lowering: please report it with the program and the schedule",
                      "ill-typed PartIR:HLO: %s: %s %s", op_info[op_kind(c->m, op)].name, what,
                      text.n ? buf_cstr(&text) : "");
}

// Splits the axes of each dimension among the dimension's factors, major first. `of[f]` lists the axes of factor f.
typedef struct FactorAxes {
    AxisId axes[MESH_MAX_SPLITS];
    uint8_t n;
    bool seen;
} FactorAxes;

static bool match_factor(const Rule *r, uint8_t factor, const FactorAxes *mine, FactorAxes *of, const char **what) {
    FactorKind kind = r->factors[factor].kind;
    if (mine->n && (kind == FACTOR_WHOLE || kind == FACTOR_SHIFT))
        return *what = "a factor that the op needs whole is split in", false;
    if (of[factor].seen && (of[factor].n != mine->n || memcmp(of[factor].axes, mine->axes, mine->n) != 0))
        return *what = "a factor is split differently in", false;
    of[factor] = *mine;
    of[factor].seen = true;
    return true;
}

static bool collect_factors(const Checker *c, const Rule *r, uint32_t tensor, const Dist *d, FactorAxes *of,
                            const char **what) {
    const DistEntry *e = d->at, *end = e + d->n;
    for (uint32_t dim = 0; dim < rule_rank(r, tensor); dim++) {
        uint32_t count, k = 0;
        const uint8_t *factors = rule_dim(r, tensor, dim, &count);
        int64_t left = count ? factor_chunks(&r->factors[factors[0]]) : 0;
        FactorAxes mine = {0};
        for (; e < end && e->dim == dim; e++) {
            int64_t size = c->l->mesh->axes[e->axis].size;
            if (size == 1) continue; // splits nothing
            for (; k + 1 < count && left == 1; left = factor_chunks(&r->factors[factors[++k]]), mine = (FactorAxes){0})
                if (!match_factor(r, factors[k], &mine, of, what)) return false;
            if (count == 0 || left % size != 0) return *what = "a dimension is split that has no such factor", false;
            left /= size;
            mine.axes[mine.n++] = e->axis;
        }
        for (; k < count; k++, mine = (FactorAxes){0})
            if (!match_factor(r, factors[k], &mine, of, what)) return false;
    }
    if (e < end) return *what = "dimensions are split that are not there, or out of order, in", false;
    return true;
}

// ORDER linear ops
static bool is_linear(OpKind kind) {
    switch (kind) {
    case OP_add:
    case OP_subtract:
    case OP_negate:
    case OP_transpose:
    case OP_reshape:
    case OP_slice:
    case OP_convert:
    case OP_reduce:
    case OP_multiply:
    case OP_divide:
    case OP_broadcast_in_dim:
    case OP_dynamic_update_slice: return true;
    default: return false;
    }
}

static bool check_local_type(const Checker *c, OpId op, ValueId v, TypeId global, const Module *global_module) {
    const Type *g = type_get(global_module, global), *t = value_tensor(c->m, v);
    if (g->kind != TYPE_TENSOR) return true;
    int64_t dims[MAX_RANK];
    for (uint32_t d = 0; d < g->rank; d++) dims[d] = g->dims[d]; // a scalar has no dims to copy from
    if (t->rank != g->rank || !dist_local_dims(dist_of(c, v), c->l->mesh, g->rank, dims) ||
        (g->rank > 0 && memcmp(dims, t->dims, g->rank * sizeof *dims) != 0))
        return ill_typed(c, op, "the local shape is not the global one divided by", dist_of(c, v), NULL);
    return true;
}

// An array op made from one of the source program.
static bool check_array_op(const Checker *c, OpId op, OpId origin) {
    const Op *o = op_get(c->m, op);
    NodeId n = c->s->g->op_node[origin];
    const Rule *r = c->s->g->nodes[n].rule;
    FactorAxes of[RULE_MAX_FACTORS];
    memset(of, 0, r->n_factors * sizeof *of);
    const char *what;
    AxisSet pending_in = 0, reduced = 0;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        const Dist *d = dist_of(c, op_operand(c->m, op, i));
        if (!d) continue; // a helper value
        if (!collect_factors(c, r, i, d, of, &what)) return ill_typed(c, op, what, d, NULL);
        pending_in |= d->pending;
    }
    for (uint32_t f = 0; f < r->n_factors; f++)
        for (uint32_t k = 0; r->factors[f].kind == FACTOR_REDUCE && k < of[f].n; k++)
            reduced |= (AxisSet)1 << of[f].axes[k];
    for (uint32_t i = 0; i < o->n_results; i++) {
        ValueId v = op_result(c->m, op, i);
        const Dist *d = dist_of(c, v);
        if (!d) continue;
        if (!collect_factors(c, r, r->n_operands + i, d, of, &what)) return ill_typed(c, op, what, d, NULL);
        if ((d->pending & reduced) != reduced) return ill_typed(c, op, "a split reduction is not pending in", d, NULL);
        if (d->pending & ~(reduced | pending_in))
            return ill_typed(c, op, "a pending axis comes from nowhere in", d, NULL);
        if (reduced && d->monoid != r->monoid) return ill_typed(c, op, "another monoid than the op's in", d, NULL);
        if (pending_in && (d->pending & pending_in) != pending_in)
            return ill_typed(c, op, "a pending axis is lost in", d, NULL);
        if (!check_local_type(c, op, v, value_type(c->src, op_result(c->src, origin, i)), c->src)) return false;
    }
    if (pending_in && !is_linear((OpKind)o->kind))
        return ill_typed(c, op, "the op is not linear, but an operand is pending", dist_of(c, op_operand(c->m, op, 0)),
                         NULL);
    if (pending_in && (o->kind == OP_add || o->kind == OP_subtract) && dist_of(c, op_operand(c->m, op, 0)) &&
        dist_of(c, op_operand(c->m, op, 1)) &&
        dist_of(c, op_operand(c->m, op, 0))->pending != dist_of(c, op_operand(c->m, op, 1))->pending &&
        !value_is_source(c->src, op_operand(c->src, origin, 0)) &&
        !value_is_source(c->src, op_operand(c->src, origin, 1)))
        return ill_typed(c, op, "operands are pending on different axes:", dist_of(c, op_operand(c->m, op, 0)),
                         dist_of(c, op_operand(c->m, op, 1)));
    return true;
}

// ---- Equal ops ------------------------------------------------------------------------------------------------------

// Layers repeat, so most ops equal an earlier one in rule, distributions and types. The result of its check holds for
// them too.
static const Rule *rule_of(const Checker *c, OpId op) {
    return c->s->g->nodes[c->s->g->op_node[c->l->origin[op]]].rule;
}

static bool is_same_check(const Checker *c, OpId a, OpId b) {
    const Op *x = op_get(c->m, a), *y = op_get(c->m, b);
    if (x->kind != y->kind || x->n_operands != y->n_operands || x->n_results != y->n_results ||
        rule_of(c, a) != rule_of(c, b))
        return false;
    for (uint32_t i = 0; i < x->n_operands; i++)
        if (dist_of(c, op_operand(c->m, a, i)) != dist_of(c, op_operand(c->m, b, i))) return false;
    for (uint32_t i = 0; i < x->n_results; i++) {
        ValueId v = x->first_result + i, w = y->first_result + i;
        if (dist_of(c, v) != dist_of(c, w) || value_type(c->m, v) != value_type(c->m, w) ||
            value_type(c->src, op_result(c->src, c->l->origin[a], i)) !=
                value_type(c->src, op_result(c->src, c->l->origin[b], i)))
            return false;
    }
    return true;
}

static uint32_t hash_pointer(uint32_t h, const void *p) { return hash_u32(h, (uint32_t)((uintptr_t)p >> 3)); }

// Pending operands are looked at in each case: where they come from counts too.
static bool check_once(Checker *c, OpId op) {
    const Op *o = op_get(c->m, op);
    uint32_t hash = hash_pointer(o->kind, rule_of(c, op));
    bool pending = false;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        const Dist *d = dist_of(c, op_operand(c->m, op, i));
        pending |= d && d->pending;
        hash = hash_pointer(hash, d);
    }
    if (pending) return check_array_op(c, op, c->l->origin[op]);
    for (uint32_t at = hash, other; (other = idmap_probe(&c->seen, hash, &at)) != IDMAP_END;)
        if (is_same_check(c, op, other)) return true;
    idmap_add(&c->seen, hash, op);
    return check_array_op(c, op, c->l->origin[op]);
}

// ---- Collectives and loops ------------------------------------------------------------------------------------------

// A collective takes away, adds or moves just the axes it names; everything else stays.
static bool check_collective(const Checker *c, OpId op) {
    const Dist *from = dist_of(c, op_operand(c->m, op, 0)), *to = dist_of(c, op_result(c->m, op, 0));
    if (!from || !to) return true; // stacked partial results
    CollectiveKind kind;
    AxisSet axes;
    double bytes;
    bool slice = op_kind(c->m, op) == OP_partir_all_slice;
    if (!slice && !collective_of(c->m, c->l->mesh, op, &kind, &axes, &bytes)) return true;
    const Type *x = operand_type(c->m, op, 0), *y = result_type(c->m, op, 0);
    for (uint32_t d = 0; d < x->rank; d++)
        if (x->dims[d] * dist_chunks(from, c->l->mesh, d) != y->dims[d] * dist_chunks(to, c->l->mesh, d))
            return ill_typed(c, op, "the shapes do not fit:", from, to);
    if (!slice && kind == COLLECTIVE_PERMUTE) return true; // any chunk to any place; shapes are equal
    bool reduces = !slice && (kind == COLLECTIVE_ALL_REDUCE || kind == COLLECTIVE_REDUCE_SCATTER);
    AxisSet before = 0, after = 0;
    for (uint32_t i = 0; i < from->n; i++) before |= (AxisSet)1 << from->at[i].axis;
    for (uint32_t i = 0; i < to->n; i++) after |= (AxisSet)1 << to->at[i].axis;
    AxisSet changed = before ^ after;
    if (slice) axes = changed & after;
    bool ok =
        from->pending == (reduces ? to->pending | axes : to->pending) && (!reduces || (from->pending & axes) == axes);
    if (slice)
        ok &= changed == axes && !(before & axes);
    else if (kind == COLLECTIVE_ALL_GATHER)
        ok &= changed == axes && (before & axes) == axes;
    else if (kind == COLLECTIVE_REDUCE_SCATTER)
        ok &= changed == axes && (after & axes) == axes;
    else if (kind == COLLECTIVE_ALL_REDUCE)
        ok &= changed == 0;
    else
        ok &= changed == 0 && (before & axes) == axes;
    return ok || ill_typed(c, op, "does not lead from one to the other:", from, to);
}

static bool check_loop(const Checker *c, OpId op) {
    const Op *o = op_get(c->m, op);
    RegionId body = op_region(c->m, op, 1);
    OpId yield = region_terminator(c->m, body);
    for (uint32_t i = 0; i < o->n_operands; i++) {
        const Dist *d = dist_of(c, op_result(c->m, op, i)), *next = dist_of(c, op_operand(c->m, yield, i)),
                   *init = dist_of(c, op_operand(c->m, op, i));
        // A constant start is every device's part and the whole alike.
        if (next != d ||
            (init != d && !(init && d && dist_with_pending(c->l->dists, init, d->pending, (Monoid)d->monoid) == d)))
            return ill_typed(c, op, "a carried value changes its distribution:", d, next);
    }
    return true;
}

static bool check_distributed_op(Checker *c, OpId op) {
    const Op *o = op_get(c->m, op);
    OpKind kind = (OpKind)o->kind;
    if (kind == OP_while) return check_loop(c, op);
    // A collective of the program's own, in a manual computation, is an op like others.
    if (kind >= OP_partir_all_slice && !c->l->image[op]) return check_collective(c, op);
    return !c->l->image[op] || !o->n_results || check_once(c, op);
}

bool type_check_ranges(const Lowered *l, const State *s, const OpRange *ranges, uint32_t n, Arena *a) {
    Checker c = {.l = l, .s = s, .m = l->m, .src = s->g->m, .a = a};
    idmap_init(&c.seen, a);
    for (uint32_t i = 0; i < n; i++)
        for (OpId op = ranges[i].from; op < ranges[i].to; op++)
            if (!check_distributed_op(&c, op)) return false;
    return true;
}

bool type_check(const Lowered *l, const State *s, Arena *a) {
    return type_check_ranges(l, s, &(OpRange){0, l->m->ops.n}, 1, a);
}
