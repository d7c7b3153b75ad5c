// The ops of this project, which name mesh axes; to MLIR they are those of an unknown dialect.
module @partir {
  func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = "partir.tag"(%x) <{name = "hidden"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "partir.all_slice"(%0) <{axes = [["batch"], ["model"]]}> : (tensor<8x16xf32>) -> tensor<4x8xf32>
    %2 = "partir.all_gather"(%1) <{axes = [[], ["model"]]}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
    %3 = "partir.all_reduce"(%2) <{axes = ["model"], monoid = "sum"}> : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %4 = "partir.reduce_scatter"(%3) <{axes = [[], ["model"]], monoid = "sum"}> : (tensor<4x16xf32>) -> tensor<4x8xf32>
    %5 = "partir.all_to_all"(%4) <{axes = ["model"], concat_dimension = 1 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
    %6 = "partir.collective_permute"(%5) <{from = [["batch", "model"], []], to = [["model", "batch"], []]}> : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %7 = "partir.axis_index"() <{axis = "model"}> : () -> tensor<i64>
    %8 = "partir.all_gather"(%6) <{axes = [["batch", "model"], []]}> : (tensor<2x16xf32>) -> tensor<8x16xf32>
    return %8 : tensor<8x16xf32>
  }
}
