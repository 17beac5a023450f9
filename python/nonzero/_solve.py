"""Iterative solvers, with SciPy's names for arguments. They run where the plan runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._arrays import empty_like, library, like, made_on, resolved, stream_handle, to_host, wait_for
from ._checks import count, flag, real, require_array, require_function, vector_of, whole
from ._make import make_core, plan
from ._matrix import type_name
from ._plan import Plan
from ._preconditioners import Preconditioner, inverse_for, rows_of

Callback = Callable[[int, float], object]
TRANSPOSING = ("bicg", "qmr", "lsqr")
COMPLEX = ("cg", "bicgstab", "gmres")


@dataclass
class Solution:
    """What a solver found. `x, info = nz.cg(A, b)` works, too: info is 0 where it converged, as in SciPy."""

    x: Any = field(repr=False)  # of the kind of b
    ok: bool  # x is what was asked for
    reason: str  # "converged", "iteration limit", "stagnated", "not symmetric", ...
    iterations: int
    # The last one of the history: of systems that converged or stagnated it is computed from x, otherwise it is the one
    # that the method carries along.
    residual: float
    # One residual an iteration, the initial one first.
    history: np.ndarray[Any, np.dtype[np.float64]] = field(repr=False)
    message: str
    seconds: float  # of the iterations alone
    value: float | None = None  # the eigenvalue, where one was asked for
    # Several eigenvalues, and the residual of each.
    values: np.ndarray[Any, np.dtype[np.float64]] | None = None
    residuals: np.ndarray[Any, np.dtype[np.float64]] | None = field(default=None, repr=False)

    def __iter__(self) -> Iterator[Any]:
        yield self.x
        yield 0 if self.ok else self.iterations if self.reason == "iteration limit" else -1


def _ready(A: Any, method: str) -> tuple[Plan, Any]:
    """A plan, and the library's own with the rows of the matrix as its rows: solvers take no transposes."""
    if not isinstance(A, Plan):
        A = plan(A, op="both" if method in TRANSPOSING else "N")
    if A.dtype.kind == "c" and method not in COMPLEX:
        raise TypeError(f"{method} is of real numbers, and the matrix of {A.dtype}: cg, bicgstab and gmres take it")
    # A symmetric matrix is its transpose, and where CG is given another, it says so.
    if not A._flip and not A._conjugated or A.dtype.kind != "c" and method in ("cg", "largest_eigenvalue", "lobpcg"):
        return A, A._core
    kept, which = A._arrays.upright, (A._turned, A._conjugated)
    if which not in kept:
        facts = A._core.facts()
        kept[which] = make_core(
            rows_of(A._arrays, A._turned, A._conjugated), device=facts["device"], op="both", vectors=1, by_columns=False,
            effort="balanced", memory_limit=0, deterministic=False, store_transpose=None, threads=facts["threads"], kernel="", parameters={}, store_values_as="exact",
        )  # fmt: skip
    return A, kept[which]


def _walkable(A: Any, method: str) -> Plan:
    made = A if isinstance(A, Plan) else plan(A, op="T")
    if made.dtype.kind == "c":
        raise TypeError(f"{method} is of real numbers, and the matrix of {made.dtype}")
    return made


def _norm(v: Any) -> float:
    if library(v) == "numpy":
        return float(np.linalg.norm(v))
    squares = (v * v.conj()).real if "complex" in type_name(v) else v * v
    return float(float(squares.sum()) ** 0.5)


def _start(A: Plan, b: Any, x0: Any) -> Any:
    """A vector of the kind of b with the values of x0, or zeros."""
    n = A.shape[1]
    if x0 is not None and np.shape(x0) not in ((n,), (1,), ()):
        raise ValueError(f"x0 has the shape {tuple(np.shape(x0))}, but ({n},) is needed")
    x = empty_like(b, n, A.dtype)
    x[:] = 0 if x0 is None else x0 if np.isscalar(x0) else like(resolved(x0), b)
    return x


def _solution(found: dict[str, Any], x: Any) -> Solution:
    told = dict(found)
    for name in ("history", "values", "residuals"):
        if name in told:
            told[name] = np.array(told[name])
    return Solution(x=x, **told)


def _limit(maxiter: int | None, default: int) -> int:
    if maxiter is None:
        return min(default, 2**31 - 1)
    number = count("maxiter", maxiter)
    if number < 0:
        raise ValueError(f"maxiter is {number}, but must not be negative")
    return min(number, 2**31 - 1)


def _common(rtol: Any, callback: Any, check_every: Any = 0, check_symmetry: Any = True) -> None:
    """What all of them take: errors say what is wrong before anything is made."""
    real("rtol", rtol)
    require_function("callback", callback)
    whole("check_every", check_every)
    flag("check_symmetry", check_symmetry)


