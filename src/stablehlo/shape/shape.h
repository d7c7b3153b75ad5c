// Shape rules, one for each name in the `shape` column of the op table: each verifies an op and infers its result
// types. Internal to the checker.
//
// A rule sees its op through a Check, and compares declared results with inferred ones by check_result or check_result_id.
//
//     bool shape_not(Check *c) {                             // the rule of the table's `not`
//         return check_operand_in(c, 0, IS_BOOL | IS_INT) && check_result_id(c, 0, in_id(c, 0));
//     }
//
// Before a rule runs, the number of operands and results and the presence and kinds of attributes are known to be
// right.
#ifndef PARTIR_STABLEHLO_SHAPE_SHAPE_H
#define PARTIR_STABLEHLO_SHAPE_SHAPE_H

#include "ir/module.h"

// What a value is: a set with the class of a tensor's elements, or one of the other kinds. Computed once for each type
// of the module.
typedef uint16_t TypeSet;
enum {
    IS_BOOL = 1 << CLASS_BOOL,
    IS_SINT = 1 << CLASS_SINT,
    IS_UINT = 1 << CLASS_UINT,
    IS_FLOAT = 1 << CLASS_FLOAT,
    IS_COMPLEX = 1 << CLASS_COMPLEX,
    IS_QUANT = 1 << CLASS_QUANT, // per tensor
    IS_QUANT_AXIS = 1 << 6,      // per axis
    IS_INDEX = 1 << 7,
    IS_UNRANKED = 1 << 8, // beside the class of its elements
    IS_TOKEN = 1 << 9,
    IS_TUPLE = 1 << 10,    // beside the kinds of its parts
    IS_OPAQUE = 1 << 11,   // another dialect's: buffers, futures
    IS_BAD = 1 << 15,      // no value may have this type
    IS_REPORTED = 1 << 14, // and this has been said

    IS_INT = IS_SINT | IS_UINT,
    IS_PLAIN = IS_BOOL | IS_INT | IS_FLOAT | IS_COMPLEX,
    IS_TENSOR = IS_PLAIN | IS_QUANT,
    IS_TENSOR_AXIS = IS_TENSOR | IS_QUANT_AXIS
};

typedef struct Check {
    Module *m;
    Arena *arena; // what does not fit into `small`

    // The op at hand.
    OpKind kind;
    OpId op;
    uint32_t source;
    uint32_t n_operands, n_results, n_attrs, n_regions;
    const ValueId *operands;
    const NamedAttr *attrs;
    const RegionId *regions;
    ValueId first_result;

    // The module.
    TypeSet *sets; // by type
    uint32_t n_sets;
    const IdMap *functions; // by the hash of their names
    uint8_t *groups;        // by attribute: which checks its replica groups have passed
    uint32_t n_groups;
    uint32_t n_errors;

    uint32_t used; // of `small`, since the op began
    _Alignas(16) char small[4096];
} Check;

static inline TypeId in_id(const Check *c, uint32_t i) { return value_type(c->m, c->operands[i]); }
static inline const Type *in_type(const Check *c, uint32_t i) { return value_tensor(c->m, c->operands[i]); }
static inline TypeId out_id(const Check *c, uint32_t i) { return value_type(c->m, c->first_result + i); }
static inline const Type *out_type(const Check *c, uint32_t i) { return value_tensor(c->m, c->first_result + i); }
static inline Type scalar_of(const Type *t) { // a scalar of its element type
    Type s = *t;
    s.kind = TYPE_TENSOR;
    s.rank = 0;
    s.encoding = NO_ID;
    return s;
}

// ---- Memory and words
// --------------------------------------------------------------------------------------------------------- Lives until
// the op at hand is done.
void *check_scratch(Check *c, size_t n, size_t elem);
#define check_array(c, T, n) ((T *)check_scratch((c), (size_t)(n), sizeof(T)))

