// Schedules as the public header sees them: read once, and told piece by piece.
#include "api/handles.h"

typedef struct ScheduleReadCall {
    Context *ctx;
    const char *path; // a file, or
    Span text;        // this text,
    const char *name; // by this name
    partir_schedule *made;
} ScheduleReadCall;

static const char *tactic_axes_text(const Tactic *t, Arena *a) {
    Buffer b;
    buf_init(&b, a);
    for (uint32_t i = 0; i < t->n_axes; i++) {
        if (i) buf_str(&b, ", ");
        buf_span(&b, t->axes[i].text);
    }
    return buf_cstr(&b);
}

static partir_tactic_info tactic_describe(const Tactic *t, Arena *a) {
    Buffer text;
    buf_init(&text, a);
    tactic_print(t, &text);
    return (partir_tactic_info){.size = sizeof(partir_tactic_info),
                                .name = api_string(a, t->name.text),
                                .axis = tactic_axes_text(t, a),
                                .automatic = t->automatic,
                                .text = buf_cstr(&text)};
}

// What the questions about it are answered with.
static void schedule_describe(partir_schedule *h) {
    const Schedule *s = &h->schedule;
    Arena *a = &h->arena;
    partir_axis_info *axes = arena_new(a, partir_axis_info, s->n_axes);
    partir_tie_info *ties = arena_new(a, partir_tie_info, s->n_ties);
    partir_tactic_info *tactics = arena_new(a, partir_tactic_info, s->n_tactics);
    h->rules = arena_new(a, const char *, s->n_rules);
    for (uint32_t i = 0; i < s->n_axes; i++)
        axes[i] = (partir_axis_info){sizeof *axes, api_string(a, s->axes[i].name.text), s->axes[i].size};
    for (uint32_t i = 0; i < s->n_ties; i++)
        ties[i] = (partir_tie_info){sizeof *ties, api_string(a, s->ties[i].from.text),
                                    api_string(a, s->ties[i].to.text)};
    for (uint32_t i = 0; i < s->n_rules; i++) {
        Buffer text;
        buf_init(&text, a);
        user_rule_print(&s->rules[i], &text);
        h->rules[i] = buf_cstr(&text);
    }
    h->demands = arena_new(a, const char *, s->n_demands);
    for (uint32_t i = 0; i < s->n_demands; i++) {
        Buffer text;
        buf_init(&text, a);
        demand_print(&s->demands[i], &text);
        h->demands[i] = buf_cstr(&text);
    }
    for (uint32_t i = 0; i < s->n_tactics; i++) {
        tactics[i] = tactic_describe(&s->tactics[i], a);
        tactics[i].line = source_place(&h->source, s->tactics[i].name.offset).line;
    }
    h->axes = axes;
    h->ties = ties;
    h->tactics = tactics;
    h->device = s->device.text.n ? api_string(a, s->device.text) : NULL;
}

static bool schedule_read_body(void *arg) {
    ScheduleReadCall *call = arg;
    Arena arena;
    arena_init(&arena, call->ctx);
    partir_schedule *s = arena_zalloc(&arena, sizeof *s);
    arena_move(&s->arena, &arena);
    if (call->path) {
        if (!source_open(&s->source, &s->arena, call->path)) return false;
    } else {
        const char *text = api_string(&s->arena, call->text);
        source_from_memory(&s->source, api_string(&s->arena, span_of(call->name)), text, call->text.n);
    }
    if (!schedule_read(call->ctx, &s->arena, &s->source, &s->schedule)) return false;
    schedule_describe(s);
    call->made = s;
    return true;
}

static partir_status read_schedule_from(ScheduleReadCall *call, partir_schedule **out) {
    partir_status status = api_call(call->ctx, schedule_read_body, call);
    *out = status == PARTIR_OK ? call->made : NULL;
    return status;
}

partir_status partir_schedule_read_file(partir_context *ctx, const char *path, partir_schedule **out) {
    if (!ctx || !path || !out)
        return api_misuse(ctx, "a schedule is read from a path into a pointer; one of them is NULL");
    return read_schedule_from(&(ScheduleReadCall){.ctx = ctx, .path = path}, out);
}

