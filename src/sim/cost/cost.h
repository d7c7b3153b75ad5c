// Costs: FLOPs, bytes and seconds of ops, kernels, collectives and whole programs.
#ifndef PARTIR_SIM_COST_COST_H
#define PARTIR_SIM_COST_COST_H

#include "ir/module.h"
#include "sim/backend/backend.h"
#include "sim/device/axis_links.h"
#include "spmd/summary/summary.h"

// Cost of one op: FLOPs and bytes, from shapes alone.
//
//     dot_general 8x64 * 64x32: 2 * 8 * 32 * 64 FLOPs of the matrix unit, reads both, writes 8x32
typedef struct Cost {
    double matrix;       // FLOPs of dots and convolutions, as XLA counts them: two for each multiply-add
    double zeros;        // FLOPs on padding and holes beside `matrix`, which libraries on CPU compute too
    double vector;       // FLOPs of all else
    double read;         // bytes of the first operand: a slice reads only what it gives. Other operands are read whole
    double write;        // bytes of the results that are written: an update writes only what it changes
    double strided;      // elements that are read in another order than they lie, if nothing between does better
    double m, n, k;      // the matrix product behind `matrix`: rows, columns, depth; 0 if only its kernel knows
    double moved;        // a kernel's own word for all that it reads and writes, instead of these; 0 if it has none
    bool transposed_lhs; // its left operand has the depth before the rows
} Cost;

Cost op_cost(const Module *m, OpId op);
// Of an op with FLOPs of the matrix unit: the operand whose type decides how many of them that does in a second.
ValueId product_operand(const Module *m, OpId op);
// 0 for tokens.
static inline double value_bytes(const Module *m, ValueId v) { return value_tensor(m, v)->bytes; }

// The share of the matrix unit's peak that such a product can reach: its blocks are full only if the sizes are multiples of theirs.
double matrix_efficiency(const Device *d, const Cost *c);

// Cost of a kernel: the sum of what its ops do, and how long the device takes for that.
//
//     fusion(dot 4096x1536x3072, gelu)    the matrix unit 0.19 ms, the vector unit 0.04 ms, memory 0.17 ms: 0.19 ms
typedef struct KernelWork {
    double matrix_seconds; // of its products
    double drain;          // seconds in which their units fill and drain, and nothing else goes on
    double vector, strided;
    double flops;
    double read_far, read_near; // bytes, as they lie in memory; near ones were touched a little while ago
    double read_blocks; // far ones too, again for each block of a product's result
    double written;
    bool reduces, moves; // it has a reduction; it moves elements to other places in their tiles
} KernelWork;

void add_kernel_work(KernelWork *to, const KernelWork *more);
// Seconds of a kernel, without its start. `bound_by_memory` says whether more memory bandwidth would make it faster.
double kernel_seconds(const Device *d, const KernelWork *work, bool *bound_by_memory);
// Adds what a product reads of operands that lie far away, so many bytes, and how long its units wait for them: its result is made block by
// block, and each block reads rows and columns of its own.
void read_product(const Device *d, const Cost *c, double lhs, double rhs, KernelWork *work);
// Products of a matrix and a vector are a multiplication and a reduction (XLA's DotStrengthReduction).
bool runs_on_vector_unit(const Device *d, const Cost *product);

// Cost of collectives: latency and bandwidth (alpha-beta), link by link.
//
//     all_gather over batch=4 of 1 MB: 3 messages; each device sends 3 MB round the ring
//     all_reduce over 64 GPUs in nodes of 8: an eighth is reduced inside each node, then across nodes over all their ports, then
//     gathered inside
typedef struct Phase { // what a collective has of one link
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

// Model FLOPs: what the program asks for once. What the backward pass recomputes, rather than keeping it, stands behind
// barriers, as jax.checkpoint writes it.
//
//     %0 = dot %x, %w
//     …
//     %5:2 = optimization_barrier %x, %w
//     %6 = dot %5#0, %5#1                 recomputed: %0 is the same
//
// FLOPs of the dots and convolutions of @main that are not recomputed, loops multiplied by their trip counts (1 where not known).
double model_flops(const Module *m, Arena *a);

#endif
