#!/usr/bin/env python3
"""Adds two kernels to a copy of the tree as a stranger would, and compiles what that touches.

`add.py SOURCE WORK CMAKE-OPTIONS...`: WORK/tree is the copy, WORK/build its build. The steps are those that
docs/architecture.md and docs/gpu.md list: the places they name must be the places that are touched here.
"""

import os
import re
import shutil
import subprocess
import sys

source, work, options = sys.argv[1], sys.argv[2], sys.argv[3:]
tree = os.path.join(work, "tree")
build = os.path.join(work, "build")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text):
    """Leaves a file alone that has this text already, so that nothing is compiled for it."""
    if not os.path.exists(path) or read(path) != text:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def steps(page):
    """The first path of each numbered step under "## Add a kernel"."""
    text = read(os.path.join(source, page)).split("\n## Add a kernel\n")[1].split("\n## ")[0]
    found = re.findall(r"(?ms)^\d\. (.*?)(?=^\d\. |\n\n|\Z)", text)
    return [re.search(r"`((?:src|docs)/[^`]+)`", step).group(1) for step in found]


class Tree:
    """The copy; notes which places of the steps were touched."""

    def __init__(self):
        self.changed = {}

    def text(self, path):
        return self.changed.get(path) or read(os.path.join(source, path))

    def add_file(self, path, text):
        assert not os.path.exists(os.path.join(source, path)), path
        self.changed[path] = text

    def edit(self, path, at, becomes):
        """Changes a text that is there once."""
        text = self.text(path)
        assert text.count(at) == 1, f"{path}: {at!r} is there {text.count(at)} times"
        self.changed[path] = text.replace(at, becomes)

    def insert(self, path, before, inserted):
        self.edit(path, before, inserted + before)


def renamed(text, names):
    for old, new in names:
        assert old in text, old
        text = text.replace(old, new)
    return text


def add_cpu_kernel(t):
    new = "src/kernels/cpu/csr_stranger.cpp"
    t.add_file(new, renamed(t.text("src/kernels/cpu/csr_serial.cpp"),
                            [("cpu_csr_serial", "cpu_csr_stranger"), ('"serial"', '"stranger"')]))
    t.insert("src/plan/kernel_list.hpp", "  line(cpu_csr_omp_rows) ", "  line(cpu_csr_stranger) \\\n")
    model = "src/plan/cpu_model.cpp"
    t.edit(model, "planned[] = {", 'planned[] = {"cpu/csr/stranger", ')
    t.insert(model, "  if (f.entries > 0) {\n",
           '  by_row({"cpu/csr/stranger", csr, csr / 100, 0, tuning.csr_setup, "a copy"});\n')
    return ["src/kernels/cpu/FORMAT_STRATEGY.cpp", "src/plan/kernel_list.hpp", "docs/kernels.md", model]


def add_gpu_kernel(t):
    new = "src/kernels/gpu/csr/stranger.cpp"
    t.add_file(new, renamed(t.text("src/kernels/gpu/papers/mazzucchi2025/csr_thread_per_row.cpp"),
                            [("gpu_csr_thread_per_row", "gpu_csr_stranger"), ('"thread-per-row"', '"stranger"')]))
    t.insert("src/plan/kernel_list.hpp", "  gpu(gpu_csr_warp_per_row) ", "  gpu(gpu_csr_stranger) \\\n")
    model = "src/plan/gpu_model.cpp"
    t.edit(model, "planned[] = {", 'planned[] = {"gpu/csr/stranger", ')
    t.insert(model, '    add("gpu/csr/balanced", {}, csr_n()',
           '    add("gpu/csr/stranger", {}, csr_n() / 100, csr_t(), t_.csr_setup, f_.csr_bytes(), "a copy");\n')
    return ["src/kernels/gpu/FORMAT/STRATEGY.cpp", "src/plan/kernel_list.hpp", "docs/kernels.md", model]


def copy_tree(t):
    """All that the library is built from, with the times of the originals, and nothing that is gone."""
    wanted = set()
    for folder in ("cmake", "include", "packaging", "src"):
        for at, _, names in os.walk(os.path.join(source, folder)):
            wanted.update(os.path.relpath(os.path.join(at, name), source) for name in names)
    wanted.update(("CMakeLists.txt", "LICENSE"))
    for at, _, names in os.walk(tree):
        for name in names:
            if os.path.relpath(os.path.join(at, name), tree) not in wanted | set(t.changed):
                os.remove(os.path.join(at, name))
    for path in wanted - set(t.changed):
        to = os.path.join(tree, path)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if not os.path.exists(to) or os.stat(to).st_mtime != os.stat(os.path.join(source, path)).st_mtime:
            shutil.copy2(os.path.join(source, path), to)
    for path, text in t.changed.items():
        write(os.path.join(tree, path), text)


t = Tree()
for page, add in (("docs/architecture.md", add_cpu_kernel), ("docs/gpu.md", add_gpu_kernel)):
    touched, told = add(t), steps(page)
    assert touched == told, f"{page} tells of {told}, but what is touched is {touched}"
copy_tree(t)
subprocess.run(["cmake", "-G", "Ninja", "-S", tree, "-B", build, "--log-level=WARNING", *options], check=True)
# Not one step more: CMake has to find the files by itself. registry.cpp reads the list.
objects = [f"CMakeFiles/nonzero.dir/{path}.o"
           for path in [*t.changed, "src/plan/registry.cpp"]
           if path.endswith(".cpp") and not path.startswith("src/kernels/gpu/")]
objects.append("CMakeFiles/nonzero_emulated.dir/src/kernels/gpu/csr/stranger.cpp.o")
subprocess.run(["ninja", "-C", build, *objects], check=True)
