// Random StableHLO programs around one op: operands of shapes that the mesh can tile, the op with random attributes,
// and a few ops before and after it. As text, so that a failure is a file to look at.
//
//     Gen g; gen_init(&g, seed, sizes_of_axes, n_axes); gen_program(&g, maker); puts(g.text);
#ifndef PARTIR_RANDOM_PROGRAM_H
#define PARTIR_RANDOM_PROGRAM_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { GEN_MAX_RANK = 6, GEN_MAX_VALUES = 64, GEN_TEXT = 32768 };

typedef struct GenType {
    const char *elem;
    int rank;
    int64_t dims[GEN_MAX_RANK];
} GenType;

typedef struct GenValue {
    GenType type;
    char name[16];
    bool used;
} GenValue;

typedef struct Gen {
    uint64_t state;
    const int64_t *axes;
    int n_axes;
    GenValue values[GEN_MAX_VALUES];
    int n_values, n_args;
    char args[4096], body[GEN_TEXT], text[GEN_TEXT + 16384];
    size_t args_n, body_n;
    int next;
    bool exact; // all ops so far give whole numbers for whole numbers
} Gen;

static uint32_t gen_random(Gen *g, uint32_t n) {
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)(g->state >> 33) % n : 0;
}
static bool gen_chance(Gen *g, uint32_t one_in) { return gen_random(g, one_in) == 0; }

static void gen_init(Gen *g, uint64_t seed, const int64_t *axes, int n_axes) {
    memset(g, 0, sizeof *g);
    g->state = seed * 0x9e3779b97f4a7c15u + 12345;
    g->axes = axes;
    g->n_axes = n_axes;
    g->exact = true;
    for (int i = 0; i < 4; i++) gen_random(g, 2);
}

// A size that some axis divides, mostly.
static int64_t gen_size(Gen *g) {
    int64_t a = g->axes[gen_random(g, (uint32_t)g->n_axes)];
    switch (gen_random(g, 8)) {
    case 0: return 1;
    case 1: return 2 * a <= 8 ? 2 * a : a;
    case 2: {
        int64_t b = a * g->axes[gen_random(g, (uint32_t)g->n_axes)];
        return b <= 12 ? b : a;
    }
    case 3: return 3;
    default: return a;
    }
}

static GenType gen_type(Gen *g, const char *elem, int rank) {
    GenType t = {elem, rank, {0}};
    for (int i = 0; i < rank; i++) t.dims[i] = gen_size(g);
    return t;
}

static void gen_type_text(const GenType *t, char *out) {
    char *p = out + sprintf(out, "tensor<");
    for (int i = 0; i < t->rank; i++) p += sprintf(p, "%" PRId64 "x", t->dims[i]);
    sprintf(p, "%s>", t->elem);
}

