"""A picture of where the nonzeros are."""

from __future__ import annotations

import os
import struct
import zlib
from typing import Any

import numpy as np

from ._arrays import to_host
from ._matrix import Arrays, arrays_of
from ._plan import Plan


def spy(matrix: Any, path: str | os.PathLike[str] | None = None, *, size: int = 512) -> bytes:
    """A PNG of the nonzeros of a matrix or a plan, the longer side at most `size` pixels; dark is dense.

    Returns its bytes and writes them where a path is given.

    >>> import scipy.sparse as sp, nonzero as nz
    >>> nz.spy(sp.eye_array(10, format="csr"))[1:4]
    b'PNG'
    """
    if not 1 <= size <= 8192:
        raise ValueError(f"size is {size}, but 1 to 8192 pixels are possible")
    turned = matrix._turned if isinstance(matrix, Plan) else False
    arrays = matrix._arrays if isinstance(matrix, Plan) else arrays_of(matrix, complex_too=True)
    counts = density(arrays, size)
    if arrays.flipped != turned:
        counts = counts.T
    picture = png(_shades(counts))
    if path is not None:
        with open(path, "wb") as file:
            file.write(picture)
    return picture


def density(a: Arrays, size: int) -> Any:
    """How many entries lie in each pixel."""
    scale = min(1.0, size / max(a.rows, a.cols, 1))
    height, width = max(1, int(a.rows * scale)), max(1, int(a.cols * scale))
    indptr = to_host(a.indptr).astype(np.int64)
    columns = to_host(a.indices)[indptr[0] : indptr[-1]].astype(np.int64)
    rows = np.repeat(np.arange(a.rows, dtype=np.int64), np.diff(indptr))
    place = rows * height // max(a.rows, 1) * width + columns * width // max(a.cols, 1)
    return np.bincount(place, minlength=height * width).reshape(height, width)


def _shades(counts: Any) -> Any:
    """White where nothing is; the smallest count is already seen."""
    most = max(float(counts.max(initial=0)), 1.0)
    dark = np.where(counts > 0, 0.35 + 0.65 * np.log1p(counts) / np.log1p(most), 0.0)
    return (255 * (1 - dark)).astype(np.uint8)


def png(pixels: Any) -> bytes:
    """A grey picture as a PNG file."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    height, width = pixels.shape
    lines = np.zeros((height, width + 1), np.uint8)  # a filter type, none, before each line
    lines[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines.tobytes())) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