partir_status partir_schedule_read_text(partir_context *ctx, const char *name, const char *text, size_t size,
                                        partir_schedule **out) {
    if (!ctx || !name || !out || (!text && size))
        return api_misuse(ctx, "a schedule is read from a named text into a pointer; one of them is NULL");
    return read_schedule_from(&(ScheduleReadCall){.ctx = ctx, .name = name, .text = {size ? text : "", size}}, out);
}

void partir_schedule_destroy(partir_schedule *s) {
    if (!s) return;
    Arena arena;
    arena_move(&arena, &s->arena);
    arena_free(&arena);
}

partir_status partir_schedule_describe(const partir_schedule *s, partir_schedule_info *out) {
    if (!s) return PARTIR_MISUSE;
    partir_schedule_info info = {.axes = s->schedule.n_axes,
                                 .device = s->device,
                                 .gathers = gather_policies[s->schedule.gathers],
                                 .ties = s->schedule.n_ties,
                                 .rules = s->schedule.n_rules,
                                 .tactics = s->schedule.n_tactics,
                                 .demands = s->schedule.n_demands,
                                 .annotations = annotation_modes[s->schedule.annotations],
                                 .trust_rules = s->schedule.trust_rules};
    return api_give(s->arena.ctx, out, &info, sizeof info);
}

partir_status partir_schedule_axis(const partir_schedule *s, uint32_t index, partir_axis_info *out) {
    if (!s) return PARTIR_MISUSE;
    if (index >= s->schedule.n_axes) return api_not_found(s->arena.ctx, "axis", index, s->schedule.n_axes);
    return api_give(s->arena.ctx, out, &s->axes[index], sizeof *out);
}

partir_status partir_schedule_tie(const partir_schedule *s, uint32_t index, partir_tie_info *out) {
    if (!s) return PARTIR_MISUSE;
    if (index >= s->schedule.n_ties) return api_not_found(s->arena.ctx, "tie", index, s->schedule.n_ties);
    return api_give(s->arena.ctx, out, &s->ties[index], sizeof *out);
}

partir_status partir_schedule_rule(const partir_schedule *s, uint32_t index, const char **out) {
    if (!s || !out) return api_misuse(s ? s->arena.ctx : NULL, "the pointer for the rule is NULL");
    *out = NULL;
    if (index >= s->schedule.n_rules) return api_not_found(s->arena.ctx, "rule", index, s->schedule.n_rules);
    *out = s->rules[index];
    return PARTIR_OK;
}

partir_status partir_schedule_demand(const partir_schedule *s, uint32_t index, const char **out) {
    if (!s || !out) return api_misuse(s ? s->arena.ctx : NULL, "the pointer for the demand is NULL");
    *out = NULL;
    if (index >= s->schedule.n_demands) return api_not_found(s->arena.ctx, "demand", index, s->schedule.n_demands);
    *out = s->demands[index];
    return PARTIR_OK;
}

uint32_t partir_schedule_tactic_count(const partir_schedule *s) { return s ? s->schedule.n_tactics : 0; }

partir_status partir_schedule_tactic(const partir_schedule *s, uint32_t index, partir_tactic_info *out) {
    if (!s) return PARTIR_MISUSE;
    if (index >= s->schedule.n_tactics) return api_not_found(s->arena.ctx, "tactic", index, s->schedule.n_tactics);
    return api_give(s->arena.ctx, out, &s->tactics[index], sizeof *out);
}

typedef struct SchedulePrintCall {
    const partir_schedule *s;
    partir_text *made;
} SchedulePrintCall;

static bool schedule_print_body(void *arg) {
    SchedulePrintCall *call = arg;
    Buffer out;
    call->made = text_new(call->s->arena.ctx, &out);
    schedule_print(&call->s->schedule, &out);
    text_finish(call->made, &out);
    return true;
}

