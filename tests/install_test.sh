#!/bin/sh
# Installs into a fresh folder and builds examples/embed.c against what was installed alone: as C99 and as C++, with the shared
# and with the static library. The shared library must have its soname and show no symbol but the API's.
set -eu
cd "$(dirname "$0")/.."
CC=${CC:-cc}
CXX=${CXX:-c++}
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
passed=0

${MAKE:-make} --no-print-directory -s install PREFIX="$prefix"
version=$("$prefix/bin/partir" --version)
for file in include/partir.h lib/libpartir.a lib/libpartir.so lib/libpartir.so.0 lib/pkgconfig/partir.pc; do
    [ -f "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
passed=$((passed + 1))

case $version in *"$(sed -n 's/^Version: //p' "$prefix/lib/pkgconfig/partir.pc")"*) ;;
*) echo "partir.pc and \`partir --version\` ($version) differ"; exit 1 ;; esac
grep -q "^prefix=$prefix\$" "$prefix/lib/pkgconfig/partir.pc" || { echo "partir.pc has the wrong prefix"; exit 1; }
passed=$((passed + 1))

hidden=$(nm -D --defined-only "$prefix/lib/libpartir.so" | awk '$3 !~ /^partir_/ { print $3 }')
[ -z "$hidden" ] || { echo "symbols that are not of the API: $hidden"; exit 1; }
# Every function of the header is there.
for name in $(sed -n 's/^PARTIR_API.*[ *]\(partir_[a-z_]*\)(.*/\1/p' "$prefix/include/partir.h"); do
    nm -D --defined-only "$prefix/lib/libpartir.so" | grep -q " $name\$" || { echo "declared but not exported: $name"; exit 1; }
done
passed=$((passed + 1))

build() { # name, compiler and flags…
    name=$1; shift
    "$@" -Wall -Wextra -Werror -pedantic-errors -I"$prefix/include" examples/embed.c -o "$prefix/$name" \
        -L"$prefix/lib" $libs
    LD_LIBRARY_PATH="$prefix/lib" "$prefix/$name" examples/gpt2layer_train.mlir examples/gpt2layer_train.schedule > "$prefix/$name.out"
    # It read, applied three tactics, reported after each, simulated and emitted.
    for line in 'params/layers/1/up/kernel : 32x96xf32' 'after BP: [1-9][0-9]* bytes sent, .* us, peak .* KiB' 'after MP: .*' 'after Z3: .*' \
        'tactic .*all_gather.*' 'Z3 .*' '.*sdy.mesh @mesh.*\|module @.*' '.*stablehlo.reduce_scatter.*'; do
        grep -qx "$line" "$prefix/$name.out" || { echo "$name: no line '$line'"; exit 1; }
    done
    passed=$((passed + 1))
}
libs=-lpartir
build c99_shared "$CC" -std=c99
if command -v "$CXX" > /dev/null; then build cxx_shared "$CXX" -std=c++11 -x c++; else echo "no C++ compiler: not tried as C++"; fi
libs="-Wl,-Bstatic -lpartir -Wl,-Bdynamic -lm"
build c99_static "$CC" -std=c99
# The shared one must be found by its soname.
mv "$prefix/lib/libpartir.so" "$prefix/lib/moved.so"
LD_LIBRARY_PATH="$prefix/lib" "$prefix/c99_shared" examples/gpt2layer_train.mlir > /dev/null
passed=$((passed + 1))

echo "$passed passed, 0 failed"
