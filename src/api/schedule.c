// Schedules as the public header sees them.
#include "api/handles.h"

typedef struct ReadCall {
    Context *ctx;
    const char *path; // a file, or
    Span text;        // this text,
    const char *name; // by this name
    partir_schedule *made;
} ReadCall;

static bool read_body(void *arg) {
    ReadCall *call = arg;
    Arena arena;
    arena_init(&arena, call->ctx);
    partir_schedule *s = arena_zalloc(&arena, sizeof *s);
    arena_move(&s->arena, &arena);
    if (call->path) {
        if (!source_open(&s->source, &s->arena, call->path)) return false;
    } else {
        char *text = arena_alloc(&s->arena, call->text.n + 1);
        memcpy(text, call->text.at, call->text.n);
        text[call->text.n] = 0;
        size_t n = strlen(call->name) + 1;
        source_from_memory(&s->source, memcpy(arena_alloc(&s->arena, n), call->name, n), text, call->text.n);
    }
    if (!schedule_read(call->ctx, &s->arena, &s->source, &s->schedule)) return false;
    s->names = arena_new(&s->arena, const char *, s->schedule.n_tactics);
    for (uint32_t i = 0; i < s->schedule.n_tactics; i++) {
        Span name = s->schedule.tactics[i].name.text;
        char *copy = arena_alloc(&s->arena, name.n + 1);
        memcpy(copy, name.at, name.n);
        copy[name.n] = 0;
        s->names[i] = copy;
    }
    call->made = s;
    return true;
}

static partir_schedule *read(ReadCall *call) {
    return api_call(call->ctx, read_body, call) ? call->made : NULL;
}

partir_schedule *partir_schedule_read_file(partir_context *ctx, const char *path) {
    return read(&(ReadCall){.ctx = ctx, .path = path});
}

partir_schedule *partir_schedule_read_text(partir_context *ctx, const char *name, const char *text, size_t size) {
    return read(&(ReadCall){.ctx = ctx, .name = name, .text = {text, size}});
}

void partir_schedule_destroy(partir_schedule *s) {
    if (!s) return;
    Arena arena;
    arena_move(&arena, &s->arena);
    arena_free(&arena);
}

uint32_t partir_schedule_tactic_count(const partir_schedule *s) { return s->schedule.n_tactics; }

const char *partir_schedule_tactic_name(const partir_schedule *s, uint32_t index) {
    return index < s->schedule.n_tactics ? s->names[index] : "";
}

int partir_schedule_tactic_is_automatic(const partir_schedule *s, uint32_t index) {
    return index < s->schedule.n_tactics && s->schedule.tactics[index].automatic;
}

void partir_schedule_set_annotations(partir_schedule *s, partir_annotations mode) {
    s->schedule.annotations = mode == PARTIR_ANNOTATIONS_IGNORE  ? ANNOTATIONS_IGNORE
                              : mode == PARTIR_ANNOTATIONS_ERROR ? ANNOTATIONS_ERROR
                                                                 : ANNOTATIONS_APPLY;
}

typedef struct PrintCall {
    const partir_schedule *s;
    partir_text *made;
} PrintCall;

static bool print_body(void *arg) {
    PrintCall *call = arg;
    Buffer out;
    partir_text *t = text_new(call->s->arena.ctx, &out);
    schedule_print(&call->s->schedule, &out);
    text_finish(t, &out);
    call->made = t;
    return true;
}

partir_text *partir_schedule_print(const partir_schedule *s) {
    PrintCall call = {.s = s};
    return api_call(s->arena.ctx, print_body, &call) ? call.made : NULL;
}

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
        const partir_value_info *v = &call->values[i];
        Elem elem = elem_from_text(span_of(v->type));
        if (elem == EL_COUNT)
            return diag_error(call->ctx, NULL, NO_OFFSET, "e.g. f32, bf16, i32", "%s: there is no element type %s",
                              v->name, v->type);
        Type type = {.kind = TYPE_TENSOR, .elem = (uint8_t)elem, .rank = v->rank, .dims = v->shape};
        call->accepted[i] = line_accepts(&line, v->name, &type);
    }
    arena_free(&a);
    return true;
}

int partir_pattern_accepts(partir_context *ctx, const char *pattern, const partir_value_info *values, uint32_t n,
                           unsigned char *accepted) {
    return api_call(ctx, accepts_body, &(AcceptsCall){ctx, pattern, values, n, accepted});
}
