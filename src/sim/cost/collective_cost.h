// Cost of collectives: latency and bandwidth (alpha-beta), link by link.
//
//     all_gather over batch=4 of 1 MB: 3 messages; each device sends 3 MB round the ring
//     all_reduce over 64 GPUs in nodes of 8: an eighth is reduced inside each node, then across nodes over all their ports, then
//     gathered inside
#ifndef PARTIR_SIM_COST_COLLECTIVE_COST_H
#define PARTIR_SIM_COST_COLLECTIVE_COST_H

#include "sim/device/axis_links.h"
#include "spmd/summary/summary.h"

// What a collective has of one link.
typedef struct Phase {
    const Link *link;
    double n, hops;
    double bandwidth, side, side_bandwidth; // as in AxisSegment
    double of_axis[MESH_MAX_SPLITS];        // the logarithm of what each of its axes has in it
    AxisId axis[MESH_MAX_SPLITS];
    uint32_t n_axes;
} Phase;

typedef struct Phases {
    AxisSet axes; // of the mesh
    uint32_t n;
    Phase at[DEVICE_MAX_LINKS]; // nearest first
} Phases;

// Those of all collectives along `axes`. `links` has an entry for each named axis.
void find_phases(const Mesh *mesh, const AxisLink *links, AxisSet axes, Phases *out);
// Adds the seconds along each axis to by_axis (an entry for each named axis) and gives their sum. `bytes` is the size of the operand
// on a device.
double collective_seconds(const Phases *phases, CollectiveKind kind, double bytes, double *by_axis);

#endif
