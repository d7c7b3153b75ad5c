// Every pretty form and its generic form are the same op: reading the one and printing the other gives, to the byte,
// what MLIR prints.
#include "stablehlo/print/printer.h"
#include "stablehlo/read/reader.h"
#include "test.h"

// Arguments of a function; its body in pretty form; its body in generic form. Both as jaxlib prints them.
static const struct {
    const char *arguments, *pretty, *generic;
} rows[] = {
    {"%arg0: tensor<4x8xf32>", "    %0 = stablehlo.add %arg0, %arg0 : tensor<4x8xf32>\n",
     "    %0 = \"stablehlo.add\"(%arg0, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>\n"},
    {"%arg0: tensor<4x8xf32>",
     "    %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x8xf32>\n",
     "    %0 = \"stablehlo.exponential\"(%arg0) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"},
    {"%arg0: tensor<?x8xf32>, %arg1: tensor<4x8xf32>",
     "    %0 = stablehlo.add %arg0, %arg1 : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>\n",
     "    %0 = \"stablehlo.add\"(%arg0, %arg1) : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>\n"},
    {"%arg0: tensor<f32>, %arg1: tensor<4xf32>",
     "    %0 = stablehlo.clamp %arg0, %arg1, %arg0 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n",
     "    %0 = \"stablehlo.clamp\"(%arg0, %arg1, %arg0) : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>", "    %0 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xbf16>\n",
     "    %0 = \"stablehlo.convert\"(%arg0) : (tensor<4xf32>) -> tensor<4xbf16>\n"},
    {"%arg0: tensor<4xf32>", "    %0 = stablehlo.convert %arg0 : tensor<4xf32>\n",
     "    %0 = \"stablehlo.convert\"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>", "    %0 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<4xi1>\n",
     "    %0 = \"stablehlo.is_finite\"(%arg0) : (tensor<4xf32>) -> tensor<4xi1>\n"},
    {"%arg0: tensor<4xf32>", "    %0 = stablehlo.reshape %arg0 : (tensor<4xf32>) -> tensor<2x2xf32>\n",
     "    %0 = \"stablehlo.reshape\"(%arg0) : (tensor<4xf32>) -> tensor<2x2xf32>\n"},
    {"%arg0: tensor<4xf32>, %arg1: tensor<4xf32>", "    %0 = stablehlo.complex %arg0, %arg1 : tensor<4xcomplex<f32>>\n",
     "    %0 = \"stablehlo.complex\"(%arg0, %arg1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>\n"},
    {"%arg0: tensor<4xcomplex<f32>>", "    %0 = stablehlo.real %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>\n",
     "    %0 = \"stablehlo.real\"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>, %arg1: tensor<4xf32>",
     "    %0 = stablehlo.compare LT, %arg0, %arg1, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>\n",
     "    %0 = \"stablehlo.compare\"(%arg0, %arg1) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>\n"},
    {"%arg0: tensor<4xi32>",
     "    %0 = stablehlo.compare EQ, %arg0, %arg0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>\n",
     "    %0 = \"stablehlo.compare\"(%arg0, %arg0) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>\n"},
    {"%arg0: tensor<4xi1>, %arg1: tensor<4xf32>",
     "    %0 = stablehlo.select %arg0, %arg1, %arg1 : tensor<4xi1>, tensor<4xf32>\n",
     "    %0 = \"stablehlo.select\"(%arg0, %arg1, %arg1) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<f32>", "    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>\n",
     "    %0 = \"stablehlo.broadcast_in_dim\"(%arg0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8xf32>\n"},
    {"%arg0: tensor<8xf32>, %arg1: tensor<2xi32>",
     "    %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] : (tensor<8xf32>, tensor<2xi32>) -> tensor<?x8xf32>\n",
     "    %0 = \"stablehlo.dynamic_broadcast_in_dim\"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<8xf32>, tensor<2xi32>) -> tensor<?x8xf32>\n"},
    {"%arg0: tensor<8xf32>",
     "    %0 = stablehlo.broadcast %arg0, sizes = [2, 3] : (tensor<8xf32>) -> tensor<2x3x8xf32>\n",
     "    %0 = \"stablehlo.broadcast\"(%arg0) <{broadcast_sizes = array<i64: 2, 3>}> : (tensor<8xf32>) -> tensor<2x3x8xf32>\n"},
    {"%arg0: tensor<4x8xf32>",
     "    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>\n",
     "    %0 = \"stablehlo.transpose\"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>\n"},
    {"%arg0: tensor<4x8xf32>", "    %0 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<4x8xf32>\n",
     "    %0 = \"stablehlo.reverse\"(%arg0) <{dimensions = array<i64: 0, 1>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"},
    {"%arg0: tensor<4x8xf32>",
     "    %0 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>\n",
     "    %0 = \"stablehlo.concatenate\"(%arg0, %arg0) <{dimension = 1 : i64}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>\n"},
    {"", "    %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>\n",
     "    %0 = \"stablehlo.iota\"() <{iota_dimension = 1 : i64}> : () -> tensor<4x8xi32>\n"},
    {"%arg0: tensor<2xi32>", "    %0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>\n",
     "    %0 = \"stablehlo.dynamic_iota\"(%arg0) <{iota_dimension = 0 : i64}> : (tensor<2xi32>) -> tensor<?x?xi32>\n"},
    {"%arg0: tensor<?x8xf32>",
     "    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>\n",
     "    %0 = \"stablehlo.get_dimension_size\"(%arg0) <{dimension = 0 : i64}> : (tensor<?x8xf32>) -> tensor<i32>\n"},
    {"%arg0: tensor<4x8xf32>, %arg1: tensor<i32>",
     "    %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>\n",
     "    %0 = \"stablehlo.set_dimension_size\"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>\n"},
    {"%arg0: tensor<4x8xf32>", "    %0 = stablehlo.slice %arg0 [0:4:2, 1:3] : (tensor<4x8xf32>) -> tensor<2x2xf32>\n",
     "    %0 = \"stablehlo.slice\"(%arg0) <{limit_indices = array<i64: 4, 3>, start_indices = array<i64: 0, 1>, strides = array<i64: 2, 1>}> : (tensor<4x8xf32>) -> tensor<2x2xf32>\n"},
    {"%arg0: tensor<4x8xf32>, %arg1: tensor<i32>",
     "    %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>\n",
     "    %0 = \"stablehlo.dynamic_slice\"(%arg0, %arg1, %arg1) <{slice_sizes = array<i64: 2, 2>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>\n"},
    {"%arg0: tensor<4x8xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<i32>",
     "    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<4x8xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>\n",
     "    %0 = \"stablehlo.dynamic_update_slice\"(%arg0, %arg1, %arg2, %arg2) : (tensor<4x8xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>\n"},
    {"%arg0: tensor<4xf32>, %arg1: tensor<f32>",
     "    %0 = stablehlo.pad %arg0, %arg1, low = [1], high = [-1], interior = [2] : (tensor<4xf32>, tensor<f32>) -> tensor<10xf32>\n",
     "    %0 = \"stablehlo.pad\"(%arg0, %arg1) <{edge_padding_high = array<i64: -1>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 2>}> : (tensor<4xf32>, tensor<f32>) -> tensor<10xf32>\n"},
    {"%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8x3xf32>",
     "    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>\n",
     "    %0 = \"stablehlo.dot_general\"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]}> : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>\n"},
    {"%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>",
     "    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>\n", "    %0 = \"stablehlo.dot_general\"(%arg0, %arg1) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>\n"},
    {"%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>",
     "    %0 = stablehlo.dot %arg0, %arg1, precision = [HIGH, HIGH] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>\n",
     "    %0 = \"stablehlo.dot\"(%arg0, %arg1) <{precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}> : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>\n"},
    {"%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>",
     "    %0 = stablehlo.einsum %arg0, %arg1, config = \"ij,jk->ik\" : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>\n",
     "    %0 = \"stablehlo.einsum\"(%arg0, %arg1) <{einsum_config = \"ij,jk->ik\"}> : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>\n"},
    {"%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<3x3x3x6xf32>",
     "    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x6xf32>) -> tensor<1x4x4x6xf32>\n", "    %0 = \"stablehlo.convolution\"(%arg0, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, window_strides = array<i64: 2, 2>}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x6xf32>) -> tensor<1x4x4x6xf32>\n"},
    {"%arg0: tensor<4x4xf32>", "    %0 = stablehlo.cholesky %arg0, lower = true : tensor<4x4xf32>\n",
     "    %0 = \"stablehlo.cholesky\"(%arg0) <{lower = true}> : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"},
    {"%arg0: tensor<8xcomplex<f32>>",
     "    %0 = stablehlo.fft %arg0, type = IFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>\n",
     "    %0 = \"stablehlo.fft\"(%arg0) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type IFFT>}> : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>\n"},
    {"%arg0: tensor<f32>, %arg1: tensor<1xi64>",
     "    %0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>\n",
     "    %0 = \"stablehlo.rng\"(%arg0, %arg0, %arg1) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<2xui64>",
     "    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)\n",
     "    %0:2 = \"stablehlo.rng_bit_generator\"(%arg0) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)\n"},
    {"%arg0: tensor<4xf32>", "    %0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<4xf32>\n",
     "    %0 = \"stablehlo.reduce_precision\"(%arg0) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>, %arg1: !stablehlo.token",
     "    %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<4xf32>, !stablehlo.token>\n",
     "    %0 = \"stablehlo.tuple\"(%arg0, %arg1) : (tensor<4xf32>, !stablehlo.token) -> tuple<tensor<4xf32>, !stablehlo.token>\n"},
    {"%arg0: tuple<tensor<4xf32>, tensor<2xi32>>",
     "    %0 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<4xf32>, tensor<2xi32>>) -> tensor<2xi32>\n",
     "    %0 = \"stablehlo.get_tuple_element\"(%arg0) <{index = 1 : i32}> : (tuple<tensor<4xf32>, tensor<2xi32>>) -> tensor<2xi32>\n"},
    {"%arg0: !stablehlo.token", "    %0 = stablehlo.after_all %arg0, %arg0 : !stablehlo.token\n",
     "    %0 = \"stablehlo.after_all\"(%arg0, %arg0) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token\n"},
    {"", "    %0 = stablehlo.create_token : !stablehlo.token\n",
     "    %0 = \"stablehlo.create_token\"() : () -> !stablehlo.token\n"},
    {"%arg0: tensor<4xf32>, %arg1: tensor<2xi32>",
     "    %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<4xf32>, tensor<2xi32>\n",
     "    %0:2 = \"stablehlo.optimization_barrier\"(%arg0, %arg1) : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)\n"},
    {"", "    %0 = stablehlo.partition_id : tensor<ui32>\n",
     "    %0 = \"stablehlo.partition_id\"() : () -> tensor<ui32>\n"},
    {"",
     "    %cst = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>\n",
     "    %0 = \"stablehlo.constant\"() <{value = dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>\n"},
    {"", "    %c = stablehlo.constant {mhlo.note = \"x\"} dense<7> : tensor<3xi8>\n",
     "    %0 = \"stablehlo.constant\"() <{value = dense<7> : tensor<3xi8>}> {mhlo.note = \"x\"} : () -> tensor<3xi8>\n"},
    {"%arg0: tensor<4xf32>",
     "    %0 = stablehlo.custom_call @\"my kernel\"(%arg0) {api_version = 2 : i32, backend_config = \"opts\", called_computations = [@g], operand_layouts = [dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>\n",
     "    %0 = \"stablehlo.custom_call\"(%arg0) <{api_version = 2 : i32, backend_config = \"opts\", call_target_name = \"my kernel\", called_computations = [@g], operand_layouts = [dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>]}> : (tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>",
     "    %0 = stablehlo.composite \"my.op\" %arg0 {composite_attributes = {k = 3 : i64}, decomposition = @g, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>\n",
     "    %0 = \"stablehlo.composite\"(%arg0) <{composite_attributes = {k = 3 : i64}, decomposition = @g, name = \"my.op\", version = 1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>", "    %0 = call @g(%arg0) : (tensor<4xf32>) -> tensor<4xf32>\n",
     "    %0 = \"func.call\"(%arg0) <{callee = @g}> : (tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4x8xf32>, %arg1: tensor<f32>",
     "    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>\n",
     "    %0 = \"stablehlo.reduce\"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({\n"
     "    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):\n"
     "      %1 = \"stablehlo.add\"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
     "      \"stablehlo.return\"(%1) : (tensor<f32>) -> ()\n"
     "    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>\n"},
    {"%arg0: tensor<4x8xf32>, %arg1: tensor<f32>, %arg2: tensor<4x8xi32>, %arg3: tensor<i32>",
     "    %0:2 = stablehlo.reduce(%arg0 init: %arg1), (%arg2 init: %arg3) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)\n"
     "     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {\n"
     "      stablehlo.return %arg4, %arg7 : tensor<f32>, tensor<i32>\n"
     "    }\n",
     "    %0:2 = \"stablehlo.reduce\"(%arg0, %arg2, %arg1, %arg3) <{dimensions = array<i64: 1>}> ({\n"
     "    ^bb0(%arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: tensor<f32>, %arg7: tensor<i32>):\n"
     "      \"stablehlo.return\"(%arg4, %arg7) : (tensor<f32>, tensor<i32>) -> ()\n"
     "    }) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)\n"},
    {"%arg0: tensor<i32>, %arg1: tensor<4xf32>",
     "    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32> attributes {mhlo.unroll = 2 : i64}\n"
     "    cond {\n"
     "      %1 = stablehlo.compare LT, %iterArg, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "      stablehlo.return %1 : tensor<i1>\n"
     "    } do {\n"
     "      stablehlo.return %iterArg, %iterArg_0 : tensor<i32>, tensor<4xf32>\n"
     "    }\n",
     "    %0:2 = \"stablehlo.while\"(%arg0, %arg1) ({\n"
     "    ^bb0(%arg4: tensor<i32>, %arg5: tensor<4xf32>):\n"
     "      %1 = \"stablehlo.compare\"(%arg4, %arg0) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "      \"stablehlo.return\"(%1) : (tensor<i1>) -> ()\n"
     "    }, {\n"
     "    ^bb0(%arg2: tensor<i32>, %arg3: tensor<4xf32>):\n"
     "      \"stablehlo.return\"(%arg2, %arg3) : (tensor<i32>, tensor<4xf32>) -> ()\n"
     "    }) {mhlo.unroll = 2 : i64} : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)\n"},
    {"%arg0: tensor<4xf32>", "    %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>\n",
     "    %0 = \"chlo.erf\"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>", "    %0 = chlo.next_after %arg0, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>\n",
     "    %0 = \"chlo.next_after\"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>, %arg1: tensor<f32>",
     "    %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n",
     "    %0 = \"chlo.broadcast_add\"(%arg0, %arg1) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4x8xf32>",
     "    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)\n",
     "    %0:2 = \"chlo.top_k\"(%arg0) <{k = 2 : i64}> : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)\n"},
    {"%arg0: tensor<2xi32>, %arg1: tensor<i32>",
     "    %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  attributes {is_reverse = true} {\n"
     "    ^bb0(%input: tensor<i32>, %carry: tensor<i32>):\n"
     "      %1 = stablehlo.add %input, %carry : tensor<i32>\n"
     "      stablehlo.return %1, %1 : tensor<i32>, tensor<i32>\n"
     "    } : (tensor<2xi32>, tensor<i32>) -> (tensor<2xi32>, tensor<i32>)\n",
     "    %0:2 = \"chlo.scan\"(%arg0, %arg1) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({\n"
     "    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):\n"
     "      %1 = \"stablehlo.add\"(%arg2, %arg3) : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
     "      \"stablehlo.return\"(%1, %1) : (tensor<i32>, tensor<i32>) -> ()\n"
     "    }) : (tensor<2xi32>, tensor<i32>) -> (tensor<2xi32>, tensor<i32>)\n"},
    {"%arg0: tensor<4xf32>", "    %0 = sdy.sharding_constraint %arg0 <@mesh, [{\"x\", ?}]> : tensor<4xf32>\n",
     "    %0 = \"sdy.sharding_constraint\"(%arg0) <{sharding = #sdy.sharding<@mesh, [{\"x\", ?}]>}> : (tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>", "    sdy.sharding_group %arg0 group_id=3 : tensor<4xf32>\n",
     "    \"sdy.sharding_group\"(%arg0) <{group_id = 3 : i64}> : (tensor<4xf32>) -> ()\n"},
    {"%arg0: tensor<4xf32>", "    %0 = sdy.propagation_barrier %arg0 allowed_direction=BACKWARD : tensor<4xf32>\n",
     "    %0 = \"sdy.propagation_barrier\"(%arg0) <{allowed_direction = 2 : i32}> : (tensor<4xf32>) -> tensor<4xf32>\n"},
    {"%arg0: tensor<4xf32>",
     "    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{\"x\"}]>] out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%arg1: tensor<2xf32>) {\n"
     "      sdy.return %arg1 : tensor<2xf32>\n"
     "    } : (tensor<4xf32>) -> tensor<4xf32>\n",
     "    %0 = \"sdy.manual_computation\"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>, manual_axes = #sdy<manual_axes{\"x\"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>}> ({\n"
     "    ^bb0(%arg1: tensor<2xf32>):\n"
     "      \"sdy.return\"(%arg1) : (tensor<2xf32>) -> ()\n"
     "    }) : (tensor<4xf32>) -> tensor<4xf32>\n"},
};

