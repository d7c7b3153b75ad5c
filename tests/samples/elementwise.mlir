// Every elementwise op, with the types and extra attributes that change how it is written.
module @elementwise {
  func.func @unary(%x: tensor<4x3xf32>, %i: tensor<5xi32>, %z: tensor<2xcomplex<f32>>, %p: tensor<i1>) {
    %0 = stablehlo.abs %x : tensor<4x3xf32>
    %1 = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %2 = stablehlo.cbrt %x : tensor<4x3xf32>
    %3 = stablehlo.ceil %x : tensor<4x3xf32>
    %4 = stablehlo.convert %i : (tensor<5xi32>) -> tensor<5xf64>
    %5 = stablehlo.cosine %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4x3xf32>
    %6 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4x3xf32>
    %7 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 0.5, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x3xf32>
    %8 = stablehlo.exponential_minus_one %x : tensor<4x3xf32>
    %9 = stablehlo.count_leading_zeros %i : tensor<5xi32>
    %10 = stablehlo.floor %x : tensor<4x3xf32>
    %11 = stablehlo.imag %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %12 = stablehlo.is_finite %x : (tensor<4x3xf32>) -> tensor<4x3xi1>
    %13 = stablehlo.log %x : tensor<4x3xf32>
    %14 = stablehlo.log_plus_one %x : tensor<4x3xf32>
    %15 = stablehlo.logistic %x : tensor<4x3xf32>
    %16 = stablehlo.negate %x {mhlo.frontend_attributes = {a = "b"}} : tensor<4x3xf32>
    %17 = stablehlo.not %p : tensor<i1>
    %18 = stablehlo.popcnt %i : tensor<5xi32>
    %19 = stablehlo.real %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %20 = stablehlo.round_nearest_afz %x : tensor<4x3xf32>
    %21 = stablehlo.round_nearest_even %x : tensor<4x3xf32>
    %22 = stablehlo.rsqrt %x : tensor<4x3xf32>
    %23 = stablehlo.sign %x : tensor<4x3xf32>
    %24 = stablehlo.sine %x : tensor<4x3xf32>
    %25 = stablehlo.sqrt %x : tensor<4x3xf32>
    %26 = stablehlo.tan %x : tensor<4x3xf32>
    %27 = stablehlo.tanh %x : tensor<4x3xf32>
    %28 = stablehlo.reduce_precision %x, format = e5m10 : tensor<4x3xf32>
    %29 = stablehlo.bitcast_convert %x : (tensor<4x3xf32>) -> tensor<4x3xui32>
    return
  }
  func.func @binary(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>, %i: tensor<5xi32>, %j: tensor<5xi32>, %p: tensor<i1>, %q: tensor<i1>) -> tensor<4x3xf32> {
    %0 = stablehlo.add %x, %y : tensor<4x3xf32>
    %1 = stablehlo.and %p, %q : tensor<i1>
    %2 = stablehlo.atan2 %x, %y : tensor<4x3xf32>
    %3 = stablehlo.complex %x, %y : tensor<4x3xcomplex<f32>>
    %4 = stablehlo.divide %x, %y : tensor<4x3xf32>
    %5 = stablehlo.maximum %x, %y : tensor<4x3xf32>
    %6 = stablehlo.minimum %x, %y : tensor<4x3xf32>
    %7 = stablehlo.multiply %x, %y {foo, mhlo.sharding = "{devices=[2,1]0,1}"} : tensor<4x3xf32>
    %8 = stablehlo.or %i, %j : tensor<5xi32>
    %9 = stablehlo.power %x, %y : tensor<4x3xf32>
    %10 = stablehlo.remainder %i, %j : tensor<5xi32>
    %11 = stablehlo.shift_left %i, %j : tensor<5xi32>
    %12 = stablehlo.shift_right_arithmetic %i, %j : tensor<5xi32>
    %13 = stablehlo.shift_right_logical %i, %j : tensor<5xi32>
    %14 = stablehlo.subtract %x, %y : tensor<4x3xf32>
    %15 = stablehlo.xor %p, %q : tensor<i1>
    %16 = stablehlo.compare EQ, %x, %y : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
    %17 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %18 = stablehlo.compare NE, %x, %y, TOTALORDER {a.b = 1 : i8} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
    return %0 : tensor<4x3xf32>
  }
  func.func @ternary(%p: tensor<i1>, %m: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %s: tensor<f32>, %d: tensor<?xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
    %0 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.clamp %x, %y, %x : tensor<4xf32>
    %2 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<4xf32>
    %3 = stablehlo.select %m, %x, %y : tensor<4xi1>, tensor<4xf32>
    %4 = stablehlo.select %m, %d, %y : (tensor<4xi1>, tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
    %5 = stablehlo.add %d, %x : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
    return %0, %5 : tensor<4xf32>, tensor<?xf32>
  }
}
