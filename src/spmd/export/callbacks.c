// Callbacks with effects run on the mesh's first device alone, and a token leads from each to the next, through loops and
// branches as well: XLA may otherwise run them in any order.
//
//     custom_call @callback(%x) {has_side_effect = true}
//  =>
//     %u = if (partition_id == 0) { %1 = custom_call @callback(%t, %x);  return %1 } else { return %t }
//
// What a callback returns goes to the other devices by an all_gather, of which all take the first device's part: exact for
// every element type. In a manual computation (`shard_map`) each device runs its own.
#include "spmd/export/callbacks.h"
#include "ir/analysis/callback.h"
#include "ir/pass/rebuild.h"

typedef struct Ordering {
    Module *m;
    Arena a;
    int64_t n_devices, handle;
    const bool *ordered; // by op: an effect, or something around one
    ValueId *map;
    VEC(ValueId) token;  // by region of the copy: what the last effect in it left; NO_ID before the first
    TypeId token_type;
    LocId loc;
} Ordering;

static ValueId *token_in(Ordering *o, RegionId r) {
    while (o->token.n <= r) vec_push(&o->a, &o->token, NO_ID);
    return &o->token.at[r];
}

static ValueId add_op(Ordering *o, RegionId into, OpKind kind, const ValueId *operands, uint32_t n, TypeId type,
                      const NamedAttr *attrs, uint32_t n_attrs) {
    return op_new_value(o->m, into, kind, operands, n, type, attrs, n_attrs, o->loc);
}

static ValueId add_splat(Ordering *o, RegionId into, TypeId type) {
    static const uint8_t zero[32] = {0};
    NamedAttr value = {A_value, attr_dense_bytes(o->m, type, zero, elem_bytes((Elem)type_get(o->m, type)->elem))};
    return add_op(o, into, OP_constant, NULL, 0, type, &value, 1);
}

static void add_return(Ordering *o, RegionId into, const ValueId *values, uint32_t n) {
    op_new(o->m, into, &(OpSpec){.kind = OP_return, .operands = values, .n_operands = n, .loc = o->loc});
}

static ValueId current_token(Ordering *o, RegionId into) {
    ValueId *token = token_in(o, into);
    if (*token == NO_ID) {
        ValueId made = add_op(o, into, OP_create_token, NULL, 0, o->token_type, NULL, 0);
        *(token = token_in(o, into)) = made;
    }
    return *token;
}

// ---- One call -------------------------------------------------------------------------------------------------------

// Layouts of operands or results, with that of the token in front.
static AttrId with_token_layout(Ordering *o, AttrId layouts) {
    const Attr *old = attr_get(o->m, layouts);
    if (old->kind != ATTR_ARRAY) return layouts;
    uint32_t n = old->n;
    AttrId *items = arena_new(&o->a, AttrId, n + 1);
    for (uint32_t i = 0; i < n; i++) items[i + 1] = old->items[i];
    int64_t none = 0;
    items[0] = attr_dense_bytes(o->m, type_tensor(o->m, EL_INDEX, 1, &none), "", 0);
    return attr_array(o->m, items, n + 1);
}

// The call itself with a token in front of its operands and results.
static OpId add_call(Ordering *o, RegionId into, OpId op, ValueId token) {
    Module *m = o->m;
    Op from = *op_get(m, op);
    ValueId *operands = arena_new(&o->a, ValueId, from.n_operands + 1);
    TypeId *types = arena_new(&o->a, TypeId, from.n_results + 1);
    NamedAttr *attrs = arena_new(&o->a, NamedAttr, from.n_attrs);
    uint32_t n_attrs = 0;
    operands[0] = token;
    types[0] = o->token_type;
    for (uint32_t i = 0; i < from.n_operands; i++) operands[i + 1] = o->map[op_operand(m, op, i)];
    for (uint32_t i = 0; i < from.n_results; i++) types[i + 1] = value_type(m, from.first_result + i);
    for (uint32_t i = 0; i < from.n_attrs; i++) {
        NamedAttr attr = m->op_attrs.at[from.first_attr + i];
        if (attr.name == A_manual) continue;
        if (attr.name == A_operand_layouts || attr.name == A_result_layouts)
            attr.value = with_token_layout(o, attr.value);
        attrs[n_attrs++] = attr;
    }
    return op_new(m, into,
                  &(OpSpec){.kind = OP_custom_call,
                            .operands = operands,
                            .n_operands = from.n_operands + 1,
                            .results = types,
                            .n_results = from.n_results + 1,
                            .attrs = attrs,
                            .n_attrs = n_attrs,
                            .loc = from.loc,
                            .source = from.source});
}

