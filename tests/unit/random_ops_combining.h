// Makers of ops that combine elements or run regions: products, reductions, windows, indexing, loops.
#ifndef PARTIR_RANDOM_OPS_COMBINING_H
#define PARTIR_RANDOM_OPS_COMBINING_H

#include "random_ops.h"

static void make_dot_general(Gen *g) {
    const char *elem = gen_chance(g, 4) ? "i32" : gen_float(g);
    int batch = (int)gen_random(g, 2), contract = 1 + (int)gen_random(g, 2), lf = (int)gen_random(g, 3),
        rf = (int)gen_random(g, 2);
    GenType l = {elem, batch + contract + lf, {0}}, r = {elem, batch + contract + rf, {0}},
            o = {elem, batch + lf + rf, {0}};
    int64_t lp[6], rp[6], lb[2], rb[2], lc[2], rc[2];
    gen_shuffle(g, lp, l.rank);
    gen_shuffle(g, rp, r.rank);
    for (int i = 0; i < batch; i++)
        lb[i] = lp[i], rb[i] = rp[i], o.dims[i] = l.dims[lp[i]] = r.dims[rp[i]] = gen_size(g);
    for (int i = 0; i < contract; i++)
        lc[i] = lp[batch + i], rc[i] = rp[batch + i], l.dims[lc[i]] = r.dims[rc[i]] = gen_size(g);
    for (int i = batch + contract; i < l.rank; i++) l.dims[lp[i]] = gen_size(g);
    for (int i = batch + contract; i < r.rank; i++) r.dims[rp[i]] = gen_size(g);
    int k = batch;
    for (int d = 0; d < l.rank; d++) {
        bool is_free = true;
        for (int i = 0; i < batch + contract; i++) is_free &= lp[i] != d;
        if (is_free) o.dims[k++] = l.dims[d];
    }
    for (int d = 0; d < r.rank; d++) {
        bool is_free = true;
        for (int i = 0; i < batch + contract; i++) is_free &= rp[i] != d;
        if (is_free) o.dims[k++] = r.dims[d];
    }
    char x[16], y[16], s1[64], s2[64], s3[64], s4[64], dims[256] = "";
    snprintf(x, sizeof x, "%s", gen_operand(g, l));
    snprintf(y, sizeof y, "%s", gen_operand(g, r));
    TYPE(a, l);
    TYPE(b, r);
    TYPE(c, o);
    if (batch)
        snprintf(dims, sizeof dims, "batching_dims = %s x %s, ", gen_list(s1, lb, batch), gen_list(s2, rb, batch));
    gen_line(g, "    %s = stablehlo.dot_general %s, %s, %scontracting_dims = %s x %s : (%s, %s) -> %s",
             gen_result(g, &o), x, y, dims, gen_list(s3, lc, contract), gen_list(s4, rc, contract), a, b, c);
}

static void make_einsum(Gen *g) {
    GenType l = gen_type(g, "f32", 3), r = gen_type(g, "f32", 3), o = {"f32", 3, {0}};
    r.dims[0] = l.dims[0];
    r.dims[1] = l.dims[2];
    o.dims[0] = l.dims[0], o.dims[1] = l.dims[1], o.dims[2] = r.dims[2];
    char x[16], y[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, l));
    snprintf(y, sizeof y, "%s", gen_operand(g, r));
    TYPE(a, l);
    TYPE(b, r);
    TYPE(c, o);
    gen_line(g, "    %s = stablehlo.einsum %s, %s, config = \"bik,bkj->bij\" : (%s, %s) -> %s", gen_result(g, &o), x, y,
             a, b, c);
}

static void reduced(GenType *t, const bool *drop) {
    int k = 0;
    for (int i = 0; i < t->rank; i++)
        if (!drop[i]) t->dims[k++] = t->dims[i];
    t->rank = k;
}

