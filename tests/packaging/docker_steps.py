#!/usr/bin/env python3
"""The steps of the Docker files without Docker: the script that both run, from beginning to end, and the image's packages.

    docker_steps.py SOURCE BUILD

The script runs in a copy of its folder, where setup.sh and cmake are stand-ins that write down how they are called:
nothing is installed on the system or compiled again, and what is installed to the prefix comes from BUILD. What the script tries
at its end is the true program.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

source, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
problems = []


def expect(true, text):
    if not true:
        problems.append(text)


def said_by(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True).stdout


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def steps(preset, prefix, folder):
    copy, calls = folder / "src", folder / "calls"
    shutil.copytree(source / "packaging", copy / "packaging")
    executable(copy / "scripts/setup.sh", f'#!/bin/sh\necho "setup $*" >> {calls}\n')
    executable(folder / "bin/cmake", f"""#!/bin/sh
echo "cmake $*" >> {calls}
case $1 in --install) exec {shutil.which("cmake")} --install {build} --prefix {prefix} --component "$4" ;; esac
""")
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    ran = subprocess.run([copy / "packaging/docker/build.sh", preset, prefix], cwd="/", env=environment,
                         capture_output=True, text=True)
    expect(ran.returncode == 0, f"build.sh {preset}:\n{ran.stdout}{ran.stderr}")
    expect("nonzero " in ran.stdout and "cpu/csr/serial" in ran.stdout, f"build.sh tries nothing:\n{ran.stdout}")
    called = calls.read_text().splitlines()
    expect(called[0] == "setup build", f"first come the packages, not {called[0]}")
    expect(called[1].startswith(f"cmake --preset {preset} ") and f"-DCMAKE_INSTALL_PREFIX={prefix}" in called[1], called[1])
    expect(called[2].startswith(f"cmake --build build/{preset} --target nonzero-cli"), called[2])
    expect(called[3:] == [f"cmake --install build/{preset} --component {part}" for part in ("tool", "dev")], str(called[3:]))
    for file in ("bin/nonzero", "include/nonzero/nonzero.hpp", "share/man/man1/nonzero.1"):
        expect(list(prefix.glob(file + "*")), f"build.sh {preset} leaves no {file}")


def packages():
    """The image has a package for each library that the program asks for."""
    if not shutil.which("dpkg") or not shutil.which("readelf"):
        return
    image = (source / "packaging/docker/cpu.Dockerfile").read_text()
    program = build / "nonzero"
    asked = re.findall(r"\(NEEDED\).*\[(.+)\]", said_by("readelf", "-d", program))
    paths = dict(re.findall(r"(\S+) => (/\S+)", said_by("ldd", program)))
    for library in asked:
        # setup.sh installs none of those that a build may have beside; what a person has built is in no package.
        if library not in paths or re.match("lib(hwloc|matio)", library):
            continue
        real = os.path.realpath(paths[library])
        name = re.match(r"[^:,]+", said_by("dpkg", "-S", real) or said_by("dpkg", "-S", real.removeprefix("/usr")))
        # Every Debian has the first three; numbers of versions differ between systems.
        if name and name.group() not in ("libc6", "libgcc-s1", "libstdc++6"):
            stem = re.match(r"[a-z-]+", name.group()).group()
            expect(re.search(rf"\s{re.escape(stem)}", image), f"cpu.Dockerfile lacks {name.group()}, for {library}")
            packaged.append(name.group())


packaged = []
with tempfile.TemporaryDirectory() as place:
    for which in ("cpu", "gpu"):
        steps(which, Path(place) / which / "opt", Path(place) / which)
packages()
for problem in problems:
    print(problem)
print(f"{len(problems)} problems" if problems else f"the steps of Docker are right, with {len(packaged)} packages of libraries")
sys.exit(bool(problems))
