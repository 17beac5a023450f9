"""Matrices of other libraries become the three arrays of CSR, without a copy where their types fit."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from ._arrays import current_at, device_of, library, resolved, wait_for
from ._checks import cast_hint, count

VALUES = ("float32", "float64")
COMPLEX = ("complex64", "complex128")


@dataclass
class Arrays:
    """CSR arrays; `flipped`: of the transpose, as CSC has them. Rows and columns are those of the arrays."""

    rows: int
    cols: int
    data: Any
    indices: Any
    indptr: Any
    flipped: bool = False
    # Plans of the library for solvers, which take no transposes and no conjugates, by what was turned and
    # conjugated: made when one asks, and gone with the values. All views of a plan have these arrays.
    upright: dict[tuple[bool, bool], Any] = field(default_factory=dict)

    @property
    def first(self) -> int:
        return int(self.indptr[0])

    @property
    def last(self) -> int:
        return int(self.indptr[-1])

    @property
    def device(self) -> str | None:
        return device_of(self.data)

    def view(self) -> dict[str, Any]:
        """What the functions of _core that take a matrix are called with.

        Waits for the work that makes arrays on a GPU.
        """
        for array in (self.data, self.indices, self.indptr):
            wait_for(array)
        return {
            "rows": self.rows, "cols": self.cols, "data": self.data, "indices": self.indices,
            "indptr": self.indptr, "first": self.first, "last": self.last,
        }  # fmt: skip


def type_name(array: Any) -> str:
    """ "float64" for NumPy's types and for PyTorch's torch.float64 alike."""
    return str(array.dtype).rpartition(".")[2]


def arrays_of(matrix: Any, *, copy: bool = False, complex_too: bool = False) -> Arrays:
    """Looks at what `matrix` is. TypeError says what to do where it cannot be taken."""
    if sp.issparse(matrix) or hasattr(matrix, "layout"):  # before anything is converted
        _check_dtype(matrix, complex_too)
    if sp.issparse(matrix):
        found = _from_scipy(matrix)
    elif isinstance(matrix, tuple):
        found = _from_tuple(matrix)
    elif library(matrix) in ("cupyx", "cupy") and hasattr(matrix, "format"):
        with current_at(matrix.data):
            found = _from_scipy(matrix)
    elif library(matrix) == "torch":
        found = _from_torch(matrix)
    else:
        raise TypeError(
            f"a sparse matrix of SciPy, CuPy or PyTorch or ((data, indices, indptr), shape) is needed, "
            f"not {type(matrix).__name__}{_instead_of(matrix)}"
        )
    found.data = resolved(found.data)
    _check_dtype(found.data, complex_too)
    _check_types(found)
    with current_at(found.data):
        if copy:
            found.data, found.indices, found.indptr = (
                a.clone() if library(a) == "torch" else a.copy() for a in (found.data, found.indices, found.indptr)
            )
        found.indices = _columns(found)
    return found


def _instead_of(matrix: Any) -> str:
    """What makes a matrix of something that is none."""
    if isinstance(matrix, (str, os.PathLike)):
        return ": nonzero.read(...) reads one from a file"
    if isinstance(matrix, LinearOperator):
        return ", whose entries cannot be seen"
    if hasattr(matrix, "shape") or isinstance(matrix, list):
        return ": scipy.sparse.csr_array(...) makes one of a dense array"
    return ""


def _from_scipy(matrix: Any) -> Arrays:
    """CuPy's matrices have the same names."""
    if len(matrix.shape) != 2:
        raise TypeError(f"a matrix is needed, not a sparse array of {len(matrix.shape)} dimensions")
    if matrix.format == "csc":
        cols, rows = matrix.shape
        return Arrays(rows, cols, matrix.data, matrix.indices, matrix.indptr, flipped=True)
    if matrix.format != "csr":
        matrix = matrix.tocsr()
    rows, cols = matrix.shape
    return Arrays(rows, cols, matrix.data, matrix.indices, matrix.indptr)


def _from_tuple(matrix: tuple[Any, ...]) -> Arrays:
    try:
        (data, indices, indptr), (rows, cols) = matrix
    except (TypeError, ValueError):
        raise TypeError("a tuple must be ((data, indices, indptr), (rows, columns))") from None
    for name, array in (("data", data), ("indices", indices), ("indptr", indptr)):
        if not hasattr(array, "dtype") or not hasattr(array, "shape"):
            raise TypeError(f"{name} must be an array, not {type(array).__name__}")
        if len(array.shape) != 1:
            raise ValueError(f"{name} has {len(array.shape)} dimensions; a vector is needed")
    rows, cols = count("the number of rows", rows), count("the number of columns", cols)
    if len(indptr) != rows + 1:
        raise ValueError(f"indptr has {len(indptr)} elements, but {rows + 1} are needed, one more than rows")
    return Arrays(rows, cols, data, indices, indptr)


def _from_torch(tensor: Any) -> Arrays:
    import torch

    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce().to_sparse_csr()
    if tensor.layout == torch.sparse_csc and tensor.ndim == 2:
        cols, rows = tensor.shape
        return Arrays(rows, cols, tensor.values().detach(), tensor.row_indices(), tensor.ccol_indices(), flipped=True)
    if tensor.layout != torch.sparse_csr or tensor.ndim != 2:
        raise TypeError(f"a sparse CSR, CSC or COO tensor is needed, not {tensor.layout}: tensor.to_sparse_csr()")
    rows, cols = tensor.shape
    return Arrays(rows, cols, tensor.values().detach(), tensor.col_indices(), tensor.crow_indices())


def _check_dtype(matrix: Any, complex_too: bool) -> None:
    name = type_name(matrix)
    if name in VALUES or (complex_too and name in COMPLEX):
        return
    if name in COMPLEX:
        raise TypeError(
            f"values are {name}, but float32 or float64 is needed: only plans and some solvers take complex numbers"
        )
    if complex_too and name.startswith("complex"):
        raise TypeError(f"values are {name}, but complex64 or complex128 is needed{cast_hint('matrix', matrix, 'complex128')}")
    raise TypeError(f"values are {name}, but float32 or float64 is needed{cast_hint('matrix', matrix, 'float64')}")


def _check_types(a: Arrays) -> None:
    for name, array in (("indices", a.indices), ("indptr", a.indptr)):
        if type_name(array) not in ("int32", "int64"):
            raise TypeError(f'{name} is {type_name(array)}, but int32 or int64 is needed: {name}.astype("int32")')


def _columns(a: Arrays) -> Any:
    """The library counts columns in 32 bits: wider ones are copied, and looked at before they are cut."""
    if max(a.rows, a.cols) > np.iinfo(np.int32).max:
        raise ValueError(f"{a.rows} x {a.cols}: more than 2147483647 rows or columns")
    if min(a.rows, a.cols) < 0:
        raise ValueError(f"{a.rows} x {a.cols} is no shape")
    if type_name(a.indices) == "int32":
        return a.indices
    if len(a.indices) and not 0 <= int(a.indices.min()) <= int(a.indices.max()) < a.cols:
        raise ValueError(f"indices has a column that is not from 0 to {a.cols - 1}")
    if library(a.indices) == "torch":
        import torch

        return a.indices.to(torch.int32)
    return a.indices.astype(np.int32)
