// Contractions, convolutions, decompositions and transforms.
func.func @dots(%a: tensor<2x4x3xf32>, %b: tensor<2x3x5xf32>, %m: tensor<4x3xf32>, %n: tensor<3x5xf32>, %s: tensor<f32>) -> tensor<2x4x5xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x3xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
  %1 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], precision = [HIGHEST, HIGH] {mhlo.x = "y"} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %3 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %4 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %5 = stablehlo.dot_general %s, %m, contracting_dims = [] x [] : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %6 = stablehlo.dot %m, %n : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %7 = stablehlo.dot %m, %n, precision = [HIGH, DEFAULT] : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %8 = stablehlo.einsum %m, %n, config = "ab,bc->ac" : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %9 = stablehlo.unary_einsum %m, config = "ab->a" : (tensor<4x3xf32>) -> tensor<4xf32>
  return %0 : tensor<2x4x5xf32>
}
func.func @convolutions(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x2x6xf32>, %y: tensor<2x3x9xf32>, %w: tensor<12x1x3xf32>, %p: tensor<2x2xi64>, %z: tensor<2x3xf32>, %v: tensor<3x5xf32>) -> tensor<1x4x8x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x4x8x6xf32>
  %1 = stablehlo.convolution(%y, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x3x9xf32>, tensor<12x1x3xf32>) -> tensor<2x12x7xf32>
  %2 = stablehlo.convolution(%y, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[2, -1]], rhs_dilate = [2], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x3x9xf32>, tensor<12x1x3xf32>) -> tensor<2x12x6xf32>
  %3 = "stablehlo.dynamic_conv"(%x, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, window_strides = array<i64: 1, 1>}> : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<1x?x?x6xf32>
  %4 = stablehlo.convolution(%z, %v) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<1x4x8x6xf32>
}
func.func @matrices(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<4x8xcomplex<f32>>, %r: tensor<4x8xf32>) -> tensor<3x3xf32> {
  %0 = stablehlo.cholesky %a : tensor<3x3xf32>
  %1 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  %2 = stablehlo.cholesky %a, lower = false : tensor<3x3xf32>
  %3 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = stablehlo.fft %c, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  %5 = stablehlo.fft %r, type = RFFT, length = [4, 8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  return %0 : tensor<3x3xf32>
}
