#!/usr/bin/env bash
# Everything that needs a GPU, in one go: `scripts/gpu-check.sh OUTDIR` builds with CUDA, runs the tests
# on the GPU with NZ_REQUIRE_GPU=1, the conformance of the GPU kernels under compute-sanitizer where that
# exists, and the GPU suite. STEPS=unit runs the other unit tests in that build. Leaves records and logs in OUTDIR and ends with a
# table; the exit code is not 0 when a step failed. Every step has a limit, and all together end within 9
# minutes.
#
# `STEPS="build python"` builds the Python package in the same folder, from the objects that are there, and runs its tests
# and scripts/python_gpu_check.py. It needs nanobind, NumPy, SciPy, pytest, CuPy and PyTorch of the interpreter PYTHON, and
# installs nothing.
#
# STEPS chooses other steps: `STEPS="build reproduce bsr"` repeats the papers' experiments for GPUs
# (NAME.json, NAME.md) and measures BSR on its own suite (bsr.json, bsr.md): a run of its own. `kernels`
# measures every kernel on a few matrices of the suite (kernels.json), `solve` iterations of solvers
# (solve.json), `drawn` the plans and what they choose from on the suite that was drawn (drawn.json).
# `several` takes at most 230 seconds: several vectors by plans and cuSPARSE on the reporting half of drawn matrices
# (several.json), ways of gpu/coo/slots on the other half (several-few.json) and complex products (complex.json). It needs
# python3, which draws the matrices.
#
# `STEPS="build sanitizers"` runs the whole thinned conformance and the conversions under memcheck,
# racecheck, initcheck and synccheck, once each of them has found a fault that was planted for it. That
# takes several calls: with the same OUTDIR each goes on where the one before ended, until the step says
# that all is done; or PART=i/n does every n-th piece from the i-th on (1 to n), for calls that do not see
# each other's OUTDIR. TOOLS names fewer of the four, or another order. sanitizers/ has a log for each piece
# and done.txt what became of them.
#
# From the environment: NZ_COMMIT names the commit in records where there is no git, JOBS the cores,
# STEPS the steps (build tests python unit sanitizer sanitizers suite drawn kernels reproduce bsr solve several), CONFIGURE more
# options for CMake; PYTHON the interpreter; BUILD, DEVICE and SCALE another build folder, device and scale (to try this script
# without a GPU: DEVICE=emu SCALE=small).
set -uo pipefail
[ $# -eq 1 ] || { echo "usage: gpu-check.sh OUTDIR" >&2; exit 2; }
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
jobs=${JOBS:-$(nproc)}
steps=${STEPS:-build tests sanitizer suite}
build=${BUILD:-build/gpu}
device=${DEVICE:-cuda:0}
scale=${SCALE:-large}
deadline=530
summary=$out/summary.txt
: >"$summary"
failed=0
# Records of plans are those of the tables that the library has, whatever was tuned on this machine.
export NONZERO_TUNING=off

say() { printf '%-12s %-10s %5s  %s\n' "$@" | tee -a "$summary"; }

# step NAME SECONDS FUNCTION: its output goes to NAME.log, its last line of result to the table.
step() {
  local name=$1 begin=$SECONDS code result=ok note=
  case " $steps " in *" $name "*) ;; *) return 0 ;; esac
  limit=$2
  [ "$limit" -le $((deadline - SECONDS)) ] || limit=$((deadline - SECONDS))
  [ "$limit" -gt 0 ] || limit=1
  export out build jobs device scale limit
  timeout -k 10 "$limit" bash -c "set -uo pipefail; $(declare -f bench find_tool start_service stop_service "$3"); $3" >"$out/$name.log" 2>&1
  code=$?
  if [ $code -eq 124 ] || [ $code -eq 137 ]; then result="too long"; elif [ $code -ne 0 ]; then result=FAILED; fi
  if [ $code -eq 75 ]; then result=unfinished; fi
  [ $code -eq 0 ] || failed=1
  if [ -f "$out/.note" ]; then note=$(cat "$out/.note"); fi
  rm -f "$out/.note"
  say "$name" "$result" "$((SECONDS - begin)) s" "$note"
  [ $code -eq 0 ] || tail -n 25 "$out/$name.log"
  return 0
}

