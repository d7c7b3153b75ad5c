// Mesh: named, ordered axes with sizes, `batch=16,model=2`. Devices are numbered row-major: the last axis varies
// fastest.
#ifndef PARTIR_CORE_MESH_H
#define PARTIR_CORE_MESH_H

#include "support/diag.h"

#define MESH_MAX_AXES    64
#define MESH_MAX_DEVICES (1 << 20)
#define MESH_MAX_SPLITS  20 // axes of two or more devices: log2 of MESH_MAX_DEVICES

typedef uint8_t AxisId;
typedef uint64_t AxisSet; // bit per axis
#define NO_AXIS 255

typedef struct Axis {
    Span name;
    int64_t size;
} Axis;

typedef struct Mesh {
    uint32_t n_axes;
    const Axis *axes;
    int64_t n_devices;
} Mesh;

// Reads "batch=4, model=2"; `offset` is where `text` starts in `src` (both may be absent). Names are copied.
bool mesh_parse(Mesh *mesh, Context *ctx, Arena *a, Span text, const Source *src, size_t offset);
// Checks names and sizes: no duplicates, size >= 1, at most MESH_MAX_DEVICES devices.
bool mesh_make(Mesh *mesh, Context *ctx, Arena *a, const Axis *axes, uint32_t n, const Source *src, size_t offset);
AxisId mesh_find(const Mesh *mesh, Span name); // NO_AXIS if there is none
// The coordinate of a device on an axis.
int64_t mesh_coordinate(const Mesh *mesh, AxisId axis, int64_t device);
// How many device numbers lie between neighbours on an axis.
int64_t mesh_stride(const Mesh *mesh, AxisId axis);
void mesh_print(const Mesh *mesh, Buffer *out); // batch=4,model=2

#endif
