// Ops that move data: slices, pads, gathers, reshapes, sorts.
func.func @static(%x: tensor<4x6xf32>, %s: tensor<f32>, %i: tensor<i32>, %u: tensor<1x2xf32>) -> tensor<24xf32> {
  %0 = stablehlo.broadcast %s, sizes = [2, 3] : (tensor<f32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<4x6xf32>) -> tensor<6x1x4xf32>
  %3 = stablehlo.concatenate %x, %x, %1, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<12x6xf32>
  %4 = stablehlo.concatenate %x, dim = 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %5 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %7 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x6xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %8 = stablehlo.iota dim = 1 : tensor<4x6xi32>
  %9 = stablehlo.pad %x, %s, low = [0, -1], high = [1, 0], interior = [0, 2] : (tensor<4x6xf32>, tensor<f32>) -> tensor<5x15xf32>
  %10 = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  %11 = stablehlo.reverse %x, dims = [0, 1] : tensor<4x6xf32>
  %12 = stablehlo.slice %x [0:4, 1:6:2] : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %13 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  %14 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %15 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x6xf32>) -> tensor<i32>
  %16 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<4x6xf32>, tensor<i32>) -> tensor<6xf32>
  return %10 : tensor<24xf32>
}
func.func @dynamic(%x: tensor<?x6xf32>, %shape: tensor<2xi32>, %i: tensor<2xi32>, %s: tensor<f32>, %n: tensor<i32>, %f: tensor<4x6xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %s, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x6xf32>, tensor<2xi32>) -> tensor<?x6xf32>
  %2 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %3 = stablehlo.dynamic_pad %x, %s, %i, %i, %i : (tensor<?x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %4 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %5 = stablehlo.real_dynamic_slice %x, %i, %i, %i : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %6 = stablehlo.set_dimension_size %f, %n, dim = 1 : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x?xf32, #stablehlo.bounds<?, 6>>
  %7 = "stablehlo.dynamic_gather"(%f, %i, %shape) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0, 1]>, indices_are_sorted = true}> : (tensor<4x6xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %4 : tensor<?x?xf32>
}
func.func @indexed(%x: tensor<8x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>, %b: tensor<2x8x6xf32>, %bi: tensor<2x3x1xi32>) -> tensor<8x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<8x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  %1 = "stablehlo.gather"(%b, %bi) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>}> {mhlo.sharding = "{replicated}"} : (tensor<2x8x6xf32>, tensor<2x3x1xi32>) -> tensor<2x3x6xf32>
  %2 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %s = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<8x6xf32>
  %3:2 = "stablehlo.sort"(%x, %x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>):
    %lt = stablehlo.compare LT, %a, %c, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) : (tensor<8x6xf32>, tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>)
  return %2 : tensor<8x6xf32>
}
