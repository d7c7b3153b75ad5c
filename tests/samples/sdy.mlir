// Sharding annotations as JAX prints them.
module @sdy {
  sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
  sdy.mesh @empty = <[]>
  sdy.mesh @ids = <["a"=2], device_ids=[1, 0]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y"}p1], replicated={"z"}>}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    sdy.sharding_group %0 group_id=3 : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x8xf32>
    %3 = sdy.manual_computation(%2, %y) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) {
      %4 = stablehlo.add %a, %b : tensor<4x8xf32>
      sdy.return %4 : tensor<4x8xf32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.add %3, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : tensor<8x8xf32>
    return %5 : tensor<8x8xf32>
  }
}
