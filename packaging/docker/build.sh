#!/bin/sh
# What both images do: install what the build needs, build, install to PREFIX, and try the result.
#   build.sh cpu|gpu PREFIX
set -eu
preset=$1
prefix=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
cd "$here"
scripts/setup.sh build
cmake --preset "$preset" -DNZ_TESTS=OFF -DNZ_PEERS=OFF -DCMAKE_INSTALL_PREFIX="$prefix"
cmake --build "build/$preset" --target nonzero-cli -j "$(nproc)"
cmake --install "build/$preset" --component tool
cmake --install "build/$preset" --component dev
"$prefix/bin/nonzero" --version
"$prefix/bin/nonzero" check gen:grid:nx=20,ny=20 --kernels 'cpu/csr/*'
