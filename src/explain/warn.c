// The warning about weights, in three steps. Find the weights whose gathers or sums send much more than moving the activations
// would. Tile each of them first, alone, in each of its dimensions, and keep the tiles with which a step sends less. Then try all
// these tiles at once, and at last `gathers least` without any tile.
#include "explain/warn.h"
#include "ir/analysis/roots.h"
#include "support/bytes.h"
#include "support/json.h"
#include "support/sort.h"

enum { MOST_TRIED = 4 };         // groups of weights, those that send most
static const double MUCH = 0.05; // of what a step sends: below that a group is not worth a trial
static const double MANY = 2;    // times what would move instead

typedef struct HeavyWeights { // a group
    const char *key;          // all numbers are `*`
    const char *weights;      // only those that differ
    uint32_t argument;        // one of them
    double sent, saves;
    TacticLine line; // with which a step sends least
} HeavyWeights;

typedef VEC(HeavyWeights) HeavyList;

typedef struct Weighing {
    Partition *p;
    Arena *a;
    const ValueId *root; // of the array program
    AxisId axis;
} Weighing;

// The argument that an operand is a form of; NO_ID if it is none.
static uint32_t argument_behind(const Weighing *w, ValueId v) {
    const Value *root = &w->p->m->values.at[w->root[v]];
    return root->is_arg && root->owner == w->p->graph.body ? root->index : NO_ID;
}

// Whether the axis splits the argument, by a tactic that came after another one on the axis: what the first one splits is the data.
static bool is_weight(const Weighing *w, uint32_t argument) {
    const Graph *g = &w->p->graph;
    NodeId n = g->argument_node[argument];
    if (state_tiled_dim(&w->p->state, n, g->nodes[n].rule->n_operands, w->axis) < 0) return false;
    uint32_t tactic = state_cause(&w->p->state, n, w->axis)->tactic;
    for (uint32_t k = 0; k < tactic && k < w->p->applied.n; k++)
        for (uint32_t i = 0; i < w->p->applied.at[k].n_axes; i++)
            if (w->p->applied.at[k].axes[i] == w->axis) return true;
    return false;
}

// What a device has of one of an op's tensors.
static double local_bytes_of(const Weighing *w, NodeId n, uint32_t tensor, const Type *type) {
    const State *s = &w->p->state;
    double bytes = (double)type->bytes;
    uint32_t len;
    const NestEntry *nest = state_nest(s, n, &len);
    for (uint32_t k = 0; k < len; k++)
        if (rule_factor_dim(s->g->nodes[n].rule, nest[k].factor, tensor) >= 0) bytes /= (double)s->mesh->axes[nest[k].axis].size;
    return bytes;
}

// What an op would have moved if the axis split one of its weight's factors: operands without the factor gathered, results without it summed.
static double least_moved(const Weighing *w, OpId op, uint32_t weight) {
    const Module *m = w->p->m;
    const State *s = &w->p->state;
    NodeId n = w->p->graph.op_node[op];
    const Rule *r = s->g->nodes[n].rule;
    double least = -1, devices = (double)s->mesh->axes[w->axis].size;
    for (uint8_t f = 0; f < r->n_factors; f++) {
        if (rule_factor_dim(r, f, weight) < 0 || factor_chunks(&r->factors[f]) % s->mesh->axes[w->axis].size != 0) continue;
        double moved = 0;
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++)
            if (rule_factor_dim(r, f, i) < 0 && state_tiled_dim(s, n, i, w->axis) >= 0)
                moved += local_bytes_of(w, n, i, operand_type(m, op, i)) * (devices - 1);
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++)
            if (rule_factor_dim(r, f, r->n_operands + i) < 0)
                moved += 2 * local_bytes_of(w, n, r->n_operands + i, result_type(m, op, i)) * (devices - 1);
        if (least < 0 || moved < least) least = moved;
    }
    return least;
}

