// A redistribution as a search problem. The major axes that both ends share in a dimension stay as they are. An axis at neither end
// may carry a part of the moved value, but not of a sum: the axes of a sum must follow from the schedule.
//
// Parts of axes can do better than axes: on a=2, b=4, from [{a}, {}] to [{b}, {a}], slice to [{a, b:(2)2}, {b:(1)2}], then permute a and
// b:(1)2. Such steps need a mesh that is cut there: the plan names the borders, and lowering begins again with them.
#include "spmd/redistribute/redistribute_search.h"
#include "support/integer.h"

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

// ---- Parts of axes --------------------------------------------------------------------------------------------------

// What some device must at least be sent: what it wants and does not have. Sizes as in PlanCost.
static uint64_t least_bytes(const PlanSearch *s, const AxisLayout *from, const AxisLayout *to) {
    enum { MOST_DEVICES = 1024 };
    if (s->devices > MOST_DEVICES) return 0;
    uint64_t most = 0;
    for (uint64_t device = 0; device < s->devices; device++) {
        uint64_t place[2][MAX_DIMS] = {{0}}, chunks[2][MAX_DIMS], at[MAX_UNITS], left = device;
        for (uint32_t u = 0; u < s->n_units; u++) at[u] = left % (uint64_t)s->size[u], left /= (uint64_t)s->size[u];
        for (uint32_t d = 0; d < s->n_dims; d++) chunks[0][d] = chunks[1][d] = 1;
        const AxisLayout *ends[] = {from, to};
        for (int e = 0; e < 2; e++)
            for (uint32_t i = 0; i < ends[e]->n; i++) {
                uint32_t u = unit_of(ends[e]->at[i]), d = dim_of(ends[e]->at[i]);
                place[e][d] = place[e][d] * (uint64_t)s->size[u] + at[u];
                chunks[e][d] *= (uint64_t)s->size[u];
            }
        uint64_t wants = s->whole, has = s->whole; // both divide it, as each end has an axis once
        for (uint32_t d = 0; d < s->n_dims; d++) {
            uint64_t x = place[0][d] * chunks[1][d], y = place[1][d] * chunks[0][d];
            uint64_t begin = x > y ? x : y, x_end = x + chunks[1][d], y_end = y + chunks[0][d];
            uint64_t end = x_end < y_end ? x_end : y_end;
            wants /= chunks[1][d];
            has = begin < end ? has / (chunks[0][d] * chunks[1][d]) * (end - begin) : 0;
        }
        if (wants - has > most) most = wants - has;
    }
    return most;
}

// Units cut into digits: of unit u, those from first[u] up to first[u + 1].
typedef struct UnitDigits {
    uint32_t first[MAX_UNITS + 1];
    int64_t size[MAX_UNITS];
} UnitDigits;

// Whether a unit is cut at a border: each prime factor by itself, or only where another unit has a counterpart to a side of it.
static bool is_border_of(const PlanSearch *s, uint32_t u, int64_t at, bool all) {
    for (uint32_t v = 0; v < s->n_units && !all; v++) {
        int64_t common = gcd(s->size[u], s->size[v]);
        if (at == common || at == s->size[u] / common) return true;
    }
    return all;
}

static bool find_unit_digits(const PlanSearch *s, bool all, UnitDigits *out) {
    uint32_t n = 0;
    for (uint32_t u = 0; u < s->n_units; u++) {
        out->first[u] = n;
        int64_t last = 1, at = 1;
        for (int64_t left = s->size[u], p = 2; left > 1; left /= p) {
            while (left % p != 0) p = p * p > left ? left : p + 1;
            at *= p;
            if (at != s->size[u] && !is_border_of(s, u, at, all)) continue;
            if (n == MAX_UNITS) return false;
            out->size[n++] = at / last;
            last = at;
        }
    }
    out->first[s->n_units] = n;
    return n > s->n_units && count_layouts(n, s->n_dims) <= MANY_LAYOUTS;
}

static AxisLayout in_digits(const UnitDigits *digits, const AxisLayout *l) {
    AxisLayout out = {0};
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t k = digits->first[unit_of(l->at[i])]; k < digits->first[unit_of(l->at[i]) + 1]; k++)
            out.at[out.n++] = (uint8_t)(dim_of(l->at[i]) << 4 | k);
    return out;
}

// A digit and the next one of its unit lie side by side, or both nowhere.
static bool lie_together(const AxisLayout *l, uint32_t digit) {
    for (uint32_t i = 0; i < l->n; i++)
        if (unit_of(l->at[i]) == digit) return i + 1 < l->n && l->at[i + 1] == l->at[i] + 1;
    for (uint32_t i = 0; i < l->n; i++)
        if (unit_of(l->at[i]) == digit + 1) return false;
    return true;
}

// The borders at which axes must be cut for a way that sends less than the limit; how many.
static uint32_t search_borders(PlanSearch *s, const Mesh *mesh, const AxisLayout *start, const AxisLayout *end,
                               AxisBorder *borders) {
    UnitDigits digits = {0};
    if (!find_unit_digits(s, true, &digits) && !find_unit_digits(s, false, &digits)) return 0;
    AxisLayout from = in_digits(&digits, start), to = in_digits(&digits, end);
    uint32_t n = 0, n_units = s->n_units;
    s->n_units = digits.first[n_units];
    memcpy(s->size, digits.size, sizeof s->size);
    uint32_t goal = search_layouts(s, &from, &to);
    for (uint32_t u = 0; goal != NO_ID && u < n_units; u++) {
        int64_t at = mesh->axes[s->axis[u]].before;
        for (uint32_t k = digits.first[u]; k + 1 < digits.first[u + 1]; k++) {
            bool together = true;
            at *= digits.size[k];
            for (uint32_t node = goal; node != 0 && together; node = s->nodes.at[node].parent)
                together = lie_together(&s->nodes.at[node].layout, k);
            if (!together) borders[n++] = (AxisBorder){mesh->axes[s->axis[u]].whole, at};
        }
    }
    return n;
}

uint32_t search_steps(MovePlanner *p, const Dist *from, const Dist *to, const Type *type, MoveStep *steps,
                      AxisBorder *borders, uint32_t *n_borders) {
    if (!p->search) {
        p->search = arena_zalloc(p->arena, sizeof *p->search);
        idmap_init(&p->search->map, p->arena);
        p->search->arena = p->arena;
    }
    PlanSearch *s = p->search;
    const Mesh *mesh = p->dists->mesh;
    *n_borders = s->n_units = s->n_dims = 0;
    s->devices = 1;
    if (!set_up_ends(s, mesh, from, to, type)) return 0;
    set_up_rest(s, mesh, from, to, type);
    s->whole = s->devices * s->devices;
    s->limit = UINT64_MAX;
    AxisLayout start = layout_of(s, from, to, from->pending & ~to->pending), end = layout_of(s, to, from, 0);
    uint32_t goal = search_layouts(s, &start, &end);
    if (goal == NO_ID) return 0;
    uint32_t n = steps_to(s, goal, p, from, to, steps);
    s->limit = s->nodes.at[goal].cost.bytes;
    if (from->pending == to->pending && s->limit > least_bytes(s, &start, &end))
        *n_borders = search_borders(s, mesh, &start, &end, borders);
    return n;
}
