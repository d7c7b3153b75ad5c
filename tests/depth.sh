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

ends() { # name, exit status, command
    status=0
    # shellcheck disable=SC2086
    (ulimit -s 256 && exec "$partir" $3 > /dev/null 2> "$dir/err") || status=$?
    [ $status = "$2" ] && return
    echo "$1: status $status of $3" && head -3 "$dir/err" && bad=$((bad + 1))
}

try() { # name, and the exit status; the program is in $dir/m.mlir
    shapes=$((shapes + 1))
    for command in "print --generic --locations $dir/m.mlir" "rules $dir/m.mlir" "partition $dir/m.mlir $dir/s --quiet -o /dev/null"; do
        ends "$1" "${2:-0}" "$command"
    done
}

# Commands that walk over regions in another way: it suffices that shapes which nest go through them.
try_more() {
    for command in "partition $dir/m.mlir $dir/s --quiet --verify -o /dev/null" "simulate $dir/m.mlir $dir/s --quiet" "why $dir/m.mlir $dir/s"; do
        ends "$1" "$2" "$command"
    done
    ends "$1" "$3" "run $dir/m.mlir --random 1"
}

# One op after the other, of each line of chains.txt.
chain() {
    awk -v n="$n" -v op="$2" 'BEGIN {
        print "func.func private @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n  return %x : tensor<4x4xf32>\n}"
        print "func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {"
        print "  %z = stablehlo.constant dense<0.0> : tensor<f32>"
        print "  %i = stablehlo.constant dense<0> : tensor<i32>"
        print "  %p = stablehlo.constant dense<true> : tensor<i1>"
        print "  %g = stablehlo.constant dense<0> : tensor<4x1xi32>"
        print "  %v = stablehlo.constant dense<1.0> : tensor<4xf32>"
        print "  %shape = stablehlo.constant dense<4> : tensor<2xi64>"
        gsub(/; /, "\n  ", op)
        op = " " op # so that each name has something before it
        while (match(op, /[^A-Za-z_@."]T[^A-Za-z_]/) || match(op, /[^A-Za-z_@."]T$/))
            op = substr(op, 1, RSTART) "tensor<4x4xf32>" substr(op, RSTART + 2)
        while (match(op, /[^A-Za-z_@."]R[a-d]?[^A-Za-z_]/)) op = substr(op, 1, RSTART) "%r@" substr(op, RSTART + 2)
        while (match(op, /[^A-Za-z_@."]X[^A-Za-z_]/)) op = substr(op, 1, RSTART) "%before" substr(op, RSTART + 2)
        for (k = 0; k < n; k++) {
            line = op
            gsub("%before", k ? "%r" (k - 1) : "%x", line)
            gsub("%r@", "%r" k, line)
            print line
        }
        print "  return %r" (n - 1) " : tensor<4x4xf32>\n}"
    }' > "$dir/m.mlir"
    try "$1"
}

grep -v '^#' "$(dirname "$0")/chains.txt" > "$dir/chains"
while IFS='|' read -r name op; do chain "$name" "$op"; done < "$dir/chains"

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
    try_more "nest of $1" "$2" "$2"
}
nest 250 0
nest 1000 1

# Functions that call the next one: calls are inlined, but run as they are, and not as deep.
calls() {
    awk -v n="$1" 'BEGIN {
    t = "tensor<4xf32>"
    for (k = 0; k < n; k++) print "func.func private @f" k "(%x: " t ") -> " t " {\n  %0 = call @f" (k + 1) "(%x) : (" t ") -> " t "\n  return %0 : " t "\n}"
    print "func.func private @f" n "(%x: " t ") -> " t " {\n  return %x : " t "\n}"
    print "func.func @main(%x: " t ") -> " t " {\n  %0 = call @f0(%x) : (" t ") -> " t "\n  return %0 : " t "\n}"
}' > "$dir/m.mlir"
    try "calls of $1" 0
    try_more "calls of $1" 0 "$2"
}
calls 250 0
calls 3000 1
echo "$shapes shapes of $n ops on a stack of 256 KiB, $bad failed"
[ $bad = 0 ]