static void make_reduce(Gen *g) {
    static const char *const ops[] = {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
    uint32_t k = gen_random(g, 7);
    const char *elem = k >= 4 ? (gen_chance(g, 3) ? "i1" : "i32") : gen_chance(g, 3) ? "i32" : "f32";
    GenType t = gen_type(g, elem, 1 + (int)gen_random(g, 3)), r = t, s = {elem, 0, {0}};
    bool drop[6] = {false};
    int64_t dims[6];
    int n = 0;
    for (int i = 0; i < t.rank; i++)
        if (gen_chance(g, 2) || (i == t.rank - 1 && n == 0)) drop[i] = true, dims[n++] = i;
    reduced(&r, drop);
    if (k == 1 && t.elem[0] == 'f') g->exact = false;
    char x[16], y[16], list[64];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_argument(g, &s)); // any start, not the neutral one
    TYPE(a, t);
    TYPE(b, r);
    gen_line(
        g,
        "    %s = stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = %s : (%s, tensor<%s>) -> %s",
        gen_result(g, &r), x, y, ops[k], gen_list(list, dims, n), a, elem, b);
}

// (value, index) pairs, as jnp.argmax makes them.
static void make_argmax(Gen *g) {
    GenType t = gen_type(g, "f32", 1 + (int)gen_random(g, 2)), i = t, r = t, ri;
    int dim = (int)gen_random(g, (uint32_t)t.rank);
    bool drop[6] = {false};
    drop[dim] = true;
    reduced(&r, drop);
    ri = r;
    i.elem = ri.elem = "i32";
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(ai, i);
    TYPE(b, r);
    TYPE(bi, ri);
    int base = g->next;
    g->next += 2;
    gen_line(g, "    %%i%d = stablehlo.iota dim = %d : %s", base, dim, ai);
    gen_line(
        g,
        "    %%v%d = stablehlo.constant dense<0xFF800000> : tensor<f32>\n    %%z%d = stablehlo.constant dense<0> : tensor<i32>",
        base, base);
    gen_line(
        g,
        "    %%r%d:2 = stablehlo.reduce(%s init: %%v%d), (%%i%d init: %%z%d) across dimensions = [%d] : (%s, %s, tensor<f32>, tensor<i32>) -> (%s, %s)",
        base, x, base, base, base, dim, a, ai, b, bi);
    gen_line(g, "     reducer(%%p: tensor<f32>, %%q: tensor<f32>) (%%m: tensor<i32>, %%n: tensor<i32>)  {\n"
                "      %%a = stablehlo.compare GT, %%p, %%q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                "      %%b = stablehlo.compare NE, %%p, %%p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                "      %%c = stablehlo.or %%a, %%b : tensor<i1>\n"
                "      %%d = stablehlo.compare EQ, %%p, %%q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                "      %%e = stablehlo.compare LT, %%m, %%n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                "      %%f = stablehlo.and %%d, %%e : tensor<i1>\n"
                "      %%g = stablehlo.or %%c, %%f : tensor<i1>\n"
                "      %%h = stablehlo.select %%c, %%p, %%q : tensor<i1>, tensor<f32>\n"
                "      %%i = stablehlo.select %%g, %%m, %%n : tensor<i1>, tensor<i32>\n"
                "      stablehlo.return %%h, %%i : tensor<f32>, tensor<i32>\n    }");
    char name[16];
    snprintf(name, sizeof name, "%%r%d#0", base);
    gen_add(g, &r, name);
    snprintf(name, sizeof name, "%%r%d#1", base);
    gen_add(g, &ri, name);
}

static void make_reduce_window(Gen *g) {
    GenType t = gen_type(g, "f32", 2), r = t, s = {"f32", 0, {0}};
    int64_t w[2] = {1, 1};
    int dim = (int)gen_random(g, 2);
    w[dim] = 1 + gen_random(g, (uint32_t)(t.dims[dim] < 3 ? t.dims[dim] : 3));
    int64_t step[2] = {1, 1};
    step[dim] = 1 + gen_random(g, 3);
    r.dims[dim] = (t.dims[dim] - w[dim]) / step[dim] + 1;
    char x[16], y[16], list[64], steps[64];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, s));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(
        g,
        "    %s = \"stablehlo.reduce_window\"(%s, %s) <{window_dimensions = %s, window_strides = %s}> ({\n    ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):\n      %%s = stablehlo.add %%p, %%q : tensor<f32>\n      stablehlo.return %%s : tensor<f32>\n    }) : (%s, tensor<f32>) -> %s",
        gen_result(g, &r), x, y, gen_array(list, w, 2), gen_array(steps, step, 2), a, b);
}

