"""Approximate inverses for the solvers, by name or as objects with parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import to_host
from ._checks import real, text, whole
from ._make import plan
from ._matrix import COMPLEX, Arrays, arrays_of, type_name
from ._plan import Plan

NAMES = "jacobi, block_jacobi:N, fsai, fsai:POWER, chebyshev, chebyshev:DEGREE, spai0, spai1, ic0 or ilu0"


class Preconditioner:
    """An approximate inverse.

    `jacobi`, `block_jacobi`, `fsai`, `chebyshev`, `spai`, `incomplete_cholesky` and `incomplete_lu` make it of a matrix or
    a plan; solvers take it as `M` or `preconditioner`, with plans on the same device.
    """

    def __init__(self, core: Any, name: str, device: str) -> None:
        self._core, self._name, self.device = core, name, device

    def __repr__(self) -> str:
        return f"<Preconditioner {self._name} on {self.device}>"


def jacobi(A: Any, *, device: str | None = None) -> Preconditioner:
    """The inverse of the diagonal of a matrix or a plan, on the plan's device unless another is given."""
    arrays, kind, device = _source(A, device)
    return Preconditioner(kind.jacobi(**arrays.view(), block=1, device=device), "jacobi", device)


def block_jacobi(A: Any, block: int, *, device: str | None = None) -> Preconditioner:
    """The inverses of square blocks along the diagonal."""
    if whole("block", block) < 1:
        raise ValueError(f"block is {block}, but at least 1 is needed")
    arrays, kind, device = _source(A, device)
    return Preconditioner(kind.jacobi(**arrays.view(), block=block, device=device), f"block_jacobi of {block}", device)


def fsai(
    A: Any, *, power: int = 1, drop: float = 0.0, row_limit: int = 200, device: str | None = None
) -> Preconditioner:
    """Factored sparse approximate inverse of a symmetric positive definite matrix: two products an application.

    power      the factor has the places of the lower triangle of A to this power, 1 to 4
    drop       entries with |a_ij| below `drop` times the root of a_ii a_jj make no places
    row_limit  the most places of a row, 1 to 1000

    >>> import numpy as np, nonzero as nz
    >>> A = nz.plan(nz.generate("grid:points=5,nx=20,ny=20"))
    >>> plain, short = nz.cg(A, np.ones(400)), nz.cg(A, np.ones(400), M=nz.fsai(A, power=2))
    >>> short.ok, short.iterations < plain.iterations
    (True, True)
    """
    power, drop, row_limit = whole("power", power), real("drop", drop), whole("row_limit", row_limit)
    arrays, kind, device = _source(A, device)
    made = kind.fsai(**arrays.view(), power=power, drop=drop, row_limit=row_limit, device=device)
    return Preconditioner(made, f"fsai of power {power}", device)


def chebyshev(
    A: Any, *, degree: int = 4, lower: float = 0.0, upper: float = 0.0, device: str | None = None
) -> Preconditioner:
    """A polynomial of a symmetric positive definite matrix: `degree` products an application, 1 to 100.

    `lower` and `upper` bound the eigenvalues of A divided by its diagonal that it damps; 0: found by Lanczos. It multiplies
    by A where that is a plan, and otherwise by a plan that it makes. After `A.update_values` make it again.
    """
    degree, lower, upper = whole("degree", degree), real("lower", lower), real("upper", upper)
    if isinstance(A, Plan) and device not in (None, A.device):
        raise ValueError(f"the plan is on {A.device}, which is where its polynomial is, not on {device}")
    by = A if isinstance(A, Plan) else plan(A, device=device)
    arrays, kind, device = _source(by, None)
    made = kind.chebyshev(by._core, **arrays.view(), degree=degree, lower=lower, upper=upper)
    return Preconditioner(made, f"chebyshev of degree {degree}", device)


def spai(A: Any, level: int = 1, *, device: str | None = None) -> Preconditioner:
    """Sparse approximate inverse of any square matrix, by least squares.

    `level` 0: a diagonal; 1: with the places of A, which is not symmetric and so not for `cg`.
    """
    level = whole("level", level)
    arrays, kind, device = _source(A, device)
    return Preconditioner(kind.spai(**arrays.view(), level=level, device=device), f"spai of level {level}", device)


def incomplete_cholesky(A: Any) -> Preconditioner:
    """IC(0), incomplete Cholesky factors of a symmetric positive definite matrix. On the CPU alone, and serial."""
    arrays, kind, _ = _source(_on_cpu(A, "incomplete_cholesky", "fsai and chebyshev run"), "cpu")
    return Preconditioner(kind.incomplete_cholesky(**arrays.view()), "incomplete_cholesky", "cpu")


def incomplete_lu(A: Any) -> Preconditioner:
    """ILU(0), incomplete LU factors of a square matrix. On the CPU alone, and serial."""
    arrays, kind, _ = _source(_on_cpu(A, "incomplete_lu", "spai runs"), "cpu")
    return Preconditioner(kind.incomplete_lu(**arrays.view()), "incomplete_lu", "cpu")


