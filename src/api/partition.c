// Partitioning as the public header sees it. A call that fails leaves the program as it was.
#include "api/handles.h"
#include "explain/demands.h"
#include "interp/verify.h"
#include "spmd/loops.h"
#include "spmd/report.h"
#include "stablehlo/printer.h"

typedef struct PartitionCall {
    partir_partition *h;
    partir_module *m;
    const partir_schedule *s;
    const char *text; // mesh, or a tactic
    partir_stage stage;
    unsigned flags;
    partir_report_format format;
    uint32_t index;
    uint64_t seed;
    bool result;
    const char *string;
    partir_text *made;
} PartitionCall;

// Runs a call on an existing partition with its scratch arena open.
static bool partition_call(partir_partition *h, bool (*body)(void *), PartitionCall *call) {
    Partition *p = &h->p;
    const Lowered *had = p->lowered;
    const Module *had_stablehlo[2] = {p->stablehlo[0], p->stablehlo[1]};
    uint32_t mark = state_mark(&p->state), n_applied = p->applied.n, n_rows = h->rows.n, n_tactics = h->applied.n, n_fronts = h->fronts.n;
    call->h = h;
    if (api_call(p->ctx, body, call)) return true;
    if (!had) p->lowered = NULL; // made in this call, and gone with it
    for (int i = 0; i < 2; i++)
        if (!had_stablehlo[i]) p->stablehlo[i] = NULL;
    p->applied.n = n_applied;
    h->rows.n = n_rows;
    h->applied.n = n_tactics;
    h->fronts.n = n_fronts;
    state_undo(&p->state, mark);
    return false;
}

static bool create_body(void *arg) {
    PartitionCall *call = arg;
    Context *ctx = call->m->ir->ctx;
    Arena arena;
    arena_init(&arena, ctx);
    partir_partition *h = arena_zalloc(&arena, sizeof *h);
    arena_move(&h->arena, &arena);
    if (!partition_init(&h->p, call->m->ir, &call->s->schedule, call->text)) return false;
    arena_init(&h->p.scratch, ctx);
    if (!partition_annotate(&h->p)) return false;
    arena_free(&h->p.scratch);
    module_describe(call->m);
    call->h = h;
    return true;
}

partir_partition *partir_partition_create(partir_module *m, const partir_schedule *s, const char *mesh) {
    PartitionCall call = {.m = m, .s = s, .text = mesh};
    return api_call(m->ir->ctx, create_body, &call) ? call.h : NULL;
}

void partir_partition_destroy(partir_partition *h) {
    if (!h) return;
    partition_free(&h->p);
    Arena arena;
    arena_move(&arena, &h->arena);
    arena_free(&arena);
}

bool apply_and_record(partir_partition *h, const Tactic *t, const Source *source) {
    if (t->automatic) return apply_automatic(h, t, source);
    SimResult now;
    if (!partition_apply(&h->p, t, source) || (h->device && !simulation_record(h, &now))) return false;
    vec_push(&h->p.arena, &h->applied, *t);
    return true;
}

static bool next_body(void *arg) {
    PartitionCall *call = arg;
    Partition *p = &call->h->p;
    if (p->next >= p->schedule->n_tactics)
        return diag_error(p->ctx, NULL, NO_OFFSET, NULL, "the schedule has no further tactic");
    arena_init(&p->scratch, p->ctx);
    const Schedule *s = p->schedule;
    if (!apply_and_record(call->h, &s->tactics[p->next], s->source)) return false;
    bool last = p->next + 1 == s->n_tactics;
    if (last && !demands_check(p, s->demands, s->n_demands, s->source)) return false;
    p->next++;
    arena_free(&p->scratch);
    return true;
}

// What was lowered before no longer holds once a tactic is applied; a call that fails must not find it half there.
static int apply(partir_partition *h, bool (*body)(void *), PartitionCall *call) {
    partition_forget(&h->p);
    return partition_call(h, body, call);
}

// A search needs a device to judge by: the one of the last simulation, or the schedule's.
static bool has_device_for(partir_partition *h) {
    const Schedule *s = h->p.schedule;
    if (h->device || h->p.next >= s->n_tactics || !s->tactics[h->p.next].automatic) return true;
    partir_text *start = partir_partition_simulate(h, NULL, PARTIR_SIMULATION_TABLE);
    partir_text_destroy(start);
    return start != NULL;
}

