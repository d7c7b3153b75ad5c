// Redistribution: Dijkstra's algorithm over distributions; the cost is bytes moved per device, with a small charge for
// each step.
#include "spmd/redistribute.h"

#define MAX_STATES  512
#define STEP_CHARGE 1e-6 // of the whole value: fewer steps when the bytes are equal

typedef struct SearchState {
    const Dist *dist;
    double cost;
    int32_t parent;
    Step step;
    bool done;
} SearchState;

struct Search {
    DistBook *dists;
    const Mesh *mesh;
    const Type *type;
    const Dist *to;
    double limit; // the larger of the local sizes at both ends
    SearchState states[MAX_STATES];
    uint32_t n;
};

void planner_init(Planner *p, DistBook *dists, const Module *m, Arena *a) {
    *p = (Planner){.dists = dists, .m = m, .arena = a};
    idmap_init(&p->map, a);
}

static double fraction(const Mesh *mesh, const Dist *d) {
    double f = 1;
    for (uint32_t i = 0; i < d->n; i++) f /= (double)mesh->axes[d->at[i].axis].size;
    return f;
}

static bool divides(const Search *s, const Dist *d) {
    int64_t dims[256];
    memcpy(dims, s->type->dims, s->type->rank * sizeof *dims);
    return dist_local_dims(d, s->mesh, s->type->rank, dims);
}

static void reach(Search *s, uint32_t from, const Dist *to, StepKind kind, uint8_t split, uint8_t concat,
                  double bytes) {
    if (!divides(s, to)) return;
    double f = fraction(s->mesh, to);
    double cost = s->states[from].cost + bytes + STEP_CHARGE;
    if (f > s->limit * 1.0000001) cost += 100 * f; // larger than both ends only where nothing else divides
    uint32_t i = 0;
    while (i < s->n && s->states[i].dist != to) i++;
    if (i == s->n) {
        if (s->n == MAX_STATES) return;
        s->n++;
    } else if (s->states[i].done || s->states[i].cost <= cost) {
        return;
    }
    s->states[i] = (SearchState){to, cost, (int32_t)from, {kind, s->states[from].dist, to, split, concat}, false};
}

// The distribution with entry `drop` removed (or none: d->n) and (axis, dim) appended as the minor axis of its
// dimension.
static const Dist *edit(Search *s, const Dist *d, uint32_t drop, AxisId add, uint8_t dim) {
    DistEntry at[MESH_MAX_AXES + 1];
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++)
        if (i != drop) at[n++] = d->at[i];
    if (add != NO_AXIS) at[n++] = (DistEntry){add, dim};
    return dist_intern(s->dists, at, n, d->pending, (Monoid)d->monoid);
}

static bool is_minor(const Dist *d, uint32_t i) { return i + 1 == d->n || d->at[i + 1].dim != d->at[i].dim; }

// The minor axes of one dimension, from entry i on, moved in their order to the minor end of another.
static const Dist *move_suffix(Search *s, const Dist *d, uint32_t i, uint32_t end, uint8_t dim) {
    DistEntry at[MESH_MAX_AXES];
    uint32_t n = 0;
    for (uint32_t k = 0; k < d->n; k++)
        if (k < i || k >= end) at[n++] = d->at[k];
    for (uint32_t k = i; k < end; k++) at[n++] = (DistEntry){d->at[k].axis, dim};
    return dist_intern(s->dists, at, n, d->pending, (Monoid)d->monoid);
}

// Reorders one dimension so that entry i becomes its minor axis.
static const Dist *make_minor(Search *s, const Dist *d, uint32_t i) {
    return edit(s, d, i, d->at[i].axis, d->at[i].dim);
}

static bool same_chunks(const Search *s, const Dist *a, const Dist *b) {
    if (a->n != b->n) return false;
    for (uint32_t dim = 0; dim < s->type->rank; dim++)
        if (dist_chunks(a, s->mesh, dim) != dist_chunks(b, s->mesh, dim)) return false;
    return true;
}

