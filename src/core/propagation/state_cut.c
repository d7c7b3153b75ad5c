// The state on a mesh whose axes are never used in parts: lowering starts from it. The mesh is cut at the borders of the
// parts in use, and an entry for an axis, or for a part of one, becomes one entry for each piece of it.
//
//     mesh model=8     %0: (model:(1)2, i), (model:(2)4, j)     %1: (model, k)
//  ⇒  mesh model:(1)2=2, model:(2)4=4                           %1: (model:(1)2, k), (model:(2)4, k)
#include "core/propagation/state.h"

// The digits of an axis id, in the mesh that is cut: they stand side by side.
typedef struct AxisDigits {
    AxisId first;
    uint8_t n;
} AxisDigits;

static void find_digits(const Mesh *mesh, const Mesh *cut, AxisDigits *digits) {
    for (uint32_t i = 0; i < mesh->n_ids; i++) {
        const Axis *axis = &mesh->axes[i];
        digits[i] = (AxisDigits){0, 0};
        for (uint32_t k = 0; k < cut->n_axes; k++) {
            const Axis *x = &cut->axes[k];
            if (x->whole != axis->whole || x->before < axis->before || axis_end(x) > axis_end(axis)) continue;
            if (!digits[i].n++) digits[i].first = (AxisId)k;
        }
    }
}

State *state_cut(const State *s, const AxisBorder *more, uint32_t n_more, Arena *a) {
    State *c = arena_new(a, State, 1);
    Mesh *mesh = arena_new(a, Mesh, 1);
    *mesh = mesh_cut(s->mesh, state_parts(s), more, n_more, a);
    AxisDigits digits[MESH_MAX_AXES];
    find_digits(s->mesh, mesh, digits);
    *c = *s;
    c->mesh = mesh;
    c->arena = a;
    size_t slots = (size_t)s->g->n_nodes * s->depth;
    c->nest = arena_zalloc(a, slots * sizeof *c->nest);
    c->cause = arena_zalloc(a, slots * sizeof *c->cause);
    c->nest_n = arena_zalloc(a, s->g->n_nodes);
    c->uses = arena_zalloc(a, MESH_MAX_AXES * sizeof *c->uses);
    for (NodeId n = 0; n < s->g->n_nodes; n++) {
        uint32_t len;
        const NestEntry *nest = state_nest(s, n, &len);
        for (uint32_t k = 0; k < len; k++) {
            AxisId axis = nest[k].axis;
            for (uint32_t i = 0; i < digits[axis].n; i++) {
                size_t at = (size_t)n * s->depth + c->nest_n[n]++;
                c->nest[at] = (NestEntry){(AxisId)(digits[axis].first + i), nest[k].factor};
                c->cause[at] = s->cause[(size_t)n * s->depth + k];
            }
        }
    }
    return c;
}
