// Random StableHLO programs around one op: operands of shapes that the mesh can tile, the op with random attributes,
// and a few ops before and after it. As text, so that a failure is a file to look at.
//
//     Gen g; gen_init(&g, seed, sizes_of_axes, n_axes); gen_program(&g, maker); puts(g.text);
#ifndef PARTIR_RANDOM_PROGRAM_H
#define PARTIR_RANDOM_PROGRAM_H

#include "random_moves.h"
#include "random_one_hot.h"
#include "random_ops_combining.h"

static const Maker makers[] = {make_unary,
                               make_unary_int,
                               make_binary,
                               make_compare_select,
                               make_clamp,
                               make_convert,
                               make_complex,
                               make_bitcast,
                               make_reduce_precision,
                               make_broadcast_in_dim,
                               make_broadcast,
                               make_transpose,
                               make_reshape,
                               make_slice,
                               make_pad,
                               make_concatenate,
                               make_reverse,
                               make_moved_slice,
                               make_moved_pad,
                               make_moved_concatenate,
                               make_roll,
                               make_known_dynamic_slice,
                               make_dot_general,
                               make_einsum,
                               make_reduce,
                               make_argmax,
                               make_reduce_window,
                               make_convolution,
                               make_gather,
                               make_scatter,
                               make_row_gather,
                               make_row_scatter,
                               make_dynamic_slice,
                               make_dynamic_update_slice,
                               make_index_select,
                               make_sort,
                               make_top_k,
                               make_fft,
                               make_triangular_solve,
                               make_batch_norm,
                               make_iota_constant,
                               make_map,
                               make_barrier,
                               make_while,
                               make_if,
                               make_chlo,
                               make_sum_tree};
enum { N_MAKERS = sizeof makers / sizeof *makers };

// All that nothing uses are the results.
static void gen_end(Gen *g) {
    char types[2048] = "", names[1024] = "", *t = types, *n = names;
    int count = 0;
    for (int i = 0; i < g->n_values; i++) {
        if (g->values[i].used) continue;
        TYPE(a, g->values[i].type);
        t += sprintf(t, "%s%s", count ? ", " : "", a);
        n += sprintf(n, "%s%s", count++ ? ", " : "", g->values[i].name);
    }
    snprintf(g->text, sizeof g->text,
             "module {\n  func.func public @main(%s) -> (%s) {\n%s    return %s : %s\n  }\n}\n", g->args, types,
             g->body, names, types);
}

// The op of `maker`, and up to two others.
static inline void gen_program(Gen *g, Maker maker) {
    static const Maker around[] = {make_unary,       make_binary, make_transpose,        make_reshape,
                                   make_dot_general, make_reduce, make_broadcast_in_dim, make_compare_select};
    if (gen_chance(g, 3)) around[gen_random(g, 8)](g);
    maker(g);
    if (gen_chance(g, 3)) around[gen_random(g, 8)](g);
    gen_end(g);
}

// One op after the other, which use each other's results.
static inline void gen_long_program(Gen *g) {
    enum { MOST_FOR_ONE = 14 }; // values
    for (int n = 3 + (int)gen_random(g, 8); n-- > 0 && g->n_values + MOST_FOR_ONE < GEN_MAX_VALUES;)
        makers[gen_random(g, N_MAKERS)](g);
    gen_end(g);
}

#endif
