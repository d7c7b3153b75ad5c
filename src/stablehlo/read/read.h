// What the parts of the reader share: its state, and one function for each thing that can stand in the text.
//
// A function that reads something leaves the cursor past it. One that returns bool says whether the text could be read;
// false means that an error has been reported. An error after which reading can go on (an unknown value, a type that
// disagrees) is only counted.
#ifndef PARTIR_STABLEHLO_READ_READ_H
#define PARTIR_STABLEHLO_READ_READ_H

#include "ir/module.h"
#include "stablehlo/lexer.h"
#include "stablehlo/read/reader.h"

#define READ_MAX_DEPTH 256 // of nested regions, types, attributes and locations
#define READ_MAX_ATTRS 65000 // of an op: 16 bits count them, and passes add theirs

// Stands for a value whose definition could not be read: it has any type, so that one mistake is one error.
#define POISON NO_ID

// What a value name stands for: `n` consecutive values. Unbound if n is 0.
typedef struct Binding {
    ValueId first;
    uint32_t n;
} Binding;

// A value name: its number (%12), or its place among the other names (%arg0) with NAME_WORD set.
typedef uint32_t ValueName;
#define NAME_WORD 0x80000000u

typedef struct WordName {
    Span text;
    Binding binding;
} WordName;

typedef struct Scope {
    VEC(Binding) numbers; // %0, %1, …: by number
    VEC(WordName) words;  // all others, found through `word_map`
    IdMap word_map;
    uint32_t n_far;       // numbers that are kept as words
    VEC(ValueName) bound; // in order of binding, so that a region's names can be taken back at its end
} Scope;

// A result name on the left of an op: `%0:2 =`.
typedef struct ResultName {
    ValueName name;
    uint32_t n;
    const char *at;
} ResultName;

// #alias = …, !alias = …, #loc12 = loc(…)
typedef struct Alias {
    Span name;
    uint32_t id;    // AttrId, TypeId or LocId
    const char *at; // its first use, or its definition
    bool defined;
    uint64_t weight; // of an attribute or type: the bytes of its text with the aliases in it written out
} Alias;
typedef struct AliasTable {
    VEC(Alias) at;
    IdMap map;
} AliasTable;

#define TYPE_CACHE 1024
typedef struct CachedType {
    Span text; // what stands between tensor< and >
    TypeId type;
} CachedType;

#define OP_CACHE 256
typedef struct CachedOp {
    Span name;
    OpKind kind;
} CachedOp;

typedef struct Reader {
    Lexer lex;
    Module *m;
    const Source *source;
    Arena scratch;
    uint32_t depth, n_errors;
    bool stop; // too many errors, or cancelled: nothing more is read
    const char *next_progress;
    Scope scope;
    AliasTable attr_aliases, type_aliases, loc_aliases;
    uint64_t written_out; // bytes that all uses of aliases stand for so far
    VEC(uint32_t) numbered_locs; // #locN: its place in loc_aliases plus one, by N
    CachedType *type_cache;
    CachedOp *op_cache;
    IdMap symbols; // the ops of the module's body, by symbol
    // Stacks: an op's lists lie on top while it is read (see Draft).
    VEC(ValueId) operands;
    VEC(TypeId) types;
    VEC(NamedAttr) attrs;
    VEC(RegionId) regions;
    VEC(ResultName) results;
    VEC(int64_t) ints;
    VEC(AttrId) items;
    VEC(LocId) locs;
} Reader;

// An op while it is read. The members are where its lists begin on the reader's stacks; they reach to the top.
typedef struct Draft {
    OpKind kind;
    RegionId parent;
    const char *at; // its name
    uint32_t operands, types, attrs, regions, results;
    OpId op; // made when its first region begins, else at its end
    LocId loc;
} Draft;

