// Axes and named values by number: what they are, how they lie, whether they can be tiled, and a tactic that tiles them.
#include "api/handles.h"
#include "support/nearest.h"

// ---- Axes -----------------------------------------------------------------------------------------------------------

uint32_t partir_partition_axis_count(const partir_partition *h) { return h ? h->p.mesh.n_axes : 0; }

typedef struct AxisCall {
    partir_partition *h;
    uint32_t axis;
    const char *name;
} AxisCall;

static bool axis_body(void *arg) {
    AxisCall *call = arg;
    call->name = api_string(&call->h->answer, call->h->p.mesh.axes[call->axis].name);
    return true;
}

partir_status partir_partition_axis(partir_partition *h, uint32_t axis, partir_axis_info *out) {
    if (!h) return PARTIR_MISUSE;
    const Mesh *mesh = &h->p.mesh;
    if (axis >= mesh->n_ids) return api_not_found(h->p.ctx, "axis", axis, mesh->n_ids);
    AxisCall call = {h, axis, NULL};
    partir_status status = partition_ask(h, axis_body, &call);
    if (status != PARTIR_OK) return status;
    partir_axis_info info = {.name = call.name, .devices = mesh->axes[axis].size};
    return api_give(h->p.ctx, out, &info, sizeof info);
}

static bool find_axis_body(void *arg) {
    AxisCall *call = arg;
    Partition *p = &call->h->p;
    AxisId axis = mesh_axis(&p->mesh, span_of(call->name));
    call->axis = axis;
    if (axis != NO_AXIS) return true;
    Buffer hint;
    buf_init(&hint, &call->h->answer);
    buf_str(&hint, "the mesh is ");
    mesh_print(&p->mesh, &hint);
    return fail_as(p->ctx, PARTIR_NOT_FOUND,
                   diag_error(p->ctx, NULL, NO_OFFSET, buf_cstr(&hint), "the mesh has no axis \"%s\"", call->name));
}

partir_status partir_partition_find_axis(partir_partition *h, const char *name, uint32_t *out) {
    if (!h || !name || !out) return api_misuse(h ? h->p.ctx : NULL, "an axis is found by its name; it is NULL");
    AxisCall call = {.h = h, .name = name};
    partir_status status = partition_ask(h, find_axis_body, &call);
    *out = status == PARTIR_OK ? call.axis : PARTIR_NONE;
    return status;
}

// ---- Values ---------------------------------------------------------------------------------------------------------

typedef struct ValueCall {
    partir_partition *h;
    bool locations;
    const char *path;
    partir_value value;
    uint32_t dim;
    AxisId axis;
    partir_value_info info;
    partir_distribution dist;
    ActionStatus legal;
} ValueCall;

static bool no_value(const Partition *p, partir_value value) {
    if (value < p->targets.n_paths) return true;
    return fail_as(p->ctx, PARTIR_NOT_FOUND,
                   diag_error(p->ctx, NULL, NO_OFFSET, NULL, "there is no value %u: there are %u", value,
                              p->targets.n_paths));
}

static bool value_count_body(void *arg) {
    ValueCall *call = arg;
    Partition *p = &call->h->p;
    if (call->locations) partition_name_locations(p);
    call->value = call->locations ? p->targets.n_paths : p->targets.n_paths_without_locations;
    return true;
}

partir_status partir_partition_value_count(partir_partition *h, int locations, uint32_t *out) {
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the number is NULL");
    ValueCall call = {.h = h, .locations = locations != 0};
    partir_status status = partition_ask(h, value_count_body, &call);
    *out = call.value;
    return status;
}

