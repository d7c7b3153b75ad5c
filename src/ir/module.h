// Module: one program. Types, attributes, values, ops and regions are small integer ids into arrays that the module owns.
//
//     for (OpId op = m->regions.at[r].first; op != NO_ID; op = m->ops.at[op].next) …        ops of a region, in order
//     ValueId x = op_operand(m, op, 0);   TypeId t = value_type(m, x);   const Type *ty = type_get(m, t);
//
// Every region has exactly one block. Region 0 is the body of the module: its ops are func.func (and sdy.mesh).
// Passes never move ops about in place: they build new ones (builder below) or rebuild the module (ir/pass/rebuild.h).
#ifndef PARTIR_IR_MODULE_H
#define PARTIR_IR_MODULE_H

#include "ir/op.h"
#include "support/diag.h"
#include "support/hash.h"

typedef uint32_t OpId;
typedef uint32_t ValueId;
typedef uint32_t RegionId;
typedef uint32_t LocId;

typedef struct Op {
    uint16_t kind; // OpKind
    uint16_t n_attrs;
    uint32_t n_operands, first_operand; // into Module.operands
    uint32_t n_results, first_result;   // results are consecutive values
    uint32_t first_attr;                // into Module.op_attrs
    uint32_t n_regions, first_region;   // into Module.op_regions
    RegionId parent;                    // the region this op stands in
    OpId next;                          // NO_ID at the end of the region
    LocId loc;                          // NO_ID without
    uint32_t source;                    // offset in the source text, for diagnostics
} Op;

typedef struct Value {
    TypeId type;
    uint32_t index : 31; // which result or region argument
    uint32_t is_arg : 1; // an argument of region `owner`; otherwise a result of op `owner`
    uint32_t owner;
} Value;

typedef struct Region {
    OpId parent; // NO_ID for region 0
    OpId first, last;
    ValueId first_arg; // arguments are consecutive values
    uint32_t n_args;
    const LocId *arg_locs; // of the arguments, NULL without
} Region;

// Where an op came from in the user's program.
typedef enum LocKind {
    LOC_UNKNOWN,
    LOC_FILE,     // name = file, line, column (end_line/end_column if a range)
    LOC_NAME,     // name, child or NO_ID
    LOC_CALLSITE, // child (callee) at other (caller)
    LOC_FUSED,    // children
    LOC_ALIAS,    // #locN before it is resolved: child
    LOC_OPAQUE
} LocKind;

#define MAX_CALLSITE_DEPTH 32 // of calls that are inlined within one another

typedef struct Loc {
    uint8_t kind;
    NameId name;
    uint32_t line, column, end_line, end_column;
    LocId child, other;
    uint32_t n_children;
    const LocId *children;
    AttrId metadata; // fused<metadata>[…]
} Loc;

typedef struct Module {
    Context *ctx;
    Arena arena;   // everything below
    Source source; // the text constants still point into
    VEC(Type) types;
    VEC(Quant) quants;
    VEC(Attr) attrs;
    VEC(Span) names; // interned strings; first the attribute names of the op table (A_COUNT), then the names of ops
    VEC(Op) ops;
    VEC(Value) values;
    VEC(ValueId) operands;
    VEC(NamedAttr) op_attrs;
    VEC(Region) regions;
    VEC(RegionId) op_regions;
    VEC(Loc) locs;
    IdMap type_map, quant_map, attr_map, name_map;
    IdMap function_map; // func.func by symbol
    NameId symbol;      // module @symbol or NO_ID
    LocId loc;          // of the module itself, NO_ID without
    uint32_t n_module_attrs;
    const NamedAttr *module_attrs;
    uint32_t n_resources; // {-# dialect_resources … #-} blobs
    const struct Resource {
        NameId dialect, key;
        Span hex; // digits after 0x, the first 8 of which are the alignment
    } * resources;
    // Paths of @main's arguments and results (ir/names.h); NULL until named.
    const char **argument_names, **result_names;
} Module;

Module *module_new(Context *ctx); // with the builtin names; all memory in its own arena
void module_free(Module *m);

// ---- Names, types, attributes: interned -------------------------------------------------------------------------------------
NameId name_intern(Module *m, Span s);           // copies the bytes if new
NameId name_find(const Module *m, Span s);       // NO_ID if nobody interned it
OpKind op_from_name(const Module *m, Span name); // OP_COUNT if there is no such op
static inline Span name_get(const Module *m, NameId id) { return m->names.at[id]; }
int name_compare(const Module *m, NameId a, NameId b); // by bytes

