// Trials as the public header sees them. A call that fails leaves the program as it was.
#include "api/handles.h"

typedef struct TrialsCall {
    partir_partition *h;
    partir_trials *t;
    const char *device, *name;
    const partir_value *values;
    const uint32_t *dims;
    uint32_t n;
    AxisId axis;
    double longest;
    TrialCost found;
} TrialsCall;

// A base that the call made is gone with it, and one that was there before may be half changed: the next evaluation makes another.
static void drop_base(Relowering *r, const struct Base *had) {
    if (r->base != had) r->base = NULL;
    relowering_free(r);
}

static partir_status trials_call(partir_trials *t, bool (*body)(void *), TrialsCall *call) {
    Partition *p = &t->partition->p;
    Trials *trials = &t->trials;
    const struct Base *had[1 + TRIAL_ORDERS] = {trials->lowered.base};
    for (uint32_t k = 0; k < TRIAL_ORDERS; k++) had[1 + k] = trials->ordered[k].base;
    uint32_t mark = state_mark(&p->state), n_actions = t->actions.n;
    call->t = t;
    partir_status status = api_call(p->ctx, body, call);
    if (status == PARTIR_OK) return status;
    p->lowered = NULL; // gone too
    drop_base(&trials->lowered, had[0]);
    for (uint32_t k = 0; k < TRIAL_ORDERS; k++) drop_base(&trials->ordered[k], had[1 + k]);
    state_undo(&p->state, mark);
    t->actions.n = n_actions;
    return status;
}

// ---- Beginning and end ----------------------------------------------------------------------------------------------

static bool trials_create_body(void *arg) {
    TrialsCall *call = arg;
    Partition *p = &call->h->p;
    Arena arena;
    arena_init(&arena, p->ctx);
    partir_trials *t = arena_zalloc(&arena, sizeof *t);
    arena_move(&t->arena, &arena);
    t->partition = call->h;
    t->mark = state_mark(&p->state);
    const Device *d = device_of(call->h, call->device, &t->arena);
    if (!d || !trials_begin(&t->trials, p, d)) return false;
    p->state.tactic = (uint16_t)p->applied.n; // what is tried comes after all tactics
    call->t = t;
    return true;
}

partir_status partir_trials_create(partir_partition *h, const char *device, partir_trials **out) {
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the partition or the pointer for the trials is NULL");
    *out = NULL;
    if (h->trials) return api_misuse(h->p.ctx, "there are trials of this partition already");
    if (h->draft.open) return api_misuse(h->p.ctx, "a tactic was begun and has not ended");
    TrialsCall call = {.h = h, .device = device};
    partir_status status = api_call(h->p.ctx, trials_create_body, &call);
    if (status != PARTIR_OK) return status;
    partition_forget(&h->p);
    *out = h->trials = call.t;
    return status;
}

void partir_trials_destroy(partir_trials *t) {
    if (!t) return;
    partir_trials_undo(t, t->mark);
    t->partition->trials = NULL;
    trials_end(&t->trials);
    Arena arena;
    arena_move(&arena, &t->arena);
    arena_free(&arena);
}

uint32_t partir_trials_mark(const partir_trials *t) { return t ? state_mark(&t->partition->p.state) : 0; }

void partir_trials_undo(partir_trials *t, uint32_t mark) {
    if (!t) return;
    if (mark < t->mark) mark = t->mark;
    partition_forget(&t->partition->p);
    state_undo(&t->partition->p.state, mark);
    while (t->actions.n && t->actions.at[t->actions.n - 1].mark >= mark) t->tiles.n = t->actions.at[--t->actions.n].first;
}

// ---- Actions --------------------------------------------------------------------------------------------------------

