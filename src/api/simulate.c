// Simulation as the public header sees it. What comes out depends on the program, its tactics and the device alone; rows that were
// found before are kept, so that each is found once.
#include "api/handles.h"
#include "sim/cost/cost.h"

typedef struct SimulateCall {
    partir_partition *h;
    const char *device;
    partir_simulation_format format;
    const char *passes;
    partir_text *made;
    partir_cost cost;
} SimulateCall;

// The program as it is now, which several formats in a row ask for.
static const SimResult *last_simulation(partir_partition *h) {
    SimulatedRows *s = &h->simulated;
    StateHash now = h->p.state.nests;
    if (s->has_last && same_state(s->last_of, now)) return &s->last;
    s->has_last = false;
    arena_reset(&s->last_arena);
    simulate(h->p.lowered, s->device, &s->last_arena, &s->last);
    sort_residents(&s->last.memory);
    s->last_of = now;
    s->has_last = true;
    return &s->last;
}

// The same device as last time, or a new start.
static bool simulated_on(SimulateCall *call) {
    partir_partition *h = call->h;
    Partition *p = &h->p;
    SimulatedRows *s = &h->simulated;
    const Device *d = device_of(h, call->device, &p->scratch);
    if (!d) return false;
    Buffer text;
    buf_init(&text, &p->scratch);
    device_print(d, &text);
    if (s->device_text && strcmp(s->device_text, buf_cstr(&text)) == 0) return true;
    s->device_text = NULL;
    s->has_last = false;
    arena_reset(&s->arena);
    s->rows.at = NULL;
    s->rows.n = s->rows.cap = 0;
    s->device = device_of(h, call->device, &s->arena);
    if (!s->device) return false;
    s->model_flops = model_flops(p->m, &p->scratch);
    s->device_text = api_string(&s->arena, (Span){text.at, text.n});
    return true;
}

static void add_report_row(partir_partition *h, const SimResult *r) {
    Partition *p = &h->p;
    SimulatedRows *s = &h->simulated;
    SimRow row = sim_row(p, r, s->device, s->model_flops, &s->arena);
    const Applied *a = s->rows.n ? &p->applied.at[p->n_annotations + s->rows.n - 1] : NULL;
    row.name = a ? a->name : (Span){"", 0};
    vec_push(&s->arena, &s->rows, row);
}

bool simulation_record(partir_partition *h) {
    SimulatedRows *s = &h->simulated;
    if (!s->device_text || s->rows.n != partir_partition_applied(h)) return true; // asked for later, if at all
    if (!partition_lowered(&h->p)) return false;
    add_report_row(h, last_simulation(h));
    return true;
}

// Rows of tactics that were applied before anyone asked.
static bool find_rows(partir_partition *h) {
    Partition *p = &h->p;
    while (h->simulated.rows.n <= partir_partition_applied(h)) {
        Lowered *l = partition_lowered_after(p, p->n_annotations + h->simulated.rows.n);
        if (!l) return false;
        SimResult r;
        simulate(l, h->simulated.device, &p->scratch, &r);
        add_report_row(h, &r);
        lowered_free(l);
    }
    return true;
}

static bool simulate_body(void *arg) {
    SimulateCall *call = arg;
    partir_partition *h = call->h;
    Partition *p = &h->p;
    arena_init(&p->scratch, p->ctx);
    if (!simulated_on(call) || !partition_lowered(p)) return false;
    const SimResult *now = last_simulation(h);
    if (!h->trials && h->simulated.rows.n == partir_partition_applied(h)) add_report_row(h, now);
    if (!find_rows(h)) return false;
    source_index(&p->m->source, &p->m->arena);
    Simulation s = {.device = h->simulated.device,
                    .model_flops = h->simulated.model_flops,
                    .n = h->simulated.rows.n,
                    .rows = h->simulated.rows.at,
                    .now = now};
    Buffer out;
    call->made = text_new(p->ctx, &out);
    if (call->format == PARTIR_SIMULATION_TABLE)
        sim_table(p, &s, &out), text_make_printable(out.at, out.n, true);
    else if (call->format == PARTIR_SIMULATION_JSON)
        sim_json(p, &s, &out);
    else
        sim_trace(p, &s, &out);
    text_finish(call->made, &out);
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_simulate(partir_partition *h, const char *device, partir_simulation_format format,
                                        partir_text **out) {
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the text is NULL");
    SimulateCall call = {.h = h, .device = device, .format = format};
    partir_status status = partition_call(h, simulate_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}

const char *partir_simulation_pass(uint32_t index) { return index < PASS_COUNT ? sim_pass_name((SimPass)index) : NULL; }

static bool no_such_pass(Context *ctx, Span name, Arena *a) {
    Buffer hint;
    buf_init(&hint, a);
    buf_str(&hint, "passes are");
    for (SimPass p = 0; p < PASS_COUNT; p++) buf_format(&hint, "%s %s", p ? "," : "", sim_pass_name(p));
    return fail_as(ctx, PARTIR_NOT_FOUND,
                   diag_error(ctx, NULL, NO_OFFSET, buf_cstr(&hint), "the simulator has no pass \"%.*s\"", (int)name.n,
                              name.at));
}

// A bit for each pass that the text names.
static bool passes_named(Context *ctx, const char *text, uint32_t *passes, Arena *a) {
    for (*passes = 0; *text;) {
        size_t n = strcspn(text, ",");
        SimPass p = 0;
        while (p < PASS_COUNT && !span_is((Span){text, n}, sim_pass_name(p))) p++;
        if (p == PASS_COUNT) return no_such_pass(ctx, (Span){text, n}, a);
        *passes |= 1u << p;
        text += n + (text[n] == ',');
    }
    return true;
}

static bool dump_body(void *arg) {
    SimulateCall *call = arg;
    Partition *p = &call->h->p;
    uint32_t passes;
    arena_init(&p->scratch, p->ctx);
    const Device *d = device_of(call->h, call->device, &p->scratch);
    if (!d || !passes_named(p->ctx, call->passes, &passes, &p->scratch) || !partition_lowered(p)) return false;
    Buffer out;
    call->made = text_new(p->ctx, &out);
    simulate_dump(p->lowered, d, passes, &p->scratch, &out);
    text_finish(call->made, &out);
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_dump(partir_partition *h, const char *device, const char *passes, partir_text **out) {
    if (!h || !passes || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the text is NULL");
    SimulateCall call = {.h = h, .device = device, .passes = passes};
    partir_status status = partition_call(h, dump_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}

partir_cost cost_of(const TrialCost *found) {
    return (partir_cost){.size = sizeof(partir_cost),
                         .seconds = found->seconds,
                         .compute = found->compute,
                         .communication = found->communication,
                         .exposed = found->exposed,
                         .peak = found->peak,
                         .complete = found->complete,
                         .peak_most = found->peak_most};
}

static bool cost_body(void *arg) {
    SimulateCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    const Device *d = device_of(call->h, call->device, &p->scratch);
    if (!d || !partition_lowered(p)) return false;
    SimResult r;
    simulate(p->lowered, d, &p->scratch, &r);
    call->cost =
        cost_of(&(TrialCost){r.seconds, r.compute, r.communication, r.exposed, r.memory.peak, r.memory.most, true});
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_cost(partir_partition *h, const char *device, partir_cost *out) {
    if (!h) return PARTIR_MISUSE;
    SimulateCall call = {.h = h, .device = device};
    partir_status status = partition_call(h, cost_body, &call);
    return status == PARTIR_OK ? api_give(h->p.ctx, out, &call.cost, sizeof call.cost) : status;
}