TypeId type_tensor(Module *m, Elem elem, uint32_t rank, const int64_t *dims);
TypeId type_intern(Module *m, const Type *t);     // any kind; dims, parts and text are copied if new
uint32_t quant_intern(Module *m, const Quant *q); // index for Type.quant; scales, zeros and text are copied if new
TypeId type_scalar(Module *m, Elem elem);
TypeId type_like(Module *m, TypeId t,
                 const int64_t *dims); // the same element type (quantization too) and rank, other dims
static inline const Type *type_get(const Module *m, TypeId t) { return &m->types.at[t]; }
bool type_is_static(const Type *t); // a tensor with no dynamic dimension
// Number of elements; false if dynamic or above INT64_MAX.
bool type_elements(const Type *t, int64_t *n);
// Bytes in memory (elem_bits, sub-byte types packed), as XLA would count.
bool type_bytes(const Type *t, int64_t *n);

AttrId attr_intern(Module *m, const Attr *a); // items, ints, … are copied if new; text is borrowed
AttrId attr_unit(Module *m);
AttrId attr_bool(Module *m, bool b);
AttrId attr_int(Module *m, int64_t v, Elem elem);
AttrId attr_string(Module *m, Span s); // copies
AttrId attr_symbol(Module *m, Span s); // copies
AttrId attr_type(Module *m, TypeId t);
AttrId attr_ints(Module *m, const int64_t *v, uint32_t n); // array<i64: …>
AttrId attr_array(Module *m, const AttrId *items, uint32_t n);
AttrId attr_dict(Module *m, const NamedAttr *entries, uint32_t n);
AttrId attr_enum(Module *m, EnumKind kind, const char *value);
AttrId attr_record(Module *m, RecordKind kind, const FieldValue *fields, uint32_t n);
AttrId attr_dense_bytes(Module *m, TypeId type, const void *bytes, size_t n); // borrows; n of one element = splat
AttrId attr_dense_i64(Module *m, uint32_t rank, const int64_t *dims, const int64_t *values); // dense<…> : tensor<…xi64>
static inline const Attr *attr_get(const Module *m, AttrId a) { return &m->attrs.at[a]; }

// The numbers of a constant (ir/dense.c).
bool attr_is_splat(const Module *m, const Attr *a);
// Whether the numbers of an ATTR_DENSE of text or hex have the shape of its type and the range of its elements.
bool attr_dense_fits(const Module *m, const Attr *a);
// Decodes into `out`: elem_bytes each, unpacked, little-endian. A splat is written once for each element. False if the text is malformed or does not fit the type.
bool attr_dense_decode(const Module *m, const Attr *a, void *out, size_t out_bytes);
// The integers of a small dense attribute or ATTR_INTS (replica groups, padding), in the module's arena; NULL if they are no integers.
const int64_t *attr_to_ints(Module *m, AttrId a, uint32_t *n);
// The value of a splat (or one-element) constant as a double / int64; false if it is none.
bool attr_splat_double(const Module *m, const Attr *a, double *out);
bool attr_splat_int(const Module *m, const Attr *a, int64_t *out);

// ---- Reading ops --------------------------------------------------------------------------------------------------------------
static inline Op *op_get(const Module *m, OpId op) { return &m->ops.at[op]; }
static inline OpKind op_kind(const Module *m, OpId op) { return (OpKind)m->ops.at[op].kind; }
static inline ValueId op_operand(const Module *m, OpId op, uint32_t i) {
    return m->operands.at[m->ops.at[op].first_operand + i];
}
static inline const ValueId *op_operands(const Module *m, OpId op) {
    return m->operands.at + m->ops.at[op].first_operand;
}
static inline ValueId op_result(const Module *m, OpId op, uint32_t i) { return m->ops.at[op].first_result + i; }
static inline RegionId op_region(const Module *m, OpId op, uint32_t i) {
    return m->op_regions.at[m->ops.at[op].first_region + i];
}
static inline TypeId value_type(const Module *m, ValueId v) { return m->values.at[v].type; }
// The region a value belongs to: in which it is an argument, or stands the op that gives it.
static inline RegionId value_region(const Module *m, ValueId v) {
    const Value *val = &m->values.at[v];
    return val->is_arg ? val->owner : op_get(m, val->owner)->parent;
}
// The op of region `r` that is `op` or has it inside; NO_ID if `op` is not within `r`.
static inline OpId op_within(const Module *m, OpId op, RegionId r) {
    while (op != NO_ID && op_get(m, op)->parent != r) {
        RegionId parent = op_get(m, op)->parent;
        if (parent == NO_ID) return NO_ID;
        op = m->regions.at[parent].parent;
    }
    return op;
}
static inline const Type *value_tensor(const Module *m, ValueId v) { return &m->types.at[m->values.at[v].type]; }
static inline const Type *operand_type(const Module *m, OpId op, uint32_t i) {
    return value_tensor(m, op_operand(m, op, i));
}
static inline const Type *result_type(const Module *m, OpId op, uint32_t i) {
    return value_tensor(m, op_result(m, op, i));
}
static inline OpId region_terminator(const Module *m, RegionId r) { return m->regions.at[r].last; }

