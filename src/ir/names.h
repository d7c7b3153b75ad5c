// Names: each flattened argument and result of @main gets a path such as params/layers/3/mlp/up/kernel or out/0.
#ifndef PARTIR_IR_NAMES_H
#define PARTIR_IR_NAMES_H

#include "ir/module.h"

// JAX key string to path: state.opt_state[0].mu['w'] -> state/opt_state/0/mu/w. In `a`, NUL-terminated.
const char *names_path(Arena *a, Span key_string);
// Names from attributes and locations: partir.name, debug locations of arguments, jax.result_info of results; else argN and out/N.
bool names_from_module(Module *m);
// Lines `index<TAB>key string`; `file` is for diagnostics.
bool names_from_text(Module *m, const Source *file);

#endif
