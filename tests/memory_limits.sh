#!/bin/sh
# usage: [SEED=n] tests/memory_limits.sh PARTIR FILE.mlir…    each program under 20 random limits of address space: no signal ever ends it
#
# A limit that is too small is an error and exit status 1; one that is large enough gives the results.
set -eu
partir=$1
shift
seed=${SEED:-12345}
bad=0 runs=0 done=0
schedule=$(mktemp)
trap 'rm -f "$schedule"' EXIT
printf 'mesh a=2, b=2\ndevice tpu_v5e\ntactic A on a { ** : first_divisible }\ntactic B on b { ** : first_divisible }\n' > "$schedule"
for file in "$@"; do
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        seed=$(((seed * 1103515245 + 12345) % 2147483648))
        limit=$((8000 + seed % (i * 20000)))
        runs=$((runs + 1))
        case $((i % 3)) in
        0) command="check $file" ;;
        1) command="partition $file $schedule --quiet -o /dev/null" ;;
        *) command="simulate $file $schedule --quiet" ;;
        esac
        # shellcheck disable=SC2086
        status=0
        (ulimit -v $limit && exec "$partir" $command > /dev/null 2>&1) || status=$?
        [ $status != 0 ] || done=$((done + 1))
        [ $status -le 2 ] || { echo "status $status: ulimit -v $limit; partir $command" && bad=$((bad + 1)); }
    done
done
echo "$runs runs: $done gave results, $((runs - done - bad)) an error, $bad ended by a signal"
[ $bad = 0 ]
