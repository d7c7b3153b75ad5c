// Where each pretty form has its dictionary of other attributes.
module {
  func.func @places(%x: tensor<4xf32>, %y: tensor<2x2xf32>, %i: tensor<i32>, %t: !stablehlo.token, %k: tensor<2xui64>, %s: tensor<f32>, %z: tensor<1xi64>, %p: tensor<i1>) {
    %0 = stablehlo.constant {a.b = 1 : i64} dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.iota dim = 0 {a.b} : tensor<4xf32>
    %2 = stablehlo.create_token {a.b} : !stablehlo.token
    %3 = stablehlo.after_all %t, %2 {a.b} : !stablehlo.token
    %4 = stablehlo.partition_id {a.b} : tensor<ui32>
    %5 = stablehlo.optimization_barrier {a.b} %0 : tensor<f32>
    stablehlo.optimization_barrier {a.b} ()
    %6 = stablehlo.concatenate %x, %x, dim = 0 {a.b} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %7 = chlo.constant {a.b} dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.cholesky %y, lower = true {a.b} : tensor<2x2xf32>
    %9 = stablehlo.slice %x [0:2] {a.b} : (tensor<4xf32>) -> tensor<2xf32>
    %10 = stablehlo.broadcast %x, sizes = [2] {a.b} : (tensor<4xf32>) -> tensor<2x4xf32>
    %11 = stablehlo.transpose %y, dims = [1, 0] {a.b} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %12 = stablehlo.dynamic_slice %x, %i, sizes = [1] {a.b} : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %13 = stablehlo.pad %x, %s, low = [0], high = [1], interior = [0] {a.b} : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
    %14 = stablehlo.fft %y, type = RFFT, length = [2] {a.b} : (tensor<2x2xf32>) -> tensor<2x2xcomplex<f32>>
    %15 = stablehlo.einsum %y, %y, config = "ab,bc->ac" {a.b} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %16 = stablehlo.dot %y, %y, precision = [DEFAULT, DEFAULT] {a.b} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %17 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] {a.b} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %18 = stablehlo.reduce_precision %x, format = e5m2 {a.b} : tensor<4xf32>
    %19:2 = stablehlo.rng_bit_generator %k, algorithm = PHILOX {a.b} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %20 = stablehlo.complex %x, %x {a.b} : tensor<4xcomplex<f32>>
    %21 = stablehlo.select %p, %x, %x {a.b} : tensor<i1>, tensor<4xf32>
    %22 = stablehlo.reshape %x {a.b} : (tensor<4xf32>) -> tensor<2x2xf32>
    %23 = stablehlo.tuple %x, %s {a.b} : tuple<tensor<4xf32>, tensor<f32>>
    %24 = stablehlo.get_tuple_element %23[0] {a.b} : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<4xf32>
    %25 = chlo.erf %x {a.b} : tensor<4xf32> -> tensor<4xf32>
    %26 = chlo.zeta %x, %x {a.b} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %27 = stablehlo.compare EQ, %x, %x {a.b} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %28 = stablehlo.custom_call @f(%x) {a.b} : (tensor<4xf32>) -> tensor<4xf32>
    %29 = stablehlo.composite "a.b" %x {a.b, decomposition = @callee} : (tensor<4xf32>) -> tensor<4xf32>
    %30 = stablehlo.composite "a.b" %x ({
    ^bb0(%a: tensor<f32>):
      stablehlo.return %a {a.b} : tensor<f32>
    }, {
    ^bb0(%a: tensor<f32>):
      %b = func.call @scalar(%a) {a.b} : (tensor<f32>) -> tensor<f32>
      stablehlo.return %b : tensor<f32>
    }) {decomposition = @callee} : (tensor<4xf32>) -> tensor<4xf32>
    %31:2 = chlo.top_k(%x, k = 2) {a.b} : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
    %32:2 = chlo.scan(%x) inits (%s) dimension=0 attributes {a.b, is_associative = true} {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c, %c : tensor<f32>, tensor<f32>
    } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
    %33 = sdy.sharding_constraint %x <mesh<["a"=2]>, [{"a"}]> {a.b} : tensor<4xf32>
    sdy.sharding_group %x group_id=7 {a.b} : tensor<4xf32>
    %34 = sdy.propagation_barrier %x allowed_direction=BACKWARD {a.b} : tensor<4xf32>
    %35 = sdy.manual_computation(%x) in_shardings=[<mesh<["a"=2]>, [{"a"}]>] out_shardings=[<mesh<["a"=2]>, [{"a"}]>] manual_axes={"a"} (%a: tensor<2xf32>) {
      sdy.return {a.b} %a : tensor<2xf32>
    } {a.b} : (tensor<4xf32>) -> tensor<4xf32>
    %36 = stablehlo.convolution(%y, %y) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {a.b, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %37 = stablehlo.rng %s, %s, %z, distribution = UNIFORM {a.b} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %38 = stablehlo.while(%v = %x) : tensor<4xf32> attributes {a.b}
      cond {
        stablehlo.return %p {a.b} : tensor<i1>
      } do {
        stablehlo.return %v : tensor<4xf32>
      }
    func.return {a.b}
  }
  func.func @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @callee(%x) {a.b} : (tensor<4xf32>) -> tensor<4xf32>
    return {a.b} %0 : tensor<4xf32>
  }
  func.func private @scalar(%x: tensor<f32>) -> tensor<f32> attributes {a.b, no_inline} {
    return %x : tensor<f32>
  }
}