static void make_convolution(Gen *g) {
    int64_t groups = gen_chance(g, 3) ? g->axes[gen_random(g, (uint32_t)g->n_axes)] : 1,
            batch_groups = groups == 1 && gen_chance(g, 4) ? g->axes[gen_random(g, (uint32_t)g->n_axes)] : 1;
    int64_t batch = gen_size(g) * batch_groups, in = gen_size(g), out = gen_size(g) * groups * batch_groups,
            space = gen_chance(g, 2) ? 3 + gen_random(g, 3) : gen_size(g) * 2,
            kernel = 1 + gen_random(g, (uint32_t)(space < 4 ? space : 4)), step = 1 + gen_random(g, 3);
    if (groups > 1 && in > 3) in = 1;
    GenType l = {"f32", 3, {batch, space, in * groups}}, r = {"f32", 3, {kernel, in, out}},
            o = {"f32", 3, {batch / batch_groups, (space - kernel) / step + 1, out}};
    char x[16], y[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, l));
    snprintf(y, sizeof y, "%s", gen_operand(g, r));
    TYPE(a, l);
    TYPE(b, r);
    TYPE(c, o);
    gen_line(
        g,
        "    %s = stablehlo.convolution(%s, %s) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [%" PRId64
        "]} {batch_group_count = %" PRId64 " : i64, feature_group_count = %" PRId64 " : i64} : (%s, %s) -> %s",
        gen_result(g, &o), x, y, step, batch_groups, groups, a, b, c);
}

static const char *gen_index_elem(Gen *g) {
    static const char *const elems[] = {"i32", "i8", "i64", "ui8", "ui32"};
    return elems[gen_random(g, 5)];
}

// Rows of a table by index; sometimes with batching dimensions.
static void make_gather(Gen *g) {
    GenType t = gen_type(g, "f32", 2), i = gen_type(g, gen_index_elem(g), 1), r = {"f32", 2, {0}};
    bool batched = gen_chance(g, 3);
    char x[16], y[16];
    if (batched) {
        GenType bt = gen_type(g, "f32", 3), bi = gen_type(g, i.elem, 3), br = {"f32", 3, {0}};
        bi.dims[0] = bt.dims[0];
        bi.dims[2] = 1;
        br.dims[0] = bt.dims[0], br.dims[1] = bi.dims[1], br.dims[2] = bt.dims[2];
        snprintf(x, sizeof x, "%s", gen_operand(g, bt));
        snprintf(y, sizeof y, "%s", gen_argument(g, &bi));
        TYPE(a, bt);
        TYPE(b, bi);
        TYPE(c, br);
        gen_line(
            g,
            "    %s = \"stablehlo.gather\"(%s, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, %" PRId64
            ">}> : (%s, %s) -> %s",
            gen_result(g, &br), x, y, bt.dims[2], a, b, c);
        return;
    }
    i.dims[i.rank++] = 1;
    r.dims[0] = i.dims[0], r.dims[1] = t.dims[1];
    bool unindexed = gen_chance(g, 4); // always row 0: the index speaks of a dimension that is taken in full
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_argument(g, &i));
    TYPE(a, t);
    TYPE(b, i);
    TYPE(c, r);
    gen_line(
        g,
        "    %s = \"stablehlo.gather\"(%s, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [%d], index_vector_dim = 1>, slice_sizes = array<i64: 1, %" PRId64
        ">}> : (%s, %s) -> %s",
        gen_result(g, &r), x, y, unindexed, t.dims[1], a, b, c);
}

static void make_scatter(Gen *g) {
    static const char *const ops[] = {"add", "multiply", "maximum", "minimum"};
    const char *elem = gen_chance(g, 3) ? "i32" : "f32";
    uint32_t k = gen_random(g, 4);
    if (k == 1 && elem[0] == 'f') g->exact = false;
    GenType t = gen_type(g, elem, 2), i = gen_type(g, gen_index_elem(g), 1), u = {elem, 2, {0}};
    i.dims[i.rank++] = 1;
    u.dims[0] = i.dims[0], u.dims[1] = t.dims[1];
    bool unindexed = gen_chance(g, 4); // always row 0
    char x[16], y[16], z[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_argument(g, &i));
    snprintf(z, sizeof z, "%s", gen_operand(g, u));
    TYPE(a, t);
    TYPE(b, i);
    TYPE(c, u);
    gen_line(
        g,
        "    %s = \"stablehlo.scatter\"(%s, %s, %s) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [%d], index_vector_dim = 1>}> ({\n    ^bb0(%%p: tensor<%s>, %%q: tensor<%s>):\n      %%s = stablehlo.%s %%p, %%q : tensor<%s>\n      stablehlo.return %%s : tensor<%s>\n    }) : (%s, %s, %s) -> %s",
        gen_result(g, &t), x, y, z, unindexed, elem, elem, ops[k], elem, elem, a, b, c, a);
}