static ValueId on_first_device(Ordering *o, RegionId into) {
    TypeId number = type_tensor(o->m, EL_UI32, 0, NULL);
    ValueId operands[] = {add_op(o, into, OP_partition_id, NULL, 0, number, NULL, 0), NO_ID};
    operands[1] = add_splat(o, into, number);
    NamedAttr equal = {A_comparison_direction, attr_enum(o->m, ENUM_COMPARISON_DIRECTION, "EQ")};
    return add_op(o, into, OP_compare, operands, 2, type_tensor(o->m, EL_I1, 0, NULL), &equal, 1);
}

// The value that the first device has, on all of them.
static ValueId from_first_device(Ordering *o, RegionId into, ValueId v) {
    Module *m = o->m;
    TypeId type = value_type(m, v);
    const Type *t = type_get(m, type);
    uint32_t rank = t->rank + 1;
    int64_t *one = arena_new(&o->a, int64_t, rank), *all = arena_new(&o->a, int64_t, rank);
    int64_t *zeros = arena_new(&o->a, int64_t, rank), *ones = arena_new(&o->a, int64_t, rank);
    for (uint32_t d = 0; d < rank; d++) {
        one[d] = all[d] = d ? t->dims[d - 1] : 1;
        zeros[d] = 0;
        ones[d] = 1;
    }
    all[0] = o->n_devices;
    Elem elem = (Elem)t->elem;
    v = add_op(o, into, OP_reshape, &v, 1, type_tensor(m, elem, rank, one), NULL, 0);
    int64_t dims[2] = {1, o->n_devices}, *ids = arena_new(&m->arena, int64_t, o->n_devices);
    for (int64_t i = 0; i < o->n_devices; i++) ids[i] = i;
    FieldValue fields[] = {{.field = RF_CHANNEL_HANDLE_handle, .i = ++o->handle},
                           {.field = RF_CHANNEL_HANDLE_type, .i = 1}};
    NamedAttr attrs[] = {
        {A_all_gather_dim, attr_int(m, 0, EL_I64)},
        {A_channel_handle, attr_record(m, RECORD_CHANNEL_HANDLE, fields, 2)},
        {A_replica_groups, attr_dense_bytes(m, type_tensor(m, EL_I64, 2, dims), ids, (size_t)dims[1] * sizeof *ids)},
        {A_use_global_device_ids, attr_unit(m)}};
    v = add_op(o, into, OP_all_gather, &v, 1, type_tensor(m, elem, rank, all), attrs, 4);
    NamedAttr bounds[] = {{A_start_indices, attr_ints(m, zeros, rank)},
                          {A_limit_indices, attr_ints(m, one, rank)},
                          {A_strides, attr_ints(m, ones, rank)}};
    v = add_op(o, into, OP_slice, &v, 1, type_tensor(m, elem, rank, one), bounds, 3);
    return add_op(o, into, OP_reshape, &v, 1, type, NULL, 0);
}

static void copy_effect(Ordering *o, RegionId into, OpId op) {
    Module *m = o->m;
    Op from = *op_get(m, op);
    o->loc = from.loc;
    ValueId token = current_token(o, into), first;
    bool everywhere = o->n_devices == 1 || op_attr(m, op, A_manual) != NO_ID;
    if (everywhere) {
        first = op_result(m, add_call(o, into, op, token), 0);
    } else {
        ValueId yes = on_first_device(o, into);
        TypeId *types = arena_new(&o->a, TypeId, from.n_results + 1);
        ValueId *values = arena_new(&o->a, ValueId, from.n_results + 1);
        types[0] = o->token_type;
        for (uint32_t i = 0; i < from.n_results; i++) types[i + 1] = value_type(m, from.first_result + i);
        OpId branch = op_new(m, into,
                             &(OpSpec){.kind = OP_if,
                                       .operands = &yes,
                                       .n_operands = 1,
                                       .results = types,
                                       .n_results = from.n_results + 1,
                                       .n_regions = 2,
                                       .loc = from.loc});
        RegionId then = op_region(m, branch, 0), other = op_region(m, branch, 1);
        OpId call = add_call(o, then, op, token);
        for (uint32_t i = 0; i <= from.n_results; i++) values[i] = op_result(m, call, i);
        add_return(o, then, values, from.n_results + 1);
        values[0] = token;
        for (uint32_t i = 0; i < from.n_results; i++) values[i + 1] = add_splat(o, other, types[i + 1]);
        add_return(o, other, values, from.n_results + 1);
        first = op_result(m, branch, 0);
    }
    *token_in(o, into) = first;
    for (uint32_t i = 0; i < from.n_results; i++) {
        ValueId v = first + 1 + i;
        o->map[from.first_result + i] = everywhere ? v : from_first_device(o, into, v);
    }
}

