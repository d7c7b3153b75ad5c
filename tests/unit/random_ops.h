// Makers of ops that compute or move element by element: each adds one random op to a program.
#ifndef PARTIR_RANDOM_OPS_H
#define PARTIR_RANDOM_OPS_H

#include "random_values.h"

#define TYPE(name, t)                                                                                                  \
    char name[128];                                                                                                    \
    gen_type_text(&(t), name)

static const char *gen_float(Gen *g) { return gen_chance(g, 6) ? "f64" : "f32"; }
static const char *gen_any(Gen *g) {
    static const char *const elems[] = {"f32", "i32", "i8", "i64", "ui8", "f64", "i16"};
    return elems[gen_random(g, 7)];
}

static void unary_of(Gen *g, const char *op, const char *elem, const char *to, const char *between) {
    GenType t = gen_type(g, elem, (int)gen_random(g, 4)), r = t;
    r.elem = to;
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = %s %s : (%s) -> %s", gen_result(g, &r), op, x, a, b);
    (void)between;
}

static void make_unary(Gen *g) {
    static const char *const ops[] = {
        "abs", "ceil", "floor", "negate", "sign", "round_nearest_afz", "round_nearest_even"};
    static const char *const inexact[] = {"cbrt",         "cosine",   "exponential", "exponential_minus_one",
                                          "log_plus_one", "logistic", "rsqrt",       "sine",
                                          "sqrt",         "tan",      "tanh",        "log"};
    char op[64];
    bool smooth = gen_chance(g, 2);
    if (smooth) g->exact = false;
    snprintf(op, sizeof op, "\"stablehlo.%s\"", smooth ? inexact[gen_random(g, 12)] : ops[gen_random(g, 7)]);
    GenType t = gen_type(g, gen_float(g), (int)gen_random(g, 4));
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    gen_line(g, "    %s = %s(%s) : (%s) -> %s", gen_result(g, &t), op, x, a, a);
}

static void make_unary_int(Gen *g) {
    static const char *const ops[] = {"not", "popcnt", "count_leading_zeros", "negate", "abs", "sign"};
    GenType t = gen_type(g, gen_chance(g, 2) ? "i32" : "i8", (int)gen_random(g, 4));
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    const char *op = ops[gen_random(g, 6)];
    gen_line(g, "    %s = \"stablehlo.%s\"(%s) : (%s) -> %s", gen_result(g, &t), op, x, a, a);
}

static void make_binary(Gen *g) {
    static const char *const floats[] = {"add",    "subtract", "multiply",  "maximum", "minimum",
                                         "divide", "power",    "remainder", "atan2"};
    static const char *const ints[] = {"add",
                                       "subtract",
                                       "multiply",
                                       "maximum",
                                       "minimum",
                                       "and",
                                       "or",
                                       "xor",
                                       "shift_left",
                                       "shift_right_arithmetic",
                                       "shift_right_logical",
                                       "divide",
                                       "remainder"};
    bool is_float = gen_chance(g, 2);
    uint32_t k = gen_random(g, is_float ? 9 : 13);
    if (is_float && k >= 5) g->exact = false;
    GenType t = gen_type(g, is_float ? gen_float(g) : gen_chance(g, 2) ? "i32" : "i8", (int)gen_random(g, 4));
    char x[16], y[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, t));
    TYPE(a, t);
    gen_line(g, "    %s = stablehlo.%s %s, %s : %s", gen_result(g, &t), is_float ? floats[k] : ints[k], x, y, a);
}

