// Kernels: kernel_X computes the ops whose row in the op table says X. Each file holds a family.
#ifndef PARTIR_INTERP_KERNEL_H
#define PARTIR_INTERP_KERNEL_H

#include "interp/exec.h"

KernelFn kernel_of(OpKind kind);
bool kernel_is_lockstep(OpKind kind); // runs once for all active devices: control flow and collectives
bool kernel_is_pure(OpKind kind);     // the result depends on the operands alone, not on the device or on hidden state

// kernel_elementwise.c
bool kernel_unary(Exec *e, OpId op);
bool kernel_binary(Exec *e, OpId op);
bool kernel_broadcasting(Exec *e, OpId op);
bool kernel_compare(Exec *e, OpId op);
bool kernel_complex(Exec *e, OpId op);
bool kernel_convert(Exec *e, OpId op);
bool kernel_select(Exec *e, OpId op);
bool kernel_clamp(Exec *e, OpId op);
bool kernel_reduce_precision(Exec *e, OpId op);
bool kernel_constant_like(Exec *e, OpId op);
bool kernel_bitcast_convert(Exec *e, OpId op);

// kernel_movement.c
bool kernel_constant(Exec *e, OpId op);
bool kernel_iota(Exec *e, OpId op);
bool kernel_identity(Exec *e, OpId op);
bool kernel_reshape(Exec *e, OpId op);
bool kernel_broadcast(Exec *e, OpId op);
bool kernel_broadcast_in_dim(Exec *e, OpId op);
bool kernel_dynamic_broadcast_in_dim(Exec *e, OpId op);
bool kernel_transpose(Exec *e, OpId op);
bool kernel_reverse(Exec *e, OpId op);
bool kernel_concatenate(Exec *e, OpId op);
bool kernel_pad(Exec *e, OpId op);
bool kernel_slice(Exec *e, OpId op);
bool kernel_dynamic_slice(Exec *e, OpId op);
bool kernel_dynamic_update_slice(Exec *e, OpId op);
bool kernel_get_dimension_size(Exec *e, OpId op);
bool kernel_set_dimension_size(Exec *e, OpId op);

// kernel_gather.c, kernel_scatter.c
bool kernel_gather(Exec *e, OpId op);
bool kernel_torch_index_select(Exec *e, OpId op);
bool kernel_scatter(Exec *e, OpId op);

// kernel_dot.c, kernel_convolution.c
bool kernel_dot_general(Exec *e, OpId op);
bool kernel_einsum(Exec *e, OpId op);
bool kernel_ragged_dot(Exec *e, OpId op);
bool kernel_convolution(Exec *e, OpId op);

// kernel_reduce.c, kernel_window.c, kernel_sort.c
bool kernel_reduce(Exec *e, OpId op);
bool kernel_map(Exec *e, OpId op);
bool kernel_scan(Exec *e, OpId op);
bool kernel_reduce_window(Exec *e, OpId op);
bool kernel_select_and_scatter(Exec *e, OpId op);
bool kernel_sort(Exec *e, OpId op);
bool kernel_top_k(Exec *e, OpId op);

// kernel_batch_norm.c, kernel_fft.c, kernel_linalg.c, kernel_rng.c
bool kernel_batch_norm(Exec *e, OpId op);
bool kernel_fft(Exec *e, OpId op);
bool kernel_cholesky(Exec *e, OpId op);
bool kernel_triangular_solve(Exec *e, OpId op);
bool kernel_rng(Exec *e, OpId op);
bool kernel_rng_bit_generator(Exec *e, OpId op);

// kernel_control.c
bool kernel_while(Exec *e, OpId op);
bool kernel_if(Exec *e, OpId op);
bool kernel_case(Exec *e, OpId op);
bool kernel_call(Exec *e, OpId op);
bool kernel_func(Exec *e, OpId op);
bool kernel_return(Exec *e, OpId op);
bool kernel_async(Exec *e, OpId op);
bool kernel_optimization_barrier(Exec *e, OpId op);
bool kernel_token(Exec *e, OpId op);
bool kernel_tuple(Exec *e, OpId op);
bool kernel_tuple_element(Exec *e, OpId op);
bool kernel_refuse(Exec *e, OpId op);

// kernel_collective.c, kernel_partir.c
bool kernel_all_gather(Exec *e, OpId op);
bool kernel_all_reduce(Exec *e, OpId op);
bool kernel_reduce_scatter(Exec *e, OpId op);
bool kernel_all_to_all(Exec *e, OpId op);
bool kernel_collective_permute(Exec *e, OpId op);
bool kernel_collective_broadcast(Exec *e, OpId op);
bool kernel_collective_reduce(Exec *e, OpId op);
bool kernel_device_id(Exec *e, OpId op);
bool kernel_partir_collective(Exec *e, OpId op);
bool kernel_partir_axis_index(Exec *e, OpId op);

// kernel_loop.c
bool kernel_loop(Exec *e, OpId op);
bool kernel_loop_slice(Exec *e, OpId op);

// kernel_custom_call.c, call_check.c
bool kernel_check(Exec *e, OpId op);
bool kernel_custom_call(Exec *e, OpId op);

#endif
