"""Matrices from and to files, generated ones, and what a matrix looks like in numbers."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _core
from ._checks import flag, limit, text
from ._matrix import Arrays, arrays_of, type_name
from ._program import run_program

Path = str | os.PathLike[str]


def _csr(arrays: tuple[Any, Any, Any, tuple[int, int]]) -> Any:
    data, indices, indptr, shape = arrays
    matrix = sp.csr_array((data, indices, indptr), shape=shape)
    matrix.has_canonical_format = True
    return matrix


def read(path: Path, *, dtype: Any = np.float64, memory_limit: int | None = None, allow_nan: bool = False) -> Any:
    """A CSR array from .mtx, .mtx.gz, .mtx.zst or .nzb, read with all threads, or from .npz, .mat, .rb or .tar.gz;
    "edges:FILE" is an edge list, "metis:FILE" a METIS graph.

    Values become float32 or float64. Texts may have nan and inf where `allow_nan` says so.
    """
    return _csr(_read(path, dtype, memory_limit, allow_nan)[0])


def _read(
    path: Path, dtype: Any, memory_limit: int | None, allow_nan: bool = False
) -> tuple[Any, dict[str, Any]]:
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise TypeError(f"values are read as float32 or float64, not {kind}")
    arrays, said = _core.read(
        os.fspath(path), single=kind == np.float32, memory_limit=limit(memory_limit or None), allow_nan=flag("allow_nan", allow_nan)
    )
    return arrays, said


def write(path: Path, matrix: Any, *, comment: str = "") -> None:
    """Writes .mtx, .mtx.gz, .mtx.zst or .nzb by the name's ending. The file appears whole or not at all."""
    arrays = arrays_of(matrix)
    if arrays.flipped:
        arrays = arrays_of(matrix.tocsr())
    if arrays.device is not None:
        raise TypeError(f"the matrix lies on {arrays.device}; bring it to host memory first")
    _write(path, arrays, comment)


def _write(path: Path, arrays: Arrays, comment: str) -> None:
    function = _core.write_f32 if type_name(arrays.data) == "float32" else _core.write_f64
    function(os.fspath(path), **arrays.view(), comment=text("comment", comment))


def mmread(source: Path, *, spmatrix: bool = True) -> Any:
    """As `scipy.io.mmread`: COO from a coordinate file, a dense array from an array file, compressed or not.

    Unlike there, values are always float64, entries are sorted and duplicates summed, and complex files
    are refused with BadInput.
    """
    arrays, said = _read(source, np.float64, None)
    matrix = _csr(arrays)
    if said["format"] == "Matrix Market array":
        return matrix.toarray()
    return sp.coo_matrix(matrix) if spmatrix else matrix.tocoo()


def mmwrite(target: Path, a: Any, comment: str | None = None) -> None:
    """As `scipy.io.mmwrite` for sparse matrices, as `coordinate real general`: ".mtx" is added where no ending is."""
    name = os.fspath(target)
    if not name.endswith((".mtx", ".mtx.gz", ".mtx.zst")):
        name += ".mtx"
    if not sp.issparse(a):
        raise TypeError(f"a sparse matrix is needed, not {type(a).__name__}")
    write(name, a if a.dtype in (np.float32, np.float64) else a.astype(np.float64), comment=comment or "")


def generate(spec: str, *, memory_limit: int | None = None) -> Any:
    """A synthetic matrix as a CSR array of float64; `families()` has what can be made.

    >>> import nonzero as nz
    >>> nz.generate("grid:points=5,nx=3,ny=3").nnz
    33
    """
    return _csr(_core.generate(text("spec", spec), memory_limit=limit(memory_limit or None))[0])


def info(matrix: Any) -> dict[str, Any]:
    """What `nonzero info` knows of a matrix: row lengths, blocks, bytes in each format.

    `matrix` is a path, a specification such as "gen:grid:points=5", or a sparse matrix.
    """
    if isinstance(matrix, (str, os.PathLike)):
        return _info(os.fspath(matrix))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.nzb")
        write(path, matrix)
        return _info(path)


def _info(source: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(run_program("info", source, "--json", "-"))
    return found[0]