static void show(void *user, const partir_diagnostic *d) {
    (void)user;
    printf("%u:%u: %s\n    %s\n", d->line, d->column, d->message, d->source_line ? d->source_line : "");
}

// Does a function with this body, printed in the other form, hold that text?
static bool prints_as(const char *arguments, const char *body, unsigned flags, const char *expected) {
    char text[8192];
    snprintf(text, sizeof text,
             "sdy.mesh @mesh = <[\"x\"=2]>\n"
             "func.func @f(%s) {\n%s    return\n}\n"
             "func.func private @g(tensor<4xf32>) -> tensor<4xf32>\n",
             arguments, body);
    Context *ctx;
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = show}, &ctx);
    Module *volatile m = NULL;
    volatile bool same = false;
    Guard g;
    if (GUARD(ctx, &g)) {
        m = module_new(ctx);
        source_from_memory(&m->source, "row", text, strlen(text));
        if (read_module(m)) {
            Buffer out;
            buf_init(&out, &m->arena);
            print_module(m, flags, &out);
            same = strstr(buf_cstr(&out), expected) != NULL;
            if (!same) printf("expected\n%sin\n%s\n", expected, buf_cstr(&out));
        }
        guard_close(ctx, &g);
    }
    module_free(m);
    partir_context_destroy(ctx);
    return same;
}

static void pretty_is_generic(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(prints_as(rows[i].arguments, rows[i].pretty, PARTIR_PRINT_GENERIC, rows[i].generic));
}

static void generic_is_pretty(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(prints_as(rows[i].arguments, rows[i].generic, PARTIR_PRINT_PRETTY, rows[i].pretty));
}

int main(void) {
    RUN(pretty_is_generic);
    RUN(generic_is_pretty);
    return test_end();
}
