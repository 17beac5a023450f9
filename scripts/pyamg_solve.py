#!/usr/bin/env python3
"""pyamg_solve.py MATRIX.mtx cg|bicgstab sa|rs|blackbox LIMIT: solves A x = ones with PyAMG to 1e-8.

Writes what came of it as JSON, as eigen_solve does. `sa` is smoothed aggregation and `rs` Ruge and Stueben's
multigrid, both with PyAMG's own settings; `blackbox` lets PyAMG look at the matrix and choose. Each is the
preconditioner of the method that is named. A matrix whose first diagonal entry is negative is negated.
One thread: PyAMG's sweeps and SciPy's products have no more, and the libraries under NumPy are told so.
`--versions` names what it runs with.
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before NumPy is imported

import json
import sys
import time
import warnings

import numpy as np
import pyamg
import scipy
import scipy.io
import scipy.sparse as sp


def levels_of(kind, a, method):
    if kind == "sa":  # it takes a matrix for symmetric unless it is told
        return pyamg.smoothed_aggregation_solver(a, symmetry="symmetric" if method == "cg" else "nonsymmetric")
    if kind == "rs":
        return pyamg.ruge_stuben_solver(a)
    return pyamg.blackbox.solver(a, pyamg.blackbox.solver_configuration(a, verb=False))


def solve(a, kind, method, limit):
    b = np.ones(a.shape[0])
    np.random.seed(0)  # it estimates eigenvalues from drawn vectors: every round does the same work
    begin = time.perf_counter()
    levels = levels_of(kind, a, method)
    made = time.perf_counter() - begin
    steps = []
    begin = time.perf_counter()
    x, info = levels.solve(b, tol=1e-8, maxiter=limit, accel=method, return_info=True,
                           callback=lambda _: steps.append(1))
    seconds = time.perf_counter() - begin
    truth = float(np.linalg.norm(b - a @ x) / np.linalg.norm(b))
    reason = "converged" if info == 0 else "breakdown" if info < 0 else "iteration limit"
    return {"converged": info == 0, "reason": reason, "iterations": len(steps), "seconds": seconds,
            "preconditioner_seconds": made, "true_residual": truth if np.isfinite(truth) else None,
            "levels": len(levels.levels), "operator_complexity": levels.operator_complexity()}


def main():
    if sys.argv[1:] == ["--versions"]:
        print(json.dumps({"pyamg": pyamg.__version__, "scipy": scipy.__version__, "numpy": np.__version__,
                          "python": sys.version.split()[0], "threads": 1}))
        return
    matrix, method, kind, limit = sys.argv[1:]
    warnings.simplefilter("ignore")  # advice on formats; what fails is in the record
    a = sp.csr_matrix(scipy.io.mmread(matrix)).astype(float)
    a.sort_indices()
    # PyAMG's C++ prints remarks: standard output is kept for the record alone.
    record = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        case = solve(-a if a[0, 0] < 0 else a, kind, method, int(limit))
    except Exception as error:  # a matrix for which it makes no levels
        case = {"converged": False, "reason": f"{type(error).__name__}: {error}"}
    print(json.dumps({"preconditioner": kind, **case}), file=record, flush=True)


if __name__ == "__main__":
    main()