static bool refuse_tile(const Partition *p, PathTile tile, AxisId axis, ActionStatus status) {
    const char *name = path_target(&p->targets, tile.path)->name, *why = action_text(status);
    Span on = p->mesh.axes[axis].name;
    if (tile.dim == TILE_ATOMIC)
        diag_error(p->ctx, NULL, NO_OFFSET, NULL, "%s cannot be atomic on %.*s: it is tiled by it", name, (int)on.n,
                   on.at);
    else
        diag_error(p->ctx, NULL, NO_OFFSET, NULL, "dimension %u of %s cannot be tiled by %.*s: %s", tile.dim, name,
                   (int)on.n, on.at, why);
    return fail_as(p->ctx, PARTIR_ILLEGAL, false);
}

static bool set_body(void *arg) {
    TrialsCall *call = arg;
    partir_trials *t = call->t;
    Partition *p = &t->partition->p;
    uint32_t mark = state_mark(&p->state), refused, first = t->tiles.n;
    for (uint32_t i = 0; i < call->n; i++) vec_push(&t->arena, &t->tiles, ((PathTile){call->values[i], call->dims[i]}));
    vec_push(&t->arena, &t->actions, ((TrialAction){mark, call->axis, first, call->n}));
    t->actions.n--; // until it is done
    t->tiles.n = first;
    const PathTile *tiles = t->tiles.at + first;
    ActionStatus status = tile_set_apply(&p->state, &p->targets, tiles, call->n, call->axis, &refused);
    if (status != ACTION_OK) return refuse_tile(p, tiles[refused], call->axis, status);
    if (state_mark(&p->state) == mark) return true; // it was so already
    t->actions.n++;
    t->tiles.n += call->n;
    return true;
}

partir_status partir_trials_tile_set(partir_trials *t, const partir_value *values, const uint32_t *dimensions,
                                     uint32_t count, uint32_t axis) {
    if (!t) return PARTIR_MISUSE;
    const Partition *p = &t->partition->p;
    if ((!values || !dimensions) && count) return api_misuse(p->ctx, "a set has values and dimensions; one is NULL");
    if (axis >= p->mesh.n_ids) return api_not_found(p->ctx, "axis", axis, p->mesh.n_ids);
    for (uint32_t i = 0; i < count; i++)
        if (values[i] >= p->targets.n_paths) return api_not_found(p->ctx, "value", values[i], p->targets.n_paths);
    partition_forget(&t->partition->p);
    return trials_call(t, set_body,
                       &(TrialsCall){.values = values, .dims = dimensions, .n = count, .axis = (AxisId)axis});
}

partir_status partir_trials_tile(partir_trials *t, partir_value value, uint32_t dimension, uint32_t axis) {
    return partir_trials_tile_set(t, &value, &dimension, 1, axis);
}

partir_status partir_trials_atomic(partir_trials *t, partir_value value, uint32_t axis) {
    return partir_trials_tile_set(t, &value, &(uint32_t){TILE_ATOMIC}, 1, axis);
}

// ---- Cost -----------------------------------------------------------------------------------------------------------

static bool evaluate_body(void *arg) {
    TrialsCall *call = arg;
    Trials *t = &call->t->trials;
    if (!t->lowered.base && !trials_rebase(t)) return false;
    return trials_evaluate(t, call->longest, &call->found);
}

partir_status partir_trials_evaluate(partir_trials *t, double longest, partir_cost *out) {
    if (!t) return PARTIR_MISUSE;
    TrialsCall call = {.longest = longest};
    partir_status status = trials_call(t, evaluate_body, &call);
    if (status != PARTIR_OK) return status;
    partir_cost cost = cost_of(&call.found);
    return api_give(t->partition->p.ctx, out, &cost, sizeof cost);
}

static bool rebase_body(void *arg) { return trials_rebase(&((TrialsCall *)arg)->t->trials); }

partir_status partir_trials_rebase(partir_trials *t) {
    return t ? trials_call(t, rebase_body, &(TrialsCall){0}) : PARTIR_MISUSE;
}

// ---- What was found becomes a tactic --------------------------------------------------------------------------------

