// Reader: StableHLO text to a module. Reads the pretty form, the generic form and any mixture of the two.
//
//     func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//       %0 = stablehlo.add %x, %x : tensor<4xf32>      in generic form:  %0 = "stablehlo.add"(%x, %x) : (…) -> …
//       return %0 : tensor<4xf32>
//     }
#ifndef PARTIR_STABLEHLO_READ_READER_H
#define PARTIR_STABLEHLO_READ_READER_H

#include "ir/module.h"

// Reads m->source into the empty module `m`. False after diagnostics (at most READ_MAX_ERRORS); `m` is then only good
// to be freed. Constants, strings and opaque attributes point into the source, which must live as long as the module.
#define READ_MAX_ERRORS 20
bool read_module(Module *m);

#endif
