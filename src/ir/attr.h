// Attributes: values attached to ops by name. Interned where small; constants stay as text until someone asks for their numbers.
#ifndef PARTIR_IR_ATTR_H
#define PARTIR_IR_ATTR_H

#include "ir/type.h"

typedef uint32_t NameId; // interned string of the module; the attribute names of ops.def come first (A_dimensions, …)

typedef struct NamedAttr {
    NameId name;
    AttrId value;
} NamedAttr;

typedef enum AttrKind {
    ATTR_UNIT,
    ATTR_BOOL,     // i
    ATTR_INT,      // i, type
    ATTR_FLOAT,    // f, type; text: as written
    ATTR_STRING,   // text: the unescaped bytes
    ATTR_SYMBOL,   // text: @name, or @a::@b as written, without the first @ and quotes
    ATTR_TYPE,     // type
    ATTR_ARRAY,    // items
    ATTR_DICT,     // entries
    ATTR_INTS,     // array<i64: …>: ints; elem in sub (EL_I1 for array<i1: …>)
    ATTR_FLOATS,   // array<f32: …>: kept as text
    ATTR_DENSE,    // dense<…> : type; see DenseForm in sub
    ATTR_RESOURCE, // dense_resource<text> : type
    ATTR_ENUM,     // #stablehlo<comparison_direction EQ>: sub = EnumKind, text = EQ
    ATTR_RECORD,   // #stablehlo.dot<…>: sub = RecordKind, fields
    ATTR_OPAQUE    // any other dialect's, text as it was: #sdy.sharding<…>
} AttrKind;

typedef enum DenseForm {
    DENSE_TEXT, // text between < and >: list, splat number, or "" for zero elements
    DENSE_HEX,  // text: hex digits after 0x, without quotes
    DENSE_BYTES // text: raw little-endian bytes in memory layout (elem_bytes each), made by a pass; one element if it is a splat
} DenseForm;

// Enumerations of the dialect. Columns: id, text in #stablehlo<text VALUE>, dialect, values.
#define ENUM_KINDS(K)                                                                                                  \
    K(COMPARISON_DIRECTION, "comparison_direction", "stablehlo", "EQ NE GE GT LE LT")                                  \
    K(COMPARISON_TYPE, "comparison_type", "stablehlo", "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED")                      \
    K(PRECISION, "precision", "stablehlo", "DEFAULT HIGH HIGHEST")                                                     \
    K(FFT_TYPE, "fft_type", "stablehlo", "FFT IFFT RFFT IRFFT")                                                        \
    K(TRANSPOSE, "transpose", "stablehlo", "TRANSPOSE_INVALID NO_TRANSPOSE TRANSPOSE ADJOINT")                         \
    K(RNG_DISTRIBUTION, "rng_distribution", "stablehlo", "UNIFORM NORMAL")                                             \
    K(RNG_ALGORITHM, "rng_algorithm", "stablehlo", "DEFAULT THREE_FRY PHILOX")                                         \
    K(CUSTOM_CALL_API_VERSION, "custom_call_api_version", "stablehlo",                                                 \
      "API_VERSION_UNSPECIFIED API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING "                                     \
      "API_VERSION_STATUS_RETURNING_UNIFIED API_VERSION_TYPED_FFI")                                                    \
    K(RESULT_ACCURACY_MODE, "result_accuracy_mode", "stablehlo", "DEFAULT HIGHEST TOLERANCE")                          \
    K(CHLO_COMPARISON_DIRECTION, "comparison_direction", "chlo", "EQ NE GE GT LE LT")                                  \
    K(CHLO_COMPARISON_TYPE, "comparison_type", "chlo", "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED")                      \
    K(CHLO_PRECISION, "precision", "chlo", "DEFAULT HIGH HIGHEST")                                                     \
    K(CHLO_RAGGED_DOT_TYPE, "ragged_dot", "chlo", "")

typedef enum EnumKind {
#define K(id, text, dialect, values) ENUM_##id,
    ENUM_KINDS(K)
#undef K
        ENUM_COUNT
} EnumKind;

// Records: #dialect.name<field = value, …>. A field's value is a list of integers (INTS), one integer (INT), a boolean (BOOL), a type (TYPE) or an attribute (ATTR).
// Columns of F: record, field, kind. The order is the printing order.
#define RECORD_KINDS(K)                                                                                                \
    K(DOT, "dot", "stablehlo")                                                                                         \
    K(DOT_ALGORITHM, "dot_algorithm", "stablehlo")                                                                     \
    K(GATHER, "gather", "stablehlo")                                                                                   \
    K(SCATTER, "scatter", "stablehlo")                                                                                 \
    K(CONV, "conv", "stablehlo")                                                                                       \
    K(CHANNEL_HANDLE, "channel_handle", "stablehlo")                                                                   \
    K(OUTPUT_OPERAND_ALIAS, "output_operand_alias", "stablehlo")                                                       \
    K(RESULT_ACCURACY, "result_accuracy", "stablehlo")                                                                 \
    K(BOUNDS, "bounds", "stablehlo")                                                                                   \
    K(RAGGED_DOT, "ragged_dot", "chlo")

