// The ops of the client dialect.
func.func @unary(%x: tensor<4xf32>, %z: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = chlo.acos %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.acosh %x : tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.asin %x : tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.asinh %x : tensor<4xf32> -> tensor<4xf32>
  %4 = chlo.atan %x : tensor<4xf32> -> tensor<4xf32>
  %5 = chlo.atanh %x : tensor<4xf32> -> tensor<4xf32>
  %6 = chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
  %7 = chlo.cosh %x : tensor<4xf32> -> tensor<4xf32>
  %8 = chlo.digamma %x : tensor<4xf32> -> tensor<4xf32>
  %9 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  %10 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  %11 = chlo.erfc %x {mhlo.a = 1 : i32} : tensor<4xf32> -> tensor<4xf32>
  %12 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  %13 = chlo.sinh %x : tensor<4xf32> -> tensor<4xf32>
  %14 = chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
  %15 = chlo.conj %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %16 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  %17 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  %18 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  %19 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  %20 = chlo._asin_acos_kernel %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %21 = chlo.constant dense<1.000000e+00> : tensor<4xf32>
  %22 = chlo.constant dense<3> : tensor<i32>
  %23 = "chlo.constant_like"(%x) <{value = 2.000000e+00 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @binary(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %p: tensor<4xi1>) -> tensor<4xf32> {
  %0 = chlo.next_after %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.polygamma %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.zeta %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.broadcast_add %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = chlo.broadcast_and %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %5 = chlo.broadcast_atan2 %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = chlo.broadcast_divide %x, %s {broadcast_dimensions = array<i64>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = chlo.broadcast_maximum %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %8 = chlo.broadcast_minimum %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %9 = chlo.broadcast_multiply %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %10 = chlo.broadcast_next_after %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %11 = chlo.broadcast_or %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %12 = chlo.broadcast_polygamma %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %13 = chlo.broadcast_power %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %14 = chlo.broadcast_remainder %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %15 = chlo.broadcast_shift_left %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %16 = chlo.broadcast_shift_right_arithmetic %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %17 = chlo.broadcast_shift_right_logical %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %18 = chlo.broadcast_subtract %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %19 = chlo.broadcast_xor %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %20 = chlo.broadcast_zeta %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %21 = chlo.broadcast_compare %x, %s {comparison_direction = #chlo<comparison_direction LT>, compare_type = #chlo<comparison_type FLOAT>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %22 = chlo.broadcast_complex %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xcomplex<f32>>
  %23 = chlo.broadcast_select %p, %x, %s : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %24, %25 = chlo.top_k(%x, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %26, %27 = chlo.top_k(%24, k = 1) {mhlo.a} : tensor<2xf32> -> (tensor<1xf32>, tensor<1xi32>)
  %28 = chlo.mulhi %i, %i : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return %0 : tensor<4xf32>
}
func.func @ragged(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi32>) -> tensor<11x7xf32> {
  %0 = "chlo.ragged_dot"(%l, %r, %g) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}
