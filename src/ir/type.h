// Types: interned per module, so that two equal types have one id.
#ifndef PARTIR_IR_TYPE_H
#define PARTIR_IR_TYPE_H

#include "support/text.h"

// Element types. Columns: id, text, bits, bytes an element takes in memory, class.
// Sub-byte elements take one byte each in memory (unpacked); i1 is 0 or 1.
#define ELEM_TYPES(E)                                                                                                  \
    E(I1, "i1", 1, 1, BOOL)                                                                                            \
    E(I2, "i2", 2, 1, SINT)                                                                                            \
    E(I4, "i4", 4, 1, SINT)                                                                                            \
    E(I8, "i8", 8, 1, SINT)                                                                                            \
    E(I16, "i16", 16, 2, SINT)                                                                                         \
    E(I32, "i32", 32, 4, SINT)                                                                                         \
    E(I64, "i64", 64, 8, SINT)                                                                                         \
    E(UI2, "ui2", 2, 1, UINT)                                                                                          \
    E(UI4, "ui4", 4, 1, UINT)                                                                                          \
    E(UI8, "ui8", 8, 1, UINT)                                                                                          \
    E(UI16, "ui16", 16, 2, UINT)                                                                                       \
    E(UI32, "ui32", 32, 4, UINT)                                                                                       \
    E(UI64, "ui64", 64, 8, UINT)                                                                                       \
    E(F4E2M1FN, "f4E2M1FN", 4, 1, FLOAT)                                                                               \
    E(F6E2M3FN, "f6E2M3FN", 6, 1, FLOAT)                                                                               \
    E(F6E3M2FN, "f6E3M2FN", 6, 1, FLOAT)                                                                               \
    E(F8E3M4, "f8E3M4", 8, 1, FLOAT)                                                                                   \
    E(F8E4M3, "f8E4M3", 8, 1, FLOAT)                                                                                   \
    E(F8E4M3B11FNUZ, "f8E4M3B11FNUZ", 8, 1, FLOAT)                                                                     \
    E(F8E4M3FN, "f8E4M3FN", 8, 1, FLOAT)                                                                               \
    E(F8E4M3FNUZ, "f8E4M3FNUZ", 8, 1, FLOAT)                                                                           \
    E(F8E5M2, "f8E5M2", 8, 1, FLOAT)                                                                                   \
    E(F8E5M2FNUZ, "f8E5M2FNUZ", 8, 1, FLOAT)                                                                           \
    E(F8E8M0FNU, "f8E8M0FNU", 8, 1, FLOAT)                                                                             \
    E(BF16, "bf16", 16, 2, FLOAT)                                                                                      \
    E(F16, "f16", 16, 2, FLOAT)                                                                                        \
    E(F32, "f32", 32, 4, FLOAT)                                                                                        \
    E(F64, "f64", 64, 8, FLOAT)                                                                                        \
    E(C64, "complex<f32>", 64, 8, COMPLEX)                                                                             \
    E(C128, "complex<f64>", 128, 16, COMPLEX)                                                                          \
    E(INDEX, "index", 64, 8, SINT)                                                                                     \
    E(QUANT, "!quant", 8, 1, QUANT) // parameters in Type.detail

typedef enum Elem {
#define E(id, text, bits, bytes, cls) EL_##id,
    ELEM_TYPES(E)
#undef E
        EL_COUNT
} Elem;

typedef enum ElemClass { CLASS_BOOL, CLASS_SINT, CLASS_UINT, CLASS_FLOAT, CLASS_COMPLEX, CLASS_QUANT } ElemClass;

const char *elem_text(Elem e);
uint32_t elem_bits(Elem e);
uint32_t elem_bytes(Elem e);
ElemClass elem_class(Elem e);
Elem elem_from_text(Span s); // EL_COUNT if unknown
// Whether a part of a sum can be left out by a zero in its place: f8E8M0FNU is an exponent alone.
static inline bool elem_has_zero(Elem e) { return e != EL_F8E8M0FNU; }

typedef uint32_t TypeId;
typedef uint32_t AttrId;
#define NO_ID UINT32_MAX

typedef enum TypeKind {
    TYPE_TENSOR,   // elem, rank, dims; detail: encoding attribute (bounds) or NO_ID
    TYPE_UNRANKED, // tensor<*xf32>: elem
    TYPE_SCALAR,   // a bare element type, as in `1 : i64`
    TYPE_TOKEN,
    TYPE_TUPLE,    // parts
    TYPE_FUNCTION, // parts: n_inputs inputs, then results
    TYPE_NONE,
    TYPE_OPAQUE // text kept as it was: another dialect's
} TypeKind;

#define DIM_DYNAMIC INT64_MIN
// The checker lets no value have more dimensions: lists of them may stand on the stack, and a place in one is a signed byte.
#define MAX_RANK 64

typedef struct Type {
    uint8_t kind;  // TypeKind
    uint8_t elem;  // Elem
    uint32_t rank; // of a tensor; number of parts of a tuple or function
    uint32_t n_inputs;
    AttrId encoding;     // tensors: NO_ID or an attribute such as #stablehlo.bounds<…>
    uint32_t quant;      // elem EL_QUANT: index into Module.quants
    const int64_t *dims; // tensors
    const TypeId *parts; // tuples and functions
    Span text;           // opaque
    // Known from type_intern on, 0 for all but static tensors: of these, type_elements and type_bytes.
    double elements, bytes;
} Type;

// !quant.uniform<storage<min:max>:expressed:axis, {scale:zero, …}>
typedef struct Quant {
    Elem storage, expressed;
    int64_t storage_min, storage_max;
    int32_t axis; // -1: per tensor
    uint32_t n;
    const double *scales;
    const int64_t *zeros;
    Span text; // as MLIR prints it
} Quant;

#endif
