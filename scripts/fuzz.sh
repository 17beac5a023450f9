#!/bin/bash
# Builds fuzz targets and runs them, two at a time, each for so many seconds: scripts/fuzz.sh 60 [TARGET...]
# Fails when one of them finds a crash, a hang, a wrong result or too much memory; the input is then in
# build/fuzz/TARGET-*. The end has the inputs and the coverage of each; build/fuzz/last.json has it for
# programs (scripts/campaign.py adds such runs up).
#   NZ_FUZZ_JOBS    another number at a time
#   NZ_FUZZ_COPIES  so many of each target, which share its corpus
#   NZ_FUZZ_BUILT   a folder with the programs: for a machine without clang
set -eu
seconds=${1:?how many seconds?}
shift
cd "$(dirname "$0")/.."
targets=${*:-$(ls tests/fuzz/corpus)}
jobs=${NZ_FUZZ_JOBS:-2}
copies=$(seq "${NZ_FUZZ_COPIES:-1}")
programs=${NZ_FUZZ_BUILT:-build/fuzz}
if [ -z "${NZ_FUZZ_BUILT:-}" ]; then
  if [ -n "${CI:-}" ]; then
    scripts/configure-sanitized.sh
    programs=build/sanitized
  else
    cmake --preset fuzz >/dev/null
  fi
  cmake --build "$programs" --target $(printf 'fuzz_%s ' $targets)
fi
mkdir -p build/fuzz

run() {
  local name=$1 log=build/fuzz/$1.$2.log corpus=build/fuzz/corpus/$1
  mkdir -p "$corpus"
  TIMEFORMAT='cpu %U %S'
  local code=0
  { time OMP_WAIT_POLICY=passive "$programs/fuzz_$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=60 -max_len=65536 \
      -artifact_prefix="build/fuzz/$name-" -print_final_stats=1 -seed="${NZ_FUZZ_SEED:-0}" -reload=1 \
      "$corpus" "tests/fuzz/corpus/$name" >"$log" 2>&1 || code=$?; } 2>"$log.time"
  echo "exit $code" >>"$log.time"
}
rm -f build/fuzz/*.log build/fuzz/*.log.time
running=0
for copy in $copies; do
  for name in $targets; do
    run "$name" "$copy" &
    running=$((running + 1))
    if [ "$running" -ge "$jobs" ]; then
      wait -n
      running=$((running - 1))
    fi
  done
done
wait

# The last line of progress: "#N  DONE  cov: EDGES ft: FEATURES corp: ...".
highest() { sed -nE "s/.* $2: ([0-9]+) .*/\1/p" build/fuzz/"$1".*.log | sort -n | tail -n 1; }
failed=0
{
  echo '{'
  for name in $targets; do
    cpu=$(awk '/^cpu/ {sum += $2 + $3} END {print sum}' build/fuzz/"$name".*.log.time)
    code=$(awk '/^exit/ {if ($2 > most) most = $2} END {print most + 0}' build/fuzz/"$name".*.log.time)
    inputs=$(awk '/^stat::number_of_executed_units:/ {sum += $2} END {print sum + 0}' build/fuzz/"$name".*.log)
    edges=$(highest "$name" cov)
    features=$(highest "$name" ft)
    last=,
    [ "$name" != "${targets##*[[:space:]]}" ] || last=
    echo " \"$name\": {\"exit\": $code, \"cpu_seconds\": $cpu, \"inputs\": $inputs, \"edges\": ${edges:-0}, \"features\": ${features:-0}}$last"
    if [ "$code" = 0 ]; then
      echo "fuzz_$name: clean after $inputs inputs, ${edges:-0} edges, ${features:-0} features" >&2
    else
      echo "fuzz_$name: FAILED, see build/fuzz/$name.*.log" >&2
      for copy in $copies; do
        grep -q '^exit 0' "build/fuzz/$name.$copy.log.time" || tail -n 40 "build/fuzz/$name.$copy.log" >&2
      done
      failed=1
    fi
  done
  echo '}'
} >build/fuzz/last.json
exit $failed