// ---- What stands around it ------------------------------------------------------------------------------------------

// A `while`, `if` or `case` that hands the token on: as one more carried value, or one more result.
static OpId copy_around(Ordering *o, RegionId into, OpId op) {
    Module *m = o->m;
    Op from = *op_get(m, op);
    o->loc = from.loc;
    bool loop = from.kind == OP_while;
    ValueId token = current_token(o, into);
    ValueId *operands = arena_new(&o->a, ValueId, from.n_operands + 1);
    TypeId *types = arena_new(&o->a, TypeId, from.n_results + 1);
    for (uint32_t i = 0; i < from.n_operands; i++) operands[i] = o->map[op_operand(m, op, i)];
    operands[from.n_operands] = token;
    for (uint32_t i = 0; i < from.n_results; i++) types[i] = value_type(m, from.first_result + i);
    types[from.n_results] = o->token_type;
    OpId made = op_new(m, into,
                       &(OpSpec){.kind = (OpKind)from.kind,
                                 .operands = operands,
                                 .n_operands = from.n_operands + loop,
                                 .results = types,
                                 .n_results = from.n_results + 1,
                                 .attrs = m->op_attrs.at + from.first_attr,
                                 .n_attrs = from.n_attrs,
                                 .n_regions = from.n_regions,
                                 .loc = from.loc,
                                 .source = from.source});
    for (uint32_t i = 0; i < from.n_results; i++) o->map[from.first_result + i] = op_result(m, made, i);
    for (uint32_t k = 0; k < from.n_regions; k++) {
        Region r = m->regions.at[op_region(m, op, k)];
        RegionId to = op_region(m, made, k);
        for (uint32_t i = 0; i < r.n_args; i++)
            o->map[r.first_arg + i] = region_add_argument(m, to, value_type(m, r.first_arg + i));
        ValueId inside = loop ? region_add_argument(m, to, o->token_type) : token;
        *token_in(o, to) = inside;
    }
    *token_in(o, into) = op_result(m, made, from.n_results);
    return made;
}

// A condition returns its answer alone; the others return the token too.
static OpId copy_end(Ordering *o, RegionId into, OpId op) {
    Module *m = o->m;
    Op from = *op_get(m, op);
    ValueId *operands = arena_new(&o->a, ValueId, from.n_operands + 1);
    for (uint32_t i = 0; i < from.n_operands; i++) operands[i] = o->map[op_operand(m, op, i)];
    operands[from.n_operands] = *token_in(o, into);
    return op_new(m, into,
                  &(OpSpec){.kind = (OpKind)from.kind,
                            .operands = operands,
                            .n_operands = from.n_operands + 1,
                            .loc = from.loc,
                            .source = from.source});
}

static bool hands_token_on(const Ordering *o, OpId op) {
    OpKind k = op_kind(o->m, op);
    return o->ordered[op] && runs_regions(k);
}

static bool ends_with_token(const Ordering *o, OpId op) {
    const Module *m = o->m;
    RegionId r = op_get(m, op)->parent;
    OpId around = m->regions.at[r].parent;
    if (!op_is_terminator(op_kind(m, op)) || around == NO_ID || !hands_token_on(o, around)) return false;
    return op_kind(m, around) != OP_while || r != op_region(m, around, 0);
}

static bool *find_effects(const Module *m, Arena *a, bool *any) {
    bool *ordered = arena_zalloc(a, m->ops.n);
    *any = false;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) {
        if (!op_is_effect(m, op)) continue;
        *any = true;
        for (OpId up = op; up != NO_ID && !ordered[up]; up = m->regions.at[op_get(m, up)->parent].parent)
            ordered[up] = true;
    }
    return ordered;
}

static OpId copy_ordered(void *arg, Cursor c, ValueId *map) {
    Ordering *o = arg;
    o->map = map;
    if (op_is_effect(o->m, c.op)) return copy_effect(o, c.into, c.op), NO_ID;
    if (hands_token_on(o, c.op)) return copy_around(o, c.into, c.op);
    if (ends_with_token(o, c.op)) return copy_end(o, c.into, c.op);
    return rebuild_shallow(o->m, c.into, c.op, map);
}

void order_callbacks(Module *m, int64_t n_devices, int64_t handle) {
    Ordering o = {.m = m, .n_devices = n_devices, .handle = handle, .loc = NO_ID};
    arena_init(&o.a, m->ctx);
    bool any;
    o.ordered = find_effects(m, &o.a, &any);
    if (any) {
        o.token_type = type_intern(m, &(Type){.kind = TYPE_TOKEN, .encoding = NO_ID});
        rebuild_module(m, copy_ordered, &o);
    }
    arena_free(&o.a);
}
