// Custom calls with all their attributes, and random numbers.
func.func @main(%x: tensor<4x4xf32>, %k: tensor<2xui64>, %s: tensor<2xi64>, %lo: tensor<f32>) -> tensor<4x4xf32> {
  stablehlo.custom_call @effect() {has_side_effect = true} : () -> ()
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.custom_call @old(%x) {api_version = 1 : i32, backend_config = "", has_side_effect = false} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2:2 = stablehlo.custom_call @typed(%x, %0) {api_version = 4 : i32, backend_config = {alpha = 1.000000e+00 : f32, n = 3 : i64, s = "t\09\22q\22\\ \C3\A9\00"}, called_computations = [@helper], operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %3 = stablehlo.custom_call @tpu.kernel(%x) {api_version = 2 : i32, backend_config = "{\22a\22: 1}", called_computations = [], mhlo.frontend_attributes = {kind = "k", "odd key" = "v"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.rng %lo, %lo, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x4xf32>
  %5 = stablehlo.rng %lo, %lo, %s, distribution = NORMAL {mhlo.a = 1 : i32} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x4xf32>
  %6:2 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x4xui32>)
  %7:2 = stablehlo.rng_bit_generator %6#0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x4xui32>)
  %8 = stablehlo.xor %6#1, %7#1 : tensor<4x4xui32>
  return %2#1 : tensor<4x4xf32>
}
func.func private @helper(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func @checks(%x: tensor<2xf32>, %i: tensor<2xi32>) {
  "check.expect_eq"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> ()
  "check.expect_eq_const"(%i) <{value = dense<[1, 2]> : tensor<2xi32>}> : (tensor<2xi32>) -> ()
  "check.expect_almost_eq"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> ()
  "check.expect_almost_eq_const"(%x) <{tolerance = 1.000000e-03 : f64, value = dense<1.000000e+00> : tensor<2xf32>}> : (tensor<2xf32>) -> ()
  return
}
