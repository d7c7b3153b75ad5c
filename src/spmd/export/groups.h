// Groups: converts axes of the mesh to device numbers. No other file knows both.
#ifndef PARTIR_SPMD_EXPORT_GROUPS_H
#define PARTIR_SPMD_EXPORT_GROUPS_H

#include "spmd/dist.h"

// Devices that differ only in their coordinates on `axes` (major first) form a group: dims[0] groups of dims[1]
// devices.
const int64_t *groups_of_axes(const Mesh *mesh, const AxisId *axes, uint32_t n, Arena *a, int64_t dims[2]);
// (source, target) for every device, so that each gets its chunk under `to` from a device that holds it under `from`.
const int64_t *groups_permutation(const Mesh *mesh, const Dist *from, const Dist *to, Arena *a);

#endif
