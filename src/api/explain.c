// Explanations as the public header sees them.
#include "api/handles.h"
#include "explain/demands.h"
#include "explain/fix.h"

typedef struct ExplainCall {
    partir_partition *h;
    partir_why_query query;
    const char *demands;
    partir_text *made;
} ExplainCall;

static bool why_body(void *arg) {
    ExplainCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    source_index(&p->m->source, &p->m->arena);
    const partir_why_query *q = &call->query;
    Buffer out;
    call->made = text_new(p->ctx, &out);
    if (!why_print(p, &(WhyQuery){q->collective, q->value, q->line, q->full != 0}, &out)) return false;
    text_make_printable(out.at, out.n, true);
    text_finish(call->made, &out);
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_why(partir_partition *h, const partir_why_query *query, partir_text **out) {
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the text is NULL");
    *out = NULL;
    ExplainCall call = {.h = h, .query.collective = PARTIR_NONE};
    if (!api_take(&call.query, query, sizeof call.query))
        return api_misuse(h->p.ctx, "the size of the question is not set");
    partir_status status = partition_call(h, why_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}

typedef struct FixCall {
    partir_partition *h;
    partir_fix_query query;
    partir_text *made;
} FixCall;

static bool fixes_body(void *arg) {
    FixCall *call = arg;
    partir_partition *h = call->h;
    Partition *p = &h->p;
    const partir_fix_query *q = &call->query;
    arena_init(&p->scratch, p->ctx);
    source_index(&p->m->source, &p->m->arena);
    FixOptions options = {.tries = q->tries};
    if (q->device || h->device || p->schedule->device.text.n) {
        options.device = device_of(h, q->device, &p->scratch);
        if (!options.device) return false;
    }
    Buffer out;
    call->made = text_new(p->ctx, &out);
    if (!fixes_print(p, &(WhyQuery){q->collective, q->value, q->line, false}, &options, q->json != 0, &out)) return false;
    if (!q->json) text_make_printable(out.at, out.n, true);
    text_finish(call->made, &out);
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_fixes(partir_partition *h, const partir_fix_query *query, partir_text **out) {
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the text is NULL");
    *out = NULL;
    FixCall call = {.h = h, .query.collective = PARTIR_NONE};
    if (!api_take(&call.query, query, sizeof call.query))
        return api_misuse(h->p.ctx, "the size of the question is not set");
    partir_status status = partition_call(h, fixes_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}

static bool demand_body(void *arg) {
    ExplainCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    Source source;
    source_from_memory(&source, "<demand>", call->demands, strlen(call->demands));
    Schedule s;
    if (!schedule_read(p->ctx, &p->scratch, &source, &s)) return false;
    if (s.n_tactics || s.n_axes || s.n_ties || s.n_rules)
        return diag_error(p->ctx, &source, 0, "deny all_gather on model", "expected deny and expect statements alone");
    if (!demands_check(p, s.demands, s.n_demands, &source)) return fail_as(p->ctx, PARTIR_ILLEGAL, false);
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_demand(partir_partition *h, const char *demands) {
    if (!h || !demands) return api_misuse(h ? h->p.ctx : NULL, "nothing was demanded");
    ExplainCall call = {.h = h, .demands = demands};
    return partition_call(h, demand_body, &call);
}
