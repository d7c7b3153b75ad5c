// Import: types, attributes, locations and whole ops of one module carried over into another. Each is carried over
// once. Texts stay where they are: the source module must outlive the target.
#ifndef PARTIR_IR_IMPORT_H
#define PARTIR_IR_IMPORT_H

#include "ir/module.h"

typedef struct Import {
    const Module *src;
    Module *dst;
    uint32_t *types, *attrs, *names, *locs; // by id of src: id of dst, or NO_ID
} Import;

void import_init(Import *im, const Module *src, Module *dst, Arena *a);
TypeId import_type(Import *im, TypeId t);
AttrId import_attr(Import *im, AttrId a);
NameId import_name(Import *im, NameId n);
LocId import_loc(Import *im, LocId l);
// The attributes of an op, in `out` (room for all).
void import_attrs(Import *im, OpId op, NamedAttr *out);
// The op as it would be made in dst with these operands (values of dst), its regions empty; lists are in `a`.
OpSpec import_spec(Import *im, OpId op, const ValueId *operands, Arena *a);
// The operands of an op as `map` (by src value) gives them, in `a`.
ValueId *import_operands(const Import *im, OpId op, const ValueId *map, Arena *a);
// Copies an op with these operands (values of dst) to the end of a region, what is in its regions by `map`.
void import_op(Import *im, OpId op, const ValueId *operands, RegionId into, ValueId *map);
// Copies a region's arguments and ops into an empty region; `map` (by src value) gives what values from outside have
// become and receives the new ones.
void import_region(Import *im, RegionId from, RegionId into, ValueId *map);

// What the module has besides ops: attributes, symbol, source text, names of arguments and results, resources.
void import_header(Import *im);

// Copies all functions but @main, which custom calls name.
void import_named_functions(Import *im, ValueId *map);

#endif
