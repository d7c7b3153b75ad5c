// Distributions: interning, shapes and text.
#include "spmd/dist.h"

void distbook_init(DistBook *b, const Mesh *mesh, Arena *a) {
    *b = (DistBook){.arena = a, .mesh = mesh};
    idmap_init(&b->map, a);
}

static uint32_t dist_hash(const DistEntry *at, uint32_t n, AxisSet pending, Monoid monoid) {
    uint32_t h = (uint32_t)monoid << 8 ^ n;
    for (uint32_t i = 0; i < n; i++) h = h * 1000003 + ((uint32_t)at[i].axis << 8 | at[i].dim);
    return hash_u32(h ^ (uint32_t)(pending >> 32), (uint32_t)pending);
}

static bool is_dist(const Dist *d, const DistEntry *at, uint32_t n, AxisSet pending, Monoid monoid) {
    if (d->n != n || d->pending != pending || d->monoid != monoid) return false;
    for (uint32_t i = 0; i < n; i++)
        if (d->at[i].axis != at[i].axis || d->at[i].dim != at[i].dim) return false;
    return true;
}

const Dist *dist_intern(DistBook *b, DistEntry *at, uint32_t n, AxisSet pending, Monoid monoid) {
    for (uint32_t i = 1; i < n; i++) { // insertion sort: a handful of entries
        DistEntry e = at[i];
        uint32_t j = i;
        for (; j > 0 && at[j - 1].dim > e.dim; j--) at[j] = at[j - 1];
        at[j] = e;
    }
    if (!pending) monoid = MONOID_ADD;
    if (b->last && is_dist(b->last, at, n, pending, monoid)) return b->last;
    uint32_t hash = dist_hash(at, n, pending, monoid);
    for (uint32_t p = hash, id; (id = idmap_probe(&b->map, hash, &p)) != IDMAP_END;)
        if (is_dist(b->all.at[id], at, n, pending, monoid)) return b->last = b->all.at[id];
    Dist *d = arena_alloc(b->arena, sizeof *d + n * sizeof *at);
    *d = (Dist){.pending = pending, .monoid = (uint8_t)monoid, .n = (uint8_t)n};
    memcpy(d->at, at, n * sizeof *at);
    idmap_add(&b->map, hash, b->all.n);
    vec_push(b->arena, &b->all, d);
    return d;
}

const Dist *dist_whole(DistBook *b) {
    DistEntry none[1];
    if (!b->whole) b->whole = dist_intern(b, none, 0, 0, MONOID_ADD);
    return b->whole;
}

const Dist *dist_with_pending(DistBook *b, const Dist *d, AxisSet pending, Monoid monoid) {
    DistEntry at[MESH_MAX_AXES];
    memcpy(at, d->at, d->n * sizeof *at);
    return dist_intern(b, at, d->n, pending, monoid);
}

int dist_dim_of(const Dist *d, AxisId axis) {
    for (uint32_t i = 0; i < d->n; i++)
        if (d->at[i].axis == axis) return d->at[i].dim;
    return -1;
}

int64_t dist_chunks(const Dist *d, const Mesh *mesh, uint32_t dim) {
    int64_t chunks = 1;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->at[i].dim == dim) chunks *= mesh->axes[d->at[i].axis].size;
    return chunks;
}

bool dist_local_dims(const Dist *d, const Mesh *mesh, uint32_t rank, int64_t *dims) {
    for (uint32_t i = 0; i < d->n; i++) {
        int64_t size = mesh->axes[d->at[i].axis].size;
        if (d->at[i].dim >= rank || dims[d->at[i].dim] % size != 0) return false;
        dims[d->at[i].dim] /= size;
    }
    return true;
}

TypeId dist_local_type(const Dist *d, const Mesh *mesh, Module *m, TypeId global) {
    const Type *t = type_get(m, global);
    if (d->n == 0 || t->kind != TYPE_TENSOR) return global;
    int64_t dims[MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dist_local_dims(d, mesh, t->rank, dims);
    return type_like(m, global, dims);
}

uint32_t dist_axes(const Dist *d, uint32_t dim, AxisId *axes) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->at[i].dim == dim) axes[n++] = d->at[i].axis;
    return n;
}

void dist_print(const Dist *d, const Mesh *mesh, uint32_t rank, Buffer *out) {
    buf_char(out, '[');
    for (uint32_t dim = 0; dim < rank; dim++) {
        AxisId axes[MESH_MAX_AXES];
        buf_str(out, dim ? ", {" : "{");
        mesh_print_axes(mesh, axes, dist_axes(d, dim, axes), out);
        buf_char(out, '}');
    }
    buf_char(out, ']');
    if (!d->pending) return;
    buf_format(out, " + %s{", monoid_name((Monoid)d->monoid));
    AxisId axes[MESH_MAX_AXES];
    mesh_print_axes(mesh, axes, axes_of_set(mesh, d->pending, axes), out);
    buf_char(out, '}');
}
