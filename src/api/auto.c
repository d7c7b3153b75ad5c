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
    vec_push(&p->arena, &h->fronts, ((AutoFront){t->name.text, found.n_front, found.front}));
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

// ---- Pareto fronts ---------------------------------------------------------------------------------------------------

typedef struct FrontCall {
    const partir_partition *h;
    const char *name;
    int json;
    partir_text *made;
} FrontCall;

static void print_point(const FrontPoint *point, Buffer *out) {
    for (uint32_t i = 0; i < point->n; i++) tactic_print(&point->tactics[i], out);
}

static void print_front_json(const AutoFront *front, Arena *a, Buffer *out) {
    buf_char(out, '[');
    for (uint32_t i = 0; i < front->n; i++) {
        Buffer text;
        buf_init(&text, a);
        print_point(&front->at[i], &text);
        buf_format(out, "%s\n {\"seconds\": %.9g, \"peak\": %.0f, \"schedule\": ", i ? "," : "", front->at[i].seconds,
                   front->at[i].peak);
        buf_json_string(out, (Span){text.at, text.n});
        buf_char(out, '}');
    }
    buf_str(out, "]\n");
}

static void print_front_table(const AutoFront *front, Buffer *out) {
    for (uint32_t i = 0; i < front->n; i++) {
        buf_format(out, "# %.3f ms, %.3f GiB\n", front->at[i].seconds * 1e3, front->at[i].peak / 0x1p30);
        print_point(&front->at[i], out);
        buf_char(out, '\n');
    }
}

static bool front_body(void *arg) {
    FrontCall *call = arg;
    const partir_partition *h = call->h;
    const AutoFront *front = NULL;
    for (uint32_t i = 0; i < h->fronts.n; i++)
        if (!call->name || span_is(h->fronts.at[i].name, call->name)) front = &h->fronts.at[i];
    if (!front)
        return diag_error(h->p.ctx, NULL, NO_OFFSET, NULL, "no automatic tactic%s%s has been applied",
                          call->name ? " of the name " : "", call->name ? call->name : "");
    Buffer out;
    partir_text *t = text_new(h->p.ctx, &out);
    if (call->json)
        print_front_json(front, &t->arena, &out);
    else
        print_front_table(front, &out);
    text_finish(t, &out);
    call->made = t;
    return true;
}

partir_text *partir_partition_pareto(const partir_partition *h, const char *name, int json) {
    FrontCall call = {.h = h, .name = name, .json = json};
    return api_call(h->p.ctx, front_body, &call) ? call.made : NULL;
}

// ---- Ties ------------------------------------------------------------------------------------------------------------

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