static void make_dynamic_slice(Gen *g) {
    GenType t = gen_type(g, gen_any(g), 2), r = t, s = {gen_index_elem(g), 0, {0}};
    for (int d = 0; d < 2; d++)
        if (gen_chance(g, 2)) r.dims[d] = gen_chance(g, 3) ? 1 + (int64_t)gen_random(g, (uint32_t)t.dims[d]) : 1;
    char x[16], i[16], j[16], list[64];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(i, sizeof i, "%s", gen_argument(g, &s));
    snprintf(j, sizeof j, "%s", gen_argument(g, &s));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.dynamic_slice %s, %s, %s, sizes = %s : (%s, tensor<%s>, tensor<%s>) -> %s",
             gen_result(g, &r), x, i, j, gen_list(list, r.dims, 2), a, s.elem, s.elem, b);
}

static void make_dynamic_update_slice(Gen *g) {
    GenType t = gen_type(g, gen_any(g), 2), u = t, s = {gen_index_elem(g), 0, {0}};
    for (int d = 0; d < 2; d++)
        if (gen_chance(g, 2)) u.dims[d] = gen_chance(g, 3) ? 1 + (int64_t)gen_random(g, (uint32_t)t.dims[d]) : 1;
    char x[16], y[16], i[16], j[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, u));
    snprintf(i, sizeof i, "%s", gen_argument(g, &s));
    snprintf(j, sizeof j, "%s", gen_argument(g, &s));
    TYPE(a, t);
    TYPE(b, u);
    gen_line(g, "    %s = stablehlo.dynamic_update_slice %s, %s, %s, %s : (%s, %s, tensor<%s>, tensor<%s>) -> %s",
             gen_result(g, &t), x, y, i, j, a, b, s.elem, s.elem, a);
}

static void make_index_select(Gen *g) {
    GenType t = gen_type(g, "f32", 2), i = gen_type(g, "i32", 1), r = t;
    r.dims[0] = i.dims[0];
    char x[16], y[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_argument(g, &i));
    TYPE(a, t);
    TYPE(b, i);
    TYPE(c, r);
    gen_line(
        g, "    %s = \"stablehlo.torch_index_select\"(%s, %s) <{batch_dims = 0 : i64, dim = 0 : i64}> : (%s, %s) -> %s",
        gen_result(g, &r), x, y, a, b, c);
}

static void make_sort(Gen *g) {
    GenType t = gen_type(g, "f32", 2);
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    gen_line(
        g,
        "    %s = \"stablehlo.sort\"(%s) <{dimension = %u : i64, is_stable = true}> ({\n    ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):\n      %%s = stablehlo.compare LT, %%p, %%q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n      stablehlo.return %%s : tensor<i1>\n    }) : (%s) -> %s",
        gen_result(g, &t), x, gen_random(g, 2), a, a);
}

static void make_top_k(Gen *g) {
    GenType t = gen_type(g, "f32", 2), r = t, i = t;
    r.dims[1] = i.dims[1] = 1;
    i.elem = "i32";
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(b, r);
    TYPE(c, i);
    const char *v = gen_result(g, &r), *k = gen_result(g, &i);
    gen_line(g, "    %s, %s = chlo.top_k(%s, k = 1) : %s -> (%s, %s)", v, k, x, a, b, c);
}

static void make_fft(Gen *g) {
    g->exact = false;
    GenType t = gen_type(g, "complex<f32>", 2);
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    gen_line(g, "    %s = stablehlo.fft %s, type =  FFT, length = [%" PRId64 "] : (%s) -> %s", gen_result(g, &t), x,
             t.dims[1], a, a);
}

static void make_triangular_solve(Gen *g) {
    g->exact = false;
    GenType t = gen_type(g, "f32", 3), u = t;
    t.dims[1] = t.dims[2] = u.dims[1] = 2;
    char x[16], y[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, u));
    TYPE(a, t);
    TYPE(b, u);
    gen_line(
        g,
        "    %s = \"stablehlo.triangular_solve\"(%s, %s) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (%s, %s) -> %s",
        gen_result(g, &u), x, y, a, b, b);
}

