// Module: creation, interned names, the builder of ops and regions, and walks over them.
#include "ir/module.h"
#include <assert.h>

// It is no other's, and lives as long as the program.
static void add_builtin_name(Module *m, Span name) {
    vec_push(&m->arena, &m->names, name);
    idmap_add(&m->name_map, span_hash(name), m->names.n - 1);
}

static void add_builtin_names(Module *m) {
    enum { N = (int)A_COUNT + (int)OP_COUNT };
    vec_reserve(&m->arena, &m->names, (uint64_t)N);
    idmap_reserve(&m->name_map, N);
#define ATTR_NAME(id) add_builtin_name(m, SPAN(#id));
#include "ir/attr_names.def"
    for (uint32_t k = 0; k < OP_COUNT; k++) add_builtin_name(m, span_of(op_info[k].name));
    assert(m->names.n == N);
}

Module *module_new(Context *ctx) {
    Arena arena;
    arena_init(&arena, ctx);
    Module *m = arena_zalloc(&arena, sizeof *m);
    m->ctx = ctx;
    arena_move(&m->arena, &arena);
    IdMap *maps[] = {&m->type_map, &m->quant_map, &m->attr_map, &m->name_map, &m->function_map};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) idmap_init(maps[i], &m->arena);
    vec_open(&m->arena, &m->values);
    vec_open(&m->arena, &m->operands);
    vec_open(&m->arena, &m->op_attrs);
    vec_open(&m->arena, &m->op_regions);
    m->symbol = m->loc = NO_ID;
    add_builtin_names(m);
    region_new(m, NO_ID);
    return m;
}

void module_free(Module *m) {
    if (!m) return;
    arena_free(&m->arena);
}

// ---- Names ----------------------------------------------------------------------------------------------------------

static NameId find_name(const Module *m, Span s, uint32_t hash) {
    for (uint32_t p = hash, id; (id = idmap_probe(&m->name_map, hash, &p)) != IDMAP_END;)
        if (span_eq(m->names.at[id], s)) return id;
    return NO_ID;
}

NameId name_find(const Module *m, Span s) { return find_name(m, s, span_hash(s)); }

int name_compare(const Module *m, NameId a, NameId b) {
    if (a < A_COUNT && b < A_COUNT) return a < b ? -1 : a > b; // the table of names is sorted
    Span x = name_get(m, a), y = name_get(m, b);
    int order = memcmp(x.at, y.at, x.n < y.n ? x.n : y.n);
    return order ? order : x.n < y.n ? -1 : x.n > y.n;
}

NameId name_intern(Module *m, Span s) {
    uint32_t hash = span_hash(s);
    NameId id = find_name(m, s, hash);
    if (id != NO_ID) return id;
    char *bytes = arena_alloc(&m->arena, s.n + 1);
    if (s.n) memcpy(bytes, s.at, s.n);
    bytes[s.n] = 0;
    vec_push(&m->arena, &m->names, ((Span){bytes, s.n}));
    idmap_add(&m->name_map, hash, m->names.n - 1);
    return m->names.n - 1;
}

OpKind op_from_name(const Module *m, Span name) {
    NameId id = name_find(m, name);
    return id >= A_COUNT && id < (uint32_t)A_COUNT + OP_COUNT ? (OpKind)(id - A_COUNT) : OP_COUNT;
}

// ---- Building -------------------------------------------------------------------------------------------------------

RegionId region_new(Module *m, OpId parent) {
    vec_push(&m->arena, &m->regions, ((Region){.parent = parent, .first = NO_ID, .last = NO_ID, .first_arg = NO_ID}));
    return m->regions.n - 1;
}

ValueId region_add_argument(Module *m, RegionId r, TypeId t) {
    Region *region = &m->regions.at[r];
    if (!region->n_args) region->first_arg = m->values.n;
    assert(region->first_arg + region->n_args == m->values.n);
    vec_push(&m->arena, &m->values, ((Value){.type = t, .index = region->n_args & INT32_MAX, .is_arg = 1, .owner = r}));
    region->n_args++;
    return m->values.n - 1;
}

