// Trials as the public header sees them. A call that fails leaves the program as it was.
#include "api/handles.h"
#include "core/propagate.h"
#include "sim/incremental/trials.h"

struct partir_trials {
    Arena arena;
    partir_partition *partition;
    Trials trials;
    uint32_t mark; // where the partition stood
};

typedef struct TrialsCall {
    partir_partition *h;
    partir_trials *t;
    const char *device, *value, *axis;
    uint32_t dimension;
    double longest;
    TrialCost found;
    bool done;
} TrialsCall;

// A base that the call made is gone with it, and one that was there before may be half changed: the next look makes another.
static void drop_base(Relowering *r, const struct Base *had) {
    if (r->base != had) r->base = NULL;
    relowering_free(r);
}

static bool trials_call(partir_trials *t, bool (*body)(void *), TrialsCall *call) {
    Partition *p = &t->partition->p;
    Trials *trials = &t->trials;
    const struct Base *had[1 + TRIAL_ORDERS] = {trials->lowered.base};
    for (uint32_t k = 0; k < TRIAL_ORDERS; k++) had[1 + k] = trials->ordered[k].base;
    uint32_t mark = state_mark(&p->state);
    call->t = t;
    if (api_call(p->ctx, body, call)) return true;
    p->lowered = NULL; // gone too
    drop_base(&trials->lowered, had[0]);
    for (uint32_t k = 0; k < TRIAL_ORDERS; k++) drop_base(&trials->ordered[k], had[1 + k]);
    state_undo(&p->state, mark);
    return false;
}

static bool create_body(void *arg) {
    TrialsCall *call = arg;
    Partition *p = &call->h->p;
    Arena arena;
    arena_init(&arena, p->ctx);
    partir_trials *t = arena_zalloc(&arena, sizeof *t);
    arena_move(&t->arena, &arena);
    t->partition = call->h;
    t->mark = state_mark(&p->state);
    const Device *d = device_open(p->ctx, call->device, &t->arena);
    if (!d || !trials_begin(&t->trials, p, d)) return false;
    call->t = t;
    return true;
}

partir_trials *partir_trials_create(partir_partition *h, const char *device) {
    TrialsCall call = {.h = h, .device = device};
    bool ok = api_call(h->p.ctx, create_body, &call);
    if (ok) partition_forget(&h->p);
    return ok ? call.t : NULL;
}

void partir_trials_destroy(partir_trials *t) {
    if (!t) return;
    partir_trials_undo(t, t->mark);
    trials_end(&t->trials);
    Arena arena;
    arena_move(&arena, &t->arena);
    arena_free(&arena);
}

static bool act_body(void *arg) {
    TrialsCall *call = arg;
    Partition *p = &call->t->partition->p;
    State *s = &p->state;
    AxisId axis = mesh_axis(&p->mesh, span_of(call->axis));
    if (axis == NO_AXIS) return diag_error(p->ctx, NULL, NO_OFFSET, NULL, "the mesh has no axis '%s'", call->axis);
    const Target *t = p->targets.at, *end = t + p->targets.n;
    while (t < end && strcmp(t->name, call->value) != 0) t++;
    if (t == end) return diag_error(p->ctx, NULL, NO_OFFSET, NULL, "there is no value '%s'", call->value);
    uint32_t mark = state_mark(s);
    const Type *type = type_get(p->m, t->type);
    if (call->dimension == PARTIR_ATOMIC) {
        call->done = state_tiled_dim(s, t->node, t->tensor, axis) < 0;
        if (call->done) action_atomic(s, t->value, axis);
    } else {
        call->done = type->kind == TYPE_TENSOR && call->dimension < type->rank &&
                     action_tile(s, t->node, t->tensor, call->dimension, axis) == ACTION_OK;
    }
    if (call->done) propagate(s, mark, axis);
    return true;
}

int partir_trials_tile(partir_trials *t, const char *value, uint32_t dimension, const char *axis) {
    TrialsCall call = {.value = value, .dimension = dimension, .axis = axis};
    partition_forget(&t->partition->p);
    return trials_call(t, act_body, &call) && call.done;
}

uint32_t partir_trials_mark(const partir_trials *t) { return state_mark(&t->partition->p.state); }

void partir_trials_undo(partir_trials *t, uint32_t mark) {
    partition_forget(&t->partition->p);
    state_undo(&t->partition->p.state, mark < t->mark ? t->mark : mark);
}

static bool look_body(void *arg) {
    TrialsCall *call = arg;
    Trials *t = &call->t->trials;
    if (!t->lowered.base && !trials_rebase(t)) return false;
    return trials_evaluate(t, call->longest, &call->found);
}

int partir_trials_look(partir_trials *t, double longest, partir_outcome *out) {
    TrialsCall call = {.longest = longest};
    if (!trials_call(t, look_body, &call)) return 0;
    *out = (partir_outcome){.seconds = call.found.seconds,
                            .compute = call.found.compute,
                            .communication = call.found.communication,
                            .exposed = call.found.exposed,
                            .peak = call.found.peak,
                            .complete = call.found.complete};
    return 1;
}

static bool keep_body(void *arg) { return trials_rebase(&((TrialsCall *)arg)->t->trials); }

int partir_trials_keep(partir_trials *t) { return trials_call(t, keep_body, &(TrialsCall){0}); }
