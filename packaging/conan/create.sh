#!/bin/sh
# Makes the package with libraries of the system, asking no server, and runs the program of test_package with it.
# Further words go to `conan create`: packaging/conan/create.sh -o '&:shared=True'
set -eu
here=$(cd "$(dirname "$0")" && pwd)
conan profile detect --exist-ok > /dev/null
exec conan create "$here" --no-remote --profile:build default --profile:host "$here/system.profile" \
  --conf tools.cmake.cmake_layout:test_folder='$TMP' "$@"
