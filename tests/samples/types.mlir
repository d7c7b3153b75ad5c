// Every element type, in signatures and in constants of every form.
module @types {
  func.func private @signature(tensor<i1>, tensor<2xi2>, tensor<2xi4>, tensor<2xi8>, tensor<2xi16>, tensor<2xi32>, tensor<2xi64>, tensor<2xui2>, tensor<2xui4>, tensor<2xui8>, tensor<2xui16>, tensor<2xui32>, tensor<2xui64>, tensor<2xbf16>, tensor<2xf16>, tensor<2xf32>, tensor<2xf64>, tensor<2xf8E3M4>, tensor<2xf8E4M3>, tensor<2xf8E4M3B11FNUZ>, tensor<2xf8E4M3FN>, tensor<2xf8E4M3FNUZ>, tensor<2xf8E5M2>, tensor<2xf8E5M2FNUZ>, tensor<2xf8E8M0FNU>, tensor<2xf6E2M3FN>, tensor<2xf6E3M2FN>, tensor<2xf4E2M1FN>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f64>>, tensor<2xindex>)
  func.func private @shapes(tensor<f32>, tensor<0xf32>, tensor<1x2x3x4x5x6x7xf32>, tensor<?xf32>, tensor<?x4x?xf32>, tensor<*xf32>, tensor<?x?xf32, #stablehlo.bounds<4, ?>>, tensor<?xf32, #stablehlo.bounds<8>>, !stablehlo.token, tuple<>, tuple<tensor<f32>, tuple<!stablehlo.token>>)
  func.func private @quantized(tensor<4x!quant.uniform<i8:f32, 2.000000e-01:-30>>, tensor<4x!quant.uniform<u8:f32, 1.0>>, tensor<2x3x!quant.uniform<i8<-127:127>:f32:1, {1.0:1,2.0,3.5:-7}>>, tensor<?x!quant.uniform<i32:f64, 0.5>>)
  func.func @constants() {
    %0 = stablehlo.constant dense<true> : tensor<i1>
    %1 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %2 = stablehlo.constant dense<[1, -2, 0]> : tensor<3xi2>
    %3 = stablehlo.constant dense<[7, -8]> : tensor<2xi4>
    %4 = stablehlo.constant dense<[[127], [-128]]> : tensor<2x1xi8>
    %5 = stablehlo.constant dense<-32768> : tensor<4xi16>
    %6 = stablehlo.constant dense<[2147483647, -2147483648]> : tensor<2xi32>
    %7 = stablehlo.constant dense<[9223372036854775807, -9223372036854775808]> : tensor<2xi64>
    %8 = stablehlo.constant dense<[3, 0]> : tensor<2xui2>
    %9 = stablehlo.constant dense<15> : tensor<ui4>
    %10 = stablehlo.constant dense<255> : tensor<ui8>
    %11 = stablehlo.constant dense<65535> : tensor<ui16>
    %12 = stablehlo.constant dense<4294967295> : tensor<ui32>
    %13 = stablehlo.constant dense<[18446744073709551615, 0]> : tensor<2xui64>
    %14 = stablehlo.constant dense<[1.000000e+00, 0x7F80, 0xFFC0, -0.000000e+00]> : tensor<4xbf16>
    %15 = stablehlo.constant dense<[6.550400e+04, 5.960460e-08, 0x7C00]> : tensor<3xf16>
    %16 = stablehlo.constant dense<[3.14159274, 1.000000e-01, 0x7F800000, 0xFF800000, 0x7FC00000, 1.401300e-45]> : tensor<6xf32>
    %17 = stablehlo.constant dense<[3.1415926535897931, 1.000000e+300, 0x7FF0000000000000]> : tensor<3xf64>
    %18 = stablehlo.constant dense<[1.000000e+00, 1.550000e+01]> : tensor<2xf8E3M4>
    %19 = stablehlo.constant dense<[1.000000e+00, 2.400000e+02]> : tensor<2xf8E4M3>
    %20 = stablehlo.constant dense<[1.000000e+00, 3.000000e+01]> : tensor<2xf8E4M3B11FNUZ>
    %21 = stablehlo.constant dense<[4.480000e+02, 0x7F]> : tensor<2xf8E4M3FN>
    %22 = stablehlo.constant dense<[2.400000e+02, 0x80]> : tensor<2xf8E4M3FNUZ>
    %23 = stablehlo.constant dense<[5.734400e+04, 0x7C]> : tensor<2xf8E5M2>
    %24 = stablehlo.constant dense<[5.734400e+04, 0x80]> : tensor<2xf8E5M2FNUZ>
    %25 = stablehlo.constant dense<[1.000000e+00, 5.877470e-39]> : tensor<2xf8E8M0FNU>
    %26 = stablehlo.constant dense<[7.500000e+00, 1.250000e-01]> : tensor<2xf6E2M3FN>
    %27 = stablehlo.constant dense<[2.800000e+01, 6.250000e-02]> : tensor<2xf6E3M2FN>
    %28 = stablehlo.constant dense<[6.000000e+00, 5.000000e-01]> : tensor<2xf4E2M1FN>
    %29 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
    %30 = stablehlo.constant dense<[(1.000000e+00,0.000000e+00), (0x7FF0000000000000,3.000000e+00)]> : tensor<2xcomplex<f64>>
    %31 = stablehlo.constant dense<> : tensor<0x4xf32>
    %32 = stablehlo.constant dense<[[[1], [2]], [[3], [4]], [[5], [6]]]> : tensor<3x2x1xi32>
    %33 = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364"> : tensor<101xui8>
    %34 = stablehlo.constant dense_resource<blob> : tensor<4xi32>
    %35 = stablehlo.constant dense_resource<"odd key"> : tensor<2xi8>
    return
  }
  func.func @arithmetic(%a: tensor<4xf8E4M3FN>, %b: tensor<4x!quant.uniform<i8:f32, 2.0:3>>, %c: tensor<?x4xbf16>, %d: tensor<4xcomplex<f64>>) -> (tensor<4xf8E4M3FN>, tensor<4x!quant.uniform<i8:f32, 2.0:3>>, tensor<?x4xbf16>, tensor<4xf64>) {
    %0 = stablehlo.add %a, %a : tensor<4xf8E4M3FN>
    %1 = stablehlo.add %b, %b : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
    %2 = stablehlo.multiply %c, %c : tensor<?x4xbf16>
    %3 = stablehlo.abs %d : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %4 = stablehlo.uniform_dequantize %b : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4xf32>
    %5 = stablehlo.uniform_quantize %4 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 2.0:3>>
    %6 = "stablehlo.constant"() <{value = dense<[1, 2, 3, 4]> : tensor<4xi8>}> : () -> tensor<4x!quant.uniform<i8:f32, 2.0:3>>
    return %0, %5, %2, %3 : tensor<4xf8E4M3FN>, tensor<4x!quant.uniform<i8:f32, 2.0:3>>, tensor<?x4xbf16>, tensor<4xf64>
  }
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001000000020000000300000004000000",
      "odd key": "0x010000000102"
    }
  }
#-}
