// Dead code: removes what no effect and no result of the program depends on.
//
//     %r:2 = while(%i = %zero, %unread = %x) …        =>        %r = while(%i = %zero) …
//
// Liveness is traced backwards from effects and returns. A carried value of `while` is one value in four places (init,
// arguments of condition and body, result): it lives if any of them is read; its own update in the body is no reader.
// A result of `if` or `case` lives apart from the others.
#include "ir/pass/rebuild.h"

typedef struct LiveMarks {
    Module *m;
    Arena scratch;
    bool *value, *op;
    VEC(ValueId) work; // live values whose makers were not looked at yet
} LiveMarks;

static bool has_effect(const Module *m, OpId op) {
    if (op_get(m, op)->n_results == 0) return true; // whatever it does, it is not for a result
    switch (op_kind(m, op)) {
    case OP_custom_call: {
        Span target = op_attr_text(m, op, A_call_target_name);
        bool test = target.n >= 6 && memcmp(target.at, "check.", 6) == 0;
        return test || op_attr_bool(m, op, A_has_side_effect, false);
    }
    case OP_func_call: // nobody looks into the callee here
    case OP_composite:
    case OP_send:
    case OP_recv:
    case OP_infeed:
    case OP_outfeed:
    case OP_async_start:
    case OP_async_done:
    case OP_collective_permute: return true;
    // All devices take part in a collective, even where one of them does not read what comes out.
    default: return is_group_collective(op_kind(m, op));
    }
}

// Ops whose results live one by one. An attribute may speak of all of them (a sharding for each): then none is dropped.
static bool lives_in_parts(const Module *m, OpId op) {
    OpKind k = op_kind(m, op);
    return runs_regions(k) && op_get(m, op)->n_attrs == 0;
}

static bool ends_region(const Module *m, OpId op) {
    OpKind k = op_kind(m, op);
    return op_is_terminator(k);
}

static void need_value(LiveMarks *l, ValueId v) {
    if (l->value[v]) return;
    l->value[v] = true;
    vec_push(&l->scratch, &l->work, v);
}

static void need_operands(LiveMarks *l, OpId op) {
    const Op *o = op_get(l->m, op);
    for (uint32_t i = 0; i < o->n_operands; i++) need_value(l, op_operand(l->m, op, i));
}

static void need_returned(LiveMarks *l, RegionId r, uint32_t i) {
    OpId end = region_terminator(l->m, r);
    if (end != NO_ID && i < op_get(l->m, end)->n_operands) need_value(l, op_operand(l->m, end, i));
}

// Everything in which number i of a `while`, `if` or `case` stands.
static void need_part(LiveMarks *l, OpId op, uint32_t i) {
    Module *m = l->m;
    const Op *o = op_get(m, op);
    need_value(l, o->first_result + i);
    if (o->kind == OP_while) {
        need_value(l, op_operand(m, op, i));
        need_value(l, m->regions.at[op_region(m, op, 0)].first_arg + i);
        need_value(l, m->regions.at[op_region(m, op, 1)].first_arg + i);
        need_returned(l, op_region(m, op, 1), i);
    } else {
        for (uint32_t r = 0; r < o->n_regions; r++) need_returned(l, op_region(m, op, r), i);
    }
}

static void need_op(LiveMarks *l, OpId op) {
    Module *m = l->m;
    // An op in a region runs only if the ops around it do.
    for (; op != NO_ID && !l->op[op]; op = m->regions.at[op_get(m, op)->parent].parent) {
        l->op[op] = true;
        const Op *o = op_get(m, op);
        if (lives_in_parts(m, op)) {
            if (o->kind == OP_while)
                need_returned(l, op_region(m, op, 0), 0);
            else
                need_value(l, op_operand(m, op, 0));
            continue;
        }
        if (ends_region(m, op)) continue; // its operands are asked for by what they mean to the op around it
        need_operands(l, op);
        for (uint32_t r = 0; r < o->n_regions; r++) {
            OpId end = region_terminator(m, op_region(m, op, r));
            if (end != NO_ID) need_operands(l, end);
        }
        if (runs_regions((OpKind)o->kind))
            for (uint32_t i = 0; i < o->n_results; i++) need_part(l, op, i);
    }
}

static void trace(LiveMarks *l) {
    Module *m = l->m;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        if (has_effect(m, op) && !ends_region(m, op)) need_op(l, op);
    while (l->work.n) {
        ValueId v = l->work.at[--l->work.n];
        Value value = m->values.at[v];
        OpId op = value.is_arg ? m->regions.at[value.owner].parent : value.owner;
        need_op(l, op);
        if (lives_in_parts(m, op) && (!value.is_arg || op_kind(m, op) == OP_while)) need_part(l, op, value.index);
    }
}