// The weight that a collective is there for, if it may be heavy: one that is gathered for an op which would have moved less, or one that an
// op contracts where it is stored. NO_ID if it is none.
static uint32_t weight_of(const Weighing *w, const Attributed *c) {
    const Module *m = w->p->m;
    if (c->user == NO_ID || c->source == NO_ID || axes_named(w->p->lowered->mesh, c->axes) != (AxisSet)1 << w->axis) return NO_ID;
    bool gather = c->kind == COLLECTIVE_ALL_GATHER && c->what == ROLE_ARGUMENT;
    bool sum = c->kind == COLLECTIVE_ALL_REDUCE && c->what == ROLE_ACTIVATION && !m->values.at[c->source].is_arg;
    OpId op = gather ? c->user : sum ? m->values.at[c->source].owner : NO_ID;
    if (op == NO_ID || op_kind(m, op) != OP_dot_general || w->p->graph.op_node[op] == NO_ID) return NO_ID;
    NodeId n = w->p->graph.op_node[op];
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        uint32_t argument = argument_behind(w, op_operand(m, op, i));
        if (argument == NO_ID || !is_weight(w, argument)) continue;
        if (gather && argument != argument_behind(w, c->source)) continue;
        if (sum) return state_tiled_dim(&w->p->state, n, i, w->axis) >= 0 ? argument : NO_ID;
        double moved = least_moved(w, op, i);
        return moved >= 0 && MANY * moved < c->bytes / c->runs ? argument : NO_ID;
    }
    return NO_ID;
}

static bool sends_more(const HeavyWeights *a, const HeavyWeights *b) { return a->sent > b->sent; }

static bool spares_more(const HeavyWeights *a, const HeavyWeights *b) { return a->saves > b->saves; }

DEFINE_SORT(sort_heavy, HeavyWeights, sends_more)
DEFINE_SORT(sort_by_savings, HeavyWeights, spares_more)

// The heaviest, those of all layers together.
static HeavyList find_heavy(const Weighing *w, const Attribution *all) {
    HeavyList heavy = {0};
    double sent = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        sent += all->at[i].bytes;
        uint32_t argument = weight_of(w, &all->at[i]);
        if (argument == NO_ID) continue;
        const char *name = w->p->m->argument_names[argument], *key = without_numbers(name, NULL, w->a);
        uint32_t k = 0;
        while (k < heavy.n && strcmp(heavy.at[k].key, key) != 0) k++;
        if (k == heavy.n) vec_push(w->a, &heavy, ((HeavyWeights){.key = key, .weights = name, .argument = argument}));
        heavy.at[k].sent += all->at[i].bytes;
        heavy.at[k].weights = without_numbers(name, heavy.at[k].weights, w->a);
    }
    sort_heavy(heavy.at, heavy.n, w->a);
    uint32_t n = 0;
    while (n < heavy.n && n < MOST_TRIED && heavy.at[n].sent > MUCH * sent) n++;
    heavy.n = n;
    return heavy;
}

// A tactic with these lines before all others.
static Proposal tiled_first(Trial *t, Partition *p, AxisId axis, const TacticLine *lines, uint32_t n) {
    Proposal x = propose_tactic(&t->schedule, 0, p->mesh.axes[axis].name, lines);
    Tactic *tactics = arena_new(t->schedule.a, Tactic, x.n);
    memcpy(tactics, x.tactics, x.n * sizeof *tactics);
    tactics[0].lines = lines;
    tactics[0].n_lines = n;
    x.tactics = tactics;
    return x;
}

// Whether a step then sends less and neither computes nor keeps more.
static bool is_better_first(Trial *t, const Proposal *x) {
    return trial_run(t, x) == TRIAL_NEW && t->now.bytes < t->before.bytes && t->now.flops <= SLACK * t->before.flops &&
           t->now.arguments <= SLACK * t->before.arguments;
}

