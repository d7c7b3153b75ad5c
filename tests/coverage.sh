#!/bin/sh
# usage: tests/coverage.sh BUILD    what gcov counted in a build with --coverage: lines by folder, in all, and functions never entered
#
# An error where fewer lines run than should.
set -eu
build=$1
least=92
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
root=$PWD
ln -s "$root/src" "$out/src" # gcov looks for sources from where it runs
find "$build/src" -name '*.gcda' | while read -r data; do
    (cd "$out" && gcov -p -f -o "$(dirname "$root/$data")" "$root/$data") >> "$out/summary" 2> /dev/null
done
echo "functions that no C test enters:"
awk "/^Function/ { name = \$2 }
     /^Lines executed/ && name { if (/:0.00%/) none[name] = 1; else some[name] = 1 }
     /^Lines|^No exec/ { name = \"\" }
     END { for (f in none) if (!(f in some)) print \"  \" f | \"sort\" }" "$out/summary" | tr -d "'"
cat "$out"/*src#*.c.gcov | awk -F: -v least=$least '
    $3 == "Source" { file = $4; sub(/.*\/src\//, "src/", file); split(file, part, "/"); folder = part[1] "/" part[2]; next }
    { count = $1; gsub(/ /, "", count); sub(/\*$/, "", count) }
    count == "-" { next }
    { all[folder]++; total++ }
    count != "#####" && count != "=====" { run[folder]++; hit++ }
    END {
        for (f in all) printf "%-16s %6.1f %% of %d lines\n", f, 100 * run[f] / all[f], all[f] | "sort"
        close("sort")
        printf "%-16s %6.1f %% of %d lines\n", "src", 100 * hit / total, total
        exit !(hit >= least / 100 * total)
    }' || { echo "fewer than $least % of the lines run"; exit 1; }
