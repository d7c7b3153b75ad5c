// Partitioning as the public header sees it. A call that fails leaves the program as it was.
#include "api/handles.h"
#include "explain/demands.h"
#include "explain/warn.h"
#include "interp/verify/verify.h"
#include "spmd/core_program.h"
#include "session/report.h"
#include "stablehlo/print/printer.h"

partir_status partition_call(partir_partition *h, bool (*body)(void *), void *arg) {
    Partition *p = &h->p;
    const Lowered *had = p->lowered;
    const Module *had_stablehlo[2] = {p->stablehlo[0], p->stablehlo[1]};
    uint32_t mark = state_mark(&p->state), n_applied = p->applied.n, n_rows = h->simulated.rows.n, next = p->next,
             n_fronts = h->fronts.n;
    const char *device = h->simulated.device_text;
    partir_status status = api_call(p->ctx, body, arg);
    if (status == PARTIR_OK) return status;
    if (!had) p->lowered = NULL; // made in this call, and gone with it
    for (int i = 0; i < 2; i++)
        if (!had_stablehlo[i]) p->stablehlo[i] = NULL;
    p->applied.n = n_applied;
    p->next = next;
    h->fronts.n = n_fronts;
    state_undo(&p->state, mark);
    if (h->simulated.device_text == device)
        h->simulated.rows.n = n_rows;
    else
        h->simulated.device_text = NULL;
    return status;
}

typedef struct AskCall {
    partir_partition *h;
    bool (*body)(void *);
    void *arg;
} AskCall;

static bool ask_body(void *arg) {
    AskCall *call = arg;
    arena_reset(&call->h->answer);
    return call->body(call->arg);
}

partir_status partition_ask(partir_partition *h, bool (*body)(void *), void *arg) {
    return partition_call(h, ask_body, &(AskCall){h, body, arg});
}

// ---- Creating -------------------------------------------------------------------------------------------------------

typedef struct PartitionCreateCall {
    partir_module *m;
    const partir_schedule *s;
    partir_partition_options options;
    partir_partition *made;
} PartitionCreateCall;

static bool partition_create_body(void *arg) {
    PartitionCreateCall *call = arg;
    Context *ctx = call->m->ir->ctx;
    Arena arena;
    arena_init(&arena, ctx);
    partir_partition *h = arena_zalloc(&arena, sizeof *h);
    arena_move(&h->arena, &arena);
    arena_init(&h->answer, ctx);
    arena_init(&h->simulated.arena, ctx);
    arena_init(&h->simulated.last_arena, ctx);
    arena_init(&h->collectives.arena, ctx);
    arena_init(&h->draft.arena, ctx);
    if (call->options.device) h->device = api_string(&h->arena, span_of(call->options.device));
    h->schedule = call->s->schedule;
    if (call->options.ignore_demands) h->schedule.n_demands = 0;
    if (call->options.annotations) h->schedule.annotations = (AnnotationMode)(call->options.annotations - 1);
    if (!partition_init(&h->p, call->m->ir, &h->schedule, call->options.mesh)) return false;
    arena_init(&h->p.scratch, ctx);
    if (!partition_annotate(&h->p)) return false;
    arena_free(&h->p.scratch);
    module_describe(call->m);
    call->made = h;
    return true;
}

