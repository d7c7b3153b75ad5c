// Folding: copies the ops of the layers that stay. Where a copied op read a value of a removed layer, it reads the same value
// of a layer that stays.
#include "auto/fold.h"
#include "core/propagation/propagate.h"
#include "ir/import.h"

typedef struct Cutter {
    const Layers *l;
    const Graph *g;
    const Module *m;
    Arena *a;
    Import im;
    bool *gone;               // by layer
    uint32_t *stand_in;       // by argument: itself, or one of its group that stays
    ValueId *map;             // by value: the copy's
    OpId *origin;             // by op of the copy
    uint32_t *place;          // by op of the copy, as in Folded
    uint32_t between;         // the place of ops that stand between stretches there
    uint32_t *argument_index; // by argument: the copy's, or NO_ID
    bool failed;
} Cutter;

static bool is_gone(const Cutter *c, uint32_t position) {
    uint32_t layer = layers_of(c->l, position);
    return layer != NO_ID && c->gone[layer];
}

static bool is_in_layers(const Cutter *c, uint32_t position) { return c->l->part[position] != NO_ID; }

// ---- What is read instead -------------------------------------------------------------------------------------------

// The last copy before this one that stays, else the first that does; NO_ID if none does. `back`: how many of those that
// stay to go back.
static uint32_t copy_that_stays(const Cutter *c, const LayerPart *part, uint32_t copy, uint32_t back) {
    for (uint32_t k = copy; k-- > 0;) {
        if (part->layer[k] != NO_ID && c->gone[part->layer[k]]) continue;
        if (--back == 0) return k;
    }
    return NO_ID;
}

static uint32_t count_staying(const Cutter *c, const LayerPart *part, uint32_t before) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < before; k++) n += part->layer[k] == NO_ID || !c->gone[part->layer[k]];
    return n;
}

// A value of a layer that goes, as the op at `user` reads it through operand `operand`.
static ValueId read_instead(const Cutter *c, ValueId v, uint32_t user, uint32_t operand) {
    const Layers *l = c->l;
    for (uint32_t hops = 0; hops < 4; hops++) {
        const Value *val = &c->m->values.at[v];
        if (val->is_arg) return v;
        uint32_t at = l->number[val->owner];
        if (at == NO_ID || !is_gone(c, at)) return v;
        const LayerPart *part = &l->parts[l->part[at]];
        uint32_t copy = layers_copy(l, at), place = (at - part->at.start) % part->at.period, to;
        if (user != NO_ID && l->part[user] == l->part[at]) {
            // Along the chain of copies: the one that now comes as far before this one.
            uint32_t own = layers_copy(l, user), back = own - copy, before = count_staying(c, part, own);
            if (back > before) { // before the first: what the first copies read there
                uint32_t first = part->at.start + before * part->at.period + (user - part->at.start) % part->at.period;
                v = op_operand(c->m, l->ops[first], operand);
                user = NO_ID;
                continue;
            }
            to = copy_that_stays(c, part, own, back);
        } else {
            to = copy_that_stays(c, part, copy, 1);
            for (uint32_t k = copy; to == NO_ID && k < part->at.copies; k++)
                if (part->layer[k] == NO_ID || !c->gone[part->layer[k]]) to = k;
        }
        if (to == NO_ID) return NO_ID;
        v = op_result(c->m, l->ops[part->at.start + to * part->at.period + place], val->index);
    }
    return NO_ID;
}

static ValueId mapped(Cutter *c, ValueId v, uint32_t user, uint32_t operand) {
    v = read_instead(c, v, user, operand);
    if (v == NO_ID) return NO_ID;
    const Value *val = &c->m->values.at[v];
    if (val->is_arg && val->owner == c->g->body) {
        ValueId first = c->m->regions.at[c->g->body].first_arg;
        v = first + c->stand_in[v - first];
    }
    return c->map[v];
}

// ---- Copying --------------------------------------------------------------------------------------------------------

