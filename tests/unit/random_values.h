// The text of a random program as it grows: types, values and lines.
#ifndef PARTIR_RANDOM_VALUES_H
#define PARTIR_RANDOM_VALUES_H


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

// A size that some axis divides, mostly; or a part of one.
static int64_t gen_size(Gen *g) {
    int64_t a = g->axes[gen_random(g, (uint32_t)g->n_axes)];
    if (a > 3 && gen_chance(g, 3)) a = a % 2 == 0 && gen_chance(g, 2) ? a / 2 : a % 3 == 0 ? a / 3 : 2;
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

// A mesh of one to three axes, of sizes among nine `choices`, of at most 12 devices: "mesh a0=2, a1=3". How many axes.
static inline int gen_mesh(Gen *g, const int64_t *choices, int64_t *sizes, char *text) {
    int n = 1 + (int)gen_random(g, 3);
    int64_t devices = 1;
    char *p = text + sprintf(text, "mesh");
    for (int i = 0; i < n; i++) {
        do sizes[i] = choices[gen_random(g, 9)];
        while (devices * sizes[i] > 12);
        devices *= sizes[i];
        p += sprintf(p, "%s a%d=%" PRId64, i ? "," : "", i, sizes[i]);
    }
    return n;
}

#endif
