module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x32xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<32xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<96x32xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<32xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<32xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<32xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<32x4x3x8xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<32x96xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<32xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<4x8x32xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<32xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<96x32xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<32xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<32xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<32xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<32x4x3x8xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<32x96xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<32xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<4x8x32xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<64x32xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<32xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<96x32xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<32xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<32xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<32xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<32x4x3x8xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<32x96xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<32xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<4x8x32xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<32xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<96x32xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<32xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<32xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<32xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<32x4x3x8xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<32x96xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<32xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<4x8x32xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<i32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<64x32xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<32xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<96x32xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<32xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<32xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<32xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<32x4x3x8xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<32x96xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<32xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<4x8x32xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<32xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<96x32xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<32xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<32xf32> {tf.aliasing_output = 52 : i32}, %arg53: tensor<32xf32> {tf.aliasing_output = 53 : i32}, %arg54: tensor<32x4x3x8xf32> {tf.aliasing_output = 54 : i32}, %arg55: tensor<32x96xf32> {tf.aliasing_output = 55 : i32}, %arg56: tensor<32xf32> {tf.aliasing_output = 56 : i32}, %arg57: tensor<4x8x32xf32> {tf.aliasing_output = 57 : i32}, %arg58: tensor<8x16xi32>, %arg59: tensor<8x16xi32>) -> (tensor<64x32xf32> {jax.result_info = "result[0]['embedding']['kernel']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][0]['down']['bias']"}, tensor<96x32xf32> {jax.result_info = "result[0]['layers'][0]['down']['kernel']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][0]['norm1']['scale']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][0]['norm2']['scale']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][0]['norm3']['scale']"}, tensor<32x4x3x8xf32> {jax.result_info = "result[0]['layers'][0]['qkv']['kernel']"}, tensor<32x96xf32> {jax.result_info = "result[0]['layers'][0]['up']['kernel']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][0]['wo']['bias']"}, tensor<4x8x32xf32> {jax.result_info = "result[0]['layers'][0]['wo']['kernel']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][1]['down']['bias']"}, tensor<96x32xf32> {jax.result_info = "result[0]['layers'][1]['down']['kernel']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][1]['norm1']['scale']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][1]['norm2']['scale']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][1]['norm3']['scale']"}, tensor<32x4x3x8xf32> {jax.result_info = "result[0]['layers'][1]['qkv']['kernel']"}, tensor<32x96xf32> {jax.result_info = "result[0]['layers'][1]['up']['kernel']"}, tensor<32xf32> {jax.result_info = "result[0]['layers'][1]['wo']['bias']"}, tensor<4x8x32xf32> {jax.result_info = "result[0]['layers'][1]['wo']['kernel']"}, tensor<64x32xf32> {jax.result_info = "result[1]['m']['embedding']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][0]['down']['bias']"}, tensor<96x32xf32> {jax.result_info = "result[1]['m']['layers'][0]['down']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][0]['norm1']['scale']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][0]['norm2']['scale']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][0]['norm3']['scale']"}, tensor<32x4x3x8xf32> {jax.result_info = "result[1]['m']['layers'][0]['qkv']['kernel']"}, tensor<32x96xf32> {jax.result_info = "result[1]['m']['layers'][0]['up']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][0]['wo']['bias']"}, tensor<4x8x32xf32> {jax.result_info = "result[1]['m']['layers'][0]['wo']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][1]['down']['bias']"}, tensor<96x32xf32> {jax.result_info = "result[1]['m']['layers'][1]['down']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][1]['norm1']['scale']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][1]['norm2']['scale']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][1]['norm3']['scale']"}, tensor<32x4x3x8xf32> {jax.result_info = "result[1]['m']['layers'][1]['qkv']['kernel']"}, tensor<32x96xf32> {jax.result_info = "result[1]['m']['layers'][1]['up']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['m']['layers'][1]['wo']['bias']"}, tensor<4x8x32xf32> {jax.result_info = "result[1]['m']['layers'][1]['wo']['kernel']"}, tensor<i32> {jax.result_info = "result[1]['t']"}, tensor<64x32xf32> {jax.result_info = "result[1]['v']['embedding']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][0]['down']['bias']"}, tensor<96x32xf32> {jax.result_info = "result[1]['v']['layers'][0]['down']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][0]['norm1']['scale']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][0]['norm2']['scale']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][0]['norm3']['scale']"}, tensor<32x4x3x8xf32> {jax.result_info = "result[1]['v']['layers'][0]['qkv']['kernel']"}, tensor<32x96xf32> {jax.result_info = "result[1]['v']['layers'][0]['up']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][0]['wo']['bias']"}, tensor<4x8x32xf32> {jax.result_info = "result[1]['v']['layers'][0]['wo']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][1]['down']['bias']"}, tensor<96x32xf32> {jax.result_info = "result[1]['v']['layers'][1]['down']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][1]['norm1']['scale']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][1]['norm2']['scale']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][1]['norm3']['scale']"}, tensor<32x4x3x8xf32> {jax.result_info = "result[1]['v']['layers'][1]['qkv']['kernel']"}, tensor<32x96xf32> {jax.result_info = "result[1]['v']['layers'][1]['up']['kernel']"}, tensor<32xf32> {jax.result_info = "result[1]['v']['layers'][1]['wo']['bias']"}, tensor<4x8x32xf32> {jax.result_info = "result[1]['v']['layers'][1]['wo']['kernel']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %1 = stablehlo.compare LT, %arg58, %0, SIGNED : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %3 = stablehlo.add %arg58, %2 : tensor<8x16xi32>
    %4 = stablehlo.select %1, %3, %arg58 : tensor<8x16xi1>, tensor<8x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<8x16x1xi32>) -> tensor<8x16x32xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<8x16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8x16x1xf32>
    %cst_2 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<8x16x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<8x16x1xf32>
    %15 = stablehlo.divide %14, %13 : tensor<8x16x1xf32>
    %cst_3 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<8x16x1xf32>
    %18 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %19 = stablehlo.multiply %6, %18 : tensor<8x16x32xf32>
    %20 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %22 = stablehlo.multiply %19, %21 : tensor<8x16x32xf32>
    %23 = stablehlo.dot_general %22, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x4x3x8xf32>) -> tensor<8x16x4x3x8xf32>
    %24 = stablehlo.slice %23 [0:8, 0:16, 0:4, 0:1, 0:8] : (tensor<8x16x4x3x8xf32>) -> tensor<8x16x4x1x8xf32>
    %25 = stablehlo.reshape %24 : (tensor<8x16x4x1x8xf32>) -> tensor<8x16x4x8xf32>
    %26 = stablehlo.slice %23 [0:8, 0:16, 0:4, 1:2, 0:8] : (tensor<8x16x4x3x8xf32>) -> tensor<8x16x4x1x8xf32>
    %27 = stablehlo.reshape %26 : (tensor<8x16x4x1x8xf32>) -> tensor<8x16x4x8xf32>
    %28 = stablehlo.slice %23 [0:8, 0:16, 0:4, 2:3, 0:8] : (tensor<8x16x4x3x8xf32>) -> tensor<8x16x4x1x8xf32>
    %29 = stablehlo.reshape %28 : (tensor<8x16x4x1x8xf32>) -> tensor<8x16x4x8xf32>
    %30 = stablehlo.dot_general %25, %27, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x16xf32>
    %cst_4 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %32 = stablehlo.divide %30, %31 : tensor<8x4x16x16xf32>
    %c_5 = stablehlo.constant dense<true> : tensor<i1>
    %33 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %34 = call @tril(%33) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_6 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %35:3 = call @_where(%34, %32, %cst_6) : (tensor<16x16xi1>, tensor<8x4x16x16xf32>, tensor<f32>) -> (tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>)
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %36 = stablehlo.reduce(%35#0 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %37 = stablehlo.reshape %36 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %39 = stablehlo.compare EQ, %35#0, %38, FLOAT : (tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xi1>
    %40 = stablehlo.convert %39 : (tensor<8x4x16x16xi1>) -> tensor<8x4x16x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %43 = stablehlo.maximum %42, %36 : tensor<8x4x16xf32>
    %44 = stablehlo.compare EQ, %36, %43, FLOAT : (tensor<8x4x16xf32>, tensor<8x4x16xf32>) -> tensor<8x4x16xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %47 = stablehlo.select %44, %45, %46 : tensor<8x4x16xi1>, tensor<8x4x16xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %49 = stablehlo.compare EQ, %48, %43, FLOAT : (tensor<8x4x16xf32>, tensor<8x4x16xf32>) -> tensor<8x4x16xi1>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %52 = stablehlo.select %49, %50, %51 : tensor<8x4x16xi1>, tensor<8x4x16xf32>
    %53 = stablehlo.divide %47, %52 : tensor<8x4x16xf32>
    %54 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %56 = stablehlo.subtract %35#0, %55 : tensor<8x4x16x16xf32>
    %57 = stablehlo.exponential %56 : tensor<8x4x16x16xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_15) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %61 = stablehlo.divide %57, %60 : tensor<8x4x16x16xf32>
    %62 = stablehlo.multiply %59, %59 : tensor<8x4x16x1xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x4x16x1xf32>
    %64 = stablehlo.divide %63, %62 : tensor<8x4x16x1xf32>
    %65 = stablehlo.dot_general %29, %61, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x8xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x8x16xf32>
    %66 = stablehlo.transpose %65, dims = [0, 3, 1, 2] : (tensor<8x4x8x16xf32>) -> tensor<8x16x4x8xf32>
    %67 = stablehlo.dot_general %66, %arg9, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x8xf32>, tensor<4x8x32xf32>) -> tensor<8x16x32xf32>
    %68 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %70 = stablehlo.add %67, %69 : tensor<8x16x32xf32>
    %71 = stablehlo.add %6, %70 : tensor<8x16x32xf32>
    %72 = stablehlo.multiply %71, %71 : tensor<8x16x32xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%72 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_18 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %76 = stablehlo.divide %74, %75 : tensor<8x16x1xf32>
    %cst_19 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %78 = stablehlo.add %76, %77 : tensor<8x16x1xf32>
    %79 = stablehlo.rsqrt %78 : tensor<8x16x1xf32>
    %80 = stablehlo.divide %79, %78 : tensor<8x16x1xf32>
    %cst_20 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %82 = stablehlo.multiply %81, %80 : tensor<8x16x1xf32>
    %83 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %84 = stablehlo.multiply %71, %83 : tensor<8x16x32xf32>
    %85 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %87 = stablehlo.multiply %84, %86 : tensor<8x16x32xf32>
    %88 = stablehlo.dot_general %87, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x96xf32>) -> tensor<8x16x96xf32>
    %89 = stablehlo.multiply %88, %88 : tensor<8x16x96xf32>
    %90 = stablehlo.multiply %89, %88 : tensor<8x16x96xf32>
    %91 = stablehlo.multiply %88, %88 : tensor<8x16x96xf32>
    %cst_21 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %93 = stablehlo.multiply %92, %91 : tensor<8x16x96xf32>
    %cst_22 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %95 = stablehlo.multiply %94, %90 : tensor<8x16x96xf32>
    %96 = stablehlo.add %88, %95 : tensor<8x16x96xf32>
    %cst_23 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %98 = stablehlo.multiply %97, %96 : tensor<8x16x96xf32>
    %99 = stablehlo.tanh %98 : tensor<8x16x96xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %101 = stablehlo.subtract %100, %99 : tensor<8x16x96xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %103 = stablehlo.add %102, %99 : tensor<8x16x96xf32>
    %cst_26 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %105 = stablehlo.multiply %104, %103 : tensor<8x16x96xf32>
    %106 = stablehlo.multiply %88, %105 : tensor<8x16x96xf32>
    %107 = stablehlo.dot_general %106, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x96xf32>, tensor<96x32xf32>) -> tensor<8x16x32xf32>
    %108 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %110 = stablehlo.add %107, %109 : tensor<8x16x32xf32>
    %111 = stablehlo.multiply %110, %110 : tensor<8x16x32xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.reduce(%111 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_28 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %115 = stablehlo.divide %113, %114 : tensor<8x16x1xf32>
    %cst_29 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %117 = stablehlo.add %115, %116 : tensor<8x16x1xf32>
    %118 = stablehlo.rsqrt %117 : tensor<8x16x1xf32>
    %119 = stablehlo.divide %118, %117 : tensor<8x16x1xf32>
    %cst_30 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %121 = stablehlo.multiply %120, %119 : tensor<8x16x1xf32>
    %122 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %123 = stablehlo.multiply %110, %122 : tensor<8x16x32xf32>
    %124 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %126 = stablehlo.multiply %123, %125 : tensor<8x16x32xf32>
    %127 = stablehlo.add %71, %126 : tensor<8x16x32xf32>
    %128 = stablehlo.multiply %127, %127 : tensor<8x16x32xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_32 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %132 = stablehlo.divide %130, %131 : tensor<8x16x1xf32>
    %cst_33 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %134 = stablehlo.add %132, %133 : tensor<8x16x1xf32>
    %135 = stablehlo.rsqrt %134 : tensor<8x16x1xf32>
    %136 = stablehlo.divide %135, %134 : tensor<8x16x1xf32>
    %cst_34 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %138 = stablehlo.multiply %137, %136 : tensor<8x16x1xf32>
    %139 = stablehlo.broadcast_in_dim %135, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %140 = stablehlo.multiply %127, %139 : tensor<8x16x32xf32>
    %141 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %143 = stablehlo.multiply %140, %142 : tensor<8x16x32xf32>
    %144 = stablehlo.dot_general %143, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x4x3x8xf32>) -> tensor<8x16x4x3x8xf32>
    %145 = stablehlo.slice %144 [0:8, 0:16, 0:4, 0:1, 0:8] : (tensor<8x16x4x3x8xf32>) -> tensor<8x16x4x1x8xf32>
    %146 = stablehlo.reshape %145 : (tensor<8x16x4x1x8xf32>) -> tensor<8x16x4x8xf32>
    %147 = stablehlo.slice %144 [0:8, 0:16, 0:4, 1:2, 0:8] : (tensor<8x16x4x3x8xf32>) -> tensor<8x16x4x1x8xf32>
    %148 = stablehlo.reshape %147 : (tensor<8x16x4x1x8xf32>) -> tensor<8x16x4x8xf32>
    %149 = stablehlo.slice %144 [0:8, 0:16, 0:4, 2:3, 0:8] : (tensor<8x16x4x3x8xf32>) -> tensor<8x16x4x1x8xf32>
    %150 = stablehlo.reshape %149 : (tensor<8x16x4x1x8xf32>) -> tensor<8x16x4x8xf32>
    %151 = stablehlo.dot_general %146, %148, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x16xf32>
    %cst_35 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %153 = stablehlo.divide %151, %152 : tensor<8x4x16x16xf32>
    %c_36 = stablehlo.constant dense<true> : tensor<i1>
    %154 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %155 = call @tril(%154) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_37 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %156:3 = call @_where(%155, %153, %cst_37) : (tensor<16x16xi1>, tensor<8x4x16x16xf32>, tensor<f32>) -> (tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>)
    %cst_38 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %157 = stablehlo.reduce(%156#0 init: %cst_38) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %158 = stablehlo.reshape %157 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %159 = stablehlo.broadcast_in_dim %158, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %160 = stablehlo.compare EQ, %156#0, %159, FLOAT : (tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xi1>
    %161 = stablehlo.convert %160 : (tensor<8x4x16x16xi1>) -> tensor<8x4x16x16xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %162 = stablehlo.reduce(%161 init: %cst_39) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %cst_40 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %164 = stablehlo.maximum %163, %157 : tensor<8x4x16xf32>
    %165 = stablehlo.compare EQ, %157, %164, FLOAT : (tensor<8x4x16xf32>, tensor<8x4x16xf32>) -> tensor<8x4x16xi1>
    %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %168 = stablehlo.select %165, %166, %167 : tensor<8x4x16xi1>, tensor<8x4x16xf32>
    %cst_43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %170 = stablehlo.compare EQ, %169, %164, FLOAT : (tensor<8x4x16xf32>, tensor<8x4x16xf32>) -> tensor<8x4x16xi1>
    %cst_44 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %173 = stablehlo.select %170, %171, %172 : tensor<8x4x16xi1>, tensor<8x4x16xf32>
    %174 = stablehlo.divide %168, %173 : tensor<8x4x16xf32>
    %175 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %177 = stablehlo.subtract %156#0, %176 : tensor<8x4x16x16xf32>
    %178 = stablehlo.exponential %177 : tensor<8x4x16x16xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.reduce(%178 init: %cst_46) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %180 = stablehlo.broadcast_in_dim %179, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %182 = stablehlo.divide %178, %181 : tensor<8x4x16x16xf32>
    %183 = stablehlo.multiply %180, %180 : tensor<8x4x16x1xf32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8x4x16x1xf32>
    %185 = stablehlo.divide %184, %183 : tensor<8x4x16x1xf32>
    %186 = stablehlo.dot_general %150, %182, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x8xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x8x16xf32>
    %187 = stablehlo.transpose %186, dims = [0, 3, 1, 2] : (tensor<8x4x8x16xf32>) -> tensor<8x16x4x8xf32>
    %188 = stablehlo.dot_general %187, %arg18, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x8xf32>, tensor<4x8x32xf32>) -> tensor<8x16x32xf32>
    %189 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %191 = stablehlo.add %188, %190 : tensor<8x16x32xf32>
    %192 = stablehlo.add %127, %191 : tensor<8x16x32xf32>
    %193 = stablehlo.multiply %192, %192 : tensor<8x16x32xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %194 = stablehlo.reduce(%193 init: %cst_48) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_49 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %197 = stablehlo.divide %195, %196 : tensor<8x16x1xf32>
    %cst_50 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %199 = stablehlo.add %197, %198 : tensor<8x16x1xf32>
    %200 = stablehlo.rsqrt %199 : tensor<8x16x1xf32>
    %201 = stablehlo.divide %200, %199 : tensor<8x16x1xf32>
    %cst_51 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %203 = stablehlo.multiply %202, %201 : tensor<8x16x1xf32>
    %204 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %205 = stablehlo.multiply %192, %204 : tensor<8x16x32xf32>
    %206 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %208 = stablehlo.multiply %205, %207 : tensor<8x16x32xf32>
    %209 = stablehlo.dot_general %208, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x96xf32>) -> tensor<8x16x96xf32>
    %210 = stablehlo.multiply %209, %209 : tensor<8x16x96xf32>
    %211 = stablehlo.multiply %210, %209 : tensor<8x16x96xf32>
    %212 = stablehlo.multiply %209, %209 : tensor<8x16x96xf32>
    %cst_52 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %214 = stablehlo.multiply %213, %212 : tensor<8x16x96xf32>
    %cst_53 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %216 = stablehlo.multiply %215, %211 : tensor<8x16x96xf32>
    %217 = stablehlo.add %209, %216 : tensor<8x16x96xf32>
    %cst_54 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %219 = stablehlo.multiply %218, %217 : tensor<8x16x96xf32>
    %220 = stablehlo.tanh %219 : tensor<8x16x96xf32>
    %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %222 = stablehlo.subtract %221, %220 : tensor<8x16x96xf32>
    %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %224 = stablehlo.add %223, %220 : tensor<8x16x96xf32>
    %cst_57 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %226 = stablehlo.multiply %225, %224 : tensor<8x16x96xf32>
    %227 = stablehlo.multiply %209, %226 : tensor<8x16x96xf32>
    %228 = stablehlo.dot_general %227, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x96xf32>, tensor<96x32xf32>) -> tensor<8x16x32xf32>
    %229 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %231 = stablehlo.add %228, %230 : tensor<8x16x32xf32>
    %232 = stablehlo.multiply %231, %231 : tensor<8x16x32xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %233 = stablehlo.reduce(%232 init: %cst_58) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_59 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %235 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %236 = stablehlo.divide %234, %235 : tensor<8x16x1xf32>
    %cst_60 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %238 = stablehlo.add %236, %237 : tensor<8x16x1xf32>
    %239 = stablehlo.rsqrt %238 : tensor<8x16x1xf32>
    %240 = stablehlo.divide %239, %238 : tensor<8x16x1xf32>
    %cst_61 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %242 = stablehlo.multiply %241, %240 : tensor<8x16x1xf32>
    %243 = stablehlo.broadcast_in_dim %239, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %244 = stablehlo.multiply %231, %243 : tensor<8x16x32xf32>
    %245 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %246 = stablehlo.broadcast_in_dim %245, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %247 = stablehlo.multiply %244, %246 : tensor<8x16x32xf32>
    %248 = stablehlo.add %192, %247 : tensor<8x16x32xf32>
    %249 = stablehlo.dot_general %248, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<64x32xf32>) -> tensor<8x16x64xf32>
    %250:3 = call @log_softmax(%249) : (tensor<8x16x64xf32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x1xf32>)
    %251 = stablehlo.broadcast_in_dim %arg59, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %252:2 = call @take_along_axis(%250#0, %251) : (tensor<8x16x64xf32>, tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>)
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %253 = stablehlo.reduce(%252#0 init: %cst_62) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_63 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %254 = stablehlo.divide %253, %cst_63 : tensor<f32>
    %255 = stablehlo.negate %254 : tensor<f32>
    %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %256 = stablehlo.negate %cst_64 : tensor<f32>
    %cst_65 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %257 = stablehlo.divide %256, %cst_65 : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %257, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %259 = call @take_along_axis_0(%252#1, %258) : (tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    %260 = call @log_softmax_1(%250#1, %250#2, %259) : (tensor<8x16x64xf32>, tensor<8x16x1xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %261 = stablehlo.dot_general %260, %248, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
    %262 = stablehlo.dot_general %260, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<64x32xf32>) -> tensor<8x16x32xf32>
    %263 = stablehlo.multiply %244, %262 : tensor<8x16x32xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %264 = stablehlo.reduce(%263 init: %cst_66) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %265 = stablehlo.reshape %264 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %266 = stablehlo.broadcast_in_dim %245, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %267 = stablehlo.multiply %262, %266 : tensor<8x16x32xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.reduce(%265 init: %cst_67) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %269 = stablehlo.multiply %231, %267 : tensor<8x16x32xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %270 = stablehlo.reduce(%269 init: %cst_68) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %271 = stablehlo.reshape %270 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %272 = stablehlo.broadcast_in_dim %239, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %273 = stablehlo.multiply %267, %272 : tensor<8x16x32xf32>
    %274 = stablehlo.multiply %271, %242 : tensor<8x16x1xf32>
    %cst_69 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %275 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %276 = stablehlo.divide %274, %275 : tensor<8x16x1xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %277 = stablehlo.reduce(%276 init: %cst_70) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %278 = stablehlo.broadcast_in_dim %277, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %279 = stablehlo.multiply %231, %278 : tensor<8x16x32xf32>
    %280 = stablehlo.add %273, %279 : tensor<8x16x32xf32>
    %281 = stablehlo.multiply %278, %231 : tensor<8x16x32xf32>
    %282 = stablehlo.add %280, %281 : tensor<8x16x32xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.reduce(%282 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %284 = stablehlo.reshape %283 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %285 = stablehlo.reduce(%284 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %286 = stablehlo.dot_general %282, %227, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x96xf32>) -> tensor<32x96xf32>
    %287 = stablehlo.transpose %286, dims = [1, 0] : (tensor<32x96xf32>) -> tensor<96x32xf32>
    %288 = stablehlo.dot_general %282, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<96x32xf32>) -> tensor<8x16x96xf32>
    %289 = stablehlo.multiply %209, %288 : tensor<8x16x96xf32>
    %290 = stablehlo.multiply %288, %226 : tensor<8x16x96xf32>
    %cst_73 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %291 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %292 = stablehlo.multiply %291, %289 : tensor<8x16x96xf32>
    %293 = stablehlo.multiply %292, %222 : tensor<8x16x96xf32>
    %294 = stablehlo.multiply %293, %220 : tensor<8x16x96xf32>
    %295 = stablehlo.add %293, %294 : tensor<8x16x96xf32>
    %cst_74 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %297 = stablehlo.multiply %296, %295 : tensor<8x16x96xf32>
    %298 = stablehlo.add %290, %297 : tensor<8x16x96xf32>
    %cst_75 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %299 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %300 = stablehlo.multiply %299, %297 : tensor<8x16x96xf32>
    %301 = stablehlo.multiply %300, %214 : tensor<8x16x96xf32>
    %302 = stablehlo.add %298, %301 : tensor<8x16x96xf32>
    %303 = stablehlo.dot_general %302, %208, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x96xf32>, tensor<8x16x32xf32>) -> tensor<96x32xf32>
    %304 = stablehlo.transpose %303, dims = [1, 0] : (tensor<96x32xf32>) -> tensor<32x96xf32>
    %305 = stablehlo.dot_general %302, %arg16, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x96xf32>, tensor<32x96xf32>) -> tensor<8x16x32xf32>
    %306 = stablehlo.multiply %205, %305 : tensor<8x16x32xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.reduce(%306 init: %cst_76) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %308 = stablehlo.reshape %307 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %309 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %310 = stablehlo.multiply %305, %309 : tensor<8x16x32xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %311 = stablehlo.reduce(%308 init: %cst_77) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %312 = stablehlo.multiply %192, %310 : tensor<8x16x32xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %313 = stablehlo.reduce(%312 init: %cst_78) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %314 = stablehlo.reshape %313 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %315 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %316 = stablehlo.multiply %310, %315 : tensor<8x16x32xf32>
    %317 = stablehlo.add %262, %316 : tensor<8x16x32xf32>
    %318 = stablehlo.multiply %314, %203 : tensor<8x16x1xf32>
    %cst_79 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %320 = stablehlo.divide %318, %319 : tensor<8x16x1xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %321 = stablehlo.reduce(%320 init: %cst_80) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %322 = stablehlo.broadcast_in_dim %321, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %323 = stablehlo.multiply %192, %322 : tensor<8x16x32xf32>
    %324 = stablehlo.add %317, %323 : tensor<8x16x32xf32>
    %325 = stablehlo.multiply %322, %192 : tensor<8x16x32xf32>
    %326 = stablehlo.add %324, %325 : tensor<8x16x32xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %327 = stablehlo.reduce(%326 init: %cst_81) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %328 = stablehlo.reshape %327 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %329 = stablehlo.reduce(%328 init: %cst_82) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %330 = stablehlo.dot_general %326, %187, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x4x8xf32>) -> tensor<32x4x8xf32>
    %331 = stablehlo.transpose %330, dims = [1, 2, 0] : (tensor<32x4x8xf32>) -> tensor<4x8x32xf32>
    %332 = stablehlo.dot_general %326, %arg18, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<4x8x32xf32>) -> tensor<8x16x4x8xf32>
    %333 = stablehlo.transpose %332, dims = [0, 2, 3, 1] : (tensor<8x16x4x8xf32>) -> tensor<8x4x8x16xf32>
    %334 = stablehlo.dot_general %333, %150, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x16xf32>
    %335 = stablehlo.dot_general %333, %182, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x8x16xf32>
    %336 = stablehlo.transpose %335, dims = [0, 3, 1, 2] : (tensor<8x4x8x16xf32>) -> tensor<8x16x4x8xf32>
    %337 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %338 = stablehlo.multiply %334, %337 : tensor<8x4x16x16xf32>
    %339 = stablehlo.multiply %338, %178 : tensor<8x4x16x16xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.reduce(%339 init: %cst_83) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %341 = stablehlo.reshape %340 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %342 = stablehlo.negate %341 : tensor<8x4x16x1xf32>
    %343 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %344 = stablehlo.divide %334, %343 : tensor<8x4x16x16xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %345 = stablehlo.reduce(%342 init: %cst_84) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x1xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %346 = stablehlo.broadcast_in_dim %345, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x16xf32>
    %347 = stablehlo.add %344, %346 : tensor<8x4x16x16xf32>
    %348 = stablehlo.multiply %347, %178 : tensor<8x4x16x16xf32>
    %349 = call @_where_2(%156#1, %156#2, %348) : (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    %cst_85 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %350 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %351 = stablehlo.divide %349, %350 : tensor<8x4x16x16xf32>
    %352 = stablehlo.dot_general %351, %146, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
    %353 = stablehlo.transpose %352, dims = [0, 2, 1, 3] : (tensor<8x4x16x8xf32>) -> tensor<8x16x4x8xf32>
    %354 = stablehlo.dot_general %351, %148, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
    %355 = stablehlo.transpose %354, dims = [0, 2, 1, 3] : (tensor<8x4x16x8xf32>) -> tensor<8x16x4x8xf32>
    %356 = stablehlo.broadcast_in_dim %336, dims = [0, 1, 2, 4] : (tensor<8x16x4x8xf32>) -> tensor<8x16x4x1x8xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %357 = stablehlo.pad %356, %cst_86, low = [0, 0, 0, 2, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x16x4x1x8xf32>, tensor<f32>) -> tensor<8x16x4x3x8xf32>
    %358 = stablehlo.broadcast_in_dim %353, dims = [0, 1, 2, 4] : (tensor<8x16x4x8xf32>) -> tensor<8x16x4x1x8xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %359 = stablehlo.pad %358, %cst_87, low = [0, 0, 0, 1, 0], high = [0, 0, 0, 1, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x16x4x1x8xf32>, tensor<f32>) -> tensor<8x16x4x3x8xf32>
    %360 = stablehlo.add %357, %359 : tensor<8x16x4x3x8xf32>
    %361 = stablehlo.broadcast_in_dim %355, dims = [0, 1, 2, 4] : (tensor<8x16x4x8xf32>) -> tensor<8x16x4x1x8xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %362 = stablehlo.pad %361, %cst_88, low = [0, 0, 0, 0, 0], high = [0, 0, 0, 2, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x16x4x1x8xf32>, tensor<f32>) -> tensor<8x16x4x3x8xf32>
    %363 = stablehlo.add %360, %362 : tensor<8x16x4x3x8xf32>
    %364 = stablehlo.dot_general %363, %143, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x3x8xf32>, tensor<8x16x32xf32>) -> tensor<4x3x8x32xf32>
    %365 = stablehlo.transpose %364, dims = [3, 0, 1, 2] : (tensor<4x3x8x32xf32>) -> tensor<32x4x3x8xf32>
    %366 = stablehlo.dot_general %363, %arg15, contracting_dims = [2, 3, 4] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x3x8xf32>, tensor<32x4x3x8xf32>) -> tensor<8x16x32xf32>
    %367 = stablehlo.multiply %140, %366 : tensor<8x16x32xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %368 = stablehlo.reduce(%367 init: %cst_89) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %369 = stablehlo.reshape %368 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %370 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %371 = stablehlo.multiply %366, %370 : tensor<8x16x32xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %372 = stablehlo.reduce(%369 init: %cst_90) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %373 = stablehlo.multiply %127, %371 : tensor<8x16x32xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %374 = stablehlo.reduce(%373 init: %cst_91) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %375 = stablehlo.reshape %374 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %376 = stablehlo.broadcast_in_dim %135, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %377 = stablehlo.multiply %371, %376 : tensor<8x16x32xf32>
    %378 = stablehlo.add %326, %377 : tensor<8x16x32xf32>
    %379 = stablehlo.multiply %375, %138 : tensor<8x16x1xf32>
    %cst_92 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %380 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %381 = stablehlo.divide %379, %380 : tensor<8x16x1xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %382 = stablehlo.reduce(%381 init: %cst_93) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %383 = stablehlo.broadcast_in_dim %382, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %384 = stablehlo.multiply %127, %383 : tensor<8x16x32xf32>
    %385 = stablehlo.add %378, %384 : tensor<8x16x32xf32>
    %386 = stablehlo.multiply %383, %127 : tensor<8x16x32xf32>
    %387 = stablehlo.add %385, %386 : tensor<8x16x32xf32>
    %388 = stablehlo.multiply %123, %387 : tensor<8x16x32xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %389 = stablehlo.reduce(%388 init: %cst_94) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %390 = stablehlo.reshape %389 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %391 = stablehlo.broadcast_in_dim %124, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %392 = stablehlo.multiply %387, %391 : tensor<8x16x32xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %393 = stablehlo.reduce(%390 init: %cst_95) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %394 = stablehlo.multiply %110, %392 : tensor<8x16x32xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %395 = stablehlo.reduce(%394 init: %cst_96) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %396 = stablehlo.reshape %395 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %397 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %398 = stablehlo.multiply %392, %397 : tensor<8x16x32xf32>
    %399 = stablehlo.multiply %396, %121 : tensor<8x16x1xf32>
    %cst_97 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %400 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %401 = stablehlo.divide %399, %400 : tensor<8x16x1xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %402 = stablehlo.reduce(%401 init: %cst_98) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %403 = stablehlo.broadcast_in_dim %402, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %404 = stablehlo.multiply %110, %403 : tensor<8x16x32xf32>
    %405 = stablehlo.add %398, %404 : tensor<8x16x32xf32>
    %406 = stablehlo.multiply %403, %110 : tensor<8x16x32xf32>
    %407 = stablehlo.add %405, %406 : tensor<8x16x32xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %408 = stablehlo.reduce(%407 init: %cst_99) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %409 = stablehlo.reshape %408 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %410 = stablehlo.reduce(%409 init: %cst_100) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %411 = stablehlo.dot_general %407, %106, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x96xf32>) -> tensor<32x96xf32>
    %412 = stablehlo.transpose %411, dims = [1, 0] : (tensor<32x96xf32>) -> tensor<96x32xf32>
    %413 = stablehlo.dot_general %407, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<96x32xf32>) -> tensor<8x16x96xf32>
    %414 = stablehlo.multiply %88, %413 : tensor<8x16x96xf32>
    %415 = stablehlo.multiply %413, %105 : tensor<8x16x96xf32>
    %cst_101 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %416 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %417 = stablehlo.multiply %416, %414 : tensor<8x16x96xf32>
    %418 = stablehlo.multiply %417, %101 : tensor<8x16x96xf32>
    %419 = stablehlo.multiply %418, %99 : tensor<8x16x96xf32>
    %420 = stablehlo.add %418, %419 : tensor<8x16x96xf32>
    %cst_102 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %421 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %422 = stablehlo.multiply %421, %420 : tensor<8x16x96xf32>
    %423 = stablehlo.add %415, %422 : tensor<8x16x96xf32>
    %cst_103 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<8x16x96xf32>
    %425 = stablehlo.multiply %424, %422 : tensor<8x16x96xf32>
    %426 = stablehlo.multiply %425, %93 : tensor<8x16x96xf32>
    %427 = stablehlo.add %423, %426 : tensor<8x16x96xf32>
    %428 = stablehlo.dot_general %427, %87, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x96xf32>, tensor<8x16x32xf32>) -> tensor<96x32xf32>
    %429 = stablehlo.transpose %428, dims = [1, 0] : (tensor<96x32xf32>) -> tensor<32x96xf32>
    %430 = stablehlo.dot_general %427, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x96xf32>, tensor<32x96xf32>) -> tensor<8x16x32xf32>
    %431 = stablehlo.multiply %84, %430 : tensor<8x16x32xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %432 = stablehlo.reduce(%431 init: %cst_104) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %433 = stablehlo.reshape %432 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %434 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %435 = stablehlo.multiply %430, %434 : tensor<8x16x32xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %436 = stablehlo.reduce(%433 init: %cst_105) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %437 = stablehlo.multiply %71, %435 : tensor<8x16x32xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %438 = stablehlo.reduce(%437 init: %cst_106) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %439 = stablehlo.reshape %438 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %440 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %441 = stablehlo.multiply %435, %440 : tensor<8x16x32xf32>
    %442 = stablehlo.add %387, %441 : tensor<8x16x32xf32>
    %443 = stablehlo.multiply %439, %82 : tensor<8x16x1xf32>
    %cst_107 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %445 = stablehlo.divide %443, %444 : tensor<8x16x1xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %446 = stablehlo.reduce(%445 init: %cst_108) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %447 = stablehlo.broadcast_in_dim %446, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %448 = stablehlo.multiply %71, %447 : tensor<8x16x32xf32>
    %449 = stablehlo.add %442, %448 : tensor<8x16x32xf32>
    %450 = stablehlo.multiply %447, %71 : tensor<8x16x32xf32>
    %451 = stablehlo.add %449, %450 : tensor<8x16x32xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %452 = stablehlo.reduce(%451 init: %cst_109) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %453 = stablehlo.reshape %452 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %454 = stablehlo.reduce(%453 init: %cst_110) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %455 = stablehlo.dot_general %451, %66, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x4x8xf32>) -> tensor<32x4x8xf32>
    %456 = stablehlo.transpose %455, dims = [1, 2, 0] : (tensor<32x4x8xf32>) -> tensor<4x8x32xf32>
    %457 = stablehlo.dot_general %451, %arg9, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<4x8x32xf32>) -> tensor<8x16x4x8xf32>
    %458 = stablehlo.transpose %457, dims = [0, 2, 3, 1] : (tensor<8x16x4x8xf32>) -> tensor<8x4x8x16xf32>
    %459 = stablehlo.dot_general %458, %29, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x16xf32>
    %460 = stablehlo.dot_general %458, %61, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x8x16xf32>
    %461 = stablehlo.transpose %460, dims = [0, 3, 1, 2] : (tensor<8x4x8x16xf32>) -> tensor<8x16x4x8xf32>
    %462 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %463 = stablehlo.multiply %459, %462 : tensor<8x4x16x16xf32>
    %464 = stablehlo.multiply %463, %57 : tensor<8x4x16x16xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %465 = stablehlo.reduce(%464 init: %cst_111) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x16xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %466 = stablehlo.reshape %465 : (tensor<8x4x16xf32>) -> tensor<8x4x16x1xf32>
    %467 = stablehlo.negate %466 : tensor<8x4x16x1xf32>
    %468 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2, 3] : (tensor<8x4x16x1xf32>) -> tensor<8x4x16x16xf32>
    %469 = stablehlo.divide %459, %468 : tensor<8x4x16x16xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %470 = stablehlo.reduce(%467 init: %cst_112) applies stablehlo.add across dimensions = [3] : (tensor<8x4x16x1xf32>, tensor<f32>) -> tensor<8x4x16xf32>
    %471 = stablehlo.broadcast_in_dim %470, dims = [0, 1, 2] : (tensor<8x4x16xf32>) -> tensor<8x4x16x16xf32>
    %472 = stablehlo.add %469, %471 : tensor<8x4x16x16xf32>
    %473 = stablehlo.multiply %472, %57 : tensor<8x4x16x16xf32>
    %474 = call @_where_2(%35#1, %35#2, %473) : (tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>, tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32>
    %cst_113 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %475 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %476 = stablehlo.divide %474, %475 : tensor<8x4x16x16xf32>
    %477 = stablehlo.dot_general %476, %25, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
    %478 = stablehlo.transpose %477, dims = [0, 2, 1, 3] : (tensor<8x4x16x8xf32>) -> tensor<8x16x4x8xf32>
    %479 = stablehlo.dot_general %476, %27, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x16xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x8xf32>
    %480 = stablehlo.transpose %479, dims = [0, 2, 1, 3] : (tensor<8x4x16x8xf32>) -> tensor<8x16x4x8xf32>
    %481 = stablehlo.broadcast_in_dim %461, dims = [0, 1, 2, 4] : (tensor<8x16x4x8xf32>) -> tensor<8x16x4x1x8xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %482 = stablehlo.pad %481, %cst_114, low = [0, 0, 0, 2, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x16x4x1x8xf32>, tensor<f32>) -> tensor<8x16x4x3x8xf32>
    %483 = stablehlo.broadcast_in_dim %478, dims = [0, 1, 2, 4] : (tensor<8x16x4x8xf32>) -> tensor<8x16x4x1x8xf32>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %484 = stablehlo.pad %483, %cst_115, low = [0, 0, 0, 1, 0], high = [0, 0, 0, 1, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x16x4x1x8xf32>, tensor<f32>) -> tensor<8x16x4x3x8xf32>
    %485 = stablehlo.add %482, %484 : tensor<8x16x4x3x8xf32>
    %486 = stablehlo.broadcast_in_dim %480, dims = [0, 1, 2, 4] : (tensor<8x16x4x8xf32>) -> tensor<8x16x4x1x8xf32>
    %cst_116 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %487 = stablehlo.pad %486, %cst_116, low = [0, 0, 0, 0, 0], high = [0, 0, 0, 2, 0], interior = [0, 0, 0, 0, 0] : (tensor<8x16x4x1x8xf32>, tensor<f32>) -> tensor<8x16x4x3x8xf32>
    %488 = stablehlo.add %485, %487 : tensor<8x16x4x3x8xf32>
    %489 = stablehlo.dot_general %488, %22, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x3x8xf32>, tensor<8x16x32xf32>) -> tensor<4x3x8x32xf32>
    %490 = stablehlo.transpose %489, dims = [3, 0, 1, 2] : (tensor<4x3x8x32xf32>) -> tensor<32x4x3x8xf32>
    %491 = stablehlo.dot_general %488, %arg6, contracting_dims = [2, 3, 4] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<8x16x4x3x8xf32>, tensor<32x4x3x8xf32>) -> tensor<8x16x32xf32>
    %492 = stablehlo.multiply %19, %491 : tensor<8x16x32xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %493 = stablehlo.reduce(%492 init: %cst_117) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %494 = stablehlo.reshape %493 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %495 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %496 = stablehlo.multiply %491, %495 : tensor<8x16x32xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %497 = stablehlo.reduce(%494 init: %cst_118) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %498 = stablehlo.multiply %6, %496 : tensor<8x16x32xf32>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %499 = stablehlo.reduce(%498 init: %cst_119) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %500 = stablehlo.reshape %499 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %501 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %502 = stablehlo.multiply %496, %501 : tensor<8x16x32xf32>
    %503 = stablehlo.add %451, %502 : tensor<8x16x32xf32>
    %504 = stablehlo.multiply %500, %17 : tensor<8x16x1xf32>
    %cst_120 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %505 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %506 = stablehlo.divide %504, %505 : tensor<8x16x1xf32>
    %cst_121 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %507 = stablehlo.reduce(%506 init: %cst_121) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %508 = stablehlo.broadcast_in_dim %507, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %509 = stablehlo.multiply %6, %508 : tensor<8x16x32xf32>
    %510 = stablehlo.add %503, %509 : tensor<8x16x32xf32>
    %511 = stablehlo.multiply %508, %6 : tensor<8x16x32xf32>
    %512 = stablehlo.add %510, %511 : tensor<8x16x32xf32>
    %cst_122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %513 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %514 = "stablehlo.scatter"(%513, %5, %512) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg60: tensor<f32>, %arg61: tensor<f32>):
      %940 = stablehlo.add %arg60, %arg61 : tensor<f32>
      stablehlo.return %940 : tensor<f32>
    }) : (tensor<64x32xf32>, tensor<8x16x1xi32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
    %515 = stablehlo.add %261, %514 : tensor<64x32xf32>
    %c_123 = stablehlo.constant dense<1> : tensor<i32>
    %516 = stablehlo.add %arg38, %c_123 : tensor<i32>
    %cst_124 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %517 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %518 = stablehlo.multiply %517, %arg19 : tensor<64x32xf32>
    %cst_125 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %519 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %520 = stablehlo.multiply %519, %515 : tensor<64x32xf32>
    %521 = stablehlo.add %518, %520 : tensor<64x32xf32>
    %cst_126 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %522 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %523 = stablehlo.multiply %522, %arg20 : tensor<32xf32>
    %cst_127 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %525 = stablehlo.multiply %524, %410 : tensor<32xf32>
    %526 = stablehlo.add %523, %525 : tensor<32xf32>
    %cst_128 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %528 = stablehlo.multiply %527, %arg21 : tensor<96x32xf32>
    %cst_129 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %529 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %530 = stablehlo.multiply %529, %412 : tensor<96x32xf32>
    %531 = stablehlo.add %528, %530 : tensor<96x32xf32>
    %cst_130 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %532 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %533 = stablehlo.multiply %532, %arg22 : tensor<32xf32>
    %cst_131 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %534 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %535 = stablehlo.multiply %534, %497 : tensor<32xf32>
    %536 = stablehlo.add %533, %535 : tensor<32xf32>
    %cst_132 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %537 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %538 = stablehlo.multiply %537, %arg23 : tensor<32xf32>
    %cst_133 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %540 = stablehlo.multiply %539, %436 : tensor<32xf32>
    %541 = stablehlo.add %538, %540 : tensor<32xf32>
    %cst_134 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %542 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %543 = stablehlo.multiply %542, %arg24 : tensor<32xf32>
    %cst_135 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %544 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %545 = stablehlo.multiply %544, %393 : tensor<32xf32>
    %546 = stablehlo.add %543, %545 : tensor<32xf32>
    %cst_136 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %547 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %548 = stablehlo.multiply %547, %arg25 : tensor<32x4x3x8xf32>
    %cst_137 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %549 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %550 = stablehlo.multiply %549, %490 : tensor<32x4x3x8xf32>
    %551 = stablehlo.add %548, %550 : tensor<32x4x3x8xf32>
    %cst_138 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %552 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %553 = stablehlo.multiply %552, %arg26 : tensor<32x96xf32>
    %cst_139 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %554 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %555 = stablehlo.multiply %554, %429 : tensor<32x96xf32>
    %556 = stablehlo.add %553, %555 : tensor<32x96xf32>
    %cst_140 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %557 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %558 = stablehlo.multiply %557, %arg27 : tensor<32xf32>
    %cst_141 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %560 = stablehlo.multiply %559, %454 : tensor<32xf32>
    %561 = stablehlo.add %558, %560 : tensor<32xf32>
    %cst_142 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %562 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %563 = stablehlo.multiply %562, %arg28 : tensor<4x8x32xf32>
    %cst_143 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %564 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %565 = stablehlo.multiply %564, %456 : tensor<4x8x32xf32>
    %566 = stablehlo.add %563, %565 : tensor<4x8x32xf32>
    %cst_144 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %567 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %568 = stablehlo.multiply %567, %arg29 : tensor<32xf32>
    %cst_145 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %569 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %570 = stablehlo.multiply %569, %285 : tensor<32xf32>
    %571 = stablehlo.add %568, %570 : tensor<32xf32>
    %cst_146 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %572 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %573 = stablehlo.multiply %572, %arg30 : tensor<96x32xf32>
    %cst_147 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %575 = stablehlo.multiply %574, %287 : tensor<96x32xf32>
    %576 = stablehlo.add %573, %575 : tensor<96x32xf32>
    %cst_148 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %577 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %578 = stablehlo.multiply %577, %arg31 : tensor<32xf32>
    %cst_149 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %579 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %580 = stablehlo.multiply %579, %372 : tensor<32xf32>
    %581 = stablehlo.add %578, %580 : tensor<32xf32>
    %cst_150 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %582 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %583 = stablehlo.multiply %582, %arg32 : tensor<32xf32>
    %cst_151 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %584 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %585 = stablehlo.multiply %584, %311 : tensor<32xf32>
    %586 = stablehlo.add %583, %585 : tensor<32xf32>
    %cst_152 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %587 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %588 = stablehlo.multiply %587, %arg33 : tensor<32xf32>
    %cst_153 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %589 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %590 = stablehlo.multiply %589, %268 : tensor<32xf32>
    %591 = stablehlo.add %588, %590 : tensor<32xf32>
    %cst_154 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %592 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %593 = stablehlo.multiply %592, %arg34 : tensor<32x4x3x8xf32>
    %cst_155 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %594 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %595 = stablehlo.multiply %594, %365 : tensor<32x4x3x8xf32>
    %596 = stablehlo.add %593, %595 : tensor<32x4x3x8xf32>
    %cst_156 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %597 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %598 = stablehlo.multiply %597, %arg35 : tensor<32x96xf32>
    %cst_157 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %599 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %600 = stablehlo.multiply %599, %304 : tensor<32x96xf32>
    %601 = stablehlo.add %598, %600 : tensor<32x96xf32>
    %cst_158 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %602 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %603 = stablehlo.multiply %602, %arg36 : tensor<32xf32>
    %cst_159 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %604 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %605 = stablehlo.multiply %604, %329 : tensor<32xf32>
    %606 = stablehlo.add %603, %605 : tensor<32xf32>
    %cst_160 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %607 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %608 = stablehlo.multiply %607, %arg37 : tensor<4x8x32xf32>
    %cst_161 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %609 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %610 = stablehlo.multiply %609, %331 : tensor<4x8x32xf32>
    %611 = stablehlo.add %608, %610 : tensor<4x8x32xf32>
    %cst_162 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %612 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %613 = stablehlo.multiply %612, %arg39 : tensor<64x32xf32>
    %cst_163 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %614 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %615 = stablehlo.multiply %614, %515 : tensor<64x32xf32>
    %616 = stablehlo.multiply %615, %515 : tensor<64x32xf32>
    %617 = stablehlo.add %613, %616 : tensor<64x32xf32>
    %cst_164 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %618 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %619 = stablehlo.multiply %618, %arg40 : tensor<32xf32>
    %cst_165 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %620 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %621 = stablehlo.multiply %620, %410 : tensor<32xf32>
    %622 = stablehlo.multiply %621, %410 : tensor<32xf32>
    %623 = stablehlo.add %619, %622 : tensor<32xf32>
    %cst_166 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %624 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %625 = stablehlo.multiply %624, %arg41 : tensor<96x32xf32>
    %cst_167 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %626 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %627 = stablehlo.multiply %626, %412 : tensor<96x32xf32>
    %628 = stablehlo.multiply %627, %412 : tensor<96x32xf32>
    %629 = stablehlo.add %625, %628 : tensor<96x32xf32>
    %cst_168 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %630 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %631 = stablehlo.multiply %630, %arg42 : tensor<32xf32>
    %cst_169 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %632 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %633 = stablehlo.multiply %632, %497 : tensor<32xf32>
    %634 = stablehlo.multiply %633, %497 : tensor<32xf32>
    %635 = stablehlo.add %631, %634 : tensor<32xf32>
    %cst_170 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %636 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %637 = stablehlo.multiply %636, %arg43 : tensor<32xf32>
    %cst_171 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %638 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %639 = stablehlo.multiply %638, %436 : tensor<32xf32>
    %640 = stablehlo.multiply %639, %436 : tensor<32xf32>
    %641 = stablehlo.add %637, %640 : tensor<32xf32>
    %cst_172 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %642 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %643 = stablehlo.multiply %642, %arg44 : tensor<32xf32>
    %cst_173 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %644 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %645 = stablehlo.multiply %644, %393 : tensor<32xf32>
    %646 = stablehlo.multiply %645, %393 : tensor<32xf32>
    %647 = stablehlo.add %643, %646 : tensor<32xf32>
    %cst_174 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %648 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %649 = stablehlo.multiply %648, %arg45 : tensor<32x4x3x8xf32>
    %cst_175 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %650 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %651 = stablehlo.multiply %650, %490 : tensor<32x4x3x8xf32>
    %652 = stablehlo.multiply %651, %490 : tensor<32x4x3x8xf32>
    %653 = stablehlo.add %649, %652 : tensor<32x4x3x8xf32>
    %cst_176 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %654 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %655 = stablehlo.multiply %654, %arg46 : tensor<32x96xf32>
    %cst_177 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %656 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %657 = stablehlo.multiply %656, %429 : tensor<32x96xf32>
    %658 = stablehlo.multiply %657, %429 : tensor<32x96xf32>
    %659 = stablehlo.add %655, %658 : tensor<32x96xf32>
    %cst_178 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %660 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %661 = stablehlo.multiply %660, %arg47 : tensor<32xf32>
    %cst_179 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %662 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %663 = stablehlo.multiply %662, %454 : tensor<32xf32>
    %664 = stablehlo.multiply %663, %454 : tensor<32xf32>
    %665 = stablehlo.add %661, %664 : tensor<32xf32>
    %cst_180 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %666 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %667 = stablehlo.multiply %666, %arg48 : tensor<4x8x32xf32>
    %cst_181 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %668 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %669 = stablehlo.multiply %668, %456 : tensor<4x8x32xf32>
    %670 = stablehlo.multiply %669, %456 : tensor<4x8x32xf32>
    %671 = stablehlo.add %667, %670 : tensor<4x8x32xf32>
    %cst_182 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %672 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %673 = stablehlo.multiply %672, %arg49 : tensor<32xf32>
    %cst_183 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %674 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %675 = stablehlo.multiply %674, %285 : tensor<32xf32>
    %676 = stablehlo.multiply %675, %285 : tensor<32xf32>
    %677 = stablehlo.add %673, %676 : tensor<32xf32>
    %cst_184 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %678 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %679 = stablehlo.multiply %678, %arg50 : tensor<96x32xf32>
    %cst_185 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %680 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %681 = stablehlo.multiply %680, %287 : tensor<96x32xf32>
    %682 = stablehlo.multiply %681, %287 : tensor<96x32xf32>
    %683 = stablehlo.add %679, %682 : tensor<96x32xf32>
    %cst_186 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %684 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %685 = stablehlo.multiply %684, %arg51 : tensor<32xf32>
    %cst_187 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %686 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %687 = stablehlo.multiply %686, %372 : tensor<32xf32>
    %688 = stablehlo.multiply %687, %372 : tensor<32xf32>
    %689 = stablehlo.add %685, %688 : tensor<32xf32>
    %cst_188 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %690 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %691 = stablehlo.multiply %690, %arg52 : tensor<32xf32>
    %cst_189 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %692 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %693 = stablehlo.multiply %692, %311 : tensor<32xf32>
    %694 = stablehlo.multiply %693, %311 : tensor<32xf32>
    %695 = stablehlo.add %691, %694 : tensor<32xf32>
    %cst_190 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %696 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %697 = stablehlo.multiply %696, %arg53 : tensor<32xf32>
    %cst_191 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %698 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %699 = stablehlo.multiply %698, %268 : tensor<32xf32>
    %700 = stablehlo.multiply %699, %268 : tensor<32xf32>
    %701 = stablehlo.add %697, %700 : tensor<32xf32>
    %cst_192 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %702 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %703 = stablehlo.multiply %702, %arg54 : tensor<32x4x3x8xf32>
    %cst_193 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %704 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %705 = stablehlo.multiply %704, %365 : tensor<32x4x3x8xf32>
    %706 = stablehlo.multiply %705, %365 : tensor<32x4x3x8xf32>
    %707 = stablehlo.add %703, %706 : tensor<32x4x3x8xf32>
    %cst_194 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %708 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %709 = stablehlo.multiply %708, %arg55 : tensor<32x96xf32>
    %cst_195 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %710 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %711 = stablehlo.multiply %710, %304 : tensor<32x96xf32>
    %712 = stablehlo.multiply %711, %304 : tensor<32x96xf32>
    %713 = stablehlo.add %709, %712 : tensor<32x96xf32>
    %cst_196 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %714 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %715 = stablehlo.multiply %714, %arg56 : tensor<32xf32>
    %cst_197 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %716 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %717 = stablehlo.multiply %716, %329 : tensor<32xf32>
    %718 = stablehlo.multiply %717, %329 : tensor<32xf32>
    %719 = stablehlo.add %715, %718 : tensor<32xf32>
    %cst_198 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %720 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %721 = stablehlo.multiply %720, %arg57 : tensor<4x8x32xf32>
    %cst_199 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %722 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %723 = stablehlo.multiply %722, %331 : tensor<4x8x32xf32>
    %724 = stablehlo.multiply %723, %331 : tensor<4x8x32xf32>
    %725 = stablehlo.add %721, %724 : tensor<4x8x32xf32>
    %726 = stablehlo.convert %516 : (tensor<i32>) -> tensor<f32>
    %cst_200 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %727 = stablehlo.power %cst_200, %726 : tensor<f32>
    %cst_201 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %728 = stablehlo.subtract %cst_201, %727 : tensor<f32>
    %cst_202 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %729 = stablehlo.power %cst_202, %726 : tensor<f32>
    %cst_203 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %730 = stablehlo.subtract %cst_203, %729 : tensor<f32>
    %731 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %732 = stablehlo.divide %521, %731 : tensor<64x32xf32>
    %cst_204 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %733 = stablehlo.broadcast_in_dim %cst_204, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %734 = stablehlo.multiply %733, %732 : tensor<64x32xf32>
    %735 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %736 = stablehlo.divide %617, %735 : tensor<64x32xf32>
    %737 = stablehlo.sqrt %736 : tensor<64x32xf32>
    %cst_205 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %738 = stablehlo.broadcast_in_dim %cst_205, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %739 = stablehlo.add %737, %738 : tensor<64x32xf32>
    %740 = stablehlo.divide %734, %739 : tensor<64x32xf32>
    %741 = stablehlo.subtract %arg0, %740 : tensor<64x32xf32>
    %742 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %743 = stablehlo.divide %526, %742 : tensor<32xf32>
    %cst_206 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %744 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %745 = stablehlo.multiply %744, %743 : tensor<32xf32>
    %746 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %747 = stablehlo.divide %623, %746 : tensor<32xf32>
    %748 = stablehlo.sqrt %747 : tensor<32xf32>
    %cst_207 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %749 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %750 = stablehlo.add %748, %749 : tensor<32xf32>
    %751 = stablehlo.divide %745, %750 : tensor<32xf32>
    %752 = stablehlo.subtract %arg1, %751 : tensor<32xf32>
    %753 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %754 = stablehlo.divide %531, %753 : tensor<96x32xf32>
    %cst_208 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %755 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %756 = stablehlo.multiply %755, %754 : tensor<96x32xf32>
    %757 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %758 = stablehlo.divide %629, %757 : tensor<96x32xf32>
    %759 = stablehlo.sqrt %758 : tensor<96x32xf32>
    %cst_209 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %760 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %761 = stablehlo.add %759, %760 : tensor<96x32xf32>
    %762 = stablehlo.divide %756, %761 : tensor<96x32xf32>
    %763 = stablehlo.subtract %arg2, %762 : tensor<96x32xf32>
    %764 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %765 = stablehlo.divide %536, %764 : tensor<32xf32>
    %cst_210 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %766 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %767 = stablehlo.multiply %766, %765 : tensor<32xf32>
    %768 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %769 = stablehlo.divide %635, %768 : tensor<32xf32>
    %770 = stablehlo.sqrt %769 : tensor<32xf32>
    %cst_211 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %771 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %772 = stablehlo.add %770, %771 : tensor<32xf32>
    %773 = stablehlo.divide %767, %772 : tensor<32xf32>
    %774 = stablehlo.subtract %arg3, %773 : tensor<32xf32>
    %775 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %776 = stablehlo.divide %541, %775 : tensor<32xf32>
    %cst_212 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %777 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %778 = stablehlo.multiply %777, %776 : tensor<32xf32>
    %779 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %780 = stablehlo.divide %641, %779 : tensor<32xf32>
    %781 = stablehlo.sqrt %780 : tensor<32xf32>
    %cst_213 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %782 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %783 = stablehlo.add %781, %782 : tensor<32xf32>
    %784 = stablehlo.divide %778, %783 : tensor<32xf32>
    %785 = stablehlo.subtract %arg4, %784 : tensor<32xf32>
    %786 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %787 = stablehlo.divide %546, %786 : tensor<32xf32>
    %cst_214 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %788 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %789 = stablehlo.multiply %788, %787 : tensor<32xf32>
    %790 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %791 = stablehlo.divide %647, %790 : tensor<32xf32>
    %792 = stablehlo.sqrt %791 : tensor<32xf32>
    %cst_215 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %793 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %794 = stablehlo.add %792, %793 : tensor<32xf32>
    %795 = stablehlo.divide %789, %794 : tensor<32xf32>
    %796 = stablehlo.subtract %arg5, %795 : tensor<32xf32>
    %797 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %798 = stablehlo.divide %551, %797 : tensor<32x4x3x8xf32>
    %cst_216 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %799 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %800 = stablehlo.multiply %799, %798 : tensor<32x4x3x8xf32>
    %801 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %802 = stablehlo.divide %653, %801 : tensor<32x4x3x8xf32>
    %803 = stablehlo.sqrt %802 : tensor<32x4x3x8xf32>
    %cst_217 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %804 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %805 = stablehlo.add %803, %804 : tensor<32x4x3x8xf32>
    %806 = stablehlo.divide %800, %805 : tensor<32x4x3x8xf32>
    %807 = stablehlo.subtract %arg6, %806 : tensor<32x4x3x8xf32>
    %808 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %809 = stablehlo.divide %556, %808 : tensor<32x96xf32>
    %cst_218 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %810 = stablehlo.broadcast_in_dim %cst_218, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %811 = stablehlo.multiply %810, %809 : tensor<32x96xf32>
    %812 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %813 = stablehlo.divide %659, %812 : tensor<32x96xf32>
    %814 = stablehlo.sqrt %813 : tensor<32x96xf32>
    %cst_219 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %815 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %816 = stablehlo.add %814, %815 : tensor<32x96xf32>
    %817 = stablehlo.divide %811, %816 : tensor<32x96xf32>
    %818 = stablehlo.subtract %arg7, %817 : tensor<32x96xf32>
    %819 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %820 = stablehlo.divide %561, %819 : tensor<32xf32>
    %cst_220 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %821 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %822 = stablehlo.multiply %821, %820 : tensor<32xf32>
    %823 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %824 = stablehlo.divide %665, %823 : tensor<32xf32>
    %825 = stablehlo.sqrt %824 : tensor<32xf32>
    %cst_221 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %826 = stablehlo.broadcast_in_dim %cst_221, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %827 = stablehlo.add %825, %826 : tensor<32xf32>
    %828 = stablehlo.divide %822, %827 : tensor<32xf32>
    %829 = stablehlo.subtract %arg8, %828 : tensor<32xf32>
    %830 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %831 = stablehlo.divide %566, %830 : tensor<4x8x32xf32>
    %cst_222 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %832 = stablehlo.broadcast_in_dim %cst_222, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %833 = stablehlo.multiply %832, %831 : tensor<4x8x32xf32>
    %834 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %835 = stablehlo.divide %671, %834 : tensor<4x8x32xf32>
    %836 = stablehlo.sqrt %835 : tensor<4x8x32xf32>
    %cst_223 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %837 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %838 = stablehlo.add %836, %837 : tensor<4x8x32xf32>
    %839 = stablehlo.divide %833, %838 : tensor<4x8x32xf32>
    %840 = stablehlo.subtract %arg9, %839 : tensor<4x8x32xf32>
    %841 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %842 = stablehlo.divide %571, %841 : tensor<32xf32>
    %cst_224 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %843 = stablehlo.broadcast_in_dim %cst_224, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %844 = stablehlo.multiply %843, %842 : tensor<32xf32>
    %845 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %846 = stablehlo.divide %677, %845 : tensor<32xf32>
    %847 = stablehlo.sqrt %846 : tensor<32xf32>
    %cst_225 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %848 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %849 = stablehlo.add %847, %848 : tensor<32xf32>
    %850 = stablehlo.divide %844, %849 : tensor<32xf32>
    %851 = stablehlo.subtract %arg10, %850 : tensor<32xf32>
    %852 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %853 = stablehlo.divide %576, %852 : tensor<96x32xf32>
    %cst_226 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %854 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %855 = stablehlo.multiply %854, %853 : tensor<96x32xf32>
    %856 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %857 = stablehlo.divide %683, %856 : tensor<96x32xf32>
    %858 = stablehlo.sqrt %857 : tensor<96x32xf32>
    %cst_227 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %859 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f32>) -> tensor<96x32xf32>
    %860 = stablehlo.add %858, %859 : tensor<96x32xf32>
    %861 = stablehlo.divide %855, %860 : tensor<96x32xf32>
    %862 = stablehlo.subtract %arg11, %861 : tensor<96x32xf32>
    %863 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %864 = stablehlo.divide %581, %863 : tensor<32xf32>
    %cst_228 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %865 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %866 = stablehlo.multiply %865, %864 : tensor<32xf32>
    %867 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %868 = stablehlo.divide %689, %867 : tensor<32xf32>
    %869 = stablehlo.sqrt %868 : tensor<32xf32>
    %cst_229 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %870 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %871 = stablehlo.add %869, %870 : tensor<32xf32>
    %872 = stablehlo.divide %866, %871 : tensor<32xf32>
    %873 = stablehlo.subtract %arg12, %872 : tensor<32xf32>
    %874 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %875 = stablehlo.divide %586, %874 : tensor<32xf32>
    %cst_230 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %876 = stablehlo.broadcast_in_dim %cst_230, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %877 = stablehlo.multiply %876, %875 : tensor<32xf32>
    %878 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %879 = stablehlo.divide %695, %878 : tensor<32xf32>
    %880 = stablehlo.sqrt %879 : tensor<32xf32>
    %cst_231 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %881 = stablehlo.broadcast_in_dim %cst_231, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %882 = stablehlo.add %880, %881 : tensor<32xf32>
    %883 = stablehlo.divide %877, %882 : tensor<32xf32>
    %884 = stablehlo.subtract %arg13, %883 : tensor<32xf32>
    %885 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %886 = stablehlo.divide %591, %885 : tensor<32xf32>
    %cst_232 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %887 = stablehlo.broadcast_in_dim %cst_232, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %888 = stablehlo.multiply %887, %886 : tensor<32xf32>
    %889 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %890 = stablehlo.divide %701, %889 : tensor<32xf32>
    %891 = stablehlo.sqrt %890 : tensor<32xf32>
    %cst_233 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %892 = stablehlo.broadcast_in_dim %cst_233, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %893 = stablehlo.add %891, %892 : tensor<32xf32>
    %894 = stablehlo.divide %888, %893 : tensor<32xf32>
    %895 = stablehlo.subtract %arg14, %894 : tensor<32xf32>
    %896 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %897 = stablehlo.divide %596, %896 : tensor<32x4x3x8xf32>
    %cst_234 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %898 = stablehlo.broadcast_in_dim %cst_234, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %899 = stablehlo.multiply %898, %897 : tensor<32x4x3x8xf32>
    %900 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %901 = stablehlo.divide %707, %900 : tensor<32x4x3x8xf32>
    %902 = stablehlo.sqrt %901 : tensor<32x4x3x8xf32>
    %cst_235 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %903 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<32x4x3x8xf32>
    %904 = stablehlo.add %902, %903 : tensor<32x4x3x8xf32>
    %905 = stablehlo.divide %899, %904 : tensor<32x4x3x8xf32>
    %906 = stablehlo.subtract %arg15, %905 : tensor<32x4x3x8xf32>
    %907 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %908 = stablehlo.divide %601, %907 : tensor<32x96xf32>
    %cst_236 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %909 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %910 = stablehlo.multiply %909, %908 : tensor<32x96xf32>
    %911 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %912 = stablehlo.divide %713, %911 : tensor<32x96xf32>
    %913 = stablehlo.sqrt %912 : tensor<32x96xf32>
    %cst_237 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %914 = stablehlo.broadcast_in_dim %cst_237, dims = [] : (tensor<f32>) -> tensor<32x96xf32>
    %915 = stablehlo.add %913, %914 : tensor<32x96xf32>
    %916 = stablehlo.divide %910, %915 : tensor<32x96xf32>
    %917 = stablehlo.subtract %arg16, %916 : tensor<32x96xf32>
    %918 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %919 = stablehlo.divide %606, %918 : tensor<32xf32>
    %cst_238 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %920 = stablehlo.broadcast_in_dim %cst_238, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %921 = stablehlo.multiply %920, %919 : tensor<32xf32>
    %922 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %923 = stablehlo.divide %719, %922 : tensor<32xf32>
    %924 = stablehlo.sqrt %923 : tensor<32xf32>
    %cst_239 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %925 = stablehlo.broadcast_in_dim %cst_239, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %926 = stablehlo.add %924, %925 : tensor<32xf32>
    %927 = stablehlo.divide %921, %926 : tensor<32xf32>
    %928 = stablehlo.subtract %arg17, %927 : tensor<32xf32>
    %929 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %930 = stablehlo.divide %611, %929 : tensor<4x8x32xf32>
    %cst_240 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %931 = stablehlo.broadcast_in_dim %cst_240, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %932 = stablehlo.multiply %931, %930 : tensor<4x8x32xf32>
    %933 = stablehlo.broadcast_in_dim %730, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %934 = stablehlo.divide %725, %933 : tensor<4x8x32xf32>
    %935 = stablehlo.sqrt %934 : tensor<4x8x32xf32>
    %cst_241 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %936 = stablehlo.broadcast_in_dim %cst_241, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %937 = stablehlo.add %935, %936 : tensor<4x8x32xf32>
    %938 = stablehlo.divide %932, %937 : tensor<4x8x32xf32>
    %939 = stablehlo.subtract %arg18, %938 : tensor<4x8x32xf32>
    return %741, %752, %763, %774, %785, %796, %807, %818, %829, %840, %851, %862, %873, %884, %895, %906, %917, %928, %939, %521, %526, %531, %536, %541, %546, %551, %556, %561, %566, %571, %576, %581, %586, %591, %596, %601, %606, %611, %516, %617, %623, %629, %635, %641, %647, %653, %659, %665, %671, %677, %683, %689, %695, %701, %707, %713, %719, %725, %255 : tensor<64x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<i32>, tensor<64x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<32xf32>, tensor<96x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4x3x8xf32>, tensor<32x96xf32>, tensor<32xf32>, tensor<4x8x32xf32>, tensor<f32>
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
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<f32>) -> (tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<8x4x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    return %3, %1, %4 : tensor<8x4x16x16xf32>, tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
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
  func.func private @take_along_axis_0(%arg0: tensor<8x16x1x1xi32>, %arg1: tensor<8x16x1xf32>) -> tensor<8x16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x16x64xf32>, tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    return %1 : tensor<8x16x64xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<8x16x64xf32>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<8x16x64xf32>) -> tensor<8x16x64xf32> {
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
  func.func private @_where_2(%arg0: tensor<8x4x16x16xi1>, %arg1: tensor<8x4x16x16xf32>, %arg2: tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x16x16xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<8x4x16x16xi1>, tensor<8x4x16x16xf32>
    return %1 : tensor<8x4x16x16xf32>
  }
}
