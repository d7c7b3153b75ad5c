#!/bin/sh
# usage: tests/soak.sh TIME BUILD SEED FILE…    every fuzz target of a sanitized build for a share of TIME seconds, from SEED
#
# Half of the time goes to fuzz_program, whose inputs are valid programs: their structure is changed, they are partitioned by random
# schedules, and all levels are run and compared. What a target tried stands in its last lines.
set -eu
time=$1 build=$2 seed=$3
shift 3
echo "soak: $time seconds, seed $seed, $# files as seeds"
for target in fuzz_reader fuzz_inputs fuzz_partition fuzz_questions fuzz_program; do
    share=$((time / 8))
    [ $target != fuzz_program ] || share=$((time / 2))
    echo "$target, $share seconds:"
    "$build/tests/fuzz/$target" --seconds $share "$seed" "$@"
done