static void make_batch_norm(Gen *g) {
    g->exact = false;
    GenType t = gen_type(g, "f32", 3), v = {"f32", 1, {t.dims[2]}};
    char x[16], y[4][16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    for (int i = 0; i < 4; i++) snprintf(y[i], 16, "%s", gen_argument(g, &v));
    TYPE(a, t);
    TYPE(b, v);
    if (gen_chance(g, 2)) {
        gen_line(
            g,
            "    %s = \"stablehlo.batch_norm_inference\"(%s, %s, %s, %s, %s) <{epsilon = 10.0 : f32, feature_index = 2 : i64}> : (%s, %s, %s, %s, %s) -> %s",
            gen_result(g, &t), x, y[0], y[1], y[2], y[3], a, b, b, b, b, a);
        return;
    }
    int base = g->next++;
    gen_line(
        g,
        "    %%r%d:3 = \"stablehlo.batch_norm_training\"(%s, %s, %s) <{epsilon = 1.0 : f32, feature_index = 2 : i64}> : (%s, %s, %s) -> (%s, %s, %s)",
        base, x, y[0], y[1], a, b, b, a, b, b);
    char name[16];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%%r%d#%d", base, i);
        gen_add(g, i ? &v : &t, name);
    }
}

static void make_iota_constant(Gen *g) {
    GenType t = gen_type(g, gen_chance(g, 3) ? "i8" : "f32", 1 + (int)gen_random(g, 2));
    char x[16], i[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    snprintf(i, sizeof i, "%s", gen_result(g, &t));
    if (gen_chance(g, 3) && t.rank == 1) { // a constant whose elements differ
        int64_t v[16] = {0};
        char list[128];
        for (int64_t k = 0; k < t.dims[0]; k++) v[k] = k * k - 3;
        gen_list(list, v, (int)t.dims[0]);
        if (t.elem[0] == 'f') {
            char *p = list + 1;
            *list = '[';
            for (int64_t k = 0; k < t.dims[0]; k++) p += sprintf(p, "%s%" PRId64 ".0", k ? ", " : "", v[k]);
            sprintf(p, "]");
        }
        gen_line(g, "    %s = stablehlo.constant dense<%s> : %s", i, list, a);
    } else {
        gen_line(g, "    %s = stablehlo.iota dim = %u : %s", i, gen_random(g, (uint32_t)t.rank), a);
    }
    g->values[g->n_values - 1].used = true;
    gen_line(g, "    %s = stablehlo.add %s, %s : %s", gen_result(g, &t), x, i, a);
}

static void make_map(Gen *g) {
    GenType t = gen_type(g, "f32", 2);
    char x[16], y[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, t));
    TYPE(a, t);
    gen_line(
        g,
        "    %s = \"stablehlo.map\"(%s, %s) <{dimensions = array<i64: 0, 1>}> ({\n    ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):\n      %%s = stablehlo.multiply %%p, %%q : tensor<f32>\n      stablehlo.return %%s : tensor<f32>\n    }) : (%s, %s) -> %s",
        gen_result(g, &t), x, y, a, a, a);
}

static void make_barrier(Gen *g) {
    GenType t = gen_type(g, "f32", 2), u = gen_type(g, "i32", 1);
    char x[16], y[16], name[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, u));
    TYPE(a, t);
    TYPE(b, u);
    int base = g->next++;
    gen_line(g, "    %%r%d:2 = stablehlo.optimization_barrier %s, %s : %s, %s", base, x, y, a, b);
    snprintf(name, sizeof name, "%%r%d#0", base);
    gen_add(g, &t, name);
    snprintf(name, sizeof name, "%%r%d#1", base);
    gen_add(g, &u, name);
}

