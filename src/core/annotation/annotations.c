// Annotations: finds them on the ops and on the signature of @main, and performs them as actions.
#include "core/annotation/annotations.h"
#include "core/annotation/sharding_gspmd.h"

typedef struct Finder {
    const Graph *g;
    const Mesh *mesh;
    Arena *a;
    VEC(Annotation) all;
    AxisSet named;
    VEC(Span) left_out; // names of axes that cannot be used
    bool parts;         // some of these are parts of axes
} Finder;

static void leave_axis_out(Finder *f, Span name) {
    for (uint32_t i = 0; i < f->left_out.n; i++)
        if (span_eq(f->left_out.at[i], name)) return;
    vec_push(f->a, &f->left_out, name);
}

// Whether a mesh axis may be used at all; otherwise its name is kept for the warning.
static AxisId usable_axis(Finder *f, const ShardingAxis *axis) {
    AxisId id = mesh_find(f->mesh, axis->name);
    if (id != NO_AXIS && f->mesh->axes[id].size > 1 && !axis->part) return id;
    f->parts |= axis->part;
    leave_axis_out(f, axis->name);
    return NO_AXIS;
}

// Shardy's #sdy.sharding<…>, or the string of an mhlo.sharding.
static bool read_annotation(Finder *f, Span text, uint32_t rank, Span config, Sharding *out) {
    if (sharding_read(text, f->a, out)) return out->rank == rank;
    GspmdAnswer answer = sharding_read_gspmd(text, f->mesh, rank, f->a, out);
    if (answer == GSPMD_OTHER_MESH) leave_axis_out(f, text);
    if (answer == GSPMD_READ) sharding_open_gspmd(config, out, f->a);
    return answer == GSPMD_READ;
}

static void add_annotation(Finder *f, Port at, ValueId v, AttrId attr, Span config, uint32_t source) {
    const Module *m = f->g->m;
    Annotation n = {.at = at, .value = v, .source = source};
    const Type *t = value_tensor(m, v);
    if (attr == NO_ID || t->kind != TYPE_TENSOR) return;
    if (!read_annotation(f, attr_get(m, attr)->text, t->rank, config, &n.sharding)) return;
    for (uint32_t d = 0; d < n.sharding.rank; d++)
        for (uint32_t i = 0; i < n.sharding.dims[d].n; i++) {
            AxisId axis = usable_axis(f, &n.sharding.dims[d].axes[i]);
            if (axis != NO_AXIS) f->named |= (AxisSet)1 << axis;
        }
    vec_push(f->a, &f->all, n);
}

static bool names_sharding(const Module *m, NameId name) {
    return span_is(name_get(m, name), "sdy.sharding") || span_is(name_get(m, name), "mhlo.sharding");
}

// The sharding of an argument or result of @main.
static AttrId signature_sharding(const Module *m, AttrName list, uint32_t index) {
    AttrId dicts = op_attr(m, module_main(m), list);
    if (dicts == NO_ID || index >= attr_get(m, dicts)->n) return NO_ID;
    const Attr *dict = attr_get(m, attr_get(m, dicts)->items[index]);
    for (uint32_t i = 0; dict->kind == ATTR_DICT && i < dict->n; i++)
        if (names_sharding(m, dict->entries[i].name)) return dict->entries[i].value;
    return NO_ID;
}

// What an op says of its only result: a constraint of Shardy, or GSPMD's custom call.
static AttrId op_sharding(const Module *m, OpId op, Span *config) {
    const Op *o = op_get(m, op);
    *config = (Span){"", 0};
    if (o->kind == OP_sdy_sharding_constraint || o->kind == OP_sdy_reshard) return op_attr(m, op, A_sharding);
    if (o->kind != OP_custom_call || !span_is(op_attr_text(m, op, A_call_target_name), "Sharding")) return NO_ID;
    if (o->n_operands != 1 || o->n_results != 1) return NO_ID;
    *config = op_attr_text(m, op, A_backend_config);
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (names_sharding(m, m->op_attrs.at[o->first_attr + i].name)) return m->op_attrs.at[o->first_attr + i].value;
    return NO_ID;
}

static void find_all(Finder *f) {
    const Graph *g = f->g;
    const Module *m = g->m;
    uint32_t source = op_get(m, module_main(m))->source;
    Span none = {"", 0}, config;
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        Port at = {g->argument_node[i], g->nodes[g->argument_node[i]].rule->n_operands};
        add_annotation(f, at, m->regions.at[g->body].first_arg + i, signature_sharding(m, A_arg_attrs, i),
                       none, source);
    }
    for (uint32_t i = 0; i < g->n_results; i++)
        add_annotation(f, (Port){g->result_node[i], 0}, op_operand(m, region_terminator(m, g->body), i),
                       signature_sharding(m, A_res_attrs, i), none, source);
    for (NodeId n = 0; n < g->n_nodes; n++) {
        if (g->nodes[n].kind != NODE_OP) continue;
        OpId op = g->nodes[n].op;
        AttrId sharding = op_sharding(m, op, &config);
        if (sharding != NO_ID) add_annotation(f, (Port){n, 1}, op_result(m, op, 0), sharding, config, op_get(m, op)->source);
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
