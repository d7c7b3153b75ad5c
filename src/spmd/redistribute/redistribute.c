// Redistribution: finds each plan once and keeps it. Most plans are slices or gathers and need no search.
#include "spmd/redistribute/redistribute.h"

void planner_init(MovePlanner *p, DistBook *dists, const Module *m, Arena *a) {
    *p = (MovePlanner){.dists = dists, .m = m, .arena = a};
    idmap_init(&p->map, a);
}

// The entries of one dimension.
static const DistEntry *entries_of(const Dist *d, uint32_t dim, uint32_t *n) {
    uint32_t first = 0;
    while (first < d->n && d->at[first].dim < dim) first++;
    for (*n = 0; first + *n < d->n && d->at[first + *n].dim == dim;) ++*n;
    return d->at + first;
}

// In each dimension one list of axes begins with the other, and no axis moves from one dimension to another: what is
// missing is sliced, then what is too much is gathered. Each device then gets just what it lacks.
static bool only_slices_and_gathers(const Dist *from, const Dist *to, uint32_t rank) {
    if (from->pending != to->pending) return false;
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t n, m;
        const DistEntry *x = entries_of(from, d, &n), *y = entries_of(to, d, &m);
        for (uint32_t i = 0; i < n && i < m; i++)
            if (x[i].axis != y[i].axis) return false;
        for (uint32_t i = n; i < m; i++)
            if (dist_dim_of(from, y[i].axis) >= 0) return false;
    }
    return true;
}

static int64_t chunks_gathered(const Mesh *mesh, const DistEntry *at, uint32_t n) {
    int64_t size = 1;
    for (uint32_t i = 0; i < n; i++) size *= mesh->axes[at[i].axis].size;
    return size;
}

// `d` with the axes of one dimension as in `like`.
static const Dist *with_axes_of(MovePlanner *p, const Dist *d, const Dist *like, uint32_t dim) {
    DistEntry at[2 * MESH_MAX_AXES];
    uint32_t n = 0, m;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->at[i].dim != dim) at[n++] = d->at[i];
    const DistEntry *x = entries_of(like, dim, &m);
    for (uint32_t i = 0; i < m; i++) at[n++] = x[i];
    return dist_intern(p->dists, at, n, d->pending, (Monoid)d->monoid);
}

// The largest gather last: it is the one whose operand and result are the most, and the smaller its operand the better.
static uint32_t slices_and_gathers(MovePlanner *p, const Dist *from, const Dist *to, uint32_t rank, MoveStep *steps) {
    uint32_t k = 0, n_gathers = 0, n, m;
    const Dist *d = from;
    struct {
        uint32_t dim;
        int64_t group;
    } gathers[MESH_MAX_AXES];
    for (uint32_t dim = 0; dim < rank; dim++) {
        const DistEntry *x = entries_of(from, dim, &n);
        entries_of(to, dim, &m);
        if (m > n) {
            const Dist *next = with_axes_of(p, d, to, dim);
            steps[k++] = (MoveStep){STEP_SLICE, d, next, 0, 0};
            d = next;
        } else if (n > m) {
            int64_t group = chunks_gathered(p->dists->mesh, x + m, n - m);
            uint32_t i = n_gathers++;
            for (; i > 0 && gathers[i - 1].group > group; i--) gathers[i] = gathers[i - 1];
            gathers[i].dim = dim;
            gathers[i].group = group;
        }
    }
    for (uint32_t i = 0; i < n_gathers; i++) {
        const Dist *next = with_axes_of(p, d, to, gathers[i].dim);
        steps[k++] = (MoveStep){STEP_GATHER, d, next, 0, 0};
        d = next;
    }
    return k;
}

// Where a search would be too large: sums first, then all that is not in common gathered and sliced again.
static uint32_t gather_and_slice(MovePlanner *p, const Dist *from, const Dist *to, uint32_t rank, MoveStep *steps) {
    DistEntry at[MESH_MAX_AXES];
    uint32_t n = 0, k = 0, x, y;
    for (uint32_t d = 0; d < rank; d++) {
        const DistEntry *a = entries_of(from, d, &x), *b = entries_of(to, d, &y);
        for (uint32_t i = 0; i < x && i < y && a[i].axis == b[i].axis; i++) at[n++] = a[i];
    }
    const Dist *common = dist_intern(p->dists, at, n, to->pending, (Monoid)to->monoid);
    if (from->pending != to->pending) {
        const Dist *summed = dist_with_pending(p->dists, from, to->pending, (Monoid)from->monoid);
        steps[k++] = (MoveStep){STEP_ALL_REDUCE, from, summed, 0, 0};
        from = summed;
    }
    k += slices_and_gathers(p, from, common, rank, steps + k);
    return k + slices_and_gathers(p, common, to, rank, steps + k);
}

static uint32_t merge_slices(MoveStep *steps, uint32_t n) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (out && steps[i].kind == STEP_SLICE && steps[out - 1].kind == STEP_SLICE)
            steps[out - 1].to = steps[i].to;
        else
            steps[out++] = steps[i];
    }
    return out;
}

static const MovePlan *find_plan(MovePlanner *p, const Dist *from, const Dist *to, TypeId type) {
    const Type *t = type_get(p->m, type);
    MoveStep found[MAX_STEPS];
    AxisBorder borders[MAX_BORDERS];
    uint32_t n = 0, n_borders = 0;
    if (from == to)
        n = 0;
    else if (only_slices_and_gathers(from, to, t->rank))
        n = slices_and_gathers(p, from, to, t->rank, found);
    else if (!(n = search_steps(p, from, to, t, found, borders, &n_borders)))
        n = gather_and_slice(p, from, to, t->rank, found);
    n = merge_slices(found, n);
    MoveStep *steps = arena_new(p->arena, MoveStep, n);
    if (n) memcpy(steps, found, n * sizeof *steps);
    AxisBorder *cuts = arena_new(p->arena, AxisBorder, n_borders);
    if (n_borders) memcpy(cuts, borders, n_borders * sizeof *cuts);
    MovePlan *plan = arena_alloc(p->arena, sizeof *plan);
    *plan = (MovePlan){from, to, type, n, steps, n_borders, cuts};
    return plan;
}

const MovePlan *plan_redistribution(MovePlanner *p, const Dist *from, const Dist *to, TypeId type) {
    uint64_t a = (uint64_t)(uintptr_t)from, b = (uint64_t)(uintptr_t)to;
    uint32_t hash = hash_u32(hash_u32((uint32_t)(a ^ a >> 32), (uint32_t)(b ^ b >> 32)), type);
    for (uint32_t pos = hash, id; (id = idmap_probe(&p->map, hash, &pos)) != IDMAP_END;) {
        const MovePlan *plan = p->plans.at[id];
        if (plan->from == from && plan->to == to && plan->type == type) return plan;
    }
    const MovePlan *plan = find_plan(p, from, to, type);
    idmap_add(&p->map, hash, p->plans.n);
    vec_push(p->arena, &p->plans, plan);
    return plan;
}
