// A gather of one element from each row of what is computed, or a scatter of one element to each row of zeros: what is emitted
// as a sum for TPU and as a select for CPU. The rows are all dimensions but one, which can be anywhere.
#ifndef PARTIR_RANDOM_ONE_HOT_H
#define PARTIR_RANDOM_ONE_HOT_H

#include "random_values.h"
#include "random_ops.h"

typedef struct GenRows {
    GenType table, index, taken;
    char rows[64], of_index[64], sizes[64];
    int dim; // that is indexed
} GenRows;

// The index of a row is a scalar, or a vector of one in any place.
static GenRows gen_rows(Gen *g) {
    GenRows r = {.table = gen_type(g, gen_chance(g, 4) ? "f16" : "f32", 1 + (int)gen_random(g, 3))};
    r.dim = (int)gen_random(g, (uint32_t)r.table.rank);
    r.taken = (GenType){r.table.elem, 0, {0}};
    r.index = (GenType){gen_chance(g, 3) ? "i64" : gen_chance(g, 3) ? "ui32" : "i32", 0, {0}};
    int64_t rows[GEN_MAX_RANK], of_index[GEN_MAX_RANK], ones[GEN_MAX_RANK];
    int n = 0;
    for (int d = 0; d < r.table.rank; d++) {
        ones[d] = 1;
        if (d == r.dim) continue;
        rows[n] = d;
        r.taken.dims[r.taken.rank++] = r.index.dims[r.index.rank++] = r.table.dims[d];
        of_index[n] = n;
        n++;
    }
    r.index.dims[r.index.rank++] = 1;
    gen_list(r.rows, rows, n);
    gen_list(r.of_index, of_index, n);
    gen_array(r.sizes, ones, r.table.rank);
    return r;
}

static void make_row_gather(Gen *g) {
    GenRows r = gen_rows(g);
    char x[16], y[16], i[16];
    TYPE(table, r.table);
    TYPE(index, r.index);
    TYPE(taken, r.taken);
    snprintf(y, sizeof y, "%s", gen_operand(g, r.table));
    snprintf(x, sizeof x, "%s", gen_result(g, &r.table));
    gen_line(g, "    %s = stablehlo.negate %s : %s", x, y, table);
    g->values[g->n_values - 1].used = true;
    snprintf(i, sizeof i, "%s", gen_argument(g, &r.index));
    gen_line(
        g,
        "    %s = \"stablehlo.gather\"(%s, %s) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [%d], operand_batching_dims = %s, start_indices_batching_dims = %s, start_index_map = [%d], index_vector_dim = %d>, slice_sizes = %s}> : (%s, %s) -> %s",
        gen_result(g, &r.taken), x, i, r.dim, r.rows, r.of_index, r.dim, r.index.rank - 1, r.sizes, table, index, taken);
}

static void make_row_scatter(Gen *g) {
    GenRows r = gen_rows(g);
    char zeros[16], i[16], u[16];
    TYPE(table, r.table);
    TYPE(index, r.index);
    TYPE(taken, r.taken);
    snprintf(u, sizeof u, "%s", gen_operand(g, r.taken));
    snprintf(i, sizeof i, "%s", gen_argument(g, &r.index));
    if (gen_chance(g, 4)) { // not zeros: stays a scatter
        snprintf(zeros, sizeof zeros, "%s", gen_operand(g, r.table));
    } else {
        snprintf(zeros, sizeof zeros, "%%%d", g->next++);
        gen_line(g, "    %s = stablehlo.constant dense<0.0> : %s", zeros, table);
    }
    gen_line(
        g,
        "    %s = \"stablehlo.scatter\"(%s, %s, %s) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [%d], input_batching_dims = %s, scatter_indices_batching_dims = %s, scatter_dims_to_operand_dims = [%d], index_vector_dim = %d>}> ({\n    ^bb0(%%p: tensor<%s>, %%q: tensor<%s>):\n      %%s = stablehlo.add %%p, %%q : tensor<%s>\n      stablehlo.return %%s : tensor<%s>\n    }) : (%s, %s, %s) -> %s",
        gen_result(g, &r.table), zeros, i, u, r.dim, r.rows, r.of_index, r.dim, r.index.rank - 1, r.table.elem,
        r.table.elem, r.table.elem, r.table.elem, table, index, taken, table);
}

#endif
