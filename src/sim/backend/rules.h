// Rules that only one backend has, as observed in its compiler's output.
#ifndef PARTIR_SIM_BACKEND_RULES_H
#define PARTIR_SIM_BACKEND_RULES_H

#include "sim/schedule/schedule.h"

// Library fusion (CPU): kernels that XLA leaves to a library. A reduction starts one, which grows by what the library can
// compute too: operands that nobody else reads, and the only reader of its result.
//
//     %0 = multiply %x, %x             in the kernel: only %1 reads it
//     %1 = reduce add %0 over 1        starts it
//     %2 = rsqrt %1                    in the kernel, if there are 4096 elements of something
//     %3 = broadcast %2
//     %4 = multiply %3, %w             ends it, if two others read %4; %w is read from memory, even if it is a broadcast
//
// By op: the op whose result the kernel writes; NO_ID for all that is in no such kernel. Operands (by
// their place in Module.operands) that are `copied` are made by other kernels.
OpId *find_library_fusions(const Module *m, const ProgramOrder *written, const Users *users, const uint32_t *copied,
                           Arena *a);
// A reduction over dimensions of one element each, for which XLA has a reshape.
bool reduces_nothing(const Module *m, OpId op);
// A sum that rounds each time it adds: it runs in windows of windows, which read from memory.
bool sums_bf16(const Module *m, OpId op);
bool library_reduces(const Module *m, OpId op); // whether a reduction starts a kernel

// Scatter rewriting (TPU): scatters that the compiler turns into selects, or into scatters onto another operand.
//
//     %0 = broadcast_in_dim 0
//     %1 = scatter(%0, %indices, %updates) add
//     %2 = add %y, %1                              a scatter into %y, which is in memory
//
// By op: a scatter into zeros that an add alone reads, or the add; NULL if there are no scatters.
uint8_t *find_scatter_adds(const Module *m, const ProgramOrder *written, const Users *u, Arena *a);
// Whether it writes one element to each row of a constant, and so is a comparison.
bool scatter_selects(const Module *m, OpId scatter);

// In-place accumulation (TPU): products that a loop adds up are added to the sum in place, by their own kernel.
//
//     while(%acc = …) {
//       %g = dot …
//       %n = add %acc, %g        one kernel, and %g needs no memory
//       return %n
//
// By op, one of these; NULL if there is none. Of an `added` scatter and what it is added to, the product is computed inside.
enum { NOT_ACCUMULATED, ACCUMULATED, ACCUMULATES }; // what is computed inside the add, and the add
const uint8_t *find_in_place_accumulation(const Module *m, const ProgramOrder *written, const Users *u,
                                          const uint8_t *added, Arena *a);

// Layout assignment (TPU): which two dimensions of a value lie innermost, and what its tiles take.
//
//     %0 = gather %table …             150000x64: the 64 of a row are its lanes, padded to 128
//     %1 = dot_general batch [0, 2]    202x12x77x77: batch dimensions stay outside, so 77x77 is padded to 80x128
//     %2 = exponential %1              lies as what it is made of
//     %arg0                            lies as compactly as it can
//
// Seen with libtpu 0.0.42: an op asks for a layout of its operands and gives its results one; what only moves or computes elements
// takes over that of its operand, or else what its first reader asks for. Arguments and results of @main lie as compactly as they can:
// copies stand between them and ops that need another layout, and before scatters, gathers and strides of anything else.
typedef struct TpuLayouts {
    const double *padding; // by value: how many times its bytes it takes in memory
    const double *relaid;  // by operand: 0, or that of the copy that its op reads instead; NULL if none does
} TpuLayouts;

TpuLayouts assign_tpu_layouts(const Module *m, const ProgramOrder *written, Arena *a);
// Dimensions along which a slice or a pad leaves out or puts in elements between others, as bits.
uint64_t strided_dims(const Module *m, OpId op);
// Whether a top_k keeps few elements of long rows, for which there is a kernel. Else it sorts all, stably.
bool has_top_k_kernel(const Module *m, OpId op);
double top_k_sorts(const Module *m, OpId op); // bytes of that, with the places as they are before
// If it lies as compactly as it can; if it lies as it is written.
double tile_padding(const Type *t);
double tile_padding_as_written(const Type *t);
// How often all of a tensor is moved if parts of this type, which lie as compactly as they can, are put together along a dimension.
uint32_t tile_moves(const Type *part, uint32_t dim);

#endif
