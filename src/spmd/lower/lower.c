// Lowering: one walk over the program. An op's nest says how it reads its operands, and the graph says how its results are
// stored. Where a value is stored in another way than an op reads it, a redistribution is inserted.
#include "ir/analysis/zero.h"
#include "spmd/lower/record.h"

static const Dist *find_dist(const Lowering *l, NodeId n, uint32_t tensor, AxisSet except, AxisSet pending,
                             Monoid monoid) {
    const Rule *r = l->g->nodes[n].rule;
    DistEntry at[MESH_MAX_AXES];
    uint8_t factor[MESH_MAX_AXES]; // beside `at`
    uint32_t count = 0, len;
    const NestEntry *nest = lowered_nest(l, n, &len);
    for (uint32_t k = 0; k < len; k++) {
        int dim = rule_factor_dim(r, nest[k].factor, tensor);
        if (l->mesh->axes[nest[k].axis].size == 1) continue; // splits nothing
        if (dim < 0 || except >> nest[k].axis & 1) continue;
        factor[count] = nest[k].factor;
        at[count++] = (DistEntry){nest[k].axis, (uint8_t)dim};
    }
    // Within one factor of a dimension by the given order; factors stay in theirs, and so do other dimensions between.
    const AxisId *order = l->options.axis_order;
    for (uint32_t i = 0; order && i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (at[i].dim == at[j].dim && order[at[i].axis] > order[at[j].axis] && factor[i] == factor[j]) {
                AxisId axis = at[i].axis;
                at[i].axis = at[j].axis;
                at[j].axis = axis;
            }
    return dist_intern(l->dists, at, count, pending, monoid);
}

// Layers repeat themselves: their ops have the same rules, and the same nests.
const Dist *node_dist(Lowering *l, NodeId n, uint32_t tensor, AxisSet except, AxisSet pending, Monoid monoid) {
    enum { N = sizeof l->node_dists / sizeof *l->node_dists };
    const Rule *r = l->g->nodes[n].rule;
    uint32_t len;
    const NestEntry *nest = lowered_nest(l, n, &len);
    if (len == 0 && !pending) return dist_whole(l->dists);
    uint64_t key = 0;
    if (len * sizeof *nest > sizeof key) return find_dist(l, n, tensor, except, pending, monoid);
    memcpy(&key, nest, len * sizeof *nest);
    struct NodeDist *d = &l->node_dists[((uintptr_t)r / 16 + (key ^ key >> 13) * 31 + tensor * 7 + pending) % N];
    if (d->rule != r || d->nest != key || d->len != len || d->tensor != tensor || d->except != except ||
        d->pending != pending || d->monoid != monoid)
        *d = (struct NodeDist){r,      key, except, pending,
                               monoid, len, tensor, find_dist(l, n, tensor, except, pending, monoid)};
    return d->dist;
}

TypeId local_type(Lowering *l, const Dist *d, TypeId global) {
    enum { N = sizeof l->local_types / sizeof *l->local_types };
    struct LocalType *t = &l->local_types[((uintptr_t)d / 16 + global * 31u) % N];
    if (t->dist != d || t->global != global)
        *t = (struct LocalType){d, global, dist_local_type(d, l->mesh, l->out, global)};
    return t->local;
}

static TypeId global_type(Lowering *l, ValueId v) { return import_type(&l->im, value_type(l->src, v)); }

static bool gathers(const MovePlan *plan) {
    for (uint32_t i = 0; i < plan->n; i++)
        if (plan->steps[i].kind != STEP_SLICE) return true;
    return false;
}

bool is_shared(const Lowering *l, ValueId v) {
    if (l->options.gathers != GATHERS_WEIGHTS_PER_USE) return l->options.gathers == GATHERS_SHARED;
    const Value *root = &l->src->values.at[l->root[v]];
    return !root->is_arg || root->owner != l->g->body;
}

// A source value as a use wants it. Slices are shared by the uses in a region; what communicates is done for each use
// (a shared gather would keep the whole weight alive), unless the options say otherwise.
static ValueId use_value(Lowering *l, ValueId v, const Dist *want) {
    CachedUse *c = &l->cached[v];
    if (c->dist == want && c->region == l->into) return c->value;
    if (l->dist[v] == want) return l->value[v];
    bool source = value_is_source(l->src, v), keep = true; // a source was not lowered: it has no distribution yet
    ValueId result;
    if (source) {
        result = local_source(l, v, want);
    } else {
        TypeId global = global_type(l, v);
        keep = is_shared(l, v) || !gathers(plan_redistribution(&l->planner, l->dist[v], want, global));
        result = redistribute_smaller(l, v, want, global);
        if (result == NO_ID) result = emit_steps(l, l->value[v], l->dist[v], want, global);
    }
    if (keep) {
        *c = (CachedUse){want, result, l->into};
        if (l->record) record_event(l->record, (Event){v, *c});
    }
    return result;
}

// The result `v` came out as `x`, distributed as `from`: reduce what is pending and not deferred, and store it as
// `stored`.
static void store_result(Lowering *l, ValueId v, ValueId x, const Dist *from, const Dist *stored) {
    l->value[v] = from == stored ? x : emit_reduction(l, x, from, stored, global_type(l, v));
    l->dist[v] = stored;
}

// How a result of an op's node is stored: as the identity behind a sum says, or as its own nest says; what is deferred
// stays pending.
static const Dist *stored_dist(Lowering *l, NodeId n, uint32_t result, ValueId v) {
    AxisSet deferred = l->pending.deferred[v];
    NodeId sum = l->g->value_sum[v];
    if (sum != NO_ID) return node_dist(l, sum, 1, deferred, deferred, MONOID_ADD);
    return node_dist(l, n, l->g->nodes[n].rule->n_operands + result, deferred, deferred, MONOID_ADD);
}

// Partial results that only the op's own region can combine: gathered on a new dimension, then reduced with that
// region.
static void combine_by_body(Lowering *l, OpId op, const ValueId *inits, ValueId *results, const Dist **dists) {
    const Op *src = op_get(l->src, op);
    AxisSet pending = dists[0]->pending;
    AxisId axes[MESH_MAX_AXES];
    uint32_t n_axes = 0;
    for (uint32_t a = 0; a < l->mesh->n_axes; a++)
        if (pending >> a & 1) axes[n_axes++] = (AxisId)a;
    ValueId *operands = arena_new(l->a, ValueId, 2 * (size_t)src->n_results);
    TypeId *types = arena_new(l->a, TypeId, src->n_results);
    for (uint32_t i = 0; i < src->n_results; i++) {
        types[i] = lowered_type(l, results[i]);
        operands[i] = emit_stacked(l, results[i], axes, n_axes);
        operands[src->n_results + i] = inits[i];
        dists[i] = dist_with_pending(l->dists, dists[i], 0, MONOID_ADD);
    }
    int64_t dimension = 0;
    NamedAttr attr = {A_dimensions, attr_ints(l->out, &dimension, 1)};
    OpId reduce = emit_op(l,
                          &(OpSpec){.kind = OP_reduce,
                                    .operands = operands,
                                    .n_operands = 2 * src->n_results,
                                    .results = types,
                                    .n_results = src->n_results,
                                    .attrs = &attr,
                                    .n_attrs = 1,
                                    .n_regions = 1},
                          dists);
    import_region(&l->im, op_region(l->src, op, 0), op_region(l->out, reduce, 0), l->value);
    note_ops(l);
    for (uint32_t i = 0; i < src->n_results; i++) results[i] = op_result(l->out, reduce, i);
}

// A reduction to the largest or smallest complex number: no backend has a collective for it.
static bool complex_extremum(const Rule *r, const Type *t) {
    return (r->monoid == MONOID_MAX || r->monoid == MONOID_MIN) && elem_class((Elem)t->elem) == CLASS_COMPLEX;
}

// An operand that is whole in a sum whose other operand is pending: the first device along the axes adds it, the others
// add zero.
static ValueId enter_once(Lowering *l, ValueId x, const Dist *d, AxisSet axes) {
    ValueId zero = emit_zero(l, lowered_type(l, x)), once = emit_select(l, emit_is_first(l, axes), x, zero);
    l->out_dist.at[once] = dist_with_pending(l->dists, d, d->pending | axes, MONOID_ADD);
    return once;
}

static bool lower_op(Lowering *l, OpId op) {
    const Op *src = op_get(l->src, op);
    NodeId n = l->g->op_node[op];
    if (only_moves((OpKind)src->kind) && lower_as_it_lies(l, op, n)) return true;
    const Rule *r = l->g->nodes[n].rule;
    AxisSet absorbed = l->pending.absorbed[n];
    bool in_chunks = (src->kind == OP_gather || src->kind == OP_dot_general) &&
                     stays_in_chunks(l, op, n, stored_dist(l, n, 0, src->first_result));
    ValueId few_operands[FEW], *operands = few_or_new(l->a, ValueId, few_operands, src->n_operands);
    for (uint32_t i = 0; i < src->n_operands; i++) {
        ValueId v = rule_operand(l->src, op, i);
        AxisSet pending = absorbed & l->pending.deferred[v];
        if (pending && value_is_source(l->src, v)) pending = 0;
        const Dist *want = node_dist(l, n, i, absorbed, pending, MONOID_ADD);
        operands[i] = use_value(l, v, want);
        bool sum = src->kind == OP_add || src->kind == OP_subtract;
        if (sum && (absorbed & ~pending) && !value_is_zero(l->src, v))
            operands[i] = enter_once(l, operands[i], want, absorbed & ~pending);
    }
    ValueId few_results[FEW], *results = few_or_new(l->a, ValueId, few_results, src->n_results);
    const Dist *few_dists[FEW], **dists = few_or_new(l->a, const Dist *, few_dists, src->n_results);
    for (uint32_t i = 0; i < src->n_results; i++)
        dists[i] = node_dist(l, n, r->n_operands + i, absorbed, lowered_pending(l, src->first_result + i) | absorbed, (Monoid)r->monoid);
    if (!local_op(l, op, n, operands, dists, results)) return false;
    if (in_chunks) chunks_done(l);
    if (src->kind == OP_rng) { // hidden state: each device would draw its own numbers, so one draws for all
        AxisSet all = 0;
        for (uint32_t a = 0; a < l->mesh->n_axes; a++) all |= (AxisSet)(l->mesh->axes[a].size > 1) << a;
        if (all) results[0] = enter_once(l, results[0], dists[0], all), dists[0] = l->out_dist.at[results[0]];
    }
    if (src->n_results && dists[0]->pending &&
        (r->monoid == MONOID_BODY || complex_extremum(r, result_type(l->src, op, 0))))
        combine_by_body(l, op, operands + src->n_operands / 2, results, dists);
    for (uint32_t i = 0; i < src->n_results; i++) {
        ValueId v = src->first_result + i;
        bool as_made = !absorbed && !dists[i]->pending && !l->pending.deferred[v] && l->g->value_sum[v] == NO_ID && !in_chunks;
        store_result(l, v, results[i], dists[i], as_made ? dists[i] : stored_dist(l, n, i, v));
    }
    return true;
}

static bool lower_region(Lowering *l, RegionId from, RegionId into);

// A carried value is distributed in one way throughout its loop; an accumulator that stays pending is so in all of it.
static const Dist *carried_dist(Lowering *l, NodeId n, AxisSet except) {
    return node_dist(l, n, 0, except, except, MONOID_ADD);
}

// An op whose results are its operands, of their types and distributions: a loop or a barrier.
static OpId emit_passed(Lowering *l, OpId op, const Dist **dists) {
    const Op *src = op_get(l->src, op);
    ValueId *operands = arena_new(l->a, ValueId, src->n_operands);
    TypeId *types = arena_new(l->a, TypeId, src->n_operands);
    for (uint32_t i = 0; i < src->n_operands; i++) {
        operands[i] = use_value(l, op_operand(l->src, op, i), dists[i]);
        types[i] = lowered_type(l, operands[i]);
    }
    NamedAttr *attrs = arena_new(l->a, NamedAttr, src->n_attrs);
    import_attrs(&l->im, op, attrs);
    return emit_op(l,
                   &(OpSpec){.kind = (OpKind)src->kind,
                             .operands = operands,
                             .n_operands = src->n_operands,
                             .results = types,
                             .n_results = src->n_operands,
                             .attrs = attrs,
                             .n_attrs = src->n_attrs,
                             .n_regions = src->n_regions},
                   dists);
}

static bool lower_while(Lowering *l, OpId op) {
    const Op *src = op_get(l->src, op);
    NodeId first = l->g->op_node[op];
    uint32_t n = src->n_operands;
    const Dist **dists = arena_new(l->a, const Dist *, n);
    for (uint32_t i = 0; i < n; i++) dists[i] = carried_dist(l, first + i, l->pending.absorbed[first + i]);
    OpId loop = emit_passed(l, op, dists);
    for (uint32_t r = 0; r < 2; r++) {
        RegionId from = op_region(l->src, op, r), into = op_region(l->out, loop, r);
        for (uint32_t i = 0; i < n; i++) {
            ValueId arg = region_add_argument(l->out, into, lowered_type(l, op_result(l->out, loop, i)));
            ValueId v = l->src->regions.at[from].first_arg + i;
            while (l->out_dist.n < l->out->values.n) vec_push(&l->out->arena, &l->out_dist, dists[i]);
            l->value[v] = arg;
            l->dist[v] = dists[i];
        }
        if (!lower_region(l, from, into)) return false;
    }
    l->origin = op;
    for (uint32_t i = 0; i < n; i++) {
        ValueId v = src->first_result + i;
        AxisSet deferred = l->pending.deferred[v];
        store_result(l, v, op_result(l->out, loop, i), dists[i],
                     node_dist(l, first + i, 4, deferred, deferred, MONOID_ADD));
    }
    return true;
}

static bool lower_branch(Lowering *l, OpId op) {
    const Op *src = op_get(l->src, op);
    NodeId first = l->g->op_node[op];
    ValueId which = use_value(l, op_operand(l->src, op, 0), dist_whole(l->dists));
    TypeId *types = arena_new(l->a, TypeId, src->n_results);
    const Dist **dists = arena_new(l->a, const Dist *, src->n_results);
    for (uint32_t i = 0; i < src->n_results; i++) {
        dists[i] = node_dist(l, first + i, 0, 0, 0, MONOID_ADD);
        types[i] = local_type(l, dists[i], global_type(l, src->first_result + i));
    }
    NamedAttr *attrs = arena_new(l->a, NamedAttr, src->n_attrs);
    import_attrs(&l->im, op, attrs);
    OpId branch = emit_op(l,
                          &(OpSpec){.kind = (OpKind)src->kind,
                                    .operands = &which,
                                    .n_operands = 1,
                                    .results = types,
                                    .n_results = src->n_results,
                                    .attrs = attrs,
                                    .n_attrs = src->n_attrs,
                                    .n_regions = src->n_regions},
                          dists);
    for (uint32_t r = 0; r < src->n_regions; r++)
        if (!lower_region(l, op_region(l->src, op, r), op_region(l->out, branch, r))) return false;
    for (uint32_t i = 0; i < src->n_results; i++) {
        l->value[src->first_result + i] = op_result(l->out, branch, i);
        l->dist[src->first_result + i] = dists[i];
    }
    return true;
}

static void lower_barrier(Lowering *l, OpId op) {
    const Op *src = op_get(l->src, op);
    NodeId first = l->g->op_node[op];
    uint32_t n = src->n_operands;
    const Dist **dists = arena_new(l->a, const Dist *, n);
    for (uint32_t i = 0; i < n; i++) dists[i] = node_dist(l, first + i, 0, 0, 0, MONOID_ADD);
    OpId barrier = emit_passed(l, op, dists);
    for (uint32_t i = 0; i < n; i++) {
        l->value[src->first_result + i] = op_result(l->out, barrier, i);
        l->dist[src->first_result + i] = dists[i];
    }
}

// What each operand of a region's terminator must be: the next carried values, a branch's results, the results of
// @main, or one predicate.
static const Dist *returned_dist(Lowering *l, OpId ret, uint32_t i) {
    RegionId region = op_get(l->src, ret)->parent;
    OpId owner = l->src->regions.at[region].parent;
    if (op_kind(l->src, owner) == OP_func_func) {
        NodeId n = l->g->result_node[i]; // a tied result is stored as its argument: operand 0 in both cases
        return node_dist(l, n, 0, 0, 0, MONOID_ADD);
    }
    NodeId first = l->g->op_node[owner];
    if (op_kind(l->src, owner) != OP_while) return node_dist(l, first + i, 0, 0, 0, MONOID_ADD);
    if (region == op_region(l->src, owner, 0)) return dist_whole(l->dists);
    return carried_dist(l, first + i, l->pending.absorbed[first + i]);
}

static void lower_return(Lowering *l, OpId op) {
    const Op *src = op_get(l->src, op);
    ValueId *operands = arena_new(l->a, ValueId, src->n_operands);
    for (uint32_t i = 0; i < src->n_operands; i++)
        operands[i] = use_value(l, op_operand(l->src, op, i), returned_dist(l, op, i));
    emit_op(l, &(OpSpec){.kind = (OpKind)src->kind, .operands = operands, .n_operands = src->n_operands}, NULL);
}

// What means nothing to the device: a tag, an annotation of another system, a collective of the program's own among
// devices that are each alone.
static bool is_transparent(OpKind kind) {
    switch (kind) {
    case OP_partir_tag:
    case OP_sdy_sharding_constraint:
    case OP_sdy_propagation_barrier:
    case OP_sdy_reshard:
    case OP_sdy_sharding_group: return true;
    default: return is_group_collective(kind);
    }
}

static void pass_through(Lowering *l, OpId op) {
    const Op *src = op_get(l->src, op);
    for (uint32_t i = 0; i < src->n_results; i++) {
        ValueId v = op_operand(l->src, op, i);
        bool source = value_is_source(l->src, v);
        l->dist[src->first_result + i] = source ? dist_whole(l->dists) : l->dist[v];
        l->value[src->first_result + i] = source ? use_value(l, v, dist_whole(l->dists)) : l->value[v];
    }
}

// The border of a manual computation: the value as it is outside is, on each device, what it is inside.
static void lower_border(Lowering *l, OpId op) {
    NodeId n = l->g->op_node[op];
    ValueId v = op_operand(l->src, op, 0), result = op_get(l->src, op)->first_result;
    ValueId x = use_value(l, v, node_dist(l, n, 0, 0, 0, MONOID_ADD));
    NamedAttr attr = {A_name, import_attr(&l->im, op_attr(l->src, op, A_manual))};
    l->dist[result] = node_dist(l, n, 1, 0, 0, MONOID_ADD);
    l->value[result] = emit(l, OP_partir_tag, &x, 1, lowered_type(l, x), &attr, 1, l->dist[result]);
}

static bool is_border(const Lowering *l, OpId op) {
    OpKind kind = op_kind(l->src, op);
    if (kind != OP_partir_all_slice && kind != OP_partir_all_gather) return false;
    Span role = op_attr_text(l->src, op, A_manual);
    return span_is(role, "enter") || span_is(role, "leave");
}

bool lower_any(Lowering *l, OpId op) {
    const Op *src = op_get(l->src, op);
    OpKind kind = op_kind(l->src, op);
    l->origin = op;
    l->loc = import_loc(&l->im, src->loc);
    if (kind == OP_while) return lower_while(l, op);
    if (kind == OP_case || kind == OP_if) return lower_branch(l, op);
    if (kind == OP_return || kind == OP_func_return) return lower_return(l, op), true;
    if (kind == OP_optimization_barrier) return lower_barrier(l, op), true;
    if (is_border(l, op)) return lower_border(l, op), true;
    if (is_transparent(kind)) return pass_through(l, op), true;
    if (kind == OP_partir_axis_index) { // in a manual computation
        AxisId axes[MESH_MAX_AXES];
        uint32_t n = mesh_axes_of(l->mesh, op_attr_text(l->src, op, A_axis), axes);
        l->value[src->first_result] = emit_chunk_index(l, axes, n);
        l->dist[src->first_result] = dist_whole(l->dists);
        return true;
    }
    if (l->g->op_node[op] == NO_ID && src->n_results == 1 && value_is_source(l->src, src->first_result))
        return true; // made where it is used
    if (kind == OP_slice && l->g->first_use[src->first_result] == l->g->first_use[src->first_result + 1])
        return true; // part of the ops that read it
    return lower_op(l, op);
}

static bool lower_region(Lowering *l, RegionId from, RegionId into) {
    RegionId outer = l->into;
    l->into = into;
    if (l->base) relower_region_begin(l, from);
    if (l->record) l->record->region[from] = into;
    for (OpId op = l->src->regions.at[from].first; op != NO_ID; op = op_get(l->src, op)->next)
        if (!(l->base ? relower_op(l, op) : l->record ? record_op(l, op) : lower_any(l, op))) return false;
    if (l->base) relower_region_end(l);
    l->into = outer;
    return true;
}

bool lower_main(Lowering *l, Lowered *result) {
    OpId main = module_main(l->src);
    const Graph *g = l->g;
    l->into = 0;
    OpId func = l->base ? relower_main(l) : emit_op(l, &(OpSpec){.kind = OP_func_func, .n_regions = 1}, NULL);
    RegionId body = op_region(l->out, func, 0);
    ValueId first = l->base ? l->out->regions.at[body].first_arg : l->out->values.n;
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        NodeId n = g->argument_node[i];
        ValueId v = l->src->regions.at[g->body].first_arg + i;
        const Dist *d = node_dist(l, n, g->nodes[n].rule->n_operands, 0, 0, MONOID_ADD);
        TypeId type = local_type(l, d, global_type(l, v));
        if (!l->base) region_add_argument(l->out, body, type);
        note_ops(l);
        l->out->values.at[first + i].type = type;
        l->out_dist.at[first + i] = d;
        l->value[v] = first + i;
        l->dist[v] = result->argument_dist[i] = d;
    }
    if (!lower_region(l, g->body, body)) return false;
    OpId ret = region_terminator(l->src, g->body);
    for (uint32_t i = 0; i < g->n_results; i++) result->result_dist[i] = returned_dist(l, ret, i);
    lower_signature(l, main, func, result->argument_dist, result->result_dist);
    if (!l->base) import_named_functions(&l->im, l->value);
    note_ops(l);
    return true;
}