partir_status partir_schedule_print(const partir_schedule *s, partir_text **out) {
    if (!s || !out) return api_misuse(s ? s->arena.ctx : NULL, "the pointer for the text is NULL");
    SchedulePrintCall call = {.s = s};
    partir_status status = api_call(s->arena.ctx, schedule_print_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}

// ---- Patterns -------------------------------------------------------------------------------------------------------

typedef struct AcceptsCall {
    Context *ctx;
    const char *pattern;
    const partir_value_info *values;
    uint32_t n;
    unsigned char *accepted;
} AcceptsCall;

static bool accepts_body(void *arg) {
    AcceptsCall *call = arg;
    Arena a;
    arena_init(&a, call->ctx);
    Source source;
    TacticLine line;
    source_from_memory(&source, "<pattern>", call->pattern, strlen(call->pattern));
    if (!selector_read(call->ctx, &a, &source, &line)) return false;
    for (uint32_t i = 0; i < call->n; i++) {
        partir_value_info v = {0};
        if (!api_take(&v, (const char *)call->values + i * call->values->size, sizeof v) || !v.name || !v.type)
            return fail_as(call->ctx, PARTIR_MISUSE,
                           diag_error(call->ctx, NULL, NO_OFFSET, NULL, "value %u has no size, name or type", i));
        Elem elem = elem_from_text(span_of(v.type));
        if (elem == EL_COUNT)
            return diag_error(call->ctx, NULL, NO_OFFSET, "e.g. f32, bf16, i32", "%s: there is no element type %s",
                              v.name, v.type);
        Type type = {.kind = TYPE_TENSOR, .elem = (uint8_t)elem, .rank = v.rank, .dims = v.shape};
        call->accepted[i] = line_accepts(&line, v.name, &type);
    }
    arena_free(&a);
    return true;
}

partir_status partir_pattern_accepts(partir_context *ctx, const char *pattern, const partir_value_info *values,
                                     uint32_t n, unsigned char *accepted) {
    if (!ctx || !pattern || ((!values || !accepted) && n)) return api_misuse(ctx, "a pattern or the values are NULL");
    return api_call(ctx, accepts_body, &(AcceptsCall){ctx, pattern, values, n, accepted});
}

// ---- Of a partition -------------------------------------------------------------------------------------------------

typedef struct AppliedCall {
    partir_partition *h;
    uint32_t index;
    partir_tactic_info found;
} AppliedCall;

static bool applied_body(void *arg) {
    AppliedCall *call = arg;
    Partition *p = &call->h->p;
    call->found = tactic_describe(p->applied.at[p->n_annotations + call->index].tactic, &call->h->answer);
    return true;
}

partir_status partir_partition_tactic(partir_partition *h, uint32_t index, partir_tactic_info *out) {
    if (!h) return PARTIR_MISUSE;
    uint32_t n = partir_partition_applied(h);
    if (index >= n) return api_not_found(h->p.ctx, "applied tactic", index, n);
    AppliedCall call = {.h = h, .index = index};
    partir_status status = partition_ask(h, applied_body, &call);
    return status == PARTIR_OK ? api_give(h->p.ctx, out, &call.found, sizeof call.found) : status;
}

typedef struct PartitionScheduleCall {
    const partir_partition *h;
    partir_text *made;
} PartitionScheduleCall;

static bool partition_schedule_body(void *arg) {
    PartitionScheduleCall *call = arg;
    const Partition *p = &call->h->p;
    Schedule s = *p->schedule;
    Buffer out;
    call->made = text_new(p->ctx, &out);
    MeshAxis *axes = arena_new(&call->made->arena, MeshAxis, p->mesh.n_axes);
    uint32_t n = p->applied.n - p->n_annotations;
    Tactic *tactics = arena_new(&call->made->arena, Tactic, n);
    for (uint32_t i = 0; i < p->mesh.n_axes; i++)
        axes[i] = (MeshAxis){.name = {.text = p->mesh.axes[i].name}, .size = p->mesh.axes[i].size};
    for (uint32_t i = 0; i < n; i++) tactics[i] = *p->applied.at[p->n_annotations + i].tactic;
    s.axes = axes;
    s.n_axes = p->mesh.n_axes;
    s.gathers = p->gathers;
    if (call->h->device) s.device = (Word){.text = span_of(call->h->device)};
    s.n_tactics = n;
    s.tactics = tactics;
    schedule_print(&s, &out);
    text_finish(call->made, &out);
    return true;
}

partir_status partir_partition_schedule(const partir_partition *h, partir_text **out) {
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the text is NULL");
    PartitionScheduleCall call = {.h = h};
    partir_status status = api_call(h->p.ctx, partition_schedule_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}
