// Float normalization: one walk in program order, as in XLA.
//
// Each op of bf16 becomes an op of f32, and its uses read the f32 result. A conversion is made when it is first needed, and is
// placed directly behind the op that it converts, so that inner regions share it.
#include "sim/transform/transform.h"
#include "sim/backend/rules.h"
#include "sim/schedule/schedule.h"

typedef struct FloatNormalization {
    Module *m;
    const Value *given; // the values of the program that was given
    uint32_t n_given;
    TypeId *as_f32_type; // by type: the same of f32; NO_ID if nobody asked
    ValueId *first;      // by value: the one that stands for it
    ValueId *rounded;    // by value that is computed as f32: its bf16, or NO_ID
    ValueId *as_f32;     // by value: its f32, or NO_ID
    SimProgram *p;       // with room for the conversions
} FloatNormalization;

// ---- Which ops ------------------------------------------------------------------------------------------------------

// Ops that take and give bf16: those that compute nothing, and sums that a library has for it. An update in place is
// fused with the conversions around it.
static bool is_native(const Module *m, OpId op) {
    OpKind k = op_kind(m, op);
    switch (k) {
    case OP_constant:
    case OP_convert:
    case OP_custom_call:
    case OP_dynamic_update_slice:
    case OP_optimization_barrier: return true;
    case OP_reduce: return library_reduces(m, op);
    default: return runs_regions(k) || op_is_terminator(k);
    }
}

// What only moves elements about is moved as f32 with no rounding between.
static bool is_moved(OpKind k) {
    return k == OP_broadcast_in_dim || k == OP_partir_tag || k == OP_reshape || k == OP_transpose;
}

// ---- Conversions ----------------------------------------------------------------------------------------------------

static bool is_bf16(const FloatNormalization *n, ValueId v) { return n->m->types.at[n->given[v].type].elem == EL_BF16; }

static bool is_computed(const FloatNormalization *n, ValueId v) { return value_type(n->m, v) != n->given[v].type; }

static TypeId f32_type(FloatNormalization *n, TypeId t) {
    Module *m = n->m;
    if (n->as_f32_type[t] != NO_ID) return n->as_f32_type[t];
    Type as_f32_type = m->types.at[t];
    as_f32_type.elem = EL_F32;
    as_f32_type.bytes *= 2;
    m->types.at[m->types.n] = as_f32_type;
    return n->as_f32_type[t] = m->types.n++;
}

// A conversion behind what gives `v`, which `reader` asks for first.
static ValueId insert_convert(FloatNormalization *n, ValueId v, TypeId to, OpId reader) {
    Module *m = n->m;
    const Value *from = &m->values.at[v];
    OpId op = m->ops.n++, named = from->is_arg ? reader : from->owner;
    ValueId out = m->values.n++;
    RegionId r = value_region(m, v);
    OpId *link = from->is_arg ? &m->regions.at[r].first : &m->ops.at[named].next;
    m->operands.at[m->operands.n] = v;
    m->ops.at[op] = (Op){.kind = OP_convert,
                         .n_operands = 1,
                         .first_operand = m->operands.n++,
                         .n_results = 1,
                         .first_result = out,
                         .parent = r,
                         .next = *link,
                         .loc = NO_ID};
    *link = op;
    m->values.at[out] = (Value){.type = to, .owner = op};
    n->p->op[op] = n->p->op[named];
    n->p->value[out] = n->p->value[v];
    return out;
}

static ValueId rounded_value(FloatNormalization *n, ValueId v, OpId reader) {
    if (!is_computed(n, v)) return v;
    if (n->rounded[v] == NO_ID) n->rounded[v] = insert_convert(n, v, n->given[v].type, reader);
    return n->rounded[v];
}

static ValueId as_f32(FloatNormalization *n, ValueId v, OpId reader) {
    if (n->as_f32[v] == NO_ID) {
        ValueId from = rounded_value(n, v, reader);
        n->as_f32[v] = insert_convert(n, from, f32_type(n, n->given[v].type), reader);
    }
    return n->as_f32[v];
}

// ---- The walk -------------------------------------------------------------------------------------------------------

// Whether the op converts to f32 what is there as f32 already.
static bool is_f32_already(FloatNormalization *n, OpId op) {
    const Op *o = op_get(n->m, op);
    if (o->kind != OP_convert || result_type(n->m, op, 0)->elem != EL_F32) return false;
    ValueId v = n->first[n->m->operands.at[o->first_operand]];
    if (v >= n->n_given || !is_bf16(n, v)) return false;
    if (is_computed(n, v))
        n->first[o->first_result] = v;
    else if (n->as_f32[v] != NO_ID)
        n->first[o->first_result] = n->as_f32[v];
    else
        n->as_f32[v] = o->first_result;
    return n->first[o->first_result] != o->first_result;
}

static void visit(FloatNormalization *n, OpId op) {
    Module *m = n->m;
    const Op *o = op_get(m, op);
    bool native = is_native(m, op);
    for (uint32_t k = o->first_operand, end = k + o->n_operands; k < end; k++) {
        ValueId v = m->operands.at[k] = n->first[m->operands.at[k]];
        if (v >= n->n_given || !is_bf16(n, v)) continue;
        m->operands.at[k] = native ? rounded_value(n, v, op) : as_f32(n, v, op);
    }
    for (ValueId v = o->first_result, end = v + o->n_results; v < end && !native; v++) {
        if (!is_bf16(n, v)) continue;
        m->values.at[v].type = f32_type(n, n->given[v].type);
        if (is_moved((OpKind)o->kind)) n->as_f32[v] = v;
    }
}

static void visit_region(FloatNormalization *n, RegionId r) {
    Module *m = n->m;
    OpId *link = &m->regions.at[r].first; // to the op under way
    for (OpId op = *link, next; op != NO_ID; op = next) {
        next = op_get(m, op)->next;
        bool there = is_f32_already(n, op);
        if (!there) visit(n, op);
        while (*link != op) link = &m->ops.at[*link].next; // past conversions for it
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++)
            visit_region(n, op_region(m, op, i));
        if (there)
            *link = next;
        else
            link = &m->ops.at[op].next;
    }
}

void normalize_floats(SimProgram *p, Arena *a) {
    Module *m = p->m;
    uint32_t n_types = 0, n_bf16 = 0;
    for (TypeId t = 0; t < m->types.n; t++) n_types += m->types.at[t].elem == EL_BF16;
    for (ValueId v = 0; n_types && v < m->values.n; v++) n_bf16 += value_tensor(m, v)->elem == EL_BF16;
    if (!n_bf16) return;
    size_t by_value = m->values.n * sizeof(ValueId), by_type = m->types.n * sizeof(TypeId);
    FloatNormalization n = {.m = m,
                            .p = p,
                            .given = memcpy(arena_new(a, Value, m->values.n), m->values.at, m->values.n * sizeof(Value)),
                            .n_given = m->values.n,
                            .as_f32_type = memset(arena_alloc(a, by_type), 0xff, by_type),
                            .first = arena_alloc(a, by_value),
                            .rounded = memset(arena_alloc(a, by_value), 0xff, by_value),
                            .as_f32 = memset(arena_alloc(a, by_value), 0xff, by_value)};
    for (ValueId v = 0; v < m->values.n; v++) n.first[v] = v;
    make_room(p, 2 * n_bf16, a);
    Type *types = arena_new(a, Type, m->types.n + n_types); // those so far are the given program's
    m->types.at = memcpy(types, m->types.at, m->types.n * sizeof *types);
    visit_region(&n, op_region(m, module_main(m), 0));
}
