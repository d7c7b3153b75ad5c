// Groups: computes the device numbers of groups and permutations.
#include "spmd/export/groups.h"

const int64_t *groups_of_axes(const Mesh *mesh, const AxisId *axes, uint32_t n, Arena *a, int64_t dims[2]) {
    dims[1] = 1;
    for (uint32_t i = 0; i < n; i++) dims[1] *= mesh->axes[axes[i]].size;
    dims[0] = mesh->n_devices / dims[1];
    int64_t *ids = arena_new(a, int64_t, mesh->n_devices), *out = ids;
    for (int64_t first = 0; first < mesh->n_devices; first++) {
        bool starts = true; // a group starts at the device with coordinate 0 on its axes
        for (uint32_t i = 0; i < n; i++) starts &= mesh_coordinate(mesh, axes[i], first) == 0;
        if (!starts) continue;
        for (int64_t k = 0; k < dims[1]; k++) {
            int64_t device = first, rest = k;
            for (uint32_t i = n; i-- > 0;) { // the last axis varies fastest
                device += rest % mesh->axes[axes[i]].size * mesh_stride(mesh, axes[i]);
                rest /= mesh->axes[axes[i]].size;
            }
            *out++ = device;
        }
    }
    return ids;
}

// Where a device lies on each axis it must have to hold, under `from`, the chunk that `target` holds under `to`.
static int64_t source_device(const Mesh *mesh, const Dist *from, const Dist *to, int64_t target) {
    int64_t coordinate[MESH_MAX_AXES], source[MESH_MAX_AXES];
    for (uint32_t a = 0; a < mesh->n_axes; a++) source[a] = coordinate[a] = mesh_coordinate(mesh, (AxisId)a, target);
    for (uint32_t i = 0; i < from->n;) { // dimension by dimension: the chunk number under `to`, in the digits of `from`
        uint32_t dim = from->at[i].dim, end = i;
        int64_t chunk = 0;
        for (uint32_t k = 0; k < to->n; k++)
            if (to->at[k].dim == dim) chunk = chunk * mesh->axes[to->at[k].axis].size + coordinate[to->at[k].axis];
        while (end < from->n && from->at[end].dim == dim) end++;
        for (uint32_t k = end; k-- > i;) {
            source[from->at[k].axis] = chunk % mesh->axes[from->at[k].axis].size;
            chunk /= mesh->axes[from->at[k].axis].size;
        }
        i = end;
    }
    // Axes that only `to` has: every coordinate there holds the chunk; take them in step with those that only `from`
    // has, so that no device sends twice.
    int64_t spare = 0;
    for (uint32_t a = 0; a < mesh->n_axes; a++)
        if (dist_dim_of(from, (AxisId)a) >= 0 && dist_dim_of(to, (AxisId)a) < 0)
            spare = spare * mesh->axes[a].size + coordinate[a];
    for (uint32_t a = mesh->n_axes; a-- > 0;) {
        if (dist_dim_of(to, (AxisId)a) < 0 || dist_dim_of(from, (AxisId)a) >= 0) continue;
        source[a] = spare % mesh->axes[a].size;
        spare /= mesh->axes[a].size;
    }
    int64_t device = 0;
    for (uint32_t a = 0; a < mesh->n_axes; a++) device = device * mesh->axes[a].size + source[a];
    return device;
}

const int64_t *groups_permutation(const Mesh *mesh, const Dist *from, const Dist *to, Arena *a) {
    int64_t *pairs = arena_new(a, int64_t, 2 * mesh->n_devices);
    for (int64_t target = 0; target < mesh->n_devices; target++) {
        pairs[2 * target] = source_device(mesh, from, to, target);
        pairs[2 * target + 1] = target;
    }
    return pairs;
}
