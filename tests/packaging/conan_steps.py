#!/usr/bin/env python3
"""Conan takes the recipe: it is read, exported with its sources, and finds all that it requires on the system.

    conan_steps.py SOURCE

Says "skipped" where there is no Conan 2. Nothing is compiled, no server is asked, and no folder of the user's
is touched; `conan create` itself is packaging/conan/create.sh.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

source = Path(sys.argv[1])
recipe = source / "packaging/conan"
version = re.search(r"project\(nonzero VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text()).group(1)
program = shutil.which("conan")
if program is None or " 2." not in subprocess.run([program, "--version"], capture_output=True, text=True).stdout:
    print("skipped: no Conan 2")
    sys.exit(0)

with tempfile.TemporaryDirectory() as home:
    def conan(*words):
        ran = subprocess.run([program, *map(str, words)], capture_output=True, text=True, env={**os.environ, "CONAN_HOME": home})
        if ran.returncode != 0:
            sys.exit(f"conan {' '.join(map(str, words))}:\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    conan("profile", "detect")
    about = json.loads(conan("inspect", recipe, "--format", "json"))
    assert (about["name"], about["version"]) == ("nonzero", version), about
    conan("export", recipe)
    # Sources are copied when they are asked for; then every file that CMake reads must be there.
    exported = next(Path(home).glob("p/nonze*/es"))
    for name in ("CMakeLists.txt", "LICENSE", "cmake/nonzero-config.cmake.in", "src/plan/kernel_list.hpp",
                 "include/nonzero/nonzero.hpp", "fortran/nonzero.f90"):
        assert (exported / name).is_file(), f"the recipe leaves out {name}"
    for options in ([], ["-o", "nonzero/*:emulator=True"]):
        said = json.loads(conan("graph", "info", "--requires", f"nonzero/{version}", "--no-remote", "--format", "json",
                                "--profile:build", "default", "--profile:host", recipe / "system.profile", *options))
        nodes = {n["ref"].split("/")[0]: n for n in said["graph"]["nodes"].values() if "/" in n["ref"]}
        wanted = {"nonzero", "fmt", "zlib", "zstd", "nlohmann_json"} | ({"boost"} if options else set())
        assert set(nodes) == wanted, f"{options} requires {set(nodes)}"
        assert all(n["recipe"] == "Platform" for name, n in nodes.items() if name != "nonzero"), "not of the system"
print("Conan takes the recipe")
