module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x32xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2x32xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<2x96x32xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<2x32xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<2x32xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<2x32xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<2x32x4x3x8xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<2x32x96xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<2x32xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<2x4x8x32xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<64x32xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<2x32xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<2x96x32xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<2x32xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<2x32xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<2x32xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<2x32x4x3x8xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<2x32x96xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<2x32xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<2x4x8x32xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<i32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<64x32xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<2x32xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<2x96x32xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<2x32xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<2x32xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<2x32xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<2x32x4x3x8xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<2x32x96xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<2x32xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<2x4x8x32xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<8x16xi32>, %arg32: tensor<8x16xi32>) -> (tensor<64x32xf32> {jax.result_info = "result[0]['embedding']['kernel']"}, tensor<2x32xf32> {jax.result_info = "result[0]['layers']['down']['bias']"}, tensor<2x96x32xf32> {jax.result_info = "result[0]['layers']['down']['kernel']"}, tensor<2x32xf32> {jax.result_info = "result[0]['layers']['norm1']['scale']"}, tensor<2x32xf32> {jax.result_info = "result[0]['layers']['norm2']['scale']"}, tensor<2x32xf32> {jax.result_info = "result[0]['layers']['norm3']['scale']"}, tensor<2x32x4x3x8xf32> {jax.result_info = "result[0]['layers']['qkv']['kernel']"}, tensor<2x32x96xf32> {jax.result_info = "result[0]['layers']['up']['kernel']"}, tensor<2x32xf32> {jax.result_info = "result[0]['layers']['wo']['bias']"}, tensor<2x4x8x32xf32> {jax.result_info = "result[0]['layers']['wo']['kernel']"}, tensor<64x32xf32> {jax.result_info = "result[1]['m']['embedding']['kernel']"}, tensor<2x32xf32> {jax.result_info = "result[1]['m']['layers']['down']['bias']"}, tensor<2x96x32xf32> {jax.result_info = "result[1]['m']['layers']['down']['kernel']"}, tensor<2x32xf32> {jax.result_info = "result[1]['m']['layers']['norm1']['scale']"}, tensor<2x32xf32> {jax.result_info = "result[1]['m']['layers']['norm2']['scale']"}, tensor<2x32xf32> {jax.result_info = "result[1]['m']['layers']['norm3']['scale']"}, tensor<2x32x4x3x8xf32> {jax.result_info = "result[1]['m']['layers']['qkv']['kernel']"}, tensor<2x32x96xf32> {jax.result_info = "result[1]['m']['layers']['up']['kernel']"}, tensor<2x32xf32> {jax.result_info = "result[1]['m']['layers']['wo']['bias']"}, tensor<2x4x8x32xf32> {jax.result_info = "result[1]['m']['layers']['wo']['kernel']"}, tensor<i32> {jax.result_info = "result[1]['t']"}, tensor<64x32xf32> {jax.result_info = "result[1]['v']['embedding']['kernel']"}, tensor<2x32xf32> {jax.result_info = "result[1]['v']['layers']['down']['bias']"}, tensor<2x96x32xf32> {jax.result_info = "result[1]['v']['layers']['down']['kernel']"}, tensor<2x32xf32> {jax.result_info = "result[1]['v']['layers']['norm1']['scale']"}, tensor<2x32xf32> {jax.result_info = "result[1]['v']['layers']['norm2']['scale']"}, tensor<2x32xf32> {jax.result_info = "result[1]['v']['layers']['norm3']['scale']"}, tensor<2x32x4x3x8xf32> {jax.result_info = "result[1]['v']['layers']['qkv']['kernel']"}, tensor<2x32x96xf32> {jax.result_info = "result[1]['v']['layers']['up']['kernel']"}, tensor<2x32xf32> {jax.result_info = "result[1]['v']['layers']['wo']['bias']"}, tensor<2x4x8x32xf32> {jax.result_info = "result[1]['v']['layers']['wo']['kernel']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %1 = stablehlo.compare LT, %arg31, %0, SIGNED : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %3 = stablehlo.add %arg31, %2 : tensor<8x16xi32>
    %4 = stablehlo.select %1, %3, %arg31 : tensor<8x16xi1>, tensor<8x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<8x16x1xi32>) -> tensor<8x16x32xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %8 = call @tril(%7) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %9:3 = call @_where(%8, %cst) : (tensor<16x16xi1>, tensor<f32>) -> (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>)
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x1x1x32xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x8x16x4x8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x8x16x4x8xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x1xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x1xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x8x4x16x16xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x8x16x4x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x8x16x4x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x1x1x32xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x8x16x96xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x8x16x96xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x8x16x96xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x8x16x96xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x8x16x96xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x8x16x96xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x8x16x1xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x1x1x32xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x8x16x32xf32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %41:44 = stablehlo.while(%iterArg = %arg1, %iterArg_114 = %arg2, %iterArg_115 = %arg3, %iterArg_116 = %arg4, %iterArg_117 = %arg5, %iterArg_118 = %arg6, %iterArg_119 = %arg7, %iterArg_120 = %arg8, %iterArg_121 = %arg9, %iterArg_122 = %9#0, %iterArg_123 = %9#2, %iterArg_124 = %c_33, %iterArg_125 = %6, %iterArg_126 = %10, %iterArg_127 = %11, %iterArg_128 = %12, %iterArg_129 = %13, %iterArg_130 = %14, %iterArg_131 = %15, %iterArg_132 = %16, %iterArg_133 = %17, %iterArg_134 = %18, %iterArg_135 = %19, %iterArg_136 = %20, %iterArg_137 = %21, %iterArg_138 = %22, %iterArg_139 = %23, %iterArg_140 = %24, %iterArg_141 = %25, %iterArg_142 = %26, %iterArg_143 = %27, %iterArg_144 = %28, %iterArg_145 = %29, %iterArg_146 = %30, %iterArg_147 = %31, %iterArg_148 = %32, %iterArg_149 = %33, %iterArg_150 = %34, %iterArg_151 = %35, %iterArg_152 = %36, %iterArg_153 = %37, %iterArg_154 = %38, %iterArg_155 = %39, %iterArg_156 = %40) : tensor<2x32xf32>, tensor<2x96x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32x4x3x8xf32>, tensor<2x32x96xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<i32>, tensor<8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>
    cond {
      %c_157 = stablehlo.constant dense<2> : tensor<i32>
      %295 = stablehlo.compare LT, %iterArg_124, %c_157, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %295 : tensor<i1>
    } do {
      %295 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_124) : (tensor<2x32xf32>, tensor<i32>) -> tensor<32xf32>
      %296 = func.call @dynamic_index_in_dim_0(%iterArg_114, %iterArg_124) : (tensor<2x96x32xf32>, tensor<i32>) -> tensor<96x32xf32>
      %297 = func.call @dynamic_index_in_dim(%iterArg_115, %iterArg_124) : (tensor<2x32xf32>, tensor<i32>) -> tensor<32xf32>
      %298 = func.call @dynamic_index_in_dim(%iterArg_116, %iterArg_124) : (tensor<2x32xf32>, tensor<i32>) -> tensor<32xf32>
      %299 = func.call @dynamic_index_in_dim(%iterArg_117, %iterArg_124) : (tensor<2x32xf32>, tensor<i32>) -> tensor<32xf32>
      %300 = func.call @dynamic_index_in_dim_1(%iterArg_118, %iterArg_124) : (tensor<2x32x4x3x8xf32>, tensor<i32>) -> tensor<32x4x3x8xf32>
      %301 = func.call @dynamic_index_in_dim_2(%iterArg_119, %iterArg_124) : (tensor<2x32x96xf32>, tensor<i32>) -> tensor<32x96xf32>
      %302 = func.call @dynamic_index_in_dim(%iterArg_120, %iterArg_124) : (tensor<2x32xf32>, tensor<i32>) -> tensor<32xf32>
      %303 = func.call @dynamic_index_in_dim_3(%iterArg_121, %iterArg_124) : (tensor<2x4x8x32xf32>, tensor<i32>) -> tensor<4x8x32xf32>
      %304:32 = func.call @closed_call(%iterArg_122, %iterArg_123, %iterArg_125, %295, %296, %297, %298, %299, %300, %301, %302, %303) : (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x16x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>) -> (tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>)
      %305 = func.call @dynamic_update_index_in_dim(%iterArg_126, %304#1, %iterArg_124) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %306 = func.call @dynamic_update_index_in_dim_5(%iterArg_127, %304#2, %iterArg_124) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %307 = func.call @dynamic_update_index_in_dim_5(%iterArg_128, %304#3, %iterArg_124) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %308 = func.call @dynamic_update_index_in_dim_6(%iterArg_129, %304#4, %iterArg_124) : (tensor<2x1x1x32xf32>, tensor<1x1x32xf32>, tensor<i32>) -> tensor<2x1x1x32xf32>
      %309 = func.call @dynamic_update_index_in_dim(%iterArg_130, %304#5, %iterArg_124) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %310 = func.call @dynamic_update_index_in_dim(%iterArg_131, %304#6, %iterArg_124) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %311 = func.call @dynamic_update_index_in_dim_7(%iterArg_132, %304#7, %iterArg_124) : (tensor<2x8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<i32>) -> tensor<2x8x16x4x8xf32>
      %312 = func.call @dynamic_update_index_in_dim_7(%iterArg_133, %304#8, %iterArg_124) : (tensor<2x8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<i32>) -> tensor<2x8x16x4x8xf32>
      %313 = func.call @dynamic_update_index_in_dim_8(%iterArg_134, %304#9, %iterArg_124) : (tensor<2x8x4x16x16xf32>, tensor<8x4x16x16xf32>, tensor<i32>) -> tensor<2x8x4x16x16xf32>
      %314 = func.call @dynamic_update_index_in_dim_9(%iterArg_135, %304#10, %iterArg_124) : (tensor<2x8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<i32>) -> tensor<2x8x4x16x1xf32>
      %315 = func.call @dynamic_update_index_in_dim_9(%iterArg_136, %304#11, %iterArg_124) : (tensor<2x8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<i32>) -> tensor<2x8x4x16x1xf32>
      %316 = func.call @dynamic_update_index_in_dim_8(%iterArg_137, %304#12, %iterArg_124) : (tensor<2x8x4x16x16xf32>, tensor<8x4x16x16xf32>, tensor<i32>) -> tensor<2x8x4x16x16xf32>
      %317 = func.call @dynamic_update_index_in_dim_7(%iterArg_138, %304#13, %iterArg_124) : (tensor<2x8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<i32>) -> tensor<2x8x16x4x8xf32>
      %318 = func.call @dynamic_update_index_in_dim_7(%iterArg_139, %304#14, %iterArg_124) : (tensor<2x8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<i32>) -> tensor<2x8x16x4x8xf32>
      %319 = func.call @dynamic_update_index_in_dim(%iterArg_140, %304#15, %iterArg_124) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %320 = func.call @dynamic_update_index_in_dim_5(%iterArg_141, %304#16, %iterArg_124) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %321 = func.call @dynamic_update_index_in_dim_5(%iterArg_142, %304#17, %iterArg_124) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %322 = func.call @dynamic_update_index_in_dim_6(%iterArg_143, %304#18, %iterArg_124) : (tensor<2x1x1x32xf32>, tensor<1x1x32xf32>, tensor<i32>) -> tensor<2x1x1x32xf32>
      %323 = func.call @dynamic_update_index_in_dim(%iterArg_144, %304#19, %iterArg_124) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %324 = func.call @dynamic_update_index_in_dim(%iterArg_145, %304#20, %iterArg_124) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %325 = func.call @dynamic_update_index_in_dim_10(%iterArg_146, %304#21, %iterArg_124) : (tensor<2x8x16x96xf32>, tensor<8x16x96xf32>, tensor<i32>) -> tensor<2x8x16x96xf32>
      %326 = func.call @dynamic_update_index_in_dim_10(%iterArg_147, %304#22, %iterArg_124) : (tensor<2x8x16x96xf32>, tensor<8x16x96xf32>, tensor<i32>) -> tensor<2x8x16x96xf32>
      %327 = func.call @dynamic_update_index_in_dim_10(%iterArg_148, %304#23, %iterArg_124) : (tensor<2x8x16x96xf32>, tensor<8x16x96xf32>, tensor<i32>) -> tensor<2x8x16x96xf32>
      %328 = func.call @dynamic_update_index_in_dim_10(%iterArg_149, %304#24, %iterArg_124) : (tensor<2x8x16x96xf32>, tensor<8x16x96xf32>, tensor<i32>) -> tensor<2x8x16x96xf32>
      %329 = func.call @dynamic_update_index_in_dim_10(%iterArg_150, %304#25, %iterArg_124) : (tensor<2x8x16x96xf32>, tensor<8x16x96xf32>, tensor<i32>) -> tensor<2x8x16x96xf32>
      %330 = func.call @dynamic_update_index_in_dim_10(%iterArg_151, %304#26, %iterArg_124) : (tensor<2x8x16x96xf32>, tensor<8x16x96xf32>, tensor<i32>) -> tensor<2x8x16x96xf32>
      %331 = func.call @dynamic_update_index_in_dim(%iterArg_152, %304#27, %iterArg_124) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %332 = func.call @dynamic_update_index_in_dim_5(%iterArg_153, %304#28, %iterArg_124) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %333 = func.call @dynamic_update_index_in_dim_5(%iterArg_154, %304#29, %iterArg_124) : (tensor<2x8x16x1xf32>, tensor<8x16x1xf32>, tensor<i32>) -> tensor<2x8x16x1xf32>
      %334 = func.call @dynamic_update_index_in_dim_6(%iterArg_155, %304#30, %iterArg_124) : (tensor<2x1x1x32xf32>, tensor<1x1x32xf32>, tensor<i32>) -> tensor<2x1x1x32xf32>
      %335 = func.call @dynamic_update_index_in_dim(%iterArg_156, %304#31, %iterArg_124) : (tensor<2x8x16x32xf32>, tensor<8x16x32xf32>, tensor<i32>) -> tensor<2x8x16x32xf32>
      %c_157 = stablehlo.constant dense<1> : tensor<i32>
      %336 = stablehlo.add %iterArg_124, %c_157 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_114, %iterArg_115, %iterArg_116, %iterArg_117, %iterArg_118, %iterArg_119, %iterArg_120, %iterArg_121, %iterArg_122, %iterArg_123, %336, %304#0, %305, %306, %307, %308, %309, %310, %311, %312, %313, %314, %315, %316, %317, %318, %319, %320, %321, %322, %323, %324, %325, %326, %327, %328, %329, %330, %331, %332, %333, %334, %335 : tensor<2x32xf32>, tensor<2x96x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32x4x3x8xf32>, tensor<2x32x96xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<i32>, tensor<8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>
    }
    %42 = stablehlo.dot_general %41#12, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<64x32xf32>) -> tensor<8x16x64xf32>
    %43:3 = call @log_softmax(%42) : (tensor<8x16x64xf32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x1xf32>)
    %44 = stablehlo.broadcast_in_dim %arg32, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %45:2 = call @take_along_axis(%43#0, %44) : (tensor<8x16x64xf32>, tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>)
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45#0 init: %cst_34) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_35 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %47 = stablehlo.divide %46, %cst_35 : tensor<f32>
    %48 = stablehlo.negate %47 : tensor<f32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.negate %cst_36 : tensor<f32>
    %cst_37 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %50 = stablehlo.divide %49, %cst_37 : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %52 = call @take_along_axis_11(%45#1, %51) : (tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    %53 = call @log_softmax_12(%43#1, %43#2, %52) : (tensor<8x16x64xf32>, tensor<8x16x1xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %54 = stablehlo.dot_general %53, %41#12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
    %55 = stablehlo.dot_general %53, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<2x96x32xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<2x32x4x3x8xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<2x32x96xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %c_47 = stablehlo.constant dense<0> : tensor<i32>
    %65:48 = stablehlo.while(%iterArg = %41#13, %iterArg_114 = %41#14, %iterArg_115 = %41#15, %iterArg_116 = %41#16, %iterArg_117 = %41#17, %iterArg_118 = %arg6, %iterArg_119 = %41#18, %iterArg_120 = %41#19, %iterArg_121 = %41#20, %iterArg_122 = %41#21, %iterArg_123 = %41#22, %iterArg_124 = %41#23, %iterArg_125 = %41#24, %iterArg_126 = %41#25, %iterArg_127 = %arg9, %iterArg_128 = %41#26, %iterArg_129 = %41#27, %iterArg_130 = %41#28, %iterArg_131 = %41#29, %iterArg_132 = %41#30, %iterArg_133 = %41#31, %iterArg_134 = %arg7, %iterArg_135 = %41#32, %iterArg_136 = %41#33, %iterArg_137 = %41#34, %iterArg_138 = %41#35, %iterArg_139 = %41#36, %iterArg_140 = %41#37, %iterArg_141 = %arg2, %iterArg_142 = %41#38, %iterArg_143 = %41#39, %iterArg_144 = %41#40, %iterArg_145 = %41#41, %iterArg_146 = %41#42, %iterArg_147 = %41#43, %iterArg_148 = %9#0, %iterArg_149 = %9#1, %iterArg_150 = %c_47, %iterArg_151 = %55, %iterArg_152 = %56, %iterArg_153 = %57, %iterArg_154 = %58, %iterArg_155 = %59, %iterArg_156 = %60, %iterArg_157 = %61, %iterArg_158 = %62, %iterArg_159 = %63, %iterArg_160 = %64) : tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x4x3x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x16x4x8xf32>, tensor<2x4x8x32xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x96xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x96x32xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<i32>, tensor<8x16x32xf32>, tensor<2x32xf32>, tensor<2x96x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32x4x3x8xf32>, tensor<2x32x96xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>
    cond {
      %c_161 = stablehlo.constant dense<2> : tensor<i32>
      %295 = stablehlo.compare LT, %iterArg_150, %c_161, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %295 : tensor<i1>
    } do {
      %c_161 = stablehlo.constant dense<2> : tensor<i32>
      %295 = stablehlo.subtract %c_161, %iterArg_150 : tensor<i32>
      %c_162 = stablehlo.constant dense<1> : tensor<i32>
      %296 = stablehlo.subtract %295, %c_162 : tensor<i32>
      %297 = func.call @dynamic_index_in_dim_13(%iterArg, %296) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %298 = func.call @dynamic_index_in_dim_14(%iterArg_114, %296) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %299 = func.call @dynamic_index_in_dim_14(%iterArg_115, %296) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %300 = func.call @dynamic_index_in_dim_15(%iterArg_116, %296) : (tensor<2x1x1x32xf32>, tensor<i32>) -> tensor<1x1x32xf32>
      %301 = func.call @dynamic_index_in_dim_13(%iterArg_117, %296) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %302 = func.call @dynamic_index_in_dim_1(%iterArg_118, %296) : (tensor<2x32x4x3x8xf32>, tensor<i32>) -> tensor<32x4x3x8xf32>
      %303 = func.call @dynamic_index_in_dim_13(%iterArg_119, %296) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %304 = func.call @dynamic_index_in_dim_16(%iterArg_120, %296) : (tensor<2x8x16x4x8xf32>, tensor<i32>) -> tensor<8x16x4x8xf32>
      %305 = func.call @dynamic_index_in_dim_16(%iterArg_121, %296) : (tensor<2x8x16x4x8xf32>, tensor<i32>) -> tensor<8x16x4x8xf32>
      %306 = func.call @dynamic_index_in_dim_17(%iterArg_122, %296) : (tensor<2x8x4x16x16xf32>, tensor<i32>) -> tensor<8x4x16x16xf32>
      %307 = func.call @dynamic_index_in_dim_18(%iterArg_123, %296) : (tensor<2x8x4x16x1xf32>, tensor<i32>) -> tensor<8x4x16x1xf32>
      %308 = func.call @dynamic_index_in_dim_18(%iterArg_124, %296) : (tensor<2x8x4x16x1xf32>, tensor<i32>) -> tensor<8x4x16x1xf32>
      %309 = func.call @dynamic_index_in_dim_17(%iterArg_125, %296) : (tensor<2x8x4x16x16xf32>, tensor<i32>) -> tensor<8x4x16x16xf32>
      %310 = func.call @dynamic_index_in_dim_16(%iterArg_126, %296) : (tensor<2x8x16x4x8xf32>, tensor<i32>) -> tensor<8x16x4x8xf32>
      %311 = func.call @dynamic_index_in_dim_3(%iterArg_127, %296) : (tensor<2x4x8x32xf32>, tensor<i32>) -> tensor<4x8x32xf32>
      %312 = func.call @dynamic_index_in_dim_16(%iterArg_128, %296) : (tensor<2x8x16x4x8xf32>, tensor<i32>) -> tensor<8x16x4x8xf32>
      %313 = func.call @dynamic_index_in_dim_13(%iterArg_129, %296) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %314 = func.call @dynamic_index_in_dim_14(%iterArg_130, %296) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %315 = func.call @dynamic_index_in_dim_14(%iterArg_131, %296) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %316 = func.call @dynamic_index_in_dim_15(%iterArg_132, %296) : (tensor<2x1x1x32xf32>, tensor<i32>) -> tensor<1x1x32xf32>
      %317 = func.call @dynamic_index_in_dim_13(%iterArg_133, %296) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %318 = func.call @dynamic_index_in_dim_2(%iterArg_134, %296) : (tensor<2x32x96xf32>, tensor<i32>) -> tensor<32x96xf32>
      %319 = func.call @dynamic_index_in_dim_13(%iterArg_135, %296) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %320 = func.call @dynamic_index_in_dim_19(%iterArg_136, %296) : (tensor<2x8x16x96xf32>, tensor<i32>) -> tensor<8x16x96xf32>
      %321 = func.call @dynamic_index_in_dim_19(%iterArg_137, %296) : (tensor<2x8x16x96xf32>, tensor<i32>) -> tensor<8x16x96xf32>
      %322 = func.call @dynamic_index_in_dim_19(%iterArg_138, %296) : (tensor<2x8x16x96xf32>, tensor<i32>) -> tensor<8x16x96xf32>
      %323 = func.call @dynamic_index_in_dim_19(%iterArg_139, %296) : (tensor<2x8x16x96xf32>, tensor<i32>) -> tensor<8x16x96xf32>
      %324 = func.call @dynamic_index_in_dim_19(%iterArg_140, %296) : (tensor<2x8x16x96xf32>, tensor<i32>) -> tensor<8x16x96xf32>
      %325 = func.call @dynamic_index_in_dim_0(%iterArg_141, %296) : (tensor<2x96x32xf32>, tensor<i32>) -> tensor<96x32xf32>
      %326 = func.call @dynamic_index_in_dim_19(%iterArg_142, %296) : (tensor<2x8x16x96xf32>, tensor<i32>) -> tensor<8x16x96xf32>
      %327 = func.call @dynamic_index_in_dim_13(%iterArg_143, %296) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %328 = func.call @dynamic_index_in_dim_14(%iterArg_144, %296) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %329 = func.call @dynamic_index_in_dim_14(%iterArg_145, %296) : (tensor<2x8x16x1xf32>, tensor<i32>) -> tensor<8x16x1xf32>
      %330 = func.call @dynamic_index_in_dim_15(%iterArg_146, %296) : (tensor<2x1x1x32xf32>, tensor<i32>) -> tensor<1x1x32xf32>
      %331 = func.call @dynamic_index_in_dim_13(%iterArg_147, %296) : (tensor<2x8x16x32xf32>, tensor<i32>) -> tensor<8x16x32xf32>
      %332:10 = func.call @closed_call_20(%iterArg_148, %iterArg_149, %iterArg_151, %297, %298, %299, %300, %301, %302, %303, %304, %305, %306, %307, %308, %309, %310, %311, %312, %313, %314, %315, %316, %317, %318, %319, %320, %321, %322, %323, %324, %325, %326, %327, %328, %329, %330, %331) : (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<32x4x3x8xf32>, tensor<8x16x32xf32>, tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>, tensor<4x8x32xf32>, tensor<8x16x4x8xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<32x96xf32>, tensor<8x16x32xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<96x32xf32>, tensor<8x16x96xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>) -> (tensor<8x16x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>)
      %333 = func.call @dynamic_update_index_in_dim_22(%iterArg_152, %332#1, %296) : (tensor<2x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<2x32xf32>
      %334 = func.call @dynamic_update_index_in_dim_23(%iterArg_153, %332#2, %296) : (tensor<2x96x32xf32>, tensor<96x32xf32>, tensor<i32>) -> tensor<2x96x32xf32>
      %335 = func.call @dynamic_update_index_in_dim_22(%iterArg_154, %332#3, %296) : (tensor<2x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<2x32xf32>
      %336 = func.call @dynamic_update_index_in_dim_22(%iterArg_155, %332#4, %296) : (tensor<2x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<2x32xf32>
      %337 = func.call @dynamic_update_index_in_dim_22(%iterArg_156, %332#5, %296) : (tensor<2x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<2x32xf32>
      %338 = func.call @dynamic_update_index_in_dim_24(%iterArg_157, %332#6, %296) : (tensor<2x32x4x3x8xf32>, tensor<32x4x3x8xf32>, tensor<i32>) -> tensor<2x32x4x3x8xf32>
      %339 = func.call @dynamic_update_index_in_dim_25(%iterArg_158, %332#7, %296) : (tensor<2x32x96xf32>, tensor<32x96xf32>, tensor<i32>) -> tensor<2x32x96xf32>
      %340 = func.call @dynamic_update_index_in_dim_22(%iterArg_159, %332#8, %296) : (tensor<2x32xf32>, tensor<32xf32>, tensor<i32>) -> tensor<2x32xf32>
      %341 = func.call @dynamic_update_index_in_dim_26(%iterArg_160, %332#9, %296) : (tensor<2x4x8x32xf32>, tensor<4x8x32xf32>, tensor<i32>) -> tensor<2x4x8x32xf32>
      %c_163 = stablehlo.constant dense<1> : tensor<i32>
      %342 = stablehlo.add %iterArg_150, %c_163 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_114, %iterArg_115, %iterArg_116, %iterArg_117, %iterArg_118, %iterArg_119, %iterArg_120, %iterArg_121, %iterArg_122, %iterArg_123, %iterArg_124, %iterArg_125, %iterArg_126, %iterArg_127, %iterArg_128, %iterArg_129, %iterArg_130, %iterArg_131, %iterArg_132, %iterArg_133, %iterArg_134, %iterArg_135, %iterArg_136, %iterArg_137, %iterArg_138, %iterArg_139, %iterArg_140, %iterArg_141, %iterArg_142, %iterArg_143, %iterArg_144, %iterArg_145, %iterArg_146, %iterArg_147, %iterArg_148, %iterArg_149, %342, %332#0, %333, %334, %335, %336, %337, %338, %339, %340, %341 : tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x4x3x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x1xf32>, tensor<2x8x4x16x16xf32>, tensor<2x8x16x4x8xf32>, tensor<2x4x8x32xf32>, tensor<2x8x16x4x8xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<2x32x96xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x96xf32>, tensor<2x96x32xf32>, tensor<2x8x16x96xf32>, tensor<2x8x16x32xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x1x1x32xf32>, tensor<2x8x16x32xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<i32>, tensor<8x16x32xf32>, tensor<2x32xf32>, tensor<2x96x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32x4x3x8xf32>, tensor<2x32x96xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>
    }
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %67 = "stablehlo.scatter"(%66, %5, %65#38) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg33: tensor<f32>, %arg34: tensor<f32>):
      %295 = stablehlo.add %arg33, %arg34 : tensor<f32>
      stablehlo.return %295 : tensor<f32>
    }) : (tensor<64x32xf32>, tensor<8x16x1xi32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
    %68 = stablehlo.add %54, %67 : tensor<64x32xf32>
    %c_49 = stablehlo.constant dense<1> : tensor<i32>
    %69 = stablehlo.add %arg20, %c_49 : tensor<i32>
    %cst_50 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %71 = stablehlo.multiply %70, %arg10 : tensor<64x32xf32>
    %cst_51 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %73 = stablehlo.multiply %72, %68 : tensor<64x32xf32>
    %74 = stablehlo.add %71, %73 : tensor<64x32xf32>
    %cst_52 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %76 = stablehlo.multiply %75, %arg11 : tensor<2x32xf32>
    %cst_53 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %78 = stablehlo.multiply %77, %65#39 : tensor<2x32xf32>
    %79 = stablehlo.add %76, %78 : tensor<2x32xf32>
    %cst_54 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<2x96x32xf32>
    %81 = stablehlo.multiply %80, %arg12 : tensor<2x96x32xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<2x96x32xf32>
    %83 = stablehlo.multiply %82, %65#40 : tensor<2x96x32xf32>
    %84 = stablehlo.add %81, %83 : tensor<2x96x32xf32>
    %cst_56 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %86 = stablehlo.multiply %85, %arg13 : tensor<2x32xf32>
    %cst_57 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %88 = stablehlo.multiply %87, %65#41 : tensor<2x32xf32>
    %89 = stablehlo.add %86, %88 : tensor<2x32xf32>
    %cst_58 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %91 = stablehlo.multiply %90, %arg14 : tensor<2x32xf32>
    %cst_59 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %93 = stablehlo.multiply %92, %65#42 : tensor<2x32xf32>
    %94 = stablehlo.add %91, %93 : tensor<2x32xf32>
    %cst_60 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %96 = stablehlo.multiply %95, %arg15 : tensor<2x32xf32>
    %cst_61 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %98 = stablehlo.multiply %97, %65#43 : tensor<2x32xf32>
    %99 = stablehlo.add %96, %98 : tensor<2x32xf32>
    %cst_62 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<2x32x4x3x8xf32>
    %101 = stablehlo.multiply %100, %arg16 : tensor<2x32x4x3x8xf32>
    %cst_63 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<2x32x4x3x8xf32>
    %103 = stablehlo.multiply %102, %65#44 : tensor<2x32x4x3x8xf32>
    %104 = stablehlo.add %101, %103 : tensor<2x32x4x3x8xf32>
    %cst_64 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<2x32x96xf32>
    %106 = stablehlo.multiply %105, %arg17 : tensor<2x32x96xf32>
    %cst_65 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<2x32x96xf32>
    %108 = stablehlo.multiply %107, %65#45 : tensor<2x32x96xf32>
    %109 = stablehlo.add %106, %108 : tensor<2x32x96xf32>
    %cst_66 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %111 = stablehlo.multiply %110, %arg18 : tensor<2x32xf32>
    %cst_67 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %113 = stablehlo.multiply %112, %65#46 : tensor<2x32xf32>
    %114 = stablehlo.add %111, %113 : tensor<2x32xf32>
    %cst_68 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %116 = stablehlo.multiply %115, %arg19 : tensor<2x4x8x32xf32>
    %cst_69 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %118 = stablehlo.multiply %117, %65#47 : tensor<2x4x8x32xf32>
    %119 = stablehlo.add %116, %118 : tensor<2x4x8x32xf32>
    %cst_70 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %121 = stablehlo.multiply %120, %arg21 : tensor<64x32xf32>
    %cst_71 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %123 = stablehlo.multiply %122, %68 : tensor<64x32xf32>
    %124 = stablehlo.multiply %123, %68 : tensor<64x32xf32>
    %125 = stablehlo.add %121, %124 : tensor<64x32xf32>
    %cst_72 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %127 = stablehlo.multiply %126, %arg22 : tensor<2x32xf32>
    %cst_73 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %129 = stablehlo.multiply %128, %65#39 : tensor<2x32xf32>
    %130 = stablehlo.multiply %129, %65#39 : tensor<2x32xf32>
    %131 = stablehlo.add %127, %130 : tensor<2x32xf32>
    %cst_74 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<2x96x32xf32>
    %133 = stablehlo.multiply %132, %arg23 : tensor<2x96x32xf32>
    %cst_75 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<2x96x32xf32>
    %135 = stablehlo.multiply %134, %65#40 : tensor<2x96x32xf32>
    %136 = stablehlo.multiply %135, %65#40 : tensor<2x96x32xf32>
    %137 = stablehlo.add %133, %136 : tensor<2x96x32xf32>
    %cst_76 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %139 = stablehlo.multiply %138, %arg24 : tensor<2x32xf32>
    %cst_77 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %141 = stablehlo.multiply %140, %65#41 : tensor<2x32xf32>
    %142 = stablehlo.multiply %141, %65#41 : tensor<2x32xf32>
    %143 = stablehlo.add %139, %142 : tensor<2x32xf32>
    %cst_78 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %145 = stablehlo.multiply %144, %arg25 : tensor<2x32xf32>
    %cst_79 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %147 = stablehlo.multiply %146, %65#42 : tensor<2x32xf32>
    %148 = stablehlo.multiply %147, %65#42 : tensor<2x32xf32>
    %149 = stablehlo.add %145, %148 : tensor<2x32xf32>
    %cst_80 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %151 = stablehlo.multiply %150, %arg26 : tensor<2x32xf32>
    %cst_81 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %153 = stablehlo.multiply %152, %65#43 : tensor<2x32xf32>
    %154 = stablehlo.multiply %153, %65#43 : tensor<2x32xf32>
    %155 = stablehlo.add %151, %154 : tensor<2x32xf32>
    %cst_82 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<2x32x4x3x8xf32>
    %157 = stablehlo.multiply %156, %arg27 : tensor<2x32x4x3x8xf32>
    %cst_83 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<2x32x4x3x8xf32>
    %159 = stablehlo.multiply %158, %65#44 : tensor<2x32x4x3x8xf32>
    %160 = stablehlo.multiply %159, %65#44 : tensor<2x32x4x3x8xf32>
    %161 = stablehlo.add %157, %160 : tensor<2x32x4x3x8xf32>
    %cst_84 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<2x32x96xf32>
    %163 = stablehlo.multiply %162, %arg28 : tensor<2x32x96xf32>
    %cst_85 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<2x32x96xf32>
    %165 = stablehlo.multiply %164, %65#45 : tensor<2x32x96xf32>
    %166 = stablehlo.multiply %165, %65#45 : tensor<2x32x96xf32>
    %167 = stablehlo.add %163, %166 : tensor<2x32x96xf32>
    %cst_86 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %169 = stablehlo.multiply %168, %arg29 : tensor<2x32xf32>
    %cst_87 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %171 = stablehlo.multiply %170, %65#46 : tensor<2x32xf32>
    %172 = stablehlo.multiply %171, %65#46 : tensor<2x32xf32>
    %173 = stablehlo.add %169, %172 : tensor<2x32xf32>
    %cst_88 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %175 = stablehlo.multiply %174, %arg30 : tensor<2x4x8x32xf32>
    %cst_89 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %177 = stablehlo.multiply %176, %65#47 : tensor<2x4x8x32xf32>
    %178 = stablehlo.multiply %177, %65#47 : tensor<2x4x8x32xf32>
    %179 = stablehlo.add %175, %178 : tensor<2x4x8x32xf32>
    %180 = stablehlo.convert %69 : (tensor<i32>) -> tensor<f32>
    %cst_90 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %181 = stablehlo.power %cst_90, %180 : tensor<f32>
    %cst_91 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %182 = stablehlo.subtract %cst_91, %181 : tensor<f32>
    %cst_92 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %183 = stablehlo.power %cst_92, %180 : tensor<f32>
    %cst_93 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %184 = stablehlo.subtract %cst_93, %183 : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %186 = stablehlo.divide %74, %185 : tensor<64x32xf32>
    %cst_94 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %188 = stablehlo.multiply %187, %186 : tensor<64x32xf32>
    %189 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %190 = stablehlo.divide %125, %189 : tensor<64x32xf32>
    %191 = stablehlo.sqrt %190 : tensor<64x32xf32>
    %cst_95 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %193 = stablehlo.add %191, %192 : tensor<64x32xf32>
    %194 = stablehlo.divide %188, %193 : tensor<64x32xf32>
    %195 = stablehlo.subtract %arg0, %194 : tensor<64x32xf32>
    %196 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %197 = stablehlo.divide %79, %196 : tensor<2x32xf32>
    %cst_96 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %199 = stablehlo.multiply %198, %197 : tensor<2x32xf32>
    %200 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %201 = stablehlo.divide %131, %200 : tensor<2x32xf32>
    %202 = stablehlo.sqrt %201 : tensor<2x32xf32>
    %cst_97 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %204 = stablehlo.add %202, %203 : tensor<2x32xf32>
    %205 = stablehlo.divide %199, %204 : tensor<2x32xf32>
    %206 = stablehlo.subtract %arg1, %205 : tensor<2x32xf32>
    %207 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<2x96x32xf32>
    %208 = stablehlo.divide %84, %207 : tensor<2x96x32xf32>
    %cst_98 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<2x96x32xf32>
    %210 = stablehlo.multiply %209, %208 : tensor<2x96x32xf32>
    %211 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x96x32xf32>
    %212 = stablehlo.divide %137, %211 : tensor<2x96x32xf32>
    %213 = stablehlo.sqrt %212 : tensor<2x96x32xf32>
    %cst_99 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<2x96x32xf32>
    %215 = stablehlo.add %213, %214 : tensor<2x96x32xf32>
    %216 = stablehlo.divide %210, %215 : tensor<2x96x32xf32>
    %217 = stablehlo.subtract %arg2, %216 : tensor<2x96x32xf32>
    %218 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %219 = stablehlo.divide %89, %218 : tensor<2x32xf32>
    %cst_100 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %221 = stablehlo.multiply %220, %219 : tensor<2x32xf32>
    %222 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %223 = stablehlo.divide %143, %222 : tensor<2x32xf32>
    %224 = stablehlo.sqrt %223 : tensor<2x32xf32>
    %cst_101 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %226 = stablehlo.add %224, %225 : tensor<2x32xf32>
    %227 = stablehlo.divide %221, %226 : tensor<2x32xf32>
    %228 = stablehlo.subtract %arg3, %227 : tensor<2x32xf32>
    %229 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %230 = stablehlo.divide %94, %229 : tensor<2x32xf32>
    %cst_102 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %232 = stablehlo.multiply %231, %230 : tensor<2x32xf32>
    %233 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %234 = stablehlo.divide %149, %233 : tensor<2x32xf32>
    %235 = stablehlo.sqrt %234 : tensor<2x32xf32>
    %cst_103 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %237 = stablehlo.add %235, %236 : tensor<2x32xf32>
    %238 = stablehlo.divide %232, %237 : tensor<2x32xf32>
    %239 = stablehlo.subtract %arg4, %238 : tensor<2x32xf32>
    %240 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %241 = stablehlo.divide %99, %240 : tensor<2x32xf32>
    %cst_104 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %243 = stablehlo.multiply %242, %241 : tensor<2x32xf32>
    %244 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %245 = stablehlo.divide %155, %244 : tensor<2x32xf32>
    %246 = stablehlo.sqrt %245 : tensor<2x32xf32>
    %cst_105 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %247 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %248 = stablehlo.add %246, %247 : tensor<2x32xf32>
    %249 = stablehlo.divide %243, %248 : tensor<2x32xf32>
    %250 = stablehlo.subtract %arg5, %249 : tensor<2x32xf32>
    %251 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<2x32x4x3x8xf32>
    %252 = stablehlo.divide %104, %251 : tensor<2x32x4x3x8xf32>
    %cst_106 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %253 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<2x32x4x3x8xf32>
    %254 = stablehlo.multiply %253, %252 : tensor<2x32x4x3x8xf32>
    %255 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x32x4x3x8xf32>
    %256 = stablehlo.divide %161, %255 : tensor<2x32x4x3x8xf32>
    %257 = stablehlo.sqrt %256 : tensor<2x32x4x3x8xf32>
    %cst_107 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<2x32x4x3x8xf32>
    %259 = stablehlo.add %257, %258 : tensor<2x32x4x3x8xf32>
    %260 = stablehlo.divide %254, %259 : tensor<2x32x4x3x8xf32>
    %261 = stablehlo.subtract %arg6, %260 : tensor<2x32x4x3x8xf32>
    %262 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<2x32x96xf32>
    %263 = stablehlo.divide %109, %262 : tensor<2x32x96xf32>
    %cst_108 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %264 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<2x32x96xf32>
    %265 = stablehlo.multiply %264, %263 : tensor<2x32x96xf32>
    %266 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x32x96xf32>
    %267 = stablehlo.divide %167, %266 : tensor<2x32x96xf32>
    %268 = stablehlo.sqrt %267 : tensor<2x32x96xf32>
    %cst_109 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %269 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<2x32x96xf32>
    %270 = stablehlo.add %268, %269 : tensor<2x32x96xf32>
    %271 = stablehlo.divide %265, %270 : tensor<2x32x96xf32>
    %272 = stablehlo.subtract %arg7, %271 : tensor<2x32x96xf32>
    %273 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %274 = stablehlo.divide %114, %273 : tensor<2x32xf32>
    %cst_110 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %275 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %276 = stablehlo.multiply %275, %274 : tensor<2x32xf32>
    %277 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %278 = stablehlo.divide %173, %277 : tensor<2x32xf32>
    %279 = stablehlo.sqrt %278 : tensor<2x32xf32>
    %cst_111 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %281 = stablehlo.add %279, %280 : tensor<2x32xf32>
    %282 = stablehlo.divide %276, %281 : tensor<2x32xf32>
    %283 = stablehlo.subtract %arg8, %282 : tensor<2x32xf32>
    %284 = stablehlo.broadcast_in_dim %182, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %285 = stablehlo.divide %119, %284 : tensor<2x4x8x32xf32>
    %cst_112 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %286 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %287 = stablehlo.multiply %286, %285 : tensor<2x4x8x32xf32>
    %288 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %289 = stablehlo.divide %179, %288 : tensor<2x4x8x32xf32>
    %290 = stablehlo.sqrt %289 : tensor<2x4x8x32xf32>
    %cst_113 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %291 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<2x4x8x32xf32>
    %292 = stablehlo.add %290, %291 : tensor<2x4x8x32xf32>
    %293 = stablehlo.divide %287, %292 : tensor<2x4x8x32xf32>
    %294 = stablehlo.subtract %arg9, %293 : tensor<2x4x8x32xf32>
    return %195, %206, %217, %228, %239, %250, %261, %272, %283, %294, %74, %79, %84, %89, %94, %99, %104, %109, %114, %119, %69, %125, %131, %137, %143, %149, %155, %161, %167, %173, %179, %48 : tensor<64x32xf32>, tensor<2x32xf32>, tensor<2x96x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32x4x3x8xf32>, tensor<2x32x96xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<64x32xf32>, tensor<2x32xf32>, tensor<2x96x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32x4x3x8xf32>, tensor<2x32x96xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<i32>, tensor<64x32xf32>, tensor<2x32xf32>, tensor<2x96x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32x4x3x8xf32>, tensor<2x32x96xf32>, tensor<2x32xf32>, tensor<2x4x8x32xf32>, tensor<f32>
  }
  func.func private @tril(%arg0: tensor<16x16xi1>) -> tensor<16x16xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<16x16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %2 = stablehlo.add %0, %1 : tensor<16x16xi32>
    %3 = stablehlo.iota dim = 1 : tensor<16x16xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<16x16xi1>, tensor<16x16xi1>
    return %6 : tensor<16x16xi1>
  }
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<f32>) -> (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<8x4x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    return %1, %3, %2 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x32xf32>, %arg1: tensor<i32>) -> tensor<32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 32] : (tensor<2x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x32xf32>) -> tensor<32xf32>
    return %1 : tensor<32xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<2x96x32xf32>, %arg1: tensor<i32>) -> tensor<96x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 96, 32] : (tensor<2x96x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x96x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x96x32xf32>) -> tensor<96x32xf32>
    return %1 : tensor<96x32xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<2x32x4x3x8xf32>, %arg1: tensor<i32>) -> tensor<32x4x3x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 32, 4, 3, 8] : (tensor<2x32x4x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x4x3x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x32x4x3x8xf32>) -> tensor<32x4x3x8xf32>
    return %1 : tensor<32x4x3x8xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<2x32x96xf32>, %arg1: tensor<i32>) -> tensor<32x96xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 32, 96] : (tensor<2x32x96xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x96xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x32x96xf32>) -> tensor<32x96xf32>
    return %1 : tensor<32x96xf32>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<2x4x8x32xf32>, %arg1: tensor<i32>) -> tensor<4x8x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 4, 8, 32] : (tensor<2x4x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x8x32xf32>) -> tensor<4x8x32xf32>
    return %1 : tensor<4x8x32xf32>
  }
  func.func private @closed_call(%arg0: tensor<8x4x16x16xi1>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<8x16x32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<96x32xf32>, %arg5: tensor<32xf32>, %arg6: tensor<32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<32x4x3x8xf32>, %arg9: tensor<32x96xf32>, %arg10: tensor<32xf32>, %arg11: tensor<4x8x32xf32>) -> (tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>) {
    %0 = stablehlo.multiply %arg2, %arg2 : tensor<8x16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8x16x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<8x16x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<8x16x1xf32>
    %8 = stablehlo.divide %7, %6 : tensor<8x16x1xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<8x16x1xf32>
    %11 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %12 = stablehlo.multiply %arg2, %11 : tensor<8x16x32xf32>
    %13 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<8x16x32xf32>
    %16 = stablehlo.dot_general %15, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x4x3x8xf32>) -> tensor<8x16x4x3x8xf32>
    %17 = stablehlo.slice %16 [0:8, 0:16, 0:4, 0:1, 0:8] : (tensor<8x16x4x3x8xf32>) -> tensor<8x16x4x1x8xf32>
    %18 = stablehlo.reshape %17 : (tensor<8x16x4x1x8xf32>) -> tensor<8x16x4x8xf32>
    %19 = stablehlo.slice %16 [0:8, 0:16, 0:4, 1:2, 0:8] : (tensor<8x16x4x3x8xf32>) -> tensor<8x16x4x1x8xf32>
    %20 = stablehlo.reshape %19 : (tensor<8x16x4x1x8xf32>) -> tensor<8x16x4x8xf32>
    %21 = stablehlo.slice %16 [0:8, 0:16, 0:4, 2:3, 0:8] : (tensor<8x16x4x3x8xf32>) -> tensor<8x16x4x1x8xf32>
    %22 = stablehlo.reshape %21 : (tensor<8x16x4x1x8xf32>) -> tensor<8x16x4x8xf32>
    %23 = stablehlo.dot_general %18, %20, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x16xf32>
    %cst_3 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %25 = stablehlo.divide %23, %24 : tensor<8x4x16x16xf32>
    %26 = call @_where_4(%25, %arg0, %arg1) : (tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %29 = stablehlo.maximum %28, %27 : tensor<8x4x16xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %32 = stablehlo.subtract %26, %31 : tensor<8x4x16x16xf32>
    %33 = stablehlo.exponential %32 : tensor<8x4x16x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %37 = stablehlo.divide %33, %36 : tensor<8x4x16x16xf32>
    %38 = stablehlo.multiply %35, %35 : tensor<8x4x16x1xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x4x16x1xf32>
    %40 = stablehlo.divide %39, %38 : tensor<8x4x16x1xf32>
    %41 = stablehlo.dot_general %22, %37, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x8xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x8x16xf32>
    %42 = stablehlo.transpose %41, dims = [0, 3, 1, 2] : (tensor<8x4x8x16xf32>) -> tensor<8x16x4x8xf32>
    %43 = stablehlo.dot_general %42, %arg11, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x8xf32>, tensor<4x8x32xf32>) -> tensor<8x16x32xf32>
    %44 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %46 = stablehlo.add %43, %45 : tensor<8x16x32xf32>
    %47 = stablehlo.add %arg2, %46 : tensor<8x16x32xf32>
    %48 = stablehlo.multiply %47, %47 : tensor<8x16x32xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_9 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %52 = stablehlo.divide %50, %51 : tensor<8x16x1xf32>
    %cst_10 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %54 = stablehlo.add %52, %53 : tensor<8x16x1xf32>
    %55 = stablehlo.rsqrt %54 : tensor<8x16x1xf32>
    %56 = stablehlo.divide %55, %54 : tensor<8x16x1xf32>
    %cst_11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %58 = stablehlo.multiply %57, %56 : tensor<8x16x1xf32>
    %59 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %60 = stablehlo.multiply %47, %59 : tensor<8x16x32xf32>
    %61 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %63 = stablehlo.multiply %60, %62 : tensor<8x16x32xf32>
    %64 = stablehlo.dot_general %63, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x96xf32>) -> tensor<8x16x96xf32>
    %65 = stablehlo.multiply %64, %64 : tensor<8x16x96xf32>
    %66 = stablehlo.multiply %65, %64 : tensor<8x16x96xf32>
    %67 = stablehlo.multiply %64, %64 : tensor<8x16x96xf32>
    %cst_12 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %69 = stablehlo.multiply %68, %67 : tensor<8x16x96xf32>
    %cst_13 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %71 = stablehlo.multiply %70, %66 : tensor<8x16x96xf32>
    %72 = stablehlo.add %64, %71 : tensor<8x16x96xf32>
    %cst_14 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %74 = stablehlo.multiply %73, %72 : tensor<8x16x96xf32>
    %75 = stablehlo.tanh %74 : tensor<8x16x96xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %77 = stablehlo.subtract %76, %75 : tensor<8x16x96xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %79 = stablehlo.add %78, %75 : tensor<8x16x96xf32>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %81 = stablehlo.multiply %80, %79 : tensor<8x16x96xf32>
    %82 = stablehlo.multiply %64, %81 : tensor<8x16x96xf32>
    %83 = stablehlo.dot_general %82, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x96xf32>, tensor<96x32xf32>) -> tensor<8x16x32xf32>
    %84 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %86 = stablehlo.add %83, %85 : tensor<8x16x32xf32>
    %87 = stablehlo.multiply %86, %86 : tensor<8x16x32xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_19 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %91 = stablehlo.divide %89, %90 : tensor<8x16x1xf32>
    %cst_20 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %93 = stablehlo.add %91, %92 : tensor<8x16x1xf32>
    %94 = stablehlo.rsqrt %93 : tensor<8x16x1xf32>
    %95 = stablehlo.divide %94, %93 : tensor<8x16x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %97 = stablehlo.multiply %96, %95 : tensor<8x16x1xf32>
    %98 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %99 = stablehlo.multiply %86, %98 : tensor<8x16x32xf32>
    %100 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %102 = stablehlo.multiply %99, %101 : tensor<8x16x32xf32>
    %103 = stablehlo.add %47, %102 : tensor<8x16x32xf32>
    return %103, %arg2, %10, %7, %13, %12, %15, %20, %18, %33, %35, %40, %37, %22, %42, %47, %58, %55, %61, %60, %63, %69, %75, %77, %81, %64, %82, %86, %97, %94, %100, %99 : tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<8x4x16x16xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x1xf32>, tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>, tensor<8x16x32xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x96xf32>, tensor<8x16x32xf32>, tensor<8x16x1xf32>, tensor<8x16x1xf32>, tensor<1x1x32xf32>, tensor<8x16x32xf32>
  }
  func.func private @_where_4(%arg0: tensor<8x4x16x16xf32>, %arg1: tensor<8x4x16x16xi1>, %arg2: tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32> {
    %0 = stablehlo.select %arg1, %arg0, %arg2 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
    return %0 : tensor<8x4x16x16xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2x8x16x32xf32>, %arg1: tensor<8x16x32xf32>, %arg2: tensor<i32>) -> tensor<2x8x16x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x16x32xf32>) -> tensor<1x8x16x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x16x32xf32>, tensor<1x8x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x32xf32>
    return %1 : tensor<2x8x16x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_5(%arg0: tensor<2x8x16x1xf32>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<i32>) -> tensor<2x8x16x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x16x1xf32>) -> tensor<1x8x16x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x16x1xf32>, tensor<1x8x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x1xf32>
    return %1 : tensor<2x8x16x1xf32>
  }
  func.func private @dynamic_update_index_in_dim_6(%arg0: tensor<2x1x1x32xf32>, %arg1: tensor<1x1x32xf32>, %arg2: tensor<i32>) -> tensor<2x1x1x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<1x1x32xf32>) -> tensor<1x1x1x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x1x1x32xf32>, tensor<1x1x1x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x1x1x32xf32>
    return %1 : tensor<2x1x1x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_7(%arg0: tensor<2x8x16x4x8xf32>, %arg1: tensor<8x16x4x8xf32>, %arg2: tensor<i32>) -> tensor<2x8x16x4x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x16x4x8xf32>) -> tensor<1x8x16x4x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x8x16x4x8xf32>, tensor<1x8x16x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x4x8xf32>
    return %1 : tensor<2x8x16x4x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_8(%arg0: tensor<2x8x4x16x16xf32>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x16x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x4x16x16xf32>) -> tensor<1x8x4x16x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x8x4x16x16xf32>, tensor<1x8x4x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x16x16xf32>
    return %1 : tensor<2x8x4x16x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_9(%arg0: tensor<2x8x4x16x1xf32>, %arg1: tensor<8x4x16x1xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x16x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x4x16x1xf32>) -> tensor<1x8x4x16x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x8x4x16x1xf32>, tensor<1x8x4x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x16x1xf32>
    return %1 : tensor<2x8x4x16x1xf32>
  }
  func.func private @dynamic_update_index_in_dim_10(%arg0: tensor<2x8x16x96xf32>, %arg1: tensor<8x16x96xf32>, %arg2: tensor<i32>) -> tensor<2x8x16x96xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x16x96xf32>) -> tensor<1x8x16x96xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x16x96xf32>, tensor<1x8x16x96xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x16x96xf32>
    return %1 : tensor<2x8x16x96xf32>
  }
  func.func private @log_softmax(%arg0: tensor<8x16x64xf32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x16x64xf32>, tensor<f32>) -> tensor<8x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8x16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x16x64xf32>
    %6 = stablehlo.exponential %5 : tensor<8x16x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x16x64xf32>, tensor<f32>) -> tensor<8x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %9 = stablehlo.log %8 : tensor<8x16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x16x64xf32>
    return %11, %6, %8 : tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x16x64xf32>, %arg1: tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x16x1xi32>, tensor<8x16x1xi32>) -> tensor<8x16x1xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x16x1xi1>, tensor<8x16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x16x1xi32>) -> tensor<8x16x1x1xi32>
    %c_1 = stablehlo.constant dense<63> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x16x1x1xi32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x16x1x1xi32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x16x1x1xi1>, tensor<i1>) -> tensor<8x16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x16x64xf32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x16x1xi1>, tensor<8x16x1xf32>
    return %15, %5 : tensor<8x16x1xf32>, tensor<8x16x1x1xi32>
  }
  func.func private @take_along_axis_11(%arg0: tensor<8x16x1x1xi32>, %arg1: tensor<8x16x1xf32>) -> tensor<8x16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x16x64xf32>, tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    return %1 : tensor<8x16x64xf32>
  }
  func.func private @log_softmax_12(%arg0: tensor<8x16x64xf32>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<8x16x64xf32>) -> tensor<8x16x64xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x16x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x64xf32>, tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x64xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x16x64xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x16x64xf32>
    return %7 : tensor<8x16x64xf32>
  }
  func.func private @dynamic_index_in_dim_13(%arg0: tensor<2x8x16x32xf32>, %arg1: tensor<i32>) -> tensor<8x16x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 16, 32] : (tensor<2x8x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x32xf32>) -> tensor<8x16x32xf32>
    return %1 : tensor<8x16x32xf32>
  }
  func.func private @dynamic_index_in_dim_14(%arg0: tensor<2x8x16x1xf32>, %arg1: tensor<i32>) -> tensor<8x16x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 16, 1] : (tensor<2x8x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x1xf32>) -> tensor<8x16x1xf32>
    return %1 : tensor<8x16x1xf32>
  }
  func.func private @dynamic_index_in_dim_15(%arg0: tensor<2x1x1x32xf32>, %arg1: tensor<i32>) -> tensor<1x1x32xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 1, 1, 32] : (tensor<2x1x1x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x1x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x1x1x32xf32>) -> tensor<1x1x32xf32>
    return %1 : tensor<1x1x32xf32>
  }
  func.func private @dynamic_index_in_dim_16(%arg0: tensor<2x8x16x4x8xf32>, %arg1: tensor<i32>) -> tensor<8x16x4x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 16, 4, 8] : (tensor<2x8x16x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x4x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x4x8xf32>) -> tensor<8x16x4x8xf32>
    return %1 : tensor<8x16x4x8xf32>
  }
  func.func private @dynamic_index_in_dim_17(%arg0: tensor<2x8x4x16x16xf32>, %arg1: tensor<i32>) -> tensor<8x4x16x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 4, 16, 16] : (tensor<2x8x4x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x16x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    return %1 : tensor<8x4x16x16xf32>
  }
  func.func private @dynamic_index_in_dim_18(%arg0: tensor<2x8x4x16x1xf32>, %arg1: tensor<i32>) -> tensor<8x4x16x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 4, 16, 1] : (tensor<2x8x4x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x16x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x16x1xf32>) -> tensor<8x4x16x1xf32>
    return %1 : tensor<8x4x16x1xf32>
  }
  func.func private @dynamic_index_in_dim_19(%arg0: tensor<2x8x16x96xf32>, %arg1: tensor<i32>) -> tensor<8x16x96xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 16, 96] : (tensor<2x8x16x96xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16x96xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16x96xf32>) -> tensor<8x16x96xf32>
    return %1 : tensor<8x16x96xf32>
  }
  func.func private @closed_call_20(%arg0: tensor<8x4x16x16xi1>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<8x16x32xf32>, %arg3: tensor<8x16x32xf32>, %arg4: tensor<8x16x1xf32>, %arg5: tensor<8x16x1xf32>, %arg6: tensor<1x1x32xf32>, %arg7: tensor<8x16x32xf32>, %arg8: tensor<32x4x3x8xf32>, %arg9: tensor<8x16x32xf32>, %arg10: tensor<8x16x4x8xf32>, %arg11: tensor<8x16x4x8xf32>, %arg12: tensor<8x4x16x16xf32>, %arg13: tensor<8x4x16x1xf32>, %arg14: tensor<8x4x16x1xf32>, %arg15: tensor<8x4x16x16xf32>, %arg16: tensor<8x16x4x8xf32>, %arg17: tensor<4x8x32xf32>, %arg18: tensor<8x16x4x8xf32>, %arg19: tensor<8x16x32xf32>, %arg20: tensor<8x16x1xf32>, %arg21: tensor<8x16x1xf32>, %arg22: tensor<1x1x32xf32>, %arg23: tensor<8x16x32xf32>, %arg24: tensor<32x96xf32>, %arg25: tensor<8x16x32xf32>, %arg26: tensor<8x16x96xf32>, %arg27: tensor<8x16x96xf32>, %arg28: tensor<8x16x96xf32>, %arg29: tensor<8x16x96xf32>, %arg30: tensor<8x16x96xf32>, %arg31: tensor<96x32xf32>, %arg32: tensor<8x16x96xf32>, %arg33: tensor<8x16x32xf32>, %arg34: tensor<8x16x1xf32>, %arg35: tensor<8x16x1xf32>, %arg36: tensor<1x1x32xf32>, %arg37: tensor<8x16x32xf32>) -> (tensor<8x16x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>) {
    %0 = stablehlo.multiply %arg37, %arg2 : tensor<8x16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.reshape %1 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %3 = stablehlo.broadcast_in_dim %arg36, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %4 = stablehlo.multiply %arg2, %3 : tensor<8x16x32xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %6 = stablehlo.multiply %arg33, %4 : tensor<8x16x32xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %8 = stablehlo.reshape %7 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg35, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %10 = stablehlo.multiply %4, %9 : tensor<8x16x32xf32>
    %11 = stablehlo.multiply %8, %arg34 : tensor<8x16x1xf32>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<8x16x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %16 = stablehlo.multiply %arg33, %15 : tensor<8x16x32xf32>
    %17 = stablehlo.add %10, %16 : tensor<8x16x32xf32>
    %18 = stablehlo.multiply %15, %arg33 : tensor<8x16x32xf32>
    %19 = stablehlo.add %17, %18 : tensor<8x16x32xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %21 = stablehlo.reshape %20 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %23 = stablehlo.dot_general %19, %arg32, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x96xf32>) -> tensor<32x96xf32>
    %24 = stablehlo.transpose %23, dims = [1, 0] : (tensor<32x96xf32>) -> tensor<96x32xf32>
    %25 = stablehlo.dot_general %19, %arg31, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<96x32xf32>) -> tensor<8x16x96xf32>
    %26 = stablehlo.multiply %arg30, %25 : tensor<8x16x96xf32>
    %27 = stablehlo.multiply %25, %arg29 : tensor<8x16x96xf32>
    %cst_6 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %29 = stablehlo.multiply %28, %26 : tensor<8x16x96xf32>
    %30 = stablehlo.multiply %29, %arg28 : tensor<8x16x96xf32>
    %31 = stablehlo.multiply %30, %arg27 : tensor<8x16x96xf32>
    %32 = stablehlo.add %30, %31 : tensor<8x16x96xf32>
    %cst_7 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<8x16x96xf32>
    %35 = stablehlo.add %27, %34 : tensor<8x16x96xf32>
    %cst_8 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %37 = stablehlo.multiply %36, %34 : tensor<8x16x96xf32>
    %38 = stablehlo.multiply %37, %arg26 : tensor<8x16x96xf32>
    %39 = stablehlo.add %35, %38 : tensor<8x16x96xf32>
    %40 = stablehlo.dot_general %39, %arg25, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x96xf32>, tensor<8x16x32xf32>) -> tensor<96x32xf32>
    %41 = stablehlo.transpose %40, dims = [1, 0] : (tensor<96x32xf32>) -> tensor<32x96xf32>
    %42 = stablehlo.dot_general %39, %arg24, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x96xf32>, tensor<32x96xf32>) -> tensor<8x16x32xf32>
    %43 = stablehlo.multiply %arg23, %42 : tensor<8x16x32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_9) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %45 = stablehlo.reshape %44 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %46 = stablehlo.broadcast_in_dim %arg22, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %47 = stablehlo.multiply %42, %46 : tensor<8x16x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%45 init: %cst_10) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %49 = stablehlo.multiply %arg19, %47 : tensor<8x16x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %51 = stablehlo.reshape %50 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %52 = stablehlo.broadcast_in_dim %arg21, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %53 = stablehlo.multiply %47, %52 : tensor<8x16x32xf32>
    %54 = stablehlo.add %arg2, %53 : tensor<8x16x32xf32>
    %55 = stablehlo.multiply %51, %arg20 : tensor<8x16x1xf32>
    %cst_12 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %57 = stablehlo.divide %55, %56 : tensor<8x16x1xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %60 = stablehlo.multiply %arg19, %59 : tensor<8x16x32xf32>
    %61 = stablehlo.add %54, %60 : tensor<8x16x32xf32>
    %62 = stablehlo.multiply %59, %arg19 : tensor<8x16x32xf32>
    %63 = stablehlo.add %61, %62 : tensor<8x16x32xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_14) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %65 = stablehlo.reshape %64 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.reduce(%65 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %67 = stablehlo.dot_general %63, %arg18, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x4x8xf32>) -> tensor<32x4x8xf32>
    %68 = stablehlo.transpose %67, dims = [1, 2, 0] : (tensor<32x4x8xf32>) -> tensor<4x8x32xf32>
    %69 = stablehlo.dot_general %63, %arg17, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<4x8x32xf32>) -> tensor<8x16x4x8xf32>
    %70 = stablehlo.transpose %69, dims = [0, 2, 3, 1] : (tensor<8x16x4x8xf32>) -> tensor<8x4x8x16xf32>
    %71 = stablehlo.dot_general %70, %arg16, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x16xf32>
    %72 = stablehlo.dot_general %70, %arg15, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x8x16xf32>
    %73 = stablehlo.transpose %72, dims = [0, 3, 1, 2] : (tensor<8x4x8x16xf32>) -> tensor<8x16x4x8xf32>
    %74 = stablehlo.broadcast_in_dim %arg14, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %75 = stablehlo.multiply %71, %74 : tensor<8x4x16x16xf32>
    %76 = stablehlo.multiply %75, %arg12 : tensor<8x4x16x16xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%76 init: %cst_16) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %78 = stablehlo.reshape %77 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %79 = stablehlo.negate %78 : tensor<8x4x16x1xf32>
    %80 = stablehlo.broadcast_in_dim %arg13, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %81 = stablehlo.divide %71, %80 : tensor<8x4x16x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%79 init: %cst_17) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x1xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x16xf32>
    %84 = stablehlo.add %81, %83 : tensor<8x4x16x16xf32>
    %85 = stablehlo.multiply %84, %arg12 : tensor<8x4x16x16xf32>
    %86 = call @_where_21(%arg0, %arg1, %85) : (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    %cst_18 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %88 = stablehlo.divide %86, %87 : tensor<8x4x16x16xf32>
    %89 = stablehlo.dot_general %88, %arg11, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
    %90 = stablehlo.transpose %89, dims = [0, 2, 1, 3] : (tensor<8x4x16x8xf32>) -> tensor<8x16x4x8xf32>
    %91 = stablehlo.dot_general %88, %arg10, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
    %92 = stablehlo.transpose %91, dims = [0, 2, 1, 3] : (tensor<8x4x16x8xf32>) -> tensor<8x16x4x8xf32>
    %93 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 4] : (tensor<8x16x4x8xf32>) -> tensor<8x16x4x1x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.pad %93, %cst_19, low = [0, 0, 0, 2, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x16x4x1x8xf32>, tensor<f32>) -> tensor<8x16x4x3x8xf32>
    %95 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2, 4] : (tensor<8x16x4x8xf32>) -> tensor<8x16x4x1x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.pad %95, %cst_20, low = [0, 0, 0, 1, 0], high = [0, 0, 0, 1, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x16x4x1x8xf32>, tensor<f32>) -> tensor<8x16x4x3x8xf32>
    %97 = stablehlo.add %94, %96 : tensor<8x16x4x3x8xf32>
    %98 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2, 4] : (tensor<8x16x4x8xf32>) -> tensor<8x16x4x1x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.pad %98, %cst_21, low = [0, 0, 0, 0, 0], high = [0, 0, 0, 2, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x16x4x1x8xf32>, tensor<f32>) -> tensor<8x16x4x3x8xf32>
    %100 = stablehlo.add %97, %99 : tensor<8x16x4x3x8xf32>
    %101 = stablehlo.dot_general %100, %arg9, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x3x8xf32>, tensor<8x16x32xf32>) -> tensor<4x3x8x32xf32>
    %102 = stablehlo.transpose %101, dims = [3, 0, 1, 2] : (tensor<4x3x8x32xf32>) -> tensor<32x4x3x8xf32>
    %103 = stablehlo.dot_general %100, %arg8, contracting_dims = [2, 3, 4] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x3x8xf32>, tensor<32x4x3x8xf32>) -> tensor<8x16x32xf32>
    %104 = stablehlo.multiply %arg7, %103 : tensor<8x16x32xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.reduce(%104 init: %cst_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %106 = stablehlo.reshape %105 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %107 = stablehlo.broadcast_in_dim %arg6, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %108 = stablehlo.multiply %103, %107 : tensor<8x16x32xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.reduce(%106 init: %cst_23) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %110 = stablehlo.multiply %arg3, %108 : tensor<8x16x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%110 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %112 = stablehlo.reshape %111 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %113 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %114 = stablehlo.multiply %108, %113 : tensor<8x16x32xf32>
    %115 = stablehlo.add %63, %114 : tensor<8x16x32xf32>
    %116 = stablehlo.multiply %112, %arg4 : tensor<8x16x1xf32>
    %cst_25 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %118 = stablehlo.divide %116, %117 : tensor<8x16x1xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.reduce(%118 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %121 = stablehlo.multiply %arg3, %120 : tensor<8x16x32xf32>
    %122 = stablehlo.add %115, %121 : tensor<8x16x32xf32>
    %123 = stablehlo.multiply %120, %arg3 : tensor<8x16x32xf32>
    %124 = stablehlo.add %122, %123 : tensor<8x16x32xf32>
    return %124, %22, %24, %109, %48, %5, %102, %41, %66, %68 : tensor<8x16x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>
  }
  func.func private @_where_21(%arg0: tensor<8x4x16x16xi1>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
    return %1 : tensor<8x4x16x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_22(%arg0: tensor<2x32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<i32>) -> tensor<2x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<2x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> tensor<2x32xf32>
    return %1 : tensor<2x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_23(%arg0: tensor<2x96x32xf32>, %arg1: tensor<96x32xf32>, %arg2: tensor<i32>) -> tensor<2x96x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<96x32xf32>) -> tensor<1x96x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x96x32xf32>, tensor<1x96x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x96x32xf32>
    return %1 : tensor<2x96x32xf32>
  }
  func.func private @dynamic_update_index_in_dim_24(%arg0: tensor<2x32x4x3x8xf32>, %arg1: tensor<32x4x3x8xf32>, %arg2: tensor<i32>) -> tensor<2x32x4x3x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<32x4x3x8xf32>) -> tensor<1x32x4x3x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x32x4x3x8xf32>, tensor<1x32x4x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x32x4x3x8xf32>
    return %1 : tensor<2x32x4x3x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_25(%arg0: tensor<2x32x96xf32>, %arg1: tensor<32x96xf32>, %arg2: tensor<i32>) -> tensor<2x32x96xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<32x96xf32>) -> tensor<1x32x96xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<2x32x96xf32>, tensor<1x32x96xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x32x96xf32>
    return %1 : tensor<2x32x96xf32>
  }
  func.func private @dynamic_update_index_in_dim_26(%arg0: tensor<2x4x8x32xf32>, %arg1: tensor<4x8x32xf32>, %arg2: tensor<i32>) -> tensor<2x4x8x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<4x8x32xf32>) -> tensor<1x4x8x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x4x8x32xf32>, tensor<1x4x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x8x32xf32>
    return %1 : tensor<2x4x8x32xf32>
  }
}
