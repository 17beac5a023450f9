"""Host time of small products beside SciPy's, in one run: the shortest of many short samples, in µs.

    python scripts/python_overhead.py [--json FILE]
"""

import argparse
import json
import platform
import timeit

import numpy as np
import scipy
import scipy.sparse as sp

import nonzero as nz


def shortest(function, number=100, repeat=60):
    return min(timeit.repeat(function, number=number, repeat=repeat)) / number * 1e6


def cases(A, M, x, y, X):
    return {
        "nonzero A @ x": lambda: A @ x,
        "nonzero A.T @ x": lambda: A.T @ x,
        "nonzero A.multiply(x, y)": lambda: A.multiply(x, y),
        "scipy A @ x": lambda: M @ x,
        "scipy A.T @ x": lambda: M.T @ x,
        "nonzero A @ X, 8 vectors": lambda: A @ X,
        "scipy A @ X, 8 vectors": lambda: M @ X,
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rng, rows = np.random.default_rng(1), []
    for n, per_row in ((10, 2), (1000, 5), (4000, 5), (10_000, 5), (100_000, 5), (100_000, 50)):
        M = sp.random_array((n, n), density=per_row / n, format="csr", rng=rng)
        A, x, y = nz.plan(M, op="both"), rng.standard_normal(n), np.empty(n)
        X = rng.standard_normal((n, 8))
        row = {"rows": n, "nnz": M.nnz, "kernel": A.kernel}
        for name, function in cases(A, M, x, y, X).items():
            row[name] = round(shortest(function, number=max(2, min(200, 10**6 // M.nnz))), 2)
        rows.append(row)
        print(row)
    if arguments.json:
        versions = {"nonzero": nz.__version__, "scipy": scipy.__version__, "numpy": np.__version__, "python": platform.python_version()}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"versions": versions, "threads": nz.threads(), "microseconds": rows}, file, indent=1)


if __name__ == "__main__":
    main()