// All ops in program order, an op before those in its regions:
//     for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) …
static inline OpId module_first(const Module *m) { return m->regions.at[0].first; }
OpId op_walk_past(const Module *m, OpId op);                     // the same, but not into the regions of `op`
OpId op_walk_around(const Module *m, OpId op);                   // op_walk at the ends of regions
static inline OpId op_walk(const Module *m, OpId op) {
    const Op *o = op_get(m, op);
    return o->n_regions == 0 && o->next != NO_ID ? o->next : op_walk_around(m, op);
}
uint32_t op_region_number(const Module *m, OpId op, RegionId r); // op_region(m, op, number) == r

AttrId op_attr(const Module *m, OpId op, NameId name); // NO_ID if absent
// Typed access with a default for absent attributes.
int64_t op_attr_int(const Module *m, OpId op, AttrName name, int64_t absent);
bool op_attr_bool(const Module *m, OpId op, AttrName name, bool absent);
const int64_t *op_attr_ints(const Module *m, OpId op, AttrName name, uint32_t *n); // ATTR_INTS; NULL and 0 if absent
Span op_attr_text(const Module *m, OpId op, AttrName name); // string, symbol or enum value; empty if absent
const int64_t *record_ints(const Module *m, AttrId record, RecordField f,
                           uint32_t *n); // NULL and 0 if the field is absent
int64_t record_int(const Module *m, AttrId record, RecordField f, int64_t absent);

AttrId module_attr(const Module *m, Span name);        // of the module itself; NO_ID if absent
OpId module_find_function(const Module *m, Span name); // func.func by symbol; NO_ID if none
OpId module_main(const Module *m);                     // @main, or the only public function; NO_ID if none

// ---- Building -----------------------------------------------------------------------------------------------------------------
typedef struct OpSpec {
    OpKind kind;
    const ValueId *operands;
    uint32_t n_operands;
    const TypeId *results;
    uint32_t n_results;
    const NamedAttr *attrs;
    uint32_t n_attrs;
    uint32_t n_regions;
    LocId loc;
    uint32_t source;
} OpSpec;

// An op with one result and no region.
static inline OpSpec value_spec(OpKind kind, const ValueId *operands, uint32_t n, const TypeId *type, const NamedAttr *attrs,
                                uint32_t n_attrs) {
    return (OpSpec){.kind = kind,
                    .operands = operands,
                    .n_operands = n,
                    .results = type,
                    .n_results = 1,
                    .attrs = attrs,
                    .n_attrs = n_attrs};
}

// Appends to the end of region `into` (NO_ID: nowhere yet). Its regions are created empty.
OpId op_new(Module *m, RegionId into, const OpSpec *spec);
// An op with one result and no region: its result.
ValueId op_new_value(Module *m, RegionId into, OpKind kind, const ValueId *operands, uint32_t n, TypeId type,
                     const NamedAttr *attrs, uint32_t n_attrs, LocId loc);
void op_append(Module *m, RegionId into, OpId op); // an op that stands nowhere yet
RegionId region_new(Module *m, OpId parent);
ValueId region_add_argument(Module *m, RegionId r,
                            TypeId t); // before other values are made for r's ops: arguments are consecutive
void op_set_attr(Module *m, OpId op, NameId name, AttrId value); // replaces or adds
LocId loc_add(Module *m, const Loc *l);

// ---- Uses ---------------------------------------------------------------------------------------------------------------------
// For each value, the (op, operand index) pairs that use it, in program order.
typedef struct Use {
    OpId op;
    uint32_t operand;
} Use;
typedef struct Uses {
    uint32_t *first; // n_values + 1 entries
    Use *at;
} Uses;
Uses uses_build(const Module *m, Arena *a);

#endif