def _on_cpu(A: Any, name: str, instead: str) -> Any:
    if isinstance(A, Plan) and A.device != "cpu":
        raise ValueError(f"{name} is for the CPU alone, and the plan is on {A.device}, where {instead}")
    return A


def _kind(dtype: str) -> Any:
    return _core.PreconditionerF32 if dtype == "float32" else _core.PreconditionerF64


def _source(A: Any, device: str | None) -> tuple[Arrays, Any, str]:
    """The rows of a matrix or a plan in host memory, the class of its type, and the device."""
    arrays = A._arrays if isinstance(A, Plan) else arrays_of(A)
    if type_name(arrays.data) in COMPLEX:
        raise TypeError("preconditioners are of real matrices: there is none of complex numbers")
    if device is not None:
        text("device", device)
    else:
        device = A.device if isinstance(A, Plan) else arrays.device or "cpu"
    arrays = rows_of(arrays, A._turned if isinstance(A, Plan) else False)
    return arrays, _kind(type_name(arrays.data)), device


def rows_of(arrays: Arrays, turned: bool, conjugated: bool = False) -> Arrays:
    """CSR in host memory of the matrix itself, of its transpose where it is `turned`, of their conjugates."""
    import scipy.sparse as sp

    data, indices, indptr = (to_host(a) for a in (arrays.data, arrays.indices, arrays.indptr))
    data = data.conj() if conjugated else data
    if arrays.flipped == turned:
        return Arrays(arrays.rows, arrays.cols, data, indices, indptr)
    turned_matrix = sp.csc_array((data, indices, indptr), shape=(arrays.cols, arrays.rows)).tocsr()
    return arrays_of(turned_matrix, complex_too=True)


def inverse_for(A: Plan, M: Any, preconditioner: Any) -> Any:
    """What `M` or `preconditioner` of a solver stands for, as the library has it; None for none."""
    if M is not None and preconditioner is not None:
        raise ValueError("M and preconditioner say the same: give one of them")
    M = preconditioner if M is None else M
    if M is None:
        return None
    if A.dtype.kind == "c":
        raise TypeError(f"there is no preconditioner for a matrix of {A.dtype}")
    if isinstance(M, str):
        return _named(A, M)._core
    if isinstance(M, Plan):
        M = _near(A, M)
    elif hasattr(M, "tocoo") and len(M.shape) == 2:
        M = _sparse(A, M)
    if not isinstance(M, Preconditioner):
        raise TypeError(
            "M is the name of a preconditioner, or comes from nonzero.jacobi, fsai, chebyshev, ..., or is a sparse matrix "
            "or a plan near the inverse; the solvers of scipy.sparse.linalg take plans, with any M"
        )
    if not isinstance(M._core, _kind(A.dtype.name)):
        raise TypeError(f"M was made of a matrix of other values than {A.dtype}")
    return M._core


def _named(A: Plan, text: str) -> Preconditioner:
    name, colon, digits = text.partition(":")
    if not colon or digits.isdecimal():
        number = int(digits) if colon else None
        if name in ("block", "block_jacobi") and number is not None:
            return block_jacobi(A, number)
        if name == "fsai":
            return fsai(A, power=1 if number is None else number)
        if name == "chebyshev":
            return chebyshev(A, degree=4 if number is None else number)
        makers = {
            "jacobi": jacobi, "spai0": lambda a: spai(a, 0), "spai1": spai, "ic0": incomplete_cholesky, "ilu0": incomplete_lu,
        }  # fmt: skip
        if name in makers and number is None:
            return makers[name](A)
    raise ValueError(f"preconditioner is {NAMES}, not {text!r}")


def _near(A: Plan, M: Plan) -> Preconditioner:
    """A plan of a matrix near the inverse."""
    if M.dtype != A.dtype:
        raise TypeError(f"M is a plan of {M.dtype}, but {A.dtype} is needed")
    return Preconditioner(_kind(M.dtype.name).of_plan(M._core, M._flip), "plan", M.device)


def _sparse(A: Plan, M: Any) -> Preconditioner:
    """M, an approximate inverse as in SciPy: a sparse matrix."""
    import scipy.sparse as sp

    if M.shape != A.shape:
        raise ValueError(f"M is {M.shape[0]} x {M.shape[1]}, but {A.shape[0]} x {A.shape[1]} is needed")
    entries = M.tocoo()
    if not bool((entries.row == entries.col).all()):
        return _near(A, plan(M.astype(A.dtype), device=A.device))
    values = to_host(M.diagonal()).astype(A.dtype)
    if not values.all():
        raise ValueError(f"M has a zero on its diagonal, in row {int(np.flatnonzero(values == 0)[0])}")
    return jacobi(sp.diags_array(1 / values, format="csr", dtype=A.dtype), device=A.device)
