// Makers of ops that cut, pad, glue or turn round a dimension which the mesh can tile: sizes are multiples of what divides,
// offsets are anything, so that edges, whole chunks and what is worth a gather cross the borders of chunks.
#ifndef PARTIR_RANDOM_MOVES_H
#define PARTIR_RANDOM_MOVES_H

#include "random_ops.h"

// An axis, two of them or a part of one: what both sides of the op are to have as a divisor.
static int64_t moves_divisor(Gen *g) {
    int64_t a = g->axes[gen_random(g, (uint32_t)g->n_axes)], b = g->axes[gen_random(g, (uint32_t)g->n_axes)];
    if (a > 3 && gen_chance(g, 3)) return a % 3 ? a / 2 : a / 3;
    return g->n_axes > 1 && gen_chance(g, 3) && a * b <= 12 ? a * b : a;
}

// A tensor with a dimension of `size` elements.
static GenType moves_type(Gen *g, const char *elem, int64_t size, int *dim) {
    GenType t = gen_type(g, elem, 1 + (int)gen_random(g, 2));
    *dim = (int)gen_random(g, (uint32_t)t.rank);
    t.dims[*dim] = size;
    return t;
}

static void moves_slice(Gen *g, const char *x, const GenType *t, int dim, int64_t start, int64_t limit, int64_t stride,
                        const GenType *r, const char *name) {
    char text[128], *p = text;
    for (int i = 0; i < t->rank; i++)
        p += sprintf(p, "%s%" PRId64 ":%" PRId64 ":%" PRId64, i ? ", " : "", i == dim ? start : 0,
                     i == dim ? limit : t->dims[i], i == dim ? stride : 1);
    TYPE(a, *t);
    TYPE(b, *r);
    gen_line(g, "    %s = stablehlo.slice %s [%s] : (%s) -> %s", name, x, text, a, b);
}

static void make_moved_slice(Gen *g) {
    int64_t d = moves_divisor(g), size = d * (1 + gen_random(g, 3)), stride = gen_chance(g, 3) ? 2 : 1;
    int64_t most = (size - 1) * stride + 1, whole = d * ((most + d - 1) / d + gen_random(g, 3));
    int64_t start = gen_random(g, (uint32_t)(whole - most) + 1);
    int dim;
    GenType t = moves_type(g, gen_any(g), whole, &dim), r = t;
    char x[16];
    r.dims[dim] = size;
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    moves_slice(g, x, &t, dim, start, start + most, stride, &r, gen_result(g, &r));
}

static void make_moved_pad(Gen *g) {
    int64_t d = moves_divisor(g), whole = d * (1 + gen_random(g, 3)), size = d * (1 + gen_random(g, 4));
    int64_t inner = gen_chance(g, 4) ? 1 : 0, low = (int64_t)gen_random(g, 2 * (uint32_t)d + 1) - d;
    int dim;
    GenType t = moves_type(g, "f32", whole, &dim), r = t;
    int64_t lows[6] = {0}, highs[6] = {0}, inners[6] = {0};
    r.dims[dim] = size;
    lows[dim] = low;
    inners[dim] = inner;
    highs[dim] = size - low - (whole + (whole - 1) * inner);
    gen_pad(g, t, r, lows, highs, inners);
}

// Of two or three pieces, each a multiple of what divides.
static void make_moved_concatenate(Gen *g) {
    int64_t d = moves_divisor(g);
    int n = 2 + (int)gen_random(g, 2), dim;
    GenType t = moves_type(g, gen_any(g), d, &dim), r = t;
    char names[64], types[384], *p = names, *q = types;
    r.dims[dim] = 0;
    for (int i = 0; i < n; i++) {
        t.dims[dim] = d * (1 + gen_random(g, 2));
        r.dims[dim] += t.dims[dim];
        TYPE(a, t);
        p += sprintf(p, "%s%s", i ? ", " : "", gen_operand(g, t));
        q += sprintf(q, "%s%s", i ? ", " : "", a);
    }
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.concatenate %s, dim = %d : (%s) -> %s", gen_result(g, &r), names, dim, types, b);
}

static void make_roll(Gen *g) {
    int64_t size = moves_divisor(g) * (1 + gen_random(g, 3));
    if (size < 2) size = 2;
    int64_t by = 1 + gen_random(g, (uint32_t)size - 1);
    int dim;
    GenType t = moves_type(g, "f32", size, &dim), low = t, high = t;
    char x[16], y[16], z[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    low.dims[dim] = by;
    high.dims[dim] = size - by;
    snprintf(y, sizeof y, "%s", gen_result(g, &high));
    moves_slice(g, x, &t, dim, by, size, 1, &high, y);
    g->values[g->n_values - 1].used = true;
    snprintf(z, sizeof z, "%s", gen_result(g, &low));
    moves_slice(g, x, &t, dim, 0, by, 1, &low, z);
    g->values[g->n_values - 1].used = true;
    TYPE(a, high);
    TYPE(b, low);
    TYPE(c, t);
    gen_line(g, "    %s = stablehlo.concatenate %s, %s, dim = %d : (%s, %s) -> %s", gen_result(g, &t), y, z, dim, a, b, c);
}

// A dynamic slice whose place is known.
static void make_known_dynamic_slice(Gen *g) {
    int64_t d = moves_divisor(g), size = d * (1 + gen_random(g, 2)), whole = size + d * gen_random(g, 3);
    GenType t = {"f32", 1, {whole}}, r = {"f32", 1, {size}};
    char x[16], i[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    GenType s = {"i32", 0, {0}};
    snprintf(i, sizeof i, "%s", gen_result(g, &s));
    g->values[g->n_values - 1].used = true;
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.constant dense<%u> : tensor<i32>", i, gen_random(g, (uint32_t)(whole - size) + 3));
    gen_line(g, "    %s = stablehlo.dynamic_slice %s, %s, sizes = [%" PRId64 "] : (%s, tensor<i32>) -> %s",
             gen_result(g, &r), x, i, size, a, b);
}

#endif