static void remember_function(Module *m, OpId op) {
    Span name = op_attr_text(m, op, A_sym_name);
    idmap_add(&m->function_map, span_hash(name), op);
}

void op_append(Module *m, RegionId into, OpId op) {
    Region *r = &m->regions.at[into];
    m->ops.at[op].parent = into;
    if (r->last == NO_ID)
        r->first = op;
    else
        m->ops.at[r->last].next = op;
    r->last = op;
}

// The lists of a spec may be those of another op, in the very array that grows here. Most have one or two elements, which a
// loop copies sooner than memcpy does.
#define APPEND_LIST(m, vec, list, count)                                                                               \
    do {                                                                                                               \
        if ((count) == 0) break;                                                                                       \
        uintptr_t base_ = (uintptr_t)(vec)->at, from_ = (uintptr_t)(list);                                             \
        bool inside_ = from_ >= base_ && from_ < base_ + (uintptr_t)(vec)->n * sizeof *(vec)->at;                      \
        size_t place_ = inside_ ? (from_ - base_) / sizeof *(vec)->at : 0;                                             \
        uint32_t first_ = (vec)->n;                                                                                    \
        (void)vec_extend(&(m)->arena, (vec), (count));                                                                 \
        if ((count) > 8)                                                                                               \
            memcpy((vec)->at + first_, inside_ ? (vec)->at + place_ : (list), (count) * sizeof *(vec)->at);            \
        else                                                                                                           \
            for (uint32_t i_ = 0; i_ < (count); i_++)                                                                  \
                (vec)->at[first_ + i_] = inside_ ? (vec)->at[place_ + i_] : (list)[i_];                                \
    } while (0)

OpId op_new(Module *m, RegionId into, const OpSpec *spec) {
    OpId id = m->ops.n;
    assert(spec->n_attrs <= UINT16_MAX);
    Op op = {.kind = (uint16_t)spec->kind,
             .n_attrs = (uint16_t)spec->n_attrs,
             .n_operands = spec->n_operands,
             .first_operand = m->operands.n,
             .n_results = spec->n_results,
             .first_result = m->values.n,
             .first_attr = m->op_attrs.n,
             .n_regions = spec->n_regions,
             .first_region = m->op_regions.n,
             .parent = into,
             .next = NO_ID,
             .loc = spec->loc,
             .source = spec->source};
    vec_push(&m->arena, &m->ops, op);
    APPEND_LIST(m, &m->operands, spec->operands, spec->n_operands);
    APPEND_LIST(m, &m->op_attrs, spec->attrs, spec->n_attrs);
    Value *results = vec_extend(&m->arena, &m->values, spec->n_results);
    for (uint32_t i = 0; i < spec->n_results; i++)
        results[i] = (Value){.type = spec->results[i], .index = i & INT32_MAX, .owner = id};
    for (uint32_t i = 0; i < spec->n_regions; i++) {
        RegionId r = region_new(m, id);
        vec_push(&m->arena, &m->op_regions, r);
    }
    if (into != NO_ID) op_append(m, into, id);
    if (spec->kind == OP_func_func && op_attr(m, id, A_sym_name) != NO_ID) remember_function(m, id);
    return id;
}

ValueId op_new_value(Module *m, RegionId into, OpKind kind, const ValueId *operands, uint32_t n, TypeId type,
                     const NamedAttr *attrs, uint32_t n_attrs, LocId loc) {
    OpSpec spec = value_spec(kind, operands, n, &type, attrs, n_attrs);
    spec.loc = loc;
    return op_result(m, op_new(m, into, &spec), 0);
}