static Span tactic_name(const char *name, uint32_t number, Arena *a) {
    Buffer b;
    buf_init(&b, a);
    buf_str(&b, name);
    if (number > 1) buf_format(&b, "_%u", number);
    return span_of(buf_cstr(&b));
}

// Actions from `from` up to `to`, on one axis, as one tactic.
static bool commit_actions(partir_trials *t, uint32_t from, uint32_t to, Span name) {
    Partition *p = &t->partition->p;
    const TrialAction *first = &t->actions.at[from], *last = &t->actions.at[to - 1];
    Source *source = arena_zalloc(&p->arena, sizeof *source); // errors are about no place
    source->text = "";
    const Tactic *tactic = tactic_of_tiles(p, name, p->mesh.axes[first->axis].name, t->tiles.at + first->first,
                                           last->first + last->n - first->first, &p->arena);
    return partition_apply_and_record(t->partition, tactic, source);
}

// With `merge`, actions on one axis that follow one another are one tactic: one propagation for all of them.
static bool commit_all(partir_trials *t, const char *name, bool merge) {
    Partition *p = &t->partition->p;
    uint32_t number = 0;
    for (uint32_t i = 0, end; i < t->actions.n; i = end) {
        end = i + 1;
        while (merge && end < t->actions.n && t->actions.at[end].axis == t->actions.at[i].axis) end++;
        if (!commit_actions(t, i, end, tactic_name(name, ++number, &p->arena))) return false;
    }
    return true;
}

static bool commit_body(void *arg) {
    TrialsCall *call = arg;
    partir_trials *t = call->t;
    Partition *p = &t->partition->p;
    StateHash nests = p->state.nests, atomics = p->state.atomics;
    uint32_t n_applied = p->applied.n, n_rows = t->partition->simulated.rows.n;
    arena_init(&p->scratch, p->ctx);
    bool same = false;
    for (int merge = 1; merge >= 0 && !same; merge--) {
        state_undo(&p->state, t->mark);
        partition_forget(p);
        p->applied.n = n_applied;
        t->partition->simulated.rows.n = n_rows;
        if (!commit_all(t, call->name, merge)) return false;
        same = same_state(p->state.nests, nests) && same_state(p->state.atomics, atomics);
    }
    if (!same)
        return fail_as(p->ctx, PARTIR_ILLEGAL,
                       diag_error(p->ctx, NULL, NO_OFFSET, "a path that reads as a pattern means other values too",
                                  "what was tried cannot be written as a tactic"));
    arena_free(&p->scratch);
    partition_forget(p);
    p->state.tactic = (uint16_t)p->applied.n;
    t->mark = state_mark(&p->state);
    t->actions.n = t->tiles.n = 0;
    return true;
}

// Does what was done once more, after a commit that failed.
static bool redo_body(void *arg) {
    partir_trials *t = arg;
    Partition *p = &t->partition->p;
    uint32_t refused;
    for (uint32_t i = 0; i < t->actions.n; i++) {
        const TrialAction *a = &t->actions.at[i];
        tile_set_apply(&p->state, &p->targets, t->tiles.at + a->first, a->n, a->axis, &refused);
    }
    return true;
}

partir_status partir_trials_commit(partir_trials *t, const char *name) {
    if (!t) return PARTIR_MISUSE;
    Partition *p = &t->partition->p;
    if (!name || !*name) return api_misuse(p->ctx, "a tactic has a name");
    partition_forget(p);
    uint32_t n_applied = p->applied.n, n_rows = t->partition->simulated.rows.n;
    partir_status status = trials_call(t, commit_body, &(TrialsCall){.name = name});
    if (status == PARTIR_OK) return status;
    p->applied.n = n_applied;
    t->partition->simulated.rows.n = n_rows;
    p->state.tactic = (uint16_t)n_applied;
    state_undo(&p->state, t->mark);
    api_call(p->ctx, redo_body, t);
    return status;
}