static void make_compare_select(Gen *g) {
    static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    GenType t = gen_type(g, gen_any(g), 1 + (int)gen_random(g, 3)), p = t;
    p.elem = "i1";
    char x[16], y[16], q[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(b, p);
    snprintf(q, sizeof q, "%s", gen_result(g, &p));
    gen_line(g, "    %s = stablehlo.compare %s, %s, %s : (%s, %s) -> %s", q, directions[gen_random(g, 6)], x, y, a, a,
             b);
    g->values[g->n_values - 1].used = true;
    if (gen_chance(g, 3)) { // a scalar predicate
        GenType s = {"i1", 0, {0}};
        snprintf(q, sizeof q, "%s", gen_argument(g, &s));
        snprintf(b, sizeof b, "tensor<i1>");
    }
    gen_line(g, "    %s = stablehlo.select %s, %s, %s : %s, %s", gen_result(g, &t), q, x, y, b, a);
}

static void make_clamp(Gen *g) {
    GenType t = gen_type(g, gen_chance(g, 2) ? "f32" : "i32", 1 + (int)gen_random(g, 3)), s = t;
    if (gen_chance(g, 2)) s.rank = 0;
    char x[16], lo[16], hi[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(lo, sizeof lo, "%s", gen_operand(g, s));
    snprintf(hi, sizeof hi, "%s", gen_operand(g, s));
    TYPE(a, t);
    TYPE(b, s);
    gen_line(g, "    %s = \"stablehlo.clamp\"(%s, %s, %s) : (%s, %s, %s) -> %s", gen_result(g, &t), lo, x, hi, b, a, b,
             a);
}

static void make_convert(Gen *g) { unary_of(g, "stablehlo.convert", gen_any(g), gen_any(g), ""); }

static void make_complex(Gen *g) {
    GenType t = gen_type(g, "f32", 1 + (int)gen_random(g, 3)), c = t;
    c.elem = "complex<f32>";
    char x[16], y[16], z[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(b, c);
    snprintf(z, sizeof z, "%s", gen_result(g, &c));
    gen_line(g, "    %s = stablehlo.complex %s, %s : %s", z, x, y, b);
    g->values[g->n_values - 1].used = true;
    gen_line(g, "    %s = stablehlo.%s %s : (%s) -> %s", gen_result(g, &t), gen_chance(g, 2) ? "real" : "imag", z, b,
             a);
}

static void make_bitcast(Gen *g) {
    GenType t = gen_type(g, "f32", 1 + (int)gen_random(g, 2)), r = t;
    if (gen_chance(g, 2))
        r.elem = "i32";
    else
        r.elem = "i8", r.dims[r.rank++] = 4;
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.bitcast_convert %s : (%s) -> %s", gen_result(g, &r), x, a, b);
}

static void make_reduce_precision(Gen *g) {
    GenType t = gen_type(g, "f32", 1 + (int)gen_random(g, 3));
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    gen_line(g, "    %s = stablehlo.reduce_precision %s, format = e5m2 : %s", gen_result(g, &t), x, a);
}

static void make_broadcast_in_dim(Gen *g) {
    GenType r = gen_type(g, gen_any(g), 1 + (int)gen_random(g, 3)), t = {r.elem, 0, {0}};
    int64_t dims[GEN_MAX_RANK], order[GEN_MAX_RANK];
    int n = (int)gen_random(g, (uint32_t)r.rank + 1);
    gen_shuffle(g, order, r.rank);
    for (int i = 0; i < n; i++) {
        dims[i] = order[i];
        t.dims[t.rank++] = gen_chance(g, 4) ? 1 : r.dims[order[i]];
    }
    char x[16], list[64];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.broadcast_in_dim %s, dims = %s : (%s) -> %s", gen_result(g, &r), x,
             gen_list(list, dims, n), a, b);
}

static void make_broadcast(Gen *g) {
    GenType t = gen_type(g, "f32", (int)gen_random(g, 3)), r = {"f32", 0, {0}};
    int n = 1 + (int)gen_random(g, 2);
    for (int i = 0; i < n; i++) r.dims[r.rank++] = gen_size(g);
    for (int i = 0; i < t.rank; i++) r.dims[r.rank++] = t.dims[i];
    char x[16], list[64];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.broadcast %s, sizes = %s : (%s) -> %s", gen_result(g, &r), x,
             gen_list(list, r.dims, n), a, b);
}

static void make_transpose(Gen *g) {
    GenType t = gen_type(g, gen_any(g), 1 + (int)gen_random(g, 3)), r = t;
    int64_t perm[GEN_MAX_RANK];
    gen_shuffle(g, perm, t.rank);
    for (int i = 0; i < t.rank; i++) r.dims[i] = t.dims[perm[i]];
    char x[16], list[64];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.transpose %s, dims = %s : (%s) -> %s", gen_result(g, &r), x,
             gen_list(list, perm, t.rank), a, b);
}

// As many dimensions of random divisors as fit: the other side shares what it happens to.
static GenType gen_regrouped(Gen *g, int64_t left) {
    GenType t = {"f32", 0, {0}};
    while (t.rank < 3 && left > 1) {
        int64_t size;
        do size = 1 + gen_random(g, (uint32_t)left);
        while (left % size != 0);
        if (t.rank == 2) size = left;
        t.dims[t.rank++] = size;
        left /= size;
    }
    if (left > 1) t.dims[t.rank++] = left;
    return t;
}

