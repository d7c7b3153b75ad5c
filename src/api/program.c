// What tactics did, by numbers: ops with the loops they stand in and why, and the collectives of the device-local program.
#include "api/handles.h"
#include "session/report.h"

uint32_t partir_partition_op_count(const partir_partition *h) { return h ? h->p.graph.n_nodes : 0; }

typedef struct OpCall {
    partir_partition *h;
    uint32_t op, loop;
    partir_op_info info;
    partir_loop_info found;
} OpCall;

static bool op_body(void *arg) {
    OpCall *call = arg;
    Partition *p = &call->h->p;
    Arena *a = &call->h->answer;
    const Node *node = &p->graph.nodes[call->op];
    source_index(&p->m->source, &p->m->arena);
    Buffer name, rule, place;
    buf_init(&name, a);
    buf_init(&rule, a);
    buf_init(&place, a);
    node_print(&p->graph, call->op, &name);
    rule_print(node->rule, &rule);
    call->info = (partir_op_info){.name = buf_cstr(&name),
                                  .rule = buf_cstr(&rule),
                                  .operands = node->rule->n_operands,
                                  .results = node->rule->n_results,
                                  .loops = p->state.nest_n[call->op]};
    if (node->kind == NODE_ARGUMENT) {
        call->info.kind = "argument";
        call->info.place = p->m->argument_names[node->sub];
    } else if (node->kind == NODE_RESULT) {
        call->info.kind = "result";
        call->info.place = p->m->result_names[node->sub];
    } else {
        call->info.kind = op_info[op_kind(p->m, node->op)].name;
        place_print(p->m, node->op, &place);
        call->info.place = buf_cstr(&place);
    }
    return true;
}

partir_status partir_partition_op(partir_partition *h, uint32_t op, partir_op_info *out) {
    if (!h) return PARTIR_MISUSE;
    if (op >= h->p.graph.n_nodes) return api_not_found(h->p.ctx, "op", op, h->p.graph.n_nodes);
    OpCall call = {.h = h, .op = op};
    partir_status status = partition_ask(h, op_body, &call);
    return status == PARTIR_OK ? api_give(h->p.ctx, out, &call.info, sizeof call.info) : status;
}

static bool loop_body(void *arg) {
    OpCall *call = arg;
    const State *s = &call->h->p.state;
    const Rule *rule = s->g->nodes[call->op].rule;
    size_t at = (size_t)call->op * s->depth + call->loop;
    uint32_t n = rule_tensors(rule), *dims = arena_new(&call->h->answer, uint32_t, n);
    for (uint32_t t = 0; t < n; t++) {
        int dim = rule_factor_dim(rule, s->nest[at].factor, t);
        dims[t] = dim < 0 ? PARTIR_NONE : (uint32_t)dim;
    }
    call->found = (partir_loop_info){.axis = api_string(&call->h->answer, s->mesh->axes[s->nest[at].axis].name),
                                     .dimensions = dims,
                                     .sum = rule->factors[s->nest[at].factor].kind == FACTOR_REDUCE,
                                     .tactic = s->cause[at].tactic < call->h->p.n_annotations
                                                   ? PARTIR_NONE
                                                   : s->cause[at].tactic - call->h->p.n_annotations,
                                     .from = s->cause[at].node == NO_ID ? PARTIR_NONE : s->cause[at].node,
                                     .forward = s->cause[at].forward};
    return true;
}

partir_status partir_partition_loop(partir_partition *h, uint32_t op, uint32_t index, partir_loop_info *out) {
    if (!h) return PARTIR_MISUSE;
    if (op >= h->p.graph.n_nodes) return api_not_found(h->p.ctx, "op", op, h->p.graph.n_nodes);
    if (index >= h->p.state.nest_n[op]) return api_not_found(h->p.ctx, "loop", index, h->p.state.nest_n[op]);
    OpCall call = {.h = h, .op = op, .loop = index};
    partir_status status = partition_ask(h, loop_body, &call);
    return status == PARTIR_OK ? api_give(h->p.ctx, out, &call.found, sizeof call.found) : status;
}

// ---- Collectives ----------------------------------------------------------------------------------------------------

typedef struct CollectiveCall {
    partir_partition *h;
    uint32_t index;
    partir_collective_info info;
} CollectiveCall;

// Found once for a state of the program.
static bool find_collectives(partir_partition *h) {
    Partition *p = &h->p;
    const Lowered *l = partition_lowered(p);
    StateHash now = p->state.nests;
    if (!l) return false;
    if (h->collectives.known && same_state(h->collectives.of, now)) return true;
    h->collectives.known = false;
    arena_reset(&h->collectives.arena);
    source_index(&p->m->source, &p->m->arena);
    h->collectives.found = attribute(l, &p->state, &h->collectives.arena);
    h->collectives.of = now;
    h->collectives.known = true;
    return true;
}

static bool collective_count_body(void *arg) {
    CollectiveCall *call = arg;
    Partition *p = &call->h->p;
    arena_init(&p->scratch, p->ctx);
    if (!find_collectives(call->h)) return false;
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_collective_count(partir_partition *h, uint32_t *out) {
    if (!h || !out) return api_misuse(h ? h->p.ctx : NULL, "the pointer for the number is NULL");
    CollectiveCall call = {.h = h};
    partir_status status = partition_ask(h, collective_count_body, &call);
    *out = status == PARTIR_OK ? h->collectives.found.n : 0;
    return status;
}

static bool collective_body(void *arg) {
    CollectiveCall *call = arg;
    Partition *p = &call->h->p;
    Arena *a = &call->h->answer;
    arena_init(&p->scratch, p->ctx);
    if (!find_collectives(call->h)) return false;
    const Attribution *all = &call->h->collectives.found;
    if (call->index >= all->n)
        return fail_as(p->ctx, PARTIR_NOT_FOUND,
                       diag_error(p->ctx, NULL, NO_OFFSET, NULL, "there is no collective %u: there are %u", call->index,
                                  all->n));
    const Attributed *c = &all->at[call->index];
    AxisId axes[MESH_MAX_AXES];
    uint32_t n;
    const char *const *names = axis_names(p->lowered->mesh, axes, axes_of_set(p->lowered->mesh, c->axes, axes), a, &n);
    call->info = (partir_collective_info){.kind = collective_names[c->kind],
                                          .axes = names,
                                          .axis_count = n,
                                          .bytes = c->bytes,
                                          .runs = c->runs,
                                          .serves = c->serves,
                                          .path = c->path,
                                          .place = c->place};
    if (c->user != NO_ID) call->info.op = op_info[op_kind(p->m, c->user)].name;
    if (c->tactic >= 0 && (uint32_t)c->tactic < p->state.tactic_names.n)
        call->info.tactic = api_string(a, p->state.tactic_names.at[c->tactic]);
    arena_free(&p->scratch);
    return true;
}

partir_status partir_partition_collective(partir_partition *h, uint32_t index, partir_collective_info *out) {
    if (!h) return PARTIR_MISUSE;
    CollectiveCall call = {.h = h, .index = index};
    partir_status status = partition_ask(h, collective_body, &call);
    return status == PARTIR_OK ? api_give(h->p.ctx, out, &call.info, sizeof call.info) : status;
}
