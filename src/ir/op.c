// The op table and the tables of enumerations and records, from their X-macros.
#include "ir/op.h"

#define LIST(...) __VA_ARGS__

// How many attributes a row lists.
enum {
#define R(name, kind)                                                               +1
#define O(name, kind)                                                               +1
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) N_ATTRS_##id = 0 LIST attrs,
#include "ir/ops.def"
#undef R
#undef O
};

#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs)                                    \
    _Static_assert(N_ATTRS_##id < OP_MAX_ATTRS, "raise OP_MAX_ATTRS for " name);
#include "ir/ops.def"

const OpInfo op_info[OP_COUNT] = {
#define R(name, kind) {A_##name, ATTR_##kind, true},
#define O(name, kind) {A_##name, ATTR_##kind, false},
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs)                                    \
    {name, in, out, rg, N_ATTRS_##id, {LIST attrs{0, 0, false}}, operands},
#include "ir/ops.def"
#undef R
#undef O
};

const FieldInfo field_info[RF_COUNT] = {
#define F(rec, field, kind) {RECORD_##rec, #field, FIELD_##kind},
    RECORD_FIELDS(F)
#undef F
};

const char *const record_names[RECORD_COUNT] = {
#define K(id, text, dialect) text,
    RECORD_KINDS(K)
#undef K
};

const char *const record_dialects[RECORD_COUNT] = {
#define K(id, text, dialect) dialect,
    RECORD_KINDS(K)
#undef K
};

const char *const enum_names[ENUM_COUNT] = {
#define K(id, text, dialect, values) text,
    ENUM_KINDS(K)
#undef K
};

const char *const enum_dialects[ENUM_COUNT] = {
#define K(id, text, dialect, values) dialect,
    ENUM_KINDS(K)
#undef K
};

const char *const enum_values[ENUM_COUNT] = {
#define K(id, text, dialect, values) values,
    ENUM_KINDS(K)
#undef K
};

bool enum_has(EnumKind kind, Span value) {
    for (const char *p = enum_values[kind], *end; *p; p = *end ? end + 1 : end) {
        end = p + strcspn(p, " ");
        if (span_eq((Span){p, (size_t)(end - p)}, value)) return true;
    }
    return false;
}

bool op_is_commutative(OpKind kind) {
    switch (kind) {
    case OP_add:
    case OP_and:
    case OP_maximum:
    case OP_minimum:
    case OP_multiply:
    case OP_or:
    case OP_xor: return true;
    default: return false;
    }
}