// Both sides group the same list of small factors, or the second has sizes of its own.
static void make_reshape(Gen *g) {
    int64_t factors[5];
    int n = 1 + (int)gen_random(g, 4);
    for (int i = 0; i < n; i++) factors[i] = gen_size(g);
    GenType side[2];
    for (int s = 0; s < 2; s++) {
        side[s] = (GenType){"f32", 0, {0}};
        int64_t product = 1;
        for (int i = 0; i < n; i++) {
            product *= factors[i];
            if (i == n - 1 || (side[s].rank < 4 && gen_chance(g, 2)))
                side[s].dims[side[s].rank++] = product, product = 1;
        }
        if (side[s].rank < 4 && gen_chance(g, 4)) side[s].dims[side[s].rank++] = 1;
    }
    if (gen_chance(g, 3)) {
        int64_t elements = 1;
        for (int i = 0; i < n; i++) elements *= factors[i];
        side[1] = gen_regrouped(g, elements);
    }
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, side[0]));
    TYPE(a, side[0]);
    TYPE(b, side[1]);
    gen_line(g, "    %s = stablehlo.reshape %s : (%s) -> %s", gen_result(g, &side[1]), x, a, b);
}

static void make_slice(Gen *g) {
    GenType t = gen_type(g, gen_any(g), 1 + (int)gen_random(g, 3)), r = t;
    char x[16], text[128], *p = text;
    for (int i = 0; i < t.rank; i++) {
        int64_t start = 0, limit = t.dims[i], stride = 1;
        if (gen_chance(g, 2)) start = gen_random(g, (uint32_t)limit), stride = 1 + gen_random(g, 2);
        r.dims[i] = (limit - start + stride - 1) / stride;
        p += sprintf(p, "%s%" PRId64 ":%" PRId64 ":%" PRId64, i ? ", " : "", start, limit, stride);
    }
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.slice %s [%s] : (%s) -> %s", gen_result(g, &r), x, text, a, b);
}

// Of a tensor of type t to one of type r.
static void gen_pad(Gen *g, GenType t, GenType r, const int64_t *low, const int64_t *high, const int64_t *inner) {
    GenType s = {"f32", 0, {0}};
    char x[16], y[16], l[64], h[64], n[64];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, s));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.pad %s, %s, low = %s, high = %s, interior = %s : (%s, tensor<f32>) -> %s",
             gen_result(g, &r), x, y, gen_list(l, low, t.rank), gen_list(h, high, t.rank), gen_list(n, inner, t.rank),
             a, b);
}

static void make_pad(Gen *g) {
    GenType t = gen_type(g, "f32", 1 + (int)gen_random(g, 3)), r = t;
    int64_t low[6], high[6], inner[6];
    for (int i = 0; i < t.rank; i++) {
        bool touched = gen_chance(g, 2);
        low[i] = touched ? gen_random(g, 3) : 0;
        high[i] = touched ? gen_random(g, 3) : 0;
        inner[i] = touched ? gen_random(g, 2) : 0;
        r.dims[i] = t.dims[i] + low[i] + high[i] + (t.dims[i] - 1) * inner[i];
    }
    gen_pad(g, t, r, low, high, inner);
}

static void make_concatenate(Gen *g) {
    GenType t = gen_type(g, gen_any(g), 1 + (int)gen_random(g, 3)), u = t, r = t;
    int dim = (int)gen_random(g, (uint32_t)t.rank);
    u.dims[dim] = gen_size(g);
    r.dims[dim] = t.dims[dim] + u.dims[dim];
    char x[16], y[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, u));
    TYPE(a, t);
    TYPE(b, u);
    TYPE(c, r);
    gen_line(g, "    %s = stablehlo.concatenate %s, %s, dim = %d : (%s, %s) -> %s", gen_result(g, &r), x, y, dim, a, b,
             c);
}

static void make_reverse(Gen *g) {
    GenType t = gen_type(g, gen_any(g), 1 + (int)gen_random(g, 3));
    int64_t dim = gen_random(g, (uint32_t)t.rank);
    char x[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    TYPE(a, t);
    gen_line(g, "    %s = stablehlo.reverse %s, dims = [%" PRId64 "] : %s", gen_result(g, &t), x, dim, a);
}

#endif
