// The generic form, as other tools write it: attributes of the op in braces alone, names of any kind, blocks with and without arguments.
"builtin.module"() ({
  "func.func"() ({
  ^entry(%x: tensor<4xf32>, %n: tensor<i32>):
    %zero = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %sum = "stablehlo.reduce"(%x, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %pick:2 = "stablehlo.case"(%n) ({
      "stablehlo.return"(%sum, %n) : (tensor<f32>, tensor<i32>) -> ()
    }, {
      "stablehlo.return"(%zero, %n) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<i32>) -> (tensor<f32>, tensor<i32>)
    %loop:2 = "stablehlo.while"(%pick#0, %pick#1) ({
    ^bb0(%p: tensor<f32>, %q: tensor<i32>):
      %c = "stablehlo.compare"(%q, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }, {
    ^bb0(%p: tensor<f32>, %q: tensor<i32>):
      "stablehlo.return"(%p, %q) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    %r = "stablehlo.broadcast_in_dim"(%loop#0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<4xf32>
    %d = "stablehlo.dot_general"(%r, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %g = "stablehlo.slice"(%r) {limit_indices = array<i64: 4>, start_indices = array<i64: 0>, strides = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
    "func.return"(%d) : (tensor<f32>) -> ()
  }) {function_type = (tensor<4xf32>, tensor<i32>) -> tensor<f32>, sym_name = "main"} : () -> ()
}) {mhlo.num_replicas = 1 : i32} : () -> ()
