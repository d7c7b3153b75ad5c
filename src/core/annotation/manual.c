// Manual computations: flattens the program, and seeds propagation at the borders.
#include "core/annotation/manual_flatten.h"
#include "core/propagation/propagate.h"
#include "ir/analysis/callback.h"

static OpId flat_op(Flatten *f, OpSpec spec) {
    spec.loc = import_loc(&f->im, op_get(f->src, f->at)->loc);
    spec.source = op_get(f->src, f->at)->source;
    OpId op = op_new(f->out->m, f->into, &spec);
    while (f->inside.n < f->out->m->ops.n) vec_push(f->a, &f->inside, f->scope);
    return op;
}

ValueId flat_value(Flatten *f, OpKind kind, const ValueId *operands, uint32_t n, TypeId type, const NamedAttr *attrs,
                   uint32_t n_attrs) {
    OpId op = flat_op(f, (OpSpec){.kind = kind,
                                  .operands = operands,
                                  .n_operands = n,
                                  .results = &type,
                                  .n_results = 1,
                                  .attrs = attrs,
                                  .n_attrs = n_attrs});
    return op_result(f->out->m, op, 0);
}

NamedAttr manual_attr(Flatten *f, const char *role) {
    return (NamedAttr){A_manual, attr_string(f->out->m, span_of(role))};
}

AttrId name_array(Flatten *f, const Span *names, uint32_t n) {
    AttrId *items = arena_new(f->a, AttrId, n);
    for (uint32_t i = 0; i < n; i++) items[i] = attr_string(f->out->m, names[i]);
    return attr_array(f->out->m, items, n);
}

// ---- Borders --------------------------------------------------------------------------------------------------------

static bool is_manual_axis(const Flatten *f, AxisSet mine, const ShardingAxis *axis, AxisId *id) {
    *id = mesh_find(f->mesh, axis->name);
    return *id != NO_AXIS && (mine >> *id & 1) && !axis->part;
}

static void note_axis(Manual *out, AxisId axis) {
    for (uint32_t i = 0; i < out->n_axes; i++)
        if (out->axes[i] == axis) return;
    out->axes[out->n_axes++] = axis;
}

// A value on its way in or out: the axes that split each dimension, and their sizes.
static ValueId flat_border(Flatten *f, ValueId v, TypeId type, const Sharding *s, AxisSet mine, bool enter) {
    AttrId *dims = arena_new(f->a, AttrId, s->rank);
    VEC(int64_t) sizes = {0};
    for (uint32_t d = 0; d < s->rank; d++) {
        VEC(Span) names = {0};
        for (uint32_t i = 0; i < s->dims[d].n; i++) {
            AxisId id;
            if (!is_manual_axis(f, mine, &s->dims[d].axes[i], &id)) continue;
            vec_push(f->a, &names, f->mesh->axes[id].name);
            vec_push(f->a, &sizes, f->mesh->axes[id].size);
            note_axis(f->out, id);
        }
        dims[d] = name_array(f, names.at, names.n);
    }
    NamedAttr attrs[] = {{A_axes, attr_array(f->out->m, dims, s->rank)},
                         {A_axis_sizes, attr_ints(f->out->m, sizes.at, sizes.n)},
                         manual_attr(f, enter ? "enter" : "leave")};
    return flat_value(f, enter ? OP_partir_all_slice : OP_partir_all_gather, &v, 1, type, attrs, 3);
}

