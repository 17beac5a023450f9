#!/usr/bin/env python3
"""Times reading a Matrix Market file into sorted CSR, against SciPy's mmread of the same file.

Needs SciPy 1.12 or later and a Release build of the target bench_read:

    cmake --preset cpu && cmake --build --preset cpu --target bench_read
    scripts/bench-read.py --program build/cpu/bench_read

The files are generated (always the same ones) into --folder and kept. Each round times every
reader once, one after the other, so that whatever else the machine does hits them alike; the best
of all rounds counts. On a machine that others use, too, run it by `chrt -r 20`. The table goes to standard output, all samples into --json.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import datetime, timezone

import numpy as np
import scipy
import scipy.io
import scipy.io._fast_matrix_market as fast_matrix_market

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def by_columns(row, column, values=None):
    """Entries sorted by column, then row, as the SuiteSparse collection stores them; no duplicates."""
    order = np.lexsort((row, column))
    row, column = row[order], column[order]
    first = np.ones(len(row), bool)
    first[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    return row[first], column[first]


def write(path, field, symmetry, n, row, column, texts=None):
    with open(path + ".part", "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{n} {n} {len(row)}\n")
        step = 1 << 18
        for at in range(0, len(row), step):
            r = (row[at:at + step] + 1).tolist()
            c = (column[at:at + step] + 1).tolist()
            if texts is None:
                out.write("".join(f"{i} {j}\n" for i, j in zip(r, c)))
            else:
                v = texts(at, at + len(r))
                out.write("".join(f"{i} {j} {x}\n" for i, j, x in zip(r, c, v)))
    os.replace(path + ".part", path)


def shortest(values):
    """The fewest digits that read back to the same number."""
    return lambda a, b: [repr(x) for x in values[a:b].tolist()]


def scientific(values):
    """printf's %.16e, as many programs write."""
    return lambda a, b: ["%.16e" % x for x in values[a:b].tolist()]


def decimals(values):
    """A few digits after the point."""
    return lambda a, b: ["%.3f" % x for x in values[a:b].tolist()]


def half_grid(n):
    """The lower triangle of a 27-point grid of n x n x n points."""
    k = np.arange(n ** 3)
    x, y, z = k % n, k // n % n, k // (n * n)
    rows, columns = [], []
    for dz in (-1, 0, 1):
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                step = dx + n * dy + n * n * dz
                inside = ((x + dx >= 0) & (x + dx < n) & (y + dy >= 0) & (y + dy < n) &
                          (z + dz >= 0) & (z + dz < n))
                if step <= 0:
                    rows.append(k[inside])
                    columns.append(k[inside] + step)
    return by_columns(np.concatenate(rows), np.concatenate(columns))


def scattered(rng, n, entries):
    """Half of the entries near the diagonal, half anywhere."""
    row = rng.integers(0, n, entries)
    near = np.clip(row + rng.integers(-200, 200, entries), 0, n - 1)
    column = np.where(rng.random(entries) < 0.5, near, rng.integers(0, n, entries))
    return by_columns(row, column)


def power_law(rng, scale, entries):
    """An R-MAT graph."""
    row = np.zeros(entries, np.int64)
    column = np.zeros(entries, np.int64)
    for _ in range(scale):
        q = rng.random(entries)
        row = 2 * row + (((q >= 0.57) & (q < 0.76)) | (q >= 0.95))
        column = 2 * column + (q >= 0.76)
    return by_columns(row, column)


def make_files(folder):
    """Name, path and description of every file; makes those that are not there yet."""
    os.makedirs(folder, exist_ok=True)
    files = []

    def file(name, about, make):
        path = os.path.join(folder, name + ".mtx")
        files.append((name, path, about))
        if not os.path.exists(path):
            print(f"making {path}", file=sys.stderr)
            make(path)

    def spread(rng, n):
        return rng.standard_normal(n) * 10.0 ** rng.integers(-3, 6, n)

    def symmetric(path):
        row, column = half_grid(61)
        values = spread(np.random.default_rng(1), len(row))
        write(path, "real", "symmetric", 61 ** 3, row, column, scientific(values))

    def general(path):
        rng = np.random.default_rng(2)
        row, column = scattered(rng, 300000, 3200000)
        write(path, "real", "general", 300000, row, column, shortest(spread(rng, len(row))))

    def short(path):
        rng = np.random.default_rng(3)
        row, column = scattered(rng, 300000, 5000000)
        write(path, "real", "general", 300000, row, column, decimals(100 * rng.standard_normal(len(row))))

    def pattern(path):
        row, column = power_law(np.random.default_rng(4), 20, 8000000)
        write(path, "pattern", "general", 1 << 20, row, column)

    file("symmetric", "27-point grid, real symmetric, %.16e", symmetric)
    file("general", "half near the diagonal, half scattered; real general, shortest digits", general)
    file("short", "the same with three decimals", short)
    file("pattern", "R-MAT graph, pattern general", pattern)
    return files


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer or answer[0] == "error":
            sys.exit(f"bench_read: {' '.join(answer)}")
        return answer

    def read(self, path, threads):
        seconds, _, rows, cols, nnz = self.ask(f"{threads} {path}")
        return float(seconds), (int(rows), int(cols), int(nnz))

    def convert(self, path, to):
        self.ask(f"write 2 {path} {to}")