do_build() {
  cmake --preset gpu -B "$build" --log-level=STATUS ${NZ_COMMIT:+-DNZ_COMMIT="$NZ_COMMIT"} ${CONFIGURE:-} &&
    cmake --build "$build" -j "$jobs" &&
    "$build/nonzero" devices --json "$out/devices.json" >"$out/.note.devices" &&
    cat "$out/.note.devices" && grep -m1 '^cuda' "$out/.note.devices" >"$out/.note"
  local code=$?
  rm -f "$out/.note.devices"
  return $code
}

# Programs that share a GPU wait for each other far longer than they work, unless NVIDIA's multi-process
# service (MPS) lets them work at once: start_service starts one of our own, where there is one.
start_service() {
  command -v nvidia-cuda-mps-control >/dev/null || return 1
  CUDA_MPS_PIPE_DIRECTORY=$(mktemp -d) && export CUDA_MPS_PIPE_DIRECTORY
  export CUDA_MPS_LOG_DIRECTORY=$CUDA_MPS_PIPE_DIRECTORY
  trap stop_service EXIT
  nvidia-cuda-mps-control -d && "$build/nonzero" devices | grep -q '^cuda' && return 0
  stop_service
  trap - EXIT
  unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
  return 1
}
stop_service() {
  echo quit | nvidia-cuda-mps-control 2>/dev/null
  rm -rf "$CUDA_MPS_PIPE_DIRECTORY"
}

# The Python package in this build folder, its tests, and what of a GPU needs no pytest.
do_python() {
  local code=0 python=${PYTHON:-python3} module absent=
  python=$(command -v "$python") || { echo "${PYTHON:-python3} is not here" | tee "$out/.note"; return 1; }
  "$python" --version
  local wanted="nanobind numpy scipy pytest"
  [ "$device" = emu ] || wanted="$wanted cupy torch"
  for module in $wanted; do
    "$python" -c "import $module; print('$module', $module.__version__)" || absent="$absent $module"
  done
  "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
    absent="$absent Python.h"
  if [ -n "$absent" ]; then
    echo "missing:$absent" | tee "$out/.note"
    return 1
  fi
  [ -f "$build/CMakeCache.txt" ] || { echo "no build in $build: the step build makes one" | tee "$out/.note"; return 1; }
  cmake -S . -B "$build" --log-level=STATUS -DNZ_PYTHON_MODULE=ON -DPython_EXECUTABLE="$python" &&
    cmake --build "$build" --target _core nonzero-cli -j "$jobs" || return 1
  export PYTHONPATH=$PWD/$build/python PYTHONDONTWRITEBYTECODE=1 OMP_WAIT_POLICY=PASSIVE
  case $build in /*) PYTHONPATH=$build/python ;; esac
  if [ "$device" = emu ]; then export NZ_GPU_TESTS_ON=emu; else export NZ_REQUIRE_GPU=1; fi
  # What needs a GPU first: should the time be short, the rest has run elsewhere.
  "$python" -X faulthandler -m pytest -q -ra -p no:cacheprovider --tb=short --durations=5 python/tests/test_gpu*.py || code=1
  "$python" -X faulthandler -m pytest -q -ra -p no:cacheprovider --tb=short python/tests \
    --ignore-glob='*test_gpu*.py' || code=1
  if [ "$device" != emu ]; then "$python" scripts/python_gpu_check.py || code=1; fi
  { grep -hE '^[0-9]+ (passed|failed|skipped|error).* in ' "$out/python.log" | paste -sd ';' | sed 's/;/; /g'
    grep -hE '^[0-9]+ failed; nonzero' "$out/python.log" | sed 's/^/checks: /;s/;.*//'; } | paste -sd ',' >"$out/.note"
  return $code
}

# What needs no GPU, in a build that has one.
do_unit() {
  local code=0
  NZ_REQUIRE_GPU=1 ctest --test-dir "$build" -L unit -E '_on_cuda|^python[.]tests$' -j "$jobs" --output-on-failure || code=1
  grep -h 'tests passed' "$out/unit.log" >"$out/.note"
  return $code
}

