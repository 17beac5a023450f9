#!/usr/bin/env bash
# clang-tidy with .clang-tidy over sources for the host: `scripts/tidy.sh BUILD WHAT`, BUILD a build folder
# with compile_commands.json. WHAT is `all`; `changed`, what differs from the commit $SINCE (main) and what is
# not committed; `thin`, the public headers and src/base, for which any folder will do; or sources by name.
# Not zero where something was found. JOBS: how many at a time.
set -euo pipefail
export LC_ALL=C  # for sort and comm
[ $# -ge 2 ] || { echo "usage: tidy.sh BUILD all|changed|thin|FILE..." >&2; exit 2; }
cd "$(dirname "$0")/.."
build=$1
shift
[ "$1" = thin ] || [ -f "$build/compile_commands.json" ] || { echo "no compile_commands.json in $build" >&2; exit 2; }
headers=$build/tidy/headers.cpp
mkdir -p "$build/tidy"
# Adaptors need other libraries, which may not be there.
find include -name '*.hpp' -not -path '*/adaptors/*' | sort | sed 's|^include/\(.*\)|#include <\1>|' >"$headers"

# What the build compiles for the host, once each; kernels in the device language have their own compilers.
compiled() {
  sed -n 's|^ *"file": "\(.*\)".*|\1|p' "$build/compile_commands.json" | sed "s|^$PWD/||" |
    grep -E '^(src|lab|cli)/.*\.cpp$' |
    grep -vE '^src/(kernels/gpu|device|solve/device)/|^src/simt/emulat|device_bandwidth' | sort -u
}
options=(-p "$build" --extra-arg=-Wno-unknown-warning-option) behind=()
case $1 in
  all) files=$(printf '%s\n' "$headers" && compiled) ;;
  changed)
    changed=$({ git diff --name-only "${SINCE:-main}"; git ls-files -o --exclude-standard; } | sort -u)
    files=$(comm -12 <(compiled) - <<<"$changed")
    if grep -q '^include/' <<<"$changed"; then files=$(printf '%s\n' "$headers" $files); fi
    ;;
  thin)
    # By options of our own: a build may compile several sources as one.
    files=$(printf '%s\n' "$headers" src/base/*.cpp)
    options=() behind=(-- -std=c++20 -Iinclude -Isrc -fopenmp)
    ;;
  *) files=$(printf '%s\n' "$@") ;;
esac
[ -n "$files" ] || { echo "clang-tidy: nothing to look at"; exit 0; }
xargs -P "${JOBS:-$(nproc)}" -I{} clang-tidy --quiet "${options[@]}" {} "${behind[@]}" <<<"$files" \
  2> >(grep -vE '^[0-9]+ warnings? (generated|treated)' >&2)
echo "clang-tidy: nothing found in $(wc -l <<<"$files") sources"
