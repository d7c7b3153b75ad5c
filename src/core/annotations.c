// Annotations: found on the ops and on the signature of @main, and performed as actions.
#include "core/annotations.h"

typedef struct Finder {
    const Graph *g;
    const Mesh *mesh;
    Arena *a;
    VEC(Annotation) all;
    AxisSet named;
    VEC(Span) left_out; // names of axes that cannot be used
    bool parts;         // some of these are parts of axes
} Finder;

// Whether a mesh axis may be used at all; otherwise its name is kept for the warning.
static AxisId usable_axis(Finder *f, const ShardingAxis *axis) {
    AxisId id = mesh_find(f->mesh, axis->name);
    if (id != NO_AXIS && f->mesh->axes[id].size > 1 && !axis->part) return id;
    f->parts |= axis->part;
    for (uint32_t i = 0; i < f->left_out.n; i++)
        if (span_eq(f->left_out.at[i], axis->name)) return NO_AXIS;
    vec_push(f->a, &f->left_out, axis->name);
    return NO_AXIS;
}

static void add_annotation(Finder *f, Port at, ValueId v, AttrId attr, uint32_t source) {
    const Module *m = f->g->m;
    Annotation n = {.at = at, .value = v, .source = source};
    if (attr == NO_ID || !sharding_read(attr_get(m, attr)->text, f->a, &n.sharding)) return;
    if (value_tensor(m, v)->kind != TYPE_TENSOR || n.sharding.rank != value_tensor(m, v)->rank) return;
    for (uint32_t d = 0; d < n.sharding.rank; d++)
        for (uint32_t i = 0; i < n.sharding.dims[d].n; i++) {
            AxisId axis = usable_axis(f, &n.sharding.dims[d].axes[i]);
            if (axis != NO_AXIS) f->named |= (AxisSet)1 << axis;
        }
    vec_push(f->a, &f->all, n);
}

// The sdy.sharding of an argument or result of @main.
static AttrId signature_sharding(const Module *m, AttrName list, uint32_t index) {
    AttrId dicts = op_attr(m, module_main(m), list);
    if (dicts == NO_ID || index >= attr_get(m, dicts)->n) return NO_ID;
    const Attr *dict = attr_get(m, attr_get(m, dicts)->items[index]);
    for (uint32_t i = 0; dict->kind == ATTR_DICT && i < dict->n; i++)
        if (span_is(name_get(m, dict->entries[i].name), "sdy.sharding")) return dict->entries[i].value;
    return NO_ID;
}

static void find_all(Finder *f) {
    const Graph *g = f->g;
    const Module *m = g->m;
    uint32_t source = op_get(m, module_main(m))->source;
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        Port at = {g->argument_node[i], g->nodes[g->argument_node[i]].rule->n_operands};
        add_annotation(f, at, m->regions.at[g->body].first_arg + i, signature_sharding(m, A_arg_attrs, i), source);
    }
    for (uint32_t i = 0; i < g->n_results; i++)
        add_annotation(f, (Port){g->result_node[i], 0}, op_operand(m, region_terminator(m, g->body), i),
                       signature_sharding(m, A_res_attrs, i), source);
    for (NodeId n = 0; n < g->n_nodes; n++) {
        if (g->nodes[n].kind != NODE_OP) continue;
        OpId op = g->nodes[n].op;
        if (op_kind(m, op) != OP_sdy_sharding_constraint && op_kind(m, op) != OP_sdy_reshard) continue;
        add_annotation(f, (Port){n, 1}, op_result(m, op, 0), op_attr(m, op, A_sharding), op_get(m, op)->source);
    }
}

static void warn_left_out(Finder *f) {
    if (f->left_out.n == 0) return;
    Buffer names, hint;
    buf_init(&names, f->a);
    buf_init(&hint, f->a);
    for (uint32_t i = 0; i < f->left_out.n; i++) {
        if (i) buf_str(&names, ", ");
        buf_span(&names, f->left_out.at[i]);
    }
    buf_str(&hint, "the mesh is ");
    mesh_print(f->mesh, &hint);
    if (f->parts) buf_str(&hint, "; parts of axes are left out, too");
    diag_warning(f->g->m->ctx, NULL, NO_OFFSET, buf_cstr(&hint),
                 "the program's sharding annotations name axes that the mesh does not have, or with size 1: %s; they are left out",
                 buf_cstr(&names));
}