static void expand(Search *s, uint32_t from) {
    const Dist *d = s->states[from].dist;
    double local = fraction(s->mesh, d);
    for (uint32_t i = 0; i < s->to->n; i++) { // slices towards the target
        DistEntry e = s->to->at[i];
        if (dist_dim_of(d, e.axis) < 0) reach(s, from, edit(s, d, d->n, e.axis, e.dim), STEP_SLICE, 0, 0, 0);
    }
    for (uint32_t i = 0; i < d->n; i++) {
        AxisId axis = d->at[i].axis;
        double size = (double)s->mesh->axes[axis].size;
        int dim = dist_dim_of(s->to, axis);
        uint32_t end = i + 1;
        double group = size;
        while (end < d->n && d->at[end].dim == d->at[i].dim && dist_dim_of(s->to, d->at[end].axis) == dim)
            group *= (double)s->mesh->axes[d->at[end++].axis].size;
        if (dim >= 0 && dim != d->at[i].dim && (end == d->n || d->at[end].dim != d->at[i].dim))
            reach(s, from, move_suffix(s, d, i, end, (uint8_t)dim), STEP_ALL_TO_ALL, (uint8_t)dim, d->at[i].dim,
                  local * (group - 1) / group);
        if (!is_minor(d, i)) {
            reach(s, from, make_minor(s, d, i), STEP_PERMUTE, 0, 0, local);
            continue;
        }
        reach(s, from, edit(s, d, i, NO_AXIS, 0), STEP_GATHER, 0, 0, local * (size - 1));
        for (uint32_t j = 0; j < s->to->n; j++) { // rename the axis to one of the same size that the target wants there
            DistEntry e = s->to->at[j];
            if (e.dim == d->at[i].dim && dist_dim_of(d, e.axis) < 0 &&
                s->mesh->axes[e.axis].size == s->mesh->axes[axis].size)
                reach(s, from, edit(s, d, i, e.axis, e.dim), STEP_PERMUTE, 0, 0, local);
        }
    }
    if (same_chunks(s, d, s->to)) reach(s, from, s->to, STEP_PERMUTE, 0, 0, local);
}

// Neighbouring gathers become one, and neighbouring slices.
static uint32_t merge_steps(Step *steps, uint32_t n) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < n; i++) {
        Step *last = out ? &steps[out - 1] : NULL;
        bool same =
            last && last->kind == steps[i].kind && steps[i].kind != STEP_ALL_TO_ALL && steps[i].kind != STEP_PERMUTE;
        if (same)
            last->to = steps[i].to;
        else
            steps[out++] = steps[i];
    }
    return out;
}

static const Plan *search(Planner *p, const Dist *from, const Dist *to, TypeId type) {
    if (!p->scratch) p->scratch = arena_alloc(p->arena, sizeof *p->scratch);
    Search *s = p->scratch;
    const Mesh *mesh = p->dists->mesh;
    double a = fraction(mesh, from), b = fraction(mesh, to);
    s->dists = p->dists;
    s->mesh = mesh;
    s->type = type_get(p->m, type);
    s->to = to;
    s->limit = a > b ? a : b;
    s->n = 1;
    s->states[0] = (SearchState){.dist = from, .parent = -1};
    int32_t goal = -1;
    while (goal < 0) {
        int32_t best = -1;
        for (uint32_t i = 0; i < s->n; i++)
            if (!s->states[i].done && (best < 0 || s->states[i].cost < s->states[best].cost)) best = (int32_t)i;
        if (best < 0) break; // cannot happen: gathering everything, then slicing, always gets there
        s->states[best].done = true;
        if (s->states[best].dist == to)
            goal = best;
        else
            expand(s, (uint32_t)best);
    }
    uint32_t n = 0;
    for (int32_t i = goal; i > 0; i = s->states[i].parent) n++;
    Step *steps = arena_new(p->arena, Step, n);
    uint32_t k = n;
    for (int32_t i = goal; i > 0; i = s->states[i].parent) steps[--k] = s->states[i].step;
    n = merge_steps(steps, n);
    Plan *plan = arena_alloc(p->arena, sizeof *plan);
    *plan = (Plan){.from = from, .to = to, .type = type, .n = n, .steps = steps};
    return plan;
}

const Plan *plan_redistribution(Planner *p, const Dist *from, const Dist *to, TypeId type) {
    uint64_t a = (uint64_t)(uintptr_t)from, b = (uint64_t)(uintptr_t)to;
    uint32_t hash = hash_u32(hash_u32((uint32_t)(a ^ a >> 32), (uint32_t)(b ^ b >> 32)), type);
    for (uint32_t pos = hash, id; (id = idmap_probe(&p->map, hash, &pos)) != IDMAP_END;) {
        const Plan *plan = p->plans.at[id];
        if (plan->from == from && plan->to == to && plan->type == type) return plan;
    }
    const Plan *plan = search(p, from, to, type);
    idmap_add(&p->map, hash, p->plans.n);
    vec_push(p->arena, &p->plans, plan);
    return plan;
}
