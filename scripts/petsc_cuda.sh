#!/usr/bin/env bash
# nonzero inside a PETSc that was built with CUDA: `scripts/petsc_cuda.sh SOURCE OUT` unpacks PETSc's source package
# (petsc-3.24.6.tar.gz of PyPI, say), configures and builds it, builds nonzero's library with CUDA and the plug-in for
# that PETSc, runs the plug-in's own tests, and then programs of PETSc's, unchanged, in several ways
# (scripts/petsc_cuda.py). OUT/petsc-cuda.json is the record; logs lie beside it. The exit code is not 0 where a step
# failed or results disagree. Needs MPI with mpicc, BLAS and LAPACK, nvcc, CMake, ninja, make and Python; no network.
#
# SOURCE may be a folder with a PETSc that is built already: PETSC_ARCH then names its arch. From the environment:
# WORK is where everything is built (build/petsc-cuda), JOBS the cores, BLAS the linker's words for BLAS and LAPACK,
# CUDA_ARCH the GPU's architecture (90), NZ_COMMIT the commit where there is no git, LIMIT the seconds after which no more
# programs are run (400), DEVICE another device (emu and cpu try this script without a GPU), TESTS=OFF leaves out the
# plug-in's own tests, CONFIGURE has more options for nonzero's CMake.
set -uo pipefail
[ $# -eq 2 ] || { echo "usage: petsc_cuda.sh SOURCE OUT" >&2; exit 2; }
source=$(realpath "$1") && mkdir -p "$2" && out=$(realpath "$2") || exit 2
cd "$(dirname "$0")/.." || exit 2
home=$PWD
work=${WORK:-$home/build/petsc-cuda}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
device=${DEVICE:-cuda:0}
arch=${PETSC_ARCH:-nz-cuda}
unset PETSC_DIR PETSC_ARCH
mkdir -p "$work" && work=$(realpath "$work") || exit 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_pml=ob1 \
  OMPI_MCA_btl_vader_single_copy_mechanism=none PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

say() { printf '[%4d s] %s\n' $SECONDS "$*"; }
# Says what went wrong, with the errors in a log and its end, and ends.
give_up() {
  say "FAILED: $1"
  if [ -n "${2:-}" ]; then
    grep -nE '(^|[^A-Za-z_-])(fatal error|error|Error|undefined reference)[: ]' "$2" | head -n 12 | cut -c 1-300
    tail -n "${3:-40}" "$2" | cut -c 1-300
  fi
  [ -z "${library:-}" ] || kill "$library" 2>/dev/null
  exit 1
}
# step NAME LOG COMMAND...
step() {
  local name=$1 log=$2 begin=$SECONDS
  shift 2
  say "$name"
  "$@" >"$log" 2>&1 || give_up "$name, after $((SECONDS - begin)) s" "$log"
  say "$name: $((SECONDS - begin)) s"
}

# What is here.
for tool in mpicc mpicxx mpirun nvcc cmake ninja make python3; do
  command -v $tool >/dev/null || give_up "there is no $tool"
done
say "$jobs cores; $(mpicc --version | head -n 1); $(mpirun --version 2>&1 | head -n 1); $(nvcc --version | grep release)"
say "GPU: $(nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>/dev/null || echo none)"
cuda=$(dirname "$(dirname "$(realpath "$(command -v nvcc)")")")
for place in "$cuda/lib64" "$cuda/lib" "$cuda/targets/x86_64-linux/lib" /usr/local/cuda/lib64 /usr/lib/x86_64-linux-gnu; do
  [ ! -e "$place/libcudart.so" ] || { cuda_lib=$place; break; }
done
for place in "$cuda/include" "$cuda/targets/x86_64-linux/include" /usr/local/cuda/include /usr/include; do
  [ ! -e "$place/cuda_runtime.h" ] || { cuda_include=$place; break; }
done
if [ -z "${cuda_lib:-}" ] || [ -z "${cuda_include:-}" ]; then give_up "no libcudart.so or cuda_runtime.h near $cuda"; fi
for lib in cufft cublas cusparse cusolver curand; do
  [ -e "$cuda_lib/lib$lib.so" ] || say "careful: there is no lib$lib.so in $cuda_lib, which PETSc wants"
done
gpu_arch=${CUDA_ARCH:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)}
gpu_arch=${gpu_arch:-90}
links() {
  echo 'void dgemm_(void); void dgetrf_(void); int main(void) { dgemm_(); dgetrf_(); return 0; }' >"$work/blas.c"
  # shellcheck disable=SC2086
  mpicc "$work/blas.c" -o "$work/blas" $1 >"$work/blas.log" 2>&1
}
for blas in ${BLAS:+"$BLAS"} "-lopenblas" "-llapack -lblas" "-l:libopenblas.so.0" "-l:liblapack.so.3 -l:libblas.so.3" none; do
  links "$blas" && break
done
[ "$blas" != none ] || [ -d "$source" ] || give_up "no BLAS and LAPACK: set BLAS" "$work/blas.log" 5
say "CUDA in $cuda, libraries in $cuda_lib, for sm_$gpu_arch; BLAS: $blas"