// The manual axes of a computation, which the schedule's mesh must have.
static bool read_manual_axes(Flatten *f, Span symbol, AxisSet *mine) {
    uint32_t n;
    const ShardingAxis *axes;
    *mine = 0;
    if (!sharding_axes_read(attr_get(f->src, op_attr(f->src, f->at, A_manual_axes))->text, f->a, &n, &axes))
        return flatten_error(f, NULL, "the manual axes cannot be read");
    if (n == 0) return true;
    if (!sharding_mesh_read(f->src, symbol, f->a, &f->own) || f->own.permuted)
        return flatten_error(f, "define it with sdy.mesh, its devices in order",
                             "the mesh of this manual computation is not known");
    int64_t devices = 1;
    for (uint32_t k = 0; k < f->own.n; k++) {
        if (f->own.sizes[k] < 1 || f->own.sizes[k] > MESH_MAX_DEVICES / devices || f->own.n > MESH_MAX_AXES)
            return flatten_error(f, NULL, "the mesh of this manual computation has a size that no mesh has");
        devices *= f->own.sizes[k];
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t size = 0;
        for (uint32_t k = 0; k < f->own.n; k++)
            if (span_eq(f->own.names[k], axes[i].name)) size = f->own.sizes[k];
        AxisId id = mesh_find(f->mesh, axes[i].name);
        if (size == 1) continue;
        if (id == NO_AXIS || f->mesh->axes[id].size != size || axes[i].part) {
            Buffer hint;
            buf_init(&hint, f->a);
            buf_str(&hint, "the mesh is ");
            mesh_print(f->mesh, &hint);
            buf_format(&hint, "; name its axes as the shard_map does: it needs %.*s=%lld", (int)axes[i].name.n,
                       axes[i].name.at, (long long)size);
            return flatten_error(f, buf_cstr(&hint),
                                 "this shard_map is over axis \"%.*s\" of size %lld, which the mesh does not have",
                                 (int)axes[i].name.n, axes[i].name.at, (long long)size);
        }
        *mine |= (AxisSet)1 << id;
    }
    return true;
}

// ---- The walk -------------------------------------------------------------------------------------------------------

static bool flatten_region(Flatten *f, RegionId from, RegionId into);

static bool flat_copy(Flatten *f, OpId op) {
    const Op *o = op_get(f->src, op);
    OpId copy = flat_op(f, import_spec(&f->im, op, import_operands(&f->im, op, f->map, f->a), f->a));
    if (f->scope && op_is_effect(f->src, op)) { // runs where it stands: on every device, with what that one has
        NamedAttr mark = manual_attr(f, "callback");
        op_set_attr(f->out->m, copy, mark.name, mark.value);
    }
    for (uint32_t i = 0; i < o->n_results; i++) f->map[o->first_result + i] = op_result(f->out->m, copy, i);
    for (uint32_t r = 0; r < o->n_regions; r++)
        if (!flatten_region(f, op_region(f->src, op, r), op_region(f->out->m, copy, r))) return false;
    return true;
}

// The value inside is the chunk that the manual axes leave of the one outside.
static bool border_fits(Flatten *f, ValueId outer, ValueId inner, const Sharding *s, AxisSet mine) {
    const Type *x = value_tensor(f->src, outer), *y = value_tensor(f->src, inner);
    bool fits = x->kind == TYPE_TENSOR && y->kind == TYPE_TENSOR && x->rank == y->rank && s->rank == x->rank &&
                x->elem == y->elem;
    AxisSet seen = 0;
    for (uint32_t d = 0; fits && d < s->rank; d++) {
        int64_t chunks = 1;
        for (uint32_t i = 0; i < s->dims[d].n; i++) {
            AxisId id;
            if (!is_manual_axis(f, mine, &s->dims[d].axes[i], &id)) continue;
            fits &= !(seen >> id & 1);
            seen |= (AxisSet)1 << id;
            chunks *= f->mesh->axes[id].size;
        }
        fits &= x->dims[d] % chunks == 0 && x->dims[d] / chunks == y->dims[d];
    }
    return fits || flatten_error(f, "inside, a dimension is divided by the manual axes that split it",
                                 "the types inside this manual computation do not fit its shardings");
}