partir_status partir_partition_create(partir_module *m, const partir_schedule *s,
                                      const partir_partition_options *options, partir_partition **out) {
    Context *ctx = m ? m->ir->ctx : NULL;
    if (!m || !s || !out) return api_misuse(ctx, "a module is partitioned by a schedule; one of them is NULL");
    *out = NULL;
    PartitionCreateCall call = {.m = m, .s = s};
    if (!api_take(&call.options, options, sizeof call.options))
        return api_misuse(ctx, "the size of the options is not set");
    partir_status status = api_call(ctx, partition_create_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}

void partir_partition_destroy(partir_partition *h) {
    if (!h) return;
    partition_free(&h->p);
    arena_free(&h->answer);
    arena_free(&h->simulated.arena);
    arena_free(&h->simulated.last_arena);
    arena_free(&h->collectives.arena);
    arena_free(&h->draft.arena);
    Arena arena;
    arena_move(&arena, &h->arena);
    arena_free(&arena);
}

// ---- Tactics --------------------------------------------------------------------------------------------------------

bool partition_apply_and_record(partir_partition *h, const Tactic *t, const Source *source) {
    if (t->automatic) return partition_apply_automatic(h, t, source);
    return partition_apply(&h->p, t, source) && simulation_record(h);
}

typedef struct ApplyCall {
    partir_partition *h;
    const char *text;
} ApplyCall;

static bool apply_next_body(void *arg) {
    ApplyCall *call = arg;
    Partition *p = &call->h->p;
    if (p->next >= p->schedule->n_tactics)
        return fail_as(p->ctx, PARTIR_NOT_FOUND,
                       diag_error(p->ctx, NULL, NO_OFFSET, NULL, "the schedule has no further tactic"));
    arena_init(&p->scratch, p->ctx);
    const Schedule *s = p->schedule;
    if (!partition_apply_and_record(call->h, &s->tactics[p->next], s->source)) return false;
    bool last = p->next + 1 == s->n_tactics;
    if (last && !demands_check(p, s->demands, s->n_demands, s->source)) return fail_as(p->ctx, PARTIR_ILLEGAL, false);
    p->next++;
    arena_free(&p->scratch);
    return true;
}

static bool apply_text_body(void *arg) {
    ApplyCall *call = arg;
    Partition *p = &call->h->p;
    Span text = span_of(call->text);
    Source *source = arena_zalloc(&p->arena, sizeof *source);
    Schedule *s = arena_zalloc(&p->arena, sizeof *s);
    source_from_memory(source, "<tactic>", api_string(&p->arena, text), text.n);
    if (!schedule_read(p->ctx, &p->arena, source, s)) return false;
    if (s->n_tactics != 1 || s->n_axes || s->n_ties || s->n_rules)
        return diag_error(p->ctx, source, 0, "tactic BP on batch { x : 0 }", "expected one tactic");
    arena_init(&p->scratch, p->ctx);
    if (!partition_apply_and_record(call->h, &s->tactics[0], source)) return false;
    arena_free(&p->scratch);
    return true;
}

// What was lowered before no longer holds once a tactic is applied; a call that fails must not find it half there.
static partir_status apply_tactic(partir_partition *h, bool (*body)(void *), ApplyCall *call) {
    if (h->trials) return api_misuse(h->p.ctx, "no tactic can be applied while trials are under way");
    if (h->draft.open) return api_misuse(h->p.ctx, "a tactic was begun and has not ended");
    partition_forget(&h->p);
    return partition_call(h, body, call);
}

partir_status partir_partition_apply_next(partir_partition *h) {
    return h ? apply_tactic(h, apply_next_body, &(ApplyCall){.h = h}) : PARTIR_MISUSE;
}

partir_status partir_partition_apply_text(partir_partition *h, const char *tactic) {
    if (!h || !tactic) return api_misuse(h ? h->p.ctx : NULL, "no tactic was given");
    return apply_tactic(h, apply_text_body, &(ApplyCall){h, tactic});
}

uint32_t partir_partition_applied(const partir_partition *h) { return h ? h->p.applied.n - h->p.n_annotations : 0; }

// ---- Text -----------------------------------------------------------------------------------------------------------

typedef struct PartitionTextCall {
    partir_partition *h;
    partir_stage stage;
    unsigned flags;
    partir_report_format format;
    partir_text *made;
} PartitionTextCall;

static bool emit_body(void *arg) {
    PartitionTextCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    Module *core = NULL;
    const Module *m;
    if (call->stage == PARTIR_STAGE_CORE) {
        m = core = core_program(&p->state, &p->scratch);
    } else if (call->stage == PARTIR_STAGE_HLO) {
        const Lowered *l = partition_lowered(p);
        m = l ? l->m : NULL;
    } else {
        m = partition_stablehlo(p, call->stage == PARTIR_STAGE_STABLEHLO_CPU   ? EXPORT_FOR_CPU
                                   : call->stage == PARTIR_STAGE_STABLEHLO_TPU ? EXPORT_FOR_TPU
                                                                               : EXPORT_FOR_ANY);
    }
    if (!m) return false;
    Buffer out;
    call->made = text_new(p->ctx, &out);
    print_module(m, call->flags, &out);
    text_finish(call->made, &out);
    if (core) module_free(core);
    arena_free(&p->scratch);
    return true;
}

static bool report_body(void *arg) {
    PartitionTextCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    if (!partition_lowered(p)) return false;
    Buffer out;
    call->made = text_new(p->ctx, &out);
    source_index(&p->m->source, &p->m->arena);
    GatherWarning warning;
    if (!warn_gathers(p, &p->scratch, &warning)) return false;
    if (call->format == PARTIR_REPORT_JSON) {
        Buffer warnings;
        buf_init(&warnings, &p->scratch);
        warn_json(&warning, &warnings);
        report_json(p, (Span){warnings.at, warnings.n}, &out);
    } else {
        report_table(p, &out);
        warn_print(&warning, &out);
        text_make_printable(out.at, out.n, true);
    }
    text_finish(call->made, &out);
    arena_free(&p->scratch);
    return true;
}

static partir_status partition_text(partir_partition *h, bool (*body)(void *), PartitionTextCall *call,
                                    partir_text **out) {
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the text is NULL");
    call->h = h;
    partir_status status = partition_call(h, body, call);
    *out = status == PARTIR_OK ? call->made : NULL;
    return status;
}

partir_status partir_partition_emit(partir_partition *h, partir_stage stage, unsigned flags, partir_text **out) {
    return partition_text(h, emit_body, &(PartitionTextCall){.stage = stage, .flags = flags}, out);
}

partir_status partir_partition_report(partir_partition *h, partir_report_format format, partir_text **out) {
    return partition_text(h, report_body, &(PartitionTextCall){.format = format}, out);
}

// ---- Verification ---------------------------------------------------------------------------------------------------

typedef struct VerifyCall {
    partir_partition *h;
    uint64_t seed;
    partir_verification found;
} VerifyCall;

static bool verify_body(void *arg) {
    VerifyCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    VerifyStatus status = verify_partition(p, &(VerifyOptions){.seed = call->seed}, &call->found.compared);
    call->found.equal = status == VERIFY_EQUAL;
    call->found.results = p->graph.n_results;
    bool done = call->found.equal || status == VERIFY_DIFFERENT;
    if (done) arena_free(&p->scratch);
    return done;
}

partir_status partir_partition_verify(partir_partition *h, uint64_t seed, int *equal) {
    if (!h || !equal) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the answer is NULL");
    VerifyCall call = {.h = h, .seed = seed};
    partir_status status = partition_call(h, verify_body, &call);
    *equal = call.found.equal;
    return status;
}

partir_status partir_partition_verification(partir_partition *h, uint64_t seed, partir_verification *out) {
    if (!h) return PARTIR_MISUSE;
    VerifyCall call = {.h = h, .seed = seed};
    partir_status status = partition_call(h, verify_body, &call);
    return status == PARTIR_OK ? api_give(h->p.ctx, out, &call.found, sizeof call.found) : status;
}