int partir_partition_apply_next(partir_partition *h) {
    return has_device_for(h) && apply(h, next_body, &(PartitionCall){0});
}

static bool text_body(void *arg) {
    PartitionCall *call = arg;
    Partition *p = &call->h->p;
    size_t n = strlen(call->text);
    char *copy = arena_alloc(&p->arena, n + 1);
    memcpy(copy, call->text, n + 1);
    Source *source = arena_zalloc(&p->arena, sizeof *source);
    Schedule *s = arena_zalloc(&p->arena, sizeof *s);
    source_from_memory(source, "<tactic>", copy, n);
    if (!schedule_read(p->ctx, &p->arena, source, s)) return false;
    if (s->n_tactics != 1 || s->n_axes || s->n_ties || s->n_rules)
        return diag_error(p->ctx, source, 0, "tactic BP on batch { x : 0 }", "expected one tactic");
    arena_init(&p->scratch, p->ctx);
    if (!apply_and_record(call->h, &s->tactics[0], source)) return false;
    arena_free(&p->scratch);
    return true;
}

int partir_partition_apply_text(partir_partition *h, const char *tactic) {
    return apply(h, text_body, &(PartitionCall){.text = tactic});
}

uint32_t partir_partition_applied(const partir_partition *h) { return h->p.applied.n - h->p.n_annotations; }

static bool emit_body(void *arg) {
    PartitionCall *call = arg;
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
        m = partition_stablehlo(p, call->stage == PARTIR_STAGE_STABLEHLO_CPU);
    }
    if (!m) return false;
    Buffer out;
    partir_text *t = text_new(p->ctx, &out);
    print_module(m, call->flags, &out);
    text_finish(t, &out);
    if (core) module_free(core);
    arena_free(&p->scratch);
    call->made = t;
    return true;
}

partir_text *partir_partition_emit(partir_partition *h, partir_stage stage, unsigned flags) {
    PartitionCall call = {.stage = stage, .flags = flags};
    return partition_call(h, emit_body, &call) ? call.made : NULL;
}

static bool report_body(void *arg) {
    PartitionCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    if (!partition_lowered(p)) return false;
    Buffer out;
    partir_text *t = text_new(p->ctx, &out);
    source_index(&p->m->source, &p->m->arena);
    if (call->format == PARTIR_REPORT_JSON)
        report_json(p, &out);
    else
        report_table(p, &out), text_make_printable(out.at, out.n, true);
    text_finish(t, &out);
    arena_free(&p->scratch);
    call->made = t;
    return true;
}

partir_text *partir_partition_report(partir_partition *h, partir_report_format format) {
    PartitionCall call = {.format = format};
    return partition_call(h, report_body, &call) ? call.made : NULL;
}

static bool distribution_body(void *arg) {
    PartitionCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    uint32_t n = call->result ? p->graph.n_results : p->graph.n_arguments;
    if (call->index >= n)
        return diag_error(p->ctx, NULL, NO_OFFSET, NULL, "there is no %s %u; @main has %u",
                          call->result ? "result" : "argument", call->index, n);
    const Module *m = p->m;
    ValueId v = call->result ? op_operand(m, region_terminator(m, p->graph.body), call->index)
                             : m->regions.at[p->graph.body].first_arg + call->index;
    Buffer out;
    buf_init(&out, &l->m->arena);
    dist_print(call->result ? l->result_dist[call->index] : l->argument_dist[call->index], l->mesh,
               value_tensor(m, v)->rank, &out);
    call->string = buf_cstr(&out);
    arena_free(&p->scratch);
    return true;
}

const char *partir_partition_argument_distribution(partir_partition *h, uint32_t index) {
    PartitionCall call = {.index = index};
    return partition_call(h, distribution_body, &call) ? call.string : NULL;
}

const char *partir_partition_result_distribution(partir_partition *h, uint32_t index) {
    PartitionCall call = {.index = index, .result = true};
    return partition_call(h, distribution_body, &call) ? call.string : NULL;
}

static bool verify_body(void *arg) {
    PartitionCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    bool ok = verify_partition(p, &(VerifyOptions){.seed = call->seed}) == VERIFY_EQUAL;
    if (ok) arena_free(&p->scratch);
    return ok;
}

int partir_partition_verify(partir_partition *h, uint64_t seed) {
    return partition_call(h, verify_body, &(PartitionCall){.seed = seed});
}