// Number i of what a terminator returns goes on, because the op around it still has it.
static bool returned_is_live(const LiveMarks *l, OpId end, uint32_t i) {
    const Module *m = l->m;
    RegionId r = op_get(m, end)->parent;
    OpId around = m->regions.at[r].parent;
    if (around == NO_ID || !lives_in_parts(m, around)) return true;
    if (op_kind(m, around) == OP_while && r == op_region(m, around, 0)) return true;
    return l->value[op_get(m, around)->first_result + i];
}

// A copy of a `while`, `if` or `case` with its live parts alone.
static OpId rebuild_parts(LiveMarks *l, RegionId into, OpId op, ValueId *map) {
    Module *m = l->m;
    Op o = *op_get(m, op);
    bool loop = o.kind == OP_while;
    ValueId *operands = arena_new(&l->scratch, ValueId, o.n_results + 1);
    TypeId *types = arena_new(&l->scratch, TypeId, o.n_results + 1);
    OpSpec spec = {.kind = (OpKind)o.kind, .operands = operands, .results = types, .n_regions = o.n_regions};
    spec.loc = o.loc;
    spec.source = o.source;
    if (!loop) operands[spec.n_operands++] = map[op_operand(m, op, 0)];
    for (uint32_t i = 0; i < o.n_results; i++) {
        if (!l->value[o.first_result + i]) continue;
        if (loop) operands[spec.n_operands++] = map[op_operand(m, op, i)];
        types[spec.n_results++] = value_type(m, o.first_result + i);
    }
    OpId made = op_new(m, into, &spec);
    uint32_t next = op_get(m, made)->first_result;
    for (uint32_t i = 0; i < o.n_results; i++)
        if (l->value[o.first_result + i]) map[o.first_result + i] = next++;
    for (uint32_t k = 0; k < o.n_regions; k++) {
        Region r = m->regions.at[op_region(m, op, k)];
        RegionId to = op_region(m, made, k);
        LocId *locs = r.arg_locs ? arena_new(&m->arena, LocId, r.n_args) : NULL;
        for (uint32_t i = 0; i < r.n_args; i++) {
            if (!l->value[r.first_arg + i]) continue;
            if (locs) locs[m->regions.at[to].n_args] = r.arg_locs[i];
            map[r.first_arg + i] = region_add_argument(m, to, value_type(m, r.first_arg + i));
        }
        m->regions.at[to].arg_locs = locs;
    }
    return made;
}

static OpId rebuild_terminator(LiveMarks *l, RegionId into, OpId op, ValueId *map) {
    Module *m = l->m;
    Op o = *op_get(m, op);
    ValueId *operands = arena_new(&l->scratch, ValueId, o.n_operands);
    OpSpec spec = {.kind = (OpKind)o.kind, .operands = operands, .loc = o.loc, .source = o.source};
    spec.attrs = m->op_attrs.at + o.first_attr;
    spec.n_attrs = o.n_attrs;
    for (uint32_t i = 0; i < o.n_operands; i++)
        if (returned_is_live(l, op, i)) operands[spec.n_operands++] = map[op_operand(m, op, i)];
    return op_new(m, into, &spec);
}

// Some op lives without all of its parts.
static bool has_dead_parts(const LiveMarks *l) {
    const Module *m = l->m;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) {
        const Op *o = op_get(m, op);
        if (o->n_regions == 0 || !l->op[op] || !lives_in_parts(m, op)) continue;
        for (uint32_t i = 0; i < o->n_results; i++)
            if (!l->value[o->first_result + i]) return true;
    }
    return false;
}

static void unlink_dead(const LiveMarks *l, RegionId region) {
    Module *m = l->m;
    OpId op = m->regions.at[region].first;
    m->regions.at[region].first = m->regions.at[region].last = NO_ID;
    for (OpId next; op != NO_ID; op = next) {
        next = op_get(m, op)->next;
        op_get(m, op)->next = NO_ID;
        if (l->op[op] || ends_region(m, op)) op_append(m, region, op);
    }
}

// Where ops live or die as a whole, no other has to be copied.
static void drop_dead_ops(const LiveMarks *l) {
    Module *m = l->m;
    unlink_dead(l, 0);
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++) unlink_dead(l, op_region(m, op, i));
    module_compact(m);
}

static OpId copy_live(void *arg, Cursor c, ValueId *map) {
    LiveMarks *l = arg;
    if (ends_region(l->m, c.op)) return rebuild_terminator(l, c.into, c.op, map);
    if (!l->op[c.op]) return NO_ID;
    return lives_in_parts(l->m, c.op) ? rebuild_parts(l, c.into, c.op, map) : rebuild_shallow(l->m, c.into, c.op, map);
}

bool pass_dead_code(Module *m) {
    LiveMarks l = {.m = m};
    arena_init(&l.scratch, m->ctx);
    l.value = arena_zalloc(&l.scratch, m->values.n);
    l.op = arena_zalloc(&l.scratch, m->ops.n);
    trace(&l);
    if (has_dead_parts(&l))
        rebuild_module(m, copy_live, &l);
    else
        drop_dead_ops(&l);
    arena_free(&l.scratch);
    return true;
}