#define RECORD_FIELDS(F)                                                                                               \
    F(DOT, lhs_batching_dimensions, INTS)                                                                              \
    F(DOT, rhs_batching_dimensions, INTS)                                                                              \
    F(DOT, lhs_contracting_dimensions, INTS)                                                                           \
    F(DOT, rhs_contracting_dimensions, INTS)                                                                           \
    F(DOT_ALGORITHM, lhs_precision_type, TYPE)                                                                         \
    F(DOT_ALGORITHM, rhs_precision_type, TYPE)                                                                         \
    F(DOT_ALGORITHM, accumulation_type, TYPE)                                                                          \
    F(DOT_ALGORITHM, lhs_component_count, INT)                                                                         \
    F(DOT_ALGORITHM, rhs_component_count, INT)                                                                         \
    F(DOT_ALGORITHM, num_primitive_operations, INT)                                                                    \
    F(DOT_ALGORITHM, allow_imprecise_accumulation, BOOL)                                                               \
    F(GATHER, offset_dims, INTS) /* ORDER places: as for SCATTER */                                                    \
    F(GATHER, collapsed_slice_dims, INTS)                                                                              \
    F(GATHER, operand_batching_dims, INTS)                                                                             \
    F(GATHER, start_indices_batching_dims, INTS)                                                                       \
    F(GATHER, start_index_map, INTS)                                                                                   \
    F(GATHER, index_vector_dim, INT)                                                                                   \
    F(SCATTER, update_window_dims, INTS) /* ORDER places */                                                            \
    F(SCATTER, inserted_window_dims, INTS)                                                                             \
    F(SCATTER, input_batching_dims, INTS)                                                                              \
    F(SCATTER, scatter_indices_batching_dims, INTS)                                                                    \
    F(SCATTER, scatter_dims_to_operand_dims, INTS)                                                                     \
    F(SCATTER, index_vector_dim, INT)                                                                                  \
    F(CONV, input_batch_dimension, INT) /* CONV prints as [b, 0, f]x[…]->[…] */                                    \
    F(CONV, input_feature_dimension, INT)                                                                              \
    F(CONV, input_spatial_dimensions, INTS)                                                                            \
    F(CONV, kernel_input_feature_dimension, INT)                                                                       \
    F(CONV, kernel_output_feature_dimension, INT)                                                                      \
    F(CONV, kernel_spatial_dimensions, INTS)                                                                           \
    F(CONV, output_batch_dimension, INT)                                                                               \
    F(CONV, output_feature_dimension, INT)                                                                             \
    F(CONV, output_spatial_dimensions, INTS)                                                                           \
    F(CHANNEL_HANDLE, handle, INT)                                                                                     \
    F(CHANNEL_HANDLE, type, INT)                                                                                       \
    F(OUTPUT_OPERAND_ALIAS, output_tuple_indices, INTS)                                                                \
    F(OUTPUT_OPERAND_ALIAS, operand_index, INT)                                                                        \
    F(OUTPUT_OPERAND_ALIAS, operand_tuple_indices, INTS)                                                               \
    F(RESULT_ACCURACY, atol, ATTR)                                                                                     \
    F(RESULT_ACCURACY, rtol, ATTR)                                                                                     \
    F(RESULT_ACCURACY, ulps, INT)                                                                                      \
    F(RESULT_ACCURACY, mode, ATTR)                                                                                     \
    F(BOUNDS, bounds, INTS) /* prints without its name; ? is DIM_DYNAMIC */                                            \
    F(RAGGED_DOT, lhs_batching_dimensions, INTS)                                                                       \
    F(RAGGED_DOT, rhs_batching_dimensions, INTS)                                                                       \
    F(RAGGED_DOT, lhs_contracting_dimensions, INTS)                                                                    \
    F(RAGGED_DOT, rhs_contracting_dimensions, INTS)                                                                    \
    F(RAGGED_DOT, lhs_ragged_dimensions, INTS)                                                                         \
    F(RAGGED_DOT, rhs_group_dimensions, INTS)

typedef enum RecordKind {
#define K(id, text, dialect) RECORD_##id,
    RECORD_KINDS(K)
#undef K
        RECORD_COUNT
} RecordKind;

// RF_DOT_lhs_batching_dimensions, …: a field's place in RECORD_FIELDS.
typedef enum RecordField {
#define F(rec, field, kind) RF_##rec##_##field,
    RECORD_FIELDS(F)
#undef F
        RF_COUNT
} RecordField;

typedef enum FieldKind { FIELD_INTS, FIELD_INT, FIELD_BOOL, FIELD_TYPE, FIELD_ATTR } FieldKind;

typedef struct FieldInfo {
    RecordKind record;
    const char *name;
    FieldKind kind;
} FieldInfo;
extern const FieldInfo field_info[RF_COUNT];
extern const char *const record_names[RECORD_COUNT], *const record_dialects[RECORD_COUNT];
extern const char *const enum_names[ENUM_COUNT], *const enum_dialects[ENUM_COUNT], *const enum_values[ENUM_COUNT];
bool enum_has(EnumKind kind, Span value);

typedef struct FieldValue {
    RecordField field;
    uint32_t n; // FIELD_INTS: how many
    int64_t i;  // FIELD_INT, FIELD_BOOL; FIELD_TYPE: TypeId; FIELD_ATTR: AttrId
    const int64_t *ints;
} FieldValue;

typedef struct Attr {
    uint8_t kind; // AttrKind
    uint8_t sub;  // DenseForm, EnumKind, RecordKind, Elem of ATTR_INTS
    uint32_t n;   // length of items, entries, ints or fields
    TypeId type;  // NO_ID if none
    union {
        int64_t i;
        double f;
        const AttrId *items;
        const NamedAttr *entries;
        const int64_t *ints;
        const FieldValue *fields; // present ones, in RECORD_FIELDS order
    };
    Span text;
} Attr;

#endif