static bool flat_computation(Flatten *f, OpId op) {
    const Op *o = op_get(f->src, op);
    uint32_t n_in, n_out;
    const Sharding *in, *out;
    if (!shardings_read(attr_get(f->src, op_attr(f->src, op, A_in_shardings))->text, f->a, &n_in, &in) ||
        !shardings_read(attr_get(f->src, op_attr(f->src, op, A_out_shardings))->text, f->a, &n_out, &out) ||
        n_in != o->n_operands || n_out != o->n_results)
        return flatten_error(f, NULL, "the shardings of this manual computation cannot be read");
    const Region *body = &f->src->regions.at[op_region(f->src, op, 0)];
    AxisSet outer = f->scope, mine;
    ShardingMesh outer_mesh = f->own;
    if (!read_manual_axes(f, n_in ? in[0].mesh : n_out ? out[0].mesh : (Span){"", 0}, &mine)) return false;
    OpId ret = region_terminator(f->src, op_region(f->src, op, 0));
    if (body->n_args != n_in || op_get(f->src, ret)->n_operands != n_out)
        return flatten_error(f, NULL, "the body of this manual computation does not fit its operands and results");
    for (uint32_t i = 0; i < n_in; i++)
        if (!border_fits(f, op_operand(f->src, op, i), body->first_arg + i, &in[i], mine)) return false;
    for (uint32_t i = 0; i < n_out; i++)
        if (!border_fits(f, o->first_result + i, op_operand(f->src, ret, i), &out[i], mine)) return false;
    f->scope = outer | mine;
    for (uint32_t i = 0; i < n_in; i++)
        f->map[body->first_arg + i] =
            flat_border(f, f->map[op_operand(f->src, op, i)],
                        import_type(&f->im, value_type(f->src, body->first_arg + i)), &in[i], mine, true);
    if (!flatten_region(f, op_region(f->src, op, 0), f->into)) return false;
    f->scope = outer;
    f->own = outer_mesh;
    f->at = op;
    for (uint32_t i = 0; i < n_out; i++)
        f->map[o->first_result + i] =
            flat_border(f, f->map[op_operand(f->src, ret, i)], import_type(&f->im, value_type(f->src, o->first_result + i)),
                        &out[i], mine, false);
    return true;
}

static bool flatten_op(Flatten *f, OpId op) {
    OpKind kind = op_kind(f->src, op);
    f->at = op;
    if (kind == OP_sdy_manual_computation) return flat_computation(f, op);
    if (kind == OP_sdy_return) return true;
    if (f->scope != 0) switch (kind) {
        case OP_all_reduce:
        case OP_all_gather:
        case OP_reduce_scatter:
        case OP_all_to_all: return flat_collective(f, kind);
        case OP_collective_permute: return flat_permute(f);
        case OP_partition_id: return flat_partition_id(f);
        default: break;
        }
    return flat_copy(f, op);
}

// As deep as regions nest, which the reader limits.
static bool flatten_region(Flatten *f, RegionId from, RegionId into) {
    RegionId outer = f->into;
    const Region *r = &f->src->regions.at[from];
    if (into != outer) // of a manual computation: its arguments are borders
        for (uint32_t i = 0; i < r->n_args; i++)
            f->map[r->first_arg + i] =
                region_add_argument(f->out->m, into, import_type(&f->im, value_type(f->src, r->first_arg + i)));
    f->into = into;
    for (OpId op = r->first; op != NO_ID; op = op_get(f->src, op)->next)
        if (!flatten_op(f, op)) return false;
    f->into = outer;
    return true;
}

// The header of the source, and the mesh that collectives name.
static void flat_header(Flatten *f) {
    Module *m = f->out->m;
    import_header(&f->im);
    Buffer mesh;
    buf_init(&mesh, &m->arena);
    mesh_print(f->mesh, &mesh);
    NamedAttr *attrs = arena_new(&m->arena, NamedAttr, m->n_module_attrs + 1);
    memcpy(attrs, m->module_attrs, m->n_module_attrs * sizeof *attrs);
    attrs[m->n_module_attrs] =
        (NamedAttr){name_intern(m, SPAN("partir.mesh")), attr_string(m, (Span){mesh.at, mesh.n})};
    m->module_attrs = attrs;
    m->n_module_attrs++;
}

