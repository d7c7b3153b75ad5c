// Mesh: named, ordered axes with sizes, `batch=16,model=2`. Devices are numbered row-major: the last axis varies
// fastest.
//
// An axis is a number whose digits are parts of it: of `model=8`, `model:(1)2` is the major digit and `model:(2)4` what is
// left (the number in parentheses says how many chunks the more major digits make, Shardy's notation). An axis id may
// stand for a part. Parts that do not overlap can be told apart by a device as axes can: a mesh that is cut at all borders of
// the parts in use (mesh_cut) has only axes that are independent of each other.
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
    Span name; // of a part: model:(1)2
    int64_t size;
    int64_t before;           // 1, of a part: the number of chunks that the more major digits make
    const struct Axis *whole; // the named axis that it is a part of, or itself
    AxisSet overlaps;         // ids of the mesh that share a digit with it, itself among them
} Axis;

typedef struct Mesh {
    uint32_t n_axes; // that make up the devices' numbers
    const Axis *axes;
    int64_t n_devices;
    uint32_t n_ids; // axes, then the parts of them that were asked for: mesh_part
    Arena *arena;   // of names
} Mesh;

// Reads "batch=4, model=2"; `offset` is where `text` starts in `src` (both may be absent). Names are copied.
bool mesh_parse(Mesh *mesh, Context *ctx, Arena *a, Span text, const Source *src, size_t offset);
// Checks names and sizes: no duplicates, size >= 1, at most MESH_MAX_DEVICES devices.
bool mesh_make(Mesh *mesh, Context *ctx, Arena *a, const Axis *axes, uint32_t n, const Source *src, size_t offset);
AxisId mesh_find(const Mesh *mesh, Span name); // NO_AXIS if there is none

static inline int64_t axis_end(const Axis *a) { return a->before * a->size; }
static inline bool axis_is_part(const Axis *a) { return a->size != a->whole->size; }
// The part of an axis of a mesh that mesh_make made; the axis itself if it is all of it. NO_AXIS if there are too many.
AxisId mesh_part(Mesh *mesh, AxisId axis, int64_t before, int64_t size);
// Whether both can be told apart from all else, and from each other: their borders divide one another.
bool axis_parts_fit(const Axis *a, const Axis *b);
// "model", or "model:(1)2": which axis, and what of it. False if the text is no such name, or there is no such part.
bool mesh_read_part(const Mesh *mesh, Span text, AxisId *axis, int64_t *before, int64_t *size);
// Its id; NO_AXIS if there is no such axis or part.
AxisId mesh_axis(Mesh *mesh, Span text);
// A border inside an axis: `at` is the number of chunks that the digits before it make.
typedef struct AxisBorder {
    const Axis *whole; // the named axis
    int64_t at;
} AxisBorder;

// The mesh with the axes cut at the borders of `parts`, ids of `mesh` which all fit each other, and at `more`, which fit them.
Mesh mesh_cut(const Mesh *mesh, AxisSet parts, const AxisBorder *more, uint32_t n_more, Arena *a);
// The axes of a mesh that was cut which make up a named axis or part, major first: how many. 0 if there is no such name.
uint32_t mesh_axes_of(const Mesh *mesh, Span name, AxisId *axes);
// How many of the `n` axes from the first on are digits of one axis, one behind the other; its name, or that of the part.
uint32_t mesh_join(const Mesh *mesh, const AxisId *axes, uint32_t n, Buffer *name);
void mesh_print_axes(const Mesh *mesh, const AxisId *axes, uint32_t n, Buffer *out); // batch,model:(1)2
void mesh_json_axes(const Mesh *mesh, const AxisId *axes, uint32_t n, Buffer *out);  // ["batch", "model:(1)2"]
uint32_t axes_of_set(const Mesh *mesh, AxisSet set, AxisId *axes);                   // in the order of the mesh
// Of a mesh that was cut: the mesh it was made from, and the axes of that which a set has digits of.
Mesh mesh_named(const Mesh *mesh);
static inline AxisId axis_named(const Mesh *mesh, AxisId axis) {
    return (AxisId)(mesh->axes[axis].whole - mesh->axes[0].whole);
}
AxisSet axes_named(const Mesh *mesh, AxisSet axes);
// The coordinate of a device on an axis.
int64_t mesh_coordinate(const Mesh *mesh, AxisId axis, int64_t device);
// How many device numbers lie between neighbours on an axis.
int64_t mesh_stride(const Mesh *mesh, AxisId axis);
void mesh_print(const Mesh *mesh, Buffer *out); // batch=4,model=2: the named axes

#endif
