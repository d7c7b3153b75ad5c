module @jit_train_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4x16x64xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<3x64x4x16xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<256x64xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<64xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<64x256xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<256xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<64xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<4x16x64xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<3x64x4x16xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<256x64xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<64xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<64x256xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<256xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<64xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<64xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<64xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<f32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<256x64xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<4x16x64xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<3x64x4x16xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<256x64xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<64xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<64x256xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<256xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<64xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<64xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<64xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<4x16x64xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<3x64x4x16xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<256x64xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<64xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<64x256xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<256xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<64xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<64xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<64xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<256x64xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<4x16x64xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<3x64x4x16xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<256x64xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<64xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<64x256xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<256xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<64xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<64xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<64xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<4x16x64xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<3x64x4x16xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<256x64xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<64xf32> {tf.aliasing_output = 52 : i32}, %arg53: tensor<64x256xf32> {tf.aliasing_output = 53 : i32}, %arg54: tensor<256xf32> {tf.aliasing_output = 54 : i32}, %arg55: tensor<64xf32> {tf.aliasing_output = 55 : i32}, %arg56: tensor<64xf32> {tf.aliasing_output = 56 : i32}, %arg57: tensor<64xf32> {tf.aliasing_output = 57 : i32}, %arg58: tensor<8x32xi32>, %arg59: tensor<8x32xi32>) -> (tensor<256x64xf32> {jax.result_info = "result[0]['embedding']"}, tensor<4x16x64xf32> {jax.result_info = "result[0]['layers'][0]['attn']['out']"}, tensor<3x64x4x16xf32> {jax.result_info = "result[0]['layers'][0]['attn']['qkv']"}, tensor<256x64xf32> {jax.result_info = "result[0]['layers'][0]['mlp']['down']"}, tensor<64xf32> {jax.result_info = "result[0]['layers'][0]['mlp']['down_bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['layers'][0]['mlp']['up']"}, tensor<256xf32> {jax.result_info = "result[0]['layers'][0]['mlp']['up_bias']"}, tensor<64xf32> {jax.result_info = "result[0]['layers'][0]['norm']['attn']"}, tensor<64xf32> {jax.result_info = "result[0]['layers'][0]['norm']['mlp']"}, tensor<64xf32> {jax.result_info = "result[0]['layers'][0]['norm']['post']"}, tensor<4x16x64xf32> {jax.result_info = "result[0]['layers'][1]['attn']['out']"}, tensor<3x64x4x16xf32> {jax.result_info = "result[0]['layers'][1]['attn']['qkv']"}, tensor<256x64xf32> {jax.result_info = "result[0]['layers'][1]['mlp']['down']"}, tensor<64xf32> {jax.result_info = "result[0]['layers'][1]['mlp']['down_bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['layers'][1]['mlp']['up']"}, tensor<256xf32> {jax.result_info = "result[0]['layers'][1]['mlp']['up_bias']"}, tensor<64xf32> {jax.result_info = "result[0]['layers'][1]['norm']['attn']"}, tensor<64xf32> {jax.result_info = "result[0]['layers'][1]['norm']['mlp']"}, tensor<64xf32> {jax.result_info = "result[0]['layers'][1]['norm']['post']"}, tensor<f32> {jax.result_info = "result[1]['count']"}, tensor<256x64xf32> {jax.result_info = "result[1]['mu']['embedding']"}, tensor<4x16x64xf32> {jax.result_info = "result[1]['mu']['layers'][0]['attn']['out']"}, tensor<3x64x4x16xf32> {jax.result_info = "result[1]['mu']['layers'][0]['attn']['qkv']"}, tensor<256x64xf32> {jax.result_info = "result[1]['mu']['layers'][0]['mlp']['down']"}, tensor<64xf32> {jax.result_info = "result[1]['mu']['layers'][0]['mlp']['down_bias']"}, tensor<64x256xf32> {jax.result_info = "result[1]['mu']['layers'][0]['mlp']['up']"}, tensor<256xf32> {jax.result_info = "result[1]['mu']['layers'][0]['mlp']['up_bias']"}, tensor<64xf32> {jax.result_info = "result[1]['mu']['layers'][0]['norm']['attn']"}, tensor<64xf32> {jax.result_info = "result[1]['mu']['layers'][0]['norm']['mlp']"}, tensor<64xf32> {jax.result_info = "result[1]['mu']['layers'][0]['norm']['post']"}, tensor<4x16x64xf32> {jax.result_info = "result[1]['mu']['layers'][1]['attn']['out']"}, tensor<3x64x4x16xf32> {jax.result_info = "result[1]['mu']['layers'][1]['attn']['qkv']"}, tensor<256x64xf32> {jax.result_info = "result[1]['mu']['layers'][1]['mlp']['down']"}, tensor<64xf32> {jax.result_info = "result[1]['mu']['layers'][1]['mlp']['down_bias']"}, tensor<64x256xf32> {jax.result_info = "result[1]['mu']['layers'][1]['mlp']['up']"}, tensor<256xf32> {jax.result_info = "result[1]['mu']['layers'][1]['mlp']['up_bias']"}, tensor<64xf32> {jax.result_info = "result[1]['mu']['layers'][1]['norm']['attn']"}, tensor<64xf32> {jax.result_info = "result[1]['mu']['layers'][1]['norm']['mlp']"}, tensor<64xf32> {jax.result_info = "result[1]['mu']['layers'][1]['norm']['post']"}, tensor<256x64xf32> {jax.result_info = "result[1]['nu']['embedding']"}, tensor<4x16x64xf32> {jax.result_info = "result[1]['nu']['layers'][0]['attn']['out']"}, tensor<3x64x4x16xf32> {jax.result_info = "result[1]['nu']['layers'][0]['attn']['qkv']"}, tensor<256x64xf32> {jax.result_info = "result[1]['nu']['layers'][0]['mlp']['down']"}, tensor<64xf32> {jax.result_info = "result[1]['nu']['layers'][0]['mlp']['down_bias']"}, tensor<64x256xf32> {jax.result_info = "result[1]['nu']['layers'][0]['mlp']['up']"}, tensor<256xf32> {jax.result_info = "result[1]['nu']['layers'][0]['mlp']['up_bias']"}, tensor<64xf32> {jax.result_info = "result[1]['nu']['layers'][0]['norm']['attn']"}, tensor<64xf32> {jax.result_info = "result[1]['nu']['layers'][0]['norm']['mlp']"}, tensor<64xf32> {jax.result_info = "result[1]['nu']['layers'][0]['norm']['post']"}, tensor<4x16x64xf32> {jax.result_info = "result[1]['nu']['layers'][1]['attn']['out']"}, tensor<3x64x4x16xf32> {jax.result_info = "result[1]['nu']['layers'][1]['attn']['qkv']"}, tensor<256x64xf32> {jax.result_info = "result[1]['nu']['layers'][1]['mlp']['down']"}, tensor<64xf32> {jax.result_info = "result[1]['nu']['layers'][1]['mlp']['down_bias']"}, tensor<64x256xf32> {jax.result_info = "result[1]['nu']['layers'][1]['mlp']['up']"}, tensor<256xf32> {jax.result_info = "result[1]['nu']['layers'][1]['mlp']['up_bias']"}, tensor<64xf32> {jax.result_info = "result[1]['nu']['layers'][1]['norm']['attn']"}, tensor<64xf32> {jax.result_info = "result[1]['nu']['layers'][1]['norm']['mlp']"}, tensor<64xf32> {jax.result_info = "result[1]['nu']['layers'][1]['norm']['post']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x32xi32>
    %1 = stablehlo.compare LT, %arg58, %0, SIGNED : (tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi1>
    %c_0 = stablehlo.constant dense<256> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x32xi32>
    %3 = stablehlo.add %arg58, %2 : tensor<8x32xi32>
    %4 = stablehlo.select %1, %3, %arg58 : tensor<8x32xi1>, tensor<8x32xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x32xi32>) -> tensor<8x32x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<256x64xf32>, tensor<8x32x1xi32>) -> tensor<8x32x64xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<8x32x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_1 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8x32x1xf32>
    %cst_2 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<8x32x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<8x32x1xf32>
    %15 = stablehlo.divide %14, %13 : tensor<8x32x1xf32>
    %cst_3 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<8x32x1xf32>
    %18 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %19 = stablehlo.multiply %6, %18 : tensor<8x32x64xf32>
    %20 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %22 = stablehlo.multiply %19, %21 : tensor<8x32x64xf32>
    %23 = stablehlo.dot_general %arg2, %22, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x64x4x16xf32>, tensor<8x32x64xf32>) -> tensor<3x4x16x8x32xf32>
    %24 = stablehlo.transpose %23, dims = [0, 3, 4, 1, 2] : (tensor<3x4x16x8x32xf32>) -> tensor<3x8x32x4x16xf32>
    %25 = stablehlo.slice %24 [0:1, 0:8, 0:32, 0:4, 0:16] : (tensor<3x8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x8x32x4x16xf32>) -> tensor<8x32x4x16xf32>
    %27 = stablehlo.slice %24 [1:2, 0:8, 0:32, 0:4, 0:16] : (tensor<3x8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %28 = stablehlo.reshape %27 : (tensor<1x8x32x4x16xf32>) -> tensor<8x32x4x16xf32>
    %29 = stablehlo.slice %24 [2:3, 0:8, 0:32, 0:4, 0:16] : (tensor<3x8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %30 = stablehlo.reshape %29 : (tensor<1x8x32x4x16xf32>) -> tensor<8x32x4x16xf32>
    %31 = stablehlo.dot_general %26, %28, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x32x4x16xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x32xf32>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %33 = stablehlo.divide %31, %32 : tensor<8x4x32x32xf32>
    %c_5 = stablehlo.constant dense<true> : tensor<i1>
    %34 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %35 = call @tril(%34) : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %cst_6 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %36:2 = call @_where(%35, %33, %cst_6) : (tensor<32x32xi1>, tensor<8x4x32x32xf32>, tensor<f32>) -> (tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>)
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %37 = stablehlo.reduce(%36#0 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %39 = stablehlo.maximum %38, %37 : tensor<8x4x32xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %42 = stablehlo.subtract %36#0, %41 : tensor<8x4x32x32xf32>
    %43 = stablehlo.exponential %42 : tensor<8x4x32x32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %47 = stablehlo.divide %43, %46 : tensor<8x4x32x32xf32>
    %48 = stablehlo.multiply %45, %45 : tensor<8x4x32x1xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x4x32x1xf32>
    %50 = stablehlo.divide %49, %48 : tensor<8x4x32x1xf32>
    %51 = stablehlo.dot_general %30, %47, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x32x4x16xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x16x32xf32>
    %52 = stablehlo.transpose %51, dims = [0, 3, 1, 2] : (tensor<8x4x16x32xf32>) -> tensor<8x32x4x16xf32>
    %53 = stablehlo.dot_general %52, %arg1, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x4x16xf32>, tensor<4x16x64xf32>) -> tensor<8x32x64xf32>
    %54 = stablehlo.multiply %53, %53 : tensor<8x32x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_12 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %58 = stablehlo.divide %56, %57 : tensor<8x32x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %60 = stablehlo.add %58, %59 : tensor<8x32x1xf32>
    %61 = stablehlo.rsqrt %60 : tensor<8x32x1xf32>
    %62 = stablehlo.divide %61, %60 : tensor<8x32x1xf32>
    %cst_14 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %64 = stablehlo.multiply %63, %62 : tensor<8x32x1xf32>
    %65 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %66 = stablehlo.multiply %53, %65 : tensor<8x32x64xf32>
    %67 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %69 = stablehlo.multiply %66, %68 : tensor<8x32x64xf32>
    %70 = stablehlo.add %6, %69 : tensor<8x32x64xf32>
    %71 = stablehlo.multiply %70, %70 : tensor<8x32x64xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_16 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %75 = stablehlo.divide %73, %74 : tensor<8x32x1xf32>
    %cst_17 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %77 = stablehlo.add %75, %76 : tensor<8x32x1xf32>
    %78 = stablehlo.rsqrt %77 : tensor<8x32x1xf32>
    %79 = stablehlo.divide %78, %77 : tensor<8x32x1xf32>
    %cst_18 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %81 = stablehlo.multiply %80, %79 : tensor<8x32x1xf32>
    %82 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %83 = stablehlo.multiply %70, %82 : tensor<8x32x64xf32>
    %84 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %86 = stablehlo.multiply %83, %85 : tensor<8x32x64xf32>
    %87 = stablehlo.dot_general %86, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<64x256xf32>) -> tensor<8x32x256xf32>
    %88 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<1x1x256xf32>) -> tensor<8x32x256xf32>
    %90 = stablehlo.add %87, %89 : tensor<8x32x256xf32>
    %91 = stablehlo.multiply %90, %90 : tensor<8x32x256xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<8x32x256xf32>
    %93 = stablehlo.multiply %90, %90 : tensor<8x32x256xf32>
    %cst_19 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %95 = stablehlo.multiply %94, %93 : tensor<8x32x256xf32>
    %cst_20 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %97 = stablehlo.multiply %96, %92 : tensor<8x32x256xf32>
    %98 = stablehlo.add %90, %97 : tensor<8x32x256xf32>
    %cst_21 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %100 = stablehlo.multiply %99, %98 : tensor<8x32x256xf32>
    %101 = stablehlo.tanh %100 : tensor<8x32x256xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %103 = stablehlo.subtract %102, %101 : tensor<8x32x256xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %105 = stablehlo.add %104, %101 : tensor<8x32x256xf32>
    %cst_24 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %107 = stablehlo.multiply %106, %105 : tensor<8x32x256xf32>
    %108 = stablehlo.multiply %90, %107 : tensor<8x32x256xf32>
    %109 = stablehlo.dot_general %108, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<256x64xf32>) -> tensor<8x32x64xf32>
    %110 = stablehlo.add %70, %109 : tensor<8x32x64xf32>
    %111 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %113 = stablehlo.add %110, %112 : tensor<8x32x64xf32>
    %114 = stablehlo.multiply %113, %113 : tensor<8x32x64xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_26 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %118 = stablehlo.divide %116, %117 : tensor<8x32x1xf32>
    %cst_27 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %120 = stablehlo.add %118, %119 : tensor<8x32x1xf32>
    %121 = stablehlo.rsqrt %120 : tensor<8x32x1xf32>
    %122 = stablehlo.divide %121, %120 : tensor<8x32x1xf32>
    %cst_28 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %124 = stablehlo.multiply %123, %122 : tensor<8x32x1xf32>
    %125 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %126 = stablehlo.multiply %113, %125 : tensor<8x32x64xf32>
    %127 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %129 = stablehlo.multiply %126, %128 : tensor<8x32x64xf32>
    %130 = stablehlo.dot_general %arg11, %129, contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x64x4x16xf32>, tensor<8x32x64xf32>) -> tensor<3x4x16x8x32xf32>
    %131 = stablehlo.transpose %130, dims = [0, 3, 4, 1, 2] : (tensor<3x4x16x8x32xf32>) -> tensor<3x8x32x4x16xf32>
    %132 = stablehlo.slice %131 [0:1, 0:8, 0:32, 0:4, 0:16] : (tensor<3x8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %133 = stablehlo.reshape %132 : (tensor<1x8x32x4x16xf32>) -> tensor<8x32x4x16xf32>
    %134 = stablehlo.slice %131 [1:2, 0:8, 0:32, 0:4, 0:16] : (tensor<3x8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %135 = stablehlo.reshape %134 : (tensor<1x8x32x4x16xf32>) -> tensor<8x32x4x16xf32>
    %136 = stablehlo.slice %131 [2:3, 0:8, 0:32, 0:4, 0:16] : (tensor<3x8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %137 = stablehlo.reshape %136 : (tensor<1x8x32x4x16xf32>) -> tensor<8x32x4x16xf32>
    %138 = stablehlo.dot_general %133, %135, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x32x4x16xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x32xf32>
    %cst_29 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %140 = stablehlo.divide %138, %139 : tensor<8x4x32x32xf32>
    %c_30 = stablehlo.constant dense<true> : tensor<i1>
    %141 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %142 = call @tril(%141) : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %cst_31 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %143:2 = call @_where(%142, %140, %cst_31) : (tensor<32x32xi1>, tensor<8x4x32x32xf32>, tensor<f32>) -> (tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>)
    %cst_32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %144 = stablehlo.reduce(%143#0 init: %cst_32) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %cst_33 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %146 = stablehlo.maximum %145, %144 : tensor<8x4x32xf32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %149 = stablehlo.subtract %143#0, %148 : tensor<8x4x32x32xf32>
    %150 = stablehlo.exponential %149 : tensor<8x4x32x32xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.reduce(%150 init: %cst_34) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %152 = stablehlo.broadcast_in_dim %151, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %153 = stablehlo.broadcast_in_dim %152, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %154 = stablehlo.divide %150, %153 : tensor<8x4x32x32xf32>
    %155 = stablehlo.multiply %152, %152 : tensor<8x4x32x1xf32>
    %cst_35 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x4x32x1xf32>
    %157 = stablehlo.divide %156, %155 : tensor<8x4x32x1xf32>
    %158 = stablehlo.dot_general %137, %154, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x32x4x16xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x16x32xf32>
    %159 = stablehlo.transpose %158, dims = [0, 3, 1, 2] : (tensor<8x4x16x32xf32>) -> tensor<8x32x4x16xf32>
    %160 = stablehlo.dot_general %159, %arg10, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x4x16xf32>, tensor<4x16x64xf32>) -> tensor<8x32x64xf32>
    %161 = stablehlo.multiply %160, %160 : tensor<8x32x64xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %162 = stablehlo.reduce(%161 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_37 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %165 = stablehlo.divide %163, %164 : tensor<8x32x1xf32>
    %cst_38 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %167 = stablehlo.add %165, %166 : tensor<8x32x1xf32>
    %168 = stablehlo.rsqrt %167 : tensor<8x32x1xf32>
    %169 = stablehlo.divide %168, %167 : tensor<8x32x1xf32>
    %cst_39 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %171 = stablehlo.multiply %170, %169 : tensor<8x32x1xf32>
    %172 = stablehlo.broadcast_in_dim %168, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %173 = stablehlo.multiply %160, %172 : tensor<8x32x64xf32>
    %174 = stablehlo.broadcast_in_dim %arg18, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %175 = stablehlo.broadcast_in_dim %174, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %176 = stablehlo.multiply %173, %175 : tensor<8x32x64xf32>
    %177 = stablehlo.add %113, %176 : tensor<8x32x64xf32>
    %178 = stablehlo.multiply %177, %177 : tensor<8x32x64xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.reduce(%178 init: %cst_40) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %180 = stablehlo.broadcast_in_dim %179, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_41 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %182 = stablehlo.divide %180, %181 : tensor<8x32x1xf32>
    %cst_42 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %184 = stablehlo.add %182, %183 : tensor<8x32x1xf32>
    %185 = stablehlo.rsqrt %184 : tensor<8x32x1xf32>
    %186 = stablehlo.divide %185, %184 : tensor<8x32x1xf32>
    %cst_43 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %188 = stablehlo.multiply %187, %186 : tensor<8x32x1xf32>
    %189 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %190 = stablehlo.multiply %177, %189 : tensor<8x32x64xf32>
    %191 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %192 = stablehlo.broadcast_in_dim %191, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %193 = stablehlo.multiply %190, %192 : tensor<8x32x64xf32>
    %194 = stablehlo.dot_general %193, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<64x256xf32>) -> tensor<8x32x256xf32>
    %195 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %196 = stablehlo.broadcast_in_dim %195, dims = [0, 1, 2] : (tensor<1x1x256xf32>) -> tensor<8x32x256xf32>
    %197 = stablehlo.add %194, %196 : tensor<8x32x256xf32>
    %198 = stablehlo.multiply %197, %197 : tensor<8x32x256xf32>
    %199 = stablehlo.multiply %198, %197 : tensor<8x32x256xf32>
    %200 = stablehlo.multiply %197, %197 : tensor<8x32x256xf32>
    %cst_44 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %202 = stablehlo.multiply %201, %200 : tensor<8x32x256xf32>
    %cst_45 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %204 = stablehlo.multiply %203, %199 : tensor<8x32x256xf32>
    %205 = stablehlo.add %197, %204 : tensor<8x32x256xf32>
    %cst_46 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %207 = stablehlo.multiply %206, %205 : tensor<8x32x256xf32>
    %208 = stablehlo.tanh %207 : tensor<8x32x256xf32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %210 = stablehlo.subtract %209, %208 : tensor<8x32x256xf32>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %212 = stablehlo.add %211, %208 : tensor<8x32x256xf32>
    %cst_49 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %214 = stablehlo.multiply %213, %212 : tensor<8x32x256xf32>
    %215 = stablehlo.multiply %197, %214 : tensor<8x32x256xf32>
    %216 = stablehlo.dot_general %215, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<256x64xf32>) -> tensor<8x32x64xf32>
    %217 = stablehlo.add %177, %216 : tensor<8x32x64xf32>
    %218 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %219 = stablehlo.broadcast_in_dim %218, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %220 = stablehlo.add %217, %219 : tensor<8x32x64xf32>
    %221 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %222 = stablehlo.dot_general %220, %221, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<64x256xf32>) -> tensor<8x32x256xf32>
    %223:3 = call @log_softmax(%222) : (tensor<8x32x256xf32>) -> (tensor<8x32x256xf32>, tensor<8x32x256xf32>, tensor<8x32x1xf32>)
    %224 = stablehlo.broadcast_in_dim %arg59, dims = [0, 1] : (tensor<8x32xi32>) -> tensor<8x32x1xi32>
    %225:2 = call @take_along_axis(%223#0, %224) : (tensor<8x32x256xf32>, tensor<8x32x1xi32>) -> (tensor<8x32x1xf32>, tensor<8x32x1x1xi32>)
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %226 = stablehlo.reduce(%225#0 init: %cst_50) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_51 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %227 = stablehlo.divide %226, %cst_51 : tensor<f32>
    %228 = stablehlo.negate %227 : tensor<f32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %229 = stablehlo.negate %cst_52 : tensor<f32>
    %cst_53 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %230 = stablehlo.divide %229, %cst_53 : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %230, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %232 = call @take_along_axis_0(%225#1, %231) : (tensor<8x32x1x1xi32>, tensor<8x32x1xf32>) -> tensor<8x32x256xf32>
    %233 = call @log_softmax_1(%223#1, %223#2, %232) : (tensor<8x32x256xf32>, tensor<8x32x1xf32>, tensor<8x32x256xf32>) -> tensor<8x32x256xf32>
    %234 = stablehlo.dot_general %233, %220, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<8x32x64xf32>) -> tensor<256x64xf32>
    %235 = stablehlo.transpose %234, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %236 = stablehlo.dot_general %233, %221, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<64x256xf32>) -> tensor<8x32x64xf32>
    %237 = stablehlo.transpose %235, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%236 init: %cst_54) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %239 = stablehlo.reshape %238 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %240 = stablehlo.reduce(%239 init: %cst_55) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %241 = stablehlo.dot_general %236, %215, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x32x256xf32>) -> tensor<64x256xf32>
    %242 = stablehlo.transpose %241, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %243 = stablehlo.dot_general %236, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<256x64xf32>) -> tensor<8x32x256xf32>
    %244 = stablehlo.multiply %197, %243 : tensor<8x32x256xf32>
    %245 = stablehlo.multiply %243, %214 : tensor<8x32x256xf32>
    %cst_56 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %247 = stablehlo.multiply %246, %244 : tensor<8x32x256xf32>
    %248 = stablehlo.multiply %247, %210 : tensor<8x32x256xf32>
    %249 = stablehlo.multiply %248, %208 : tensor<8x32x256xf32>
    %250 = stablehlo.add %248, %249 : tensor<8x32x256xf32>
    %cst_57 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %251 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %252 = stablehlo.multiply %251, %250 : tensor<8x32x256xf32>
    %253 = stablehlo.add %245, %252 : tensor<8x32x256xf32>
    %cst_58 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %254 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %255 = stablehlo.multiply %254, %252 : tensor<8x32x256xf32>
    %256 = stablehlo.multiply %255, %202 : tensor<8x32x256xf32>
    %257 = stablehlo.add %253, %256 : tensor<8x32x256xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.reduce(%257 init: %cst_59) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x256xf32>, tensor<f32>) -> tensor<256xf32>
    %259 = stablehlo.reshape %258 : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %260 = stablehlo.reduce(%259 init: %cst_60) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %261 = stablehlo.dot_general %257, %193, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<8x32x64xf32>) -> tensor<256x64xf32>
    %262 = stablehlo.transpose %261, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %263 = stablehlo.dot_general %257, %arg14, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<64x256xf32>) -> tensor<8x32x64xf32>
    %264 = stablehlo.multiply %190, %263 : tensor<8x32x64xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.reduce(%264 init: %cst_61) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %266 = stablehlo.reshape %265 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %267 = stablehlo.broadcast_in_dim %191, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %268 = stablehlo.multiply %263, %267 : tensor<8x32x64xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %269 = stablehlo.reduce(%266 init: %cst_62) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %270 = stablehlo.multiply %177, %268 : tensor<8x32x64xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %271 = stablehlo.reduce(%270 init: %cst_63) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %272 = stablehlo.reshape %271 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %273 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %274 = stablehlo.multiply %268, %273 : tensor<8x32x64xf32>
    %275 = stablehlo.add %236, %274 : tensor<8x32x64xf32>
    %276 = stablehlo.multiply %272, %188 : tensor<8x32x1xf32>
    %cst_64 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %277 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %278 = stablehlo.divide %276, %277 : tensor<8x32x1xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %279 = stablehlo.reduce(%278 init: %cst_65) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %280 = stablehlo.broadcast_in_dim %279, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %281 = stablehlo.multiply %177, %280 : tensor<8x32x64xf32>
    %282 = stablehlo.add %275, %281 : tensor<8x32x64xf32>
    %283 = stablehlo.multiply %280, %177 : tensor<8x32x64xf32>
    %284 = stablehlo.add %282, %283 : tensor<8x32x64xf32>
    %285 = stablehlo.multiply %173, %284 : tensor<8x32x64xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %286 = stablehlo.reduce(%285 init: %cst_66) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %287 = stablehlo.reshape %286 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %288 = stablehlo.broadcast_in_dim %174, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %289 = stablehlo.multiply %284, %288 : tensor<8x32x64xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %290 = stablehlo.reduce(%287 init: %cst_67) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %291 = stablehlo.multiply %160, %289 : tensor<8x32x64xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %292 = stablehlo.reduce(%291 init: %cst_68) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %293 = stablehlo.reshape %292 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %294 = stablehlo.broadcast_in_dim %168, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %295 = stablehlo.multiply %289, %294 : tensor<8x32x64xf32>
    %296 = stablehlo.multiply %293, %171 : tensor<8x32x1xf32>
    %cst_69 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %297 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %298 = stablehlo.divide %296, %297 : tensor<8x32x1xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_70) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %300 = stablehlo.broadcast_in_dim %299, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %301 = stablehlo.multiply %160, %300 : tensor<8x32x64xf32>
    %302 = stablehlo.add %295, %301 : tensor<8x32x64xf32>
    %303 = stablehlo.multiply %300, %160 : tensor<8x32x64xf32>
    %304 = stablehlo.add %302, %303 : tensor<8x32x64xf32>
    %305 = stablehlo.dot_general %304, %159, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x32x4x16xf32>) -> tensor<64x4x16xf32>
    %306 = stablehlo.transpose %305, dims = [1, 2, 0] : (tensor<64x4x16xf32>) -> tensor<4x16x64xf32>
    %307 = stablehlo.dot_general %304, %arg10, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<4x16x64xf32>) -> tensor<8x32x4x16xf32>
    %308 = stablehlo.transpose %307, dims = [0, 2, 3, 1] : (tensor<8x32x4x16xf32>) -> tensor<8x4x16x32xf32>
    %309 = stablehlo.dot_general %308, %137, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x32xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x32xf32>
    %310 = stablehlo.dot_general %308, %154, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x16x32xf32>
    %311 = stablehlo.transpose %310, dims = [0, 3, 1, 2] : (tensor<8x4x16x32xf32>) -> tensor<8x32x4x16xf32>
    %312 = stablehlo.broadcast_in_dim %157, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %313 = stablehlo.multiply %309, %312 : tensor<8x4x32x32xf32>
    %314 = stablehlo.multiply %313, %150 : tensor<8x4x32x32xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %315 = stablehlo.reduce(%314 init: %cst_71) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %316 = stablehlo.reshape %315 : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %317 = stablehlo.negate %316 : tensor<8x4x32x1xf32>
    %318 = stablehlo.broadcast_in_dim %152, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %319 = stablehlo.divide %309, %318 : tensor<8x4x32x32xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %320 = stablehlo.reduce(%317 init: %cst_72) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x1xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %321 = stablehlo.broadcast_in_dim %320, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x32xf32>
    %322 = stablehlo.add %319, %321 : tensor<8x4x32x32xf32>
    %323 = stablehlo.multiply %322, %150 : tensor<8x4x32x32xf32>
    %324 = call @_where_2(%143#1, %323) : (tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %cst_73 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %326 = stablehlo.divide %324, %325 : tensor<8x4x32x32xf32>
    %327 = stablehlo.dot_general %326, %133, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x32x32xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x16xf32>
    %328 = stablehlo.transpose %327, dims = [0, 2, 1, 3] : (tensor<8x4x32x16xf32>) -> tensor<8x32x4x16xf32>
    %329 = stablehlo.dot_general %326, %135, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x32x32xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x16xf32>
    %330 = stablehlo.transpose %329, dims = [0, 2, 1, 3] : (tensor<8x4x32x16xf32>) -> tensor<8x32x4x16xf32>
    %331 = stablehlo.broadcast_in_dim %311, dims = [1, 2, 3, 4] : (tensor<8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %332 = stablehlo.pad %331, %cst_74, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x32x4x16xf32>, tensor<f32>) -> tensor<3x8x32x4x16xf32>
    %333 = stablehlo.broadcast_in_dim %328, dims = [1, 2, 3, 4] : (tensor<8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %334 = stablehlo.pad %333, %cst_75, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x32x4x16xf32>, tensor<f32>) -> tensor<3x8x32x4x16xf32>
    %335 = stablehlo.add %332, %334 : tensor<3x8x32x4x16xf32>
    %336 = stablehlo.broadcast_in_dim %330, dims = [1, 2, 3, 4] : (tensor<8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %337 = stablehlo.pad %336, %cst_76, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x32x4x16xf32>, tensor<f32>) -> tensor<3x8x32x4x16xf32>
    %338 = stablehlo.add %335, %337 : tensor<3x8x32x4x16xf32>
    %339 = stablehlo.transpose %338, dims = [0, 3, 4, 1, 2] : (tensor<3x8x32x4x16xf32>) -> tensor<3x4x16x8x32xf32>
    %340 = stablehlo.dot_general %339, %arg11, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x4x16x8x32xf32>, tensor<3x64x4x16xf32>) -> tensor<8x32x64xf32>
    %341 = stablehlo.dot_general %339, %129, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x16x8x32xf32>, tensor<8x32x64xf32>) -> tensor<3x4x16x64xf32>
    %342 = stablehlo.transpose %341, dims = [0, 3, 1, 2] : (tensor<3x4x16x64xf32>) -> tensor<3x64x4x16xf32>
    %343 = stablehlo.multiply %126, %340 : tensor<8x32x64xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %344 = stablehlo.reduce(%343 init: %cst_77) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %345 = stablehlo.reshape %344 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %346 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %347 = stablehlo.multiply %340, %346 : tensor<8x32x64xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %348 = stablehlo.reduce(%345 init: %cst_78) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %349 = stablehlo.multiply %113, %347 : tensor<8x32x64xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.reduce(%349 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %351 = stablehlo.reshape %350 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %352 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %353 = stablehlo.multiply %347, %352 : tensor<8x32x64xf32>
    %354 = stablehlo.add %284, %353 : tensor<8x32x64xf32>
    %355 = stablehlo.multiply %351, %124 : tensor<8x32x1xf32>
    %cst_80 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %356 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %357 = stablehlo.divide %355, %356 : tensor<8x32x1xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %358 = stablehlo.reduce(%357 init: %cst_81) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %359 = stablehlo.broadcast_in_dim %358, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %360 = stablehlo.multiply %113, %359 : tensor<8x32x64xf32>
    %361 = stablehlo.add %354, %360 : tensor<8x32x64xf32>
    %362 = stablehlo.multiply %359, %113 : tensor<8x32x64xf32>
    %363 = stablehlo.add %361, %362 : tensor<8x32x64xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %364 = stablehlo.reduce(%363 init: %cst_82) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %365 = stablehlo.reshape %364 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %366 = stablehlo.reduce(%365 init: %cst_83) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %367 = stablehlo.dot_general %363, %108, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x32x256xf32>) -> tensor<64x256xf32>
    %368 = stablehlo.transpose %367, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %369 = stablehlo.dot_general %363, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<256x64xf32>) -> tensor<8x32x256xf32>
    %370 = stablehlo.multiply %90, %369 : tensor<8x32x256xf32>
    %371 = stablehlo.multiply %369, %107 : tensor<8x32x256xf32>
    %cst_84 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %372 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %373 = stablehlo.multiply %372, %370 : tensor<8x32x256xf32>
    %374 = stablehlo.multiply %373, %103 : tensor<8x32x256xf32>
    %375 = stablehlo.multiply %374, %101 : tensor<8x32x256xf32>
    %376 = stablehlo.add %374, %375 : tensor<8x32x256xf32>
    %cst_85 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %377 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %378 = stablehlo.multiply %377, %376 : tensor<8x32x256xf32>
    %379 = stablehlo.add %371, %378 : tensor<8x32x256xf32>
    %cst_86 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %380 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %381 = stablehlo.multiply %380, %378 : tensor<8x32x256xf32>
    %382 = stablehlo.multiply %381, %95 : tensor<8x32x256xf32>
    %383 = stablehlo.add %379, %382 : tensor<8x32x256xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %384 = stablehlo.reduce(%383 init: %cst_87) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x256xf32>, tensor<f32>) -> tensor<256xf32>
    %385 = stablehlo.reshape %384 : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %386 = stablehlo.reduce(%385 init: %cst_88) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %387 = stablehlo.dot_general %383, %86, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<8x32x64xf32>) -> tensor<256x64xf32>
    %388 = stablehlo.transpose %387, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %389 = stablehlo.dot_general %383, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x256xf32>, tensor<64x256xf32>) -> tensor<8x32x64xf32>
    %390 = stablehlo.multiply %83, %389 : tensor<8x32x64xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %391 = stablehlo.reduce(%390 init: %cst_89) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %392 = stablehlo.reshape %391 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %393 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %394 = stablehlo.multiply %389, %393 : tensor<8x32x64xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %395 = stablehlo.reduce(%392 init: %cst_90) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %396 = stablehlo.multiply %70, %394 : tensor<8x32x64xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %397 = stablehlo.reduce(%396 init: %cst_91) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %398 = stablehlo.reshape %397 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %399 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %400 = stablehlo.multiply %394, %399 : tensor<8x32x64xf32>
    %401 = stablehlo.add %363, %400 : tensor<8x32x64xf32>
    %402 = stablehlo.multiply %398, %81 : tensor<8x32x1xf32>
    %cst_92 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %403 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %404 = stablehlo.divide %402, %403 : tensor<8x32x1xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %405 = stablehlo.reduce(%404 init: %cst_93) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %406 = stablehlo.broadcast_in_dim %405, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %407 = stablehlo.multiply %70, %406 : tensor<8x32x64xf32>
    %408 = stablehlo.add %401, %407 : tensor<8x32x64xf32>
    %409 = stablehlo.multiply %406, %70 : tensor<8x32x64xf32>
    %410 = stablehlo.add %408, %409 : tensor<8x32x64xf32>
    %411 = stablehlo.multiply %66, %410 : tensor<8x32x64xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %412 = stablehlo.reduce(%411 init: %cst_94) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %413 = stablehlo.reshape %412 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %414 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %415 = stablehlo.multiply %410, %414 : tensor<8x32x64xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %416 = stablehlo.reduce(%413 init: %cst_95) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %417 = stablehlo.multiply %53, %415 : tensor<8x32x64xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %418 = stablehlo.reduce(%417 init: %cst_96) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %419 = stablehlo.reshape %418 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %420 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %421 = stablehlo.multiply %415, %420 : tensor<8x32x64xf32>
    %422 = stablehlo.multiply %419, %64 : tensor<8x32x1xf32>
    %cst_97 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %423 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %424 = stablehlo.divide %422, %423 : tensor<8x32x1xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %425 = stablehlo.reduce(%424 init: %cst_98) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %426 = stablehlo.broadcast_in_dim %425, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %427 = stablehlo.multiply %53, %426 : tensor<8x32x64xf32>
    %428 = stablehlo.add %421, %427 : tensor<8x32x64xf32>
    %429 = stablehlo.multiply %426, %53 : tensor<8x32x64xf32>
    %430 = stablehlo.add %428, %429 : tensor<8x32x64xf32>
    %431 = stablehlo.dot_general %430, %52, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<8x32x4x16xf32>) -> tensor<64x4x16xf32>
    %432 = stablehlo.transpose %431, dims = [1, 2, 0] : (tensor<64x4x16xf32>) -> tensor<4x16x64xf32>
    %433 = stablehlo.dot_general %430, %arg1, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x32x64xf32>, tensor<4x16x64xf32>) -> tensor<8x32x4x16xf32>
    %434 = stablehlo.transpose %433, dims = [0, 2, 3, 1] : (tensor<8x32x4x16xf32>) -> tensor<8x4x16x32xf32>
    %435 = stablehlo.dot_general %434, %30, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x32xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x32xf32>
    %436 = stablehlo.dot_general %434, %47, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x16x32xf32>
    %437 = stablehlo.transpose %436, dims = [0, 3, 1, 2] : (tensor<8x4x16x32xf32>) -> tensor<8x32x4x16xf32>
    %438 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %439 = stablehlo.multiply %435, %438 : tensor<8x4x32x32xf32>
    %440 = stablehlo.multiply %439, %43 : tensor<8x4x32x32xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %441 = stablehlo.reduce(%440 init: %cst_99) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %442 = stablehlo.reshape %441 : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %443 = stablehlo.negate %442 : tensor<8x4x32x1xf32>
    %444 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %445 = stablehlo.divide %435, %444 : tensor<8x4x32x32xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %446 = stablehlo.reduce(%443 init: %cst_100) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x1xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %447 = stablehlo.broadcast_in_dim %446, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x32xf32>
    %448 = stablehlo.add %445, %447 : tensor<8x4x32x32xf32>
    %449 = stablehlo.multiply %448, %43 : tensor<8x4x32x32xf32>
    %450 = call @_where_2(%36#1, %449) : (tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %cst_101 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %451 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %452 = stablehlo.divide %450, %451 : tensor<8x4x32x32xf32>
    %453 = stablehlo.dot_general %452, %26, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x32x32xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x16xf32>
    %454 = stablehlo.transpose %453, dims = [0, 2, 1, 3] : (tensor<8x4x32x16xf32>) -> tensor<8x32x4x16xf32>
    %455 = stablehlo.dot_general %452, %28, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x32x32xf32>, tensor<8x32x4x16xf32>) -> tensor<8x4x32x16xf32>
    %456 = stablehlo.transpose %455, dims = [0, 2, 1, 3] : (tensor<8x4x32x16xf32>) -> tensor<8x32x4x16xf32>
    %457 = stablehlo.broadcast_in_dim %437, dims = [1, 2, 3, 4] : (tensor<8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %458 = stablehlo.pad %457, %cst_102, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x32x4x16xf32>, tensor<f32>) -> tensor<3x8x32x4x16xf32>
    %459 = stablehlo.broadcast_in_dim %454, dims = [1, 2, 3, 4] : (tensor<8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %460 = stablehlo.pad %459, %cst_103, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x32x4x16xf32>, tensor<f32>) -> tensor<3x8x32x4x16xf32>
    %461 = stablehlo.add %458, %460 : tensor<3x8x32x4x16xf32>
    %462 = stablehlo.broadcast_in_dim %456, dims = [1, 2, 3, 4] : (tensor<8x32x4x16xf32>) -> tensor<1x8x32x4x16xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %463 = stablehlo.pad %462, %cst_104, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x32x4x16xf32>, tensor<f32>) -> tensor<3x8x32x4x16xf32>
    %464 = stablehlo.add %461, %463 : tensor<3x8x32x4x16xf32>
    %465 = stablehlo.transpose %464, dims = [0, 3, 4, 1, 2] : (tensor<3x8x32x4x16xf32>) -> tensor<3x4x16x8x32xf32>
    %466 = stablehlo.dot_general %465, %arg2, contracting_dims = [0, 1, 2] x [0, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x4x16x8x32xf32>, tensor<3x64x4x16xf32>) -> tensor<8x32x64xf32>
    %467 = stablehlo.dot_general %465, %22, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x16x8x32xf32>, tensor<8x32x64xf32>) -> tensor<3x4x16x64xf32>
    %468 = stablehlo.transpose %467, dims = [0, 3, 1, 2] : (tensor<3x4x16x64xf32>) -> tensor<3x64x4x16xf32>
    %469 = stablehlo.multiply %19, %466 : tensor<8x32x64xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %470 = stablehlo.reduce(%469 init: %cst_105) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %471 = stablehlo.reshape %470 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %472 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<8x32x64xf32>
    %473 = stablehlo.multiply %466, %472 : tensor<8x32x64xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %474 = stablehlo.reduce(%471 init: %cst_106) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %475 = stablehlo.multiply %6, %473 : tensor<8x32x64xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %476 = stablehlo.reduce(%475 init: %cst_107) applies stablehlo.add across dimensions = [2] : (tensor<8x32x64xf32>, tensor<f32>) -> tensor<8x32xf32>
    %477 = stablehlo.reshape %476 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %478 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x64xf32>
    %479 = stablehlo.multiply %473, %478 : tensor<8x32x64xf32>
    %480 = stablehlo.add %410, %479 : tensor<8x32x64xf32>
    %481 = stablehlo.multiply %477, %17 : tensor<8x32x1xf32>
    %cst_108 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %482 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %483 = stablehlo.divide %481, %482 : tensor<8x32x1xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %484 = stablehlo.reduce(%483 init: %cst_109) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %485 = stablehlo.broadcast_in_dim %484, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x64xf32>
    %486 = stablehlo.multiply %6, %485 : tensor<8x32x64xf32>
    %487 = stablehlo.add %480, %486 : tensor<8x32x64xf32>
    %488 = stablehlo.multiply %485, %6 : tensor<8x32x64xf32>
    %489 = stablehlo.add %487, %488 : tensor<8x32x64xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %490 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %491 = "stablehlo.scatter"(%490, %5, %489) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg60: tensor<f32>, %arg61: tensor<f32>):
      %916 = stablehlo.add %arg60, %arg61 : tensor<f32>
      stablehlo.return %916 : tensor<f32>
    }) : (tensor<256x64xf32>, tensor<8x32x1xi32>, tensor<8x32x64xf32>) -> tensor<256x64xf32>
    %492 = stablehlo.add %237, %491 : tensor<256x64xf32>
    %cst_111 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %493 = stablehlo.add %arg19, %cst_111 : tensor<f32>
    %cst_112 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %494 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %495 = stablehlo.multiply %494, %arg20 : tensor<256x64xf32>
    %cst_113 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %496 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %497 = stablehlo.multiply %496, %492 : tensor<256x64xf32>
    %498 = stablehlo.add %495, %497 : tensor<256x64xf32>
    %cst_114 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %499 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %500 = stablehlo.multiply %499, %arg21 : tensor<4x16x64xf32>
    %cst_115 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %501 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %502 = stablehlo.multiply %501, %432 : tensor<4x16x64xf32>
    %503 = stablehlo.add %500, %502 : tensor<4x16x64xf32>
    %cst_116 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %504 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %505 = stablehlo.multiply %504, %arg22 : tensor<3x64x4x16xf32>
    %cst_117 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %506 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %507 = stablehlo.multiply %506, %468 : tensor<3x64x4x16xf32>
    %508 = stablehlo.add %505, %507 : tensor<3x64x4x16xf32>
    %cst_118 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %509 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %510 = stablehlo.multiply %509, %arg23 : tensor<256x64xf32>
    %cst_119 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %511 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %512 = stablehlo.multiply %511, %368 : tensor<256x64xf32>
    %513 = stablehlo.add %510, %512 : tensor<256x64xf32>
    %cst_120 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %514 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %515 = stablehlo.multiply %514, %arg24 : tensor<64xf32>
    %cst_121 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %516 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %517 = stablehlo.multiply %516, %366 : tensor<64xf32>
    %518 = stablehlo.add %515, %517 : tensor<64xf32>
    %cst_122 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %519 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %520 = stablehlo.multiply %519, %arg25 : tensor<64x256xf32>
    %cst_123 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %521 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %522 = stablehlo.multiply %521, %388 : tensor<64x256xf32>
    %523 = stablehlo.add %520, %522 : tensor<64x256xf32>
    %cst_124 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %525 = stablehlo.multiply %524, %arg26 : tensor<256xf32>
    %cst_125 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %526 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %527 = stablehlo.multiply %526, %386 : tensor<256xf32>
    %528 = stablehlo.add %525, %527 : tensor<256xf32>
    %cst_126 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %529 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %530 = stablehlo.multiply %529, %arg27 : tensor<64xf32>
    %cst_127 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %531 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %532 = stablehlo.multiply %531, %474 : tensor<64xf32>
    %533 = stablehlo.add %530, %532 : tensor<64xf32>
    %cst_128 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %534 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %535 = stablehlo.multiply %534, %arg28 : tensor<64xf32>
    %cst_129 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %537 = stablehlo.multiply %536, %395 : tensor<64xf32>
    %538 = stablehlo.add %535, %537 : tensor<64xf32>
    %cst_130 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %540 = stablehlo.multiply %539, %arg29 : tensor<64xf32>
    %cst_131 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %541 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %542 = stablehlo.multiply %541, %416 : tensor<64xf32>
    %543 = stablehlo.add %540, %542 : tensor<64xf32>
    %cst_132 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %544 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %545 = stablehlo.multiply %544, %arg30 : tensor<4x16x64xf32>
    %cst_133 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %546 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %547 = stablehlo.multiply %546, %306 : tensor<4x16x64xf32>
    %548 = stablehlo.add %545, %547 : tensor<4x16x64xf32>
    %cst_134 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %549 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %550 = stablehlo.multiply %549, %arg31 : tensor<3x64x4x16xf32>
    %cst_135 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %551 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %552 = stablehlo.multiply %551, %342 : tensor<3x64x4x16xf32>
    %553 = stablehlo.add %550, %552 : tensor<3x64x4x16xf32>
    %cst_136 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %554 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %555 = stablehlo.multiply %554, %arg32 : tensor<256x64xf32>
    %cst_137 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %556 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %557 = stablehlo.multiply %556, %242 : tensor<256x64xf32>
    %558 = stablehlo.add %555, %557 : tensor<256x64xf32>
    %cst_138 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %560 = stablehlo.multiply %559, %arg33 : tensor<64xf32>
    %cst_139 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %561 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %562 = stablehlo.multiply %561, %240 : tensor<64xf32>
    %563 = stablehlo.add %560, %562 : tensor<64xf32>
    %cst_140 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %564 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %565 = stablehlo.multiply %564, %arg34 : tensor<64x256xf32>
    %cst_141 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %567 = stablehlo.multiply %566, %262 : tensor<64x256xf32>
    %568 = stablehlo.add %565, %567 : tensor<64x256xf32>
    %cst_142 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %569 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %570 = stablehlo.multiply %569, %arg35 : tensor<256xf32>
    %cst_143 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %572 = stablehlo.multiply %571, %260 : tensor<256xf32>
    %573 = stablehlo.add %570, %572 : tensor<256xf32>
    %cst_144 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %575 = stablehlo.multiply %574, %arg36 : tensor<64xf32>
    %cst_145 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %576 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %577 = stablehlo.multiply %576, %348 : tensor<64xf32>
    %578 = stablehlo.add %575, %577 : tensor<64xf32>
    %cst_146 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %579 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %580 = stablehlo.multiply %579, %arg37 : tensor<64xf32>
    %cst_147 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %581 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %582 = stablehlo.multiply %581, %269 : tensor<64xf32>
    %583 = stablehlo.add %580, %582 : tensor<64xf32>
    %cst_148 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %584 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %585 = stablehlo.multiply %584, %arg38 : tensor<64xf32>
    %cst_149 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %586 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %587 = stablehlo.multiply %586, %290 : tensor<64xf32>
    %588 = stablehlo.add %585, %587 : tensor<64xf32>
    %cst_150 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %589 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %590 = stablehlo.multiply %589, %arg39 : tensor<256x64xf32>
    %cst_151 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %591 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %592 = stablehlo.multiply %591, %492 : tensor<256x64xf32>
    %593 = stablehlo.multiply %592, %492 : tensor<256x64xf32>
    %594 = stablehlo.add %590, %593 : tensor<256x64xf32>
    %cst_152 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %595 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %596 = stablehlo.multiply %595, %arg40 : tensor<4x16x64xf32>
    %cst_153 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %597 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %598 = stablehlo.multiply %597, %432 : tensor<4x16x64xf32>
    %599 = stablehlo.multiply %598, %432 : tensor<4x16x64xf32>
    %600 = stablehlo.add %596, %599 : tensor<4x16x64xf32>
    %cst_154 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %601 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %602 = stablehlo.multiply %601, %arg41 : tensor<3x64x4x16xf32>
    %cst_155 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %603 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %604 = stablehlo.multiply %603, %468 : tensor<3x64x4x16xf32>
    %605 = stablehlo.multiply %604, %468 : tensor<3x64x4x16xf32>
    %606 = stablehlo.add %602, %605 : tensor<3x64x4x16xf32>
    %cst_156 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %607 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %608 = stablehlo.multiply %607, %arg42 : tensor<256x64xf32>
    %cst_157 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %609 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %610 = stablehlo.multiply %609, %368 : tensor<256x64xf32>
    %611 = stablehlo.multiply %610, %368 : tensor<256x64xf32>
    %612 = stablehlo.add %608, %611 : tensor<256x64xf32>
    %cst_158 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %613 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %614 = stablehlo.multiply %613, %arg43 : tensor<64xf32>
    %cst_159 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %615 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %616 = stablehlo.multiply %615, %366 : tensor<64xf32>
    %617 = stablehlo.multiply %616, %366 : tensor<64xf32>
    %618 = stablehlo.add %614, %617 : tensor<64xf32>
    %cst_160 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %619 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %620 = stablehlo.multiply %619, %arg44 : tensor<64x256xf32>
    %cst_161 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %621 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %622 = stablehlo.multiply %621, %388 : tensor<64x256xf32>
    %623 = stablehlo.multiply %622, %388 : tensor<64x256xf32>
    %624 = stablehlo.add %620, %623 : tensor<64x256xf32>
    %cst_162 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %625 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %626 = stablehlo.multiply %625, %arg45 : tensor<256xf32>
    %cst_163 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %627 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %628 = stablehlo.multiply %627, %386 : tensor<256xf32>
    %629 = stablehlo.multiply %628, %386 : tensor<256xf32>
    %630 = stablehlo.add %626, %629 : tensor<256xf32>
    %cst_164 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %631 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %632 = stablehlo.multiply %631, %arg46 : tensor<64xf32>
    %cst_165 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %633 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %634 = stablehlo.multiply %633, %474 : tensor<64xf32>
    %635 = stablehlo.multiply %634, %474 : tensor<64xf32>
    %636 = stablehlo.add %632, %635 : tensor<64xf32>
    %cst_166 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %637 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %638 = stablehlo.multiply %637, %arg47 : tensor<64xf32>
    %cst_167 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %639 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %640 = stablehlo.multiply %639, %395 : tensor<64xf32>
    %641 = stablehlo.multiply %640, %395 : tensor<64xf32>
    %642 = stablehlo.add %638, %641 : tensor<64xf32>
    %cst_168 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %643 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %644 = stablehlo.multiply %643, %arg48 : tensor<64xf32>
    %cst_169 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %645 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %646 = stablehlo.multiply %645, %416 : tensor<64xf32>
    %647 = stablehlo.multiply %646, %416 : tensor<64xf32>
    %648 = stablehlo.add %644, %647 : tensor<64xf32>
    %cst_170 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %649 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %650 = stablehlo.multiply %649, %arg49 : tensor<4x16x64xf32>
    %cst_171 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %651 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %652 = stablehlo.multiply %651, %306 : tensor<4x16x64xf32>
    %653 = stablehlo.multiply %652, %306 : tensor<4x16x64xf32>
    %654 = stablehlo.add %650, %653 : tensor<4x16x64xf32>
    %cst_172 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %655 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %656 = stablehlo.multiply %655, %arg50 : tensor<3x64x4x16xf32>
    %cst_173 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %657 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %658 = stablehlo.multiply %657, %342 : tensor<3x64x4x16xf32>
    %659 = stablehlo.multiply %658, %342 : tensor<3x64x4x16xf32>
    %660 = stablehlo.add %656, %659 : tensor<3x64x4x16xf32>
    %cst_174 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %661 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %662 = stablehlo.multiply %661, %arg51 : tensor<256x64xf32>
    %cst_175 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %663 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %664 = stablehlo.multiply %663, %242 : tensor<256x64xf32>
    %665 = stablehlo.multiply %664, %242 : tensor<256x64xf32>
    %666 = stablehlo.add %662, %665 : tensor<256x64xf32>
    %cst_176 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %667 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %668 = stablehlo.multiply %667, %arg52 : tensor<64xf32>
    %cst_177 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %669 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %670 = stablehlo.multiply %669, %240 : tensor<64xf32>
    %671 = stablehlo.multiply %670, %240 : tensor<64xf32>
    %672 = stablehlo.add %668, %671 : tensor<64xf32>
    %cst_178 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %673 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %674 = stablehlo.multiply %673, %arg53 : tensor<64x256xf32>
    %cst_179 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %675 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %676 = stablehlo.multiply %675, %262 : tensor<64x256xf32>
    %677 = stablehlo.multiply %676, %262 : tensor<64x256xf32>
    %678 = stablehlo.add %674, %677 : tensor<64x256xf32>
    %cst_180 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %679 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %680 = stablehlo.multiply %679, %arg54 : tensor<256xf32>
    %cst_181 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %681 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %682 = stablehlo.multiply %681, %260 : tensor<256xf32>
    %683 = stablehlo.multiply %682, %260 : tensor<256xf32>
    %684 = stablehlo.add %680, %683 : tensor<256xf32>
    %cst_182 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %685 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %686 = stablehlo.multiply %685, %arg55 : tensor<64xf32>
    %cst_183 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %687 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %688 = stablehlo.multiply %687, %348 : tensor<64xf32>
    %689 = stablehlo.multiply %688, %348 : tensor<64xf32>
    %690 = stablehlo.add %686, %689 : tensor<64xf32>
    %cst_184 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %691 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %692 = stablehlo.multiply %691, %arg56 : tensor<64xf32>
    %cst_185 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %693 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %694 = stablehlo.multiply %693, %269 : tensor<64xf32>
    %695 = stablehlo.multiply %694, %269 : tensor<64xf32>
    %696 = stablehlo.add %692, %695 : tensor<64xf32>
    %cst_186 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %697 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %698 = stablehlo.multiply %697, %arg57 : tensor<64xf32>
    %cst_187 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %699 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %700 = stablehlo.multiply %699, %290 : tensor<64xf32>
    %701 = stablehlo.multiply %700, %290 : tensor<64xf32>
    %702 = stablehlo.add %698, %701 : tensor<64xf32>
    %cst_188 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %703 = stablehlo.power %cst_188, %493 : tensor<f32>
    %cst_189 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %704 = stablehlo.subtract %cst_189, %703 : tensor<f32>
    %cst_190 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %705 = stablehlo.power %cst_190, %493 : tensor<f32>
    %cst_191 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %706 = stablehlo.subtract %cst_191, %705 : tensor<f32>
    %707 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %708 = stablehlo.divide %498, %707 : tensor<256x64xf32>
    %cst_192 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %709 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %710 = stablehlo.multiply %709, %708 : tensor<256x64xf32>
    %711 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %712 = stablehlo.divide %594, %711 : tensor<256x64xf32>
    %713 = stablehlo.sqrt %712 : tensor<256x64xf32>
    %cst_193 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %714 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %715 = stablehlo.add %713, %714 : tensor<256x64xf32>
    %716 = stablehlo.divide %710, %715 : tensor<256x64xf32>
    %717 = stablehlo.subtract %arg0, %716 : tensor<256x64xf32>
    %718 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %719 = stablehlo.divide %503, %718 : tensor<4x16x64xf32>
    %cst_194 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %720 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %721 = stablehlo.multiply %720, %719 : tensor<4x16x64xf32>
    %722 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %723 = stablehlo.divide %600, %722 : tensor<4x16x64xf32>
    %724 = stablehlo.sqrt %723 : tensor<4x16x64xf32>
    %cst_195 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %725 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %726 = stablehlo.add %724, %725 : tensor<4x16x64xf32>
    %727 = stablehlo.divide %721, %726 : tensor<4x16x64xf32>
    %728 = stablehlo.subtract %arg1, %727 : tensor<4x16x64xf32>
    %729 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %730 = stablehlo.divide %508, %729 : tensor<3x64x4x16xf32>
    %cst_196 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %731 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %732 = stablehlo.multiply %731, %730 : tensor<3x64x4x16xf32>
    %733 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %734 = stablehlo.divide %606, %733 : tensor<3x64x4x16xf32>
    %735 = stablehlo.sqrt %734 : tensor<3x64x4x16xf32>
    %cst_197 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %736 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %737 = stablehlo.add %735, %736 : tensor<3x64x4x16xf32>
    %738 = stablehlo.divide %732, %737 : tensor<3x64x4x16xf32>
    %739 = stablehlo.subtract %arg2, %738 : tensor<3x64x4x16xf32>
    %740 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %741 = stablehlo.divide %513, %740 : tensor<256x64xf32>
    %cst_198 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %742 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %743 = stablehlo.multiply %742, %741 : tensor<256x64xf32>
    %744 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %745 = stablehlo.divide %612, %744 : tensor<256x64xf32>
    %746 = stablehlo.sqrt %745 : tensor<256x64xf32>
    %cst_199 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %747 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %748 = stablehlo.add %746, %747 : tensor<256x64xf32>
    %749 = stablehlo.divide %743, %748 : tensor<256x64xf32>
    %750 = stablehlo.subtract %arg3, %749 : tensor<256x64xf32>
    %751 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %752 = stablehlo.divide %518, %751 : tensor<64xf32>
    %cst_200 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %753 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %754 = stablehlo.multiply %753, %752 : tensor<64xf32>
    %755 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %756 = stablehlo.divide %618, %755 : tensor<64xf32>
    %757 = stablehlo.sqrt %756 : tensor<64xf32>
    %cst_201 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %758 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %759 = stablehlo.add %757, %758 : tensor<64xf32>
    %760 = stablehlo.divide %754, %759 : tensor<64xf32>
    %761 = stablehlo.subtract %arg4, %760 : tensor<64xf32>
    %762 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %763 = stablehlo.divide %523, %762 : tensor<64x256xf32>
    %cst_202 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %764 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %765 = stablehlo.multiply %764, %763 : tensor<64x256xf32>
    %766 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %767 = stablehlo.divide %624, %766 : tensor<64x256xf32>
    %768 = stablehlo.sqrt %767 : tensor<64x256xf32>
    %cst_203 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %769 = stablehlo.broadcast_in_dim %cst_203, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %770 = stablehlo.add %768, %769 : tensor<64x256xf32>
    %771 = stablehlo.divide %765, %770 : tensor<64x256xf32>
    %772 = stablehlo.subtract %arg5, %771 : tensor<64x256xf32>
    %773 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %774 = stablehlo.divide %528, %773 : tensor<256xf32>
    %cst_204 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %775 = stablehlo.broadcast_in_dim %cst_204, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %776 = stablehlo.multiply %775, %774 : tensor<256xf32>
    %777 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %778 = stablehlo.divide %630, %777 : tensor<256xf32>
    %779 = stablehlo.sqrt %778 : tensor<256xf32>
    %cst_205 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %780 = stablehlo.broadcast_in_dim %cst_205, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %781 = stablehlo.add %779, %780 : tensor<256xf32>
    %782 = stablehlo.divide %776, %781 : tensor<256xf32>
    %783 = stablehlo.subtract %arg6, %782 : tensor<256xf32>
    %784 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %785 = stablehlo.divide %533, %784 : tensor<64xf32>
    %cst_206 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %786 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %787 = stablehlo.multiply %786, %785 : tensor<64xf32>
    %788 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %789 = stablehlo.divide %636, %788 : tensor<64xf32>
    %790 = stablehlo.sqrt %789 : tensor<64xf32>
    %cst_207 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %791 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %792 = stablehlo.add %790, %791 : tensor<64xf32>
    %793 = stablehlo.divide %787, %792 : tensor<64xf32>
    %794 = stablehlo.subtract %arg7, %793 : tensor<64xf32>
    %795 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %796 = stablehlo.divide %538, %795 : tensor<64xf32>
    %cst_208 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %797 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %798 = stablehlo.multiply %797, %796 : tensor<64xf32>
    %799 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %800 = stablehlo.divide %642, %799 : tensor<64xf32>
    %801 = stablehlo.sqrt %800 : tensor<64xf32>
    %cst_209 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %802 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %803 = stablehlo.add %801, %802 : tensor<64xf32>
    %804 = stablehlo.divide %798, %803 : tensor<64xf32>
    %805 = stablehlo.subtract %arg8, %804 : tensor<64xf32>
    %806 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %807 = stablehlo.divide %543, %806 : tensor<64xf32>
    %cst_210 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %808 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %809 = stablehlo.multiply %808, %807 : tensor<64xf32>
    %810 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %811 = stablehlo.divide %648, %810 : tensor<64xf32>
    %812 = stablehlo.sqrt %811 : tensor<64xf32>
    %cst_211 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %813 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %814 = stablehlo.add %812, %813 : tensor<64xf32>
    %815 = stablehlo.divide %809, %814 : tensor<64xf32>
    %816 = stablehlo.subtract %arg9, %815 : tensor<64xf32>
    %817 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %818 = stablehlo.divide %548, %817 : tensor<4x16x64xf32>
    %cst_212 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %819 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %820 = stablehlo.multiply %819, %818 : tensor<4x16x64xf32>
    %821 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %822 = stablehlo.divide %654, %821 : tensor<4x16x64xf32>
    %823 = stablehlo.sqrt %822 : tensor<4x16x64xf32>
    %cst_213 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %824 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %825 = stablehlo.add %823, %824 : tensor<4x16x64xf32>
    %826 = stablehlo.divide %820, %825 : tensor<4x16x64xf32>
    %827 = stablehlo.subtract %arg10, %826 : tensor<4x16x64xf32>
    %828 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %829 = stablehlo.divide %553, %828 : tensor<3x64x4x16xf32>
    %cst_214 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %830 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %831 = stablehlo.multiply %830, %829 : tensor<3x64x4x16xf32>
    %832 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %833 = stablehlo.divide %660, %832 : tensor<3x64x4x16xf32>
    %834 = stablehlo.sqrt %833 : tensor<3x64x4x16xf32>
    %cst_215 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %835 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<3x64x4x16xf32>
    %836 = stablehlo.add %834, %835 : tensor<3x64x4x16xf32>
    %837 = stablehlo.divide %831, %836 : tensor<3x64x4x16xf32>
    %838 = stablehlo.subtract %arg11, %837 : tensor<3x64x4x16xf32>
    %839 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %840 = stablehlo.divide %558, %839 : tensor<256x64xf32>
    %cst_216 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %841 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %842 = stablehlo.multiply %841, %840 : tensor<256x64xf32>
    %843 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %844 = stablehlo.divide %666, %843 : tensor<256x64xf32>
    %845 = stablehlo.sqrt %844 : tensor<256x64xf32>
    %cst_217 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %846 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %847 = stablehlo.add %845, %846 : tensor<256x64xf32>
    %848 = stablehlo.divide %842, %847 : tensor<256x64xf32>
    %849 = stablehlo.subtract %arg12, %848 : tensor<256x64xf32>
    %850 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %851 = stablehlo.divide %563, %850 : tensor<64xf32>
    %cst_218 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %852 = stablehlo.broadcast_in_dim %cst_218, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %853 = stablehlo.multiply %852, %851 : tensor<64xf32>
    %854 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %855 = stablehlo.divide %672, %854 : tensor<64xf32>
    %856 = stablehlo.sqrt %855 : tensor<64xf32>
    %cst_219 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %857 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %858 = stablehlo.add %856, %857 : tensor<64xf32>
    %859 = stablehlo.divide %853, %858 : tensor<64xf32>
    %860 = stablehlo.subtract %arg13, %859 : tensor<64xf32>
    %861 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %862 = stablehlo.divide %568, %861 : tensor<64x256xf32>
    %cst_220 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %863 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %864 = stablehlo.multiply %863, %862 : tensor<64x256xf32>
    %865 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %866 = stablehlo.divide %678, %865 : tensor<64x256xf32>
    %867 = stablehlo.sqrt %866 : tensor<64x256xf32>
    %cst_221 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %868 = stablehlo.broadcast_in_dim %cst_221, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %869 = stablehlo.add %867, %868 : tensor<64x256xf32>
    %870 = stablehlo.divide %864, %869 : tensor<64x256xf32>
    %871 = stablehlo.subtract %arg14, %870 : tensor<64x256xf32>
    %872 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %873 = stablehlo.divide %573, %872 : tensor<256xf32>
    %cst_222 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %874 = stablehlo.broadcast_in_dim %cst_222, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %875 = stablehlo.multiply %874, %873 : tensor<256xf32>
    %876 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %877 = stablehlo.divide %684, %876 : tensor<256xf32>
    %878 = stablehlo.sqrt %877 : tensor<256xf32>
    %cst_223 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %879 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %880 = stablehlo.add %878, %879 : tensor<256xf32>
    %881 = stablehlo.divide %875, %880 : tensor<256xf32>
    %882 = stablehlo.subtract %arg15, %881 : tensor<256xf32>
    %883 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %884 = stablehlo.divide %578, %883 : tensor<64xf32>
    %cst_224 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %885 = stablehlo.broadcast_in_dim %cst_224, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %886 = stablehlo.multiply %885, %884 : tensor<64xf32>
    %887 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %888 = stablehlo.divide %690, %887 : tensor<64xf32>
    %889 = stablehlo.sqrt %888 : tensor<64xf32>
    %cst_225 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %890 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %891 = stablehlo.add %889, %890 : tensor<64xf32>
    %892 = stablehlo.divide %886, %891 : tensor<64xf32>
    %893 = stablehlo.subtract %arg16, %892 : tensor<64xf32>
    %894 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %895 = stablehlo.divide %583, %894 : tensor<64xf32>
    %cst_226 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %896 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %897 = stablehlo.multiply %896, %895 : tensor<64xf32>
    %898 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %899 = stablehlo.divide %696, %898 : tensor<64xf32>
    %900 = stablehlo.sqrt %899 : tensor<64xf32>
    %cst_227 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %901 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %902 = stablehlo.add %900, %901 : tensor<64xf32>
    %903 = stablehlo.divide %897, %902 : tensor<64xf32>
    %904 = stablehlo.subtract %arg17, %903 : tensor<64xf32>
    %905 = stablehlo.broadcast_in_dim %704, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %906 = stablehlo.divide %588, %905 : tensor<64xf32>
    %cst_228 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %907 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %908 = stablehlo.multiply %907, %906 : tensor<64xf32>
    %909 = stablehlo.broadcast_in_dim %706, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %910 = stablehlo.divide %702, %909 : tensor<64xf32>
    %911 = stablehlo.sqrt %910 : tensor<64xf32>
    %cst_229 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %912 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %913 = stablehlo.add %911, %912 : tensor<64xf32>
    %914 = stablehlo.divide %908, %913 : tensor<64xf32>
    %915 = stablehlo.subtract %arg18, %914 : tensor<64xf32>
    return %717, %728, %739, %750, %761, %772, %783, %794, %805, %816, %827, %838, %849, %860, %871, %882, %893, %904, %915, %493, %498, %503, %508, %513, %518, %523, %528, %533, %538, %543, %548, %553, %558, %563, %568, %573, %578, %583, %588, %594, %600, %606, %612, %618, %624, %630, %636, %642, %648, %654, %660, %666, %672, %678, %684, %690, %696, %702, %228 : tensor<256x64xf32>, tensor<4x16x64xf32>, tensor<3x64x4x16xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4x16x64xf32>, tensor<3x64x4x16xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<256x64xf32>, tensor<4x16x64xf32>, tensor<3x64x4x16xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4x16x64xf32>, tensor<3x64x4x16xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<4x16x64xf32>, tensor<3x64x4x16xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4x16x64xf32>, tensor<3x64x4x16xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>
  }
  func.func private @tril(%arg0: tensor<32x32xi1>) -> tensor<32x32xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<32x32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x32xi32>
    %2 = stablehlo.add %0, %1 : tensor<32x32xi32>
    %3 = stablehlo.iota dim = 1 : tensor<32x32xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<32x32xi1>, tensor<32x32xi1>
    return %6 : tensor<32x32xi1>
  }
  func.func private @_where(%arg0: tensor<32x32xi1>, %arg1: tensor<8x4x32x32xf32>, %arg2: tensor<f32>) -> (tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<32x32xi1>) -> tensor<8x4x32x32xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>
    return %3, %1 : tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>
  }
  func.func private @log_softmax(%arg0: tensor<8x32x256xf32>) -> (tensor<8x32x256xf32>, tensor<8x32x256xf32>, tensor<8x32x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x32x256xf32>, tensor<f32>) -> tensor<8x32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8x32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x256xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x32x256xf32>
    %6 = stablehlo.exponential %5 : tensor<8x32x256xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x32x256xf32>, tensor<f32>) -> tensor<8x32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %9 = stablehlo.log %8 : tensor<8x32x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x256xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x32x256xf32>
    return %11, %6, %8 : tensor<8x32x256xf32>, tensor<8x32x256xf32>, tensor<8x32x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x32x256xf32>, %arg1: tensor<8x32x1xi32>) -> (tensor<8x32x1xf32>, tensor<8x32x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x32x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x32x1xi32>, tensor<8x32x1xi32>) -> tensor<8x32x1xi1>
    %c_0 = stablehlo.constant dense<256> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x32x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x32x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x32x1xi1>, tensor<8x32x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x32x1xi32>) -> tensor<8x32x1x1xi32>
    %c_1 = stablehlo.constant dense<255> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x32x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x32x1x1xi32>, tensor<8x32x1x1xi32>) -> tensor<8x32x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x32x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x32x1x1xi32>, tensor<8x32x1x1xi32>) -> tensor<8x32x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x32x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x32x1x1xi1>, tensor<i1>) -> tensor<8x32x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x32x256xf32>, tensor<8x32x1x1xi32>) -> tensor<8x32x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x32x1xi1>, tensor<8x32x1xf32>
    return %15, %5 : tensor<8x32x1xf32>, tensor<8x32x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<8x32x1x1xi32>, %arg1: tensor<8x32x1xf32>) -> tensor<8x32x256xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32x256xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x32x256xf32>, tensor<8x32x1x1xi32>, tensor<8x32x1xf32>) -> tensor<8x32x256xf32>
    return %1 : tensor<8x32x256xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<8x32x256xf32>, %arg1: tensor<8x32x1xf32>, %arg2: tensor<8x32x256xf32>) -> tensor<8x32x256xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x32x256xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x32x256xf32>, tensor<f32>) -> tensor<8x32xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x32x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x256xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x32x256xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x32x256xf32>
    return %7 : tensor<8x32x256xf32>
  }
  func.func private @_where_2(%arg0: tensor<8x4x32x32xi1>, %arg1: tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>
    return %1 : tensor<8x4x32x32xf32>
  }
}
