// Backends: the options and passes that XLA applies to a program for a kind of device, as far as they change time or memory.
#ifndef PARTIR_SIM_BACKEND_BACKEND_H
#define PARTIR_SIM_BACKEND_BACKEND_H

#include "sim/device/device.h"

typedef struct Backend {
    // Kernels around reductions are a library's (sim/backend/rules.h): they read from and write to memory.
    bool library_fusion;
    // Kernels run in the order in which they become ready, so that several can run side by side; else as written.
    bool bfs;
    bool gets_cpu_order; // programs are emitted for it in an order of their own (spmd/export/cpu_order.h)
    bool min_memory; // kernels run in the order that needs the least memory, of three (sim/schedule/schedulers.h)
    // Operands of a dot lie as (batch, rows, depth) and (batch, depth, columns), those of a convolution as (batch, space,
    // features) and (space, inputs, outputs), or are copied so.
    bool relays_dot_operands;
    bool fuses_dot_producers; // dots and convolutions compute what they read on the way
    bool fuses_products;      // products end with what follows them element by element, or are computed inside a small one
    // Much can be computed in the time of a read: what is made of one tensor element by element, exponentials too, is
    // duplicated into each kernel that reads it.
    bool duplicates_expensive;
    bool reductions_write_producers; // what a reduction and a product read is written by the kernel of the reduction
    // What is computed twice is computed once (sim/transform/value_numbering.h), not only where barriers are removed.
    bool eliminates_arithmetic;
    bool removes_barriers;       // optimization barriers do not stop common subexpression elimination
    bool hoists_invariants;      // what does not change in a loop is computed before it, and kept while it runs
    bool keeps_gathers_in_loops; // but not what is gathered, as it would be larger than what it is made of
    bool stores_bf16;            // products of f32 are one pass of bf16, so that what only they read is kept as bf16
    bool
        normalizes_bf16; // arithmetic of bf16 is of f32, with conversions around it (sim/transform/transform.h)
    // Kernels write over what their result becomes (donated arguments, carried values) and over what was summed up over
    // devices, but over nothing else.
    bool overwrites_only_sums;
    bool all_reduces_in_place; // an all_reduce writes over its operand
    bool scatters_to_selects;  // a scatter of one element to each row of a constant is a comparison with the index
    bool fuses_gathers;        // a gather is part of a kernel of its elements, computed once
    bool gathers_to_sums;      // a gather of one element from each computed row is emitted as a sum (spmd/export/one_hot.h)
    bool sorts_places;         // a stable sort moves the place of each element along
    bool fuses_scatter_adds;   // a scatter into zeros that is added to something is a scatter into that
    bool accumulates_in_place; // products that a loop adds up are added in place by their own kernels
    // Slices that leave out elements between others read them from memory; pads that put in some also write there.
    bool strides_in_memory;
    bool multi_output_fusion; // kernels that go over the same elements, and share some, are one with several results
    bool tiled_layout;         // memory comes in tiles (sim/backend/rules.h)
    // Buffers get their places as they come if that leaves this part of the memory or less full, else the largest first.
    double pack_by_time_fill;
    // Gather CSE: two gathers of one value become one if at most so many ops in a row lie between; 0: never.
    uint32_t gather_cse_distance;
    bool fuses_window_producers; // window reductions compute what they read on the way
    bool indexes_windows; // select_and_scatter is a scatter to indices that a window reduction over all of them found
    // Sums over the same axes of which none needs another are one collective, as of all gradients, if they have no more
    // bytes than this; 0 if each is its own. So are gathers, as of all weights.
    double all_reduce_combine_bytes, all_gather_combine_bytes;
    // Rematerialization: values of at least so many bytes are recomputed rather than kept if all would fill more than this part of the memory
    // that arguments and results leave; 0 if that is not done.
    double remat_min_bytes, remat_fill;
    bool stores_constants; // those of different numbers
    double vmem_reserved;  // of the memory on chip, what is kept for the kernels' own use
} Backend;

// Whether there can be operands that are copied for their op.
static inline bool copies_operands(const Backend *c) { return c->relays_dot_operands || c->indexes_windows; }

const Backend *device_backend(const Device *d);
// Of the memory on chip, what tensors may have.
static inline double vmem_bytes(const Device *d) { return (double)d->vmem - device_backend(d)->vmem_reserved; }

#endif
