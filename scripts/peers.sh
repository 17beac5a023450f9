#!/bin/sh
# Installs the libraries of docs/peers.md: Debian packages, and from PyPI into the virtual environment
# given, SciPy and (on x86-64) Intel MKL: scripts/peers.sh build/peers-venv
set -eu
venv=${1:?where to?}
"$(dirname "$0")/setup.sh" peers

packages='numpy scipy'
[ "$(uname -m)" != x86_64 ] || packages="$packages mkl mkl-devel"
[ -x "$venv/bin/python3" ] || python3 -m venv "$venv"
if ! "$venv/bin/python3" -m pip show -q $packages 2>/dev/null; then
  echo "peers: installing from PyPI: $packages"
  "$venv/bin/python3" -m pip install -q --disable-pip-version-check $packages
fi
