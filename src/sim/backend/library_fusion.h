// Library fusion: kernels that XLA on CPU leaves to a library. A reduction starts one, which grows by what the library can
// compute too: operands that nobody else reads, and the only reader of its result.
//
//     %0 = multiply %x, %x             in the kernel: only %1 reads it
//     %1 = reduce add %0 over 1        starts it
//     %2 = rsqrt %1                    in the kernel, if there are 4096 elements of something
//     %3 = broadcast %2
//     %4 = multiply %3, %w             ends it, if two others read %4; %w is read from memory, even if it is a broadcast
#ifndef PARTIR_SIM_BACKEND_LIBRARY_FUSION_H
#define PARTIR_SIM_BACKEND_LIBRARY_FUSION_H

#include "sim/program/users.h"

// By op: the op whose result the kernel writes; NO_ID for all that is in no such kernel. Operands (by
// their place in Module.operands) that are `copied` are made by other kernels.
OpId *find_library_fusions(const Module *m, const ProgramOrder *written, const Users *users, const uint32_t *copied,
                           Arena *a);

// A reduction over dimensions of one element each, for which XLA has a reshape.
bool reduces_nothing(const Module *m, OpId op);
// A sum that rounds each time it adds: it runs in windows of windows, which read from memory.
bool sums_bf16(const Module *m, OpId op);
bool library_reduces(const Module *m, OpId op); // whether a reduction starts a kernel

#endif
