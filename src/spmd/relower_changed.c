// Finds the ops of the base that must be lowered again: those whose nests changed, and those whose inputs changed.
#include "spmd/relower_base.h"

// ---- What differs ---------------------------------------------------------------------------------------------------

// Whether a value stands for one of the base; the first to be asked about does.
static bool stands_for(Base *r, ValueId v, ValueId base) {
    if (base == NO_ID || v == NO_ID) return base == v;
    if (r->now[base] == NO_ID) r->now[base] = v;
    return r->now[base] == v;
}

static bool same_use(Base *r, const CachedUse *use, const CachedUse *base) {
    if (!base->dist || !use->dist) return base->dist == use->dist;
    return use->dist == base->dist && use->region == r->now_region[base->region] &&
           stands_for(r, use->value, base->value);
}

// Ops whose nests are others must be lowered; those that read what is different, if it still is when they come.
enum { UNTOUCHED, READS_CHANGED, NESTS_CHANGED };

// And those that hold it.
static void touch_op(Base *r, OpId op, uint8_t how) {
    const Module *m = r->base.src;
    for (; op != NO_ID && r->touched[op] < how; op = m->regions.at[op_get(m, op)->parent].parent) r->touched[op] = how;
}

enum { CHANGED = 1, TOLD = 2 };

static bool is_changed(const Base *r, ValueId v) { return r->changed[v] & CHANGED; }

// Who reads a slice of a value may read that, and who reads another form may make it again.
static void touch_readers(Base *r, ValueId v, uint32_t depth) {
    for (uint32_t u = r->uses.first[v]; u < r->uses.first[v + 1]; u++) {
        OpId user = r->uses.at[u].op;
        touch_op(r, user, READS_CHANGED);
        if (depth && only_moves(op_kind(r->base.src, user))) touch_readers(r, op_result(r->base.src, user, 0), depth - 1);
    }
}

void relower_compare(Base *r, const Lowering *l, ValueId v) {
    bool same = l->dist[v] == r->base.dist[v] && stands_for(r, l->value[v], r->base.value[v]) &&
                same_use(r, &l->cached[v], &r->cached[v]);
    bool told = r->changed[v] & TOLD;
    r->changed[v] = same ? r->changed[v] & TOLD : CHANGED | TOLD;
    if (same || told) return; // most of what many ops read is the same, or was told to all of them
    touch_readers(r, v, MOST_FORMS);
}

static CachedUse renamed(const Base *r, CachedUse use) {
    if (use.value == NO_ID || use.region == NO_ID) return use;
    return (CachedUse){use.dist, r->now[use.value], r->now_region[use.region]};
}

void relower_refresh(Base *r, Lowering *l, ValueId v) {
    if (is_changed(r, v)) return;
    ValueId base = r->base.value[v];
    l->dist[v] = r->base.dist[v];
    l->value[v] = base == NO_ID ? NO_ID : r->now[base];
    l->cached[v] = r->cached[v].dist ? renamed(r, r->cached[v]) : (CachedUse){0};
}

void relower_refresh_axes(const Base *r, Lowering *l) {
    for (uint32_t a = 0; a < l->mesh->n_axes; a++) {
        if (r->axes_changed >> a & 1) continue;
        CachedUse use = renamed(r, r->axis[a]);
        l->axis_index[a] = use.value;
        l->axis_index_region[a] = use.region;
    }
}

void relower_compare_axes(Base *r, const Lowering *l) {
    r->axes_changed = 0;
    for (uint32_t a = 0; a < l->mesh->n_axes; a++) {
        RegionId base = r->axis[a].region;
        bool same = l->axis_index_region[a] == (base == NO_ID ? NO_ID : r->now_region[base]) &&
                    (base == NO_ID || stands_for(r, l->axis_index[a], r->axis[a].value));
        r->axes_changed |= (AxisSet)!same << a;
    }
}

void relower_replay(Base *r, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        const Event *e = &r->record.events.at[i];
        *(e->of >= AXIS_EVENT ? &r->axis[e->of - AXIS_EVENT] : &r->cached[e->of]) = e->made;
    }
}

// ---- Which ops must be lowered --------------------------------------------------------------------------------------