bool annotations_find(const Graph *g, const Mesh *mesh, AnnotationMode mode, Arena *a, Annotations *out) {
    *out = (Annotations){0};
    if (mode == ANNOTATIONS_IGNORE) return true;
    Finder f = {.g = g, .mesh = mesh, .a = a};
    find_all(&f);
    if (mode == ANNOTATIONS_ERROR && (f.named || f.left_out.n)) {
        uint32_t first = 0;
        for (bool names = false; !names; first += !names)
            for (uint32_t d = 0; d < f.all.at[first].sharding.rank; d++) names |= f.all.at[first].sharding.dims[d].n > 0;
        return diag_error(g->m->ctx, &g->m->source, f.all.at[first].source,
                          "annotations=apply makes tactics of them, annotations=ignore drops them",
                          "the program carries sharding annotations");
    }
    warn_left_out(&f);
    AxisId *axes = arena_new(a, AxisId, mesh->n_axes);
    for (uint32_t i = 0; i < mesh->n_axes; i++)
        if (f.named >> i & 1) axes[out->n_axes++] = (AxisId)i;
    out->axes = axes;
    out->at = f.all.at;
    out->n = out->n_axes ? f.all.n : 0;
    return true;
}

// The dimension on which the sharding has the axis; -1 if none. `free`: the axis may go where it likes.
static int annotated_dim(const Sharding *s, Span axis, bool *free) {
    *free = false;
    int dim = -1;
    for (uint32_t d = 0; d < s->rank; d++) {
        *free |= s->dims[d].open;
        for (uint32_t i = 0; i < s->dims[d].n; i++) {
            if (!span_eq(s->dims[d].axes[i].name, axis)) continue;
            if (s->dims[d].axes[i].part)
                *free = true;
            else
                dim = (int)d;
        }
    }
    for (uint32_t i = 0; i < s->n_replicated; i++)
        if (span_eq(s->replicated[i].name, axis)) *free = false;
    return dim;
}

// What one annotation asks for on the axis: a tile, or that it is replicated. False if that cannot be.
static bool act_on(State *s, const Annotation *n, AxisId axis, bool tiles, TacticCounts *counts) {
    bool free;
    int dim = annotated_dim(&n->sharding, s->mesh->axes[axis].name, &free);
    int has = state_tiled_dim(s, n->at.node, n->at.tensor, axis);
    if ((dim >= 0) != tiles || (dim < 0 && free)) return true;
    if (dim < 0) {
        if (has >= 0) return false;
        action_atomic(s, n->value, axis);
        counts->atomic++;
    } else if (has == dim) {
        counts->already++;
    } else {
        if (action_tile(s, n->at.node, n->at.tensor, (uint32_t)dim, axis) != ACTION_OK) return false;
        counts->tiled++;
    }
    return true;
}

void annotations_apply(State *s, const Annotations *x, AxisId axis, TacticCounts *counts) {
    const Module *m = s->g->m;
    Span name = s->mesh->axes[axis].name;
    uint32_t mark = state_mark(s), refused = 0;
    const Annotation *first = NULL;
    *counts = (TacticCounts){.first_conflict = s->conflicts.n};
    // Tiles come first: a result that is replicated must not keep the op from being tiled that makes it.
    for (int tiles = 1; tiles >= 0; tiles--)
        for (uint32_t i = 0; i < x->n; i++)
            if (!act_on(s, &x->at[i], axis, tiles, counts) && refused++ == 0) first = &x->at[i];
    if (refused)
        diag_warning(m->ctx, &m->source, first->source, "its size does not divide, or another annotation says otherwise",
                     "%u of the program's annotations cannot hold on axis %.*s of size %lld and are left out, first this one",
                     refused, (int)name.n, name.at, (long long)s->mesh->axes[axis].size);
    uint32_t done = state_mark(s);
    propagate(s, mark, axis);
    counts->propagated = state_mark(s) - done;
    counts->n_conflicts = s->conflicts.n - counts->first_conflict;
}