static bool find_value_body(void *arg) {
    ValueCall *call = arg;
    Partition *p = &call->h->p;
    if (strncmp(call->path, "loc/", 4) == 0) partition_name_locations(p);
    call->value = targets_find(&p->targets, call->path);
    if (call->value != NO_ID) return true;
    const char **names = arena_new(&call->h->answer, const char *, p->targets.n_paths);
    for (uint32_t i = 0; i < p->targets.n_paths; i++) names[i] = path_target(&p->targets, i)->name;
    const char *near = nearest_name(span_of(call->path), names, p->targets.n_paths);
    Buffer hint;
    buf_init(&hint, &call->h->answer);
    if (near) buf_format(&hint, "the nearest name is %s", near);
    return fail_as(p->ctx, PARTIR_NOT_FOUND,
                   diag_error(p->ctx, NULL, NO_OFFSET, near ? buf_cstr(&hint) : NULL, "there is no value '%s'",
                              call->path));
}

partir_status partir_partition_find_value(partir_partition *h, const char *path, partir_value *out) {
    if (!h || !path || !out) return api_misuse(h ? h->p.ctx : NULL, "a value is found by its path; it is NULL");
    ValueCall call = {.h = h, .path = path};
    partir_status status = partition_ask(h, find_value_body, &call);
    *out = status == PARTIR_OK ? call.value : PARTIR_NONE;
    return status;
}

static partir_value_kind value_kind_of(const Partition *p, uint32_t target) {
    return target < p->graph.n_arguments                        ? PARTIR_VALUE_ARGUMENT
           : target < p->graph.n_arguments + p->graph.n_results ? PARTIR_VALUE_RESULT
           : target < p->targets.n_without_locations            ? PARTIR_VALUE_TAG
                                                                : PARTIR_VALUE_LOCATION;
}

static bool value_body(void *arg) {
    ValueCall *call = arg;
    Partition *p = &call->h->p;
    if (!no_value(p, call->value)) return false;
    const Targets *t = &p->targets;
    uint32_t first = t->members[t->first_member[call->value]];
    call->info = value_describe(p->m, t->at[first].type, t->at[first].name, &call->h->answer);
    call->info.kind = value_kind_of(p, first);
    call->info.count = t->first_member[call->value + 1] - t->first_member[call->value];
    call->info.index = call->info.kind == PARTIR_VALUE_ARGUMENT ? first
                       : call->info.kind == PARTIR_VALUE_RESULT ? first - p->graph.n_arguments
                                                                : PARTIR_NONE;
    return true;
}

partir_status partir_partition_value(partir_partition *h, partir_value value, partir_value_info *out) {
    if (!h) return PARTIR_MISUSE;
    ValueCall call = {.h = h, .value = value};
    partir_status status = partition_ask(h, value_body, &call);
    return status == PARTIR_OK ? api_give(h->p.ctx, out, &call.info, sizeof call.info) : status;
}

// ---- How they lie ---------------------------------------------------------------------------------------------------

// The axes that the nest of an inner value's op puts on its dimensions, as a distribution has them.
static uint32_t nest_entries(const Partition *p, const Target *t, DistEntry *at) {
    uint32_t len, n = 0;
    const NestEntry *nest = state_nest(&p->state, t->node, &len);
    for (uint32_t k = 0; k < len; k++) {
        int dim = rule_factor_dim(p->graph.nodes[t->node].rule, nest[k].factor, t->tensor);
        if (dim >= 0) at[n++] = (DistEntry){nest[k].axis, (uint8_t)dim};
    }
    return n;
}

const char *const *axis_names(const Mesh *mesh, const AxisId *axes, uint32_t n, Arena *a, uint32_t *out_n) {
    const char **names = arena_new(a, const char *, n);
    *out_n = 0;
    for (uint32_t i = 0; i < n;) {
        Buffer name;
        buf_init(&name, a);
        i += mesh_join(mesh, axes + i, n - i, &name);
        names[(*out_n)++] = buf_cstr(&name);
    }
    return names;
}

static void axis_lists(const Mesh *mesh, const DistEntry *at, uint32_t n, uint32_t rank, Arena *a,
                       partir_distribution *out) {
    uint32_t *first = arena_new(a, uint32_t, rank + 1);
    VEC(const char *) all = {0};
    for (uint32_t d = 0; d < rank; d++) {
        AxisId axes[MESH_MAX_AXES];
        uint32_t k = 0, named;
        for (uint32_t i = 0; i < n; i++)
            if (at[i].dim == d) axes[k++] = at[i].axis;
        const char *const *names = axis_names(mesh, axes, k, a, &named);
        first[d] = all.n;
        for (uint32_t i = 0; i < named; i++) vec_push(a, &all, names[i]);
    }
    first[rank] = all.n;
    *out = (partir_distribution){.rank = rank, .first = first, .axes = all.at};
}

