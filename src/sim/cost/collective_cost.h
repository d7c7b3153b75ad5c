// Cost of collectives: latency and bandwidth (alpha-beta), link by link.
//
//     all_gather over batch=4 of 1 MB: 3 messages; each device sends 3 MB round the ring
//     all_reduce over 64 GPUs in nodes of 8: an eighth is reduced inside each node, then across nodes over all their ports, then
//     gathered inside
#ifndef PARTIR_SIM_COST_COLLECTIVE_COST_H
#define PARTIR_SIM_COST_COLLECTIVE_COST_H

#include "sim/device/axis_links.h"
#include "spmd/summary/summary.h"

// Adds the seconds along each axis of `axes` to by_axis (an entry for each named axis, as `links` has) and gives their sum. `bytes` is
// the size of the operand on a device.
double collective_seconds(const Mesh *mesh, const AxisLink *links, CollectiveKind kind, AxisSet axes, double bytes,
                          double *by_axis);

#endif
