"""Iterative solvers, with SciPy's names for arguments. They run where the plan runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._arrays import empty_like, library, stream_handle, to_host
from ._make import make_core, plan
from ._matrix import Arrays, arrays_of, type_name
from ._plan import Plan

Callback = Callable[[int, float], object]
TRANSPOSING = ("bicg", "qmr", "lsqr")


@dataclass
class Solution:
    """What a solver found. `x, info = nz.cg(A, b)` works, too: info is 0 where it converged, as in SciPy."""

    x: Any = field(repr=False)  # of the kind of b
    ok: bool  # x is what was asked for
    reason: str  # "converged", "iteration limit", "not symmetric", ...
    iterations: int
    residual: float  # the last one of the history
    # One residual an iteration, the initial one first.
    history: np.ndarray[Any, np.dtype[np.float64]] = field(repr=False)
    message: str
    seconds: float  # of the iterations alone
    value: float | None = None  # the eigenvalue, where one was asked for

    def __iter__(self) -> Iterator[Any]:
        yield self.x
        yield 0 if self.ok else self.iterations if self.reason == "iteration limit" else -1


class Preconditioner:
    """An approximate inverse; `jacobi` and `block_jacobi` make it."""

    def __init__(self, core: Any, name: str) -> None:
        self._core, self._name = core, name

    def __repr__(self) -> str:
        return f"<Preconditioner {self._name}>"


def jacobi(A: Any, *, device: str | None = None) -> Preconditioner:
    """The inverse of the diagonal of a matrix or a plan."""
    return _blocks(A, 1, device)


def block_jacobi(A: Any, block: int, *, device: str | None = None) -> Preconditioner:
    """The inverses of square blocks along the diagonal."""
    if block < 1:
        raise ValueError(f"block is {block}, but at least 1 is needed")
    return _blocks(A, block, device)


def _blocks(A: Any, block: int, device: str | None) -> Preconditioner:
    turned = A._turned if isinstance(A, Plan) else False
    arrays = A._arrays if isinstance(A, Plan) else arrays_of(A)
    if device is None:
        device = A.device if isinstance(A, Plan) else arrays.device or "cpu"
    arrays = _rows(arrays, turned)
    kind = _core.PreconditionerF32 if type_name(arrays.data) == "float32" else _core.PreconditionerF64
    made = kind.make(**arrays.view(), block=block, device=device)
    return Preconditioner(made, "jacobi" if block == 1 else f"block_jacobi of {block}")


def _rows(arrays: Arrays, turned: bool) -> Arrays:
    """CSR in host memory of the matrix itself, or of its transpose where it is `turned`."""
    import scipy.sparse as sp

    data, indices, indptr = (to_host(a) for a in (arrays.data, arrays.indices, arrays.indptr))
    if arrays.flipped == turned:
        return Arrays(arrays.rows, arrays.cols, data, indices, indptr)
    turned_matrix = sp.csc_array((data, indices, indptr), shape=(arrays.cols, arrays.rows)).tocsr()
    return arrays_of(turned_matrix)


def _ready(A: Any, method: str) -> tuple[Plan, Any]:
    """A plan, and the library's own with the rows of the matrix as its rows: solvers take no transposes."""
    if not isinstance(A, Plan):
        A = plan(A, op="both" if method in TRANSPOSING else "N")
    # A symmetric matrix is its transpose, and where CG is given another, it says so.
    if not A._flip or method in ("cg", "largest_eigenvalue"):
        return A, A._core
    if A._upright is None:
        facts = A._core.facts()
        A._upright = make_core(
            _rows(A._arrays, A._turned), device=facts["device"], op="both", vectors=1, effort="balanced", memory_limit=0,
            deterministic=False, store_transpose=None, threads=facts["threads"], kernel="", parameters={}, store_values_as="exact",
        )  # fmt: skip
    return A, A._upright


def _norm(v: Any) -> float:
    return float(np.linalg.norm(v)) if library(v) == "numpy" else float((v * v).sum()) ** 0.5


def _start(A: Plan, b: Any, x0: Any) -> Any:
    """A vector of the kind of b with the values of x0, or zeros."""
    x = empty_like(b, A.shape[1], A.dtype)
    x[:] = 0 if x0 is None else x0
    return x


def _inverse(A: Plan, M: Any, name: str | None) -> Any:
    if M is not None and name is not None:
        raise ValueError("M and preconditioner say the same: give one of them")
    if isinstance(M, str):
        M, name = None, M
    if name is not None:
        kind, _, block = name.partition(":")
        if kind == "jacobi" and not block:
            return jacobi(A)._core
        if kind == "block_jacobi" and block.isdecimal():
            return block_jacobi(A, int(block))._core
        raise ValueError(f"preconditioner is 'jacobi' or 'block_jacobi:4', with the size of blocks, not {name!r}")
    if M is None:
        return None
    if hasattr(M, "diagonal") and hasattr(M, "tocoo") and len(M.shape) == 2:
        M = _diagonal(A, M)
    if not isinstance(M, Preconditioner):
        raise TypeError(
            "M comes from nonzero.jacobi or nonzero.block_jacobi, or is a diagonal sparse matrix; "
            "the solvers of scipy.sparse.linalg take plans, with any M"
        )
    wanted = _core.PreconditionerF32 if A.dtype == np.float32 else _core.PreconditionerF64
    if not isinstance(M._core, wanted):
        raise TypeError(f"M was made of a matrix of other values than {A.dtype}")
    return M._core


