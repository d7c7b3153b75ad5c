func.func @main(%arg0: tensor<?x4xf8E4M3FN, #stablehlo.bounds<8, ?>>, %arg1: !stablehlo.token, %arg2: tuple<tensor<i4>, tensor<complex<f64>>>, %arg3: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2xi16>, !stablehlo.token) {
  %c = stablehlo.constant dense<"0x01000200"> : tensor<2xi16>
  %0 = stablehlo.get_tuple_element %arg2[0] : (tuple<tensor<i4>, tensor<complex<f64>>>) -> tensor<i4>
  %1 = "stablehlo.gather"(%c, %c) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<2xi16>, tensor<2xi16>) -> tensor<2xi16>
  %2 = stablehlo.after_all %arg1 : !stablehlo.token
  %3 = stablehlo.custom_call @foo(%c) {backend_config = "\22\0A", mhlo.x = dense_resource<blob> : tensor<1xi8>} : (tensor<2xi16>) -> tensor<2xi16>
  return %1, %2 : tensor<2xi16>, !stablehlo.token
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x0100000001"
    }
  }
#-}
