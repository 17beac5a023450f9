#!/bin/sh
# Builds the fuzz targets and runs them side by side for so many seconds: scripts/fuzz.sh 60
# Fails when one of them finds a crash, a hang or too much memory; the input is then in build/fuzz.
set -eu
seconds=${1:?how many seconds?}
cd "$(dirname "$0")/.."
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz_matrix_market fuzz_nzb

failed=0
pids=
for name in matrix_market nzb; do
  mkdir -p "build/fuzz/corpus/$name"
  "build/fuzz/fuzz_$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 -max_len=65536 \
    -artifact_prefix="build/fuzz/$name-" -print_final_stats=1 \
    "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" >"build/fuzz/$name.log" 2>&1 &
  pids="$pids $!:$name"
done
for each in $pids; do
  name=${each#*:}
  if wait "${each%%:*}"; then
    echo "fuzz_$name: clean after $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log") inputs"
  else
    echo "fuzz_$name: FAILED, see build/fuzz/$name.log"
    tail -n 40 "build/fuzz/$name.log"
    failed=1
  fi
done
exit $failed
