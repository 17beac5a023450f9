"""The program `nonzero`, which comes with the package."""

from __future__ import annotations

import os
import subprocess
import sys

from ._errors import Error


def program() -> str:
    """Where it is."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "nonzero")
    if os.path.exists(here):
        return here
    # An editable install has it where the extension module lies.
    from . import _core

    there = os.path.join(os.path.dirname(os.path.abspath(_core.__file__)), "bin", "nonzero")
    if os.path.exists(there):
        return there
    raise Error("the program nonzero was not built into this package (NZ_TOOLS=OFF)")


def run_program(*arguments: str) -> str:
    """What it prints; Error with what it says where it fails."""
    done = subprocess.run([program(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(done.stderr.strip() or f"nonzero {arguments[0]} ended with {done.returncode}")
    return done.stdout


def main() -> None:
    """The command `nonzero`: becomes the program."""
    os.execv(program(), ["nonzero", *sys.argv[1:]])
