"""`plan_batch`: many small matrices, each multiplied by a vector of its own, at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._arrays import current_at, device_of, empty_like, library, made_on, resolved, stream_handle, wait_for
from ._checks import cast_hint, real, require_array, text, whole
from ._facts import Facts
from ._make import OPS
from ._matrix import VALUES, Arrays, arrays_of, type_name


class Batch(Facts):
    """Many small matrices that are multiplied at once; `nonzero.plan_batch` makes it. Threads may share it.

    The vectors of all matrices lie one behind the other: `x_offsets[i]` and `y_offsets[i]` say where those of matrix i
    begin. Where all matrices have one shape, an array with a row for each matrix is the same.
    """

    def __init__(self, core: Any, shapes: np.ndarray[Any, Any], dtype: str, flipped: bool, nnz: int | None) -> None:
        self._core, self._flip, self.dtype = core, flipped, np.dtype(dtype)
        self._nnz = nnz  # of each matrix, where all have one structure
        # Rows and columns of each matrix, and where the vectors of each begin and all end.
        self.shapes = shapes
        self.y_offsets, self.x_offsets = (np.concatenate(([0], np.cumsum(n, dtype=np.int64))) for n in shapes.T)
        self._alike = len(shapes) > 0 and bool((shapes == shapes[0]).all())

    def __len__(self) -> int:
        return len(self.shapes)

    @property
    def T(self) -> Batch:
        """The transposes, with the same memory."""
        turned = object.__new__(Batch)
        turned.__dict__.update(self.__dict__)
        turned._flip, turned.shapes = not self._flip, self.shapes[:, ::-1]
        turned.x_offsets, turned.y_offsets = self.y_offsets, self.x_offsets
        return turned

    def __matmul__(self, x: Any) -> Any:
        return self.multiply(x)

    def multiply(
        self, x: Any, out: Any = None, *, alpha: float = 1.0, beta: float = 0.0, stream: Any = None
    ) -> Any:
        """out_i = alpha A_i x_i + beta out_i for every matrix, in place; without `out` a new array. Returns it.

        x and out are vectors with those of all matrices one behind the other, or, where all have one shape, arrays with a
        row for each; contiguous, of the batch's type, on its device or in host memory.

        >>> import numpy as np, scipy.sparse as sp, nonzero as nz
        >>> A = sp.csr_array([[1.0, 0.0], [1.0, 1.0]])
        >>> B = nz.plan_batch(A, np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
        >>> B @ np.ones((2, 2))
        array([[ 1.,  5.],
               [ 4., 11.]])
        """
        alpha, beta = real("alpha", alpha), real("beta", beta)
        self._check(x, "x", 1)
        if out is not None:
            self._check(out, "out", 0)
        elif beta != 0:
            raise ValueError("beta multiplies out, which is not given")
        with made_on(stream, x):
            x, out = resolved(x), self._empty_for(x) if out is None else out
        self._core.multiply(x, out, alpha, beta, self._flip, stream_handle(stream, x, out))
        return out

    def _empty_for(self, x: Any) -> Any:
        """An array for the result: with a row for each matrix where x has one."""
        shape = (len(self), int(self.shapes[0, 0])) if len(x.shape) == 2 else (int(self.y_offsets[-1]),)
        return empty_like(x, shape, self.dtype) if type_name(x) == self.dtype.name else np.empty(shape, self.dtype)

    def _check(self, array: Any, what: str, side: int) -> None:
        require_array(what, array)
        shape, length = tuple(array.shape), int((self.y_offsets, self.x_offsets)[side][-1])
        rows = (len(self), int(self.shapes[0, side])) if self._alike else None
        if shape not in ((length,), rows):
            raise ValueError(f"{what} has the shape {shape}, but ({length},){f' or {rows}' if rows else ''} is needed")

    def split(self, y: Any) -> list[Any]:
        """The vectors of each matrix in y, a result of this batch: views of it."""
        flat = y.reshape(-1)
        return [flat[a:b] for a, b in zip(self.y_offsets[:-1].tolist(), self.y_offsets[1:].tolist(), strict=True)]

    def update_values(self, values: Any) -> None:
        """Other values for matrices of one structure, as many as before and in the same order."""
        if self._nnz is None:
            raise ValueError("the matrices have different structures: make another batch")
        _check_values(values, len(self), self._nnz, self.dtype.name)
        values = resolved(values)
        wait_for(values)
        self._core.update_values(values)

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} matrices of {self.dtype} on {self.device}>"


def plan_batch(
    matrices: Any, values: Any = None, *, device: str | None = None, op: Literal["N", "T", "both"] = "both",
    threads: int | None = None,
) -> Batch:  # fmt: skip
    """Makes many small matrices ready to be multiplied at once, each by a vector of its own.

    `plan_batch(A, values)`: matrices with the structure of A, a sparse matrix as `plan` takes it, whose own values do not
    count. Row i of `values` has those of matrix i in the order of `A.data`; float32 or float64. It is borrowed where it lies
    on the batch's device, on the CPU in host memory: values that are written in place are seen. PyTorch's views of negatives
    are copied.
    `plan_batch([A, B, ...])`: matrices of any shapes, all of one type; they are copied.

    device   "cpu", "cuda:0" or "emu"; where the values, or the first matrix, lie if None
    op       the products that will be asked for, "N", "T" or "both"; others are refused
    threads  of every product on the CPU

    >>> import numpy as np, scipy.sparse as sp, nonzero as nz
    >>> B = nz.plan_batch([sp.csr_array([[1.0, 2.0]]), sp.csr_array([[3.0], [4.0]])])
    >>> B @ np.array([1.0, 10.0, 100.0])
    array([ 21., 300., 400.])
    >>> [y.tolist() for y in B.split(B @ np.ones(3))]
    [[3.0], [3.0, 4.0]]
    """
    if not isinstance(op, str) or op not in OPS:
        raise ValueError(f"op is 'N', 'T' or 'both', not {op!r}")
    device = None if device is None else text("device", device)
    threads = None if threads is None else whole("threads", threads)
    if values is not None:
        return _of_structure(matrices, values, device, op, threads)
    if not isinstance(matrices, (list, tuple)):
        raise TypeError(
            f"a list of matrices, or a matrix and an array of values, is needed, not {type(matrices).__name__}"
        )
    return _of_matrices(matrices, device, op, threads)


def _check_values(values: Any, matrices: int | None, nnz: int, dtype: str | None) -> str:
    require_array("values", values)
    shape, name = tuple(values.shape), type_name(values)
    if len(shape) != 2 or shape[1] != nnz or matrices not in (None, shape[0]):
        count = "matrices" if matrices is None else matrices
        raise ValueError(f"values has the shape {shape}, but ({count}, {nnz}) is needed: a row for each matrix")
    if name not in VALUES or dtype not in (None, name):
        wanted = dtype or "float32 or float64"
        raise TypeError(f"values is {name}, but {wanted} is needed{cast_hint('values', values, dtype or 'float64')}")
    return name


def _require_order(matrix: Any) -> None:
    """Values come in the order of `matrix.data`, which the arrays of CSR and CSC keep, and no other form."""
    form = getattr(matrix, "format", None)
    if form is None and hasattr(matrix, "layout"):
        form = str(matrix.layout).removeprefix("torch.sparse_")
    if form not in (None, "csr", "csc"):
        raise TypeError(f"the structure is {form}: values need that of CSR or CSC, whose order they have; use .tocsr()")


def _of_structure(matrix: Any, values: Any, device: str | None, op: str, threads: int | None) -> Batch:
    _require_order(matrix)
    arrays = arrays_of(matrix)
    nnz = arrays.last - arrays.first
    dtype = _check_values(values, None, nnz, None)
    kind = _core.BatchF32 if dtype == "float32" else _core.BatchF64
    view = arrays.view()
    del view["data"]
    values = resolved(values)
    wait_for(values)
    core = kind.of_structure(
        **view, matrices=values.shape[0], values=values, device=device or device_of(values) or "cpu",
        op=OPS[op] if arrays.flipped else op, threads=threads,
    )  # fmt: skip
    return _batch(core, [arrays] * values.shape[0], dtype, arrays.flipped, nnz)


def _of_matrices(matrices: Sequence[Any], device: str | None, op: str, threads: int | None) -> Batch:
    if len(matrices) == 0:
        raise ValueError("a batch of no matrices has no type: give at least one")
    all_arrays = [arrays_of(m) for m in matrices]
    flipped = all(a.flipped for a in all_arrays)
    if not flipped and any(a.flipped for a in all_arrays):  # rows of all of them
        all_arrays = [_by_rows(m, a) for m, a in zip(matrices, all_arrays, strict=True)]
    dtype = type_name(all_arrays[0].data)
    for i, a in enumerate(all_arrays):
        if type_name(a.data) != dtype:
            raise TypeError(f"matrix {i} is of {type_name(a.data)}, but the first one of {dtype}")
    kind = _core.BatchF32 if dtype == "float32" else _core.BatchF64
    core = kind.of_matrices(
        [{**a.view(), "indptr": _wide(a.indptr)} for a in all_arrays], device=device or all_arrays[0].device or "cpu",
        op=OPS[op] if flipped else op, threads=threads,
    )  # fmt: skip
    return _batch(core, all_arrays, dtype, flipped, None)


def _by_rows(matrix: Any, arrays: Arrays) -> Arrays:
    if not arrays.flipped:
        return arrays
    with current_at(arrays.data):
        return arrays_of(matrix.tocsr())


def _wide(offsets: Any) -> Any:
    """Offsets of 64 bits, which matrices of a batch have in common."""
    if library(offsets) == "torch":
        import torch

        return offsets.to(torch.int64)
    with current_at(offsets):
        return offsets.astype(np.int64)


def _batch(core: Any, arrays: list[Arrays], dtype: str, flipped: bool, nnz: int | None) -> Batch:
    shapes = np.array([(a.rows, a.cols) for a in arrays], np.int64).reshape(len(arrays), 2)
    return Batch(core, shapes[:, ::-1] if flipped else shapes, dtype, flipped, nnz)
