#!/usr/bin/env python3
"""Debian packages of a build folder that is there: what is in them, what they depend on, and that the program in
them is whole.

    deb.py BUILD VERSION
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

build, version = Path(sys.argv[1]), sys.argv[2]
if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
    print("skipped: no dpkg-deb or no dpkg-shlibdeps here")
    sys.exit(0)
problems = []


def expect(true, text):
    if not true:
        problems.append(text)


def run(*words):
    shown = subprocess.run(words, capture_output=True, text=True)
    if shown.returncode != 0:
        sys.exit(f"{words[0]} failed:\n{shown.stdout}\n{shown.stderr}")
    return shown.stdout


with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    run("cpack", "--config", str(build / "CPackConfig.cmake"), "-G", "DEB", "-B", str(folder))
    packages = {p.name.split("_")[0]: p for p in folder.glob("*.deb")}
    expect(set(packages) == {"nonzero", "libnonzero-dev"}, f"packages: {sorted(packages)}")
    wanted = {
        "nonzero": ["usr/bin/nonzero", "usr/share/man/man1/nonzero.1.gz", "usr/share/bash-completion/completions/nonzero",
                    "usr/share/zsh/vendor-completions/_nonzero", "usr/share/fish/vendor_completions.d/nonzero.fish",
                    "usr/share/doc/nonzero/copyright", "usr/share/doc/nonzero/changelog.gz"],
        "libnonzero-dev": ["libnonzero.a", "usr/include/nonzero/nonzero.hpp", "usr/include/nonzero/nonzero.h",
                           "nonzero-config.cmake", "pkgconfig/nonzero.pc", "usr/share/nonzero/fortran/nonzero.f90",
                           "usr/share/doc/libnonzero-dev/copyright"],
    }
    depends = {"nonzero": ["libc6", "libfmt", "libpng"], "libnonzero-dev": ["libfmt-dev", "zlib1g-dev", "libzstd-dev"]}
    for name, path in packages.items():
        listing = run("dpkg-deb", "--contents", path)
        for file in wanted.get(name, []):
            expect(re.search(rf"\S*{re.escape(file)}$", listing, re.M), f"{name} lacks {file}")
        # Only the two have anything in common: folders.
        expect(not re.search(r"/(tmp|root|home)/", listing), f"{name}: a path of the builder")
        for line in listing.splitlines():
            expect(re.match(r"[-dl]rw.r-.r-[-x] root/root", line), f"{name}: {line}")
        expect(run("dpkg-deb", "-f", path, "Version").strip() == version, f"{name}: another version")
        needs = run("dpkg-deb", "-f", path, "Depends")
        for other in depends.get(name, []):
            expect(other in needs, f"{name} does not depend on {other}: {needs}")
    if "nonzero" in packages:
        run("dpkg-deb", "-x", packages["nonzero"], str(folder / "root"))
        program = folder / "root/usr/bin/nonzero"
        said = run(str(program), "--version")
        expect(said.startswith(f"nonzero {version}\n"), f"the packaged program says {said}")
        expect("not stripped" not in run("readelf", "-S", str(program)) and ".symtab" not in run("readelf", "-S", str(program)),
               "the program is not stripped")
        for line in (folder / "root/usr/share/man/man1").iterdir():
            expect(line.name.startswith("nonzero.1"), str(line))
    # What Debian's own check finds, where it is installed. Libraries lie where CMake puts them for any system.
    if shutil.which("lintian"):
        found = subprocess.run(["lintian", *packages.values()], capture_output=True, text=True).stdout
        for line in found.splitlines():
            expect("pkg-config-unavailable-for-cross-compilation" in line or not line.startswith(("E:", "W:")), line)
for p in problems:
    print(p)
print("the packages are whole" if not problems else f"{len(problems)} problems")
sys.exit(bool(problems))