// Reports an error at the op at hand, after its name. Returns false. Where no hint is at
// hand, the op's signature is one.
bool check_fail(Check *c, const char *hint, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
const char *check_format(Check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *check_type_text(Check *c, TypeId t);
const char *check_tensor_text(Check *c, const Type *t);
const char *check_ints_text(Check *c, const int64_t *v, uint32_t n); // [0, 2, ?]
const char *check_dim_text(Check *c, int64_t dim);
const char *check_operand_name(Check *c, uint32_t i); // lhs, inputs[2]
const char *check_result_name(Check *c, uint32_t i);  // the result, result 2

// ---- Types ---------------------------------------------------------------------------------------------------------
TypeSet check_type_set(Check *c, TypeId t);
// False if no value may have this type (dimensions that overflow, wrong bounds or quantization, …), with an error the
// first time.
bool check_value_type(Check *c, TypeId t, const char *what, uint32_t i);
bool check_operand_in(Check *c, uint32_t i, TypeSet allowed); // operand i is of an allowed kind
bool check_operands_in(Check *c, TypeSet allowed);            // all are
bool check_result_in(Check *c, uint32_t i, TypeSet allowed);
bool check_results_in(Check *c, TypeSet allowed);

static inline bool dims_compatible(int64_t a, int64_t b) { return a == b || a == DIM_DYNAMIC || b == DIM_DYNAMIC; }
static inline bool is_ranked(const Type *t) { return t->kind == TYPE_TENSOR; }
static inline bool is_tensor(const Type *t) { return t->kind == TYPE_TENSOR || t->kind == TYPE_UNRANKED; }
bool check_same_shape(const Type *a, const Type *b); // same rank, dimensions compatible; unranked goes with anything
bool check_same_elem(const Check *c, const Type *a, const Type *b); // equal element types, quantization and all
bool check_like_elem(const Check *c, const Type *a,
                     const Type *b); // quantized: the same storage and expressed types suffice
bool check_compatible(const Check *c, const Type *a,
                      const Type *b); // same shape, within each other's bounds, like elements
bool check_compatible_ids(const Check *c, TypeId a, TypeId b);
const int64_t *check_bounds(const Check *c,
                            const Type *t); // of dynamic dimensions, DIM_DYNAMIC where there is none; NULL without
// The encoding of a type with these bounds (NULL: none), in the manner of `like`.
AttrId check_encoding(Check *c, AttrId like, const int64_t *bounds, uint32_t rank);
const Quant *check_quant(const Check *c, const Type *t); // NULL if not quantized
Elem check_real_elem(Elem e);                            // complex<f32> -> f32
Elem check_complex_elem(Elem e);                         // f32 -> complex<f32>; EL_COUNT if there is none

// A type whose dimensions may be written: those of `t` copied into scratch.
Type check_copy(Check *c, const Type *t, int64_t **dims);
// Narrows such a copy to what also fits `t`, the type of an operand, in all dimensions but `skip` (-1: none); an error
// if nothing fits both.
bool check_merge(Check *c, Type *to, int64_t *dims, const Type *t, uint32_t operand, int64_t skip);

// ---- Results -------------------------------------------------------------------------------------------------------
bool check_result(Check *c, uint32_t i, const Type *t); // result i has this tensor type
bool check_result_id(Check *c, uint32_t i, TypeId t);   // result i has this type
// Result i has this shape and any element type.
bool check_result_shape(Check *c, uint32_t i, const Type *t);
bool check_result_count(Check *c, uint32_t n);

// ---- Attributes and operands as numbers ----------------------------------------------------------------------------
AttrId check_attr(const Check *c, AttrName name); // NO_ID if absent
int64_t check_int(const Check *c, AttrName name, int64_t absent);
bool check_flag(const Check *c, AttrName name, bool absent); // BOOL and UNIT
const int64_t *check_ints(const Check *c, AttrName name, uint32_t *n);
const int64_t *check_dense(Check *c, AttrName name, const Type **type, uint32_t *n); // NULL if absent or no integers
Span check_text(const Check *c, AttrName name);
// The integers of an operand that is a constant; NULL if it is none.
const int64_t *check_constant_ints(Check *c, uint32_t operand, uint32_t *n);

// `v` has `want` entries, one for each of `of`.
bool check_length(Check *c, const char *name, uint32_t n, uint32_t want, const char *of);
// 0 <= v < limit, where limit is the rank of `of`.
bool check_dim(Check *c, const char *name, int64_t v, uint32_t limit, const char *of);
bool check_dims(Check *c, const char *name, const int64_t *v, uint32_t n, uint32_t limit, const char *of);
bool check_sorted(Check *c, const char *name, const int64_t *v, uint32_t n);
bool check_distinct(Check *c, const char *name, const int64_t *v, uint32_t n);
bool check_disjoint(Check *c, const char *name, const int64_t *v, uint32_t n, const char *name2, const int64_t *v2,
                    uint32_t n2);
// The place of a value that occurs a second time in v[0], v[stride], …; n if all differ.
uint32_t check_duplicate(Check *c, const int64_t *v, uint32_t n, uint32_t stride);

// ---- Windows and products (convolution, reduce_window, …) ----------------------------------------------------------
typedef struct Window {
    uint32_t n;
    const int64_t *size, *stride, *base_dilation, *window_dilation; // NULL: all ones
    const int64_t *padding;                                         // low, high for each dimension; NULL: zeros
} Window;
bool check_precision(Check *c);     // precision_config of products
bool check_product_quant(Check *c); // quantized lhs, rhs and result go together

// ---- Data in motion (shape_data.c), also for the dynamic forms -----------------------------------------------------
bool check_padded(int64_t size, int64_t low, int64_t high, int64_t interior,
                  int64_t *out); // false if there is no such size
bool check_reshape_quant(Check *c);
bool check_broadcast_quant(Check *c,
                           const int64_t *on); // dimension i of the operand lies on dimension on[i] of the result

// ---- Regions -------------------------------------------------------------------------------------------------------
// The values that region i returns; false and an error if it has no terminator.
bool check_returns(Check *c, uint32_t i, const ValueId **values, uint32_t *n);
bool check_region_arguments(Check *c, uint32_t i, uint32_t want);
bool check_returns_bool(Check *c, uint32_t i, const char *name); // region i returns one tensor<i1>
static inline ValueId region_argument(const Check *c, uint32_t region, uint32_t i) {
    return c->m->regions.at[c->regions[region]].first_arg + i;
}
// Region i combines `n` values of types `inputs` into accumulators that start as `inits`; its other arguments may have
// some of these dimensions.
bool check_reducer(Check *c, uint32_t region, uint32_t n, const Type *const *inputs, const Type *const *inits,
                   const int64_t *allowed, uint32_t n_allowed);
// `input` with the element type that the region accumulates its j-th value in: what it returns.
Type check_accumulator(Check *c, uint32_t region, uint32_t j, const Type *input);

// ---- The driver's parts (check_attr.c, check.c) --------------------------------------------------------------------
bool check_attributes(Check *c);
OpId check_function(const Check *c, Span name); // NO_ID if there is none
bool check_symbol(const Check *c, Span name);   // a function or a mesh

#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) bool shape_##shape(Check *c);
#include "ir/ops.def"
#include "support/integer.h"

#endif
