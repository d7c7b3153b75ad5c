// Differences of reports as the public header sees them.
#include "api/handles.h"
#include "explain/report_diff.h"
#include "explain/why.h"
#include "session/report.h"

typedef struct DiffCall {
    Context *ctx;
    partir_partition *h;
    const char *names[2], *texts[2];
    ReportDiff found;
    partir_text *made;
} DiffCall;

// The text that was given, or the file.
static bool open_report(Source *s, Arena *a, const char *name, const char *text) {
    if (!text) return source_open(s, a, name);
    source_from_memory(s, name ? name : "<report>", text, strlen(text));
    return true;
}

static bool diff_body(void *arg) {
    DiffCall *call = arg;
    Buffer out;
    call->made = text_new(call->ctx, &out);
    Arena *a = &call->made->arena;
    Source sides[2];
    for (int i = 0; i < 2; i++)
        if (!open_report(&sides[i], a, call->names[i], call->texts[i])) return false;
    if (!report_diff(call->ctx, &sides[0], &sides[1], a, &call->found)) return false;
    report_diff_print(&call->found, &out);
    text_make_printable(out.at, out.n, true);
    text_finish(call->made, &out);
    return true;
}

partir_status partir_report_diff(partir_context *ctx, const char *name_a, const char *text_a, const char *name_b,
                                 const char *text_b, int *differs, partir_text **out) {
    if (!ctx || !out || !(name_a || text_a) || !(name_b || text_b)) return api_misuse(ctx, "two reports are compared; one is NULL");
    DiffCall call = {.ctx = ctx, .names = {name_a, name_b}, .texts = {text_a, text_b}};
    partir_status status = api_call(ctx, diff_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    if (differs) *differs = call.found.n > 0;
    return status;
}

// Why the first of those that came or changed is there.
static void why_first(Partition *p, const ReportDiff *d, Buffer *out) {
    Attribution all = attribute(p->lowered, &p->state, &p->scratch);
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->rows[i].first >= all.n) continue;
        why_collective(p, &all.at[d->rows[i].first], d->rows[i].first, false, out);
        break;
    }
    while (out->n && out->at[out->n - 1] == '\n') out->n--;
}

static bool expect_body(void *arg) {
    DiffCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    source_index(&p->m->source, &p->m->arena);
    if (!partition_lowered(p)) return false;
    Buffer now, rows;
    buf_init(&now, &p->scratch);
    buf_init(&rows, &p->scratch);
    report_json(p, (Span){0}, &now);
    Source sides[2];
    source_from_memory(&sides[1], "<report>", now.at, now.n);
    if (!open_report(&sides[0], &p->scratch, call->names[0], call->texts[0]) ||
        !report_diff(p->ctx, &sides[0], &sides[1], &p->scratch, &call->found))
        return false;
    if (call->found.n) {
        call->found.seconds[0] = call->found.peak[0] = 0; // of one side alone
        uint32_t n[3] = {0}; // ORDER DiffKind
        for (uint32_t i = 0; i < call->found.n; i++) n[call->found.rows[i].kind]++;
        report_diff_print(&call->found, &rows);
        why_first(p, &call->found, &rows);
        return fail_as(p->ctx, PARTIR_ILLEGAL,
                       diag_error(p->ctx, NULL, NO_OFFSET, buf_cstr(&rows),
                                  "the collectives are not those of %s: %u came, %u went, %u changed", sides[0].name, n[0],
                                  n[1], n[2]));
    }
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_expect(partir_partition *h, const char *name, const char *text) {
    if (!h || !(name || text)) return api_misuse(h ? h->p.ctx : NULL, "no report was given");
    DiffCall call = {.ctx = h->p.ctx, .h = h, .names = {name}, .texts = {text}};
    return partition_call(h, expect_body, &call);
}
