// Axis links: which links the axes of a mesh run over.
//
//     h100, one axis of 64           8 by nvlink, then 8 by network: as gpu=8 inside of node=8
//     tpu_v5p, batch=4,model=2       8 chips are 2x2x2: batch has two sides of it, model one, and nothing is closed to a ring
//     tpu_v5e, data=512              two slices of 16x16: both sides of a slice, closed to rings, then 2 over the network
//
// A link connects devices that are consecutive in the numbering of the mesh (a node, a slice); an axis that goes beyond is cut at
// the border. The devices of a mesh on a torus form a slice whose sides are as equal as possible. An axis gets whole sides if the
// product of some sides is its size, with as many sides as possible (JAX's mesh_utils does the same); otherwise it gets parts of sides.
#ifndef PARTIR_SIM_DEVICE_AXIS_LINKS_H
#define PARTIR_SIM_DEVICE_AXIS_LINKS_H

#include "sim/device/device.h"

// What an axis has of one link.
typedef struct AxisSegment {
    const Link *link;
    int64_t size;
    double bandwidth; // that a device can use: of a torus, along all sides; ends of a line have one neighbour
    double hops;      // to the farthest device
    int64_t side;     // the longest side of a torus, and what a device can use along it
    double side_bandwidth;
    bool ring;   // all sides are closed
    bool folded; // over several sides
} AxisSegment;

typedef struct AxisLink {
    uint32_t n;
    AxisSegment at[DEVICE_MAX_LINKS]; // nearest first; none for an axis of one device
} AxisLink;

// `out` has an entry for each axis.
void map_axes_to_links(const Device *d, const Mesh *mesh, AxisLink *out);
// Whether what goes along one has to wait for what goes along the other: sides of a torus have links of their own.
bool axes_share_a_switch(const AxisLink *a, const AxisLink *b);

#endif