# nonzero's library needs nothing of PETSc's: it is built beside it.
build=$work/nonzero
# shellcheck disable=SC2086,SC2317 # options are several words; step calls it
configure_nonzero() {
  cmake -S "$home" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DNZ_CUDA=ON -DNZ_TOOLS=OFF -DNZ_PYTHON_MODULE=OFF \
    -DNZ_EMULATOR="$([ "$device" = emu ] && echo AUTO || echo OFF)" -DNZ_EMU_RACES=OFF -DNZ_TESTS="${TESTS:-ON}" \
    -DCMAKE_CUDA_ARCHITECTURES="$gpu_arch" --log-level=WARNING "$@" ${CONFIGURE:-}
}
step "configuring nonzero" "$work/nonzero.log" configure_nonzero -DNZ_PETSC=OFF
nice -n 5 ninja -C "$build" -j "$jobs" nonzero >"$work/nonzero-library.log" 2>&1 &
library=$!

if [ -d "$source" ]; then
  petsc=$source
  [ -e "$petsc/$arch/lib/libpetsc.so" ] || give_up "$petsc/$arch has no libpetsc.so"
else
  step "unpacking PETSc" "$out/petsc-make.log" tar xzf "$source" -C "$work"
  petsc=$(find "$work" -maxdepth 1 -type d -name 'petsc-[0-9]*' | sort | tail -n 1)
  [ -n "$petsc" ] || give_up "$source has no folder petsc-VERSION"
  rm -rf "${petsc:?}/$arch"
  configure_petsc() {
    cd "$petsc" && python3 ./configure PETSC_DIR="$petsc" PETSC_ARCH="$arch" --with-cc=mpicc --with-cxx=mpicxx --with-fc=0 \
      --with-mpiexec=mpirun --with-cuda=1 --with-cudac=nvcc --with-cuda-include="$cuda_include" \
      --with-cuda-lib="-Wl,-rpath,$cuda_lib -L$cuda_lib -lcudart -lcufft -lcublas -lcusparse -lcusolver -lcurand" \
      --with-cuda-arch="$gpu_arch" --with-debugging=0 --with-shared-libraries=1 --with-x=0 --with-petsc4py=0 \
      --with-blaslapack-lib="$blas" COPTFLAGS=-O1 CXXOPTFLAGS=-O1 CUDAOPTFLAGS=-O2
  }
  say "configuring PETSc"
  begin=$SECONDS
  (configure_petsc) >"$out/petsc-configure.log" 2>&1 || {
    tail -n 25 "$out/petsc-configure.log"
    # The long log has what was tried last above a list of definitions.
    grep -nE 'Possible ERROR|rror:|undefined reference|cannot find' "$petsc/configure.log" 2>/dev/null | tail -n 25 | cut -c 1-300
    cp "$petsc/configure.log" "$out/petsc-configure-long.log" 2>/dev/null
    give_up "configuring PETSc, after $((SECONDS - begin)) s"
  }
  say "configuring PETSc: $((SECONDS - begin)) s"
  step "building PETSc" "$out/petsc-make.log" make -C "$petsc" -j "$jobs" PETSC_DIR="$petsc" PETSC_ARCH="$arch" libs
fi
[ -e "$petsc/$arch/lib/libpetsc.so" ] || give_up "there is no libpetsc.so" "$out/petsc-make.log"

begin=$SECONDS
say "waiting for nonzero's library: $(tail -n 1 "$work/nonzero-library.log" | cut -c 1-60)"
wait "$library" || { library=''; give_up "nonzero's library" "$work/nonzero-library.log"; }
library=''
say "nonzero's library: $((SECONDS - begin)) s more"
step "configuring the plug-in" "$work/nonzero.log" configure_nonzero -DNZ_PETSC=ON -DPETSC_DIR="$petsc" -DPETSC_ARCH="$arch"
step "building the plug-in" "$work/nonzero.log" ninja -C "$build" -j "$jobs" nonzero_petsc

failed=0
if [ "${TESTS:-ON}" = ON ]; then
  own_tests() {
    ninja -C "$build" -j "$jobs" test_petsc && cd "$work" &&
      timeout 60 "$build/tests/test_petsc" -use_gpu_aware_mpi 0 --gtest_brief=1 &&
      timeout 60 mpirun -n 3 "$build/tests/test_petsc" -use_gpu_aware_mpi 0 --gtest_brief=1
  }
  say "the plug-in's own tests"
  (own_tests) >"$out/petsc-own-tests.log" 2>&1 || failed=1
  grep -E 'FAILED|Failure|SKIPPED|PASSED|rror:|rror ' "$out/petsc-own-tests.log" | head -n 30
  say "the plug-in's own tests: $([ $failed -eq 0 ] && echo ok || echo FAILED)"
  [ $failed -eq 0 ] || tail -n 30 "$out/petsc-own-tests.log"
fi
seconds=$((${LIMIT:-400} - SECONDS))
[ $seconds -ge 60 ] || seconds=60
python3 scripts/petsc_cuda.py --petsc "$petsc" --arch "$arch" --library "$build/libnonzero_petsc.so" --work "$work/runs" \
  --record "$out/petsc-cuda.json" --include "$cuda_include" --device "$device" --seconds $seconds \
  --at-once $((jobs < 8 ? 1 : 4)) || failed=$?
say "done, exit code $failed"
exit $failed
