// Prepare: brings a module into the form that partitioning needs: @main alone, calls inlined, batch norms decomposed,
// transposes folded into products, no dead code, tags as ops, static shapes.
#ifndef PARTIR_CORE_PREPARE_H
#define PARTIR_CORE_PREPARE_H

#include "ir/module.h"

// In place, and harmless the second time. False with a diagnostic that names the op that cannot be partitioned.
bool prepare_module(Module *m);

#endif
