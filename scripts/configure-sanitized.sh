#!/bin/bash
# build/sanitized: the library under the address and undefined-behaviour sanitizers, for fuzz targets and tests alike,
# compiled once by clang, without the emulator, which has guards of its own, and without optimisation, quick to compile.
# A warning of clang is an error.
set -eu
cd "$(dirname "$0")/.."
cmake --preset fuzz -B build/sanitized -DNZ_TESTS=ON -DNZ_EMULATOR=OFF -DNZ_PEERS=OFF \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -DCMAKE_COMPILE_WARNING_AS_ERROR=ON --log-level=WARNING >/dev/null
