// Attribution: one walk over the device-local program, and from each collective a walk back to the value that it moves.
#include "spmd/summary/attribution.h"
#include "ir/analysis/trip.h"

typedef struct Attributing {
    const Lowered *l;
    const State *s;
    const Module *m; // the array program
    Arena *a;
    ValueNames names;
    uint32_t *seen, epoch; // by value of the device-local program
    VEC(ValueId) work;
    VEC(Attributed) found;
} Attributing;

// ---- What is moved --------------------------------------------------------------------------------------------------

// The array program's value that `v` is, is another distribution of, or was made for; NO_ID if there is none.
static ValueId moved_value(const Attributing *x, ValueId v) {
    const Lowered *l = x->l;
    for (;;) {
        const Value *val = &l->m->values.at[v];
        if (val->is_arg) {
            OpId holder = l->m->regions.at[val->owner].parent;
            if (holder == module_main(l->m)) return x->m->regions.at[x->s->g->body].first_arg + val->index;
            if (op_kind(l->m, holder) != OP_while) return NO_ID;
            uint32_t region = op_region(l->m, holder, 1) == val->owner; // a carried value
            return x->m->regions.at[op_region(x->m, l->origin[holder], region)].first_arg + val->index;
        }
        OpId origin = l->origin[val->owner];
        bool has = origin != NO_ID && val->index < op_get(x->m, origin)->n_results;
        if (l->image[val->owner] || !op_get(l->m, val->owner)->n_operands)
            return has ? op_result(x->m, origin, val->index) : NO_ID;
        // A slice, a collective, a helper; of a select between the value and what stands for nothing, the value.
        v = op_operand(l->m, val->owner, op_kind(l->m, val->owner) == OP_select);
    }
}

// ---- Which tactic ---------------------------------------------------------------------------------------------------

// The number of the last tactic that put one of the axes into the node's nest; -1 if none did.
static int last_tactic(const Attributing *x, NodeId n, AxisSet axes) {
    const State *s = x->s;
    int last = -1;
    AxisSet named = axes_named(x->l->mesh, axes);
    for (uint32_t k = 0; n != NO_ID && k < s->nest_n[n]; k++) {
        size_t at = (size_t)n * s->depth + k;
        if (named >> axis_named(s->mesh, s->nest[at].axis) & 1 && s->cause[at].tactic > last) last = s->cause[at].tactic;
    }
    return last;
}

// The last tactic that has a say in how the axes lie on a value.
static int value_tactic(const Attributing *x, ValueId v, AxisSet axes) {
    ValueId source = moved_value(x, v);
    if (source == NO_ID) return -1;
    const Value *val = &x->m->values.at[source];
    int stored = last_tactic(x, x->s->g->producer[source].node, axes);
    int made = val->is_arg ? -1 : last_tactic(x, x->s->g->op_node[val->owner], axes);
    return stored > made ? stored : made;
}

// A sum that is pending in an operand stays pending in the result: back to the ops that it began with.
static int pending_tactic(Attributing *x, ValueId v, AxisSet axes) {
    const Lowered *l = x->l;
    int last = -1;
    x->work.n = 0;
    x->epoch++;
    vec_push(x->a, &x->work, v);
    while (x->work.n && last < 0) {
        v = x->work.at[--x->work.n];
        if (x->seen[v] == x->epoch) continue;
        x->seen[v] = x->epoch;
        last = value_tactic(x, v, axes);
        const Value *val = &l->m->values.at[v];
        if (val->is_arg) continue;
        OpId op = val->owner;
        if (op_kind(l->m, op) == OP_while) { // an accumulator: pending in the body
            OpId next = region_terminator(l->m, op_region(l->m, op, 1));
            vec_push(x->a, &x->work, op_operand(l->m, next, val->index));
        }
        for (uint32_t i = 0; i < op_get(l->m, op)->n_operands; i++) {
            ValueId operand = op_operand(l->m, op, i);
            if (l->dist[operand] && (l->dist[operand]->pending & axes)) vec_push(x->a, &x->work, operand);
        }
    }
    return last;
}

// Whether a dimension of a value is tiled on an axis of the mesh, or on parts of it.
static bool lies_on(const Lowered *l, ValueId v, AxisId named, int dim) {
    for (uint32_t a = 0; a < l->mesh->n_axes; a++)
        if (axis_named(l->mesh, (AxisId)a) == named && dist_dim_of(l->dist[v], (AxisId)a) == dim) return true;
    return false;
}