static bool distribution_body(void *arg) {
    ValueCall *call = arg;
    Partition *p = &call->h->p;
    if (!no_value(p, call->value)) return false;
    uint32_t first = p->targets.members[p->targets.first_member[call->value]], n_arguments = p->graph.n_arguments;
    const Target *t = &p->targets.at[first];
    const Type *type = type_get(p->m, t->type);
    uint32_t rank = type->kind == TYPE_TENSOR ? type->rank : 0;
    DistEntry inner[MESH_MAX_AXES];
    if (first >= n_arguments + p->graph.n_results) {
        axis_lists(&p->mesh, inner, nest_entries(p, t, inner), rank, &call->h->answer, &call->dist);
        return true;
    }
    arena_init(&p->scratch, p->ctx);
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    const Dist *d = first < n_arguments ? l->argument_dist[first] : l->result_dist[first - n_arguments];
    axis_lists(l->mesh, d->at, d->n, rank, &call->h->answer, &call->dist);
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_distribution(partir_partition *h, partir_value value, partir_distribution *out) {
    if (!h) return PARTIR_MISUSE;
    ValueCall call = {.h = h, .value = value};
    partir_status status = partition_ask(h, distribution_body, &call);
    return status == PARTIR_OK ? api_give(h->p.ctx, out, &call.dist, sizeof call.dist) : status;
}

partir_status partir_partition_legality(partir_partition *h, partir_value value, uint32_t dimension, uint32_t axis,
                                        partir_legality *out) {
    static const partir_legality words[] = {[ACTION_OK] = PARTIR_LEGAL,
                                            [ACTION_TILED] = PARTIR_TILED_ALREADY,
                                            [ACTION_NO_FACTOR] = PARTIR_NO_DIMENSION,
                                            [ACTION_AXIS_USED] = PARTIR_AXIS_USED,
                                            [ACTION_NOT_DIVISIBLE] = PARTIR_NOT_DIVISIBLE,
                                            [ACTION_WHOLE] = PARTIR_WHOLE,
                                            [ACTION_SHIFT] = PARTIR_SHIFTED,
                                            [ACTION_INNER] = PARTIR_INNER,
                                            [ACTION_ATOMIC] = PARTIR_MADE_ATOMIC,
                                            [ACTION_PARTS] = PARTIR_OTHER_PARTS,
                                            [ACTION_ORDER] = PARTIR_PART_ORDER};
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the answer is NULL");
    const Partition *p = &h->p;
    if (value >= p->targets.n_paths) return api_not_found(p->ctx, "value", value, p->targets.n_paths);
    if (axis >= p->mesh.n_ids) return api_not_found(p->ctx, "axis", axis, p->mesh.n_ids);
    *out = words[tile_set_legal(&p->state, &p->targets, (PathTile){value, dimension}, (AxisId)axis)];
    return PARTIR_OK;
}

void partir_partition_state(const partir_partition *h, uint64_t out[2]) {
    const State *s = &h->p.state;
    out[0] = s->nests.a + 3 * s->atomics.a;
    out[1] = s->nests.b + 3 * s->atomics.b;
}

// ---- Tactics by calls -----------------------------------------------------------------------------------------------

Tactic *tactic_of_tiles(const Partition *p, Span name, Span axis, const PathTile *tiles, uint32_t n, Arena *a) {
    Tactic *t = arena_zalloc(a, sizeof *t);
    VEC(Word) axes = {0};
    TacticLine *lines = arena_zalloc(a, n * sizeof *lines);
    for (size_t i = 0, end; i <= axis.n; i = end + 1) { // "data, model"
        for (end = i; end < axis.n && axis.at[end] != ',';) end++;
        size_t from = i, to = end;
        while (from < to && axis.at[from] == ' ') from++;
        while (to > from && axis.at[to - 1] == ' ') to--;
        Word word = {.text = span_of(api_string(a, (Span){axis.at + from, to - from}))};
        vec_push(a, &axes, word);
    }
    for (uint32_t i = 0; i < n; i++) {
        lines[i].pattern.text = span_of(path_target(&p->targets, tiles[i].path)->name);
        lines[i].value = tiles[i].dim == TILE_ATOMIC ? LINE_REPLICATED : LINE_DIM;
        lines[i].dim = tiles[i].dim == TILE_ATOMIC ? 0 : tiles[i].dim;
    }
    *t = (Tactic){
        .name.text = span_of(api_string(a, name)), .n_axes = axes.n, .axes = axes.at, .n_lines = n, .lines = lines};
    return t;
}

typedef struct DraftCall {
    partir_partition *h;
    const char *name, *axis;
    PathTile tile;
} DraftCall;

static bool begin_tactic_body(void *arg) {
    DraftCall *call = arg;
    TacticDraft *d = &call->h->draft;
    arena_reset(&d->arena);
    d->tiles.at = NULL;
    d->tiles.n = d->tiles.cap = 0;
    d->name = span_of(api_string(&d->arena, span_of(call->name)));
    d->axis = span_of(api_string(&d->arena, span_of(call->axis)));
    d->open = true;
    return true;
}

partir_status partir_partition_begin_tactic(partir_partition *h, const char *name, const char *axis) {
    if (!h || !name || !axis) return api_misuse(h ? h->p.ctx : NULL, "a tactic has a name and an axis; one is NULL");
    if (h->trials) return api_misuse(h->p.ctx, "no tactic can be applied while trials are under way");
    if (h->draft.open) return api_misuse(h->p.ctx, "a tactic was begun and has not ended");
    return api_call(h->p.ctx, begin_tactic_body, &(DraftCall){.h = h, .name = name, .axis = axis});
}

static bool decide_body(void *arg) {
    DraftCall *call = arg;
    TacticDraft *d = &call->h->draft;
    if (!no_value(&call->h->p, call->tile.path)) return false;
    for (uint32_t i = 0; i < d->tiles.n; i++)
        if (d->tiles.at[i].path == call->tile.path) {
            d->tiles.at[i] = call->tile;
            return true;
        }
    vec_push(&d->arena, &d->tiles, call->tile);
    return true;
}

static partir_status decide_value(partir_partition *h, partir_value value, uint32_t dimension) {
    if (!h) return PARTIR_MISUSE;
    if (!h->draft.open) return api_misuse(h->p.ctx, "there is no tactic to add to: none was begun");
    return api_call(h->p.ctx, decide_body, &(DraftCall){.h = h, .tile = {value, dimension}});
}

partir_status partir_partition_tile(partir_partition *h, partir_value value, uint32_t dimension) {
    return decide_value(h, value, dimension);
}

partir_status partir_partition_atomic(partir_partition *h, partir_value value) {
    return decide_value(h, value, TILE_ATOMIC);
}

static bool end_tactic_body(void *arg) {
    DraftCall *call = arg;
    partir_partition *h = call->h;
    TacticDraft *d = &h->draft;
    Partition *p = &h->p;
    const Tactic *t = tactic_of_tiles(p, d->name, d->axis, d->tiles.at, d->tiles.n, &p->arena);
    Source *source = arena_zalloc(&p->arena, sizeof *source); // errors are about no place
    source->text = "";
    arena_init(&p->scratch, p->ctx);
    if (!partition_apply_and_record(h, t, source)) return false;
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_end_tactic(partir_partition *h) {
    if (!h) return PARTIR_MISUSE;
    if (!h->draft.open) return api_misuse(h->p.ctx, "there is no tactic to end: none was begun");
    h->draft.open = false;
    partition_forget(&h->p);
    return partition_call(h, end_tactic_body, &(DraftCall){.h = h});
}
