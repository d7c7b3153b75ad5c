// A dynamic slice of a scalar: MLIR itself cannot read what it writes for it, so this is not printed as it prints it.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.dynamic_slice %x, sizes = [] : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
