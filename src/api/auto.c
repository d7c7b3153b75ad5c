// Automatic tactics as the public header sees them: applying one applies what its search found.
#include "api/handles.h"
#include "auto/auto.h"

bool apply_automatic(partir_partition *h, const Tactic *t, const Source *source) {
    Partition *p = &h->p;
    AutoResult found;
    const Schedule *s = p->schedule;
    uint32_t next = p->next + 1;
    const Tactic *after = next < s->n_tactics ? s->tactics + next : NULL;
    if (!auto_search(p, t, after, after ? s->n_tactics - next : 0, source, h->device, &found)) return false;
    for (uint32_t i = 0; i < found.n; i++)
        if (!apply_and_record(h, &found.tactics[i], source)) return false;
    return true;
}

typedef struct ScheduleCall {
    const partir_partition *h;
    partir_text *made;
} ScheduleCall;

static bool schedule_body(void *arg) {
    ScheduleCall *call = arg;
    const Partition *p = &call->h->p;
    Schedule s = *p->schedule;
    MeshAxis axes[MESH_MAX_AXES];
    for (uint32_t i = 0; i < p->mesh.n_axes; i++)
        axes[i] = (MeshAxis){.name = {.text = p->mesh.axes[i].name}, .size = p->mesh.axes[i].size};
    s.axes = axes;
    s.n_axes = p->mesh.n_axes;
    if (call->h->device_name) s.device = (Word){.text = span_of(call->h->device_name)};
    s.n_tactics = call->h->applied.n;
    s.tactics = call->h->applied.at;
    Buffer out;
    partir_text *t = text_new(p->ctx, &out);
    schedule_print(&s, &out);
    text_finish(t, &out);
    call->made = t;
    return true;
}

partir_text *partir_partition_schedule(const partir_partition *h) {
    ScheduleCall call = {.h = h};
    return api_call(h->p.ctx, schedule_body, &call) ? call.made : NULL;
}

typedef struct TiesCall {
    const partir_module *m;
    partir_text *made;
} TiesCall;

static bool ties_body(void *arg) {
    TiesCall *call = arg;
    Buffer out;
    partir_text *t = text_new(call->m->ir->ctx, &out);
    ties_suggest(call->m->ir, &out);
    text_finish(t, &out);
    call->made = t;
    return true;
}

partir_text *partir_module_ties(const partir_module *m) {
    TiesCall call = {.m = m};
    return api_call(m->ir->ctx, ties_body, &call) ? call.made : NULL;
}
