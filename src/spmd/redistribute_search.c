// The search for the cheapest redistribution: Dijkstra's algorithm over layouts, exact. A layout says which axes split which
// dimension, in which order, and on which axes a sum is still pending.
//
//     slice           an axis that splits nothing becomes the minor one of a dimension         sends nothing
//     gather          the minor axes of a dimension leave it                                   local * (group - 1)
//     all_to_all      they become the minor ones of another dimension                          local * (group - 1) / group
//     permute         any layout with as many chunks in each dimension                         local
//     reduce_scatter  axes of the sum become the minor ones of a dimension                     local * (group - 1) / group
//     all_reduce      axes of the sum are done                                                 twice that
//
// What both ends have in common, the major axes of each dimension, stays as it is. Axes at neither end may carry a part of what
// moves, but not of a sum: which axes a sum is taken over must follow from the schedule.
#include "spmd/redistribute.h"

enum { MAX_UNITS = 12, MAX_DIMS = 15, MANY_LAYOUTS = 2000, MOST_LAYOUTS = 1 << 15 };

typedef struct AxisLayout {
    uint16_t pending; // units whose sum is still to be taken, as bits
    uint8_t n;
    uint8_t at[MAX_UNITS]; // dim << 4 | unit, by dimension, major first
} AxisLayout;

// Sizes are counted in parts of the whole, of which there are the square of the number of devices concerned: all that a
// step sends is a whole number of them.
typedef struct PlanCost {
    uint64_t bytes, peak;
    uint32_t collectives;
} PlanCost;

typedef struct PlanNode {
    AxisLayout layout;
    PlanCost cost;
    uint32_t parent, heap_at; // NO_ID: done
    uint8_t kind, split_dim, concat_dim;
} PlanNode;

typedef struct PlanSearch {
    Arena *arena;
    uint32_t n_units, n_dims;
    AxisId axis[MAX_UNITS];
    int64_t size[MAX_UNITS];
    uint8_t dim[MAX_DIMS];  // of the tensor
    int64_t room[MAX_DIMS]; // what the axes in common leave of the dimension
    uint64_t whole, devices;
    IdMap map;
    VEC(PlanNode) nodes;
    VEC(uint32_t) heap;
    uint32_t from; // node being expanded
} PlanSearch;

static uint32_t unit_of(uint8_t entry) { return entry & 15; }
static uint32_t dim_of(uint8_t entry) { return entry >> 4; }

// ---- The queue ------------------------------------------------------------------------------------------------------

static int compare_costs(const PlanCost *a, const PlanCost *b) {
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    if (a->collectives != b->collectives) return a->collectives < b->collectives ? -1 : 1;
    return a->peak == b->peak ? 0 : a->peak < b->peak ? -1 : 1;
}

// Equal costs: the one found first, so that the result does not depend on anything else.
static bool is_cheaper(const PlanSearch *s, uint32_t a, uint32_t b) {
    int c = compare_costs(&s->nodes.at[a].cost, &s->nodes.at[b].cost);
    return c ? c < 0 : a < b;
}

static void queue_put(PlanSearch *s, uint32_t node, uint32_t at) {
    s->heap.at[at] = node;
    s->nodes.at[node].heap_at = at;
}

static void queue_raise(PlanSearch *s, uint32_t node) {
    uint32_t at = s->nodes.at[node].heap_at;
    for (; at > 0 && is_cheaper(s, node, s->heap.at[(at - 1) / 2]); at = (at - 1) / 2)
        queue_put(s, s->heap.at[(at - 1) / 2], at);
    queue_put(s, node, at);
}

static uint32_t queue_pop(PlanSearch *s) {
    uint32_t first = s->heap.at[0], last = s->heap.at[--s->heap.n], at = 0;
    s->nodes.at[first].heap_at = NO_ID;
    if (s->heap.n == 0) return first;
    for (uint32_t child; (child = 2 * at + 1) < s->heap.n; at = child) {
        if (child + 1 < s->heap.n && is_cheaper(s, s->heap.at[child + 1], s->heap.at[child])) child++;
        if (!is_cheaper(s, s->heap.at[child], last)) break;
        queue_put(s, s->heap.at[child], at);
    }
    queue_put(s, last, at);
    return first;
}

