// Compilers: what the compiler behind a device does to a program before it runs, as far as memory shows it.
#ifndef PARTIR_SIM_BACKEND_BACKEND_H
#define PARTIR_SIM_BACKEND_BACKEND_H

#include "sim/device/device.h"

typedef struct Compiler {
    // Kernels around reductions are a library's (sim/backend/library_fusion.h): they read from and write to memory.
    bool reductions_by_library;
    // Kernels run in the order in which they become ready, so that several can run side by side; else as written.
    bool breadth_first;
    bool least_memory; // kernels run in the order that needs the least memory, of three (sim/schedule/memory_scheduler.h)
    // Operands of a dot lie as (batch, rows, depth) and (batch, depth, columns), those of a convolution as (batch, space,
    // features) and (space, inputs, outputs), or are copied so; what is scattered to devices has that dimension first.
    bool dots_in_order;
    bool dots_fused; // dots and convolutions compute what they read on the way
    // Much can be computed in the time of a read: what is made of one tensor element by element, exponentials too, is
    // computed again by each kernel that reads it.
    bool costly_again;
    bool reductions_write; // what a reduction and a product read is written by the kernel of the reduction
    // What is computed twice is computed once (sim/transform/value_numbering.h), not only where barriers are removed.
    bool arithmetic_once;
    bool barriers_removed; // what is computed again behind a barrier is what was computed before
    bool loops_hoisted;    // what does not change in a loop is computed before it, and kept while it runs
    bool gathers_stay;     // but not what is gathered, as it would be larger than what it is made of
    bool dots_read_bf16;   // products of f32 are one pass of bf16, so that what only they read is kept as bf16
    bool bf16_as_f32;      // arithmetic of bf16 is of f32, with conversions around it (sim/transform/float_normalization.h)
    // Kernels write over what their result becomes (donated arguments, carried values) and over what was summed up over
    // devices, but over nothing else.
    bool overwrites_sums;
    bool sums_in_place;       // an all_reduce writes over its operand
    bool scatters_select;     // a scatter of one element to each row of a constant is a comparison with the index
    bool scatters_added;      // a scatter into zeros that is added to something is a scatter into that
    bool products_summed;     // products that a loop adds up are added in place by their own kernels
    bool concatenates_padded; // a concatenation is the maximum of padded tensors, which kernels compute on the way
    bool tiled;               // memory comes in tiles (sim/backend/tiled_layout.h)
    // Buffers get their places as they come if that leaves this part of the memory or less full, else the largest first.
    double packed_in_time;
    // A value that is gathered again is gathered once if at most so many ops in a row lie between; 0 if it never is.
    uint32_t gathers_kept;
    bool updates_gather; // a weight that is gathered again is read for it by the kernel that updates it (sim/backend/update_fusion.h)
    bool gathers_fused;  // a gather computes what it reads on the way
    bool windows_fused;  // window reductions compute what they read on the way
    bool windows_indexed; // select_and_scatter is a scatter to indices that a window reduction over all of them found
    // Sums over the same axes of which none needs another are one collective, as of all gradients, if they have no more
    // bytes than this; 0 if each is its own. So are gathers, as of all weights.
    double sums_together, gathers_together;
    // What a reduce_scatter gives lies in the order of its dimensions, and turns what it updates.
    bool scatters_as_written;
    // Values of at least so many bytes are computed again rather than kept if all would fill more than this part of the memory
    // that arguments and results leave; 0 if that is not done.
    double least_again, fills;
    bool constants_in_memory; // those of different numbers
    double kernels_on_chip;   // of the memory on chip, what is kept for the kernels' own use
    bool copies_donated;      // a donated argument is copied if a reader of it could run after its result is written
} Compiler;

// Whether there can be operands that are copied for their op.
static inline bool copies_operands(const Compiler *c) { return c->dots_in_order || c->windows_indexed; }

const Compiler *device_compiler(const Device *d);

#endif
