// Descriptions: classifies each line by structure, never by names: it names data or weights, and it tiles products or only
// changes how state is stored.
#include "auto/describe.h"
#include "support/bytes.h"

void print_seconds(double seconds, Buffer *out) {
    if (seconds >= 1)
        buf_format(out, "%.3f s", seconds);
    else if (seconds >= 1e-3)
        buf_format(out, "%.2f ms", seconds * 1e3);
    else
        buf_format(out, "%.1f us", seconds * 1e6);
}

static bool is_product_node(const Graph *g, NodeId n) {
    if (g->nodes[n].kind != NODE_OP) return false;
    OpKind kind = op_kind(g->m, g->nodes[n].op);
    return kind == OP_dot_general || kind == OP_dot || kind == OP_convolution;
}

// What a line is in the words of the field. Those of Megatron stand together.
typedef enum FieldWord {
    FIELD_DATA,
    FIELD_EDGES,
    FIELD_SEQUENCE,
    FIELD_CONTEXT,
    FIELD_EXPERTS,
    FIELD_FFN,
    FIELD_HEADS,
    FIELD_VOCABULARY,
    FIELD_EMBEDDING,
    FIELD_STATE,
    FIELD_OPTIMIZER,
    FIELD_WHOLE,
    FIELD_COUNT
} FieldWord;

static const struct FieldText {
    const char *tactic, *line;
} field_texts[FIELD_COUNT] = {
    [FIELD_DATA] = {"data parallelism", NULL},
    [FIELD_EDGES] = {"edge sharding", "edges"},
    [FIELD_SEQUENCE] = {"sequence parallelism", "sequence"},
    [FIELD_CONTEXT] = {"context parallelism", "sequence"},
    [FIELD_EXPERTS] = {"expert parallelism", "experts"},
    [FIELD_FFN] = {"ffn", "ffn"},
    [FIELD_HEADS] = {"heads", "heads"},
    [FIELD_VOCABULARY] = {"vocabulary", "vocabulary"},
    [FIELD_EMBEDDING] = {"width of the residual", "width of the residual"},
    [FIELD_STATE] = {"ZeRO-3: state in chunks", NULL},
    [FIELD_OPTIMIZER] = {"ZeRO-2: optimizer in chunks", NULL},
    [FIELD_WHOLE] = {NULL, NULL},
};

// The ops that a line tiled, by what the axis is to them.
typedef struct TiledOps {
    uint32_t sums, rows, batches; // products: their depth is split; a dimension of one operand; one of both operands
    uint32_t scattered;           // scatters whose updates are split, so that their results are sums
    bool by_matrices;             // the argument itself is split into the matrices of a batched product
} TiledOps;

// Whether a value is an argument, but for converts, transposes and the like.
static bool is_form_of(const Graph *g, ValueId v, ValueId argument) {
    enum { FAR = 8 };
    for (uint32_t i = 0; i < FAR && v != argument; i++) {
        Port from = g->producer[v];
        if (from.node == NO_ID || g->nodes[from.node].rule->n_operands != 1) return false;
        v = node_value(g, from.node, 0);
    }
    return v == argument;
}

static TiledOps count_tiled(const State *s, uint32_t mark, ValueId argument) {
    TiledOps t = {0};
    for (uint32_t i = mark; i < s->trail.n; i++) {
        NodeId n = s->trail.at[i].id;
        if (s->trail.at[i].atomic || s->g->nodes[n].kind != NODE_OP) continue;
        const Rule *r = s->g->nodes[n].rule;
        uint8_t f = state_factor(s, n, s->trail.at[i].axis);
        bool sum = r->factors[f].kind == FACTOR_REDUCE;
        t.scattered += sum && op_kind(s->g->m, s->g->nodes[n].op) == OP_scatter;
        if (!is_product_node(s->g, n)) continue;
        bool both = rule_factor_dim(r, f, 0) >= 0 && rule_factor_dim(r, f, 1) >= 0;
        t.sums += sum;
        t.batches += !sum && both;
        for (uint32_t k = 0; k < 2 && !sum && both && !t.by_matrices; k++)
            t.by_matrices = is_form_of(s->g, node_value(s->g, n, k), argument);
        t.rows += !sum && !both;
    }
    return t;
}

static uint32_t count_all_products(const Graph *g) {
    uint32_t n = 0;
    for (NodeId i = 0; i < g->n_nodes; i++) n += is_product_node(g, i);
    return n;
}

typedef struct Describer {
    Partition *p;
    const Site *sites;
    Choices *choices;
    const uint8_t *roles;
    uint32_t n_products;
    AxisSet weights_on; // axes that split weights by products so far
} Describer;

static FieldWord word_for_weights(const Describer *d, Seed seed, TiledOps t) {
    const Targets *targets = &d->p->targets;
    uint32_t products = t.sums + t.rows + t.batches;
    if (seed.dim >= 0 && targets->indexed[seed.target] >> seed.dim & 1) return FIELD_VOCABULARY;
    if (t.by_matrices) return FIELD_EXPERTS;
    if (10 * products > 7 * d->n_products) return FIELD_EMBEDDING;
    return t.batches > 0 ? FIELD_HEADS : products <= 4 ? FIELD_VOCABULARY : FIELD_FFN;
}

