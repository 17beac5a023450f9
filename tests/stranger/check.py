#!/usr/bin/env python3
"""Looks whether everything has found the kernels of add.py: `check.py SOURCE PROGRAM TESTS`."""

import json
import os
import re
import subprocess
import sys

source, program, tests = sys.argv[1:4]
ids = ["cpu/csr/stranger", "gpu/csr/stranger"]


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, "NZ_TEST_THIN": "1", "OMP_WAIT_POLICY": "passive"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def expect(true, what):
    if not true:
        sys.exit(what)


for flags in ([], ["--planned"]):
    listed = output(program, "list", "--ids", *flags).split()
    expect(all(id in listed for id in ids), f"nonzero list {flags}: {listed}")

# What is to be pasted into docs/kernels.md is two lines more than what is there.
with open(os.path.join(source, "docs/kernels.md"), encoding="utf-8") as f:
    page = set(f.read().splitlines())
more = [line for line in output(program, "list", "--markdown").splitlines() if line not in page]
expect([line.split("`")[1] for line in more] == ids, f"docs/kernels.md lacks {more}")

# Deterministic plans go by predictions alone.
for device, id in zip(("cpu", "emu"), ids):
    chosen = json.loads(output(program, "plan", "gen:grid:nx=300,ny=300", "--device", device, "--op", "N",
                               "--deterministic", "--json", "-"))
    expect(chosen["kernel"] == id, f"the plan on {device} took {chosen['kernel']}")

said = output(tests, "--gtest_filter=*Conformance*stranger*")
passed = re.search(r"\[  PASSED  \] (\d+) tests", said)
expect(passed and int(passed.group(1)) == 8, said)
print("two kernels added, listed, planned and conforming")
