"""A plug-in of pytest: SciPy's own products of CSR and CSC become nonzero's while its tests run.

SciPy looks up csr_matvec, csr_matvecs, csc_matvec and csc_matvecs in scipy.sparse._sparsetools at every
product. Here they are replaced by plans. Types that nonzero does not have go to SciPy's own functions. Run with

    pytest -p nonzero_scipy --pyargs scipy.sparse.linalg

NZ_PLANTED=1 makes row 0 of every product wrong by 0.1 %: tests must then fail. NZ_LEAST=N asks for at least N
replaced products; fewer fail the run.
"""

import os
from collections import Counter

import numpy as np
import scipy.sparse._sparsetools as tools

import nonzero as nz

PLANTED = os.environ.get("NZ_PLANTED") == "1"
REAL = (np.dtype(np.float32), np.dtype(np.float64))
counts = Counter()
originals = {name: getattr(tools, name) for name in ("csr_matvec", "csr_matvecs", "csc_matvec", "csc_matvecs")}


def fits(indptr, indices, data, x, y):
    """What a plan takes. SciPy's functions bring both factors to the type of y and add to it."""
    real = y.dtype in REAL and np.can_cast(data.dtype, y.dtype) and np.can_cast(x.dtype, y.dtype)
    whole = all(a.flags.c_contiguous for a in (indptr, indices, data, x, y))
    return real and whole and indptr.dtype == indices.dtype and not np.may_share_memory(x, y)


def product(plan, x, y):
    plan.multiply(x, y, alpha=1, beta=1)
    if PLANTED and len(y):
        y[0] *= 1.001  # of every vector


def replaced(name):
    by_columns, several = name.startswith("csc"), name.endswith("s")

    def function(rows, cols, *rest):
        vectors, (indptr, indices, data, x, y) = (rest[0], rest[1:]) if several else (1, rest)
        if not fits(indptr, indices, data, x, y):
            counts["passed on", "complex" if "c" in (data.dtype.kind, x.dtype.kind) else "other"] += 1
            return originals[name](rows, cols, *rest)
        data, x = data.astype(y.dtype, copy=False), x.astype(y.dtype, copy=False)
        shape = (cols, rows) if by_columns else (rows, cols)
        plan = nz.plan(((data, indices, indptr), shape), op="T" if by_columns else "N", vectors=max(1, vectors))
        plan = plan.T if by_columns else plan
        if not several:
            product(plan, x.reshape(-1), y.reshape(-1))
        else:
            product(plan, x.reshape(cols, vectors), y.reshape(rows, vectors))
        counts[name] += 1
        return None

    return function


def pytest_configure(config):
    for name in originals:
        setattr(tools, name, replaced(name))


def pytest_unconfigure(config):
    for name, function in originals.items():
        setattr(tools, name, function)


def pytest_terminal_summary(terminalreporter):
    done = sum(counts[name] for name in originals)
    parts = ", ".join(f"{name} {counts[name]}" for name in originals)
    on = ", ".join(f"{counts['passed on', kind]} of {kind} types" for kind in ("complex", "other"))
    terminalreporter.write_line(f"nonzero: {done} products replaced ({parts}); passed on: {on}")


def pytest_sessionfinish(session):
    least = int(os.environ.get("NZ_LEAST", "1"))
    done = sum(counts[name] for name in originals)
    if done < least:
        session.exitstatus = 1
        raise RuntimeError(f"{done} products were replaced, but at least {least} were expected")