def _diagonal(A: Plan, M: Any) -> Preconditioner:
    """M, an approximate inverse as in SciPy, where it is a diagonal matrix."""
    import scipy.sparse as sp

    entries = M.tocoo()
    if M.shape != A.shape:
        raise ValueError(f"M is {M.shape[0]} x {M.shape[1]}, but {A.shape[0]} x {A.shape[1]} is needed")
    if not bool((entries.row == entries.col).all()):
        raise TypeError("M is a sparse matrix, but not a diagonal one; the solvers of scipy.sparse.linalg take plans, with any M")
    values = to_host(M.diagonal()).astype(A.dtype)
    if not values.all():
        raise ValueError(f"M has a zero on its diagonal, in row {int(np.flatnonzero(values == 0)[0])}")
    return jacobi(sp.diags_array(1 / values, format="csr", dtype=A.dtype), device=A.device)


def _solution(found: dict[str, Any], x: Any) -> Solution:
    return Solution(x=x, **{**found, "history": np.array(found["history"])})


def _limit(maxiter: int | None, default: int) -> int:
    if maxiter is None:
        return min(default, 2**31 - 1)
    if maxiter < 0:
        raise ValueError(f"maxiter is {maxiter}, but must not be negative")
    return int(maxiter)


def _solve(
    method: str, A: Any, b: Any, x0: Any, rtol: float, atol: float, maxiter: int | None, M: Any,
    preconditioner: str | None, callback: Callback | None, restart: int = 30, check_symmetry: bool = True,
    check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    A, core = _ready(A, method)
    if not hasattr(b, "shape"):
        b = np.asarray(b, A.dtype)
    norm = _norm(b) if atol else 0.0
    x = _start(A, b, x0)
    found = _core.solve(
        core, method, b=b, x=x, tolerance=max(rtol, atol / norm) if norm else rtol,
        max_iterations=_limit(maxiter, 10 * A.shape[1]), preconditioner=_inverse(A, M, preconditioner),
        callback=callback, check_every=check_every, restart=restart, check_symmetry=check_symmetry,
        stream=stream_handle(stream, b),
    )  # fmt: skip
    return _solution(found, x)


def cg(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None,
    M: Any = None, callback: Callback | None = None, preconditioner: str | None = None,
    check_symmetry: bool = True, check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """Solves A x = b by conjugate gradients; A is symmetric and positive definite.

    Ends when |b - A x| is at most max(rtol |b|, atol), after `maxiter` iterations (10 times the columns if
    None), or when `callback(iteration, residual)` returns False. A is a plan, or anything that `plan` takes.
    `M` comes from `jacobi` or `block_jacobi`, or is a diagonal sparse matrix, an approximate inverse as in
    SciPy; `preconditioner="jacobi"` makes it here.

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
    M: Any = None, callback: Callback | None = None, preconditioner: str | None = None,
    check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """Solves A x = b for any square A by its products and transposed products. Arguments as in `cg`."""
    return _solve("bicg", A, b, x0, rtol, atol, maxiter, M, preconditioner, callback,
                  check_every=check_every, stream=stream)  # fmt: skip


def bicgstab(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None,
    M: Any = None, callback: Callback | None = None, preconditioner: str | None = None,
    check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """Solves A x = b for any square A by two products an iteration. Arguments as in `cg`."""
    return _solve("bicgstab", A, b, x0, rtol, atol, maxiter, M, preconditioner, callback,
                  check_every=check_every, stream=stream)  # fmt: skip


def qmr(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None,
    M: Any = None, callback: Callback | None = None, preconditioner: str | None = None,
    check_every: int = 0, stream: Any = None,
) -> Solution:  # fmt: skip
    """Solves A x = b for any square A, smoother than `bicg`. Arguments as in `cg`; SciPy's M1 and M2 do not exist."""
    return _solve("qmr", A, b, x0, rtol, atol, maxiter, M, preconditioner, callback,
                  check_every=check_every, stream=stream)  # fmt: skip


def gmres(
    A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, restart: int = 30,
    maxiter: int | None = None, M: Any = None, callback: Callback | None = None,
    preconditioner: str | None = None, check_every: int = 0, stream: Any = None,
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
    A = A if isinstance(A, Plan) else plan(A, op="T")
    x = np.empty(A.shape[0], A.dtype) if out is None else out
    if personalisation is not None:
        personalisation = np.ascontiguousarray(personalisation, A.dtype)
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
    A = A if isinstance(A, Plan) else plan(A, op="T")
    x = np.empty(A.shape[0], A.dtype) if out is None else out
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
    A, core = _ready(A, "largest_eigenvalue")
    found = _core.largest_eigenvalue(
        core, tolerance=rtol, max_iterations=_limit(maxiter, 0), callback=callback, check_every=check_every,
        check_symmetry=check_symmetry,
    )  # fmt: skip
    return _solution(found, None)
