// PartIR:Core: makes loops and slices from nests. The body of a nest is the op as one device runs it (local.c), with the loop
// variables as its coordinates.
#include "spmd/core_program.h"
#include "spmd/lower/lowering.h"

// What a loop does with the results of its iterations.
static AttrId loop_action(Lowering *l, const Rule *r, uint8_t factor, uint32_t tensor) {
    int dim = rule_factor_dim(r, factor, tensor);
    Buffer b;
    buf_init(&b, l->a);
    if (dim >= 0)
        buf_format(&b, "#tile<%d>", dim);
    else if (r->factors[factor].kind == FACTOR_REDUCE)
        buf_format(&b, "#%s", monoid_name((Monoid)r->monoid));
    else
        buf_str(&b, "any");
    return attr_string(l->out, (Span){b.at, b.n});
}

// The type of a result between loops: axes of the nest's first `k` entries still split it.
static TypeId type_inside(Lowering *l, NodeId n, uint32_t tensor, TypeId global, uint32_t k) {
    const Rule *r = l->g->nodes[n].rule;
    uint32_t len;
    const NestEntry *nest = state_nest(l->s, n, &len);
    const Type *t = type_get(l->out, global);
    int64_t dims[MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    for (uint32_t i = 0; i < k; i++) {
        int dim = rule_factor_dim(r, nest[i].factor, tensor);
        if (dim >= 0) dims[dim] /= l->mesh->axes[nest[i].axis].size;
    }
    return t->rank ? type_like(l->out, global, dims) : global;
}

static ValueId emit_slice(Lowering *l, ValueId v, int dim, ValueId index, int64_t size) {
    const Type *t = type_get(l->out, lowered_type(l, v));
    int64_t dims[MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[dim] /= size;
    NamedAttr attr = {A_dimension, attr_int(l->out, dim, EL_I64)};
    ValueId operands[] = {v, index};
    return emit(l, OP_partir_slice, operands, 2, type_like(l->out, lowered_type(l, v), dims), &attr, 1, NULL);
}

typedef struct LoopNest {
    NodeId n;
    uint32_t len, n_results, first_tensor;
    const NestEntry *nest;
    const TypeId *globals; // of the results
    OpId loops[MESH_MAX_AXES];
    ValueId index[MESH_MAX_AXES];
} LoopNest;

// Opens the loops of a nest; the innermost body becomes the place where ops go.
static void open_loops(Lowering *l, LoopNest *x) {
    const Rule *r = l->g->nodes[x->n].rule;
    TypeId *types = arena_new(l->a, TypeId, x->n_results);
    AttrId *actions = arena_new(l->a, AttrId, x->n_results);
    TypeId scalar = type_tensor(l->out, EL_I64, 0, NULL);
    for (uint32_t k = 0; k < x->len; k++) {
        for (uint32_t i = 0; i < x->n_results; i++) {
            types[i] = type_inside(l, x->n, x->first_tensor + i, x->globals[i], k);
            actions[i] = loop_action(l, r, x->nest[k].factor, x->first_tensor + i);
        }
        Axis axis = l->mesh->axes[x->nest[k].axis];
        NamedAttr attrs[] = {{A_axis, attr_string(l->out, axis.name)},
                             {A_size, attr_int(l->out, axis.size, EL_I64)},
                             {A_actions, attr_array(l->out, actions, x->n_results)}};
        x->loops[k] = emit_op(l,
                              &(OpSpec){.kind = OP_partir_loop,
                                        .results = types,
                                        .n_results = x->n_results,
                                        .attrs = attrs,
                                        .n_attrs = 3,
                                        .n_regions = 1},
                              NULL);
        RegionId body = op_region(l->out, x->loops[k], 0);
        x->index[k] = region_add_argument(l->out, body, scalar);
        l->into = body;
        l->axis_index[x->nest[k].axis] = x->index[k];
    }
    for (uint32_t k = 0; k < x->len; k++) l->axis_index_region[x->nest[k].axis] = l->into;
}

static void close_loops(Lowering *l, LoopNest *x, const ValueId *results, RegionId outer) {
    ValueId *values = arena_new(l->a, ValueId, x->n_results);
    memcpy(values, results, x->n_results * sizeof *values);
    for (uint32_t k = x->len; k-- > 0;) {
        l->into = op_region(l->out, x->loops[k], 0);
        emit_op(l, &(OpSpec){.kind = OP_partir_yield, .operands = values, .n_operands = x->n_results}, NULL);
        for (uint32_t i = 0; i < x->n_results; i++) values[i] = op_result(l->out, x->loops[k], i);
    }
    l->into = outer;
    memset(l->axis_index_region, 0xff, sizeof l->axis_index_region);
}

static ValueId slice_for(Lowering *l, const LoopNest *x, ValueId v, uint32_t tensor) {
    for (uint32_t k = 0; k < x->len; k++) {
        int dim = rule_factor_dim(l->g->nodes[x->n].rule, x->nest[k].factor, tensor);
        if (dim >= 0) v = emit_slice(l, v, dim, x->index[k], l->mesh->axes[x->nest[k].axis].size);
    }
    return v;
}

static LoopNest nest_of(Lowering *l, NodeId n, uint32_t first_tensor, const TypeId *globals, uint32_t n_results) {
    LoopNest x = {.n = n, .n_results = n_results, .first_tensor = first_tensor, .globals = globals};
    x.nest = state_nest(l->s, n, &x.len);
    return x;
}

// A named value that an action tiled: an identity in its loops.
static ValueId identity_loops(Lowering *l, NodeId n, uint32_t tensor, ValueId v) {
    TypeId global = lowered_type(l, v);
    LoopNest x = nest_of(l, n, tensor, &global, 1);
    if (x.len == 0) return v;
    RegionId outer = l->into;
    open_loops(l, &x);
    ValueId part = slice_for(l, &x, v, tensor);
    close_loops(l, &x, &part, outer);
    return op_result(l->out, x.loops[0], 0);
}

static void core_plain(Lowering *l, OpId op);

static void core_op(Lowering *l, OpId op) {
    const Op *src = op_get(l->src, op);
    NodeId n = l->g->op_node[op];
    const Rule *r = l->g->nodes[n].rule;
    if (moves(l, n)) { // what crosses the borders of chunks is in no loop's hands: the op stands whole
        core_plain(l, op);
        return;
    }
    TypeId *globals = arena_new(l->a, TypeId, src->n_results);
    for (uint32_t i = 0; i < src->n_results; i++)
        globals[i] = import_type(&l->im, value_type(l->src, src->first_result + i));
    LoopNest x = nest_of(l, n, r->n_operands, globals, src->n_results);
    for (uint32_t k = 0; k < x.len;
         k++) // argmax and the like: no loop can say how its own region combines parts, so the op stands whole
        if (r->monoid == MONOID_BODY && r->factors[x.nest[k].factor].kind == FACTOR_REDUCE) x.len = 0;
    ValueId *operands = arena_new(l->a, ValueId, src->n_operands), *results = arena_new(l->a, ValueId, src->n_results);
    const Dist **dists = arena_new(l->a, const Dist *, src->n_results);
    RegionId outer = l->into;
    open_loops(l, &x);
    for (uint32_t i = 0; i < src->n_operands; i++)
        operands[i] = slice_for(l, &x, l->value[rule_operand(l->src, op, i)], i);
    for (uint32_t i = 0; i < src->n_results; i++)
        dists[i] = x.len ? node_dist(l, n, r->n_operands + i, 0, 0, MONOID_ADD) : dist_whole(l->dists);
    local_op(l, op, n, operands, dists, results);
    close_loops(l, &x, results, outer);
    for (uint32_t i = 0; i < src->n_results; i++)
        l->value[src->first_result + i] = x.len ? op_result(l->out, x.loops[0], i) : results[i];
}

static void core_region(Lowering *l, RegionId from, RegionId into);

// Loops, branches and barriers of the program itself work on whole values; the ops inside have their nests.
static void core_plain(Lowering *l, OpId op) {
    const Op *src = op_get(l->src, op);
    OpSpec spec = import_spec(&l->im, op, import_operands(&l->im, op, l->value, l->a), l->a);
    OpId copy = emit_op(l, &spec, NULL);
    for (uint32_t i = 0; i < src->n_results; i++) l->value[src->first_result + i] = op_result(l->out, copy, i);
    for (uint32_t r = 0; r < src->n_regions; r++) core_region(l, op_region(l->src, op, r), op_region(l->out, copy, r));
}

static void core_return(Lowering *l, OpId op) {
    bool of_main = op_get(l->src, op)->parent == l->g->body;
    for (uint32_t i = 0; of_main && i < l->g->n_results; i++) {
        NodeId n = l->g->result_node[i];
        ValueId v = op_operand(l->src, op, i);
        l->value[v] = identity_loops(l, n, 0, l->value[v]);
    }
    core_plain(l, op);
}

static void core_region(Lowering *l, RegionId from, RegionId into) {
    RegionId outer = l->into;
    l->into = into;
    const Region *r = &l->src->regions.at[from];
    for (uint32_t i = 0; i < r->n_args; i++) {
        l->value[r->first_arg + i] =
            region_add_argument(l->out, into, import_type(&l->im, value_type(l->src, r->first_arg + i)));
        while (l->out_dist.n < l->out->values.n) vec_push(&l->out->arena, &l->out_dist, NULL);
    }
    for (uint32_t i = 0; from == l->g->body && i < r->n_args; i++) {
        NodeId n = l->g->argument_node[i];
        l->value[r->first_arg + i] = identity_loops(l, n, l->g->nodes[n].rule->n_operands, l->value[r->first_arg + i]);
    }
    for (OpId op = r->first; op != NO_ID; op = op_get(l->src, op)->next) {
        l->origin = op;
        l->loc = import_loc(&l->im, op_get(l->src, op)->loc);
        OpKind kind = op_kind(l->src, op);
        NodeId n = l->g->op_node[op];
        if (kind == OP_func_return)
            core_return(l, op);
        else if (n != NO_ID && l->g->nodes[n].kind == NODE_OP && op_attr(l->src, op, A_manual) == NO_ID)
            core_op(l, op);
        else
            core_plain(l, op);
    }
    l->into = outer;
}

Module *core_program(const State *s, Arena *a) {
    const Module *src = s->g->m;
    Module *out = module_new(src->ctx);
    if (state_parts(s)) s = state_cut(s, NULL, 0, a);
    Lowering l = {.s = s, .g = s->g, .src = src, .out = out, .mesh = s->mesh, .a = a, .origin = NO_ID, .loc = NO_ID,
                  .swapped = {.node = NO_ID}};
    DistBook dists;
    distbook_init(&dists, s->mesh, a);
    l.dists = &dists;
    import_init(&l.im, src, out, a);
    l.value = arena_new(a, ValueId, src->values.n);
    l.pending.absorbed = arena_zalloc(a, s->g->n_nodes * sizeof(AxisSet));
    memset(l.axis_index_region, 0xff, sizeof l.axis_index_region);
    l.into = 0;
    OpId main = module_main(src);
    const Op *f = op_get(src, main);
    NamedAttr *attrs = arena_new(a, NamedAttr, f->n_attrs);
    import_attrs(&l.im, main, attrs);
    OpId func =
        emit_op(&l, &(OpSpec){.kind = OP_func_func, .attrs = attrs, .n_attrs = f->n_attrs, .n_regions = 1}, NULL);
    core_region(&l, s->g->body, op_region(out, func, 0));
    import_named_functions(&l.im, l.value);
    import_header(&l.im);
    return out;
}