// Values that an op or something in its regions reads get their stand-ins for the time of the copy.
static void cut_op(Cutter *c, uint32_t position, RegionId into) {
    struct Swap {
        ValueId v, was;
    };
    VEC(struct Swap) swapped = {0};
    const Module *m = c->m;
    OpId op = c->l->ops[position], end = op_walk_past(m, op);
    ValueId *operands = arena_new(c->a, ValueId, op_get(m, op)->n_operands);
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        operands[i] = mapped(c, op_operand(m, op, i), position, i);
        c->failed |= operands[i] == NO_ID;
    }
    for (OpId at = op; at != end && at != NO_ID && op_get(m, op)->n_regions; at = op_walk(m, at)) {
        if (at == op) continue;
        for (uint32_t i = 0; i < op_get(m, at)->n_operands; i++) {
            ValueId v = op_operand(m, at, i);
            const Value *val = &m->values.at[v];
            bool outside = val->is_arg ? val->owner == c->g->body : c->l->number[val->owner] != NO_ID;
            if (!outside) continue;
            ValueId to = mapped(c, v, NO_ID, 0);
            c->failed |= to == NO_ID;
            vec_push(c->a, &swapped, ((struct Swap){v, c->map[v]}));
            c->map[v] = to;
        }
    }
    if (c->failed) return;
    uint32_t first = c->im.dst->ops.n;
    import_op(&c->im, op, operands, into, c->map);
    for (uint32_t i = swapped.n; i-- > 0;) c->map[swapped.at[i].v] = swapped.at[i].was;
    for (OpId at = op, copy = first; at != end && at != NO_ID; at = op_walk(m, at), copy = op_walk(c->im.dst, copy)) {
        c->origin[copy] = at;
        c->place[copy] = is_in_layers(c, position) ? 0 : c->between;
    }
}

static AttrId argument_dictionary(Cutter *c, AttrId old, const uint32_t *result_index, uint32_t n_results) {
    const Attr *dict = attr_get(c->m, old);
    NamedAttr *entries = arena_new(c->a, NamedAttr, dict->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; dict->kind == ATTR_DICT && i < dict->n; i++) {
        NamedAttr e = {import_name(&c->im, dict->entries[i].name), import_attr(&c->im, dict->entries[i].value)};
        if (span_is(name_get(c->m, dict->entries[i].name), "tf.aliasing_output")) {
            int64_t k = attr_get(c->m, dict->entries[i].value)->i;
            uint32_t to = k >= 0 && k < n_results ? result_index[k] : NO_ID;
            e = to == NO_ID ? (NamedAttr){name_intern(c->im.dst, SPAN("jax.buffer_donor")), attr_bool(c->im.dst, true)}
                            : (NamedAttr){e.name, attr_int(c->im.dst, to, EL_I32)};
        }
        entries[n++] = e;
    }
    return attr_dict(c->im.dst, entries, n);
}

// The results that stay: those of arguments that stay, and those that no layer that goes computes.
static uint32_t keep_results(const Cutter *c, uint32_t *index) {
    OpId ret = region_terminator(c->m, c->g->body);
    uint32_t kept = 0;
    for (uint32_t r = 0; r < c->g->n_results; r++) {
        const Node *node = &c->g->nodes[c->g->result_node[r]];
        const Value *val = &c->m->values.at[op_operand(c->m, ret, r)];
        bool stays = node->kind == NODE_ARGUMENT ? c->argument_index[node->sub] != NO_ID
                     : val->is_arg               ? true
                                                 : !is_gone(c, c->l->number[val->owner]);
        index[r] = stays ? kept++ : NO_ID;
    }
    return kept;
}

static void add_signature(Cutter *c, OpId func, const uint32_t *result_index) {
    const Module *m = c->m;
    Module *out = c->im.dst;
    OpId main = module_main(m);
    AttrId old = op_attr(m, main, A_arg_attrs);
    RegionId body = op_region(out, func, 0);
    OpId ret = region_terminator(out, body);
    uint32_t n_args = out->regions.at[body].n_args, n_results = op_get(out, ret)->n_operands, n = 0;
    TypeId *parts = arena_new(c->a, TypeId, (uint64_t)n_args + n_results);
    for (uint32_t i = 0; i < n_args; i++) parts[i] = value_type(out, out->regions.at[body].first_arg + i);
    for (uint32_t i = 0; i < n_results; i++) parts[n_args + i] = value_type(out, op_operand(out, ret, i));
    Type type = {
        .kind = TYPE_FUNCTION, .rank = n_args + n_results, .n_inputs = n_args, .parts = parts, .encoding = NO_ID};
    op_set_attr(out, func, A_sym_name, attr_string(out, SPAN("main")));
    op_set_attr(out, func, A_sym_visibility, attr_string(out, SPAN("public")));
    op_set_attr(out, func, A_function_type, attr_type(out, type_intern(out, &type)));
    if (old == NO_ID) return;
    AttrId *dicts = arena_new(c->a, AttrId, n_args);
    for (uint32_t i = 0; i < c->g->n_arguments; i++)
        if (c->argument_index[i] != NO_ID)
            dicts[n++] = argument_dictionary(c, attr_get(m, old)->items[i], result_index, c->g->n_results);
    op_set_attr(out, func, A_arg_attrs, attr_array(out, dicts, n));
}

