#!/bin/sh
# usage: tests/coverage.sh BUILD    what gcov counted in a build with --coverage: lines by folder, in all, and functions never entered
set -eu
build=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
root=$PWD
find "$build/src" -name '*.gcda' | while read -r data; do
    (cd "$out" && gcov -p -f -o "$(dirname "$root/$data")" "$root/$data") >> "$out/summary" 2> /dev/null
done
cat "$out"/*#src#*.c.gcov 2> /dev/null | awk -F: '
    $3 ~ /^Source$/ || $3 == "Source" { file = $4; sub(/.*\/src\//, "src/", file); split(file, part, "/"); folder = part[1] "/" part[2]; next }
    { count = $1; gsub(/ /, "", count); sub(/\*$/, "", count) }
    count == "-" { next }
    { all[folder]++; total++ }
    count != "#####" && count != "=====" { run[folder]++; hit++ }
    END {
        for (f in all) printf "%-16s %6.1f %% of %d lines\n", f, 100 * run[f] / all[f], all[f] | "sort"
        close("sort")
        printf "%-16s %6.1f %% of %d lines\n", "src", 100 * hit / total, total
    }'
echo "functions that no test enters:"
awk "/^Function/ { name = \$2 } /^Lines executed:0.00%/ && name { print \"  \" name } /^Lines|^No exec/ { name = \"\" }" "$out/summary" | tr -d "'" | sort -u