# What runs on the GPU goes through one program after the other, in as many processes as can work at once: tests that are
# named for it, and those of the C interface that go through all devices.
do_tests() {
  export NZ_REQUIRE_GPU=1
  local code=0 program part parts=1 pids
  if start_service; then parts=5; fi
  for program in "$build"/tests/test_*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    pids=
    for ((part = 0; part < parts; part++)); do
      GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$part \
        "$program" --gtest_filter='*_on_cuda*:CDevice*:C*OnDevices*-*BeyondInt32*' --gtest_brief=1 >"$out/.gpu$part" 2>&1 &
      pids="$pids $!"
    done
    for part in $pids; do wait "$part" || code=1; done
    cat "$out"/.gpu*
    rm -f "$out"/.gpu*
    # These fill the memory of most devices: one after the other.
    "$program" --gtest_filter='*BeyondInt32*_on_cuda*' --gtest_brief=1 || code=1
  done
  grep -hE '^\[  (PASSED|SKIPPED|FAILED)' "$out/tests.log" | awk '/FAILED/ {if (!/tests?(\.|,)/) ++n["FAILED"]; next} /tests?(\.|,)/ {n[$2] += $4}
    END {printf "%d passed, %d skipped, %d failed\n", n["PASSED"], n["SKIPPED"], n["FAILED"]}' >"$out/.note"
  return $code
}

find_tool() { command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1; }

# The thinned conformance of what runs on the GPU, one tool after the other.
do_sanitizer() {
  local tool=$(find_tool)
  if [ -z "$tool" ]; then
    echo "compute-sanitizer is not here: skipped" | tee "$out/.note"
    return 0
  fi
  local code=0 which types
  for which in memcheck racecheck; do
    types=F64Offsets32
    [ $which = memcheck ] || types=F32Offsets32
    echo "== $which"
    NZ_TEST_THIN=1 NZ_REQUIRE_GPU=1 "$tool" --tool $which --error-exitcode 9 \
      "$build/tests/test_kernels" --gtest_filter="*Conformance.$types/*_on_cuda*" \
      --gtest_brief=1 || code=1
  done
  grep -hE 'PASSED|SUMMARY' "$out/sanitizer.log" | sed 's/^=* *//' | paste -sd ';' >"$out/.note"
  return $code
}

