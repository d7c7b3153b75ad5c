#!/bin/sh
# usage: tests/depth.sh PARTIR [LENGTH]    chains, fans and nests of every form of op, read, partitioned, lowered and simulated on a
# stack of 256 KiB: no function recurses along the program. Meant for a build without optimization, where no call is a jump.
set -eu
partir=$1
n=${2:-20000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf 'mesh a=2, b=2\ndevice tpu_v5e\ntactic A on a { ** : first_divisible }\ntactic B on b { out/0 : 0 }\n' > "$dir/s"
bad=0 shapes=0

try() { # name, and the exit status; the program is in $dir/m.mlir
    shapes=$((shapes + 1))
    for command in "print --generic --locations $dir/m.mlir" "rules $dir/m.mlir" "partition $dir/m.mlir $dir/s --quiet -o /dev/null"; do
        status=0
        # shellcheck disable=SC2086
        (ulimit -s 256 && exec "$partir" $command > /dev/null 2> "$dir/err") || status=$?
        [ $status = "${2:-0}" ] && continue
        echo "$1: status $status of $command" && head -3 "$dir/err" && bad=$((bad + 1))
    done
}

# One op after the other: X is the one before, R the result, T tensor<4x4xf32>.
chain() {
    awk -v n="$n" -v op="$2" 'BEGIN {
        print "func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {"
        print "  %z = stablehlo.constant dense<0.0> : tensor<f32>"
        print "  %i = stablehlo.constant dense<0> : tensor<i32>"
        print "  %p = stablehlo.constant dense<true> : tensor<i1>"
        gsub("T", "tensor<4x4xf32>", op)
        for (k = 0; k < n; k++) {
            line = op
            gsub("X", k ? "%v" (k - 1) : "%x", line)
            gsub("R", "%v" k, line)
            print "  " line
        }
        print "  return %v" (n - 1) " : tensor<4x4xf32>\n}"
    }' > "$dir/m.mlir"
    try "$1"
}

while IFS='|' read -r name op; do chain "$name" "$op"; done << 'OPS'
unary|R = stablehlo.tanh X : T
binary|R = stablehlo.add X, %y : T
square|R = stablehlo.multiply X, X : T
convert|R = stablehlo.convert X : T
transpose|R = stablehlo.transpose X, dims = [1, 0] : (T) -> T
reshape|R = stablehlo.reshape X : (T) -> T
broadcast_in_dim|R = stablehlo.broadcast_in_dim X, dims = [0, 1] : (T) -> T
slice|R = stablehlo.slice X [0:4, 0:4] : (T) -> T
reverse|R = stablehlo.reverse X, dims = [0] : T
pad|R = stablehlo.pad X, %z, low = [0, 0], high = [0, 0], interior = [0, 0] : (T, tensor<f32>) -> T
concatenate|R = stablehlo.concatenate X, dim = 0 : (T) -> T
dot_general|R = stablehlo.dot_general X, %y, contracting_dims = [1] x [0] : (T, T) -> T
dynamic_slice|R = stablehlo.dynamic_slice X, %i, %i, sizes = [4, 4] : (T, tensor<i32>, tensor<i32>) -> T
dynamic_update_slice|R = stablehlo.dynamic_update_slice X, %y, %i, %i : (T, T, tensor<i32>, tensor<i32>) -> T
select|R = stablehlo.select %p, X, %y : tensor<i1>, T
clamp|R = stablehlo.clamp %z, X, %z : (tensor<f32>, T, tensor<f32>) -> T
optimization_barrier|R = stablehlo.optimization_barrier X : T
cholesky|R = stablehlo.cholesky X, lower = true : T
custom_call|R = stablehlo.custom_call @f(X) : (T) -> T
reduce_precision|R = stablehlo.reduce_precision X, format = e5m10 : T
if|R = "stablehlo.if"(%p) ({ "stablehlo.return"(X) : (T) -> () }, { "stablehlo.return"(%y) : (T) -> () }) : (tensor<i1>) -> T
sort|R = "stablehlo.sort"(X) ({ ^bb0(%c: tensor<f32>, %d: tensor<f32>): %e = stablehlo.compare GE, %c, %d : (tensor<f32>, tensor<f32>) -> tensor<i1> "stablehlo.return"(%e) : (tensor<i1>) -> () }) {dimension = 0 : i64} : (T) -> T
OPS

# One value that all read, and one that reads all.
awk -v n="$n" 'BEGIN {
    t = "tensor<4x4xf32>"
    print "func.func @main(%x: " t ") -> tensor<" 4 * n "x4xf32> {"
    for (k = 0; k < n; k++) { print "  %v" k " = stablehlo.abs %x : " t; names = names (k ? ", " : "") "%v" k; types = types (k ? ", " : "") t }
    print "  %r = stablehlo.concatenate " names ", dim = 0 : (" types ") -> tensor<" 4 * n "x4xf32>"
    print "  return %r : tensor<" 4 * n "x4xf32>\n}"
}' > "$dir/m.mlir"
try "fan"

# Zeros that were broadcast over and over, before a loop that adds to them.
awk -v n="$n" 'BEGIN {
    t = "tensor<4xf32>"
    print "func.func @main(%x: " t ") -> " t " {\n  %v0 = stablehlo.constant dense<0.0> : " t "\n  %i = stablehlo.constant dense<0> : tensor<i32>"
    for (k = 1; k < n; k++) print "  %v" k " = stablehlo.broadcast_in_dim %v" (k - 1) ", dims = [0] : (" t ") -> " t
    print "  %r:2 = stablehlo.while(%j = %i, %a = %v" (n - 1) ") : tensor<i32>, " t "\n   cond {"
    print "    %p = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  } do {"
    print "    %s = stablehlo.add %a, %x : " t "\n    stablehlo.return %j, %s : tensor<i32>, " t "\n  }\n  return %r#1 : " t "\n}"
}' > "$dir/m.mlir"
try "zeros before a loop"

# Ifs inside ifs: as deep as is read, and deeper.
nest() {
    awk -v n="$1" 'BEGIN {
    print "func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {"
    for (k = 0; k < n; k++) print "  %v" k " = \"stablehlo.if\"(%p) ({"
    for (k = n - 1; k >= 0; k--) print "  \"stablehlo.return\"(%x) : (tensor<4xf32>) -> () }, { \"stablehlo.return\"(%x) : (tensor<4xf32>) -> () }) : (tensor<i1>) -> tensor<4xf32>"
    print "  return %v0 : tensor<4xf32>\n}"
}' > "$dir/m.mlir"
    try "nest of $1" "$2"
}
nest 250 0
nest 1000 1
echo "$shapes shapes of $n ops on a stack of 256 KiB, $bad failed"
[ $bad = 0 ]
