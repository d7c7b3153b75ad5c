// Locations of every kind, with and without aliases, on ops, arguments, functions and the module.
#a = loc("foo.py":1:2)
#b = loc("name"(#a))
#f = loc(fused[#a, #b])
#g = loc(fused<"meta">[#a, "bar.py":3:4])
#c = loc(callsite(#b at #f))
#r = loc("foo.py":1:2 to 3:4)
#r2 = loc("foo.py":1:2 to :4)
#u = loc(unknown)
module @m {
  func.func @f(%x: tensor<f32> loc("x"), %y: tensor<f32> loc("y"(#a)), %z: tensor<f32> loc(unknown)) -> tensor<f32> {
    %0 = stablehlo.add %x, %y : tensor<f32> loc(#c)
    %1 = stablehlo.add %x, %y : tensor<f32> loc(#g)
    %2 = stablehlo.add %x, %y : tensor<f32> loc(#r)
    %3 = stablehlo.add %x, %y : tensor<f32> loc(#r2)
    %4 = stablehlo.add %x, %y : tensor<f32> loc("plain")
    %5 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("red")
    %6 = stablehlo.reduce(%0 init: %1) across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    reducer(%a: tensor<f32> loc("ra"), %b: tensor<f32> loc("rb")) {
      stablehlo.return %a : tensor<f32> loc("rr")
    } loc("red2")
    %7:2 = stablehlo.while(%a = %0, %b = %1) : tensor<f32>, tensor<f32> cond {
      %p = stablehlo.constant dense<true> : tensor<i1> loc("p")
      stablehlo.return %p : tensor<i1> loc("wc")
    } do {
      stablehlo.return %a, %b : tensor<f32>, tensor<f32> loc("wd")
    } loc("wh")
    %8 = "stablehlo.map"(%0) <{dimensions = array<i64>}> ({
    ^bb0(%a: tensor<f32> loc("ma")):
      stablehlo.return %a : tensor<f32> loc(#b)
    }) : (tensor<f32>) -> tensor<f32> loc(#u)
    return %0 : tensor<f32> loc("esc \"x\" é")
  } loc(#b)
} loc(#loc_m)
#loc_m = loc("mod")
