// The warning about gathers: which weights, and one trial with all of them tiled first.
#include "explain/warn.h"
#include "support/bytes.h"
#include "support/json.h"

static const double MANY = 2;     // so many times the activations
static const double WORTH = 0.75; // the step must send no more than this of what it does

// What the op that a gather is for reads beside it, and gives: bytes on a device.
static double activation_bytes(const Lowered *l, const Attributed *c) {
    const Module *m = l->m;
    ValueId v = op_result(m, c->op, 0);
    for (OpId op = op_get(m, c->op)->next; op != NO_ID && l->origin[op] == c->user; op = op_get(m, op)->next) {
        if (!l->image[op]) {
            if (op_get(m, op)->n_operands && op_operand(m, op, 0) == v && op_get(m, op)->n_results) v = op_result(m, op, 0);
            continue;
        }
        double bytes = 0;
        bool reads = false;
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
            bool weight = op_operand(m, op, i) == v;
            reads |= weight;
            if (!weight) bytes += operand_type(m, op, i)->bytes;
        }
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) bytes += result_type(m, op, i)->bytes;
        return reads ? bytes : -1;
    }
    return -1;
}

// The dimension of an argument that the axis tiles; -1 if none does.
static int stored_dim(const Partition *p, const char *name, AxisId axis) {
    for (uint32_t i = 0; i < p->graph.n_arguments; i++)
        if (strcmp(p->m->argument_names[i], name) == 0) {
            NodeId n = p->graph.argument_node[i];
            return state_tiled_dim(&p->state, n, p->graph.nodes[n].rule->n_operands, axis);
        }
    return -1;
}

typedef struct Warning {
    VEC(TacticLine) lines;
    double gathered, activations;
    const char *weights;
} Warning;

static void add_line(Warning *w, const char *pattern, int dim, Arena *a) {
    for (uint32_t i = 0; i < w->lines.n; i++)
        if (span_is(w->lines.at[i].pattern.text, pattern)) return;
    vec_push(a, &w->lines, ((TacticLine){.pattern.text = span_of(pattern), .value = LINE_DIM, .dim = dim}));
}

// Weights that are gathered on one axis alone, at a price.
static Warning find_heavy(Partition *p, const AttributedGroups *groups, AxisId axis, Arena *a) {
    Warning w = {0};
    for (uint32_t i = 0; i < groups->n; i++) {
        const Attributed *c = groups->at[i].first;
        if (c->kind != COLLECTIVE_ALL_GATHER || c->what != ROLE_ARGUMENT || c->user == NO_ID) continue;
        if (axes_named(p->lowered->mesh, c->axes) != (AxisSet)1 << axis) continue;
        double moved = activation_bytes(p->lowered, c);
        if (moved < 0 || c->bytes / c->runs < MANY * moved) continue;
        int dim = stored_dim(p, c->serves, axis);
        if (dim < 0) continue;
        if (!w.weights) w.weights = groups->at[i].serves;
        w.gathered += groups->at[i].bytes;
        w.activations += moved * groups->at[i].runs;
        add_line(&w, groups->at[i].serves, dim, a);
    }
    return w;
}

static bool try_first(Partition *p, const Warning *w, AxisId axis, Arena *a, GatherWarning *out) {
    Targets targets = targets_build(&p->graph, true, a);
    Trial t;
    if (!trial_begin(&t, p, &targets, NULL)) return false;
    t.schedule.a = a; // the proposal outlives the trial
    Proposal x = propose_tactic(&t.schedule, 0, p->mesh.axes[axis].name, &w->lines.at[0]);
    Tactic *tactics = arena_new(a, Tactic, x.n);
    memcpy(tactics, x.tactics, x.n * sizeof *tactics);
    tactics[0].lines = w->lines.at;
    tactics[0].n_lines = w->lines.n;
    x.tactics = tactics;
    bool worth = trial_run(&t, &x) == TRIAL_NEW && t.now.bytes <= WORTH * t.before.bytes && t.now.flops <= 1.05 * t.before.flops &&
                 t.now.arguments <= 1.01 * t.before.arguments;
    if (worth) {
        Tactic *had = arena_new(a, Tactic, t.schedule.n);
        if (t.schedule.n) memcpy(had, t.schedule.tactics, t.schedule.n * sizeof *had);
        *out = (GatherWarning){true,     w->gathered, w->activations, w->weights, x, {a, t.schedule.n, had, t.schedule.gathers},
                               t.before, t.now};
    }
    trial_end(&t);
    return true;
}

bool warn_gathers(Partition *p, Arena *a, GatherWarning *out) {
    *out = (GatherWarning){0};
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    Attribution all = attribute(l, &p->state, a);
    AttributedGroups groups = attribution_groups(&all, a);
    for (uint32_t axis = 0; axis < p->mesh.n_axes && !out->found; axis++) {
        Warning w = find_heavy(p, &groups, (AxisId)axis, a);
        if (w.lines.n && !try_first(p, &w, (AxisId)axis, a, out)) return false;
    }
    return true;
}

static void print_warning(const GatherWarning *w, Buffer *out) {
    buf_format(out, "gathers of weights (%s and the like) send ", w->weights);
    buf_bytes(out, w->gathered, 1);
    buf_str(out, "; what their ops read and give beside them is ");
    buf_bytes(out, w->activations, 1);
    buf_str(out, ". With the weights tiled first, a step sends ");
    buf_bytes(out, w->now.bytes, 1);
    buf_str(out, " instead of ");
    buf_bytes(out, w->before.bytes, 1);
}

void warn_print(const GatherWarning *w, Buffer *out) {
    if (!w->found) return;
    buf_str(out, "\nwarning: ");
    print_warning(w, out);
    buf_str(out, ":\n");
    proposal_print(&w->proposal, &w->schedule, 2, out);
}

void warn_json(const GatherWarning *w, Buffer *out) {
    buf_str(out, ",\n  \"warnings\": [");
    if (w->found) {
        Buffer says, lines;
        buf_init(&says, out->arena);
        buf_init(&lines, out->arena);
        print_warning(w, &says);
        proposal_print(&w->proposal, &w->schedule, 0, &lines);
        buf_str(out, "{\"says\": ");
        buf_json_string(out, (Span){says.at, says.n});
        buf_str(out, ", \"lines\": ");
        buf_json_string(out, (Span){lines.at, lines.n});
        buf_format(out, ", \"bytes\": %.0f, \"bytes_before\": %.0f}", w->now.bytes, w->before.bytes);
    }
    buf_char(out, ']');
}
