#!/usr/bin/env python3
"""Mutation testing on a source whose mutants are known: `smoke.py SOURCE-ROOT WORK-FOLDER CXX`."""

import json
import os
import shutil
import subprocess
import sys

root, work, cxx = sys.argv[1:4]
here = os.path.join(root, "tests", "mutation")
shutil.rmtree(work, ignore_errors=True)
build = os.path.join(work, "build")
os.makedirs(build)
os.makedirs(os.path.join(work, "src"))
for name in ("sample.cpp", "sample.hpp", "sample_main.cpp"):
    shutil.copy(os.path.join(here, name), os.path.join(work, "src"))
with open(os.path.join(build, "build.ninja"), "w") as f:
    f.write(f"""rule cc
  command = {cxx} -I../src -o $out -c $in
rule ar
  command = ar rcs $out $in
rule link
  command = {cxx} $objects -o $out $libraries
build sample.o: cc ../src/sample.cpp
build main.o: cc ../src/sample_main.cpp
build libsample.a: ar sample.o
build tests: link main.o libsample.a
  objects = main.o
  libraries = libsample.a
""")
subprocess.run(["ninja", "-C", build, "tests"], check=True, stdout=subprocess.DEVNULL)
with open(os.path.join(build, "compile_commands.json"), "w") as f:
    source = os.path.join(work, "src", "sample.cpp")
    json.dump([{"file": source, "directory": build, "command": f"{cxx} -I../src -o sample.o -c {source}"}], f)


def given(name, value):
    path = os.path.join(work, name)
    with open(path, "w") as f:
        json.dump(value, f)
    return path


table = given("files.json", [{"file": "src/sample.cpp", "program": "tests"}])
record = os.path.join(work, "record.json")


def outcomes(equivalent):
    """The mutants of the sample by their outcome, and what the script exits with."""
    words = [sys.executable, os.path.join(root, "scripts", "mutate.py"), "--build", build, "--root", work,
             "--files", table, "--equivalent", given("equivalent.json", equivalent), "--record", record,
             "--mutants", "100", "--seed", "1"]
    # The second time what was killed need not be killed again.
    done = subprocess.run(words + (["--again"] if equivalent else []), capture_output=True, text=True)
    with open(record) as f:
        mutants = json.load(f)["files"][0]["mutants"]
    kinds = {}
    for m in mutants:
        kinds.setdefault(m["outcome"], []).append(m)
    return done, kinds


def demand(what, why):
    if not what:
        raise SystemExit(f"mutation smoke test: {why}")


done, kinds = outcomes([])
survived = [(m["operator"], m["after"]) for m in kinds.get("survived", [])]
demand(survived == [("relational", "return a <= b ? b : a;")], f"survived: {survived}\n{done.stdout}{done.stderr}")
killed = {m["operator"] for m in kinds["killed"]}
demand({"relational", "arithmetic", "min-max", "constant", "throw"} <= killed, f"killed only {killed}")
demand(len(kinds["killed"]) >= 6, f"killed only {len(kinds['killed'])}")
share = len(kinds["killed"]) / (len(kinds["killed"]) + 1)
demand(done.returncode == (0 if share >= 0.9 else 1), f"exit {done.returncode} at {share:.0%}")

done, kinds = outcomes([{"file": "src/sample.cpp", "before": "return a < b ? b : a;",
                         "after": "return a <= b ? b : a;", "reason": "equal numbers look the same"}])
demand("survived" not in kinds and len(kinds["equivalent"]) == 1, "the named equivalent was not believed")
demand(done.returncode == 0 and "| 100 % |" in done.stdout, done.stdout + done.stderr)
print(f"{len(kinds['killed'])} mutants killed, the equivalent one survived until it was named")
