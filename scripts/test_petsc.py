#!/usr/bin/env python3
"""PETSc's own tests with nonzero's products: scripts/test_petsc.py BUILD [--quick] [--record FILE]

BUILD has libnonzero_petsc.so and, in petsc-planted/, the same with row 0 of every product off by 0.1 %. The tests
are those of the Debian package libpetsc3.18-dev-examples, unchanged, run by PETSc's own gmakefile.test: once as
they are, once with -dll_append and -mat_seqaij_type seqaijnonzero as extra options. The same lines of TAP must
pass, and at least a given number of products must have gone through us, by the plug-in's own count. Those that use
products are run a third time with the planted fault, and many must fail: otherwise they would prove nothing.
SLEPc's (slepc_programs.py) and our examples in Python follow.

--quick is the part that `make test` has the time for. Says what differs; the record has the counts.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

import slepc_programs

home = pathlib.Path(__file__).resolve().parent.parent

# Names of tests by package, and how many of each are taken: some of every program, programs evenly spread over the
# list. Fortran's are left out, which would test the same products; what needs libraries that Debian's PETSc is
# without skips itself. --times 3 takes three times as many.
FULL = {"ksp_ksp_tutorials": 60, "mat_tests": 120, "ksp_ksp_tests": 36, "mat_tutorials": 18, "snes_tutorials": 24,
        "snes_tests": 6, "ts_tutorials": 18, "ts_tests": 6, "tao_unconstrained_tutorials": 6, "tao_bound_tutorials": 6,
        "tao_leastsquares_tutorials": 4}
QUICK = ["ksp_ksp_tutorials-ex2_%", "ksp_ksp_tutorials-ex23_%", "ksp_ksp_tests-ex3_%", "mat_tests-ex5_31",
         "mat_tests-ex94_1", "mat_tests-ex18_0", "mat_tests-ex40_1", "snes_tutorials-ex5_1"]


def petsc_folder():
    said = subprocess.run(["pkg-config", "--variable=prefix", "PETSc"], capture_output=True, text=True)
    return pathlib.Path(said.stdout.strip()) if said.returncode == 0 and said.stdout.strip() else None


class Harness:
    """PETSc's gmakefile.test in a folder of ours."""

    def __init__(self, directory, work, jobs):
        self.makefile = directory / "share/petsc/examples/gmakefile.test"
        self.work = work
        work.mkdir(parents=True, exist_ok=True)
        self.command = ["make", "-k", "-j", str(jobs), "-f", str(self.makefile), f"PETSC_DIR={directory}",
                        "PETSC_ARCH=", f"TESTDIR={work}", "V=0", "TIMEOUT=120"]
        # OpenMPI asks root whether it means it, and counts cores.
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                                OMPI_MCA_btl_vader_single_copy_mechanism="none", NONZERO_TUNING="off",
                                OMP_NUM_THREADS="1")

    def exists(self):
        return self.makefile.is_file()

    def names(self, pattern="%"):
        said = subprocess.run([*self.command, "-s", f"gmakesearch={pattern}", "print-test"], cwd=self.work,
                              capture_output=True, text=True, env=self.environment)
        lines = [line for line in said.stdout.splitlines() if "-" in line]
        return lines[-1].split() if lines else []

    def run(self, names, options=""):
        """What every line of TAP said: ok, not ok, or skipped."""
        extra = [f"EXTRA_OPTIONS={options}"] if options else []
        started = time.monotonic()
        said = subprocess.run([*self.command, f"gmakesearch={' '.join(names)}", *extra, "test"], cwd=self.work,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment)
        (self.work / "last.txt").write_text(said.stdout)
        results = {}
        for log in self.work.glob("test_*_tap.log"):
            for line in log.read_text(errors="replace").splitlines():
                found = re.match(r"\s*(not ok|ok)\s+(\S+)(.*)", line)
                if found:
                    results[found[2]] = "skipped" if "# SKIP" in found[3] or "# TODO" in found[3] else found[1]
        return results, time.monotonic() - started