// For the sake of which value, that stays in chunks, a collective is there: of a lookup its table; of a product an operand or
// the result, where the collective moves what lies as the nest says already, or what came out otherwise. NO_ID if there is none.
static ValueId spared_value(const Attributing *x, OpId collective, AxisSet axes) {
    const Lowered *l = x->l;
    OpId user = l->origin[collective];
    if (user == NO_ID) return NO_ID;
    OpKind kind = op_kind(x->m, user);
    if (kind == OP_gather) return op_operand(x->m, user, 0);
    if (kind != OP_dot_general) return NO_ID;
    NodeId n = x->s->g->op_node[user];
    const Rule *r = x->s->g->nodes[n].rule;
    ValueId taken = op_operand(l->m, collective, 0), moved = moved_value(x, taken), result = op_result(x->m, user, 0);
    const Value *val = &l->m->values.at[taken];
    bool made = moved == result && !val->is_arg && l->image[val->owner];
    AxisSet named = axes_named(l->mesh, axes);
    for (uint32_t k = 0; k < x->s->nest_n[n]; k++) {
        NestEntry e = x->s->nest[(size_t)n * x->s->depth + k];
        if (!(named >> axis_named(x->s->mesh, e.axis) & 1)) continue;
        for (uint32_t t = 0; t < 3; t++) {
            int dim = rule_factor_dim(r, e.factor, t);
            if (dim < 0 || (t < 2 ? op_operand(x->m, user, t) != moved : !made)) continue;
            if (lies_on(l, taken, axis_named(x->s->mesh, e.axis), dim) != (t < 2)) continue;
            for (uint32_t other = 0; other < 2; other++)
                if (rule_factor_dim(r, e.factor, other) < 0) return op_operand(x->m, user, other);
            return result;
        }
    }
    return NO_ID;
}

// The last tactic that had a say in how the collective's axes lie on what it takes and on the op that it is for; on any axis
// if it moves over others.
static int find_tactic(Attributing *x, OpId collective, AxisSet axes) {
    const Lowered *l = x->l;
    OpId user = l->origin[collective];
    NodeId node = user == NO_ID ? NO_ID : x->s->g->op_node[user];
    ValueId taken = op_operand(l->m, collective, 0);
    int for_user = last_tactic(x, node, axes), for_value = value_tactic(x, taken, axes);
    int last = for_user > for_value ? for_user : for_value;
    ValueId spared = spared_value(x, collective, axes);
    if (spared != NO_ID) {
        int for_spared = last_tactic(x, x->s->g->producer[spared].node, axes);
        if (for_spared > last) last = for_spared;
    }
    if (last < 0) last = pending_tactic(x, taken, axes);
    if (last < 0) {
        for_user = last_tactic(x, node, ~(AxisSet)0), for_value = value_tactic(x, taken, ~(AxisSet)0);
        last = for_user > for_value ? for_user : for_value;
    }
    return last < 0 && x->s->tactic_names.n ? (int)x->s->tactic_names.n - 1 : last; // a stored argument or result
}

// ---- The walk -------------------------------------------------------------------------------------------------------

static void attribute_op(void *arg, OpId op, double runs) {
    Attributing *x = arg;
    CollectiveKind kind;
    AxisSet axes;
    double bytes;
    if (!collective_of(x->l->m, x->l->mesh, op, &kind, &axes, &bytes)) return; // most ops are none
    Attributed c = {.op = op, .kind = kind, .axes = axes, .runs = runs, .bytes = bytes * runs, .user = x->l->origin[op], .serves = "", .path = "", .place = ""};
    c.source = moved_value(x, op_operand(x->l->m, op, 0));
    c.tactic = find_tactic(x, op, c.axes);
    c.what = ROLE_ACTIVATION;
    if (c.source != NO_ID) c.serves = value_name(&x->names, c.source, &c.what);
    bool lookup = c.user != NO_ID && op_kind(x->m, c.user) == OP_gather;
    bool brings = c.user != NO_ID && (lookup ? c.kind == COLLECTIVE_ALL_GATHER && c.source == op_operand(x->m, c.user, 1)
                                             : c.source != op_result(x->m, c.user, 0));
    ValueId spared = brings ? spared_value(x, op, c.axes) : NO_ID;
    ValueRole role;
    if (spared != NO_ID) c.spares = value_name(&x->names, spared, &role);
    if (c.user != NO_ID) {
        const char *path = location_path(x->m, c.user, x->a);
        Buffer place;
        buf_init(&place, x->a);
        frame_print(x->m, c.user, &place);
        c.place = buf_cstr(&place);
        if (path) c.path = path;
    }
    vec_push(x->a, &x->found, c);
}

Attribution attribute(const Lowered *l, const State *s, Arena *a) {
    Attributing x = {.l = l, .s = s, .m = s->g->m, .a = a, .names = name_values(s->g->m, a)};
    x.seen = arena_zalloc(a, l->m->values.n * sizeof *x.seen);
    visit_runs(l->m, attribute_op, &x, a);
    return (Attribution){x.found.n, x.found.at};
}