void op_set_attr(Module *m, OpId op, NameId name, AttrId value) {
    Op *o = op_get(m, op);
    NamedAttr *at = m->op_attrs.at + o->first_attr;
    uint32_t i = 0;
    while (i < o->n_attrs && at[i].name != name) i++;
    if (i < o->n_attrs) {
        at[i].value = value;
    } else {
        if (o->first_attr + o->n_attrs != m->op_attrs.n) {
            uint32_t moved = m->op_attrs.n;
            APPEND_LIST(m, &m->op_attrs, at, (uint32_t)o->n_attrs);
            o->first_attr = moved;
        }
        assert(o->n_attrs < UINT16_MAX);
        vec_push(&m->arena, &m->op_attrs, ((NamedAttr){name, value}));
        o->n_attrs++;
    }
    if (o->kind == OP_func_func && name == A_sym_name) remember_function(m, op);
}

LocId loc_add(Module *m, const Loc *l) {
    Loc loc = *l;
    vec_push(&m->arena, &m->locs, loc);
    return m->locs.n - 1;
}

// ---- Finding and walking --------------------------------------------------------------------------------------------

OpId module_find_function(const Module *m, Span name) {
    uint32_t hash = span_hash(name);
    for (uint32_t p = hash, op; (op = idmap_probe(&m->function_map, hash, &p)) != IDMAP_END;)
        if (op_get(m, op)->parent == 0 && span_eq(op_attr_text(m, op, A_sym_name), name)) return op;
    return NO_ID;
}

AttrId module_attr(const Module *m, Span name) {
    for (uint32_t i = 0; i < m->n_module_attrs; i++)
        if (span_eq(name_get(m, m->module_attrs[i].name), name)) return m->module_attrs[i].value;
    return NO_ID;
}

OpId module_main(const Module *m) {
    OpId only = module_find_function(m, SPAN("main"));
    if (only != NO_ID) return only;
    for (OpId op = module_first(m); op != NO_ID; op = op_get(m, op)->next) {
        if (op_kind(m, op) != OP_func_func || span_is(op_attr_text(m, op, A_sym_visibility), "private")) continue;
        if (only != NO_ID) return NO_ID;
        only = op;
    }
    return only;
}

// The first op in a region of `op` from region number `i` on.
static OpId first_inside(const Module *m, const Op *op, uint32_t i) {
    for (; i < op->n_regions; i++) {
        OpId first = m->regions.at[m->op_regions.at[op->first_region + i]].first;
        if (first != NO_ID) return first;
    }
    return NO_ID;
}

uint32_t op_region_number(const Module *m, OpId op, RegionId r) {
    const RegionId *regions = m->op_regions.at + op_get(m, op)->first_region;
    uint32_t guess = r - regions[0]; // made together, they are numbered together
    if (guess < op_get(m, op)->n_regions && regions[guess] == r) return guess;
    uint32_t i = 0;
    while (regions[i] != r) i++;
    return i;
}

OpId op_walk_past(const Module *m, OpId op) {
    for (;;) {
        const Op *o = op_get(m, op);
        if (o->next != NO_ID) return o->next;
        RegionId r = o->parent;
        OpId parent = m->regions.at[r].parent;
        if (parent == NO_ID) return NO_ID;
        OpId inside = first_inside(m, op_get(m, parent), op_region_number(m, parent, r) + 1);
        if (inside != NO_ID) return inside;
        op = parent;
    }
}

OpId op_walk_around(const Module *m, OpId op) {
    OpId inside = first_inside(m, op_get(m, op), 0);
    return inside != NO_ID ? inside : op_walk_past(m, op);
}

Uses uses_build(const Module *m, Arena *a) {
    Uses u = {.first = arena_zalloc(a, ((size_t)m->values.n + 1) * sizeof *u.first)};
    uint32_t total = 0;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) u.first[op_operand(m, op, i)]++;
    for (uint32_t v = 0; v <= m->values.n; v++) {
        uint32_t n = v < m->values.n ? u.first[v] : 0;
        u.first[v] = total;
        total += n;
    }
    u.at = arena_new(a, Use, total);
    // Each list is filled from its start; the starts move to the ends, which are the starts of the next.
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) u.at[u.first[op_operand(m, op, i)]++] = (Use){op, i};
    for (uint32_t v = m->values.n; v > 0; v--) u.first[v] = u.first[v - 1];
    u.first[0] = 0;
    return u;
}
