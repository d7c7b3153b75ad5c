module @m attributes {mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true}, %arg1: tensor<i32>) -> (tensor<4xf32> {jax.result_info = "r"}, tensor<i32>) {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<4xf32>, tensor<i32>
     cond {
      %1 = stablehlo.compare LT, %iterArg_0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @f(%iterArg) : (tensor<4xf32>) -> tensor<4xf32>
      %2 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<i32>
      stablehlo.return %1, %2 : tensor<4xf32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<4xf32>, tensor<i32>
  }
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<[1.0, -2.5e+3, 0x7F800000, 4.0]> : tensor<4xf32>
    %0 = stablehlo.multiply %arg0, %cst : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