# Every tool on all that runs on the GPU, in pieces of a few tests. A piece is done once it has ended in
# whatever way; what was cut off by the limit of this call is done again by the next one.
do_sanitizers() {
  local begin=$SECONDS tool where=$out/sanitizers on=${device%%:*} which
  tool=$(find_tool)
  [ -n "$tool" ] || { echo "compute-sanitizer is not here" | tee "$out/.note"; return 1; }
  mkdir -p "$where"
  # A tool that does not find its own fault, or finds one where there is none, says nothing about ours. A
  # fault ends all programs of one multi-process service, so these run without it.
  for which in memcheck racecheck initcheck synccheck; do
    timeout 60 env CUDA_MPS_PIPE_DIRECTORY="$where" "$tool" --tool $which --error-exitcode 9 "$build/tests/planted_faults" $which \
      >"$where/planted-$which.log" 2>&1
    if [ $? -ne 9 ]; then
      echo "$which does not find the fault that was planted for it" | tee "$out/.note"
      tail -n 20 "$where/planted-$which.log"
      return 1
    fi
    if ! timeout 60 env CUDA_MPS_PIPE_DIRECTORY="$where" "$tool" --tool $which --error-exitcode 9 "$build/tests/planted_faults" none \
      >"$where/planted-none-$which.log" 2>&1; then
      echo "$which finds something where nothing is wrong" | tee "$out/.note"
      tail -n 20 "$where/planted-none-$which.log"
      return 1
    fi
    echo "$which finds its planted fault, and nothing in right code"
  done

  # TOOL PROGRAM TEST:TEST:...: all but large matrices, which take long and say nothing new here, and what
  # tests errors of the host, again and again.
  local program pieces=$where/pieces.txt part=${PART:-1/1} tools=${TOOLS:-memcheck racecheck initcheck synccheck}
  local without='*LargeMatrices*:*StreamOfAnotherDevice*:*LeavesNothingBehind*:*KeepsNothing*' more
  for which in $tools; do
    # The others look inside of a kernel: they lose sight of kernels that several threads launch, and take
    # more than a call for 2^31 nonzeros.
    more=
    [ $which = memcheck ] || more=':*SharedPlans.Threads*:*BeyondInt32*'
    for program in test_kernels test_gpu; do
      "$build/tests/$program" --gtest_list_tests --gtest_filter="*_on_$on*-$without$more" |
        awk -v head="$which $program" '
          /^[^ ].*\.$/ || /^[^ ].*\. *#/ { suite = $1; next }
          /^  / { tests = tests (n++ ? ":" : "") suite $1; if (n == 16) { print head, tests; n = 0; tests = "" } }
          END { if (n) print head, tests }'
    done
  done | awk -v i="${part%/*}" -v n="${part#*/}" 'NR % n == i % n' >"$pieces"
  if [ ! -s "$pieces" ]; then
    echo "no tests run on $on here" | tee "$out/.note"
    return 1
  fi

  local tests code id left finished=0 done_list=$where/done.txt
  touch "$done_list"
  while read -r which program tests; do
    # What another build of the program did does not count.
    id=$which-$({ printf '%s %s' "$program" "$tests"; cksum <"$build/tests/$program"; } | cksum | cut -d ' ' -f 1)
    if grep -q "^$id " "$done_list"; then
      finished=$((finished + 1))
      continue
    fi
    left=$((limit - 15 - (SECONDS - begin)))
    [ $left -ge 20 ] || break
    NZ_TEST_THIN=1 NZ_REQUIRE_GPU=1 timeout -k 5 $left "$tool" --tool $which --error-exitcode 9 \
      --report-api-errors no "$build/tests/$program" --gtest_filter="$tests" --gtest_brief=1 \
      >"$where/$id.log" 2>&1 </dev/null
    code=$?
    # A piece that had most of a call for itself would be cut off by every other one too.
    if [ $code -eq 124 ] || [ $code -eq 137 ]; then
      [ $left -gt 300 ] || break
      code="too long"
    fi
    if [ "$code" = 0 ] && ! grep -qE '^\[=+\] [1-9][0-9]* tests? from .* ran' "$where/$id.log"; then code="ran nothing"; fi
    echo "$id $program $tests: $code" | tee -a "$done_list"
    finished=$((finished + 1))
    [ "$code" = 0 ] || tail -n 30 "$where/$id.log"
  done <"$pieces"

  local all wrong
  all=$(wc -l <"$pieces")
  wrong=$(grep -vc ': 0$' "$done_list")
  echo "part $part: $finished of $all pieces done, $wrong with findings; $([ "$finished" -ge "$all" ] &&
    echo "all is done" || echo "call again to go on")" | tee "$out/.note"
  [ "$wrong" -eq 0 ] || return 1
  [ "$finished" -ge "$all" ] || return 75
}

# bench RECORD SUITE OPTIONS...: goes on with the record for as long as the step's limit leaves, from
# $begin on.
bench() {
  local record=$1 suite=$2 left=$((limit - 20 - (SECONDS - begin)))
  shift 2
  [ $left -gt 5 ] || return 130
  timeout -s INT -k 15 $left "$build/nonzero" bench --suite "lab/bench/suites/$suite.json" --scale "$scale" \
    --device "$device" --json "$out/$record.json" --resume "$@"
}

# Whole plans, the kernels that they choose from, and the peers.
do_suite() {
  local begin=$SECONDS code=0 op
  rm -f "$out/suite.json"
  bench suite gpu --ops N,T --types f32,f64 --time-limit 0.02 --kernels "$planned_from$suite_peers" || code=$?
  echo "$(grep -c '"status":"ok"' "$out/suite.json") cases right" >"$out/.note"
  # What the choice loses against the best of ours.
  [ "$device" = emu ] ||
    for op in n t; do "$build/nonzero" compare "$out/suite.json" --ours plan/balanced/$op --peers 'gpu/*' || true; done
  if [ -n "$suite_peers" ]; then
    for op in n t; do "$build/nonzero" compare "$out/suite.json" --ours plan/balanced/$op || true; done
    "$build/nonzero" compare "$out/suite.json" --ours gpu/tile/balanced --peers 'peer/cusparse/csr-alg*' --markdown \
      >"$out/tiles.md" || true
  fi
  return $code
}

