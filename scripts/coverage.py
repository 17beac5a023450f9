#!/usr/bin/env python3
"""Runs the unit tests of a build with --coverage and writes what of src/ they ran, folder by folder.

  scripts/coverage.py build/coverage

Writes results/coverage.json, results/coverage.md and pages of every line under BUILD/html. Exit 1 when a
test fails, or when a folder has fewer lines run than wanted and coverage-reasons.json says nothing of it.
"""

import argparse
import concurrent.futures
import datetime
import glob
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

# The kernels that are compiled for each instruction set, once for each that this machine has.
INSTRUCTION_SETS = ("portable", "avx2")
VECTOR_KERNELS = ":".join("*F64Offsets32/cpu_" + name for name in (
    "csr_balanced", "compact_balanced", "csb_balanced", "sell_gather", "packed_slices", "bsr_unrolled"))


# What is run of programs that try every kernel on the emulator, where each counted line takes long. Lines do
# not tell types apart: conformance runs with one type of offsets, and what it has run of a kernel is not run
# again by threads and streams, but for some.
SOME_KERNELS = "Registry/*csr_balanced*:Registry/*coo_slots*:Registry/*bsr_balanced*"
PATTERNS = {"test_kernels": ["-*Conformance.*Offsets64*"], "test_gpu": ["-Registry/*", SOME_KERNELS]}
# Parts of a program that run side by side; the counters of all are added up.
SHARDS = 8


def test_runs(build):
    """(program, what it finds in its environment, which of its tests) for each run, long ones first."""
    programs = {os.path.basename(p): p for p in sorted(glob.glob(os.path.join(build, "tests", "test_*")))
                if os.access(p, os.X_OK) and os.path.isfile(p)}
    programs.pop("test_house", None)  # reads sources and runs none
    if not programs:
        raise SystemExit(f"no test programs in {build}/tests")
    runs = [(path, {"GTEST_TOTAL_SHARDS": str(SHARDS), "GTEST_SHARD_INDEX": str(i)}, pattern)
            for name, path in programs.items() for pattern in PATTERNS.get(name, ["*"]) for i in range(SHARDS)]
    if "test_kernels" in programs:
        runs += [(programs["test_kernels"], {"NONZERO_ISA": isa}, VECTOR_KERNELS) for isa in INSTRUCTION_SETS]
    return sorted(runs, key=lambda r: os.path.basename(r[0]) not in PATTERNS)


def run_tests(build, jobs):
    """Every program of unit tests once, thinned; the data of an earlier run are forgotten."""
    for old in glob.glob(os.path.join(build, "**", "*.gcda"), recursive=True):
        os.remove(old)
    # The same numbers every time, so that figures differ only where the code does.
    environment = dict(os.environ, NZ_TEST_THIN="1", NZ_TEST_SEED="19", OMP_WAIT_POLICY="PASSIVE")

    def run(program, extra, pattern):
        begin = time.monotonic()
        done = subprocess.run([program, "--gtest_brief=1", "--gtest_filter=" + pattern],
                              env=dict(environment, **extra), cwd=build, capture_output=True, text=True)
        print(f"{os.path.basename(program)} {' '.join(extra.values())}: {time.monotonic() - begin:.0f} s", flush=True)
        if done.returncode != 0:
            return f"{program} failed with {extra}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}"

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        failed = [f for f in pool.map(lambda r: run(*r), test_runs(build)) if f]
    if failed:
        raise SystemExit("\n".join(failed))


def measure(build, jobs):
    """gcovr's summary. The branches that only an exception would take are left out."""
    pages, summary = os.path.join(build, "html"), os.path.join(build, "summary.json")
    os.makedirs(pages, exist_ok=True)
    subprocess.run(["gcovr", "--root", ROOT, "--filter", os.path.join(ROOT, "src") + "/", "--object-directory", build,
                    "--exclude-throw-branches", "--exclude-unreachable-branches", "-j", str(jobs),
                    "--exclude-directories", ".*/CompilerIdCXX", "--merge-mode-functions", "separate", "--merge-lines",
                    "--html-details", os.path.join(pages, "index.html"), "--json-summary", summary, build],
                   check=True, cwd=ROOT)
    with open(summary) as f:
        return json.load(f)


def folders(summary):
    """Sums of the files of each folder: [lines, lines run, branches, branches taken]."""
    sums, files = {}, {}
    for f in summary["files"]:
        figures = [f["line_total"], f["line_covered"], f["branch_total"], f["branch_covered"]]
        files[f["filename"]] = figures
        folder = os.path.dirname(f["filename"])
        sums[folder] = [a + b for a, b in zip(sums.get(folder, [0] * 4), figures)]
    sums["src"] = [sum(column) for column in zip(*sums.values())]
    return sums, files


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def table(sums, reasons):
    lines = ["| folder | lines | run | branches | taken |", "|---|---:|---:|---:|---:|"]
    for folder, (total, covered, branches, taken) in sorted(sums.items()):
        lines.append(f"| `{folder}` | {total} | {percent(covered, total):.1f} % | {branches} "
                     f"| {percent(taken, branches):.1f} % |")
    lines += ["", "What is not counted, and why a folder is short:", ""]
    lines += [f"- `{r['path']}`: {r['reason']}" for r in reasons]
    return "\n".join(lines)


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--share", type=float, default=90, help="per cent of the lines of each folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-run", action="store_true", help="measure what earlier runs left")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    with open(os.path.join(HERE, "coverage-reasons.json")) as f:
        reasons = json.load(f)
    if not options.no_run:
        run_tests(build, options.jobs)
    sums, files = folders(measure(build, options.jobs))
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    record = {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain", "-uno")),
              "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ"),
              "compiler": compiler, "columns": ["lines", "lines_run", "branches", "branches_taken"],
              "folders": sums,
              "files_below": {name: f for name, f in files.items() if percent(f[1], f[0]) < options.share}}
    results = os.path.join(ROOT, "results")
    with open(os.path.join(results, "coverage.json"), "w") as f:
        json.dump(record, f, indent=1, sort_keys=True)
        f.write("\n")
    text = table(sums, reasons)
    with open(os.path.join(results, "coverage.md"), "w") as f:
        f.write(f"# Coverage of src/ by the unit tests\n\n`make coverage`, {record['date'][:10]}, commit "
                f"{record['commit'][:12]}, {compiler}, thinned conformance.\n\n{text}\n")
    print(text)
    excused = {r["path"] for r in reasons}
    short = [d for d, s in sums.items() if percent(s[1], s[0]) < options.share and d not in excused]
    for folder in short:
        print(f"{folder}: fewer than {options.share:g} % of its lines are run", file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
