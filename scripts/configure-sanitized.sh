#!/bin/bash
# build/sanitized: the library under the address and undefined-behaviour sanitizers, for fuzz targets and tests alike,
# compiled once by clang, without the emulator, which has guards of its own, and without optimisation, quick to compile.
# A warning of clang is an error. Of clang's `undefined` all but what looks at every pointer for null, which the address
# sanitizer finds when it is used, and what needs optimisation or types at run time; `make asan` has those, too.
# Some tests that are slow without optimisation are for `make asan`, too.
set -eu
cd "$(dirname "$0")/.."
undefined=alignment,bool,bounds,builtin,enum,float-cast-overflow,integer-divide-by-zero,nonnull-attribute,pointer-overflow
undefined+=,return,returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound
without='IsaDeathTest.*:Inspect.SeesEveryPlaceThatDoesNotRise:Memory.APlanGoesOnWithTheNextCandidate'
cmake --preset fuzz -B build/sanitized -DNZ_SANITIZE=address,$undefined -DNZ_TESTS=ON -DNZ_EMULATOR=OFF -DNZ_PEERS=OFF -DNZ_TESTS_WITHOUT="$without" \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -DCMAKE_COMPILE_WARNING_AS_ERROR=ON --log-level=WARNING >/dev/null