# The same without peers, N only, on matrices that nobody chose.
do_drawn() {
  local begin=$SECONDS code=0
  rm -f "$out/drawn.json"
  bench drawn drawn --ops N --types f32,f64 --time-limit 0.02 --kernels "$planned_from" || code=$?
  echo "$(grep -c '"status":"ok"' "$out/drawn.json") cases right" >"$out/.note"
  [ "$device" = emu ] || "$build/nonzero" compare "$out/drawn.json" --ours plan/balanced/n --peers 'gpu/*' || true
  return $code
}

# Every kernel, and every form of the peers, on a few matrices. In a row of millions one thread is busy for
# seconds.
do_kernels() {
  local begin=$SECONDS code=0
  rm -f "$out/kernels.json"
  bench kernels gpu --ops N,T --types f64 --time-limit 0.03 --kernels "gpu/*$all_peers" \
    --only 'block-band,grid*,fem3,rmat,road,mycielskian,uniform,random*' || code=$?
  echo "$(grep -c '"status":"ok"' "$out/kernels.json") cases right" >"$out/.note"
  return $code
}

# First our kernel and what it is measured against, matrix by matrix in the order of the suite; then the
# paper's kernels and all formats of the peers on a few matrices.
do_bsr() {
  local begin=$SECONDS code=0 more="the paper's kernels" first
  local ours=gpu/bsr/balanced
  "$build/nonzero" list $ours >/dev/null 2>&1 || ours='gpu/bsr/*'
  rm -f "$out/bsr.json"
  bench bsr bsr --ops N,T --types f32,f64 --time-limit 0.06 --kernels "$ours,gpu/csr/balanced$bsr_peers" || code=$?
  first=$((SECONDS - begin))
  if [ $code -lt 124 ]; then
    bench bsr bsr --ops N,T --types f64 --time-limit 0.06 --kernels "gpu/bsr/*$all_peers" --only 'block-band,fem3,fem8' ||
      { [ $? -lt 124 ] || more="cut off"; }
  fi
  echo "$(grep -c '"status":"ok"' "$out/bsr.json") cases right; the main part in $first s, then $more" >"$out/.note"
  if [ -n "$bsr_peers" ]; then
    local against='peer/cusparse/bsr-alg1*'
    "$build/nonzero" compare "$out/bsr.json" --ours "$ours" --against "$against" || code=1
    "$build/nonzero" compare "$out/bsr.json" --ours "$ours" --against "$against" --markdown >"$out/bsr.md"
  fi
  return $code
}