// ---- Errors (reader.c) ---------------------------------------------------------------------------------------------
bool read_error(Reader *r, const char *at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void read_note(Reader *r, const char *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool read_expected(Reader *r, const char *what); // "expected WHAT, found …" at the cursor
bool read_deeper(Reader *r);                     // r->depth++, false if that is too deep
bool read_progress(Reader *r);                   // tells the caller how far reading is; false if it is to stop
const char *read_type_name(Reader *r, TypeId t); // for messages
// For "did you mean": the nearest of the n names that `next` gives; empty if nothing is near.
typedef Span NextName(const void *names, uint32_t i);
Span read_nearest(Span name, const void *names, uint32_t n, NextName *next);

// ---- Tokens (read_op.c) --------------------------------------------------------------------------------------------
bool read_missing(Reader *r, char c); // the error that this byte is expected
static inline bool read_token(Reader *r, char c) { return lex_eat(&r->lex, c) || read_missing(r, c); }
bool read_arrow(Reader *r);
bool read_word(Reader *r, const char *what, Span *out);
#define read_keyword(r, literal) (lex_keyword(&(r)->lex, (literal)) || read_expected((r), "'" literal "'"))
bool read_int(Reader *r, int64_t *out);
bool read_string(Reader *r, Span *out); // unescaped; points into the source where it can
bool read_symbol(Reader *r, Span *out); // @name or @"name"
// '[' ints ']' onto r->ints; `n` says how many. A '?' is DIM_DYNAMIC.
bool read_int_list(Reader *r, uint32_t *n);

// ---- Values (read_scope.c) -----------------------------------------------------------------------------------------
void scope_init(Reader *r);
bool read_value_name(Reader *r, ValueName *name); // '%' name
bool read_value(Reader *r, ValueId *out);         // a use: '%' name ('#' int)?; POISON after a counted error
void scope_bind(Reader *r, ValueName name, ValueId first, uint32_t n, const char *at);
static inline uint32_t scope_mark(const Reader *r) { return r->scope.bound.n; }
void scope_leave(Reader *r, uint32_t mark); // takes back what was bound since

// ---- Types, attributes, locations ----------------------------------------------------------------------------------
void reader_init(Reader *r, Module *m, const Source *source);
TypeId read_type(Reader *r);                 // NO_ID after an error
AttrId read_attr(Reader *r);                 // NO_ID after an error
bool read_attr_dict(Reader *r);              // '{' … '}' onto r->attrs
bool read_dict_attr(Reader *r, AttrId *out); // the same as an attribute
void attrs_sort(Reader *r, uint32_t first);  // r->attrs from `first` on, by name; a name that stands twice is an error
AttrId read_enum_value(Reader *r, EnumKind kind);                     // EQ
AttrId read_record_body(Reader *r, RecordKind kind);                  // '<' … '>'
AttrId read_conv_dims(Reader *r);                                     // [b, 0, f]x[0, i, o]->[b, 0, f]
AttrId read_dialect_attr(Reader *r, Span dialect, const char *start); // after `#dialect`: `.name<…>` or `<…>`
LocId read_loc_body(Reader *r);                                       // what stands inside loc( )
bool read_optional_loc(Reader *r, LocId *out);                        // loc(…) if it is there, else NO_ID
bool define_loc_alias(Reader *r, Span name, const char *at);          // after `#name = loc(`
bool resolve_locs(Reader *r);                                         // at the end of the text
Alias *alias_find(AliasTable *t, Span name);
Alias *alias_add(Reader *r, AliasTable *t, Span name, uint32_t id, const char *at);
// The text stands for what the alias does, which counts; false with a diagnostic if all of that becomes too much.
enum { ALIAS_MAX_TIMES = 1000, ALIAS_MAX_BYTES = 1 << 20 };
bool alias_use(Reader *r, const Alias *alias, const char *at);

// ---- Ops (read_op.c) -----------------------------------------------------------------------------------------------
bool read_ops(Reader *r, RegionId into); // up to the '}' of a region, or the end of the text at the top
bool read_region(Reader *r, Draft *d);   // '{' (^block (args):)? ops '}'
// The same with arguments that are already named: those on r->results from `names` on, of the types on r->types from
// `types` on.
bool read_region_with(Reader *r, Draft *d, uint32_t names, uint32_t types, const LocId *arg_locs);
bool read_named_argument(Reader *r);        // %name : type loc, onto r->results, r->types and r->locs
bool read_named_arguments(Reader *r);       // any number of them, up to and with ')'
RegionId draft_region(Reader *r, Draft *d); // a new empty region of the op
bool read_generic(Reader *r, Draft *d);     // ( operands ) <{…}>? ( regions )? {…}? : function type
bool read_operand(Reader *r);               // onto r->operands
bool read_operands(Reader *r);              // one or more, with commas
bool read_optional_dict(Reader *r);         // attr-dict
// ':' '(' types ')' '->' types: operand types are checked, result types pushed; and the same without the ':'.
bool read_function_type(Reader *r, Draft *d);
bool read_function_type_rest(Reader *r, Draft *d);
bool read_result_types(Reader *r); // type | '(' types ')' onto r->types
void check_operand(Reader *r, Draft *d, uint32_t i, TypeId type, const char *at);
// type (',' type)*: each is checked against its operand, and for `results` put onto r->types. How many; 0 after an error.
uint32_t read_operand_types(Reader *r, Draft *d, bool results);
static inline void draft_attr(Reader *r, AttrName name, AttrId value) {
    vec_push(&r->scratch, &r->attrs, ((NamedAttr){name, value}));
}
static inline uint32_t draft_operands(const Reader *r, const Draft *d) { return r->operands.n - d->operands; }

// ---- Forms (read_forms*.c): what follows the name of an op in its pretty form. The op table names them. ------------
typedef bool ReadForm(Reader *r, Draft *d);
ReadForm read_form_broadcast, read_form_call, read_form_chlo, read_form_chlo_constant, read_form_cholesky,
    read_form_compare, read_form_complex, read_form_composite, read_form_constant, read_form_convolution,
    read_form_custom_call, read_form_dim, read_form_dims, read_form_dot, read_form_dot_general, read_form_dynamic_slice,
    read_form_einsum, read_form_fft, read_form_func, read_form_functional, read_form_generic, read_form_loop,
    read_form_loop_slice, read_form_manual_computation, read_form_pad, read_form_propagation_barrier, read_form_reduce,
    read_form_reduce_precision, read_form_return, read_form_rng, read_form_rng_bit_generator, read_form_same,
    read_form_scan, read_form_sdy_mesh, read_form_select, read_form_sharding_constraint, read_form_sharding_group,
    read_form_slice, read_form_token, read_form_top_k, read_form_tuple, read_form_tuple_element, read_form_types,
    read_form_while;

#endif