// ---- Layouts --------------------------------------------------------------------------------------------------------

static bool same_layout(const AxisLayout *a, const AxisLayout *b) {
    return a->n == b->n && a->pending == b->pending && memcmp(a->at, b->at, a->n) == 0;
}

static uint32_t layout_node(const PlanSearch *s, const AxisLayout *l, uint32_t *hash) {
    *hash = hash_u32(l->pending, l->n);
    for (uint32_t i = 0; i < l->n; i++) *hash = hash_u32(*hash, l->at[i]);
    for (uint32_t p = *hash, id; (id = idmap_probe(&s->map, *hash, &p)) != IDMAP_END;)
        if (same_layout(&s->nodes.at[id].layout, l)) return id;
    return NO_ID;
}

static uint64_t local_size(const PlanSearch *s, const AxisLayout *l) {
    uint64_t size = s->whole;
    for (uint32_t i = 0; i < l->n; i++) size /= (uint64_t)s->size[unit_of(l->at[i])];
    return size;
}

static int64_t chunks_in(const PlanSearch *s, const AxisLayout *l, uint32_t dim) {
    int64_t chunks = 1;
    for (uint32_t i = 0; i < l->n; i++)
        if (dim_of(l->at[i]) == dim) chunks *= s->size[unit_of(l->at[i])];
    return chunks;
}

static bool has_unit(const AxisLayout *l, uint32_t unit) {
    for (uint32_t i = 0; i < l->n; i++)
        if (unit_of(l->at[i]) == unit) return true;
    return false;
}

// The unit as the minor one of a dimension; false if its chunk does not divide.
static bool append(const PlanSearch *s, AxisLayout *l, uint32_t unit, uint32_t dim) {
    if (s->room[dim] % (chunks_in(s, l, dim) * s->size[unit]) != 0) return false;
    uint32_t at = l->n++;
    for (; at > 0 && dim_of(l->at[at - 1]) > dim; at--) l->at[at] = l->at[at - 1];
    l->at[at] = (uint8_t)(dim << 4 | unit);
    return true;
}

