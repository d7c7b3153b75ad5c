// Transforms: rewrite the program as the device's compiler does.
#ifndef PARTIR_SIM_TRANSFORM_TRANSFORM_H
#define PARTIR_SIM_TRANSFORM_TRANSFORM_H

#include "sim/backend/backend.h"
#include "sim/schedule/schedule.h"

// Expression trees: arithmetic that one op alone reads, soon after, is part of that op, as the compiler has both in one kernel. There are
// then far fewer ops to look at: of an optimizer's, a third.
//
//     %0 = multiply %m, %b         only %2 reads it
//     %1 = multiply %g, %c         and this
//     %2 = add %0, %1              one op that reads %g, %c, %m and %b
typedef struct ExpressionTrees {
    double *flops;  // by op: of what is part of it
    uint8_t *depth; // by operand: how many ops of the tree lie between it and the last of them
} ExpressionTrees;

typedef struct SimProgram {
    Module *m;            // @main without what is there already: its ops and values are numbered as they are written
    OpId *op;             // by op of `m`: that of the program; as much room as for ops
    ValueId *value;       // by value of `m`; likewise
    const ExpressionTrees *trees; // NULL if arithmetic is left as it is
} SimProgram;

// Common subexpression elimination: the program as XLA leaves it (value_numbering.h): what is there already is one value.
//
//     %0 = constant 0.5            %1 = broadcast %0 to 64x128            one layer
//     %2 = constant 0.5            %3 = broadcast %2 to 64x128            another: %2 is %0, %3 is %1
//
// `origin`, by op: the one it was made for, or NULL. The program must outlive it: only ops, their operands, values and
// regions are its own.
SimProgram eliminate_common_subexpressions(const Module *m, const OpId *origin, const Backend *backend, Arena *a);

// Float normalization: a compiler that has no arithmetic of bf16 computes it as f32. The program as it then is:
//
//     %0 = multiply %x, %y : bf16          %x', %y' = convert %x, %y : f32
//     %1 = tanh %0                         %0 = multiply %x', %y' : f32
//     %2 = dot_general %0, %w              %0r = convert %0 : bf16       what is kept if several read it
//                                          %0' = convert %0r : f32       once for all readers
//                                          %1 = tanh %0' …
//
// Rounding costs much, so that it is not duplicated into each reader; conversion to f32 costs nothing, and is. Conversions are told of as
// what they convert: the op that gives it, or the first that reads it of an argument.
void normalize_floats(SimProgram *p, Arena *a);

// Small collectives for CPU, as they are emitted (spmd/export/to_stablehlo.c).
//
//     %1 = reduce_scatter %0               %s = all_reduce %0, one with all others
//                                          %1 = all_slice %s
void split_small_reduce_scatters(SimProgram *p, Arena *a);

// Stable sorts (TPU): each sorts the places of its elements too, so that it is the same as one that is written with them.
//
//     %0 = sort %x                 %0 is %2#0
//     %1 = iota
//     %2:2 = sort %x, %1
void merge_stable_sorts(SimProgram *p, Arena *a);

// Room for so many ops more, with an operand and a result each: a pass that adds to a program asks for all of it first.
void make_room(SimProgram *p, uint32_t n, Arena *a);

// bf16 storage: values of f32 that are kept as bf16, since a product of f32 is one pass of the matrix unit over bf16.
//
//     %0 = tanh %x                  bf16: only products read it, or what hands on its elements to products
//     %1 = all_gather %0            bf16
//     %2 = dot_general %1, %w
//
// So is what a loop stacks up for another that hands it to products: initial value, argument, next value and result are
// one buffer of one type. By value; the arguments of @main are as the caller has them.
const uint8_t *find_bf16_storage(const Module *m, const ProgramOrder *written, Arena *a);

// Gather CSE: two gathers of one value that lie close to each other become one, whose result is kept.
//
//     %0 = all_gather %w     for the forward pass
//     …
//     %1 = all_gather %w     for the backward pass: the same, unless more than some ops in a row lie between
//
// By op: the earlier gather that stands for it, or NO_ID. The distance is that of their longest paths to the end of the
// region, from the first gather's last reader to the second.
const OpId *find_gather_cse(const Module *m, const ProgramOrder *written, const ExpressionTrees *trees,
                            uint32_t distance, Arena *a);

// Loop-invariant code motion: what is the same in each turn of a loop, so that it can be computed before.
//
//     %r:2 = while (%i = %0, %w = %x) … do {
//       %1 = convert %w             1: %w is never changed
//       %2 = dynamic_slice %1, %i   0
//     }
//
// By value: of the loops around it, from the innermost, the number in which it is the same in each turn. With `keeps_gathers_in_loops`
// what is gathered is none of these. NULL if there are no loops.
uint8_t *find_loop_invariants(const Module *m, const ProgramOrder *written, bool keeps_gathers_in_loops, Arena *a);

#endif
