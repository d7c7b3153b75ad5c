// Attributes against the op table: what a row requires is there, and every attribute that a row knows has the kind it
// says.
//
//     R(permutation,INTS)     permutation = array<i64: 1, 0>     but not     permutation = dense<[1, 0]> : tensor<2xi64>
#include "stablehlo/shape/shape.h"

static const char *kind_text(unsigned kind) {
    static const char *const texts[] = {[ATTR_UNIT] = "a unit",
                                        [ATTR_BOOL] = "a boolean",
                                        [ATTR_INT] = "an integer",
                                        [ATTR_FLOAT] = "a float",
                                        [ATTR_STRING] = "a string",
                                        [ATTR_SYMBOL] = "a symbol",
                                        [ATTR_TYPE] = "a type",
                                        [ATTR_ARRAY] = "a list",
                                        [ATTR_DICT] = "a dictionary",
                                        [ATTR_INTS] = "array<i64: …>",
                                        [ATTR_FLOATS] = "array<f32: …>",
                                        [ATTR_DENSE] = "dense<…>",
                                        [ATTR_RESOURCE] = "dense_resource<…>",
                                        [ATTR_ENUM] = "an enumeration",
                                        [ATTR_RECORD] = "a record",
                                        [ATTR_OPAQUE] = "another dialect's attribute"};
    if (kind == ATTR_ELEMENTS) return "dense<…>";
    return kind < sizeof texts / sizeof *texts ? texts[kind] : "anything";
}

// ---- What the kind alone does not say ------------------------------------------------------------------------------

// The element type of integer attributes is i64, but for these.
static Elem int_elem(AttrName name) {
    switch (name) {
    case A_exponent_bits:
    case A_mantissa_bits:
    case A_index:
    case A_version:
    case A_allowed_direction:
    case A_api_version: return EL_I32;
    default: return EL_I64;
    }
}

// Which enumeration or record each attribute is; COUNT if the name does not say.
static EnumKind enum_kind(AttrName name, bool chlo) {
    switch (name) {
    case A_comparison_direction: return chlo ? ENUM_CHLO_COMPARISON_DIRECTION : ENUM_COMPARISON_DIRECTION;
    case A_compare_type: return chlo ? ENUM_CHLO_COMPARISON_TYPE : ENUM_COMPARISON_TYPE;
    case A_fft_type: return ENUM_FFT_TYPE;
    case A_transpose_a: return ENUM_TRANSPOSE;
    case A_rng_distribution: return ENUM_RNG_DISTRIBUTION;
    case A_rng_algorithm: return ENUM_RNG_ALGORITHM;
    default: return ENUM_COUNT;
    }
}

static RecordKind record_kind(AttrName name, OpKind op) {
    switch (name) {
    case A_dot_dimension_numbers: return RECORD_DOT;
    case A_algorithm: return RECORD_DOT_ALGORITHM;
    case A_dimension_numbers: return op == OP_convolution || op == OP_dynamic_conv ? RECORD_CONV : RECORD_GATHER;
    case A_scatter_dimension_numbers: return RECORD_SCATTER;
    case A_ragged_dot_dimension_numbers: return RECORD_RAGGED_DOT;
    case A_channel_handle: return RECORD_CHANNEL_HANDLE;
    case A_result_accuracy: return RECORD_RESULT_ACCURACY;
    default: return RECORD_COUNT;
    }
}

static bool check_enum(Check *c, const char *name, const Attr *a, EnumKind want) {
    if (want != ENUM_COUNT && a->sub != want)
        return check_fail(c, NULL, "%s is a %s of %s, expected a %s of %s", name, enum_names[a->sub],
                          enum_dialects[a->sub], enum_names[want], enum_dialects[want]);
    if (enum_has((EnumKind)a->sub, a->text)) return true;
    return check_fail(c, check_format(c, "one of %s", enum_values[a->sub]), "%s is %.*s", name,
                      a->text.n < 60 ? (int)a->text.n : 60, a->text.at);
}

static bool check_precisions(Check *c, const Attr *a) {
    for (uint32_t i = 0; i < a->n; i++) {
        const Attr *item = attr_get(c->m, a->items[i]);
        if (item->kind != ATTR_ENUM || (item->sub != ENUM_PRECISION && item->sub != ENUM_CHLO_PRECISION))
            return check_fail(c, "entries are DEFAULT, HIGH or HIGHEST", "entry %u of precision_config is no precision",
                              i);
        if (!check_enum(c, "precision_config", item, ENUM_COUNT)) return false;
    }
    return true;
}

