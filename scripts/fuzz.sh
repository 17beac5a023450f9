#!/bin/bash
# Builds fuzz targets and runs them, two at a time, each for so many seconds: scripts/fuzz.sh 60 [TARGET...]
# Fails when one of them finds a crash, a hang, a wrong result or too much memory; the input is then in
# build/fuzz/TARGET-*. The end has the inputs and the coverage of each; build/fuzz/last.json has it for
# programs (scripts/campaign.py adds such runs up). NZ_FUZZ_JOBS: another number at a time.
set -eu
seconds=${1:?how many seconds?}
shift
cd "$(dirname "$0")/.."
targets=${*:-$(ls tests/fuzz/corpus)}
jobs=${NZ_FUZZ_JOBS:-2}
cmake --preset fuzz ${CI:+-DNZ_QUICK=ON} >/dev/null
cmake --build --preset fuzz --target $(printf 'fuzz_%s ' $targets)

run() {
  local name=$1 log=build/fuzz/$1.log corpus=build/fuzz/corpus/$1
  mkdir -p "$corpus"
  TIMEFORMAT='cpu %U %S'
  local code=0
  { time "build/fuzz/fuzz_$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=60 -max_len=65536 \
      -artifact_prefix="build/fuzz/$name-" -print_final_stats=1 -seed="${NZ_FUZZ_SEED:-0}" \
      "$corpus" "tests/fuzz/corpus/$name" >"$log" 2>&1 || code=$?; } 2>"$log.time"
  echo "exit $code" >>"$log.time"
}
running=0
for name in $targets; do
  run "$name" &
  running=$((running + 1))
  if [ "$running" -ge "$jobs" ]; then
    wait -n
    running=$((running - 1))
  fi
done
wait

# The last line of progress: "#N  DONE  cov: EDGES ft: FEATURES corp: ...".
failed=0
{
  echo '{'
  for name in $targets; do
    log=build/fuzz/$name.log
    cpu=$(awk '/^cpu/ {print $2 + $3}' "$log.time")
    code=$(awk '/^exit/ {print $2}' "$log.time")
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(sed -nE 's/.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
    features=$(sed -nE 's/.* ft: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
    last=,
    [ "$name" != "${targets##*[[:space:]]}" ] || last=
    echo " \"$name\": {\"exit\": $code, \"cpu_seconds\": $cpu, \"inputs\": ${inputs:-0}, \"edges\": ${edges:-0}, \"features\": ${features:-0}}$last"
    if [ "$code" = 0 ]; then
      echo "fuzz_$name: clean after ${inputs:-0} inputs, ${edges:-0} edges, ${features:-0} features" >&2
    else
      echo "fuzz_$name: FAILED, see $log" >&2
      tail -n 40 "$log" >&2
      failed=1
    fi
  done
  echo '}'
} >build/fuzz/last.json
exit $failed
