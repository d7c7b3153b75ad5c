// The pretty forms that the op table names, one function each.
#ifndef PARTIR_STABLEHLO_PRINT_PRINT_FORMS_H
#define PARTIR_STABLEHLO_PRINT_PRINT_FORMS_H

#include "stablehlo/print/print_state.h"

PrintForm print_form_broadcast, print_form_call, print_form_chlo, print_form_chlo_constant, print_form_cholesky,
    print_form_compare, print_form_complex, print_form_composite, print_form_constant, print_form_convolution,
    print_form_custom_call, print_form_dim, print_form_dims, print_form_dot, print_form_dot_general,
    print_form_dynamic_slice, print_form_einsum, print_form_fft, print_form_func, print_form_functional,
    print_form_loop, print_form_loop_slice, print_form_manual_computation, print_form_pad,
    print_form_propagation_barrier, print_form_reduce, print_form_reduce_precision, print_form_return, print_form_rng,
    print_form_rng_bit_generator, print_form_same, print_form_scan, print_form_sdy_mesh, print_form_select,
    print_form_sharding_constraint, print_form_sharding_group, print_form_slice, print_form_token, print_form_top_k,
    print_form_tuple, print_form_tuple_element, print_form_types, print_form_while;

#endif
