// A random program on a random mesh, and random actions on it: tiles, and now and then an atomic, each propagated.
#ifndef PARTIR_RANDOM_WALK_H
#define PARTIR_RANDOM_WALK_H

#include "core/tactic/tactic.h"
#include "ir/names.h"
#include "random_program.h"
#include "session/partition.h"
#include "stablehlo/check.h"
#include "stablehlo/read/reader.h"

static char last_error[4096];

static void keep_diagnostic(void *user, const partir_diagnostic *d) {
    (void)user;
    if (d->severity == PARTIR_ERROR) partir_diagnostic_format(d, 0, last_error, sizeof last_error);
}

typedef struct Walk {
    Context *ctx;
    Module *m;
    Partition p;
    Schedule schedule;
    Source source;
    Gen g;
    int64_t sizes[3];
    int n_axes;
    Arena scratch;
} Walk;

// What ops share: constants, an iota and slices of arguments, before, inside and after a loop.
static const char shared_program[] =
    "module {\n"
    "  func.func public @main(%x: tensor<12x12xf32>, %w: tensor<12x12xf32>, %b: tensor<12x12xf32>) -> (tensor<12x12xf32>, tensor<12x12xf32>, tensor<12x12xf32>) {\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %z = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<12x12xf32>\n"
    "    %i = stablehlo.iota dim = 0 : tensor<12x12xf32>\n"
    "    %first = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %last = stablehlo.constant dense<2> : tensor<i32>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %0 = stablehlo.add %x, %z : tensor<12x12xf32>\n"
    "    %1 = stablehlo.add %0, %i : tensor<12x12xf32>\n"
    "    %2:3 = stablehlo.while(%k = %first, %acc = %z, %it = %i) : tensor<i32>, tensor<12x12xf32>, tensor<12x12xf32>\n"
    "     cond {\n"
    "      %p = stablehlo.compare LT, %k, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %p : tensor<i1>\n"
    "    } do {\n"
    "      %d = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>\n"
    "      %e = stablehlo.add %acc, %d : tensor<12x12xf32>\n"
    "      %f = stablehlo.maximum %e, %i : tensor<12x12xf32>\n"
    "      %g = stablehlo.multiply %it, %b : tensor<12x12xf32>\n"
    "      %j = stablehlo.add %k, %one : tensor<i32>\n"
    "      stablehlo.return %j, %f, %g : tensor<i32>, tensor<12x12xf32>, tensor<12x12xf32>\n"
    "    }\n"
    "    %3 = stablehlo.add %2#1, %i : tensor<12x12xf32>\n"
    "    %4 = stablehlo.multiply %b, %i : tensor<12x12xf32>\n"
    "    %5 = stablehlo.maximum %4, %z : tensor<12x12xf32>\n"
    "    %6 = stablehlo.subtract %w, %2#2 : tensor<12x12xf32>\n"
    "    return %3, %5, %6 : tensor<12x12xf32>, tensor<12x12xf32>, tensor<12x12xf32>\n"
    "  }\n"
    "}\n";

static inline bool open_walk(Walk *w, uint64_t seed) {
    static const int64_t choices[] = {2, 3, 2, 4, 2, 6, 2, 3, 1};
    w->g.state = seed * 77777 + 1;
    w->n_axes = 1 + (int)gen_random(&w->g, 3);
    char text[64], *p = text + sprintf(text, "mesh");
    for (int i = 0; i < w->n_axes; i++) {
        w->sizes[i] = choices[gen_random(&w->g, 9)];
        p += sprintf(p, "%s a%d=%" PRId64, i ? "," : "", i, w->sizes[i]);
    }
    gen_init(&w->g, seed, w->sizes, w->n_axes);
    if (seed % 8)
        gen_long_program(&w->g);
    else
        snprintf(w->g.text, sizeof w->g.text, "%s", shared_program);
    w->m = module_new(w->ctx);
    source_from_memory(&w->m->source, "random.mlir", w->g.text, strlen(w->g.text));
    if (!read_module(w->m) || !check_module(w->m) || !names_from_module(w->m)) return false;
    size_t n = strlen(text) + 1;
    source_from_memory(&w->source, "random.schedule", memcpy(arena_alloc(&w->m->arena, n), text, n), n - 1);
    return schedule_read(w->ctx, &w->m->arena, &w->source, &w->schedule) &&
           partition_init(&w->p, w->m, &w->schedule, NULL);
}

static void close_walk(Walk *w) {
    if (w->p.arena.ctx) partition_free(&w->p);
    if (w->scratch.ctx) arena_free(&w->scratch);
    if (w->m) module_free(w->m);
}

static inline void act(Walk *w) {
    State *s = &w->p.state;
    AxisId axis = (AxisId)gen_random(&w->g, (uint32_t)w->n_axes);
    uint32_t mark = state_mark(s);
    const Target *t = &w->p.targets.at[gen_random(&w->g, w->p.targets.n)];
    const Type *type = type_get(w->m, t->type);
    if (type->kind != TYPE_TENSOR || type->rank == 0) return;
    if (gen_chance(&w->g, 12)) {
        if (state_tiled_dim(s, t->node, t->tensor, axis) < 0) action_atomic(s, t->value, axis);
    } else {
        action_tile(s, t->node, t->tensor, gen_random(&w->g, type->rank), axis);
    }
    propagate(s, mark, axis);
}

#endif
