// Runs a lowering: cuts the mesh at the parts of axes in use, and at parts with which a redistribution sends less; then walks over
// the program (lower.c).
#include "ir/analysis/roots.h"
#include "spmd/lower/lowering.h"

// The order of axes as one of their digits: a digit has the place of its axis, and digits of one axis are in their own order.
static const AxisId *order_of_digits(const AxisId *order, const Mesh *mesh, const Mesh *cut, Arena *a) {
    AxisId *place = arena_new(a, AxisId, cut->n_axes), *out = arena_new(a, AxisId, cut->n_axes);
    for (uint32_t k = 0; k < cut->n_axes; k++) {
        const Axis *digit = &cut->axes[k];
        uint32_t i = 0; // whole axes stand before parts, which are not in use if they overlap
        for (const Axis *x = mesh->axes; digit->whole != x->whole || digit->before < x->before || axis_end(digit) > axis_end(x); x++) i++;
        place[k] = order[i];
    }
    for (uint32_t k = 0; k < cut->n_axes; k++) {
        uint32_t before = 0;
        for (uint32_t j = 0; j < cut->n_axes; j++) before += place[j] < place[k] || (place[j] == place[k] && j < k);
        out[k] = (AxisId)before;
    }
    return out;
}

Lowered *lowering_begin(Lowering *l, const State *s, const LowerOptions *options, const BorderList *cuts, Arena *keep, Arena *a) {
    const Module *src = s->g->m;
    Module *out = module_new(src->ctx);
    Lowered *result = arena_zalloc(&out->arena, sizeof *result);
    if (state_parts(s)) s = state_cut(s, NULL, 0, &out->arena);
    const Mesh *mesh = s->mesh;
    LowerOptions now = *options;
    if (cuts->n) {
        s = state_cut(s, cuts->at, cuts->n, &out->arena);
        if (now.axis_order) now.axis_order = order_of_digits(now.axis_order, mesh, s->mesh, &out->arena);
    }
    *l = (Lowering){.s = s,
                    .g = s->g,
                    .src = src,
                    .out = out,
                    .mesh = s->mesh,
                    .a = a,
                    .options = now,
                    .origin = NO_ID,
                    .loc = NO_ID};
    l->swapped.node = NO_ID;
    DistBook *dists = arena_alloc(&out->arena, sizeof *dists); // outlives the lowering with the distributions it holds
    distbook_init(dists, s->mesh, &out->arena);
    l->dists = dists;
    import_init(&l->im, src, out, keep);
    planner_init(&l->planner, dists, out, keep);
    pending_analyse(&l->pending, s, keep);
    vec_reserve(&out->arena, &out->ops, src->ops.n);
    vec_reserve(&out->arena, &out->values, src->values.n);
    vec_reserve(&out->arena, &out->operands, src->operands.n);
    vec_reserve(&out->arena, &out->op_attrs, src->op_attrs.n);
    vec_reserve(&out->arena, &l->out_dist, src->values.n);
    vec_reserve(&out->arena, &l->out_origin, src->ops.n);
    vec_reserve(&out->arena, &l->out_image, src->ops.n);
    l->value = arena_new(keep, ValueId, src->values.n);
    memset(l->value, 0xff, src->values.n * sizeof *l->value);
    l->dist = arena_zalloc(keep, src->values.n * sizeof *l->dist);
    l->cached = arena_zalloc(keep, src->values.n * sizeof *l->cached);
    if (options->gathers == GATHERS_WEIGHTS_PER_USE) l->root = roots_find(src, keep);
    memset(l->axis_index_region, 0xff, sizeof l->axis_index_region);
    *result = (Lowered){.m = out,
                        .mesh = s->mesh,
                        .dists = dists,
                        .n_ordered = mesh->n_axes,
                        .argument_dist = arena_new(&out->arena, const Dist *, s->g->n_arguments),
                        .result_dist = arena_new(&out->arena, const Dist *, s->g->n_results)};
    return result;
}

void lowering_end(const Lowering *l, Lowered *result) {
    const Module *out = l->out;
    result->dist = l->out_dist.at;
    result->origin = l->out_origin.at;
    result->image = l->out_image.at;
    result->n_permutes = 0;
    for (OpId op = 0; op < out->ops.n; op++) result->n_permutes += reorders_axes(out, op);
}

// Whether one is new.
static bool add_borders(BorderList *to, const BorderList *more, Arena *a) {
    uint32_t had = to->n;
    for (uint32_t i = 0; i < more->n; i++) {
        bool has = false;
        for (uint32_t k = 0; k < had && !has; k++)
            has = to->at[k].whole == more->at[i].whole && to->at[k].at == more->at[i].at;
        if (!has) vec_push(a, to, more->at[i]);
    }
    return to->n > had;
}

// Where redistributions ask for cuts, once more with them: there are no more borders than prime factors of the axes.
Lowered *lower(const State *s, const LowerOptions *options, Arena *a) {
    BorderList cuts = {0};
    for (;;) {
        Lowering l;
        Lowered *result = lowering_begin(&l, s, options, &cuts, a, a);
        bool ok = lower_main(&l, result);
        if (ok && !add_borders(&cuts, &l.borders, a)) {
            lowering_end(&l, result);
            return result;
        }
        module_free(result->m);
        if (!ok) return NULL;
    }
}

void lowered_free(Lowered *l) {
    if (l) module_free(l->m);
}