static void add_to_warning(const HeavyWeights *h, const Proposal *x, const Trial *t, Arena *a, GatherWarning *out) {
    Tactic *had = arena_new(a, Tactic, t->schedule.n);
    if (t->schedule.n) memcpy(had, t->schedule.tactics, t->schedule.n * sizeof *had);
    if (!out->weights) out->weights = h->weights;
    out->sent += h->sent;
    out->proposal = *x;
    out->schedule = (Edited){a, t->schedule.n, had, t->schedule.gathers};
    out->before = t->before;
    out->now = t->now;
}

// All dimensions of a weight, one after the other.
static void try_weight(Trial *t, const Weighing *w, HeavyWeights *h) {
    const Type *type = type_get(w->p->m, value_type(w->p->m, w->p->m->regions.at[w->p->graph.body].first_arg + h->argument));
    for (uint32_t d = 0; d < type->rank; d++) {
        if (type->dims[d] % w->p->mesh.axes[w->axis].size != 0) continue;
        TacticLine line = {.pattern.text = span_of(h->weights), .value = LINE_DIM, .dim = d};
        Proposal x = tiled_first(t, w->p, w->axis, &line, 1);
        if (!is_better_first(t, &x) || t->before.bytes - t->now.bytes <= h->saves) continue; // nor is one that comes to the same as another's
        h->saves = t->before.bytes - t->now.bytes;
        h->line = line;
    }
}

static bool try_first(const Weighing *w, HeavyList *heavy, GatherWarning *out) {
    Targets targets = targets_build(&w->p->graph, true, w->a);
    Trial t;
    if (!trial_begin(&t, w->p, &targets, NULL)) return false;
    t.schedule.a = w->a; // the proposal outlives the trial
    for (uint32_t i = 0; i < heavy->n; i++) try_weight(&t, w, &heavy->at[i]);
    trial_end(&t); // what was seen in it would not count as new
    sort_by_savings(heavy->at, heavy->n, w->a);
    if (!trial_begin(&t, w->p, &targets, NULL)) return false;
    t.schedule.a = w->a;
    TacticLine *lines = arena_new(w->a, TacticLine, heavy->n);
    double least = t.before.bytes;
    for (uint32_t i = 0, n = 0; i < heavy->n && heavy->at[i].saves > 0; i++) { // each that still saves beside those before it
        TacticLine *more = arena_new(w->a, TacticLine, n + 1);
        if (n) memcpy(more, lines, n * sizeof *more);
        more[n] = heavy->at[i].line;
        Proposal x = tiled_first(&t, w->p, w->axis, more, n + 1);
        if (!is_better_first(&t, &x) || t.now.bytes >= least) continue;
        lines = more, n++;
        least = t.now.bytes;
        add_to_warning(&heavy->at[i], &x, &t, w->a, out);
    }
    Proposal in_chunks = propose_gathers(&t.schedule, GATHERS_LEAST);
    if (is_better_first(&t, &in_chunks) && t.now.bytes < least) {
        *out = (GatherWarning){0};
        for (uint32_t i = 0; i < heavy->n; i++) add_to_warning(&heavy->at[i], &in_chunks, &t, w->a, out);
    }
    out->found = out->sent > 0 && MANY * (out->before.bytes - out->now.bytes) >= out->sent;
    trial_end(&t);
    return true;
}

bool warn_gathers(Partition *p, Arena *a, GatherWarning *out) {
    *out = (GatherWarning){0};
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    Attribution all = attribute(l, &p->state, a);
    Weighing w = {.p = p, .a = a, .root = roots_find(p->m, a)};
    for (uint32_t axis = 0; axis < p->mesh.n_axes && !out->found; axis++) {
        w.axis = (AxisId)axis;
        HeavyList heavy = find_heavy(&w, &all);
        if (heavy.n && !try_first(&w, &heavy, out)) return false;
    }
    return true;
}

static void print_warning(const GatherWarning *w, Buffer *out) {
    buf_format(out, "gathers and sums of weights (%s and the like) send ", w->weights);
    buf_bytes(out, w->sent, 1);
    bool in_chunks = w->proposal.gathers != w->schedule.gathers;
    buf_format(out, ". With %s activations move instead, and a step sends ", in_chunks ? "`gathers least`" : "the weights tiled first,");
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
