// The printer: a module as MLIR writes it, pretty or generic, with or without locations.
//
//     %0 = stablehlo.add %arg0, %cst : tensor<4xf32>
//     %0 = "stablehlo.add"(%arg0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc(#loc3)
#ifndef PARTIR_STABLEHLO_PRINT_PRINTER_H
#define PARTIR_STABLEHLO_PRINT_PRINTER_H

#include "ir/module.h"

// The whole module. `flags`: partir_print_flags.
void print_module(const Module *m, unsigned flags, Buffer *out);

void print_type(const Module *m, TypeId t, Buffer *out);
void print_attr(const Module *m, AttrId a, Buffer *out);

// The names that print_module gives to values (%0, %arg1, %cst_2, %3#1): made once, then used for many lines.
typedef struct PrintedNames PrintedNames;
const PrintedNames *value_names(const Module *m, unsigned flags, Arena *a);

#endif
