#!/bin/sh
# Installs the program and the library of a build folder, and says what is where: install.sh BUILD PREFIX
# DESTDIR stands before the prefix, as for `cmake --install`.
set -eu
build=$1
prefix=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for part in tool dev; do
  if ! cmake --install "$build" --prefix "$prefix" --component $part >>"$log" 2>&1; then
    cat "$log" >&2
    echo "install: failed; is $prefix yours to write? (sudo make install, or PREFIX=\$HOME/.local)" >&2
    exit 1
  fi
done
files=$(sed -nE 's/^-- (Installing|Up-to-date): //p' "$log")
said() { printf '%s\n' "$files" | sed -nE "$1" | head -1; }
echo "Installed to ${DESTDIR:-}$prefix:"
show() { [ -z "$2" ] || printf '  %-12s %s\n' "$1" "$2"; }
show program "$(said '\|/bin/nonzero$|p')"
show library "$(said '\|/libnonzero\.|p')"
show headers "$(said '\|/include/nonzero$|p') ($(printf '%s\n' "$files" | grep -c '/include/nonzero/.*\.h') files)"
show CMake "$(said 's|/nonzero-config.cmake$||p')"
show pkg-config "$(said '\|/nonzero.pc$|p')"
show manual "$(said '\|/nonzero\.1|p')"
for shell in bash zsh fish; do show "$shell" "$(said "\|/$shell.*completions.*nonzero|p")"; done
# What is still to do, where something is.
case ":$PATH:" in
  *":$prefix/bin:"*) echo "Try: nonzero demo" ;;
  *) echo "$prefix/bin is not in PATH; add it, or call $prefix/bin/nonzero demo" ;;
esac
