// Descriptions: by what a tactic does. It names data or weights; products take part in it, or it only says how state is
// stored.
#include "auto/describe.h"

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

// What the products that a tactic tiled have to do with the axis.
typedef struct Products {
    uint32_t sums, rows, batches; // their depth is split; a dimension of one operand; one of both operands
} Products;

static Products count_products(const State *s, uint32_t mark) {
    Products p = {0};
    for (uint32_t i = mark; i < s->trail.n; i++) {
        if (s->trail.at[i].atomic || !is_product_node(s->g, s->trail.at[i].id)) continue;
        NodeId n = s->trail.at[i].id;
        const Rule *r = s->g->nodes[n].rule;
        uint8_t f = state_factor(s, n, s->trail.at[i].axis);
        bool left = rule_factor_dim(r, f, 0) >= 0, right = rule_factor_dim(r, f, 1) >= 0;
        if (r->factors[f].kind == FACTOR_REDUCE)
            p.sums++;
        else if (left && right)
            p.batches++;
        else
            p.rows++;
    }
    return p;
}

typedef struct NamedClass {
    bool data, weights, optimizer;
    bool inner; // data, by another dimension than the first
} NamedClass;

static NamedClass find_named(const Choices *c, const Choice *choice, const uint8_t *roles, uint32_t n_arguments) {
    NamedClass named = {0};
    for (uint32_t i = 0; i < choice->n; i++) {
        Seed seed = c->seeds.at[choice->first + i];
        if (seed.target >= n_arguments || seed.dim == SEED_ATOMIC) continue;
        named.data |= roles[seed.target] == ROLE_DATA;
        named.inner |= roles[seed.target] == ROLE_DATA && seed.dim > 0;
        named.weights |= roles[seed.target] == ROLE_WEIGHT;
        named.optimizer |= roles[seed.target] == ROLE_OPTIMIZER;
    }
    return named;
}

static void print_kind_of_tactic(NamedClass named, Products p, Buffer *out) {
    const char *separator = "";
    if (named.data) {
        buf_str(out, named.inner ? "sequence parallelism" : "data parallelism");
        separator = ", ";
    }
    if ((named.weights || named.optimizer) && p.sums + p.rows + p.batches == 0)
        buf_format(out, "%s%s", separator, named.weights ? "ZeRO-3: state in chunks" : "ZeRO-2: optimizer in chunks");
    else if (named.weights && !named.data)
        buf_str(out, p.batches > p.sums + p.rows ? "expert parallelism" : "Megatron: tensor parallelism");
    else if (named.weights)
        buf_format(out, "%sweights", separator);
    if (!named.data && !named.weights && !named.optimizer) buf_str(out, "stops propagation");
}

static void print_worth(Partition *p, const Device *device, Buffer *out) {
    SimResult r;
    Summary collectives;
    if (!simulate_now(p, device, &r, &collectives)) return;
    buf_str(out, ": ");
    print_seconds(r.seconds, out);
    buf_format(out, ", %.2f GiB", r.memory.peak / 0x1p30);
    for (uint32_t k = 0; k < COLLECTIVE_COUNT; k++)
        if (collectives.runs[k] > 0) buf_format(out, ", %.0f %s", collectives.runs[k], collective_names[k]);
}

void describe_tactics(Partition *p, const Site *sites, Choices *choices, Tactic *tactics, uint32_t n,
                      const Device *device) {
    State *s = &p->state;
    const uint8_t *roles = roles_find(&p->graph, &p->scratch);
    uint32_t start = state_mark(s);
    for (uint32_t k = 0; k < n; k++) {
        AxisId axis = mesh_find(&p->mesh, tactics[k].axes[0].text);
        Choice choice = choice_of_tactic(choices, &p->graph, &p->targets, &axis, &tactics[k], &p->scratch);
        uint32_t mark = state_mark(s);
        s->tactic = (uint16_t)(p->applied.n + k);
        choice_take(s, sites, choices, &choice, NULL, NULL);
        Buffer comment;
        buf_init(&comment, &p->arena);
        print_kind_of_tactic(find_named(choices, &choice, roles, p->graph.n_arguments), count_products(s, mark),
                             &comment);
        print_worth(p, device, &comment);
        tactics[k].comment = (Span){buf_cstr(&comment), comment.n};
    }
    state_undo(s, start);
}
