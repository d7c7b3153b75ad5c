// Explanations as the public header sees them.
#include "api/handles.h"
#include "explain/demands.h"

typedef struct ExplainCall {
    partir_partition *h;
    const partir_why_query *query;
    const char *demands;
    partir_text *made;
} ExplainCall;

static bool why_body(void *arg) {
    ExplainCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    source_index(&p->m->source, &p->m->arena);
    const partir_why_query *q = call->query;
    Buffer out;
    partir_text *t = text_new(p->ctx, &out);
    if (!why_print(p, &(WhyQuery){q->collective, q->value, q->line, q->full != 0}, &out)) return false;
    text_finish(t, &out);
    arena_free(&p->scratch);
    call->made = t;
    return true;
}

partir_text *partir_partition_why(partir_partition *h, const partir_why_query *query) {
    ExplainCall call = {.h = h, .query = query};
    const Lowered *had = h->p.lowered;
    bool ok = api_call(h->p.ctx, why_body, &call);
    if (!ok && !had) h->p.lowered = NULL; // made in this call, and gone with it
    return ok ? call.made : NULL;
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
    bool ok = demands_check(p, s.demands, s.n_demands, &source);
    if (ok) arena_free(&p->scratch);
    return ok;
}

int partir_partition_demand(partir_partition *h, const char *demands) {
    ExplainCall call = {.h = h, .demands = demands};
    const Lowered *had = h->p.lowered;
    bool ok = api_call(h->p.ctx, demand_body, &call);
    if (!ok && !had) h->p.lowered = NULL; // made in this call, and gone with it
    return ok;
}
