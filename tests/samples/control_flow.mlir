// Loops, branches, calls, composites, tokens and tuples; values named by their ops.
module @control attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%n: tensor<i32>, %x: tensor<4xf32> {mhlo.sharding = "{devices=[2]0,1}", tf.aliasing_output = 0 : i32}) -> (tensor<4xf32> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %half = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
    %r:3 = stablehlo.while(%i = %zero, %v = %x, %c = %one) : tensor<i32>, tensor<4xf32>, tensor<i32> attributes {mhlo.frontend_attributes = {trip = "4"}}
      cond {
        %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %step = stablehlo.constant dense<1> : tensor<i32>
        %scale = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
        %j = stablehlo.add %i, %step : tensor<i32>
        %w = stablehlo.multiply %v, %scale : tensor<4xf32>
        %inner = stablehlo.while(%k = %j) : tensor<i32>
          cond {
            %t = stablehlo.constant dense<true> : tensor<i1>
            stablehlo.return %t : tensor<i1>
          } do {
            stablehlo.return %k : tensor<i32>
          }
        stablehlo.return %inner, %w, %c : tensor<i32>, tensor<4xf32>, tensor<i32>
      }
    %s = func.call @scale(%r#1, %half) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %pred = stablehlo.constant dense<true> : tensor<i1>
    %y:2 = "stablehlo.if"(%pred) ({
      %k = stablehlo.constant dense<7> : tensor<i32>
      stablehlo.return %s, %k : tensor<4xf32>, tensor<i32>
    }, {
      stablehlo.return %x, %n : tensor<4xf32>, tensor<i32>
    }) : (tensor<i1>) -> (tensor<4xf32>, tensor<i32>)
    %z = "stablehlo.case"(%n) ({
      stablehlo.return %y#0 : tensor<4xf32>
    }, {
      stablehlo.return %x : tensor<4xf32>
    }, {
      %k = stablehlo.negate %x : tensor<4xf32>
      stablehlo.return %k : tensor<4xf32>
    }) {mhlo.note = "three ways"} : (tensor<i32>) -> tensor<4xf32>
    call @nothing() : () -> ()
    stablehlo.while() attributes {empty}
      cond {
        stablehlo.return %pred : tensor<i1>
      } do {
        stablehlo.return
      }
    return %z, %y#1 : tensor<4xf32>, tensor<i32>
  }
  func.func private @scale(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.multiply %x, %y : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @nothing() {
    return
  }
  func.func private @outside(tensor<4xf32> {jax.arg = "x"}, tensor<*xf32>) -> (tensor<4xf32>, tensor<i32> {jax.result = "y"}) attributes {jax.note = [1, "two", 3.0]}
  func.func @"odd name"(%x: tensor<4xf32>) -> (tensor<4xf32> {mhlo.sharding = "{replicated}"}) attributes {execution_thread = "main", no_inline} {
    %0 = stablehlo.composite "my.op" %x, %x {composite_attributes = {alpha = 1 : i64, n = "s"}, decomposition = @scale, version = 1 : i32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.composite "my.op" %0, %x {decomposition = @scale} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @"odd name"(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %3:2 = call @pair(%2) {mhlo.inline = "never"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %3#1 : tensor<4xf32>
  }
  func.func private @pair(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0:2 = stablehlo.optimization_barrier %x, %x : tensor<4xf32>, tensor<4xf32>
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @tokens(%t: !stablehlo.token, %x: tensor<4xf32>) -> tuple<tensor<4xf32>, tuple<tensor<i32>>> {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = stablehlo.after_all %t, %0 : !stablehlo.token
    %2 = stablehlo.after_all : !stablehlo.token
    %3 = "stablehlo.send"(%x, %1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %4:2 = "stablehlo.recv"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %5:2 = "stablehlo.infeed"(%4#1) <{infeed_config = "config", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %6 = "stablehlo.outfeed"(%5#0, %5#1) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %i = stablehlo.constant dense<3> : tensor<i32>
    %7 = stablehlo.tuple %i : tuple<tensor<i32>>
    %8 = stablehlo.tuple %x, %7 : tuple<tensor<4xf32>, tuple<tensor<i32>>>
    %9 = stablehlo.get_tuple_element %8[1] : (tuple<tensor<4xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
    %10 = stablehlo.tuple  {mhlo.empty} : tuple<>
    stablehlo.optimization_barrier ()
    return %8 : tuple<tensor<4xf32>, tuple<tensor<i32>>>
  }
}