static bool gen_same(const GenType *a, const GenType *b) {
    return strcmp(a->elem, b->elem) == 0 && a->rank == b->rank &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

static void gen_line(Gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void gen_line(Gen *g, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    g->body_n += (size_t)vsnprintf(g->body + g->body_n, GEN_TEXT - g->body_n, fmt, ap);
    va_end(ap);
    g->body_n += (size_t)snprintf(g->body + g->body_n, GEN_TEXT - g->body_n, "\n");
}

static GenValue *gen_add(Gen *g, const GenType *t, const char *name) {
    GenValue *v = &g->values[g->n_values++];
    v->type = *t;
    v->used = false;
    snprintf(v->name, sizeof v->name, "%s", name);
    return v;
}

// A fresh name for a result, which becomes a value.
static const char *gen_result(Gen *g, const GenType *t) {
    char name[16];
    snprintf(name, sizeof name, "%%%d", g->next++);
    return gen_add(g, t, name)->name;
}

static const char *gen_argument(Gen *g, const GenType *t) {
    char name[16], type[128];
    snprintf(name, sizeof name, "%%arg%d", g->n_args);
    gen_type_text(t, type);
    g->args_n += (size_t)snprintf(g->args + g->args_n, sizeof g->args - g->args_n, "%s%s: %s", g->n_args++ ? ", " : "",
                                  name, type);
    GenValue *v = gen_add(g, t, name);
    v->used = true;
    return v->name;
}

// A value of this type: one that is there, a new argument, or an argument behind an elementwise op.
static const char *gen_operand(Gen *g, GenType t) {
    if (gen_chance(g, 3))
        for (int i = g->n_values; i-- > 0;)
            if (gen_same(&g->values[i].type, &t)) {
                g->values[i].used = true;
                return g->values[i].name;
            }
    const char *arg = gen_argument(g, &t);
    if (t.elem[0] != 'f' || !gen_chance(g, 3)) return arg;
    char type[128], from[16];
    snprintf(from, sizeof from, "%s", arg);
    gen_type_text(&t, type);
    const char *r = gen_result(g, &t);
    gen_line(g, "    %s = stablehlo.negate %s : %s", r, from, type);
    g->values[g->n_values - 1].used = true;
    return r;
}

// "[0, 2, 1]" of integers.
static const char *gen_list(char *out, const int64_t *v, int n) {
    char *p = out + sprintf(out, "[");
    for (int i = 0; i < n; i++) p += sprintf(p, "%s%" PRId64, i ? ", " : "", v[i]);
    sprintf(p, "]");
    return out;
}
static const char *gen_array(char *out, const int64_t *v, int n) {
    char *p = out + sprintf(out, n ? "array<i64: " : "array<i64");
    for (int i = 0; i < n; i++) p += sprintf(p, "%s%" PRId64, i ? ", " : "", v[i]);
    sprintf(p, ">");
    return out;
}

static void gen_shuffle(Gen *g, int64_t *v, int n) {
    for (int i = 0; i < n; i++) v[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)gen_random(g, (uint32_t)i + 1);
        int64_t x = v[i];
        v[i] = v[j];
        v[j] = x;
    }
}

typedef void (*Maker)(Gen *g);

// ---- Makers: one random op each. -----------------------------------------------------------------------------------
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

// Both sides group the same list of small factors.
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

static void make_pad(Gen *g) {
    GenType t = gen_type(g, "f32", 1 + (int)gen_random(g, 3)), r = t, s = {"f32", 0, {0}};
    int64_t low[6], high[6], inner[6];
    for (int i = 0; i < t.rank; i++) {
        bool touched = gen_chance(g, 2);
        low[i] = touched ? gen_random(g, 3) : 0;
        high[i] = touched ? gen_random(g, 3) : 0;
        inner[i] = touched ? gen_random(g, 2) : 0;
        r.dims[i] = t.dims[i] + low[i] + high[i] + (t.dims[i] - 1) * inner[i];
    }
    char x[16], y[16], l[64], h[64], n[64];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_operand(g, s));
    TYPE(a, t);
    TYPE(b, r);
    gen_line(g, "    %s = stablehlo.pad %s, %s, low = %s, high = %s, interior = %s : (%s, tensor<f32>) -> %s",
             gen_result(g, &r), x, y, gen_list(l, low, t.rank), gen_list(h, high, t.rank), gen_list(n, inner, t.rank),
             a, b);
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
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_argument(g, &i));
    TYPE(a, t);
    TYPE(b, i);
    TYPE(c, r);
    gen_line(
        g,
        "    %s = \"stablehlo.gather\"(%s, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, %" PRId64
        ">}> : (%s, %s) -> %s",
        gen_result(g, &r), x, y, t.dims[1], a, b, c);
}

static void make_scatter(Gen *g) {
    static const char *const ops[] = {"add", "multiply", "maximum", "minimum"};
    const char *elem = gen_chance(g, 3) ? "i32" : "f32";
    uint32_t k = gen_random(g, 4);
    if (k == 1 && elem[0] == 'f') g->exact = false;
    GenType t = gen_type(g, elem, 2), i = gen_type(g, gen_index_elem(g), 1), u = {elem, 2, {0}};
    i.dims[i.rank++] = 1;
    u.dims[0] = i.dims[0], u.dims[1] = t.dims[1];
    char x[16], y[16], z[16];
    snprintf(x, sizeof x, "%s", gen_operand(g, t));
    snprintf(y, sizeof y, "%s", gen_argument(g, &i));
    snprintf(z, sizeof z, "%s", gen_operand(g, u));
    TYPE(a, t);
    TYPE(b, i);
    TYPE(c, u);
    gen_line(
        g,
        "    %s = \"stablehlo.scatter\"(%s, %s, %s) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n    ^bb0(%%p: tensor<%s>, %%q: tensor<%s>):\n      %%s = stablehlo.%s %%p, %%q : tensor<%s>\n      stablehlo.return %%s : tensor<%s>\n    }) : (%s, %s, %s) -> %s",
        gen_result(g, &t), x, y, z, elem, elem, ops[k], elem, elem, a, b, c, a);
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
                               make_dot_general,
                               make_einsum,
                               make_reduce,
                               make_argmax,
                               make_reduce_window,
                               make_convolution,
                               make_gather,
                               make_scatter,
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

// The op of `maker`, up to two others, and all that nothing uses as results.
static void gen_program(Gen *g, Maker maker) {
    static const Maker around[] = {make_unary,       make_binary, make_transpose,        make_reshape,
                                   make_dot_general, make_reduce, make_broadcast_in_dim, make_compare_select};
    if (gen_chance(g, 3)) around[gen_random(g, 8)](g);
    maker(g);
    if (gen_chance(g, 3)) around[gen_random(g, 8)](g);
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

#endif
