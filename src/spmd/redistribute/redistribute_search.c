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
#include "spmd/redistribute/redistribute_search.h"

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
    if (cost.bytes >= s->limit) return;
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

uint32_t search_layouts(PlanSearch *s, const AxisLayout *start, const AxisLayout *end) {
    s->nodes.n = s->heap.n = 0;
    idmap_clear(&s->map);
    uint32_t hash;
    layout_node(s, start, &hash);
    idmap_add(&s->map, hash, 0);
    vec_push(s->arena, &s->nodes, ((PlanNode){.layout = *start, .heap_at = 0}));
    vec_push(s->arena, &s->heap, 0);
    while (s->heap.n) {
        uint32_t best = queue_pop(s);
        if (same_layout(&s->nodes.at[best].layout, end)) return best;
        expand_layout(s, best);
    }
    return NO_ID;
}