// @main with what stays; the pairs that are still tied in `ties`.
static uint32_t copy_main(Cutter *c, TiedPair *ties) {
    const Module *m = c->m;
    Module *out = c->im.dst;
    const Graph *g = c->g;
    import_header(&c->im);
    OpId func = op_new(out, 0, &(OpSpec){.kind = OP_func_func, .n_regions = 1, .loc = NO_ID});
    c->origin[func] = module_main(m);
    RegionId body = op_region(out, func, 0);
    ValueId first = m->regions.at[g->body].first_arg;
    uint32_t n_args = 0, n_ties = 0;
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        c->argument_index[i] = NO_ID;
        if (c->stand_in[i] != i) continue;
        c->argument_index[i] = n_args++;
        c->map[first + i] = region_add_argument(out, body, import_type(&c->im, value_type(m, first + i)));
    }
    uint32_t *result_index = arena_new(c->a, uint32_t, g->n_results), n_results = keep_results(c, result_index);
    c->between = 1;
    for (uint32_t p = 0; p + 1 < c->l->n_ops && !c->failed; p++) {
        if (is_in_layers(c, p)) c->between = c->l->part[p] + 2;
        if (!is_gone(c, p)) cut_op(c, p, body);
    }
    if (c->failed) return 0;
    OpId ret = region_terminator(m, g->body);
    ValueId *returned = arena_new(c->a, ValueId, n_results);
    for (uint32_t r = 0; r < g->n_results; r++) {
        if (result_index[r] == NO_ID) continue;
        returned[result_index[r]] = mapped(c, op_operand(m, ret, r), NO_ID, 0);
        c->failed |= returned[result_index[r]] == NO_ID;
        const Node *node = &g->nodes[g->result_node[r]];
        if (node->kind == NODE_ARGUMENT)
            ties[n_ties++] = (TiedPair){c->argument_index[node->sub], result_index[r]};
    }
    OpSpec spec = {.kind = op_kind(m, ret), .operands = returned, .n_operands = n_results, .loc = NO_ID};
    c->origin[op_new(out, body, &spec)] = ret;
    add_signature(c, func, result_index);
    import_named_functions(&c->im, c->map);
    return n_ties;
}

// ---- The state ------------------------------------------------------------------------------------------------------

// Nodes come in the order of their ops: those of a copy are as many as those of its origin.
static NodeId *match_nodes(const Cutter *c, const Graph *cut) {
    const Graph *g = c->g;
    NodeId *node = arena_new(c->a, NodeId, g->n_nodes);
    memset(node, 0xff, g->n_nodes * sizeof *node);
    NodeId *first = arena_new(c->a, NodeId, g->m->ops.n); // by op: its first node
    memset(first, 0xff, g->m->ops.n * sizeof *first);
    for (NodeId n = g->n_nodes; n-- > 0;)
        if (g->nodes[n].op != NO_ID) first[g->nodes[n].op] = n;
    OpId last = NO_ID;
    uint32_t nth = 0;
    for (NodeId n = 0; n < cut->n_nodes; n++) {
        OpId op = cut->nodes[n].op;
        if (op == NO_ID) continue;
        nth = op == last ? nth + 1 : 0;
        last = op;
        node[first[c->origin[op]] + nth] = n;
    }
    for (uint32_t i = 0; i < g->n_arguments; i++)
        if (c->argument_index[i] != NO_ID) node[g->argument_node[i]] = cut->argument_node[c->argument_index[i]];
    return node;
}

// The nests of the whole program, where it has the same op.
static void copy_nests(const State *whole, State *s, const NodeId *node) {
    for (NodeId n = 0; n < whole->g->n_nodes; n++) {
        if (node[n] == NO_ID) continue;
        uint32_t len;
        const NestEntry *nest = state_nest(whole, n, &len);
        for (uint32_t k = 0; k < len; k++)
            state_set(s, node[n], nest[k].axis, nest[k].factor, (Cause){NO_ID, 0, 0});
        const Rule *r = whole->g->nodes[n].rule;
        for (uint32_t t = r->n_operands; t < rule_tensors(r); t++) {
            AxisSet atomic = whole->atomic[node_value(whole->g, n, t)];
            for (uint32_t axis = 0; atomic >> axis; axis++)
                if (atomic >> axis & 1) action_atomic(s, node_value(s->g, node[n], t), (AxisId)axis);
        }
    }
}