# The papers' experiments for GPUs; on the emulator they are tried on small matrices.
do_reproduce() {
  local name code=0 size="--scale 1"
  [ "$device" != emu ] || size="--scale 0.00005 --seconds 0"
  for name in $("$build/nonzero" reproduce | awk '/GPU/ { print $1 }'); do
    "$build/nonzero" reproduce "$name" --device "$device" $size --json "$out/$name.json" \
      --markdown "$out/$name.md" || code=$?
  done
  (cd "$out" && ls ./*-gpu.json ./*202[35].json 2>/dev/null | sed 's|^./||') | paste -sd ' ' >"$out/.note"
  return $code
}

# Iterations of solvers, ours and those of cuSPARSE and cuBLAS.
do_solve() {
  local size=full code=0
  [ "$scale" = large ] || size=small
  "$build/nonzero" bench-solve --device "$device" --scale $size --json "$out/solve.json" || code=$?
  echo "$(grep -c '"status": *"ok"' "$out/solve.json") cases right" >"$out/.note"
  return $code
}

# Each part has its own limit, and leaves what it has when that is over; a number of seconds that another part did not
# need is the last one's. Algorithms of cuSPARSE that were the fastest of it for no matrix, layout and k of
# results/h200/several.json come last.
do_several() {
  local begin=$SECONDS code=0 suite kept
  local kinds='communities fem grid profile rmat road tets web' fit='' report='' kind
  local peers=',peer/cusparse/spmm-csr-alg3,peer/cusparse/spmm-coo-alg1,peer/cusparse/spmm-coo-alg3,peer/cusparse/spmm-coo-alg4,peer/cusparse/spmm-bsr'
  local others=',peer/cusparse/spmm-csr-alg1,peer/cusparse/spmm-csr-alg2,peer/cusparse/spmm-coo-alg2'
  for kind in $kinds; do fit+=",fit-$kind" report+=",report-$kind"; done
  fit=${fit#,} report=${report#,}
  if [ "$device" = emu ]; then peers='' others=''; fi
  suite=$(mktemp) kept=$(mktemp -d)
  trap "rm -rf '$suite' '$kept'" EXIT  # now: they are this function's
  python3 scripts/draw_mid.py 20261119 >"$suite" || return 1
  rm -f "$out"/several.json "$out"/several-few.json "$out"/complex.json
  # take SECONDS COMMAND...
  take() {
    local most=$1 left=$((limit - 5 - (SECONDS - begin))) from=$SECONDS its
    shift
    [ "$most" -le $left ] || most=$left
    [ "$most" -gt 3 ] || { echo "no time is left for: $*"; code=1; return 1; }
    timeout -s INT -k 5 "$most" "$build/nonzero" "$@" --device "$device"
    its=$?
    echo "== $((SECONDS - from)) s, exit code $its: $*"
    [ $its -eq 0 ] || code=1
    return 0
  }
  drawn() {
    local most=$1 record=$2
    shift 2
    take "$most" bench --suite "$suite" --scale "$scale" --cache "$kept" --ops N --types f32,f64 --time-limit 0.002 \
      --json "$out/$record.json" --resume "$@"
  }
  # Two to four vectors through shared memory, in registers, and by columns as they lie.
  drawn 30 several-few --only "$fit" --kernels gpu/coo/slots --param few=1,4 --vectors 2,3,4 --layout rows
  drawn 35 several-few --only "$fit" --kernels gpu/coo/slots --param few=1,4 --param columns=0,1 --vectors 2,3,4 --layout columns
  drawn 65 several --only "$report" --kernels "plan/balanced/n$peers" --vectors 2,4,8 --layout rows,columns
  drawn 12 several --only "$report" --kernels plan/balanced/n --vectors 1
  take 30 bench --complex --suite "$suite" --scale "$scale" --cache "$kept" --only "$report" --ops N --types f32,f64 \
    --time-limit 0.004 --json "$out/complex.json"
  # A road network has rows by the millions, and so takes longest.
  drawn 60 several --only "${report/,report-road/}" --kernels "plan/balanced/n$peers" --vectors 16,32,64 --layout rows,columns
  drawn 40 several --only report-road --kernels "plan/balanced/n$peers" --vectors 16,32,64 --layout rows,columns
  [ -z "$others" ] || drawn 60 several --only "$report" --kernels "${others#,}" --vectors 2,4,8,16,32,64 --layout rows,columns
  echo "$(grep -ho '"status":"ok"' "$out"/several*.json | wc -l) cases right, $((SECONDS - begin)) s" >"$out/.note"
  return $code
}

step build 260 do_build
step tests 300 do_tests
step python 240 do_python
step unit 200 do_unit
step sanitizer 110 do_sanitizer
step sanitizers 500 do_sanitizers
planned_from="plan/*,$("$build/nonzero" list 'gpu/*' --planned --ids 2>/dev/null | paste -sd,)"
# With the peers that the build has.
suite_peers='' bsr_peers='' all_peers=''
case $device in
  cuda*)
    if "$build/nonzero" list 'peer/cusparse/csr*' >/dev/null 2>&1; then
      suite_peers=',peer/cusparse/*-pre,peer/cusparse/bsrmv*'
      all_peers=',peer/cusparse/*'
      # Once preprocessed they are never slower; COO is never the best where there are blocks.
      for pattern in 'csr-alg?-pre' sell-alg1-pre 'bsr-alg1*' 'bsrmv*'; do
        "$build/nonzero" list "peer/cusparse/$pattern" >/dev/null 2>&1 && bsr_peers+=",peer/cusparse/$pattern"
      done
    fi
    ;;
esac
export planned_from suite_peers bsr_peers all_peers
step suite 270 do_suite
step drawn 200 do_drawn
step kernels 300 do_kernels
step bsr 480 do_bsr
step reproduce 150 do_reproduce
step solve 150 do_solve
step several 235 do_several
say total "$([ $failed -eq 0 ] && echo ok || echo FAILED)" "$SECONDS s" "records and logs in $out"
exit $failed