// Records are written out in full but for these: dimension numbers, and the tolerances of a result accuracy.
static bool check_fields(Check *c, const char *name, const Attr *a) {
    for (int f = 0; f < RF_COUNT; f++) {
        const FieldInfo *info = &field_info[f];
        bool needed = info->record == RECORD_CHANNEL_HANDLE || info->record == RECORD_DOT_ALGORITHM ||
                      info->record == RECORD_OUTPUT_OPERAND_ALIAS || f == RF_RESULT_ACCURACY_mode;
        if (!needed || info->record != (RecordKind)a->sub) continue;
        bool found = false;
        for (uint32_t i = 0; i < a->n; i++) found |= a->fields[i].field == (RecordField)f;
        if (!found) return check_fail(c, NULL, "%s has no field %s", name, info->name);
    }
    return true;
}

// `name` is one of the op table's, and its kind is right.
static bool check_detail(Check *c, const char *text, AttrName name, const Attr *a) {
    const Type *t = a->type == NO_ID ? NULL : type_get(c->m, a->type);
    switch ((AttrKind)a->kind) {
    case ATTR_INT:
        if (t && t->kind == TYPE_SCALAR && t->elem == int_elem(name)) return true;
        return check_fail(c, check_format(c, "write it as … : %s", elem_text(int_elem(name))),
                          "%s is of type %s, expected %s", text, t ? check_tensor_text(c, t) : "none",
                          elem_text(int_elem(name)));
    case ATTR_FLOAT:
        if (name != A_epsilon || (t && t->kind == TYPE_SCALAR && t->elem == EL_F32)) return true;
        return check_fail(c, "write it as … : f32", "%s is of type %s, expected f32", text,
                          t ? check_tensor_text(c, t) : "none");
    case ATTR_INTS: {
        bool segments = name == A_operandSegmentSizes || name == A_resultSegmentSizes;
        Elem want = name == A_window_reversal ? EL_I1 : segments ? EL_I32 : EL_I64;
        return a->sub == want ||
               check_fail(c, check_format(c, "write it as array<%s: …>", elem_text(want)),
                          "%s is an array of %s, expected %s", text, elem_text((Elem)a->sub), elem_text(want));
    }
    case ATTR_DENSE:
        if (name == A_value || (t && t->kind == TYPE_TENSOR && t->elem == EL_I64)) return true;
        return check_fail(c, "write it as dense<…> : tensor<…xi64>", "%s is %s, expected i64 elements", text,
                          t ? check_tensor_text(c, t) : "without a type");
    case ATTR_ENUM: return check_enum(c, text, a, enum_kind(name, strncmp(op_info[c->kind].name, "chlo", 4) == 0));
    case ATTR_ARRAY: return name != A_precision_config || check_precisions(c, a);
    case ATTR_RECORD: {
        RecordKind want = record_kind(name, c->kind);
        if (want != RECORD_COUNT && a->sub != want)
            return check_fail(c, NULL, "%s is #%s.%s, expected #%s.%s", text, record_dialects[a->sub],
                              record_names[a->sub], record_dialects[want], record_names[want]);
        return check_fields(c, text, a);
    }
    default: return true;
    }
}

// ---- Rows ----------------------------------------------------------------------------------------------------------

static bool fits_kind(const OpAttrInfo *want, const Attr *a) {
    if (a->kind == want->kind || want->kind == ATTR_ANY) return true;
    if (want->kind == ATTR_ELEMENTS) return a->kind == ATTR_DENSE || a->kind == ATTR_RESOURCE || a->kind == ATTR_OPAQUE;
    return want->name == A_replica_groups && a->kind == ATTR_OPAQUE; // groups given by mesh axes
}

bool check_attributes(Check *c) {
    const OpInfo *info = &op_info[c->kind];
    bool ok = true;
    for (uint32_t i = 0; i < info->n_attrs; i++) {
        const OpAttrInfo *want = &info->attrs[i];
        AttrId id = check_attr(c, (AttrName)want->name);
        if (id == NO_ID && !want->required) continue;
        const char *name = name_get(c->m, want->name).at; // the table's names end with a NUL
        if (id == NO_ID) {
            ok = check_fail(c, check_format(c, "it is %s", kind_text(want->kind)), "attribute %s is missing", name);
            continue;
        }
        const Attr *a = id < c->m->attrs.n ? attr_get(c->m, id) : NULL;
        if (!a || !fits_kind(want, a))
            ok = check_fail(c, NULL, "attribute %s is %s, expected %s", name, a ? kind_text(a->kind) : "none",
                            kind_text(want->kind));
        else
            ok = check_detail(c, name, (AttrName)want->name, a) && ok;
    }
    return ok;
}
