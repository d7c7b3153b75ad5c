// Callbacks: custom calls by which a program of JAX runs Python code on the host.
#ifndef PARTIR_IR_ANALYSIS_CALLBACK_H
#define PARTIR_IR_ANALYSIS_CALLBACK_H

#include "ir/module.h"

bool op_is_callback(const Module *m, OpId op);
// A callback that must run, and once: jax.debug.print, debug.callback, io_callback. The others are pure_callback.
bool op_is_effect(const Module *m, OpId op);

bool has_tokens(const Module *m); // whether @main is given one
// The module without the tokens that come into @main.
void pass_drop_tokens(Module *m);

#endif