// An op whose nests are others, and those before it that look ahead to it.
static void touch_nests(Base *r, OpId op) {
    const Module *m = r->base.src;
    touch_op(r, op, NESTS_CHANGED);
    for (uint32_t i = 0; i < MOST_FORMS && only_moves(op_kind(m, op)); i++) {
        const Value *x = &m->values.at[op_operand(m, op, 0)];
        if (x->is_arg || !only_moves(op_kind(m, x->owner))) return;
        touch_op(r, op = x->owner, NESTS_CHANGED);
    }
}

static void touch_node(Base *r, NodeId n) {
    const Module *m = r->base.src;
    const Node *node = &r->base.g->nodes[n];
    if (node->kind == NODE_ARGUMENT || node->kind == NODE_RESULT) {
        touch_op(r, region_terminator(m, r->base.g->body), NESTS_CHANGED);
        return;
    }
    touch_nests(r, node->op);
    for (uint32_t i = 0; (node->kind == NODE_CARRY || node->kind == NODE_BRANCH) && i < op_get(m, node->op)->n_regions;
         i++)
        touch_op(r, region_terminator(m, op_region(m, node->op, i)), NESTS_CHANGED);
}

static void touch_value(Base *r, ValueId v) {
    const Graph *g = r->base.g;
    const Value *val = &r->base.src->values.at[v];
    if (!val->is_arg) touch_nests(r, val->owner);
    for (uint32_t u = g->first_use[v]; u < g->first_use[v + 1]; u++) touch_node(r, g->use_ports[u].node);
}

enum { AT_ONCE = 128 }; // nodes, or values, that are compared together first
static uint32_t end_of_chunk(uint32_t from, uint32_t n) { return n - from < AT_ONCE ? n : from + AT_ONCE; }

static bool differ(const AxisSet *a, const AxisSet *b, uint32_t from, uint32_t to) {
    return memcmp(a + from, b + from, (to - from) * sizeof *a) != 0;
}

void relower_touch(Base *r, const State *s, const Pending *now) {
    const Pending *was = &r->base.pending;
    size_t depth = s->depth, size = depth * sizeof *s->nest;
    for (NodeId from = 0, to; from < s->g->n_nodes; from = to) { // what is not in a nest is zero
        to = end_of_chunk(from, s->g->n_nodes);
        if (memcmp(s->nest + from * depth, r->at.nest + from * depth, (to - from) * size) == 0 &&
            memcmp(s->nest_n + from, r->at.nest_n + from, to - from) == 0 &&
            !differ(now->absorbed, was->absorbed, from, to))
            continue;
        for (NodeId n = from; n < to; n++)
            if (memcmp(s->nest + n * depth, r->at.nest + n * depth, size) != 0 || s->nest_n[n] != r->at.nest_n[n] ||
                now->absorbed[n] != was->absorbed[n])
                touch_node(r, n);
    }
    for (ValueId from = 0, to; from < s->g->m->values.n; from = to) {
        to = end_of_chunk(from, s->g->m->values.n);
        if (!differ(now->natural, was->natural, from, to) && !differ(now->deferred, was->deferred, from, to)) continue;
        for (ValueId v = from; v < to; v++)
            if (now->natural[v] != was->natural[v] || now->deferred[v] != was->deferred[v]) touch_value(r, v);
    }
}

static bool takes_the_same(const Base *r, OpId op) {
    const Module *m = r->base.src;
    const Op *o = op_get(m, op);
    if (r->touched[op] == NESTS_CHANGED || r->record.asked[op] & r->axes_changed) return false;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = rule_operand(m, op, i), forms[MOST_FORMS];
        if (is_changed(r, v)) return false;
        for (uint32_t k = smaller_forms(m, v, forms); k-- > 0;)
            if (is_changed(r, forms[k])) return false;
    }
    return true;
}

bool relower_can_keep(const Base *r, OpId op) {
    const Module *m = r->base.src;
    if (!r->touched[op] && !r->axes_changed) return true;
    if (!takes_the_same(r, op)) return false;
    if (!runs_regions(op_kind(m, op))) return true;
    OpId end = op_walk_past(m, op);
    for (OpId inner = op_walk(m, op); inner != end; inner = op_walk(m, inner))
        if (!takes_the_same(r, inner)) return false;
    return true;
}