static const Site *find_sites(const Targets *targets, const Graph *g, const Graph *cut, const NodeId *node, Arena *a) {
    Site *sites = arena_new(a, Site, targets->n);
    for (uint32_t i = 0; i < targets->n; i++) {
        const Target *t = &targets->at[i];
        sites[i] = (Site){node[t->node], t->tensor, NO_ID, targets->indexed[i]};
        if (sites[i].node == NO_ID) continue;
        sites[i].value = node_value(cut, sites[i].node, t->tensor);
        // A value may be named through another of its node's tensors than the one that is tiled.
        const Rule *r = g->nodes[t->node].rule;
        for (uint32_t k = 0; k < rule_tensors(r); k++)
            if (node_value(g, t->node, k) == t->value) sites[i].value = node_value(cut, sites[i].node, k);
    }
    return sites;
}

// For each argument itself, or the one of its group in the last layer that stays.
static void choose_stand_ins(Cutter *c) {
    const Layers *l = c->l;
    uint32_t n = c->g->n_arguments, *of_group = arena_new(c->a, uint32_t, n);
    memset(of_group, 0xff, n * sizeof *of_group);
    for (uint32_t i = 0; i < n; i++)
        if (l->argument[i] != NO_ID && !c->gone[l->argument[i]]) of_group[l->group[i]] = i;
    for (uint32_t i = 0; i < n; i++) {
        c->stand_in[i] = i;
        if (l->argument[i] == NO_ID || !c->gone[l->argument[i]]) continue;
        c->stand_in[i] = of_group[l->group[i]];
        c->failed |= c->stand_in[i] == NO_ID;
    }
}

// Equally many of each family go, so that time and memory grow by the same amount with each that stays.
static void choose_layers(Cutter *c, uint32_t remove, uint32_t most) {
    const Layers *l = c->l;
    c->gone = arena_zalloc(c->a, l->n);
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t before = 0, removable = 0; // of its family
        for (uint32_t k = 0; k < l->n; k++) {
            if (l->family[k] != l->family[i] || !l->removable[k]) continue;
            before += k < i;
            removable++;
        }
        c->gone[i] = l->removable[i] && removable > most && before >= removable - remove;
    }
}

bool fold_program(const Layers *l, const State *whole, const Targets *targets, const UserRule *rules, uint32_t n_rules,
                  uint32_t remove, uint32_t most, Folded *out, Arena *a) {
    const Graph *g = whole->g;
    Cutter c = {.l = l, .g = g, .m = g->m, .a = a};
    choose_layers(&c, remove, most);
    c.stand_in = arena_new(a, uint32_t, g->n_arguments);
    choose_stand_ins(&c);
    if (c.failed) return false;
    *out = (Folded){.m = module_new(g->m->ctx)};
    import_init(&c.im, g->m, out->m, a);
    c.map = arena_new(a, ValueId, g->m->values.n);
    memset(c.map, 0xff, g->m->values.n * sizeof *c.map);
    c.origin = arena_new(a, OpId, g->m->ops.n + 8);
    memset(c.origin, 0xff, (g->m->ops.n + 8) * sizeof *c.origin);
    c.place = arena_zalloc(a, (g->m->ops.n + 8) * sizeof *c.place);
    c.argument_index = arena_new(a, uint32_t, g->n_arguments);
    TiedPair *ties = arena_new(a, TiedPair, g->n_arguments);
    uint32_t n_ties = copy_main(&c, ties);
    if (c.failed) {
        module_free(out->m);
        return false;
    }
    graph_build(&out->graph, out->m, rulebook_new(out->m, a, rules, n_rules), ties, n_ties, a);
    state_init(&out->state, &out->graph, whole->mesh, a);
    out->node = match_nodes(&c, &out->graph);
    out->place = c.place, out->n_places = l->n_parts + 2;
    copy_nests(whole, &out->state, out->node);
    out->sites = find_sites(targets, g, &out->graph, out->node, a);
    return true;
}

void folded_free(Folded *f) { module_free(f->m); }