// acc += x @ w in a loop; the accumulator starts at zero, as in microbatching, or as an argument.
static void make_while(Gen *g) {
    GenType x = gen_type(g, "f32", 2), w = gen_type(g, "f32", 2), o = {"f32", 2, {0}};
    w.dims[0] = x.dims[1];
    o.dims[0] = x.dims[0], o.dims[1] = w.dims[1];
    char xs[16], ws[16], init[16], name[16];
    snprintf(xs, sizeof xs, "%s", gen_operand(g, x));
    snprintf(ws, sizeof ws, "%s", gen_operand(g, w));
    TYPE(a, x);
    TYPE(b, w);
    TYPE(c, o);
    int n = g->next++;
    if (gen_chance(g, 2)) {
        snprintf(init, sizeof init, "%%o%d", n);
        gen_line(g, "    %s = stablehlo.constant dense<0.0> : %s", init, c);
    } else {
        snprintf(init, sizeof init, "%s", gen_operand(g, o));
    }
    gen_line(
        g,
        "    %%c%d = stablehlo.constant dense<0> : tensor<i32>\n    %%n%d = stablehlo.constant dense<2> : tensor<i32>\n    %%s%d = stablehlo.constant dense<1> : tensor<i32>",
        n, n, n);
    gen_line(
        g,
        "    %%r%d:3 = stablehlo.while(%%i = %%c%d, %%acc = %s, %%x = %s) : tensor<i32>, %s, %s\n     cond {\n      %%p = stablehlo.compare LT, %%i, %%n%d : (tensor<i32>, tensor<i32>) -> tensor<i1>\n      stablehlo.return %%p : tensor<i1>\n    } do {",
        n, n, init, xs, c, a, n);
    gen_line(
        g,
        "      %%d = stablehlo.dot_general %%x, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s\n      %%t = stablehlo.add %%acc, %%d : %s\n      %%j = stablehlo.add %%i, %%s%d : tensor<i32>\n      stablehlo.return %%j, %%t, %%x : tensor<i32>, %s, %s\n    }",
        ws, a, b, c, c, n, c, a);
    snprintf(name, sizeof name, "%%r%d#1", n);
    gen_add(g, &o, name);
}

static void make_if(Gen *g) {
    GenType t = gen_type(g, "f32", 2), p = {"i1", 0, {0}};
    char x[16], y[16], q[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, t));
    snprintf(q, sizeof q, "%s", gen_argument(g, &p));
    TYPE(a, t);
    gen_line(
        g,
        "    %s = \"stablehlo.if\"(%s) ({\n      %%s = stablehlo.add %s, %s : %s\n      stablehlo.return %%s : %s\n    }, {\n      stablehlo.return %s : %s\n    }) : (tensor<i1>) -> %s",
        gen_result(g, &t), q, x, y, a, a, y, a, a);
}

static void make_chlo(Gen *g) {
    static const char *const ops[] = {"erf", "erfc", "square", "sinh", "lgamma", "asin"};
    g->exact = false;
    GenType t = gen_type(g, "f32", 2);
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    gen_line(g, "    %s = chlo.%s %s : %s -> %s", gen_result(g, &t), ops[gen_random(g, 6)], x, a, a);
}

// add(a, add(b, c)) of matrix products: sums that become one.
static void make_sum_tree(Gen *g) {
    GenType x = gen_type(g, "f32", 2), w = gen_type(g, "f32", 2), o = {"f32", 2, {0}};
    w.dims[0] = x.dims[1];
    o.dims[0] = x.dims[0], o.dims[1] = w.dims[1];
    TYPE(a, x);
    TYPE(b, w);
    TYPE(c, o);
    char last[16] = "";
    if (gen_chance(g, 2)) snprintf(last, sizeof last, "%s", gen_operand(g, o));
    int n = 2 + (int)gen_random(g, 2);
    for (int i = 0; i < n; i++) {
        char xs[16], ws[16], r[16];
        snprintf(xs, sizeof xs, "%s", gen_operand(g, x));
        snprintf(ws, sizeof ws, "%s", gen_operand(g, w));
        snprintf(r, sizeof r, "%s", gen_result(g, &o));
        g->values[g->n_values - 1].used = true;
        gen_line(g, "    %s = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s", r, xs, ws,
                 a, b, c);
        if (*last) {
            char s[16];
            snprintf(s, sizeof s, "%s", gen_result(g, &o));
            g->values[g->n_values - 1].used = i + 1 < n;
            gen_line(g, "    %s = stablehlo.%s %s, %s : %s", s, gen_chance(g, 3) ? "subtract" : "add", last, r, c);
            snprintf(last, sizeof last, "%s", s);
        } else {
            snprintf(last, sizeof last, "%s", r);
        }
    }
}

#endif
