// Attributes of every kind on the module, functions, arguments, results and ops; unknown ones are kept.
#shared = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>
!vector = tensor<4xf32>
module @attributes attributes {a.bool = true, a.int = 5, a.i1 = 1 : i1, a.i8 = -3 : i8, a.ui64 = 18446744073709551615 : ui64, a.min = -9223372036854775808 : i64, a.index = 4 : index, a.float = 1.0, a.f32 = 0.1 : f32, a.bf16 = 0.33 : bf16, a.bits = 0x7F800000 : f32, a.pi = 3.14159274 : f32, a.large = 16777216.0 : f32, a.zero = -0.0 : f64, a.text = "a\"b\\c\n\t\01\7F é", a.empty = "", a.symbol = @f, a.nested = @f::@"odd name"::@g, a.quoted = @"odd name", a.type = tensor<4x?xf32>, a.function = (i32, tensor<f32>) -> (), a.higher = () -> ((i32) -> f32), a.list = [], a.lists = [1, 2 : i32, "x", [true, 2.0, 3.0 : f32]], a.dict = {}, a.entries = {z = 1, "a b", y, "1x" = 2 : i8, _u = [@f], a.b.c = {}}, a.none = array<i64>, a.ints = array<i32: 1, -2>, a.bools = array<i1: true, false>, a.floats = array<f32: 1.0, 2.5>, a.dense = dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>, a.splat = dense<1.5> : tensor<8xbf16>, a.unit = unit, a.other = #other.attr<"x" [1, {2}] -> (3)>, a.bare = #other.bare, a.alias = #shared, a.opaque_type = !other.type<x, y>, a.vector = vector<4xf32>, a.typed = "x" : i32, a.map = affine_map<(d0, d1) -> (d1, d0)>, a.dims = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, a.precision = #stablehlo<precision HIGHEST>} {
  func.func public @f(%x: !vector {a.one = 1 : i32, a.two = "b"}, %y: !vector {a.empty = {}}) -> (!vector {a.r}) attributes {a.f = [@f], "odd name" = 1 : i64} {
    %0 = stablehlo.add %x, %y {a.b = #shared, "odd name", z = loc("here")} : !vector
    return %0 : !vector
  }
}