def _solve(
    method: str, A: Any, b: Any, x0: Any, rtol: float, atol: float, maxiter: int | None, M: Any,
    preconditioner: str | Preconditioner | None, callback: Callback | None, restart: int = 30, check_symmetry: bool = True,
    check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    _common(rtol, callback, check_every, check_symmetry)
    restart, atol = whole("restart", restart), real("atol", atol)
    A, core = _ready(A, method)
    b = vector_of("b", b, A.dtype)
    require_array("b", b)
    with made_on(stream, b):
        b = resolved(b)
        norm, x = _norm(b) if atol else 0.0, _start(A, b, x0)
    inverse = inverse_for(A, M, preconditioner)
    with_inverse = dict[str, Any]()  # complex systems know none
    if A.dtype.kind != "c":
        with_inverse["preconditioner"] = inverse
    found = _core.solve(
        core, method, b=b, x=x, tolerance=max(rtol, atol / norm) if norm else rtol,
        max_iterations=_limit(maxiter, 10 * A.shape[1]), callback=callback, check_every=check_every, restart=restart,
        check_symmetry=bool(check_symmetry), stream=stream_handle(stream, b),
        **with_inverse,
    )  # fmt: skip
    return _solution(found, x)


def cg(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None,
    M: Any = None, callback: Callback | None = None, preconditioner: str | Preconditioner | None = None,
    check_symmetry: bool = True, check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """Solves A x = b by conjugate gradients; A is symmetric, or of complex numbers Hermitian, and positive definite.

    Ends when |b - A x| is at most max(rtol |b|, atol), after `maxiter` iterations (10 times the columns if
    None), or when `callback(iteration, residual)` returns False. A is a plan, or anything that `plan` takes.
    b - A x is computed before that is believed; where rounding keeps it larger, `reason` is "stagnated".
    `M` comes from `jacobi`, `block_jacobi`, `fsai`, `chebyshev`, `spai`, `incomplete_cholesky` or `incomplete_lu`,
    or is a sparse matrix or a plan that is near the inverse, as in SciPy. `preconditioner` makes it here: "jacobi",
    "block_jacobi:3", "fsai", "fsai:2", "chebyshev:8", "spai0", "spai1", "ic0", "ilu0".

    >>> import numpy as np, nonzero as nz
    >>> A = nz.plan(nz.generate("grid:points=5,nx=20,ny=20"))
    >>> found = nz.cg(A, np.ones(400), rtol=1e-10, preconditioner="jacobi")
    >>> found.ok, bool(np.allclose(A @ found.x, 1))
    (True, True)
    """
    return _solve("cg", A, b, x0, rtol, atol, maxiter, M, preconditioner, callback,
                  check_symmetry=check_symmetry, check_every=check_every, stream=stream)  # fmt: skip


def bicg(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None,
    M: Any = None, callback: Callback | None = None, preconditioner: str | Preconditioner | None = None,
    check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """Solves A x = b for any square A by its products and transposed products. Arguments as in `cg`."""
    return _solve("bicg", A, b, x0, rtol, atol, maxiter, M, preconditioner, callback,
                  check_every=check_every, stream=stream)  # fmt: skip


def bicgstab(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None,
    M: Any = None, callback: Callback | None = None, preconditioner: str | Preconditioner | None = None,
    check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """Solves A x = b for any square A by two products an iteration. Arguments as in `cg`."""
    return _solve("bicgstab", A, b, x0, rtol, atol, maxiter, M, preconditioner, callback,
                  check_every=check_every, stream=stream)  # fmt: skip


def qmr(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None,
    M: Any = None, callback: Callback | None = None, preconditioner: str | Preconditioner | None = None,
    check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """Solves A x = b for any square A, smoother than `bicg`. Arguments as in `cg`; SciPy's M1 and M2 do not exist."""
    return _solve("qmr", A, b, x0, rtol, atol, maxiter, M, preconditioner, callback,
                  check_every=check_every, stream=stream)  # fmt: skip


def gmres(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, restart: int = 30,
    maxiter: int | None = None, M: Any = None, callback: Callback | None = None,
    preconditioner: str | Preconditioner | None = None, check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """Solves A x = b for any square A; keeps `restart` vectors. `maxiter` counts inner iterations."""
    return _solve("gmres", A, b, x0, rtol, atol, maxiter, M, preconditioner, callback,
                  restart=restart, check_every=check_every, stream=stream)  # fmt: skip


def lsqr(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-6, maxiter: int | None = None,
    callback: Callback | None = None, check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """The x with the smallest |b - A x|, for A of any shape."""
    return _solve("lsqr", A, b, x0, rtol, 0.0, maxiter, None, None, callback,
                  check_every=check_every, stream=stream)  # fmt: skip


def pagerank(
    A: Any, *, damping: float = 0.85, personalisation: Any = None, rtol: float = 1e-10, maxiter: int = 1000,
    callback: Callback | None = None, check_every: int = 0, out: Any = None,
) -> Solution:  # fmt: skip
    """PageRank of a graph with an edge, or a weight, from row to column; `x` adds up to 1.

    `x` is `out` where it is given, such as a vector on the plan's GPU, otherwise a new array of NumPy's.

    >>> import scipy.sparse as sp, nonzero as nz
    >>> nz.pagerank(sp.csr_array([[0.0, 1.0], [1.0, 0.0]])).x
    array([0.5, 0.5])
    """
    _common(rtol, callback, check_every)
    A, damping = _walkable(A, "pagerank"), real("damping", damping)
    x = np.empty(A.shape[0], A.dtype) if out is None else out
    if personalisation is not None:
        given = resolved(vector_of("personalisation", personalisation, A.dtype))
        personalisation = np.ascontiguousarray(to_host(given), A.dtype)
    wait_for(x)
    found = _core.pagerank(
        A._core, x=x, damping=damping, personalisation=personalisation, tolerance=rtol,
        max_iterations=_limit(maxiter, 0), callback=callback, check_every=check_every, transposed=A._flip,
    )  # fmt: skip
    return _solution(found, x)


def stationary(
    A: Any, *, laziness: float = 0.0, rtol: float = 1e-10, maxiter: int = 1000, callback: Callback | None = None,
    check_every: int = 0, out: Any = None,
) -> Solution:  # fmt: skip
    """The stationary distribution x = x A of a Markov chain whose rows add up to 1. `out` as in `pagerank`."""
    _common(rtol, callback, check_every)
    A, laziness = _walkable(A, "stationary"), real("laziness", laziness)
    x = np.empty(A.shape[0], A.dtype) if out is None else out
    wait_for(x)
    found = _core.stationary(
        A._core, x=x, laziness=laziness, tolerance=rtol, max_iterations=_limit(maxiter, 0), callback=callback,
        check_every=check_every, transposed=A._flip,
    )  # fmt: skip
    return _solution(found, x)


def largest_eigenvalue(
    A: Any, *, rtol: float = 1e-8, maxiter: int = 1000, callback: Callback | None = None, check_every: int = 0,
    check_symmetry: bool = True,
) -> Solution:  # fmt: skip
    """The largest eigenvalue of a symmetric matrix, in `value`; there is no `x`.

    >>> import scipy.sparse as sp, nonzero as nz
    >>> round(nz.largest_eigenvalue(sp.diags_array([1.0, 2.0, 5.0], format="csr")).value, 6)
    5.0
    """
    _common(rtol, callback, check_every, check_symmetry)
    A, core = _ready(A, "largest_eigenvalue")
    found = _core.largest_eigenvalue(
        core, tolerance=rtol, max_iterations=_limit(maxiter, 0), callback=callback, check_every=check_every,
        check_symmetry=bool(check_symmetry),
    )  # fmt: skip
    return _solution(found, None)


def lobpcg(
    A: Any, k: int = 1, x0: Any = None, *, largest: bool = False, rtol: float = 1e-8, maxiter: int = 1000, M: Any = None,
    preconditioner: str | Preconditioner | None = None, guard: int = 0, callback: Callback | None = None,
    check_symmetry: bool = True,
) -> Solution:  # fmt: skip
    """The k smallest eigenvalues of a symmetric matrix, or its largest, in `values`; the columns of `x` are their vectors.

    Ends when every |A v - value v| / |A| is at most `rtol`. `x0` has k columns to begin with. `guard` columns more than asked for
    help where the last ones have close neighbours. `M` and `preconditioner` are as in `cg`, and symmetric.

    >>> import scipy.sparse as sp, nonzero as nz
    >>> nz.lobpcg(sp.diags_array([4.0, 3.0, 2.0, 9.0], format="csr"), 2).values.round(6)
    array([2., 3.])
    """
    _common(rtol, callback, check_symmetry=check_symmetry)
    k, guard, largest = whole("k", k), whole("guard", guard), flag("largest", largest)
    A, core = _ready(A, "lobpcg")
    n = A.shape[0]
    if not 1 <= k <= n:
        raise ValueError(f"k is {k}, but 1 to {n} is needed, the size of the matrix")
    x = np.empty((n, k), A.dtype, order="F")
    if x0 is not None:
        if np.shape(x0) != (n, k):
            raise ValueError(f"x0 has the shape {np.shape(x0)}, but {(n, k)} is needed")
        x[:] = to_host(resolved(x0))
    found = _core.lobpcg(
        core, x=x, tolerance=rtol, max_iterations=_limit(maxiter, 0), preconditioner=inverse_for(A, M, preconditioner),
        callback=callback, largest=largest, guard=guard, from_x=x0 is not None, check_symmetry=bool(check_symmetry),
    )  # fmt: skip
    return _solution(found, x)