def spread(things, most):
    step = max(1.0, len(things) / most)
    return [things[int(i * step)] for i in range(min(most, len(things)))]


def chosen(names, most):
    programs = {}
    for name in sorted(names):
        program = re.match(r"([^-]*-[0-9A-Za-z]*)", name)
        if name.startswith("mat_tutorials-ex7_"):  # shows what -info says, to which any library that is loaded adds
            continue
        # Libraries that are not here, and other languages.
        if program and not re.search(r"-ex\d+f|cuda|kokkos|hip|viennacl|mkl|hypre|mumps|superlu|strumpack|umfpack|ml_", name):
            programs.setdefault(program[1], []).append(name)
    each = 5
    few = spread(sorted(programs), max(1, most // 3))
    return [name for program in few for name in spread(programs[program], each)][:most]


def counted(path):
    total = {"processes": 0, "products": 0, "transposed": 0, "plans": 0, "updates": 0, "in_place": 0, "several": 0}
    for line in path.read_text().splitlines() if path.is_file() else []:
        words = line.split()
        total["processes"] += 1
        for name, number in zip(words[::2], words[1::2]):
            total[name] += int(number)
    return total


def passes(results):
    return {name for name, word in results.items() if word == "ok"}


def compare(harness, names, library, planted, least, part):
    """Stock, ours, planted. Returns the record of this part and what is wrong with it."""
    counts = harness.work / "counts.txt"
    counts.unlink(missing_ok=True)
    ours = f"-dll_append {library} -mat_seqaij_type seqaijnonzero -mat_nonzero_count {counts}"
    stock, stock_seconds = harness.run(names)
    with_us, our_seconds = harness.run(names, ours)
    count = counted(counts)
    wrong = []
    differ = sorted(n for n in stock.keys() | with_us.keys() if stock.get(n) != with_us.get(n))
    if differ:
        # A machine with other work on it makes tests late, in either run: those that differ have another try, alone.
        tests = sorted({re.sub(r"^diff-|\+.*$", "", n) for n in differ})
        again = [n for n in names if n in tests] or names
        stock.update(harness.run(again)[0])
        with_us.update(harness.run(again, ours)[0])
        differ = sorted(n for n in stock.keys() | with_us.keys() if stock.get(n) != with_us.get(n))
    for name in differ:
        wrong.append(f"{part}: {name}: stock {stock.get(name)}, with nonzero {with_us.get(name)}")
    if count["products"] < least:
        wrong.append(f"{part}: {count['products']} products went through nonzero, fewer than {least}")
    failed = {}
    if planted:
        bad, _ = harness.run(names, f"-dll_append {planted} -mat_seqaij_type seqaijnonzero")
        failed = passes(stock) - passes(bad)
    record = {"scripts": len(names), "lines": len(stock), "passed_stock": len(passes(stock)),
              "passed_with_nonzero": len(passes(with_us)), "differ": differ, **count,
              "failed_with_planted_fault": len(failed), "seconds_stock": round(stock_seconds, 1),
              "seconds_with_nonzero": round(our_seconds, 1)}
    print(f"{part}: {json.dumps(record)}", flush=True)
    return record, wrong


def compare_slepc(harness, work, library, planted):
    counts = work / "counts.txt"
    counts.unlink(missing_ok=True)
    ours = f"-dll_append {library} -mat_seqaij_type seqaijnonzero"
    stock = slepc_programs.run(work, harness.environment, "")
    with_us = slepc_programs.run(work, harness.environment, f"{ours} -mat_nonzero_count {counts}")
    bad = slepc_programs.run(work, harness.environment, ours.replace(str(library), str(planted)))

    def differ(others):
        return [name for name, said in stock.items()
                if said is None or others[name] is None or not slepc_programs.alike(said, others[name])]
    record = {"scripts": len(stock), "lines": len(stock), "passed_stock": sum(s is not None for s in stock.values()),
              "passed_with_nonzero": len(stock) - len(differ(with_us)), "differ": differ(with_us), **counted(counts),
              "failed_with_planted_fault": len(differ(bad))}
    print(f"slepc: {json.dumps(record)}", flush=True)
    return record, [f"slepc: {name} differs" for name in differ(with_us)]


def run_examples(harness, library):
    """petsc4py and slepc4py: the examples, which check themselves."""
    python = next((p for p in (sys.executable, "/usr/bin/python3") if subprocess.run(
        [p, "-c", "import petsc4py, slepc4py"], capture_output=True).returncode == 0), None)
    if python is None:
        print("examples: no petsc4py or slepc4py")
        return []
    wrong = []
    for example, ranks in (("petsc_poisson.py", 4), ("slepc_laplacian.py", 2)):
        said = subprocess.run(["mpirun", "-n", str(ranks), python, home / "examples" / example, "-side", "40",
                               "-dll_append", library, "-mat_seqaij_type", "seqaijnonzero"],
                              capture_output=True, text=True, env=harness.environment)
        print(said.stdout.strip(), flush=True)
        if said.returncode:
            wrong.append(f"{example}: {said.stderr[-2000:]}")
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--record", type=pathlib.Path)
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--times", type=float, default=1.0)
    options.add_argument("--part", action="append", help="these parts of the full run alone")
    asked = options.parse_args()
    library, planted = asked.build / "libnonzero_petsc.so", asked.build / "petsc-planted/libnonzero_petsc.so"
    petsc = petsc_folder()
    if petsc is None or not library.is_file():
        print("skipped: no PETSc, or a build without it")
        return 0
    library, planted = library.resolve(), planted.resolve()
    harness = Harness(petsc, asked.build.resolve() / "petsc-tests", asked.jobs)
    if not harness.exists():
        print("skipped: PETSc's tests (libpetsc3.18-dev-examples) are not here")
        return 0
    parts, wrong = {}, []
    if asked.quick:
        parts["quick"], wrong = compare(harness, QUICK, library, planted, 1000, "quick")
        wrong += run_examples(harness, library)
        if parts["quick"]["passed_stock"] < 20:
            wrong.append(f"only {parts['quick']['passed_stock']} lines pass with stock PETSc")
        if parts["quick"]["failed_with_planted_fault"] < 6:
            wrong.append("the planted fault fails too few")
    else:
        wrong += run_examples(harness, library)
        everything = harness.names()
        for package, most in FULL.items():
            if asked.part and package not in asked.part:
                continue
            names = chosen([n for n in everything if n.split("-", 1)[0] == package], int(most * asked.times))
            with_planted = planted if package in ("ksp_ksp_tutorials", "mat_tests") else None
            parts[package], bad = compare(harness, names, library, with_planted, 0, package)
            wrong += bad
        if slepc_programs.pages.is_dir() and (not asked.part or "slepc" in asked.part):
            parts["slepc"], bad = compare_slepc(harness, asked.build.resolve() / "slepc-tests", library, planted)
            wrong += bad
        if not asked.part and sum(p["failed_with_planted_fault"] for p in parts.values()) < 100:
            wrong.append("the planted fault fails too few")
        if not asked.part and sum(p["products"] for p in parts.values()) < 50000:
            wrong.append("too few products went through nonzero")
    for line in wrong:
        print("WRONG:", line)
    if asked.record:
        # Parts that were not asked for stay as they were, each with the day and the commit of its run.
        commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=40"], cwd=home,
                                capture_output=True, text=True).stdout.strip()
        version = subprocess.run(["pkg-config", "--modversion", "PETSc"], capture_output=True, text=True).stdout.strip()
        record = json.loads(asked.record.read_text()) if asked.record.is_file() else {"parts": {}}
        record.update(petsc=version, machine=platform.machine(), cores=os.cpu_count())
        for name, part in parts.items():
            record["parts"][name] = {"date": datetime.date.today().isoformat(), "commit": commit, **part}
        asked.record.write_text(json.dumps(record, indent=1) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
