#!/usr/bin/env python3
"""The recipes of Conan, vcpkg and Docker are true to the sources: version, dependencies, options, files.

    recipes.py SOURCE

Nothing of theirs is needed: the recipes are read, and the port of vcpkg configures with stand-ins for its functions.
"""

import ast
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

source = Path(sys.argv[1])
problems = []


def expect(true, text):
    if not true:
        problems.append(text)


cmake = (source / "CMakeLists.txt").read_text()
version = re.search(r"project\(nonzero VERSION ([0-9.]+)", cmake).group(1)
# What the library is built with, always and where it is asked for; what comes with the system is no package.
needed = {n.lower() for n in re.findall(r"^find_package\((\w+) REQUIRED", cmake, re.M)} - {"openmp", "threads"}
options = set()
for text in [cmake] + [p.read_text() for p in (source / "cmake").glob("*.cmake")]:
    options |= set(re.findall(r"\b(?:option|set)\((NZ_\w+)", text))
expect(len(needed) >= 4, f"only {needed} found in CMakeLists.txt")


def same(name):
    return {"nlohmann-json": "nlohmann_json"}.get(name, name)


def conan():
    path = source / "packaging/conan/conanfile.py"
    tree = ast.parse(path.read_text())
    required = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "requires":
            required.add(node.args[0].value.split("/")[0])
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if str(node.slice.value).startswith("NZ_"):
                expect(node.slice.value in options, f"conanfile.py sets {node.slice.value}, which does not exist")
    expect(required == needed | {"boost"}, f"conanfile.py requires {required}, CMake {needed} and Boost")
    # The version is read from CMakeLists.txt by the pattern that stands there.
    pattern = next(n.args[0].value for n in ast.walk(tree) if isinstance(n, ast.Call)
                   and isinstance(n.func, ast.Attribute) and n.func.attr == "search")
    expect(re.search(pattern, cmake).group(1) == version, "conanfile.py finds another version")
    copied = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "export_sources")
    patterns = [n.value for n in ast.walk(copied) if isinstance(n, ast.Constant) and "/*" in str(n.value)]
    for pattern in patterns:
        expect((source / pattern[:-2]).is_dir(), f"conanfile.py exports {pattern}, which is not there")
    # What a build of the library alone reads: folders that CMakeLists.txt takes in unless they are tools or tests.
    expect({"src/*", "include/*", "cmake/*", "fortran/*", "packaging/debian/*"} <= set(patterns),
           f"conanfile.py leaves out sources: {patterns}")


def vcpkg():
    folder = source / "packaging/vcpkg/ports/nonzero"
    manifest = json.loads((folder / "vcpkg.json").read_text())
    expect(manifest["version"] == version, f"vcpkg.json is of {manifest['version']}, CMake of {version}")
    plain = {same(d) for d in manifest["dependencies"] if isinstance(d, str)}
    expect(plain == needed, f"vcpkg.json depends on {plain}, CMake on {needed}")
    expect(manifest["features"]["emulator"]["dependencies"] == ["boost-context"], "the emulator needs boost-context")
    # What the schema of manifests allows, and the order in which `vcpkg format-manifest` writes them.
    name = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
    expect(set(manifest) <= {"name", "version", "port-version", "description", "homepage", "license", "supports",
                             "dependencies", "features", "default-features"}, f"vcpkg.json has {set(manifest)}")
    expect(list(manifest["features"]) == sorted(manifest["features"]), "vcpkg.json: features are not sorted")
    for whose in [manifest, *manifest["features"].values()]:
        expect("description" in whose, f"vcpkg.json: {whose} has no description")
        names = [d if isinstance(d, str) else d["name"] for d in whose["dependencies"]]
        expect(names == sorted(names) and all(map(name.fullmatch, names)), f"vcpkg.json: {names} are not sorted names")
    port = (folder / "portfile.cmake").read_text()
    for name in re.findall(r"-D(NZ_\w+)=", port) + re.findall(r"\b(NZ_\w+)\)", port):
        expect(name in options, f"portfile.cmake sets {name}, which does not exist")
    expect(port.count("(") == port.count(")"), "portfile.cmake: brackets do not match")
    up = re.search(r"CMAKE_CURRENT_LIST_DIR\}/([./]+) ABSOLUTE", port).group(1)
    expect((folder / up).resolve() == source.resolve(), f"portfile.cmake: {up} is not the root of the sources")
    with tempfile.TemporaryDirectory() as work:
        ran = subprocess.run(["cmake", f"-DPORT={folder}", f"-DWORK={work}", "-P", Path(__file__).parent / "port.cmake"],
                             capture_output=True, text=True)
        expect(ran.returncode == 0, f"portfile.cmake: {ran.stderr}")
        expect("-DNZ_CUDA=OFF;-DNZ_EMULATOR=OFF" in ran.stderr, f"portfile.cmake: other options: {ran.stderr}")
        # Where vcpkg looks for the package is where the build installs it.
        path = re.search(r"vcpkg_cmake_config_fixup CONFIG_PATH[; ](\S+)", ran.stderr)
        installs = (Path(work) / "build/cmake_install.cmake")
        expect(path and installs.is_file() and f"/{path.group(1)}\"" in installs.read_text(),
               f"portfile.cmake: the package is not in {path and path.group(1)}")


def docker():
    script = source / "packaging/docker/build.sh"
    text = script.read_text()
    shown = subprocess.run(["bash", "-n", script], capture_output=True, text=True)
    expect(shown.returncode == 0, f"build.sh: {shown.stderr}")
    expect(script.stat().st_mode & 0o111, "build.sh cannot be executed")
    for name in re.findall(r"^(scripts/\S+)", text, re.M):
        expect((source / name).is_file(), f"build.sh calls {name}, which is not there")
    for name in re.findall(r"-D(NZ_\w+)=", text):
        expect(name in options, f"build.sh sets {name}, which does not exist")
    for name in re.findall(r"--component (\w+)", text):
        expect(f"COMPONENT {name}" in (source / "cmake/install.cmake").read_text(), f"no component {name}")
    presets = {p["name"] for p in json.loads((source / "CMakePresets.json").read_text())["configurePresets"]}
    ignored = (source / ".dockerignore").read_text().split()
    expect(not {"cmake", "src", "lab", "cli", "packaging", "scripts", "include"} & set(ignored), "sources are ignored")
    files = sorted(source.glob("packaging/docker/*.Dockerfile"))
    expect(len(files) == 2, f"Dockerfiles: {files}")
    for file in files:
        lines = file.read_text()
        steps = re.findall(r"^RUN /src/(\S+) (\w+) (\S+)$", lines, re.M)
        expect(len(steps) == 1, f"{file.name}: it should build once, by the script")
        for path, preset, prefix in steps:
            expect((source / path).is_file(), f"{file.name} runs {path}, which is not there")
            expect(preset in presets, f"{file.name}: no preset {preset}")
            expect(f"COPY --from=build {prefix} {prefix}" in lines, f"{file.name} copies another folder than {prefix}")
            expect(f"ENV PATH={prefix}/bin:$PATH" in lines, f"{file.name}: the program is not on the path")
        # What the image says of itself is how it is called.
        expect(f"-f {file.relative_to(source)}" in lines, f"{file.name} says another name of itself")
        # Every library that the program is linked with has its package in the image.
        for library in ("boost-context", "fmt", "gomp", "png16", "zstd", "zlib1g"):
            expect(library in lines, f"{file.name}: no package with {library}")


conan()
vcpkg()
docker()
for p in problems:
    print(p)
print("the recipes are true" if not problems else f"{len(problems)} problems")
sys.exit(bool(problems))