// Of a line that stands alone; the state is as before.
enum { FEW_SCATTERS = 4 }; // an embedding's gradient is one too

static FieldWord word_for_line(const Describer *d, const Tactic *t, uint32_t line, AxisId axis) {
    Partition *p = d->p;
    State *s = &p->state;
    Tactic one = *t;
    one.lines = &t->lines[line];
    one.n_lines = 1;
    Choice choice = choice_of_tactic(d->choices, &p->graph, &p->targets, &axis, &one, &p->scratch);
    choice.strict = false; // what lines after it except cannot be tiled, it may be
    if (choice.n == 0 || d->choices->seeds.at[choice.first].dim == SEED_ATOMIC) return FIELD_WHOLE;
    uint32_t mark = state_mark(s);
    choice_take(s, d->sites, d->choices, &choice, NULL, NULL);
    Seed seed = d->choices->seeds.at[choice.first];
    TiledOps tiled = count_tiled(s, mark, p->targets.at[seed.target].value);
    state_undo(s, mark);
    uint32_t products = tiled.sums + tiled.rows + tiled.batches;
    bool argument = seed.target < p->graph.n_arguments;
    Role role = argument ? (Role)d->roles[seed.target] : ROLE_DATA;
    if (role == ROLE_DATA && tiled.scattered >= FEW_SCATTERS && 20 * tiled.scattered > products) return FIELD_EDGES;
    if (role == ROLE_DATA && seed.dim <= 0 && argument) return FIELD_DATA;
    if (role == ROLE_DATA) return argument && d->weights_on >> axis & 1 ? FIELD_SEQUENCE : FIELD_CONTEXT;
    if (seed.dim == SEED_FIRST || products == 0)
        return role == ROLE_WEIGHT ? FIELD_STATE : FIELD_OPTIMIZER;
    return word_for_weights(d, seed, tiled);
}

static bool is_of_megatron(uint32_t word) { return word >= FIELD_FFN && word <= FIELD_EMBEDDING; }

static void print_words(const bool *has, Buffer *out) {
    const char *separator = "";
    bool megatron = false;
    for (uint32_t w = 0; w < FIELD_COUNT; w++) {
        if (!has[w] || !field_texts[w].tactic) continue;
        if (w == FIELD_OPTIMIZER && has[FIELD_STATE]) continue;
        buf_format(out, "%s%s%s", separator, is_of_megatron(w) && !megatron ? "Megatron: " : "", field_texts[w].tactic);
        megatron |= is_of_megatron(w);
        separator = ", ";
    }
    if (!*separator) buf_str(out, "stays whole");
}

// Comments of the lines, if they are not all of one kind, and that of the tactic as far as it is words.
static void describe_lines(Describer *d, Tactic *t, AxisId axis, Buffer *out) {
    TacticLine *lines = arena_new(&d->p->arena, TacticLine, t->n_lines);
    FieldWord *words = arena_new(&d->p->scratch, FieldWord, t->n_lines);
    bool has[FIELD_COUNT] = {0};
    uint32_t kinds = 0;
    memcpy(lines, t->lines, t->n_lines * sizeof *lines);
    for (uint32_t i = 0; i < t->n_lines; i++) {
        words[i] = FIELD_WHOLE;
        if (t->lines[i].value == LINE_UNKNOWN) continue;
        words[i] = word_for_line(d, t, i, axis);
        kinds += !has[words[i]];
        has[words[i]] = true;
        if (words[i] >= FIELD_EXPERTS && words[i] <= FIELD_EMBEDDING) d->weights_on |= (AxisSet)1 << axis;
    }
    for (uint32_t i = 0; i < t->n_lines && kinds > 1; i++)
        if (field_texts[words[i]].line) lines[i].comment = span_of(field_texts[words[i]].line);
    t->lines = lines;
    print_words(has, out);
}

static void print_worth(Partition *p, const Device *device, Buffer *out) {
    SimResult r;
    Summary collectives;
    if (!simulate_now(p, device, &r, &collectives)) return;
    buf_str(out, ": ");
    print_seconds(r.seconds, out);
    buf_str(out, ", ");
    buf_bytes(out, r.memory.most, 2);
    for (uint32_t k = 0; k < COLLECTIVE_COUNT; k++)
        if (collectives.runs[k] > 0) buf_format(out, ", %.0f %s", collectives.runs[k], collective_names[k]);
}

void describe_tactics(Partition *p, const Site *sites, Choices *choices, Tactic *tactics, uint32_t n,
                      const Device *device) {
    State *s = &p->state;
    Describer d = {p, sites, choices, roles_find(&p->graph, &p->scratch), count_all_products(&p->graph), 0};
    uint32_t start = state_mark(s);
    for (uint32_t k = 0; k < n; k++) {
        AxisId axis = mesh_find(&p->mesh, tactics[k].axes[0].text);
        Buffer comment;
        buf_init(&comment, &p->arena);
        s->tactic = (uint16_t)(p->applied.n + k);
        describe_lines(&d, &tactics[k], axis, &comment);
        Choice choice = choice_of_tactic(choices, &p->graph, &p->targets, &axis, &tactics[k], &p->scratch);
        choice_take(s, sites, choices, &choice, NULL, NULL);
        print_worth(p, device, &comment);
        tactics[k].comment = (Span){buf_cstr(&comment), comment.n};
    }
    state_undo(s, start);
}
