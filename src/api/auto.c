// Automatic tactics as the public header sees them: applying one applies what its search found.
#include "api/handles.h"
#include "support/bytes.h"
#include "support/json.h"

bool partition_apply_automatic(partir_partition *h, const Tactic *t, const Source *source) {
    Partition *p = &h->p;
    AutoResult found;
    const Schedule *s = p->schedule;
    uint32_t next = p->next + 1;
    const Tactic *after = next < s->n_tactics ? s->tactics + next : NULL;
    const Device *device = device_of(h, NULL, &p->scratch);
    if (!device || !auto_search(p, t, after, after ? s->n_tactics - next : 0, source, device, &found)) return false;
    p->gathers = found.gathers;
    p->gathers_decided = true;
    for (uint32_t i = 0; i < found.n; i++)
        if (!partition_apply_and_record(h, &found.tactics[i], source)) return false;
    vec_push(&p->arena, &h->fronts, ((AutoFront){t->name.text, found.n_front, found.front}));
    return true;
}

// ---- Pareto fronts ---------------------------------------------------------------------------------------------------

typedef struct FrontCall {
    const partir_partition *h;
    const char *name;
    int json;
    partir_text *made;
} FrontCall;

static void print_point(const FrontPoint *point, Buffer *out) {
    if (point->gathers) buf_format(out, "gathers %s\n", gather_policies[point->gathers]);
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
        buf_format(out, "# %.3f ms, ", front->at[i].seconds * 1e3);
        buf_bytes(out, front->at[i].peak, 3);
        buf_char(out, '\n');
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
        return fail_as(h->p.ctx, PARTIR_NOT_FOUND,
                       diag_error(h->p.ctx, NULL, NO_OFFSET, NULL, "no automatic tactic%s%s has been applied",
                                  call->name ? " of the name " : "", call->name ? call->name : ""));
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

partir_status partir_partition_pareto(const partir_partition *h, const char *name, int json, partir_text **out) {
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the text is NULL");
    FrontCall call = {.h = h, .name = name, .json = json};
    partir_status status = api_call(h->p.ctx, front_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}