static AxisLayout without_axes(const AxisLayout *l, uint32_t first, uint32_t end) {
    AxisLayout out = {.pending = l->pending};
    for (uint32_t i = 0; i < l->n; i++)
        if (i < first || i >= end) out.at[out.n++] = l->at[i];
    return out;
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

static void reach_layout(PlanSearch *s, const AxisLayout *to, StepKind kind, uint64_t bytes, uint32_t split,
                         uint32_t concat) {
    PlanCost cost = s->nodes.at[s->from].cost;
    uint64_t before = local_size(s, &s->nodes.at[s->from].layout);
    uint64_t peak = kind == STEP_SLICE ? before : before + local_size(s, to);
    cost.bytes += bytes;
    cost.collectives += kind != STEP_SLICE;
    if (peak > cost.peak) cost.peak = peak;
    uint32_t hash, node = layout_node(s, to, &hash);
    if (node == NO_ID) {
        if (s->nodes.n >= MOST_LAYOUTS) return;
        node = s->nodes.n;
        idmap_add(&s->map, hash, node);
        vec_push(s->arena, &s->nodes, (PlanNode){0});
        vec_push(s->arena, &s->heap, node);
        s->nodes.at[node].heap_at = s->heap.n - 1;
    } else if (s->nodes.at[node].heap_at == NO_ID || compare_costs(&s->nodes.at[node].cost, &cost) <= 0) {
        return;
    }
    uint32_t at = s->nodes.at[node].heap_at;
    s->nodes.at[node] = (PlanNode){*to, cost, s->from, at, (uint8_t)kind, (uint8_t)split, (uint8_t)concat};
    queue_raise(s, node);
}

static void try_slices(PlanSearch *s, const AxisLayout *l) {
    for (uint32_t u = 0; u < s->n_units; u++) {
        if (has_unit(l, u) || (l->pending >> u & 1)) continue;
        for (uint32_t d = 0; d < s->n_dims; d++) {
            AxisLayout to = *l;
            if (append(s, &to, u, d)) reach_layout(s, &to, STEP_SLICE, 0, 0, 0);
        }
    }
}

// Gathers and all_to_alls of the minor axes of each dimension.
static void try_moves(PlanSearch *s, const AxisLayout *l) {
    uint64_t local = local_size(s, l);
    for (uint32_t end = l->n; end > 0;) {
        uint32_t dim = dim_of(l->at[end - 1]), first = end;
        uint64_t group = 1;
        while (first > 0 && dim_of(l->at[first - 1]) == dim) {
            group *= (uint64_t)s->size[unit_of(l->at[--first])];
            AxisLayout rest = without_axes(l, first, end);
            reach_layout(s, &rest, STEP_GATHER, local * (group - 1), 0, 0);
            for (uint32_t d = 0; d < s->n_dims; d++) {
                AxisLayout to = rest;
                bool fits = d != dim;
                for (uint32_t i = first; i < end && fits; i++) fits = append(s, &to, unit_of(l->at[i]), d);
                if (fits) reach_layout(s, &to, STEP_ALL_TO_ALL, local / group * (group - 1), d, dim);
            }
        }
        end = first;
    }
}

// All layouts with as many chunks in each dimension, from dimension `dim` on, of which `left` are still to come. Not deeper
// than there are units and dimensions.
static void try_permutes(PlanSearch *s, const AxisLayout *l, AxisLayout *to, uint32_t dim, int64_t left) {
    if (left == 1) {
        if (++dim == s->n_dims) {
            if (!same_layout(l, to)) reach_layout(s, to, STEP_PERMUTE, local_size(s, l), 0, 0);
            return;
        }
        try_permutes(s, l, to, dim, chunks_in(s, l, dim));
        return;
    }
    for (uint32_t u = 0; u < s->n_units; u++) {
        if (left % s->size[u] != 0 || has_unit(to, u) || (l->pending >> u & 1)) continue;
        to->at[to->n++] = (uint8_t)(dim << 4 | u);
        try_permutes(s, l, to, dim, left / s->size[u]);
        to->n--;
    }
}

// All orders in which pending axes can be scattered over a dimension.
static void try_scatters(PlanSearch *s, const AxisLayout *l, const AxisLayout *done, uint32_t dim, uint64_t group) {
    uint64_t local = local_size(s, l);
    for (uint32_t u = 0; u < s->n_units; u++) {
        AxisLayout to = *done;
        if (!(done->pending >> u & 1) || !append(s, &to, u, dim)) continue;
        to.pending = (uint16_t)(to.pending & ~(1u << u));
        uint64_t all = group * (uint64_t)s->size[u];
        reach_layout(s, &to, STEP_REDUCE_SCATTER, local / all * (all - 1), dim, 0);
        try_scatters(s, l, &to, dim, all);
    }
}

static void try_reductions(PlanSearch *s, const AxisLayout *l) {
    uint64_t local = local_size(s, l);
    for (uint32_t set = l->pending; set; set = (set - 1) & l->pending) { // every part of the pending axes
        uint64_t group = 1;
        for (uint32_t u = 0; u < s->n_units; u++)
            if (set >> u & 1) group *= (uint64_t)s->size[u];
        AxisLayout to = *l;
        to.pending = (uint16_t)(l->pending & ~set);
        reach_layout(s, &to, STEP_ALL_REDUCE, 2 * (local / group * (group - 1)), 0, 0);
    }
    for (uint32_t d = 0; l->pending && d < s->n_dims; d++) try_scatters(s, l, l, d, 1);
}

static void expand_layout(PlanSearch *s, uint32_t node) {
    s->from = node;
    AxisLayout l = s->nodes.at[node].layout; // the nodes move as they grow
    AxisLayout to = {.pending = l.pending};
    try_slices(s, &l);
    try_moves(s, &l);
    if (s->n_dims) try_permutes(s, &l, &to, 0, chunks_in(s, &l, 0));
    try_reductions(s, &l);
}

// ---- The problem ----------------------------------------------------------------------------------------------------

// How many entries of a dimension are the same at both ends.
static uint32_t common_entries(const Dist *a, const Dist *b, uint32_t dim) {
    uint32_t i = 0, j = 0, n = 0;
    while (i < a->n && a->at[i].dim < dim) i++;
    while (j < b->n && b->at[j].dim < dim) j++;
    while (i < a->n && j < b->n && a->at[i].dim == dim && b->at[j].dim == dim && a->at[i].axis == b->at[j].axis)
        i++, j++, n++;
    return n;
}

static bool add_unit(PlanSearch *s, AxisId axis, int64_t size) {
    for (uint32_t u = 0; u < s->n_units; u++)
        if (s->axis[u] == axis) return true;
    if (s->n_units == MAX_UNITS) return false;
    s->axis[s->n_units] = axis;
    s->size[s->n_units++] = size;
    s->devices *= (uint64_t)size;
    return true;
}

static uint32_t find_unit(const PlanSearch *s, AxisId axis) {
    uint32_t u = 0;
    while (s->axis[u] != axis) u++;
    return u;
}

static uint32_t find_dim(const PlanSearch *s, uint32_t dim) {
    uint32_t d = 0;
    while (d < s->n_dims && s->dim[d] != dim) d++;
    return d;
}

static bool add_dim(PlanSearch *s, uint32_t dim, int64_t room) {
    if (find_dim(s, dim) < s->n_dims) return true;
    if (s->n_dims == MAX_DIMS) return false;
    s->dim[s->n_dims] = (uint8_t)dim;
    s->room[s->n_dims++] = room;
    return true;
}

// How many layouts of the axes there are: k of them in some order, dealt out to the dimensions.
static double count_layouts(uint32_t n_units, uint32_t n_dims) {
    double all = 1, chosen = 1;
    for (uint32_t k = 0; k < n_units; k++) {
        chosen *= (double)(n_units - k) / (k + 1) * (n_dims + k);
        all += chosen;
    }
    return all;
}

// The axes that are not in common, and their dimensions.
static bool set_up_ends(PlanSearch *s, const Mesh *mesh, const Dist *from, const Dist *to, const Type *type) {
    const Dist *ends[] = {from, to};
    for (uint32_t dim = 0; dim < type->rank; dim++) {
        int64_t room = type->dims[dim];
        uint32_t common = common_entries(from, to, dim);
        for (int e = 0; e < 2; e++)
            for (uint32_t i = 0, k = 0; i < ends[e]->n; i++) {
                DistEntry x = ends[e]->at[i];
                if (x.dim != dim) continue;
                if (k++ >= common) {
                    if (!add_unit(s, x.axis, mesh->axes[x.axis].size) || !add_dim(s, dim, room)) return false;
                } else if (e == 0) {
                    room /= mesh->axes[x.axis].size;
                }
            }
    }
    for (uint32_t a = 0; a < mesh->n_axes; a++)
        if ((from->pending & ~to->pending) >> a & 1)
            if (!add_unit(s, (AxisId)a, mesh->axes[a].size)) return false;
    return true;
}

// The other dimensions, and the axes at neither end: in most programs they are few, and there is time to try them all.
static void set_up_rest(PlanSearch *s, const Mesh *mesh, const Dist *from, const Dist *to, const Type *type) {
    uint32_t n_dims = s->n_dims, n_units = s->n_units;
    uint64_t devices = s->devices;
    for (uint32_t dim = 0; dim < type->rank && s->n_dims < MAX_DIMS; dim++) {
        int64_t room = type->dims[dim];
        for (uint32_t i = 0; i < from->n; i++)
            if (from->at[i].dim == dim) room /= mesh->axes[from->at[i].axis].size;
        if (room > 1) add_dim(s, dim, room);
    }
    if (count_layouts(s->n_units, s->n_dims) > MANY_LAYOUTS) s->n_dims = n_dims;
    if (from->pending) return;
    for (uint32_t a = 0; a < mesh->n_axes && s->n_units < MAX_UNITS; a++)
        if (mesh->axes[a].size > 1 && dist_dim_of(from, (AxisId)a) < 0 && dist_dim_of(to, (AxisId)a) < 0)
            add_unit(s, (AxisId)a, mesh->axes[a].size);
    if (count_layouts(s->n_units, s->n_dims) > MANY_LAYOUTS) s->n_units = n_units, s->devices = devices;
}

static AxisLayout layout_of(const PlanSearch *s, const Dist *d, const Dist *other, AxisSet pending) {
    AxisLayout l = {0};
    for (uint32_t k = 0; k < s->n_dims; k++) {
        uint32_t skip = common_entries(d, other, s->dim[k]);
        for (uint32_t i = 0; i < d->n; i++)
            if (d->at[i].dim == s->dim[k] && (skip == 0 || skip-- == 0))
                l.at[l.n++] = (uint8_t)(k << 4 | find_unit(s, d->at[i].axis));
    }
    for (uint32_t u = 0; u < s->n_units; u++)
        if (pending >> s->axis[u] & 1) l.pending = (uint16_t)(l.pending | 1u << u);
    return l;
}

static const Dist *dist_of_layout(const PlanSearch *s, DistBook *b, const AxisLayout *l, const Dist *from,
                                  const Dist *to) {
    DistEntry at[2 * MESH_MAX_AXES];
    uint32_t n = 0;
    AxisSet pending = to->pending;
    for (uint32_t i = 0, k = 0; i < from->n; i++) { // what is in common comes first
        if (i == 0 || from->at[i].dim != from->at[i - 1].dim) k = 0;
        if (k++ < common_entries(from, to, from->at[i].dim)) at[n++] = from->at[i];
    }
    for (uint32_t i = 0; i < l->n; i++)
        at[n++] = (DistEntry){s->axis[unit_of(l->at[i])], s->dim[dim_of(l->at[i])]};
    for (uint32_t u = 0; u < s->n_units; u++)
        if (l->pending >> u & 1) pending |= (AxisSet)1 << s->axis[u];
    return dist_intern(b, at, n, pending, (Monoid)from->monoid);
}

static uint32_t steps_to(const PlanSearch *s, uint32_t goal, MovePlanner *p, const Dist *from, const Dist *to,
                         MoveStep *steps) {
    uint32_t n = 0;
    for (uint32_t node = goal; node != 0; node = s->nodes.at[node].parent) n++;
    if (n > MAX_STEPS) return 0;
    uint32_t k = n;
    const Dist *after = to;
    for (uint32_t node = goal; node != 0; node = s->nodes.at[node].parent) {
        const PlanNode *x = &s->nodes.at[node];
        const Dist *before = dist_of_layout(s, p->dists, &s->nodes.at[x->parent].layout, from, to);
        steps[--k] = (MoveStep){(StepKind)x->kind, before, after, s->n_dims ? s->dim[x->split_dim] : 0,
                                s->n_dims ? s->dim[x->concat_dim] : 0};
        after = before;
    }
    return n;
}

uint32_t search_steps(MovePlanner *p, const Dist *from, const Dist *to, const Type *type, MoveStep *steps) {
    if (!p->search) {
        p->search = arena_zalloc(p->arena, sizeof *p->search);
        idmap_init(&p->search->map, p->arena);
        p->search->arena = p->arena;
    }
    PlanSearch *s = p->search;
    s->n_units = s->n_dims = s->nodes.n = s->heap.n = 0;
    s->devices = 1;
    idmap_clear(&s->map);
    if (!set_up_ends(s, p->dists->mesh, from, to, type)) return 0;
    set_up_rest(s, p->dists->mesh, from, to, type);
    s->whole = s->devices * s->devices;
    AxisLayout start = layout_of(s, from, to, from->pending & ~to->pending), end = layout_of(s, to, from, 0);
    uint32_t hash;
    layout_node(s, &start, &hash);
    idmap_add(&s->map, hash, 0);
    vec_push(s->arena, &s->nodes, ((PlanNode){.layout = start, .heap_at = 0}));
    vec_push(s->arena, &s->heap, 0);
    while (s->heap.n) {
        uint32_t best = queue_pop(s);
        if (same_layout(&s->nodes.at[best].layout, &end)) return steps_to(s, best, p, from, to, steps);
        expand_layout(s, best);
    }
    return 0;
}
