// Widening: one walk in program order, as XLA's float normalization does it.
//
// Each op of bf16 becomes one of f32; its result stands for the f32 from then on. Conversions are made where they are
// asked for first, and stand right behind what they convert, so that inner regions share them.
#include "sim/transform/float_normalization.h"
#include "sim/backend/library_fusion.h"
#include "sim/schedule/schedule.h"

typedef struct Widening {
    Module *m;
    const Value *given; // the values of the program that was given
    uint32_t n_given;
    TypeId *wide;     // by type: the same of f32; NO_ID if nobody asked
    ValueId *first;   // by value: the one that stands for it
    ValueId *rounded; // by value that is computed as f32: its bf16, or NO_ID
    ValueId *as_f32;  // by value: its f32, or NO_ID
    OpId *was_op;     // of Distinct, with room for the conversions
    ValueId *was_value;
} Widening;

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

// Ops whose operands were converted for them before anything else: these read what was never rounded.
static bool reads_exact(const Module *m, OpId op) {
    OpKind k = op_kind(m, op);
    return k == OP_partir_all_reduce || k == OP_partir_reduce_scatter ||
           ((k == OP_dot_general || k == OP_convolution) && result_type(m, op, 0)->elem == EL_F32);
}

// ---- Conversions ----------------------------------------------------------------------------------------------------

static bool is_bf16(const Widening *z, ValueId v) { return z->m->types.at[z->given[v].type].elem == EL_BF16; }

static bool is_computed(const Widening *z, ValueId v) { return value_type(z->m, v) != z->given[v].type; }

static TypeId wide_type(Widening *z, TypeId t) {
    Module *m = z->m;
    if (z->wide[t] != NO_ID) return z->wide[t];
    Type wide = m->types.at[t];
    wide.elem = EL_F32;
    wide.bytes *= 2;
    m->types.at[m->types.n] = wide;
    return z->wide[t] = m->types.n++;
}

// A conversion behind what gives `v`, which `reader` asks for first.
static ValueId convert(Widening *z, ValueId v, TypeId to, OpId reader) {
    Module *m = z->m;
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
    z->was_op[op] = z->was_op[named];
    z->was_value[out] = z->was_value[v];
    return out;
}

static ValueId rounded(Widening *z, ValueId v, OpId reader) {
    if (!is_computed(z, v)) return v;
    if (z->rounded[v] == NO_ID) z->rounded[v] = convert(z, v, z->given[v].type, reader);
    return z->rounded[v];
}

static ValueId as_f32(Widening *z, ValueId v, OpId reader) {
    if (z->as_f32[v] == NO_ID) {
        ValueId from = rounded(z, v, reader);
        z->as_f32[v] = convert(z, from, wide_type(z, z->given[v].type), reader);
    }
    return z->as_f32[v];
}

// ---- The walk -------------------------------------------------------------------------------------------------------

// Whether the op converts to f32 what is there as f32 already.
static bool is_there(Widening *z, OpId op) {
    const Op *o = op_get(z->m, op);
    if (o->kind != OP_convert || result_type(z->m, op, 0)->elem != EL_F32) return false;
    ValueId v = z->first[z->m->operands.at[o->first_operand]];
    if (v >= z->n_given || !is_bf16(z, v)) return false;
    if (is_computed(z, v))
        z->first[o->first_result] = v;
    else if (z->as_f32[v] != NO_ID)
        z->first[o->first_result] = z->as_f32[v];
    else
        z->as_f32[v] = o->first_result;
    return z->first[o->first_result] != o->first_result;
}

static void visit(Widening *z, OpId op) {
    Module *m = z->m;
    const Op *o = op_get(m, op);
    bool native = is_native(m, op), exact = reads_exact(m, op);
    for (uint32_t k = o->first_operand, end = k + o->n_operands; k < end; k++) {
        ValueId v = m->operands.at[k] = z->first[m->operands.at[k]];
        if (v >= z->n_given || !is_bf16(z, v)) continue;
        m->operands.at[k] = native ? rounded(z, v, op) : exact && is_computed(z, v) ? v : as_f32(z, v, op);
    }
    for (ValueId v = o->first_result, end = v + o->n_results; v < end && !native; v++) {
        if (!is_bf16(z, v)) continue;
        m->values.at[v].type = wide_type(z, z->given[v].type);
        if (is_moved((OpKind)o->kind)) z->as_f32[v] = v;
    }
}

static void visit_region(Widening *z, RegionId r) {
    Module *m = z->m;
    OpId *link = &m->regions.at[r].first; // to the op under way
    for (OpId op = *link, next; op != NO_ID; op = next) {
        next = op_get(m, op)->next;
        bool there = is_there(z, op);
        if (!there) visit(z, op);
        while (*link != op) link = &m->ops.at[*link].next; // past conversions for it
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++)
            visit_region(z, op_region(m, op, i));
        if (there)
            *link = next;
        else
            link = &m->ops.at[op].next;
    }
}

static void *grown(const void *from, size_t n, size_t more, size_t each, Arena *a) {
    return memcpy(arena_alloc(a, (n + more) * each), from, n * each);
}

#define GROW(vec, more) ((vec).at = grown((vec).at, (vec).n, more, sizeof *(vec).at, a))

void widen(Distinct *p, Arena *a) {
    Module *m = p->m;
    uint32_t n_types = 0, n_narrow = 0;
    for (TypeId t = 0; t < m->types.n; t++) n_types += m->types.at[t].elem == EL_BF16;
    for (ValueId v = 0; n_types && v < m->values.n; v++) n_narrow += value_tensor(m, v)->elem == EL_BF16;
    if (!n_narrow) return;
    size_t by_value = m->values.n * sizeof(ValueId), by_type = m->types.n * sizeof(TypeId);
    Widening z = {.m = m,
                  .given = m->values.at,
                  .n_given = m->values.n,
                  .wide = memset(arena_alloc(a, by_type), 0xff, by_type),
                  .first = arena_alloc(a, by_value),
                  .rounded = memset(arena_alloc(a, by_value), 0xff, by_value),
                  .as_f32 = memset(arena_alloc(a, by_value), 0xff, by_value),
                  .was_op = grown(p->op, m->ops.n, 2 * n_narrow, sizeof *p->op, a),
                  .was_value = grown(p->value, m->values.n, 2 * n_narrow, sizeof *p->value, a)};
    for (ValueId v = 0; v < m->values.n; v++) z.first[v] = v;
    GROW(m->types, n_types);
    GROW(m->values, 2 * n_narrow);
    GROW(m->ops, 2 * n_narrow);
    GROW(m->operands, 2 * n_narrow);
    visit_region(&z, op_region(m, module_main(m), 0));
    p->op = z.was_op;
    p->value = z.was_value;
}