def scipy_read(path, threads):
    fast_matrix_market.PARALLELISM = threads
    start = time.perf_counter()
    matrix = scipy.io.mmread(path)
    return time.perf_counter() - start, matrix


def commit():
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()
    return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain", "--untracked-files=no"))}


def processor():
    try:
        for line in subprocess.run(["lscpu"], capture_output=True, text=True).stdout.splitlines():
            if line.startswith("Model name:"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/cpu/bench_read"))
    parser.add_argument("--folder", default="/tmp/nonzero-bench-read", help="for the files, about 450 MB and as much again")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", default=os.path.join(ROOT, "results/read-speed.json"))
    options = parser.parse_args()

    ours = Ours(options.program)
    record = {
        "what": "seconds to read a Matrix Market file: nonzero into sorted CSR (double, 32-bit offsets), "
                "SciPy's mmread into triplets; files in the page cache",
        "when": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": {"processor": processor(), "architecture": platform.machine(), "cores": os.cpu_count(),
                    "system": platform.release(), "load_before": os.getloadavg(),
                    "scheduling": "real-time" if os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR) else "usual"},
        "versions": {"python": platform.python_version(), "scipy": scipy.__version__, "numpy": np.__version__, **commit()},
        "files": [],
    }
    print(f"{'file':10} {'MB':>6} {'threads':>7} {'nonzero':>9} {'GB/s':>6} {'SciPy':>9} {'ratio':>6} {'.nzb':>9} {'ratio':>6}")
    for name, path, about in make_files(options.folder):
        binary = path[:-4] + ".nzb"
        ours.convert(path, binary)
        size = os.path.getsize(path)
        shape = ours.read(path, 1)[1]
        matrix = scipy_read(path, 1)[1]
        if (matrix.shape[0], matrix.shape[1], matrix.nnz) != shape:
            sys.exit(f"{path}: SciPy read {matrix.shape}, {matrix.nnz} entries, nonzero {shape}")
        del matrix
        samples = {t: {"nonzero": [], "scipy": [], "nzb": []} for t in options.threads}
        for _ in range(options.rounds):
            for t in options.threads:
                samples[t]["nonzero"].append(ours.read(path, t)[0])
                samples[t]["scipy"].append(scipy_read(path, t)[0])
                samples[t]["nzb"].append(ours.read(binary, t)[0])
        results = []
        for t in options.threads:
            best = {key: min(values) for key, values in samples[t].items()}
            results.append({"threads": t, "samples": samples[t], "best": best,
                            "scipy_over_nonzero": best["scipy"] / best["nonzero"],
                            "text_over_nzb": best["nonzero"] / best["nzb"]})
            print(f"{name:10} {size / 1e6:6.0f} {t:7} {best['nonzero']:8.4f}s {size / best['nonzero'] / 1e9:6.2f} "
                  f"{best['scipy']:8.4f}s {results[-1]['scipy_over_nonzero']:6.2f} {best['nzb']:8.4f}s "
                  f"{results[-1]['text_over_nzb']:6.1f}", flush=True)
        scaling = [results[0]["best"]["nonzero"] / r["best"]["nonzero"] for r in results]
        if len(results) > 1:
            print(f"{'':17} from {options.threads[0]} to {options.threads[-1]} threads: {scaling[-1]:.2f}", flush=True)
        record["files"].append({"name": name, "about": about, "bytes": size, "nzb_bytes": os.path.getsize(binary),
                                "rows": shape[0], "cols": shape[1], "nnz": shape[2], "results": results,
                                "speedup_over_first": scaling})
    record["machine"]["load_after"] = os.getloadavg()
    os.makedirs(os.path.dirname(options.json) or ".", exist_ok=True)
    with open(options.json, "w") as out:
        json.dump(record, out, indent=1)
        out.write("\n")
    print(f"written: {options.json}")


if __name__ == "__main__":
    main()
