// What the files of the printer share: the state of one run, and how each kind of thing is put into the text.
#ifndef PARTIR_STABLEHLO_PRINT_PRINT_STATE_H
#define PARTIR_STABLEHLO_PRINT_PRINT_STATE_H

#include "stablehlo/print/printer.h"

typedef struct PrintedName {
    uint32_t number;
    uint8_t word; // of print_name.c; 0: a number alone
    bool has_number;
    bool in_group; // one of several results under one name: %3#1
} PrintedName;

struct PrintedNames {
    PrintedName *at; // one for each value
};

typedef struct LocNames LocNames; // print_loc.c

typedef struct Printer {
    const Module *m;
    Buffer *out;
    Arena *scratch;
    const PrintedNames *names;
    bool generic, locations;
    bool in_function;     // directly in a func.func, where `func.` goes without saying
    uint32_t indent;      // columns
    Span *type_text;      // of types printed before; at NULL: not yet
    uint32_t *attr_alias; // 1 + alias number of each attribute, 0: none; NULL if there are no aliases
    LocNames *locs;       // names of locations, NULL without
} Printer;

// ---- Bytes ----------------------------------------------------------------------------------------------------------
static inline void put(Printer *p, const char *s, size_t n) {
    Buffer *b = p->out;
    if (n < b->cap - b->n) {
        memcpy(b->at + b->n, s, n);
        b->n += n;
    } else {
        buf_put(b, s, n);
    }
}
#define PUT(p, literal) put((p), (literal), sizeof(literal) - 1)
static inline void put_span(Printer *p, Span s) { put(p, s.at, s.n); }
void put_newline(Printer *p); // and the indentation

// ---- Names (print_name.c) -------------------------------------------------------------------------------------------
void put_value(Printer *p, ValueId v);
void put_values(Printer *p, const ValueId *v, uint32_t n); // with commas
void put_results(Printer *p, OpId op);                     // %0:2 = , or nothing
uint32_t scan_inputs(const Module *m, OpId op); // how many operands of a chlo.scan are inputs; the others are carried

// ---- Types and attributes (print_type.c, print_attr.c, print_dense.c, print_float.c) --------------------------------
void put_type(Printer *p, TypeId t);
void put_value_types(Printer *p, const ValueId *v, uint32_t n); // with commas
void put_functional_type(Printer *p, OpId op);                  // (tensor<f32>) -> tensor<f32>
void put_colon_functional_type(Printer *p, OpId op);            // the same after a colon
void put_attr(Printer *p, AttrId a);                            // by its alias if it has one
void put_named_attrs(Printer *p, NamedAttr *attrs, uint32_t n); // a = 1 : i64, b: sorted by name

void print_word(Span s, Buffer *out);                                      // name or "odd name"
void print_symbol(Span name, Buffer *out);                                 // @name or @"odd name"
void print_string(Span s, Buffer *out);                                    // quoted and escaped
void print_ints(const int64_t *v, uint32_t n, Buffer *out);                // 1, 2, 3
void print_record_body(const Module *m, AttrId a, Buffer *out);            // what follows #stablehlo.gather: <…>
void print_conv(const Module *m, AttrId a, Buffer *out);                   // [b, 0, f]x[0, i, o]->[b, 0, f]
void print_dense(const Module *m, const Attr *a, Buffer *out); // dense<…> without its type
void print_float(Elem e, uint64_t bits, Buffer *out);                      // as MLIR writes a float of this type

// Dictionary of all attributes of the op but those listed (ended by A_COUNT) and those that have their default value:
// ` {…}`, or nothing.
#define NAMES(...) ((const AttrName[]){__VA_ARGS__, A_COUNT})
#define NO_NAMES   ((const AttrName[]){A_COUNT})
void put_attr_dict(Printer *p, OpId op, const AttrName *but);

// Repeated replica groups get a name: counted before printing, defined at the top.
void aliases_find(Printer *p);

// ---- Locations (print_loc.c) ----------------------------------------------------------------------------------------
void locations_name(Printer *p);                // visits them in the order of printing
void locations_define(Printer *p, bool at_end); // the #loc lines before and after the module
void put_op_loc(Printer *p, LocId l);           // ` loc(#loc3)`, or nothing where locations are not printed
void put_argument_loc(Printer *p, RegionId r, uint32_t index);

// ---- Ops (printer.c, print_fits.c, print_forms*.c) ------------------------------------------------------------------
typedef void PrintForm(Printer *p, OpId op);   // what follows the op's name
extern PrintForm *const print_forms[OP_COUNT]; // by op; NULL for ops that are always quoted
void put_generic(Printer *p, OpId op);         // what follows the name of an op in quotes
void put_region(Printer *p, RegionId r, bool with_arguments);
void put_argument(Printer *p, RegionId r, uint32_t index);  // %arg0: tensor<f32> loc(…)
const OpAttrInfo *row_attr(const OpInfo *row, NameId name); // NULL if the op table does not name it
bool op_fits_form(const Module *m, OpId op);                // has what its pretty form needs; otherwise it is quoted
bool reduce_is_short(const Module *m, OpId op);             // its region is one op that can stand for it

#endif
