#!/usr/bin/env python3
"""Times reading Matrix Market files into sorted CSR against SciPy's mmread, in one run.

    pip install scipy                      # 1.12 or later: its mmread is fast_matrix_market
    cmake --build build/cpu --target bench_read
    scripts/bench-read.py build/cpu/bench_read -o results/read-speed.json

Samples of both are interleaved; the best of each counts. mmread only makes triplets, which are not
sorted, and is not asked to do more. Also timed: the same matrix as .nzb.
"""
import argparse
import json
import os
import platform
import subprocess
import tempfile
import time

import numpy as np
import scipy
import scipy.io
import scipy.io._fast_matrix_market as fast_matrix_market
import scipy.sparse as sparse

THREADS = (1, 2)


def by_columns(matrix):
    """Entries column by column, as the SuiteSparse collection writes them."""
    matrix = sparse.csc_matrix(matrix)
    matrix.sum_duplicates()
    return matrix.tocoo()


def general(rng):
    n, k = 300_000, 3_200_000
    row = rng.integers(0, n, k)
    near = np.clip(row + rng.integers(-200, 200, k), 0, n - 1)
    column = np.where(rng.random(k) < 0.5, near, rng.integers(0, n, k))
    return by_columns(sparse.coo_matrix((rng.standard_normal(k), (row, column)), (n, n)))


def symmetric(rng):
    """The lower half of a 27-point grid with values of many sizes."""
    n = 62
    grid = sparse.diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(n, n))
    half = sparse.tril(sparse.kron(sparse.kron(grid, grid), grid)).tocoo()
    half.data = rng.standard_normal(half.nnz) * 10.0 ** rng.integers(-3, 6, half.nnz)
    return by_columns(half)


def pattern(rng):
    """A power-law graph: 8 M edges drawn by R-MAT."""
    scale, edges = 20, 8_000_000
    u, v = np.zeros(edges, int), np.zeros(edges, int)
    for _ in range(scale):
        q = rng.random(edges)
        u = 2 * u + (((q >= 0.57) & (q < 0.76)) | (q >= 0.95))
        v = 2 * v + (q >= 0.76)
    return by_columns(sparse.coo_matrix((np.ones(edges), (u, v)), (1 << scale, 1 << scale)))


def write(path, matrix, field, symmetry):
    with open(path, "wb") as out:
        out.write(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n".encode())
        out.write("{} {} {}\n".format(*matrix.shape, matrix.nnz).encode())
        rows, columns = (matrix.row + 1).tolist(), (matrix.col + 1).tolist()
        if field == "pattern":
            lines = (f"{i} {j}\n" for i, j in zip(rows, columns))
        else:
            lines = (f"{i} {j} {v!r}\n" for i, j, v in zip(rows, columns, matrix.data.tolist()))
        out.write("".join(lines).encode())


class Reader:
    """The bench_read program: one process for all samples."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer or answer[0] == "error":
            raise RuntimeError(" ".join(answer))
        return answer

    def read(self, threads, path):
        seconds, _cpu, rows, cols, nnz = self.ask(threads, path)
        return float(seconds), (int(rows), int(cols), int(nnz))


def mmread(threads, path):
    fast_matrix_market.PARALLELISM = threads
    start = time.perf_counter()
    matrix = scipy.io.mmread(path)
    return time.perf_counter() - start, matrix


def measure(reader, path, repeats):
    nzb = path[: -len(".mtx")] + ".nzb"
    reader.ask("write", max(THREADS), path, nzb)
    kinds = ("mtx", "nzb", "scipy")
    samples = {f"{kind}_{t}": [] for kind in kinds for t in THREADS}
    expected = None
    for _ in range(repeats):
        for t in THREADS:
            seconds, shape = reader.read(t, path)
            samples[f"mtx_{t}"].append(seconds)
            seconds, binary_shape = reader.read(t, nzb)
            samples[f"nzb_{t}"].append(seconds)
            seconds, matrix = mmread(t, path)
            samples[f"scipy_{t}"].append(seconds)
            if expected is None:
                expected = (*matrix.shape, matrix.tocsr().nnz)
            if not shape == binary_shape == expected:
                raise RuntimeError(f"{path}: {shape} and {binary_shape}, but SciPy has {expected}")
    best = {key: min(values) for key, values in samples.items()}
    result = {
        "file_bytes": os.path.getsize(path),
        "rows": expected[0],
        "cols": expected[1],
        "nnz": expected[2],
        "samples_s": samples,
        "best_s": best,
        "speed_up_two_threads": best["mtx_1"] / best["mtx_2"],
    }
    for t in THREADS:
        result[f"over_scipy_{t}"] = best[f"scipy_{t}"] / best[f"mtx_{t}"]
        result[f"nzb_over_text_{t}"] = best[f"mtx_{t}"] / best[f"nzb_{t}"]
        result[f"bytes_per_s_{t}"] = result["file_bytes"] / best[f"mtx_{t}"]
    return result


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the bench_read program")
    parser.add_argument("-o", "--output", help="write the record here")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()

    reader = Reader(options.program)
    record = {
        "schema": "nonzero-read-speed-1",
        "commit": git("rev-parse", "HEAD"),
        "dirty": bool(git("status", "--porcelain", "--untracked-files=no")),
        "machine": {"architecture": platform.machine(), "cores": os.cpu_count()},
        "versions": {"scipy": scipy.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "results": {},
    }
    cases = (("general", general, "real", "general"), ("symmetric", symmetric, "real", "symmetric"),
             ("pattern", pattern, "pattern", "general"))
    print("file        MB   nonzeros | MB/s 1, 2 threads   1 to 2 | over mmread 1, 2 | nzb over text 1, 2")
    with tempfile.TemporaryDirectory() as folder:
        for name, make, field, symmetry in cases:
            path = os.path.join(folder, name + ".mtx")
            write(path, make(np.random.default_rng(1)), field, symmetry)
            r = record["results"][name] = measure(reader, path, options.repeats)
            print(f"{name:9} {r['file_bytes'] / 1e6:4.0f} {r['nnz']:10,} | {r['bytes_per_s_1'] / 1e6:6.0f} "
                  f"{r['bytes_per_s_2'] / 1e6:6.0f} {r['speed_up_two_threads']:13.2f} | {r['over_scipy_1']:6.2f} "
                  f"{r['over_scipy_2']:6.2f}    | {r['nzb_over_text_1']:6.1f} {r['nzb_over_text_2']:6.1f}", flush=True)
    if options.output:
        with open(options.output, "w") as out:
            json.dump(record, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main()
