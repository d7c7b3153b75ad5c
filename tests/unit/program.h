// What tests of the simulator's passes share: a program is read from text, and its ops are found by kind.
#ifndef PARTIR_TESTS_PROGRAM_H
#define PARTIR_TESTS_PROGRAM_H

#include "stablehlo/read/reader.h"
#include "test.h"

static Context *ctx;
static Arena arena;

static Module *read(const char *text) {
    Module *m = module_new(ctx);
    source_from_memory(&m->source, "m.mlir", text, strlen(text));
    bool ok = read_module(m);
    CHECK(ok);
    if (ok) return m;
    module_free(m);
    return NULL;
}

// The n-th op of this kind, from 0, or NO_ID.
static inline OpId find(const Module *m, OpKind kind, uint32_t n) {
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        if (op_kind(m, op) == kind && n-- == 0) return op;
    return NO_ID;
}

#endif
