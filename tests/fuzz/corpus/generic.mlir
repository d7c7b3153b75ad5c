#loc = loc(unknown)
#loc1 = loc("a.py":3:4)
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (tensor<2x3xbf16>) -> tensor<2xbf16>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x3xbf16> loc("x")):
    %0 = "stablehlo.constant"() <{value = dense<0xFF80> : tensor<bf16>}> : () -> tensor<bf16> loc(#loc)
    %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %2 = "stablehlo.maximum"(%arg1, %arg2) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16> loc(#loc1)
      "stablehlo.return"(%2) : (tensor<bf16>) -> () loc(#loc)
    }) : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16> loc(callsite(#loc1 at fused[#loc1, "n"(#loc)]))
    "func.return"(%1) : (tensor<2xbf16>) -> () loc(#loc)
  }) {arg_attrs = [{mhlo.sharding = "{replicated}"}]} : () -> () loc(#loc)
}) : () -> () loc(#loc)
