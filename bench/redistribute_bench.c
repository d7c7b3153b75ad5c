// What redistributions cost: lines `SIZES | DIMS | FROM | TO` on standard input, for example
//
//     2,4 | 48,48 | 0;1 | 1,0;           from P(a, b) to P((b, a), None) on a=2, b=4
//
// (axes by number, dimensions separated by `;`), give `BYTES COLLECTIVES PEAK STEPS` each, for tensors of f32: bytes that a device sends, and the
// most that operand and result of a collective take together.
#include "spmd/redistribute/redistribute.h"
#include <stdio.h>
#include <stdlib.h>

static uint32_t read_numbers(const char **at, int64_t *out, uint32_t most) {
    uint32_t n = 0;
    while (**at == ' ') ++*at;
    while (**at >= '0' && **at <= '9' && n < most) {
        out[n++] = strtoll(*at, (char **)(uintptr_t)at, 10);
        if (**at == ',') ++*at;
    }
    while (**at == ' ') ++*at;
    return n;
}

static const Dist *read_dist(const char **at, DistBook *b, uint32_t rank) {
    DistEntry entries[MESH_MAX_AXES];
    uint32_t n = 0;
    for (uint32_t d = 0; d < rank; d++) {
        int64_t axes[8];
        uint32_t k = read_numbers(at, axes, 8);
        for (uint32_t i = 0; i < k; i++) entries[n++] = (DistEntry){(AxisId)axes[i], (uint8_t)d};
        if (**at == ';') ++*at;
    }
    return dist_intern(b, entries, n, 0, MONOID_ADD);
}

// The same distribution on a mesh that is cut further.
static const Dist *in_digits(const Dist *d, const Mesh *named, DistBook *b) {
    DistEntry entries[MESH_MAX_AXES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t k = 0; k < b->mesh->n_axes; k++)
            if (b->mesh->axes[k].whole == named->axes[d->at[i].axis].whole)
                entries[n++] = (DistEntry){(AxisId)k, d->at[i].dim};
    return dist_intern(b, entries, n, 0, MONOID_ADD);
}

static double local_bytes(const Dist *d, const Mesh *mesh, const int64_t *dims, uint32_t rank) {
    double bytes = 4;
    for (uint32_t i = 0; i < rank; i++) bytes *= (double)dims[i] / (double)dist_chunks(d, mesh, i);
    return bytes;
}

static double step_bytes(const MoveStep *s, const Mesh *mesh, double from, double to) {
    switch (s->kind) {
    case STEP_SLICE: return 0;
    case STEP_GATHER: return to - from;
    case STEP_PERMUTE: return from;
    default: { // all_to_all: of the devices that the lost axes make
        double group = (double)dist_chunks(s->from, mesh, s->concat_dim) / (double)dist_chunks(s->to, mesh, s->concat_dim);
        return from * (1 - 1 / group);
    }
    }
}

static void print_plan(const char *line, Context *ctx) {
    static const char *const names[] = {"slice", "gather", "all_to_all", "permute", "reduce_scatter", "all_reduce"};
    Arena a;
    arena_init(&a, ctx);
    int64_t sizes[8], dims[8];
    const char *at = line;
    uint32_t n_axes = read_numbers(&at, sizes, 8);
    at += *at == '|';
    uint32_t rank = read_numbers(&at, dims, 8);
    at += *at == '|';
    Axis axes[8];
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (uint32_t i = 0; i < n_axes; i++) axes[i] = (Axis){.name = span_of(letters[i]), .size = sizes[i]};
    Mesh mesh;
    if (!mesh_make(&mesh, ctx, &a, axes, n_axes, NULL, NO_OFFSET)) exit(1);
    Module *m = module_new(ctx);
    TypeId type = type_tensor(m, EL_F32, rank, dims);
    DistBook book;
    distbook_init(&book, &mesh, &a);
    const Dist *from = read_dist(&at, &book, rank);
    at += *at == '|';
    const Dist *to = read_dist(&at, &book, rank);
    MovePlanner planner;
    planner_init(&planner, &book, m, &a);
    const MovePlan *plan = plan_redistribution(&planner, from, to, type);
    if (plan->n_borders) { // as lowering does: with the axes cut there
        Mesh named = mesh;
        mesh = mesh_cut(&named, 0, plan->borders, plan->n_borders, &a);
        distbook_init(&book, &mesh, &a);
        planner_init(&planner, &book, m, &a);
        from = in_digits(from, &named, &book);
        to = in_digits(to, &named, &book);
        plan = plan_redistribution(&planner, from, to, type);
    }
    double bytes = 0, peak = 0;
    uint32_t collectives = 0;
    for (uint32_t i = 0; i < plan->n; i++) {
        const MoveStep *s = &plan->steps[i];
        double before = local_bytes(s->from, &mesh, dims, rank), after = local_bytes(s->to, &mesh, dims, rank);
        bytes += step_bytes(s, &mesh, before, after);
        if (s->kind == STEP_SLICE) continue;
        collectives++;
        if (before + after > peak) peak = before + after;
    }
    printf("%.0f %u %.0f ", bytes, collectives, peak);
    for (uint32_t i = 0; i < plan->n; i++) printf("%s%s", i ? "+" : "", names[plan->steps[i].kind]);
    printf("%s\n", plan->n ? "" : "-");
    module_free(m);
    arena_free(&a);
}

int main(void) {
    char line[512];
    Context *ctx;
    if (partir_context_create(NULL, &ctx) != PARTIR_OK) return 1;
    while (fgets(line, sizeof line, stdin)) print_plan(line, ctx);
    partir_context_destroy(ctx);
    return 0;
}