bool manual_flatten(const Module *src, const Mesh *mesh, Arena *a, Manual *out) {
    *out = (Manual){0};
    OpId op = 0;
    while (op < src->ops.n && op_kind(src, op) != OP_sdy_manual_computation) op++;
    if (op == src->ops.n) return true;
    out->m = module_new(src->ctx);
    Flatten f = {.src = src, .mesh = mesh, .a = a, .into = 0, .out = out};
    import_init(&f.im, src, out->m, a);
    f.map = arena_new(a, ValueId, src->values.n);
    f.at = module_main(src);
    if (!flat_copy(&f, f.at)) return false;
    import_named_functions(&f.im, f.map);
    flat_header(&f);
    while (f.inside.n < out->m->ops.n) vec_push(a, &f.inside, 0);
    out->inside = f.inside.at;
    return true;
}

// ---- Propagation ----------------------------------------------------------------------------------------------------

static void close_value(State *s, ValueId v, AxisSet axes) {
    s->atomic[v] |= axes;
    NodeId sum = s->g->value_sum[v];
    if (sum != NO_ID) s->atomic[node_value(s->g, sum, 0)] |= axes;
}

void manual_close(State *s, const Manual *x) {
    if (!x->m) return;
    for (OpId op = 0; op < x->m->ops.n; op++) {
        if (x->inside[op] == 0) continue;
        const Op *o = op_get(x->m, op);
        for (uint32_t i = 0; i < o->n_results; i++) close_value(s, o->first_result + i, x->inside[op]);
        for (uint32_t r = 0; r < o->n_regions; r++) {
            const Region *body = &x->m->regions.at[op_region(x->m, op, r)];
            for (uint32_t i = 0; i < body->n_args; i++) close_value(s, body->first_arg + i, x->inside[op]);
        }
    }
}

// The manual axes of a border are its dimensions' first factors, in order (core/rule/rule_manual.c).
static void tile_border(State *s, NodeId n, uint32_t tensor, TacticCounts *counts) {
    const Module *m = s->g->m;
    const Attr *dims = attr_get(m, op_attr(m, s->g->nodes[n].op, A_axes));
    bool tiled = false;
    for (uint32_t d = 0; d < dims->n; d++) {
        const Attr *axes = attr_get(m, dims->items[d]);
        uint32_t count;
        const uint8_t *factors = rule_dim(s->g->nodes[n].rule, tensor, d, &count);
        for (uint32_t i = 0; i < axes->n && i < count; i++) {
            AxisId axis = mesh_find(s->mesh, attr_get(m, axes->items[i])->text);
            state_set(s, n, axis, factors[i], (Cause){NO_ID, s->tactic, 0});
            tiled = true;
        }
    }
    counts->tiled += tiled;
}

void manual_apply(State *s, const Manual *x, TacticCounts *counts) {
    const Graph *g = s->g;
    uint32_t mark = state_mark(s);
    *counts = (TacticCounts){.first_conflict = s->conflicts.n};
    for (NodeId n = 0; n < g->n_nodes; n++) {
        if (g->nodes[n].kind != NODE_OP) continue;
        Span role = op_attr_text(g->m, g->nodes[n].op, A_manual);
        if (span_is(role, "enter")) tile_border(s, n, 0, counts);
        if (span_is(role, "leave")) tile_border(s, n, 1, counts);
    }
    uint32_t done = state_mark(s);
    for (uint32_t k = 0; k < x->n_axes; k++) propagate(s, mark, x->axes[k]);
    counts->propagated = state_mark(s) - done;
    counts->n_conflicts = s->conflicts.n - counts->first_conflict;
}
