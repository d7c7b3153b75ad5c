#!/bin/sh
# The library as one file: single.sh DIR writes DIR/partir.c and DIR/partir.h.
#
# Sources stand in the order of their folders' dependencies. An #include of ours is replaced by the file the first time it is
# met; tables (.def) and headers without a guard stand at each place that includes them. Macros that a .c file defines end with
# it. No two files may give one name to two things: tests/cases/tree/unique_names.test says which do.
set -e
cd "$(dirname "$0")/.."
mkdir -p "$1"
cp include/partir.h "$1/partir.h"
sources=
for folder in support ir stablehlo core spmd session sim interp auto explain api; do
    sources="$sources $(find src/$folder -name '*.c' | LC_ALL=C sort)"
done
version=$(awk '/^#define PARTIR_VERSION_(MAJOR|MINOR|PATCH)/ { v = v (v ? "." : "") $3 } END { print v }' include/partir.h)
awk -v version="$version" '
function put(file, depth,    line, part, name, guarded) {
    if (file ~ /\.h$/) {
        guarded = 0
        while ((getline line < file) > 0) if (line ~ /^#ifndef PARTIR_.*_H$/) { guarded = 1; break }
        close(file)
        if (guarded && file in seen) return
        seen[file] = 1
    }
    print "// ==== " file " ===="
    while ((getline line < file) > 0) {
        if (line ~ /^#include "/) {
            split(line, part, "\"")
            if (part[2] == "partir.h") { print "#include \"partir.h\""; continue }
            put("src/" part[2], depth + 1)
            print "// ==== " file ", continued ===="
            continue
        }
        if (depth == 0 && line ~ /^#[ ]*define /) {
            name = line
            sub(/^#[ ]*define /, "", name)
            sub(/[^A-Za-z0-9_].*/, "", name)
            macros[name] = 1
        }
        print line
    }
    close(file)
}
BEGIN {
    print "// PartIR " version " as one file, written by `make single`; the API is in partir.h. Compile it as it is compiled alone:"
    print "//"
    print "//     cc -std=c17 -O2 -ffp-contract=off -fno-math-errno -fno-strict-aliasing -c partir.c"
    print "#if !defined(_WIN32)"
    print "#define _POSIX_C_SOURCE 200809L"
    print "#define _XOPEN_SOURCE   700"
    print "#endif"
    for (i = 1; i < ARGC; i++) {
        put(ARGV[i], 0)
        for (name in macros) if (name !~ /^_(POSIX|XOPEN)/) print "#undef " name
        split("", macros)
    }
}' $sources > "$1/partir.c"
