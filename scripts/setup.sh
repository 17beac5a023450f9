#!/bin/sh
# Installs the Debian packages of packages.txt that are missing: `setup.sh build`, `setup.sh test` for
# those, the tests' own, what adaptors are for and Python's, `setup.sh coverage` and `setup.sh differential` likewise, `setup.sh peers`
# for the first, what adaptors are for, the peers and Python's, `setup.sh python` for the first and Python's, `setup.sh petsc` for the first and
# PETSc's, `setup.sh arm` for the first and what compiles for Arm. Says what it installs;
# installs nothing when all is there.
set -eu
here=$(dirname "$0")
want=${1:-test}

case $want in
  build) pattern='build' ;;
  test) pattern='build|test|adaptors|python' ;;
  coverage) pattern='build|test|adaptors|python' ;;
  peers) pattern='build|adaptors|peers|python' ;;
  differential) pattern='build|test|adaptors|python' ;;
  python) pattern='build|python' ;;
  petsc) pattern='build|petsc' ;;
  arm) pattern='build|arm' ;;
  *) echo "usage: setup.sh build|test|coverage|peers|differential|python|petsc|arm" >&2; exit 2 ;;
esac
packages=$(sed -nE "s/^([a-z0-9.+-]+) +($pattern)\$/\1/p" "$here/packages.txt")

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian machine; please see that these are there:" $packages >&2
  exit 0
fi

missing=
for p in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null; then
  as_root=sudo
else
  echo "setup: neither root nor sudo; as root, run: apt-get install$missing" >&2
  exit 1
fi
echo "setup: installing Debian packages:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Quiet unless it fails; no recommended extras, no questions.
if ! { $as_root apt-get update &&
       $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
     >"$log" 2>&1; then
  cat "$log" >&2
  echo "setup: apt-get failed" >&2
  exit 1
fi
