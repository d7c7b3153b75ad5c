// Distributions: how a value is spread over the mesh. Each dimension has an ordered list of axes, major first; the
// value may be pending: each device along the pending axes holds a part, and the whole is their combination by one
// monoid.
//
//     [{batch,model}, {}] + sum{pod}        dimension 0 split by batch, then model; a sum over pod is still to be taken
//
// Interned: equal distributions are the same pointer.
#ifndef PARTIR_SPMD_DIST_H
#define PARTIR_SPMD_DIST_H

#include "core/propagation/state.h"

typedef struct DistEntry {
    AxisId axis;
    uint8_t dim;
} DistEntry;

typedef struct Dist {
    AxisSet pending;
    uint8_t monoid; // Monoid; MONOID_ADD when nothing is pending
    uint8_t n;
    DistEntry at[]; // by dimension, major axis first
} Dist;

typedef struct DistBook {
    Arena *arena;
    const Mesh *mesh;
    IdMap map;
    VEC(const Dist *) all;
    const Dist *whole; // dist_whole, once it was asked for
    const Dist *last;  // that was interned: the next one is often the same
} DistBook;

void distbook_init(DistBook *b, const Mesh *mesh, Arena *a);
// Sorts entries by dimension (stable) and interns. `at` may have up to MESH_MAX_AXES entries and is reordered.
const Dist *dist_intern(DistBook *b, DistEntry *at, uint32_t n, AxisSet pending, Monoid monoid);
const Dist *dist_whole(DistBook *b); // every device holds the whole value
const Dist *dist_with_pending(DistBook *b, const Dist *d, AxisSet pending, Monoid monoid);

uint32_t dist_axes(const Dist *d, uint32_t dim, AxisId *axes);       // those that tile a dimension, major first: how many
int dist_dim_of(const Dist *d, AxisId axis);                        // the dimension an axis tiles, or -1
int64_t dist_chunks(const Dist *d, const Mesh *mesh, uint32_t dim); // into how many parts a dimension is split
// The local shape; `dims` has `rank` entries and is divided in place. False if a dimension does not divide.
bool dist_local_dims(const Dist *d, const Mesh *mesh, uint32_t rank, int64_t *dims);
TypeId dist_local_type(const Dist *d, const Mesh *mesh, Module *m, TypeId global);

// "[{batch,model},{}]" and " + sum{batch}" when pending.
void dist_print(const Dist *d, const Mesh *mesh, uint32_t rank, Buffer *out);

#endif
