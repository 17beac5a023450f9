#!/bin/bash
# The library for 64-bit Arm, cross-compiled, under qemu-user: `test-arm.sh FILE` runs the conformance of the vector
# kernels with each instruction set and each length of SVE's vectors, and writes what there was to FILE;
# `test-arm.sh --count FILE` counts the instructions that products take.
#
# A processor of Arm is not needed, and nothing here is a time. The libraries for Arm come from Debian into
# build/arm-root, beside what is installed. JOBS, and FILTER for the tests, may be given.
set -euo pipefail
cd "$(dirname "$0")/.."
what=conform
if [ "${1:-}" = --count ]; then what=count; shift; fi
record=${1:?usage: test-arm.sh [--count] FILE}
root=$PWD/build/arm-root
jobs=${JOBS:-$(nproc)}

# Debian's packages for Arm, unpacked, with lists of their own: the machine's packages stay as they are.
if [ ! -e "$root/complete" ]; then
  rm -rf "$root"
  mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial"
  touch "$root/apt/status"
  apt() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User="$(id -un)" \
      -o Dir::State::status="$root/apt/status" -o Dir::State::lists="$root/apt/lists" -o Dir::Cache="$root/apt" "$@"
  }
  apt update
  (cd "$root/apt/archives" &&
    apt download libfmt-dev libfmt9 zlib1g-dev zlib1g libzstd-dev libzstd1 libgtest-dev nlohmann-json3-dev)
  for package in "$root"/apt/archives/*.deb; do dpkg -x "$package" "$root"; done
  touch "$root/complete"
fi

# Quick to compile but for the kernels in question, which are compiled as for users.
cmake -S . -B build/arm -G Ninja --toolchain cmake/aarch64.cmake -DNZ_ARM_ROOT="$root" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNZ_VECTOR_OPTIONS=-O3 -DNZ_CUDA=OFF -DNZ_EMULATOR=OFF -DNZ_HWLOC=OFF -DNZ_TOOLS=OFF \
  -DNZ_TESTS=ON --log-level=WARNING
qemu() { qemu-aarch64 -L /usr/aarch64-linux-gnu "$@"; }
cpu() { echo "max,sve$1=on,sve-default-vector-length=$(($1 / 8))"; }
export OMP_WAIT_POLICY=PASSIVE NONZERO_TUNING= NONZERO_CACHE= XDG_CACHE_HOME=$PWD/build/arm/no-cache
about="commit $(git describe --always --dirty --abbrev=12), $(date -u +%F), $(qemu-aarch64 --version | head -1), \
$(aarch64-linux-gnu-g++ --version | head -1)"

if [ $what = conform ]; then
  cmake --build build/arm --target test_kernels test_base -j "$jobs"
  export NZ_TEST_THIN=1 NZ_TEST_SEED=${NZ_TEST_SEED:-19}
  { echo "make test-arm: $about"; echo "no Arm processor: qemu-user; NZ_TEST_THIN=1, NZ_TEST_SEED=$NZ_TEST_SEED; \
${FILTER:-kernels with vectors, F64Offsets32 and F32Offsets64, and their own tests}"; } > "$record"
  # One line: the instruction set, what qemu shows, and the end of the tests.
  tests() { # ISA CPU NAME FILTER
    local log=build/arm/$3.log from=$SECONDS status=0
    NONZERO_ISA=$1 qemu -cpu "$2" build/arm/tests/test_kernels --gtest_brief=1 --gtest_filter="$4" > "$log" 2>&1 || status=$?
    printf '%-10s NONZERO_ISA=%-9s %s, %s s\n' "$3" "$1" \
      "$(sed -nE 's/^\[==========\] ([0-9]+) tests.*/\1 tests/p; s/^\[  (PASSED|FAILED)  \] ([0-9]+) tests.*/\1 \2/p' "$log" | paste -sd ,)" \
      $((SECONDS - from)) | tee -a "$record"
    [ $status = 0 ] || { tail -40 "$log" >&2; exit 1; }
  }
  # What has no vectors is the same everywhere: FILTER='*cpu_*' has it, too, and takes many times as long.
  vectors=
  for type in F64Offsets32 F32Offsets64; do
    for kind in balanced slices gather unrolled; do vectors+="*$type/cpu_*_$kind:"; done
  done
  vectors=${FILTER:-${vectors}InfiniteValues*cpu_packed*:InfiniteValues*cpu_compact*:CpuSplit*:CpuPacked*}
  tests neon max,sve=off neon "$vectors"
  tests portable max,sve=off portable "$vectors"
  tests sve "$(cpu 256)" sve256 "$vectors"
  tests sve "$(cpu 512)" sve512 "$vectors"
  # What is chosen: NEON without SVE and where its vectors have 128 bits, or a length that there is no version for.
  chosen() { # CPU EXPECTED
    local got
    got=$(NZ_TEST_ISA=$2 qemu -cpu "$1" build/arm/tests/test_base --gtest_brief=1 \
      --gtest_filter='Isa.*' 2>&1) || { echo "$got" >&2; exit 1; }
    echo "chosen: $2 for -cpu $1" | tee -a "$record"
  }
  chosen max,sve=off neon
  chosen "$(cpu 128)" neon
  chosen "$(cpu 256)" sve
  chosen "$(cpu 512)" sve
  chosen "max,sve1024=on,sve-default-vector-length=128" neon
else
  cmake --build build/arm --target nonzero-multiply -j "$jobs"
  plugin=build/arm/qemu_instructions.so
  cc -shared -fPIC -O2 -o $plugin tools/count/qemu_instructions.c
  { echo "make count-arm: $about"; echo "instructions a nonzero of one product, one thread, y = A x: counted by qemu-user, not timed"; } > "$record"
  # 1 and 11 products: what ten take. One thread throughout, so that the numbers are the same every time.
  count() { # ISA CPU KERNEL SPEC TYPE
    local times out nonzeros at=()
    for times in 1 11; do
      out=$(OMP_NUM_THREADS=1 NONZERO_ISA=$1 qemu -cpu "$2" -plugin $plugin build/arm/nonzero-multiply "$4" "$3" "$5" $times 2>&1)
      nonzeros=$(sed -nE 's/^([0-9]+)$/\1/p' <<< "$out")
      at+=("$(sed -nE 's/^instructions ([0-9]+)$/\1/p' <<< "$out")")
    done
    awk -v a="${at[0]}" -v b="${at[1]}" -v n="$nonzeros" 'BEGIN { printf " %8.2f", (b - a) / 10 / n }'
  }
  grid=grid:points=5,nx=1500,ny=30
  for case in "$grid f64" "grid:points=27,nx=30,ny=30,nz=30 f64" "fem:nx=12,ny=12,nz=12 f64" "banded:n=10000 f64" "$grid f32"; do
    printf '\n%-42s %8s %8s %8s %8s\n' "$case" portable neon sve256 sve512 | tee -a "$record"
    for kernel in cpu/csr/serial cpu/csr/balanced cpu/compact/balanced cpu/packed/slices cpu/sell/gather cpu/bsr/unrolled; do
      { printf '  %-40s' $kernel
        count portable max,sve=off $kernel $case
        count neon max,sve=off $kernel $case
        count sve "$(cpu 256)" $kernel $case
        count sve "$(cpu 512)" $kernel $case
        echo; } | tee -a "$record"
    done
  done
fi
